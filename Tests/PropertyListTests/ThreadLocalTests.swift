// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import CallStack
import TestSupport
import Testing

@Suite("ThreadLocal")
struct ThreadLocalTests {
    private final class Mark {}

    @Test("an object is provided to nested calls on the same thread only")
    func nested() {
        let local = ThreadLocal<Mark>()
        let (outer, inner) = (Mark(), Mark())
        local.provide(outer) {
            #expect(local.object === outer)
            local.provide(inner) { #expect(local.object === inner) }
            #expect(local.object === outer)
            #expect(throws: Never.self) {
                let isProvided = try onThread(stackSize: 1 << 20) { local.object != nil }
                #expect(!isProvided)
            }
        }
        #expect(local.object == nil)
    }
}

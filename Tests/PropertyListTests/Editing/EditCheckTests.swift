// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

@Suite("The last check of an edited text")
struct EditCheckTests {
    @Test("a text that says something else than the edits is refused")
    func somethingElse() throws {
        let values: [PropertyListValue] = [["a": 1], ["a": 2], ["a": 1, "b": 1], [:], ["a": "1"]]
        for (first, found) in values.enumerated() {
            for (second, expected) in values.enumerated() where first != second {
                let error = #expect(throws: PropertyListError.self) {
                    try PropertyListEditor.require(found, is: expected, .openStep)
                }
                #expect(error?.code == .unrepresentableValue)
            }
            try PropertyListEditor.require(found, is: found, .openStep)
        }
    }
}

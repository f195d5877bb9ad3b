// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing
import TypedStream

@Suite("Typedstream fixtures")
struct TypedStreamFixtureTests {
    /// The size in bytes above which samples are not stored as files.
    static let longest = 2000

    @Test("the fixtures equal the samples, byte for byte")
    func samples() throws {
        var count = 0
        for (name, bytes) in try Samples.all() where bytes.count <= Self.longest {
            count += 1
            let path = Corpus.fixtures.appending(path: "typedstream/\(name)")
            #expect(try Array(Data(contentsOf: path)) == bytes, "\(name)")
        }
        #expect(count == Corpus.fixtures("typedstream").count)
    }
}

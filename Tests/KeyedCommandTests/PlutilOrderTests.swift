// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@testable import KeyedCommand

@Suite("The order of keys that plutil prints")
struct PlutilOrderTests {
    private func sorted(_ keys: [String]) throws -> [String] {
        var entries = PropertyListDictionary()
        for key in keys.shuffled() { entries[key] = true }
        let root = try PropertyListDocument(.dictionary(entries)).root
        let order = try #require(PlutilText.arrangement(of: root))
        let found = try #require(root.dictionary)
        #expect(PlutilText.raw(root) == order.map { found[$0].key }.joined(separator: "\n"))
        return order.map { found[$0].key }
    }

    @Test("keys are ordered without regard to case, and numbers in them by value")
    func natural() throws {
        let keys = [
            "", "#", "0", "1", "01", "2", "10", "A", "a", "a 9", "a 10", "a10b", "B", "b2c1",
            "b2c03",
            "b10", "É", "é1",
        ]
        // Keys that are otherwise equal are ordered by their text: "01" before "1".
        let expected = keys.map { $0 == "1" ? "01" : $0 == "01" ? "1" : $0 }
        #expect(try sorted(keys) == expected)
    }

    @Test("canonically equivalent keys are distinguished")
    func equivalent() throws {
        #expect(try sorted(["e\u{301}", "é"]).map(\.utf8.count) == [3, 2])
    }

    @Test("ordering keys with long runs of combining marks does not take quadratic time")
    func marks() throws {
        let seconds = try ProcessorTime.seconds {
            let marks = (0..<200_000).map { $0 % 2 == 0 ? "\u{301}" : "\u{323}" }.joined()
            let texts = try sorted(["a" + marks, "b" + marks])
            #expect(texts.map(\.first?.unicodeScalars.first) == ["a", "b"])
        }
        #expect(seconds < 60)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

@Suite("The measured extent of a tree")
struct TreeExtentTests {
    private func extent(_ value: PropertyListValue) -> TreeExtent {
        var known: Set<ContentIdentity> = []
        return TreeExtent(of: value, &known)
    }

    @Test("long contents are identified by address, and are kept so that no address is reused")
    func identities() {
        var known: Set<ContentIdentity> = []
        for number in 0..<100 as Range<UInt8> {
            let bytes = PropertyListValue.data([UInt8](repeating: number, count: 100_000))
            #expect(TreeExtent(of: bytes, &known).newLongBytes == 100_000)
            #expect(TreeExtent(of: [bytes, bytes], &known).newLongBytes == 0)
            let text = String(repeating: number.isMultiple(of: 2) ? "a" : "b", count: 100_000)
            #expect(TreeExtent(of: [.string(text)], &known).newLongBytes == 100_000)
        }
    }

    @Test("each copy counts, including its keys, and no sum overflows")
    func copies() {
        let inner: PropertyListValue = ["key": "text", "k": .data([1, 2]), "n": [1, true]]
        #expect(extent(inner).values == 6 && extent(inner).bytes == 11)
        let outer: PropertyListValue = [inner, ["x": inner], inner]
        #expect(extent(outer).values == 20 && extent(outer).bytes == 34)
        #expect(extent(outer).shortBytes == 34)
        #expect(extent("text").values == 1 && extent("text").bytes == 4)
        #expect(extent([]).values == 1 && extent([]).bytes == 0)
        var value = outer
        for _ in 0..<100 { value = [value, value] }
        #expect(extent(value).values == .max && extent(value).bytes == .max)
    }

    @Test("a deeply nested tree is measured")
    func deep() {
        var value: PropertyListValue = "text"
        for _ in 0..<200_000 { value = [value] }
        #expect(extent(value).values == 200_001)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// A type with optional fields and nested values of its own type.
private struct Loose: Codable, Equatable {
    var first: Int?
    var second: Int?
    var third: Int?
    var fourth: [Loose]?
    var fifth: Int?

    /// Returns a value with some of the fields, and a dictionary for it with one more key. In a third
    /// of the cases, the order of the keys is random.
    static func random(
        _ random: inout SplitMix64, depth: Int
    ) -> (value: Loose, tree: PropertyListValue) {
        var value = Loose()
        var entries: [(key: String, value: PropertyListValue)] = [("other", true)]
        func add(_ key: String, _ path: WritableKeyPath<Loose, Int?>) {
            if random.oneIn(4) { return }
            let number = random.below(100)
            value[keyPath: path] = number
            entries.append((key, .integer(PropertyListInteger(number))))
        }
        add("first", \.first)
        add("second", \.second)
        add("third", \.third)
        if depth > 0, random.oneIn(3) {
            let nested = (0..<3).map { _ in Self.random(&random, depth: depth - 1) }
            value.fourth = nested.map(\.value)
            entries.append(("fourth", .array(PropertyListArray(nested.map(\.tree)))))
        }
        add("fifth", \.fifth)
        if random.oneIn(3) { entries.shuffle(using: &random) }
        var dictionary = PropertyListDictionary()
        for (key, value) in entries { dictionary[key] = value }
        return (value, .dictionary(dictionary))
    }
}

@Suite("Decoding dictionaries with many sets of keys")
struct ShapeTests {
    @Test(
        "optional fields are found in any order of keys, in binary and XML",
        arguments: Exhaustive.sample(0..<20 as Range<UInt64>, oneIn: 4))
    func looseFields(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pairs = (0..<200).map { _ in Loose.random(&random, depth: 2) }
        let values = pairs.map(\.value)
        let tree = PropertyListValue.array(PropertyListArray(pairs.map(\.tree)))
        let document = try PropertyListDocument(tree)
        let decoder = PlistDecoder()
        #expect(try decoder.decode([Loose].self, from: document) == values, "seed \(seed)")
        for format in [PropertyListFormat.binary, .xml] {
            let bytes = try document.serialized(as: format)
            #expect(try decoder.decode([Loose].self, from: bytes) == values, "seed \(seed)")
        }
    }

    @Test("dictionaries with more sets of keys than the decoder caches are decoded correctly")
    func manyShapes() throws {
        // Each dictionary has a key of its own, before, between or after the fields.
        let values = (0..<1_000).map { Loose(first: $0, third: $0 % 3 == 0 ? nil : 2 * $0) }
        let dictionaries = values.enumerated().map { number, value in
            let own = (key: "own \(number)", value: PropertyListValue.boolean(true))
            var entries: [(key: String, value: PropertyListValue)] = [
                ("first", .integer(PropertyListInteger(number)))
            ]
            if let third = value.third {
                entries.append(("third", .integer(PropertyListInteger(third))))
            }
            entries.insert(own, at: number % (entries.count + 1))
            var dictionary = PropertyListDictionary()
            for (key, value) in entries { dictionary[key] = value }
            return PropertyListValue.dictionary(dictionary)
        }
        let tree = PropertyListValue.array(PropertyListArray(dictionaries))
        let document = try PropertyListDocument(tree)
        #expect(try PlistDecoder().decode([Loose].self, from: document) == values)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// An object that is archived with a selection of its fields, in any order.
private final class Loose: KeyedCodable, Equatable {
    static let archivedClass: ArchivedClass = "Loose"
    static let keys = ["first", "second", "third", "fourth"]

    let fields: [(key: String, value: Int)]
    let inner: Loose?

    init(_ random: inout SplitMix64, depth: Int) {
        var fields: [(key: String, value: Int)] = []
        for key in Self.keys where !random.oneIn(4) {
            fields.append((key, random.below(100)))
        }
        if random.oneIn(3) { fields.shuffle(using: &random) }
        self.fields = fields
        inner = depth > 0 && random.oneIn(2) ? Loose(&random, depth: depth - 1) : nil
    }

    func encode(with coder: KeyedEncoder) {
        for field in fields { coder.encode(field.value, forKey: field.key) }
        if let inner { coder.encode(inner, forKey: "inner") }
    }

    init(coder: KeyedDecoder) throws {
        var fields: [(key: String, value: Int)] = []
        for key in Self.keys where coder.containsValue(forKey: key) {
            fields.append((key, try coder.decodeInteger(forKey: key)))
        }
        inner = try coder.decodeObject(forKey: "inner")
        // Decodes the fields a second time, after another object of the class has been decoded.
        self.fields = try fields.map { ($0.key, try coder.decodeInteger(forKey: $0.key)) }
    }

    static func == (left: Loose, right: Loose) -> Bool {
        let (first, second) = (left.fields.sorted { $0 < $1 }, right.fields.sorted { $0 < $1 })
        return first.elementsEqual(second, by: ==) && left.inner == right.inner
    }
}

@Suite("Objects of one class with different fields")
struct ShapeTests {
    @Test(
        "fields are found in any order, and missing fields are not found",
        arguments: Exhaustive.sample(0..<20 as Range<UInt64>, oneIn: 4))
    func looseFields(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let objects = (0..<200).map { _ in Loose(&random, depth: 3) }
        for format in [PropertyListFormat.binary, .xml] {
            let bytes = try KeyedArchiver.archive(objects, as: format)
            let back = try KeyedUnarchiver.unarchive([Loose].self, from: bytes)
            #expect(back == objects, "seed \(seed)")
        }
    }
}

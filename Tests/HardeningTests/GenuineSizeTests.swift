// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// Files without shared containers must be readable under every preset, whatever the number of
/// values. Leaves may be shared, because writers of the binary format write equal leaves once.
@Suite("Sizes of genuine files")
struct GenuineSizeTests {
    private static let presets: [(String, ParsingLimits)] = [
        ("untrusted", .untrusted), ("default", .default),
    ]

    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value) throws {
        let bytes = try PlistEncoder().encode(value)
        for (name, limits) in Self.presets {
            let decoder = PlistDecoder()
            decoder.limits = limits
            #expect(try decoder.decode(Value.self, from: bytes) == value, "\(name)")
        }
    }

    @Test(
        "lists of equal numbers are decoded, whatever their type",
        arguments: [1, 51_000, 510_000])
    func equalNumbers(_ count: Int) throws {
        try expectRoundTrip([UInt8](repeating: 0, count: count))
        try expectRoundTrip([Float](repeating: 1, count: count))
        try expectRoundTrip([Bool](repeating: true, count: count))
        try expectRoundTrip([Int](repeating: 7, count: count))
    }

    @Test("a matrix of zeros is decoded")
    func matrix() throws {
        try expectRoundTrip([[Double]](repeating: [Double](repeating: 0, count: 1100), count: 1100))
    }

    private struct Layered: Codable, Equatable {
        struct Inner: Codable, Equatable {
            var raw: UInt16

            init(raw: UInt16) { self.raw = raw }

            init(from decoder: any Decoder) throws {
                raw = try decoder.singleValueContainer().decode(UInt16.self)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(raw)
            }
        }

        var inner: Inner

        init(_ raw: UInt16) { inner = Inner(raw: raw) }

        init(from decoder: any Decoder) throws {
            inner = try decoder.singleValueContainer().decode(Inner.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(inner)
        }
    }

    @Test("values with several layers of single-value containers are decoded")
    func layers() throws {
        try expectRoundTrip([Layered](repeating: Layered(3), count: 510_000))
    }

    @Test("archives of equal numbers are decoded", arguments: [1, 1_100_000])
    func archives(_ count: Int) throws {
        let numbers = [Int](repeating: 7, count: count)
        let bytes = try KeyedArchiver.archive(numbers)
        for (name, limits) in Self.presets {
            let read = try KeyedUnarchiver.unarchive([Int].self, from: bytes, limits: limits)
            #expect(read == numbers, "\(name)")
        }
    }

    /// Returns a tree of at most `count` leaves, which have only four different values.
    private func tree(
        _ count: Int, depth: Int, _ random: inout SplitMix64
    ) -> PropertyListValue {
        guard depth > 0, count > 1 else {
            let number = random.below(4)
            return number == 0 ? "text" : number == 1 ? .data([1, 2, 3]) : .init(number)
        }
        let parts = 1 + random.below(min(count, 3000))
        let children = (0..<parts).map { _ in
            tree(count / parts, depth: depth - 1, &random)
        }
        if random.below(3) > 0 { return .array(PropertyListArray(children)) }
        var entries = PropertyListDictionary()
        for (number, child) in children.enumerated() { entries["\(number % 500)"] = child }
        return .dictionary(entries)
    }

    @Test(
        "trees written by this library can be read under the same limits",
        arguments: [1, 0x5EED] as [UInt64])
    func trees(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for count in [1, 1000, 300_000] {
            let value = tree(count, depth: 3, &random)
            for (name, limits) in Self.presets {
                let document = try PropertyListDocument(value, limits: limits)
                for format in [PropertyListFormat.binary, .xml] {
                    let bytes = try document.serialized(as: format, limits: limits)
                    let read = try PropertyListValue(parsing: bytes, limits: limits)
                    #expect(read == value, "seed \(seed), \(count) values, \(format), \(name)")
                }
            }
        }
    }

    @Test("lists of equal values written by Foundation can be read", arguments: [1_200_000])
    func foundation(_ count: Int) throws {
        let bytes = try PropertyListSerialization.data(
            fromPropertyList: ["numbers": [Int](repeating: 7, count: count)], format: .binary,
            options: 0)
        for (name, limits) in Self.presets {
            let value = try PropertyListValue(parsing: bytes, limits: limits)
            #expect(value["numbers"]?.array?.count == count, "\(name)")
        }
    }

    @Test("nested arrays with shared elements are refused under the untrusted and default limits")
    func bombs() throws {
        let bytes = BombBuilder().file(levels: 20, references: 100)
        for (name, limits) in Self.presets {
            let error = #expect(throws: PropertyListError.self) {
                try PropertyListValue(parsing: bytes, limits: limits)
            }
            #expect(error?.code == .expansionLimitExceeded, "\(name)")
        }
    }
}

/// Writes arrays that each contain the next one many times.
private struct BombBuilder {
    func file(levels: Int, references: Int) -> [UInt8] {
        var file = Array("bplist00".utf8)
        var offsets: [Int] = []
        for level in 0..<levels {
            offsets.append(file.count)
            file += [0xAF, 0x10, UInt8(references)]
            file += [UInt8](repeating: UInt8(level + 1), count: references)
        }
        offsets.append(file.count)
        file.append(0x09)
        let table = file.count
        for offset in offsets { file += [UInt8(offset >> 8), UInt8(offset & 0xFF)] }
        file += [0, 0, 0, 0, 0, 0, 2, 1]
        for number in [offsets.count, 0, table] {
            file += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
        return file
    }
}

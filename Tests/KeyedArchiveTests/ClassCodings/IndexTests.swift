// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedArchive

@Suite("NSIndexSet and NSIndexPath")
struct IndexTests {
    static let set = Archives.describe("NSIndexSet")
    static let path = Archives.describe("NSIndexPath")
    static let mutableData = Archives.describe("NSMutableData", "NSData")
    static let several: [UInt8] = [
        0x00, 0x32, 0x64, 0x32, 0xe8, 0x07, 0x32, 0xcd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0x7f, 0x32,
    ]

    /// Returns the objects of an index set or index path with packed integers.
    static func packed(
        _ count: Int, _ bytes: [UInt8], _ keys: (count: String, data: String),
        _ description: PropertyListValue
    ) -> [PropertyListValue] {
        [
            .dictionary([
                keys.count: .integer(PropertyListInteger(count)), keys.data: .uid(2),
                "$class": .uid(4),
            ]),
            ["NS.data": .data(bytes), "$class": .uid(3)], mutableData, description,
        ]
    }

    static let setKeys = ("NSRangeCount", "NSRangeData")
    static let pathKeys = ("NSIndexPathLength", "NSIndexPathData")

    @Test("index sets with no, one and several ranges round-trip")
    func sets() throws {
        let empty = try roundTrip(
            ArchivedIndexSet.self, [["NSRangeCount": 0, "$class": .uid(2)], Self.set])
        #expect(empty.ranges.isEmpty)
        let one = try roundTrip(
            ArchivedIndexSet.self,
            [["NSRangeCount": 1, "NSLocation": 7, "NSLength": 3, "$class": .uid(2)], Self.set])
        #expect(one.ranges == [7..<10])
        let several = try roundTrip(
            ArchivedIndexSet.self, Self.packed(4, Self.several, Self.setKeys, Self.set))
        #expect(several.ranges == [0..<50, 100..<150, 1000..<1050, (Int.max - 50)..<Int.max])
        let mutable = try roundTrip(
            Mutable<ArchivedIndexSet>.self,
            Self.packed(
                4, Self.several, Self.setKeys, Archives.describe("NSMutableIndexSet", "NSIndexSet"))
        )
        #expect(mutable.value == several)
    }

    @Test("index sets are created from integers and ranges, and answer membership queries")
    func making() {
        let set = ArchivedIndexSet([5, 3, 4, 9, 3, -1, .max])
        #expect(set.ranges == [3..<6, 9..<10])
        #expect((0..<12).filter(set.contains) == [3, 4, 5, 9])
        #expect(ArchivedIndexSet(ranges: [0..<2, 2..<3])?.ranges.count == 2)
        #expect(ArchivedIndexSet(ranges: [0..<2, 1..<3]) == nil)
        #expect(ArchivedIndexSet(ranges: [4..<5, 1..<3]) == nil)
        #expect(ArchivedIndexSet(ranges: [1..<1]) == nil)
        #expect(ArchivedIndexSet(ranges: [-1..<1]) == nil)
        #expect(!ArchivedIndexSet().contains(0))
    }

    @Test("index paths with no, one and several indexes round-trip")
    func paths() throws {
        let empty = try roundTrip(
            IndexPath.self, [["NSIndexPathLength": 0, "$class": .uid(2)], Self.path])
        #expect(empty.isEmpty)
        let one = try roundTrip(
            IndexPath.self,
            [["NSIndexPathLength": 1, "NSIndexPathValue": 5, "$class": .uid(2)], Self.path])
        #expect(one == [5])
        let several = try roundTrip(
            IndexPath.self, Self.packed(3, [4, 0x80, 1, 0], Self.pathKeys, Self.path))
        #expect(several == [4, 128, 0])
        #expect(archiveError { try KeyedArchiver.archive(IndexPath(index: -1)) } != nil)
    }

    @Test("packed integers of any size round-trip")
    func packing() throws {
        var integers = [0, 1, 127, 128, 16_383, 16_384, .max, .max - 1]
        for shift in 0..<63 { integers += [1 << shift, (1 << shift) - 1] }
        let back = try roundTrip(
            IndexPath.self,
            Self.packed(
                integers.count, PackedIntegers.pack(integers), Self.pathKeys, Self.path))
        #expect(Array(back) == integers)
    }

    @Test("packed integers that are truncated, too large or of the wrong count are refused")
    func hostilePacked() throws {
        func code(_ count: Int, _ bytes: [UInt8]) -> KeyedArchiveError.Code? {
            archiveError {
                try KeyedUnarchiver.unarchive(
                    IndexPath.self,
                    from: Archives.make(Self.packed(count, bytes, Self.pathKeys, Self.path)))
            }?.code
        }
        let ones = [UInt8](repeating: 0xFF, count: 8)
        #expect(code(2, [1, 2]) == nil)
        #expect(code(2, [1, 0x82]) == .valueOutOfRange)
        #expect(code(2, [0x80]) == .valueOutOfRange)
        #expect(code(2, [1] + ones + [0x7F]) == nil)
        #expect(code(2, [1] + ones + [0x80]) == .valueOutOfRange)
        #expect(code(2, [1] + ones + [0xFF, 0x01]) == .valueOutOfRange)
        #expect(code(2, [1] + ones + [0xFF, 0x00]) == nil)
        #expect(
            code(2, [1] + [UInt8](repeating: 0x80, count: 1000) + [0]) == .valueOutOfRange)
        #expect(code(2, []) == .malformedObject)
        #expect(code(2, [1]) == .malformedObject)
        #expect(code(2, [1, 2, 3]) == .malformedObject)
        #expect(code(.max, [1, 2, 3]) == .malformedObject)
        #expect(code(-1, [1, 2, 3]) == .valueOutOfRange)
        #expect(code(.min, [1, 2, 3]) == .valueOutOfRange)
    }

    @Test("index ranges that overlap or are empty, negative or too long are refused")
    func hostileSets() throws {
        func code(_ count: Int, _ integers: [Int]) -> KeyedArchiveError.Code? {
            archiveError {
                try KeyedUnarchiver.unarchive(
                    ArchivedIndexSet.self,
                    from: Archives.make(
                        Self.packed(
                            count, PackedIntegers.pack(integers), Self.setKeys, Self.set)))
            }?.code
        }
        #expect(code(2, [0, 1, 1, 1]) == nil)
        #expect(code(2, [0, 2, 1, 1]) == .valueOutOfRange)
        #expect(code(2, [5, 2, 1, 1]) == .valueOutOfRange)
        #expect(code(2, [0, 1, 1, 0]) == .valueOutOfRange)
        #expect(code(2, [0, 1, .max, 1]) == .valueOutOfRange)
        #expect(code(2, [0, 1, 1]) == .malformedObject)
        #expect(code(2, [0, 1, 1, 1, 2]) == .malformedObject)
        #expect(code(.max, [0, 1, 1, 1]) == .malformedObject)
        #expect(code(-2, [0, 1, 1, 1]) == .valueOutOfRange)
        let one: PropertyListDictionary = ["NSRangeCount": 1, "NSLocation": 7, "NSLength": 3]
        func single(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedIndexSet.self, one, changing: changes, Self.set)
        }
        #expect(single(["NSLocation": -1]) == .valueOutOfRange)
        #expect(single(["NSLength": -1]) == .valueOutOfRange)
        #expect(single(["NSLength": 0]) == .valueOutOfRange)
        #expect(
            single(["NSLength": .integer(PropertyListInteger(Int.max))]) == .valueOutOfRange)
        #expect(
            single(["NSLocation": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
        #expect(single(["NSLength": "3"]) == .wrongType)
        #expect(single(["NSRangeCount": 2]) == .missingValue)
        #expect(single(["NSRangeCount": 2, "NSRangeData": 7]) == .wrongType)
        for key in ["NSRangeCount", "NSLocation", "NSLength"] {
            #expect(
                refusal(ArchivedIndexSet.self, one, without: key, Self.set) == .missingValue)
        }
    }

    @Test("index paths with a field that is missing, negative or of the wrong type are refused")
    func hostilePaths() {
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(IndexPath.self, fields, Self.path)
        }
        #expect(code([:]) == .missingValue)
        #expect(code(["NSIndexPathLength": 1]) == .missingValue)
        #expect(code(["NSIndexPathLength": 2]) == .missingValue)
        #expect(code(["NSIndexPathLength": -1]) == .valueOutOfRange)
        #expect(code(["NSIndexPathLength": true]) == .wrongType)
        #expect(code(["NSIndexPathLength": 1, "NSIndexPathValue": -1]) == .valueOutOfRange)
        #expect(
            code([
                "NSIndexPathLength": 1,
                "NSIndexPathValue": .integer(PropertyListInteger(UInt64.max)),
            ]) == .valueOutOfRange)
    }
}

@Suite(
    "NSIndexSet and NSIndexPath in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineIndexTests {
    @Test("index sets of genuine archives are read")
    func sets() throws {
        #expect(
            try roundTrip(ArchivedIndexSet.self, genuine: "--NSIndexSet-Empty-").ranges.isEmpty)
        #expect(
            try roundTrip(ArchivedIndexSet.self, genuine: "--NSIndexSet-OneRange-").ranges
                == [0..<50])
        let ranges = [0..<50, 100..<150, 1000..<1050, (Int.max - 50)..<Int.max]
        #expect(
            try roundTrip(ArchivedIndexSet.self, genuine: "--NSIndexSet-ManyRanges-").ranges
                == ranges)
        #expect(
            try roundTrip(
                Mutable<ArchivedIndexSet>.self, genuine: "--NSMutableIndexSet-ManyRanges-"
            ).value.ranges == ranges)
        for name in ["Empty", "OneRange"] {
            _ = try roundTrip(
                Mutable<ArchivedIndexSet>.self, genuine: "--NSMutableIndexSet-\(name)-")
            _ = try roundTrip(AnyArchived.self, genuine: "--NSMutableIndexSet-\(name)-")
        }
    }

    @Test("index paths of genuine archives are read")
    func paths() throws {
        #expect(try roundTrip(IndexPath.self, genuine: "--NSIndexPath-Empty-").isEmpty)
        #expect(try roundTrip(IndexPath.self, genuine: "--NSIndexPath-OneIndex-") == [52])
        #expect(
            try roundTrip(IndexPath.self, genuine: "--NSIndexPath-ManyIndices-")
                == [4, 8, 15, 16, 23, 42])
    }

    @Test("index paths in saved program states are written as they were read")
    func states() throws {
        let paths = try Specimens.compareParts(
            IndexPath.self, of: ["NSIndexPath"], in: "xcuserstate")
        #expect(paths.count >= 80)
    }

    @Test(
        "index sets in documents and saved program states are read",
        arguments: [("xcdatamodel", 21, 18), ("xcuserstate", 9, 5)])
    func documents(folder: String, leastSets: Int, leastMutable: Int) throws {
        let sets = try Specimens.compareParts(
            ArchivedIndexSet.self, of: ["NSIndexSet"], in: folder)
        let mutable = try Specimens.compareParts(
            Mutable<ArchivedIndexSet>.self, of: ["NSMutableIndexSet"], in: folder)
        #expect(sets.count >= leastSets && mutable.count >= leastMutable)
    }
}

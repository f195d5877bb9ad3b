// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSIndexSet`, `NSMutableIndexSet` | `NSRangeCount`; for one range `NSLocation`, `NSLength`; for several `NSRangeData`: an `NSMutableData` with location and length of each, packed |
// | `NSIndexPath` | `NSIndexPathLength`; for one index `NSIndexPathValue`; for several `NSIndexPathData`: an `NSMutableData` with all, packed |
//
// The counts are integers, stored inline. `PackedIntegers` describes packed integers.
//
// Source: archives that Apple's software wrote.

// MARK: - Index sets

/// An `NSIndexSet`: a set of non-negative integers, as ranges.
public struct ArchivedIndexSet: Sendable, Hashable {
    /// The ranges, in ascending order. None is empty, and no two overlap.
    public private(set) var ranges: [Range<Int>]

    /// Creates an empty set.
    public init() { ranges = [] }

    /// Creates a set of integers. Negative integers are omitted, and so is 2⁶³−1, which means “not
    /// found”.
    public init(_ indexes: some Sequence<Int>) {
        ranges = []
        for index in Set(indexes).sorted() where index >= 0 && index < .max {
            if let last = ranges.last, last.upperBound == index {
                ranges[ranges.count - 1] = last.lowerBound..<(index + 1)
            } else {
                ranges.append(index..<(index + 1))
            }
        }
    }

    /// Creates a set of ranges; nil unless the ranges are ascending, disjoint, non-empty and
    /// non-negative.
    public init?(ranges: [Range<Int>]) {
        var end = 0
        for range in ranges {
            if range.isEmpty || range.lowerBound < end { return nil }
            end = range.upperBound
        }
        self.ranges = ranges
    }

    /// Returns whether an integer is in the set. Logarithmic in the number of ranges.
    public func contains(_ index: Int) -> Bool {
        var (low, high) = (0, ranges.count)
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].contains(index) { return true }
            if index < ranges[middle].lowerBound { high = middle } else { low = middle + 1 }
        }
        return false
    }
}

extension ArchivedIndexSet: KeyedCodable, MutableArchivable {
    public static var archivedClass: ArchivedClass { "NSIndexSet" }
    public static var archivedAliases: [String] { ["NSMutableIndexSet"] }
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableIndexSet") }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<Data>.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(ranges.count, forKey: "NSRangeCount")
        if ranges.count == 1, let range = ranges.first {
            coder.encode(range.lowerBound, forKey: "NSLocation")
            coder.encode(range.count, forKey: "NSLength")
        } else if ranges.count > 1 {
            coder.encodePacked(
                ranges.flatMap { [$0.lowerBound, $0.count] }, forKey: "NSRangeData")
        }
    }

    public init(coder: KeyedDecoder) throws {
        let count = try coder.decodeInteger(forKey: "NSRangeCount")
        switch count {
        case 0: ranges = []
        case 1:
            let location = try coder.decodeInteger(forKey: "NSLocation")
            let length = try coder.decodeInteger(forKey: "NSLength")
            ranges = try Self.ranges([location, length], coder)
        default:
            ranges = try coder.decodePacked(
                forKey: "NSRangeData", count, "ranges", width: 2
            ) { try Self.ranges($0, coder) }
        }
    }

    private static func ranges(
        _ numbers: [Int], _ coder: KeyedDecoder
    ) throws(KeyedArchiveError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var end = 0
        for (location, length) in zip(numbers.striding(0), numbers.striding(1)) {
            let (next, overflows) = location.addingReportingOverflow(length)
            guard length > 0, location >= end, !overflows else {
                throw KeyedArchiveError(
                    .valueOutOfRange,
                    what: "expected ascending, non-empty ranges in an index set, found "
                        + "\(length) indexes from \(location)",
                    object: coder.uid)
            }
            ranges.append(location..<next)
            end = next
        }
        return ranges
    }
}

extension [Int] {
    /// Returns every second element, beginning at `start`.
    fileprivate func striding(_ start: Int) -> some Sequence<Int> {
        stride(from: start, to: count, by: 2).lazy.map { self[$0] }
    }
}

// MARK: - Index paths

extension IndexPath: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSIndexPath" }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<Data>.register(in: &registry)
        registry.add(Self.self)
    }

    /// Writes the indexes.
    ///
    /// - Throws: `valueOutOfRange` for a negative index.
    public func encode(with coder: KeyedEncoder) throws {
        guard allSatisfy({ $0 >= 0 }) else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected indexes of at least 0 in an IndexPath, found \(self.min() ?? 0)")
        }
        coder.encode(count, forKey: "NSIndexPathLength")
        if count == 1, let index = first {
            coder.encode(index, forKey: "NSIndexPathValue")
        } else if count > 1 {
            coder.encodePacked(Array(self), forKey: "NSIndexPathData")
        }
    }

    public init(coder: KeyedDecoder) throws {
        let count = try coder.decodeInteger(forKey: "NSIndexPathLength")
        switch count {
        case 0: self.init()
        case 1:
            let index = try coder.decodeInteger(forKey: "NSIndexPathValue")
            guard index >= 0 else {
                throw KeyedArchiveError(
                    .valueOutOfRange,
                    what: "expected an index of at least 0 in an IndexPath, found \(index)",
                    object: coder.uid)
            }
            self.init(index: index)
        default:
            self = try coder.decodePacked(
                forKey: "NSIndexPathData", count, "indexes", width: 1
            ) { IndexPath(indexes: $0) }
        }
    }
}

// MARK: - Packed integers

extension KeyedEncoder {
    fileprivate func encodePacked(_ integers: [Int], forKey key: String) {
        encode(Mutable(Data(PackedIntegers.pack(integers))), forKey: key)
    }
}

extension KeyedDecoder {
    /// Returns the collection that `make` creates from the packed integers of a field. It has
    /// `count` elements, each of `width` integers.
    fileprivate func decodePacked<Elements: Collection>(
        forKey key: String, _ count: Int, _ elements: String, width: Int,
        _ make: ([Int]) throws -> Elements
    ) throws -> Elements {
        guard count > 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "expected at least 0 \(elements), found \(count)",
                object: uid)
        }
        func requireCount(_ integers: Int) throws(KeyedArchiveError) {
            let (expected, overflows) = count.multipliedReportingOverflow(by: width)
            if !overflows, integers == expected { return }
            throw KeyedArchiveError(
                .malformedObject,
                what: "expected \(width == 1 ? "" : "\(width) × ")\(count) integers in `\(key)`, "
                    + "found \(integers)",
                object: uid)
        }
        let data = try decode(Data.self, forKey: key)
        let made = try reader.parsed(data) {
            let integers = try PackedIntegers.unpack(data, key, self)
            try requireCount(integers.count)
            return try make(integers)
        }
        // Another object with the same data may state another count.
        try requireCount(made.count &* width)
        return made
    }
}

extension ClassRegistry {
    static let indexClasses = ClassRegistry(
        ArchivedIndexSet.self, Mutable<ArchivedIndexSet>.self, IndexPath.self)
}

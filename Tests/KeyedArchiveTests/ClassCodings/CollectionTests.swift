// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("The order of sets and dictionaries")
struct CollectionOrderTests {
    /// Returns sets that are equal for all capacities, but whose order depends on the capacity.
    private func sets(_ capacity: Int) -> Set<Set<String>> {
        Set((0..<20).map { number in set((0..<8).map { "\($0) of \(number)" }, capacity) })
    }

    private func set(_ elements: [String], _ capacity: Int) -> Set<String> {
        var result = Set<String>(minimumCapacity: capacity)
        result.formUnion(elements)
        return result
    }

    @Test("equal nested sets and dictionaries are archived alike, whatever their order in memory")
    func nested() throws {
        let bytes = try KeyedArchiver.archive(sets(8))
        #expect(try KeyedArchiver.archive(sets(1000)) == bytes)
        #expect(try KeyedUnarchiver.unarchive(Set<Set<String>>.self, from: bytes) == sets(8))
        func keyed(_ capacity: Int) -> [[Set<String>: Int]: [Set<String>]] {
            var dictionary: [[Set<String>: Int]: [Set<String>]] = [:]
            for number in 0..<20 {
                let key = set((0..<8).map { "\($0) of \(number)" }, capacity)
                dictionary[[key: 1, set([], capacity): 2]] = [key]
            }
            return dictionary
        }
        #expect(try KeyedArchiver.archive(keyed(8)) == KeyedArchiver.archive(keyed(1000)))
    }
}

@Suite(
    "Sets in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineCollectionTests {
    @Test("NSSet and NSMutableSet of genuine archives are read")
    func sets() throws {
        #expect(
            try roundTrip(ArchivedSet<Int>.self, genuine: "--NSSet-Numbers-").elements
                == [3, 2, 5, 1, 4])
        #expect(
            try roundTrip(Mutable<ArchivedSet<Int>>.self, genuine: "--NSMutableSet-Numbers-")
                .value.elements.count == 5)
        #expect(
            try roundTrip(ArchivedSet<Int>.self, genuine: "--NSSet-Empty-").elements.isEmpty)
        for name in ["NSSet-Empty", "NSSet-Numbers", "NSMutableSet-Empty", "NSMutableSet-Numbers"] {
            _ = try roundTrip(AnyArchived.self, genuine: "--\(name)-")
        }
        let bytes = try Specimens.bytes("--NSSet-Numbers-", in: "foundation-tests")
        #expect(try KeyedUnarchiver.unarchive(Set<Int>.self, from: bytes) == [1, 2, 3, 4, 5])
    }

    @Test("NSOrderedSet and NSMutableOrderedSet of genuine archives are read")
    func orderedSets() throws {
        #expect(
            try roundTrip(ArchivedOrderedSet<Int>.self, genuine: "--NSOrderedSet-Numbers-")
                .elements == [1, 2, 3, 4, 5])
        let names = ["Empty", "Numbers"].flatMap {
            ["NSOrderedSet-\($0)", "NSMutableOrderedSet-\($0)"]
        }
        for name in names { _ = try roundTrip(AnyArchived.self, genuine: "--\(name)-") }
    }

    @Test("NSCountedSet of genuine archives is read")
    func countedSets() throws {
        let several = try roundTrip(
            ArchivedCountedSet<Int>.self, genuine: "--NSCountedSet-NumbersAppearingSeveralTimes-")
        #expect(several.elements.map(\.element) == [3, 2, 5, 1, 4])
        #expect(several.elements.allSatisfy { $0.count == 5 })
        let once = try roundTrip(
            ArchivedCountedSet<Int>.self, genuine: "--NSCountedSet-NumbersAppearingOnce-")
        #expect(once.elements.map(\.count) == [1, 1, 1, 1, 1])
        for name in ["Empty", "NumbersAppearingOnce", "NumbersAppearingSeveralTimes"] {
            _ = try roundTrip(AnyArchived.self, genuine: "--NSCountedSet-\(name)-")
        }
    }
}

@Suite("Counted sets")
struct CountedSetTests {
    @Test("an element of a counted set with a count that is not positive is refused on writing")
    func countsOfZero() {
        for count in [0, -1] {
            let error = archiveError {
                try KeyedArchiver.archive(ArchivedCountedSet([("a", count)]))
            }
            #expect(error?.code == .valueOutOfRange)
            #expect(error?.what == "expected a positive count of an element, found \(count)")
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

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

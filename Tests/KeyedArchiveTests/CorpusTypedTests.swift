// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Archives written by Apple's software, decoded as typed values.
@Suite("Typed values of external archives")
struct CorpusTypedTests {
    @Test(
        "archives of Foundation's own tests round-trip with the same objects",
        .enabled(if: Corpus.hasExternal, "there is no external collection here"),
        arguments: foundationArchives)
    func foundationTests(_ file: Corpus.File) throws {
        let value = try KeyedUnarchiver.unarchive(AnyArchived.self, from: file.bytes)
        #expect(!(value.value is OpaqueObject))
        let again = try KeyedArchiver.archive(value)
        let differences = try differences(file.bytes, again)
        // Each known difference must exist, and no other may.
        let isKnown = Self.knownDifferences.contains { file.name.contains($0.name) }
        #expect(differences.isEmpty != isKnown, "\(differences)")
    }

    /// The archives whose object table changes, with the reason.
    private static let knownDifferences: [(name: String, why: String)] = [
        (
            "DateIntervalFormatter-Default",
            "two equal strings that are separate objects in the file are written as one object"
        ),
        ("NSMeasurement-Length--334bd6de", "the file stores reals with whole values as integers"),
    ]

    /// Returns the differences between the object tables of two archives.
    private func differences(_ left: [UInt8], _ right: [UInt8]) throws -> [String] {
        let left = try ArchiveGraph(parsing: left)
        let right = try ArchiveGraph(parsing: right)
        var found = left.roots == right.roots ? [] : ["roots"]
        for number in 0..<max(left.objects.count, right.objects.count) {
            let uid = PropertyListUID(UInt32(number))
            if !isSame(left[uid], right[uid]) {
                let entries = [left[uid], right[uid]].map { String(describing: $0) }
                found.append("\(number): \(entries.joined(separator: " | "))")
            }
        }
        return found
    }

    /// Returns whether two entries are equal. Of class descriptions, only the name, the chain and
    /// the hints are compared.
    private func isSame(_ left: ArchivedEntry?, _ right: ArchivedEntry?) -> Bool {
        guard case .classDescription(let first) = left, case .classDescription(let second) = right
        else { return left == right }
        return (first.name, first.chain, first.hints) == (second.name, second.chain, second.hints)
    }

    @Test(
        "prefixes of small genuine archives are refused with an error",
        .enabled(if: Corpus.hasExternal, "there is no external collection here"),
        arguments: foundationArchives)
    func prefixes(_ file: Corpus.File) {
        for end in file.bytes.indices {
            let error = archiveError {
                try KeyedUnarchiver.unarchive(AnyArchived.self, from: file.bytes[..<end])
            }
            #expect(error != nil)
        }
    }
}

private let foundationArchives = Corpus.external("real-archives/foundation-tests")

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedArchive

/// Archives that Apple's software wrote, as typed values.
@Suite("Typed values of archives of other origin")
struct CorpusTypedTests {
    @Test(
        "archives of Foundation's own tests come back with the same objects",
        .enabled(if: Corpus.hasExternal, "there is no external collection here"),
        arguments: foundationArchives)
    func foundationTests(_ file: Corpus.File) throws {
        let value = try KeyedUnarchiver.unarchive(AnyArchived.self, from: file.bytes)
        #expect(!(value.value is OpaqueObject))
        let again = try KeyedArchiver.archive(value)
        let differences = try differences(file.bytes, again)
        // Each known difference is there, and no other.
        let isKnown = Self.knownDifferences.contains { file.name.contains($0.name) }
        #expect(differences.isEmpty != isKnown, "\(differences)")
    }

    /// The archives whose object table does not come back the same.
    private static let knownDifferences: [(name: String, why: String)] = [
        ("DateIntervalFormatter-Default", "two equal texts that were kept apart are one object"),
        ("NSMeasurement-Length--334bd6de", "whole numbers among the reals were stored as integers"),
    ]

    /// What differs between the object tables of two archives.
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

    /// Whether two entries are the same but for the order of keys.
    private func isSame(_ left: ArchivedEntry?, _ right: ArchivedEntry?) -> Bool {
        guard case .classDescription(let first) = left, case .classDescription(let second) = right
        else { return left == right }
        return (first.name, first.chain, first.hints) == (second.name, second.chain, second.hints)
    }

    @Test(
        "every object whose class has a type is read or refused by an error, and most are read",
        .enabled(if: Corpus.hasExternal, "there is no external collection here"))
    func census() throws {
        var census = Census()
        for file in Corpus.external("real-archives") { census.add(file) }
        if let report = ProcessInfo.processInfo.environment["KEYED_CENSUS"] {
            try census.report.write(toFile: report, atomically: true, encoding: .utf8)
        }
        #expect(census.typed > 100_000)
        #expect(Double(census.refused) < 0.001 * Double(census.typed))
    }

    @Test(
        "prefixes of small genuine archives are refused by an error",
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

/// Which objects of archives become typed values.
private struct Census {
    var typed = 0
    var untyped = 0
    var refused = 0
    private var unknownClasses: [String: Int] = [:]
    private var errors: [String: Int] = [:]

    mutating func add(_ file: Corpus.File) {
        guard
            let contents = try? ArchiveContents(
                parsing: file.bytes, options: .rawControlCharacters),
            let reader = try? ArchiveReader(contents, allowing: .foundation, limits: .default)
        else { return }
        for number in contents.objects.indices { add(UInt32(number), reader) }
    }

    private mutating func add(_ object: UInt32, _ reader: ArchiveReader) {
        guard reader.slot(of: object).isObject else { return }
        let name = reader.archivedClass(of: object)?.name ?? ""
        do {
            try reader.root([]) {
                let type = try reader.boundType(of: object) ?? OpaqueObject.self
                _ = try type.unarchive(KeyedReference(reader, object: object))
            }
            typed += 1
        } catch let error as KeyedArchiveError {
            if error.code == .classNotAllowed || error.code == .referenceCycle {
                untyped += 1
                if error.object?.value == object { unknownClasses[name, default: 0] += 1 }
            } else {
                refused += 1
                errors["\(name): \(error.code) \(error.what.prefix(80))", default: 0] += 1
            }
        } catch { refused += 1 }
    }

    var report: String {
        let unknown = unknownClasses.sorted { $0.value > $1.value }.prefix(40)
        let failed = errors.sorted { $0.value > $1.value }.prefix(60)
        return "typed \(typed), holding classes without a type \(untyped), refused \(refused)\n"
            + unknown.map { "\($0.value) \($0.key)\n" }.joined() + "\n"
            + failed.map { "\($0.value) \($0.key)\n" }.joined()
    }
}

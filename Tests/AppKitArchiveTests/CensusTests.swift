// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedArchive

/// Archives written by Apple's software, decoded as typed values.
@Suite("Typed values in archives with AppKit and UIKit objects")
struct CensusTests {
    @Test(
        "every object of a registered class decodes or throws, and most of them decode",
        .enabled(if: Corpus.hasExternal, "there is no external collection here"))
    func census() throws {
        var census = Census()
        for file in Exhaustive.sample(Corpus.external("real-archives"), oneIn: 3) {
            census.add(file)
        }
        if let report = ProcessInfo.processInfo.environment["KEYED_CENSUS"] {
            try census.report.write(toFile: report, atomically: true, encoding: .utf8)
        }
        #expect(census.unread == [])
        #expect(census.typed > Exhaustive.size(100_000, inDebug: 10_000))
        #expect(Double(census.refused) < 0.001 * Double(census.typed))
    }
}

/// The numbers of objects that decode as typed values, and of those that do not.
private struct Census {
    /// The objects that decode.
    var typed = 0
    /// The objects that fail because of a reference cycle or a class without a type.
    var untyped = 0
    /// The objects that fail for other reasons.
    var refused = 0
    /// The names of the files that are not archives.
    var unread: [String] = []
    private var unknownClasses: [String: Int] = [:]
    private var errors: [String: Int] = [:]

    mutating func add(_ file: Corpus.File) {
        guard
            let contents = try? ArchiveContents(
                parsing: file.bytes, options: .rawControlCharacters),
            let reader = try? ArchiveReader(contents, allowing: .everything, limits: .default)
        else { return unread.append(file.name) }
        for number in contents.objects.indices { add(UInt32(number), reader) }
    }

    private mutating func add(_ object: UInt32, _ reader: ArchiveReader) {
        guard reader.classNumber(of: object).isObject else { return }
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
        return "typed \(typed), untyped or cyclic \(untyped), refused \(refused)\n"
            + unknown.map { "\($0.value) \($0.key)\n" }.joined() + "\n"
            + failed.map { "\($0.value) \($0.key)\n" }.joined()
    }
}

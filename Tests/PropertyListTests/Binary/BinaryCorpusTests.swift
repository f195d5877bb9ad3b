// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

@Suite(
    "External binary files",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct BinaryCorpusTests {
    private static func binaries(_ folder: String) -> [Corpus.File] {
        Corpus.external(folder).filter { $0.bytes.starts(with: "bplist0".utf8) }
    }

    /// Folders of archives by software other than Apple's.
    private static let foreign = ["other-impl-tests/", "captured-fixtures/"]

    /// The files of `real-plists` that are not well-formed: two lack their last bytes, and one has
    /// keys that are not strings.
    private static let damaged = ["--53250dc6", "--ce871955", "--8673a10d"]

    @Test("genuine archives parse strictly and serialize to the same bytes")
    func archives() throws {
        var total = 0
        for file in Exhaustive.sample(Self.binaries("real-archives"), oneIn: 3)
        where !Self.foreign.contains(where: file.name.hasPrefix) {
            let document = try #require(
                try? PropertyListDocument(parsing: file.bytes), "\(file.name)")
            total += 1
            #expect(document.coreFoundationLayout() != nil, "\(file.name)")
            let compact = try BinaryPropertyList.serialize(document)
            #expect(compact.count <= file.bytes.count, "\(file.name)")
        }
        #expect(total > Exhaustive.size(100, inDebug: 30))
    }

    @Test("genuine property lists match the reference parser, and round-trip in both layouts")
    func plain() throws {
        var total = 0
        for file in Exhaustive.sample(Self.binaries("real-plists"), oneIn: 6) {
            let plain = try? SlowBinaryReader.value(of: file.bytes)
            let document = try? PropertyListDocument(parsing: file.bytes)
            let isDamaged = Self.damaged.contains { file.name.contains($0) }
            #expect((plain == nil) == isDamaged, "\(file.name)")
            #expect((document == nil) == isDamaged, "\(file.name)")
            guard let document, let plain else { continue }
            total += 1
            #expect(try document.root.value() == plain, "\(file.name)")
            for layout in [BinaryLayout.compact, .coreFoundation] {
                let bytes = try BinaryPropertyList.serialize(document, layout: layout)
                #expect(try PropertyListValue(parsing: bytes) == plain, "\(file.name)")
            }
        }
        #expect(total >= Exhaustive.size(62, inDebug: 7))
    }

    @Test("malformed files are refused, or have the values of the reference parser")
    func malformed() {
        let files = Self.binaries("malformed") + Self.binaries("peer-tests")
        #expect(files.count >= 300)
        for file in Exhaustive.sample(files, oneIn: 3) {
            let ours = try? PropertyListValue(parsing: file.bytes, format: .binary)
            let plain = try? SlowBinaryReader.value(of: file.bytes)
            #expect(ours == plain, "\(file.name)")
            _ = try? PropertyListValue(parsing: file.bytes, options: .forensic)
        }
    }
}

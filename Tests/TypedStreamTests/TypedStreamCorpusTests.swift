// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing

@testable import TypedStream

@Suite(
    "Typedstreams from Apple's software",
    .enabled(if: TypedStreamCorpus.isAvailable, "the folder of typedstreams is not here"))
struct TypedStreamCorpusTests {
    @Test("the collection has at least 53 intact streams, nearly all short, and a damaged one")
    func count() {
        #expect(TypedStreamCorpus.files.count >= 53)
        #expect(TypedStreamCorpus.short.count >= 50)
        #expect(TypedStreamCorpus.damaged.count == 1)
    }

    @Test("every stream is rewritten byte for byte", arguments: TypedStreamCorpus.files)
    func rewriting(_ file: Corpus.File) throws {
        let document = try TypedStreamDocument(parsing: file.bytes, limits: .untrusted)
        #expect(try document.serialized() == file.bytes)
        let other = try document.serialized(byteOrder: .bigEndian)
        let turned = try TypedStreamDocument(parsing: other)
        #expect(turned.byteOrder == .bigEndian)
        #expect(try turned.serialized(byteOrder: .littleEndian) == file.bytes)
    }

    @Test("the builder writes the same bytes from the values", arguments: TypedStreamCorpus.files)
    func building(_ file: Corpus.File) throws {
        let document = try TypedStreamDocument(parsing: file.bytes)
        var builder = TypedStreamBuilder(systemVersion: document.systemVersion)
        try builder.append(contentsOf: document)
        #expect(try builder.finish() == file.bytes)
    }

    @Test("every stream passes the checks of the fuzz target", arguments: TypedStreamCorpus.all)
    func properties(_ file: Corpus.File) throws { try checkTypedStream(file.bytes) }

    @Test(
        "a prefix of a short stream is refused, and salvaged if it is longer than the header",
        arguments: Exhaustive.sample(TypedStreamCorpus.short, oneIn: 12))
    func prefixes(_ file: Corpus.File) throws {
        for length in 0..<file.bytes.count {
            let prefix = Array(file.bytes.prefix(length))
            if length == Raw.header.count { continue }
            #expect(throws: TypedStreamError.self) { try TypedStreamDocument(parsing: prefix) }
            let salvaged = try? TypedStreamDocument(salvaging: prefix)
            #expect((salvaged != nil) == (length > Raw.header.count), "\(length) bytes")
            guard let salvaged else { continue }
            #expect(salvaged.problem != nil)
            #expect(TypedStreamDump.lines(salvaged).count < 2 * prefix.count)
        }
    }

    @Test("a message that claims more text than it has is refused, and salvaged up to the text")
    func damaged() throws {
        let file = try #require(TypedStreamCorpus.damaged.first)
        let error = #expect(throws: TypedStreamError.self) {
            try TypedStreamDocument(parsing: file.bytes)
        }
        #expect(error?.code == .invalidLength)
        #expect(error?.what.contains("157") == true)
        let salvaged = try TypedStreamDocument(salvaging: file.bytes)
        #expect(salvaged.problem?.code == .invalidLength)
        #expect(
            salvaged.objects.map(\.class.name) == ["NSMutableAttributedString", "NSMutableString"])
        #expect(throws: TypedStreamError.self) { try salvaged.firstText() }
        #expect(throws: TypedStreamError.self) { try salvaged.serialized() }
    }
}

/// The typedstreams of the external collection.
enum TypedStreamCorpus {
    static let all = Corpus.external("typedstream").filter { !$0.name.hasSuffix(".tsv") }
    /// The stream that claims more text than it has.
    static let damaged = all.filter { $0.name.contains("ExtraData") }
    static let files = all.filter { !$0.name.contains("ExtraData") }
    /// The intact streams that are short enough to parse each of their prefixes.
    static let short = files.filter { $0.bytes.count <= 2000 }
    static var isAvailable: Bool { !all.isEmpty }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import TypedStream

@Suite("Typedstreams of Apple's software", .enabled(if: TypedStreamCorpus.isAvailable))
struct TypedStreamCorpusTests {
    @Test("every byte is read, and written again", arguments: TypedStreamCorpus.files)
    func rewriting(_ file: Corpus.File) throws {
        let document = try TypedStreamDocument(parsing: file.bytes)
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
}

/// The typedstreams of the external collection.
enum TypedStreamCorpus {
    static let all = Corpus.external("typedstream").filter { !$0.name.hasSuffix(".tsv") }
    /// The stream that claims more text than it has.
    static let damaged = all.filter { $0.name.contains("ExtraData") }
    static let files = all.filter { !$0.name.contains("ExtraData") }
    static var isAvailable: Bool { !all.isEmpty }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import InlinePropertyList
import KeyedArchive
import NIBArchive
import PropertyList
import TestSupport
import Testing
import TypedStream

@Suite("Long texts that a small file repeats")
struct RepeatedTextTests {
    @Test("a text with many references is copied once", arguments: RepeatedTexts.all)
    func copies(_ texts: RepeatedTexts) throws {
        let bytes = texts.file(500, length: 20_000)
        let document = try ImportedArchive(parsing: bytes).document
        #expect(document.storage.store.bytes.count < 4 * bytes.count)
    }

    @Test("a text with many references is read once", arguments: RepeatedTexts.all)
    func reading(_ texts: RepeatedTexts) throws {
        func seconds(count: Int, length: Int) throws -> Double {
            let bytes = texts.file(count, length: length)
            return try ProcessorTime.seconds { _ = try ImportedArchive(parsing: bytes) }
        }
        // Reading the text again for each reference would take 100 times as long as reading it ten
        // times.
        let separate = try seconds(count: 10, length: 400_000) + seconds(count: 1000, length: 10)
        let many = try seconds(count: 1000, length: 400_000)
        #expect(many < 4 * separate)
    }

    @Test("the output of an imported file is limited by the size of that file")
    func outputLimit() throws {
        let bytes = try Streams.message()
        let document = try ImportedArchive(parsing: bytes).document
        let budget = document.budget(.untrusted)
        #expect(budget.remainingBytes == 16 * bytes.count + 16 << 20)
    }

    @Test("class names that are only canonically equivalent are different classes")
    func exactClassNames() throws {
        var list = InlinePropertyListBuilder()
        try list.beginArray()
        for name in ["\u{E9}", "e\u{301}"] {
            try list.beginDictionary()
            try list.append(.ascii("$class"))
            try list.append(.utf16(name))
            try list.end()
        }
        try list.end()
        let imported = try ImportedArchive(parsing: list.finish())
        let graph = try ArchiveGraph(ArchiveContents(imported.document))
        let names = [1, 2].map { graph.archivedClass(of: $0)?.name.unicodeScalars.count }
        #expect(names == [1, 2])
    }

    /// A stream with a chain of 60 classes and 400 classes with these superclasses.
    private static func chains() -> [UInt8] {
        let chain = (0..<60).flatMap { [0x84, 0x84, 2, 0x41, UInt8(0x30 + $0), 0] as [UInt8] }
        let others = (0..<400).flatMap { _ in [0x92, 0x84, 0x93, 0, 0x92] as [UInt8] }
        return [4, 11] + Array("streamtyped".utf8) + [0x81, 0xe8, 0x03, 0x84, 1, 0x23] + chain
            + [0x85] + others
    }

    @Test("superclasses repeated by many classes count toward the expansion limit")
    func chainLimit() throws {
        var limits = ParsingLimits.untrusted
        limits.expansion = .init(factor: 2, base: 0)
        let bytes = Self.chains()
        let error = #expect(throws: PropertyListError.self) {
            try ImportedArchive(parsing: bytes, limits: limits)
        }
        #expect(error?.code == .expansionLimitExceeded)
        #expect(error?.isLimit == true)
        #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        #expect(throws: Never.self) { try ImportedArchive(parsing: bytes, limits: .trusted) }
        #expect(throws: Never.self) {
            try ImportedArchive(parsing: Streams.message(), limits: limits)
        }
    }

    @Test("a damaged file has at most as many problems as a damaged binary property list")
    func problems() throws {
        let count = 2 * PropertyListDocument.problemLimit
        var archive = NIBArchiveBuilder()
        let root = archive.addObject("NSObject")
        for _ in 0..<count { archive.append(.boolean(true), forKey: "key", to: root) }
        var stream = TypedStreamBuilder()
        for _ in 0..<count {
            try stream.beginGroup("@")
            try stream.append(object: Streams.date) { try $0.append("c", .integer(1)) }
        }
        for bytes in try [archive.finish(), stream.finish()] {
            let document = try ImportedArchive(salvaging: bytes).document
            #expect(document.problems.count == PropertyListDocument.problemLimit)
        }
    }
}

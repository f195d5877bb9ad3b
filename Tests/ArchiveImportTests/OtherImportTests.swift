// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveImport
import InlinePropertyList
import KeyedArchive
import NIBArchive
import PropertyList
import Testing

@Suite("NIBArchives as keyed archives")
struct NIBArchiveImportTests {
    @Test("strings, numbers, collections and cycles are preserved")
    func values() throws {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSObject")
        let list = archive.addObject("NSArray")
        let text = archive.addObject("NSString")
        let number = archive.addObject("NSNumber")
        let color = archive.addObject("UIColor", fallbacks: ["NSColor"])
        archive.append(.object(list), forKey: "UINibObjectsKey", to: root)
        archive.append(.integer(1), forKey: "$class", to: root)
        archive.append(.boolean(true), forKey: "NSInlinedValue", to: list)
        for element in [text, number, color, root] {
            archive.append(.object(element), forKey: "UINibEncoderEmptyKey", to: list)
        }
        archive.append(.data(Array("Größe".utf8)), forKey: "NS.bytes", to: text)
        archive.append(.integer(-1), forKey: "NS.intval", to: number)
        archive.append(.float(0.5), forKey: "UIAlpha", to: color)
        let imported = try ImportedArchive(parsing: archive.finish())
        #expect(imported.format == .nibArchive)
        let graph = try ArchiveGraph(ArchiveContents(imported.document))
        #expect(graph.roots["root"] == .uid(1))
        guard case .object(let first)? = graph[1], case .object(let second)? = graph[2] else {
            Issue.record("objects 1 and 2 have no fields")
            return
        }
        #expect(first["UINibObjectsKey"] == .uid(2))
        #expect(first["$$class"] == 1)
        #expect(second["NS.objects"] == .array([.uid(3), .uid(4), .uid(5), .uid(1)]))
        #expect(graph[3] == .leaf("Größe"))
        #expect(graph[4] == .leaf(-1))
        #expect(graph.archivedClass(of: 5)?.name == "UIColor")
        #expect(graph.archivedClass(of: 5)?.hints == ["NSColor"])
    }

    @Test("the text `$null` is text, not nil")
    func nullText() throws {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSString")
        archive.append(.data(Array("$null".utf8)), forKey: "NS.bytes", to: root)
        let imported = try ImportedArchive(parsing: archive.finish())
        #expect(try imported.unarchive(String.self) == "$null")
    }

    @Test("a collection with unexpected values keeps its fields")
    func oddCollections() throws {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSDictionary")
        archive.append(.boolean(true), forKey: "NSInlinedValue", to: root)
        archive.append(.object(root), forKey: "UINibEncoderEmptyKey", to: root)
        let graph = try ArchiveGraph(
            ArchiveContents(ImportedArchive(parsing: archive.finish()).document))
        guard case .object(let object)? = graph[1] else {
            Issue.record("object 1 has no fields")
            return
        }
        #expect(object["NSInlinedValue"] == true)
        #expect(object["UINibEncoderEmptyKey"] == .array([.uid(1)]))
    }

    @Test("a duplicate key is refused, and reported when salvaging")
    func duplicates() throws {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSObject")
        for number in [1, 2] as [Int64] {
            archive.append(.integer(number), forKey: "key", to: root)
        }
        let bytes = try archive.finish()
        let error = #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        #expect(error?.code == .duplicateKey)
        let salvaged = try ImportedArchive(salvaging: bytes)
        #expect(salvaged.document.problems.map(\.code) == [.duplicateKey])
    }

    @Test("a key that the file lists twice counts as one key")
    func keysListedTwice() throws {
        var archive = NIBArchiveBuilder(coderVersion: 9)
        let root = archive.addObject("NSObject")
        let keys = ["key", "ke#", "UINibEncoderEmptyKey", "UINibEncoderEmptyKe#"]
        for (number, key) in keys.enumerated() {
            archive.append(.integer(Int64(number)), forKey: key, to: root)
        }
        // The builder lists each key once. Replacing `#` gives two keys the same name.
        let bytes = try archive.finish().map { $0 == UInt8(ascii: "#") ? UInt8(ascii: "y") : $0 }
        let error = #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        #expect(error?.code == .duplicateKey)
        #expect(error?.what == "NIBArchive: the key `key` occurs twice in an object")
        #expect(error?.location?.byte != nil)
        let salvaged = try ImportedArchive(salvaging: bytes).document
        #expect(salvaged.problems.map(\.code) == [.duplicateKey])
        let graph = try ArchiveGraph(ArchiveContents(salvaged))
        guard case .object(let object)? = graph[1] else {
            Issue.record("object 1 has no fields")
            return
        }
        #expect(object["key"] == 0)
        #expect(object["UINibEncoderEmptyKey"] == .array([2, 3]))
    }

    @Test("bytes after the class names are refused, and reported when salvaging")
    func trailingBytes() throws {
        var archive = NIBArchiveBuilder(coderVersion: 10)
        let root = archive.addObject("NSObject")
        archive.append(.boolean(true), forKey: "key", to: root)
        let bytes = try archive.finish() + [1, 2, 3]
        let strict = #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        #expect(strict?.code == .trailingData)
        let salvaged = try ImportedArchive(salvaging: bytes)
        #expect(salvaged.document.problems.map(\.code) == [.trailingData])
        #expect(salvaged.document.problems.first?.location?.byte == bytes.count - 3)
    }
}

@Suite("Imported files within other bytes")
struct CarvedImportTests {
    private func failure(_ bytes: [UInt8], effort: Int) -> PropertyListError? {
        var effort = effort
        return #expect(throws: PropertyListError.self) {
            try ImportedArchive.carve(bytes, at: 0, limits: .default, effort: &effort)
        }
    }

    @Test("an error names the remaining carving budget, or the formats that can be imported")
    func messages() throws {
        let bytes = try Streams.message()
        let limit = failure(bytes, effort: 10)
        #expect(limit?.code == .sizeLimitExceeded)
        #expect(
            limit?.what
                == "expected a window of at most 10 bytes (the remaining carving budget), found \(bytes.count) bytes"
        )
        let other = failure(Array("bplist00".utf8), effort: 10)
        #expect(other?.code == .unrecognizedFormat)
        #expect(
            other?.what
                == "expected a typedstream, a NIBArchive or bplist15–17, found another format")
    }
}

@Suite("Messages of NSXPCConnection as keyed archives")
struct InlineListImportTests {
    @Test("a message without objects is a plain property list")
    func plain() throws {
        var list = InlinePropertyListBuilder()
        try list.beginArray()
        try list.append(.ascii("ping:"))
        try list.append(.null)
        try list.append(.integer(-1))
        try list.append(.double(0.5))
        try list.end()
        let imported = try ImportedArchive(parsing: list.finish())
        #expect(imported.format == .inlinePropertyList)
        #expect(try imported.document.root.value() == .array(["ping:", .null, -1, 0.5]))
    }

    @Test(
        "the key generated for a value without one differs from all other keys",
        arguments: [true, false])
    func unkeyedValues(isFirst: Bool) throws {
        let entries: [(InlinePropertyListBuilder.Value, Int64)] = [(.ascii("$0"), 1), (.null, 2)]
        var list = InlinePropertyListBuilder()
        try list.beginDictionary()
        for (key, number) in isFirst ? entries : entries.reversed() {
            try list.append(key)
            try list.append(.integer(number))
        }
        try list.append(.ascii("other"))
        try list.beginDictionary()
        try list.append(.ascii("$1"))
        try list.append(.integer(3))
        try list.end()
        try list.end()
        let root = try ImportedArchive(parsing: list.finish()).document.root
        #expect(try root.value() == ["$$0": 1, "$0": 2, "other": ["$1": 3]])
    }

    @Test("a message with objects is a keyed archive, with typed values")
    func objects() throws {
        var list = InlinePropertyListBuilder()
        try list.beginDictionary()
        try list.append(.ascii("$class"))
        try list.append(.ascii("NSDictionary"))
        for (key, text) in [("NS.keys", "name"), ("NS.objects", "Anna")] {
            try list.append(.ascii(key))
            try list.beginArray()
            try list.append(.utf16(text))
            try list.end()
        }
        try list.end()
        let imported = try ImportedArchive(parsing: list.finish())
        let pairs = try imported.unarchive(ArchivedPairs<AnyArchived, AnyArchived>.self)
        #expect(pairs.entries.first?.key.value(as: String.self) == "name")
        #expect(pairs.entries.first?.value.value(as: String.self) == "Anna")
        let error = #expect(throws: KeyedArchiveError.self) {
            try imported.unarchive(AnyArchived.self, allowing: ClassRegistry(String.self))
        }
        #expect(error?.description.contains("of the bplist17") == true)
    }

    @Test("the text `$null` in an object is text, not nil")
    func nullText() throws {
        var list = InlinePropertyListBuilder()
        try list.beginDictionary()
        try list.append(.ascii("$class"))
        try list.append(.ascii("NSArray"))
        try list.append(.ascii("NS.objects"))
        try list.beginArray()
        for text in ["before", "$null", "after"] { try list.append(.ascii(text)) }
        try list.end()
        try list.end()
        let imported = try ImportedArchive(parsing: list.finish())
        #expect(try imported.unarchive([String].self) == ["before", "$null", "after"])
    }

    @Test(
        "strings of an array within an object are entries of `$objects`; other strings are inline")
    func sharedArray() throws {
        var list = InlinePropertyListBuilder()
        try list.beginArray()
        try list.beginArray()
        try list.append(.ascii("x"))
        try list.end()
        try list.beginDictionary()
        try list.append(.ascii("$class"))
        try list.append(.ascii("NSArray"))
        try list.append(.ascii("NS.objects"))
        try list.append(.integer(17))
        try list.end()
        try list.end()
        var bytes = try list.finish()
        // The builder writes no references. This marker turns the integer 17 into a reference to
        // the inner array, which begins at byte 17.
        bytes[bytes.count - 2] = 0x81
        let imported = try ImportedArchive(parsing: bytes)
        let graph = try ArchiveGraph(ArchiveContents(imported.document))
        #expect(graph.roots["root"] == .array([.array(["x"]), .uid(1)]))
        guard case .object(let object)? = graph[1] else {
            Issue.record("object 1 has no fields")
            return
        }
        #expect(object["NS.objects"] == .array([.uid(3)]))
        #expect(graph[3] == .leaf("x"))
    }

    @Test("nesting beyond the depth limit is refused with an error, and does not crash")
    func depth() throws {
        var list = InlinePropertyListBuilder()
        for _ in 0..<20_000 { try list.beginArray() }
        for _ in 0..<20_000 { try list.end() }
        let bytes = try list.finish()
        let error = #expect(throws: PropertyListError.self) { try ImportedArchive(parsing: bytes) }
        #expect(error?.code == .depthLimitExceeded)
        #expect(throws: Never.self) { try ImportedArchive(parsing: bytes, limits: .trusted) }
    }
}

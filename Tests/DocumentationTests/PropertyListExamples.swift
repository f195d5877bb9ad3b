// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import Testing

@Suite("Examples of PropertyList")
struct PropertyListExamples {
    private let bytes = Array(
        #"{ CFBundleVersion = 41; /* kept */ Tracks = { 1000 = { Name = "Où"; }; }; }"#.utf8)

    @Test("look up a value")
    func look() throws {
        let document = try PropertyListDocument(parsing: bytes)
        let name = document.root["Tracks"]?["1000"]?["Name"]?.string
        #expect(name == "Où")

        let node = try PropertyListDocument(["port": 8080]).root["port"]
        #expect(try port(#require(node)) == 8080)
    }

    private func port(_ node: PropertyListNode) throws -> UInt16? {
        let port = node.integer?.value(as: UInt16.self)
        return port
    }

    @Test("catch an error by its code")
    func errors() throws {
        #expect(try parsed(bytes) != nil)
        #expect(try parsed(Array(repeating: UInt8(ascii: "("), count: 1000)) == nil)
        let error = #expect(throws: PropertyListError.self) { try parsed(Array("{a = ;}".utf8)) }
        #expect(error?.code == .unexpectedCharacter)
    }

    private func parsed(_ bytes: [UInt8]) throws -> PropertyListDocument? {
        do {
            return try PropertyListDocument(parsing: bytes)
        } catch  where error.code == .depthLimitExceeded {
            return nil
        }
    }

    @Test("visit every value")
    func events() throws {
        let document = try PropertyListDocument(parsing: bytes)
        #expect(try total(document) == 5)
        #expect(try size(document) == 5)
        #expect(try printed(document) == [2, 3])
    }

    private func total(_ document: PropertyListDocument) throws -> Int {
        var events = PropertyListEventReader(document.root)
        var total = 0
        while let event = try events.next() {
            switch event {
            case .integer(let number): total += number.value() ?? 0
            case .string: total += events.withContent { text in text.count }
            default: break
            }
        }
        return total
    }

    private func size(_ document: PropertyListDocument) throws -> Int {
        var events = PropertyListEventReader(document.root)
        var size = 0
        while let event = try events.next() {
            if event == .string { size += events.withContent { text in text.count } }
        }
        return size
    }

    private func printed(_ document: PropertyListDocument) throws -> [Int] {
        var counts: [Int] = []
        func print(_ count: Int) { counts.append(count) }
        var events = PropertyListEventReader(document.root)
        while let event = try events.next() {
            if event == .string { events.withContent { text in print(text.count) } }
        }
        return counts
    }

    @Test("write a file from a tree, and value by value")
    func making() throws {
        let value: PropertyListValue = ["name": "Anna", "ages": [7, 9]]
        let xml = try PropertyListDocument(value).serialized(as: .xml)
        #expect(try PropertyListValue(parsing: xml) == value)

        var builder = DocumentBuilder()
        builder.beginDictionary()
        builder.key("name"); builder.string("Anna")
        builder.key("ages"); builder.beginArray(); builder.integer(7); builder.end()
        builder.end()
        let document = try builder.finish()
        #expect(try document.root.value() == ["name": "Anna", "ages": [7]])
    }

    @Test("edit, compare and merge")
    func editing() throws {
        let document = try PropertyListDocument(parsing: bytes)
        let edited = try document.applying([PropertyListEdit([.key("CFBundleVersion")], .set("42"))]
        )
        let newFile = edited.bytes
        #expect(
            newFile
                == Array(String(decoding: bytes, as: UTF8.self).replacing("41", with: "42").utf8))
        #expect(try edit(document) == newFile)
        #expect(try applied(document).root["CFBundleVersion"]?.string == "42")
        try compare(document, edited.document)
        let theirs = try document.applying([PropertyListEdit([.key("Tracks")], .remove)])
        #expect(try merge(document, edited.document, theirs.document) == ["CFBundleVersion": "42"])
    }

    private func edit(_ document: PropertyListDocument) throws -> [UInt8] {
        var editor = try PropertyListEditor(document)
        try editor.apply(PropertyListEdit([.key("CFBundleVersion")], .set("42")))
        let edited = try editor.finish()
        return edited.bytes
    }

    private func applied(_ document: PropertyListDocument) throws -> PropertyListDocument {
        let edits = [
            PropertyListEdit([.key("CFBundleVersion")], .set("42")),
            PropertyListEdit([.key("Tracks"), .key("1000")], .remove),
        ]
        return try document.applying(edits).document
    }

    private func compare(_ old: PropertyListDocument, _ new: PropertyListDocument) throws {
        func print(_ path: PropertyListKeyPath) { #expect(path == [.key("CFBundleVersion")]) }
        let comparison = try PropertyListComparison(from: old, to: new)
        for difference in comparison.differences { print(difference.path) }
        let edits = try comparison.edits()
        #expect(try old.applying(edits).document.root.value() == new.root.value())
    }

    private func merge(
        _ base: PropertyListDocument, _ ours: PropertyListDocument, _ theirs: PropertyListDocument
    ) throws -> PropertyListValue? {
        let merge = try PropertyListMerge(base: base, ours: ours, theirs: theirs)
        if merge.conflicts.isEmpty {
            let merged = try ours.applying(merge.edits)
            return try merged.document.root.value()
        }
        return nil
    }

    @Test("find property lists in other bytes")
    func carving() {
        let bytes = Array("…".utf8) + Array("<plist><string>a</string></plist>".utf8) + [0]
        var count = 0
        func print(_ place: Int, _ kind: PropertyListKind) {
            count += 1
            #expect(place == 3 && kind == .string)
        }
        for item in PropertyListCarver(bytes) {
            guard case .propertyList(let document) = item.content else { continue }
            print(item.range.lowerBound, document.root.kind)
        }
        #expect(count == 1)
    }
}

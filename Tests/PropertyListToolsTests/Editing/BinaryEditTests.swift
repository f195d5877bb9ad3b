// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

@Suite("Edits to binary property lists")
struct BinaryEditTests {
    private func edited(
        _ bytes: [UInt8], _ edits: (String, PropertyListEdit.Operation)...
    ) throws -> EditedPropertyList {
        let list = try edits.map { PropertyListEdit(try PropertyListKeyPath(parsing: $0.0), $0.1) }
        return try PropertyListDocument(parsing: bytes).applying(list)
    }

    /// Returns the kinds and texts of all objects in the order of the file.
    private func objects(_ document: PropertyListDocument) -> [String] {
        document.allNodes.map { $0.string ?? $0.integer?.description ?? "\($0.kind)" }
    }

    @Test("objects keep their order, new objects come last, and unused ones are removed")
    func order() throws {
        let source = try BinaryPropertyList.serialize(
            PropertyListDocument(["a": "one", "b": [1, "two"], "c": "three"]))
        let document = try PropertyListDocument(parsing: source)
        #expect(
            objects(document) == ["dictionary", "a", "b", "c", "one", "array", "1", "two", "three"])
        let result = try edited(source, ("a", .set("new")), ("b[0]", .remove), ("d", .set("three")))
        #expect(
            objects(result.document) == [
                "dictionary", "a", "b", "c", "array", "two", "three", "new", "d",
            ])
        #expect(
            try result.document.root.value()
                == ["a": "new", "b": ["two"], "c": "three", "d": "three"])
    }

    @Test(
        "edits in a keyed archive apply to the object that a UID or an object number refers to")
    func archive() throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": [
                "$null", ["age": 5, "name": .uid(2), "tags": ["a", "b"]], "Anna", ["age": 7],
            ],
        ]
        for format in [PropertyListFormat.binary, .xml] {
            let source = try PropertyListDocument(archive).serialized(as: format)
            let result = try edited(
                source, ("$top.root.age", .set(6)), ("@1.tags[0]", .remove), ("@3.age", .set(8)),
                ("@2", .set("Berta")), ("$top.root.next", .set(.uid(3))))
            let objects = try result.document.root.value()["$objects"]
            #expect(
                objects == [
                    "$null", ["age": 6, "name": .uid(2), "tags": ["b"], "next": .uid(3)], "Berta",
                    ["age": 8],
                ])
            for path in ["@4.age", "@0.age", "$top.root.name.x", "@1.tags.age"] {
                let error = #expect(throws: PropertyListError.self) {
                    try edited(source, (path, .set(1)))
                }
                #expect(error?.code == .noSuchValue, "\(path)")
            }
        }
        let plain = try BinaryPropertyList.serialize(PropertyListDocument(["$objects": [1]]))
        let error = #expect(throws: PropertyListError.self) {
            try edited(plain, ("@0", .set(2)))
        }
        #expect(error?.code == .noSuchValue)
    }

    @Test(
        "edits without an effect return the same bytes, for every genuine file",
        .enabled(if: Corpus.hasExternal, "there is no external corpus"))
    func identity() throws {
        var same = 0
        var number = 0
        let files = Corpus.external("real-plists/binary") + Corpus.external("real-archives")
        for file in Exhaustive.sample(files, oneIn: 3) {
            guard let document = try? PropertyListDocument(parsing: file.bytes),
                document.format == .binary, document.coreFoundationLayout() != nil
            else { continue }
            number += 1
            let result = try document.applying(Self.editsWithoutEffect(document))
            if result.bytes == file.bytes { same += 1 } else { print(file.name) }
            #expect(result.document.nodeCount >= document.usedNodes.count { $0 })
        }
        #expect(number > Exhaustive.size(100, inDebug: 30))
        #expect(same == number)
    }

    /// Returns edits that insert and remove an entry of the root, and set another entry to its
    /// current value and key; none if the root is not a dictionary.
    private static func editsWithoutEffect(
        _ document: PropertyListDocument
    ) throws -> [PropertyListEdit] {
        guard let entries = document.root.dictionary else { return [] }
        var edits = [
            PropertyListEdit([.key("a new key")], .insert(1)),
            PropertyListEdit([.key("a new key")], .remove),
        ]
        if let entry = entries.first(where: { !$0.value.kind.isContainer }) {
            edits.append(PropertyListEdit([.key(entry.key)], .set(try entry.value.value())))
            edits.append(PropertyListEdit([.key(entry.key)], .rename(entry.key)))
        }
        return edits
    }

    @Test("a shared container changes only at the place that the path names")
    func sharing() throws {
        let assembler = BinaryAssembler([.array([1, 1]), .array([2]), .ascii("k")])
        let result = try edited(assembler.bytes, ("[1][0]", .set("x")))
        #expect(try result.document.root.value() == [["k"], ["x"]])
        // The changed container is referenced once, by a container that is itself referenced twice.
        let deep = BinaryAssembler([.array([1, 1]), .array([2]), .array([3]), .ascii("k")])
        let inner = try edited(deep.bytes, ("[1][0][0]", .set("x")))
        #expect(try inner.document.root.value() == [[["k"]], [["x"]]])
        let both = try edited(deep.bytes, ("[1][0][0]", .set("x")), ("[0][0][0]", .set("y")))
        #expect(try both.document.root.value() == [[["y"]], [["x"]]])
    }

    @Test("a new value may use the same key in dictionaries at several levels")
    func repeatedKey() throws {
        let source = try BinaryPropertyList.serialize(PropertyListDocument(["old": 1]))
        let value: PropertyListValue = [
            "key": ["key": ["other": ["key": 2]]], "other": [["key": 3]],
        ]
        let result = try edited(source, ("new", .set(value)))
        #expect(try result.document.root.value() == ["old": 1, "new": value])
        #expect(try PropertyListValue(parsing: result.bytes) == ["old": 1, "new": value])
    }

    @Test("removed values do not remain in the file")
    func removal() throws {
        let source = try BinaryPropertyList.serialize(
            PropertyListDocument(["password": "sesame", "list": [["password": "sesame"]]]))
        let result = try edited(source, ("password", .remove), ("list[0].password", .remove))
        #expect(!String(decoding: result.bytes, as: UTF8.self).contains("sesame"))
        #expect(!String(decoding: result.bytes, as: UTF8.self).contains("password"))
    }

    @Test("an unreferenced malformed object is omitted from an edited file")
    func unreferencedMalformedObject() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .ascii("k"), .ascii("x"), .raw([0x70])])
        let document = try PropertyListDocument(parsing: file.bytes, options: .unusedGarbage)
        let result = try document.applying([PropertyListEdit([.key("k")], .set("y"))])
        #expect(objects(result.document) == ["dictionary", "k", "y"])
    }

    @Test("a file is not edited if a leniency dropped or changed a part of it")
    func changedParts() throws {
        let one = BinaryAssembler.Object.integer(1)
        for (objects, options, code) in [
            (
                [.dictionary([1, 1], [2, 3]), .ascii("k"), one, .integer(2)], .duplicateKeys,
                .duplicateKey
            ),
            (
                [.dictionary([1, 2], [3, 4]), .ascii("k"), .ascii("w"), one, .wideInteger(1, 7)],
                .wideIntegers, .unrepresentableValue
            ),
            (
                [.dictionary([1, 2], [3, 4]), .ascii("k"), .ascii("s"), one, .utf16([0xD800])],
                .unpairedSurrogates, .unrepresentableValue
            ),
        ] as [([BinaryAssembler.Object], ParsingOptions, PropertyListError.Code)] {
            let bytes = BinaryAssembler(objects).bytes
            for options in [options, .appleCompatible] {
                let document = try PropertyListDocument(parsing: bytes, options: options)
                let error = #expect(throws: PropertyListError.self) {
                    try document.applying([PropertyListEdit([.key("k")], .set("y"))])
                }
                #expect(error?.code == code)
                #expect(error?.recoveryCode == .rewrite)
            }
        }
    }

    @Test("an edit keeps all entries of a duplicate key that the parser kept")
    func repeatedKeys() throws {
        let file = BinaryAssembler([
            .dictionary([1, 1, 4], [2, 3, 2]), .ascii("k"), .integer(1), .integer(2), .ascii("x"),
        ])
        let document = try PropertyListDocument(parsing: file.bytes, options: .allDuplicateKeys)
        let result = try document.applying([PropertyListEdit([.key("x")], .set("y"))])
        let again = try PropertyListDocument(parsing: result.bytes, options: .allDuplicateKeys)
        let entries = try #require(again.root.dictionary)
        #expect(entries.map(\.key) == ["k", "k", "x"])
        #expect(entries.map(\.value.integer) == [1, 2, nil])
    }

    @Test("sets and nulls can be written")
    func kinds() throws {
        let source = try BinaryPropertyList.serialize(PropertyListDocument([.set([1]), .null]))
        let result = try edited(source, ("[0]", .append(2)), ("[1]", .set(.set([.null]))))
        #expect(try result.document.root.value() == [.set([1, 2]), .set([.null])])
    }

    @Test("an entry whose key is not a string stays as it is")
    func nonStringKeys() throws {
        let file = BinaryAssembler([
            .dictionary([1, 2], [3, 3]), .integer(7), .ascii("k"), .ascii("x"),
        ])
        let document = try PropertyListDocument(parsing: file.bytes, options: .nonStringKeys)
        let result = try document.applying([PropertyListEdit([.key("k")], .set("y"))])
        let entries = result.document.root.dictionary
        #expect(entries?.map(\.keyNode.kind) == [.integer, .string])
        #expect(entries?.compactMap(\.value.string) == ["x", "y"])
    }

    @Test("keys and strings beyond ASCII can be edited")
    func wideText() throws {
        let source = try BinaryPropertyList.serialize(PropertyListDocument(["é": "漢"]))
        let result = try edited(source, ("漢", .set("é")), ("é", .set("😀")))
        #expect(try result.document.root.value() == ["é": "😀", "漢": "é"])
        #expect(result.document.root["漢"]?.string == "é")
    }

    @Test("an edit of a document at the limit on depth cannot exceed it")
    func depth() throws {
        var value: PropertyListValue = "x"
        for _ in 0..<512 { value = [value] }
        let source = try BinaryPropertyList.serialize(PropertyListDocument(value))
        var path = String(repeating: "[0]", count: 512)
        let same = try edited(source, (path, .set("y")))
        #expect(try same.document.value(at: PropertyListKeyPath(parsing: path)).string == "y")
        let error = #expect(throws: PropertyListError.self) { try edited(source, (path, .set([]))) }
        #expect(error?.code == .depthLimitExceeded)
        path += "[0]"
        #expect(throws: PropertyListError.self) { try edited(source, (path, .set("y"))) }
    }
}

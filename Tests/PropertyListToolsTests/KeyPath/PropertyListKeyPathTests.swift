// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

@Suite("Key paths")
struct PropertyListKeyPathTests {
    private typealias Step = PropertyListKeyPath.Step

    @Test(
        "key paths are parsed in three notations",
        arguments: [
            ("", []), ("a", [.name("a")]),
            (
                "a.b[0].\"x.y\"",
                [
                    .name("a"), .name("b"), .index(0), .key("x.y"),
                ]
            ),
            ("a[\"x.y\"][0]", [.name("a"), .key("x.y"), .index(0)]), ("[\"0\"]", [.key("0")]),
            ("[3][4]", [.index(3), .index(4)]), ("a.0", [.name("a"), .name("0")]),
            ("a\\.b.c", [.name("a.b"), .name("c")]), ("\"\"", [.key("")]),
            ("\"a\\n\\u{e9}\\\"\"", [.key("a\né\"")]), ("New item", [.name("New item")]),
            ("$top.root", [.name("$top"), .name("root")]),
            ("@12.\"NS.objects\"[1]", [.object(12), .key("NS.objects"), .index(1)]),
            ("a!b!", [.name("a"), .content, .name("b"), .content]),
            ("a!/b/0", [.name("a"), .content, .name("b"), .name("0")]),
            ("a!:b:0", [.name("a"), .content, .name("b"), .name("0")]),
            ("!@3", [.content, .object(3)]),
            ("/", [.name("")]), ("/a~1b/m~0n/!", [.name("a/b"), .name("m~n"), .name("!")]),
            ("/a/-", [.name("a"), .name("-")]),
            (":", []), (":a:0:b\\:c", [.name("a"), .name("0"), .name("b:c")]),
        ] as [(String, [PropertyListKeyPath.Step])])
    func notations(_ text: String, _ steps: [PropertyListKeyPath.Step]) throws {
        let path = try PropertyListKeyPath(parsing: text)
        #expect(path.steps == steps)
        #expect(path.text == text)
    }

    @Test(
        "malformed key paths are refused with the place of the error",
        arguments: [
            ("a..b", 3), ("a.", 3), (".a", 1), ("a[", 2), ("a[x]", 2), ("a[0", 4), ("a[0]b", 5),
            ("a[\"b\"", 6), ("a[\"b]", 3),
            ("\"a", 1), ("\"a\\q\"", 3), ("a\"b", 2), ("a]", 2), ("@x", 1), ("@99999999999", 1),
            ("a[99999999999999999999]", 2), ("/a~2", 3), ("é.\"", 3), ("a\\", 3),
            ("\"\\u{110000}\"", 2),
        ])
    func refusals(_ text: String, _ column: Int) {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListKeyPath(parsing: text)
        }
        #expect(error?.code == .invalidKeyPath)
        #expect(error?.location?.column == column)
    }

    @Test("key paths are written so that they parse as the same steps")
    func description() throws {
        let keys = [
            "a", "a.b", "", "0", "-", "@1", "/x", ":x", "a!b", "a[0]", "a\"b", "a\\b", " a", "é",
            "a\nb", "New item", "$top", "\u{202E}x",
        ]
        for key in keys {
            let path = PropertyListKeyPath([
                .key("first"), .index(3), .key(key), .content, .key(key),
            ])
            let again = try PropertyListKeyPath(parsing: path.description)
            #expect(again.steps.count == 5, "\(path)")
            let plain = again.steps.map {
                if case .name(let key) = $0 { Step.key(key) } else { $0 }
            }
            #expect(plain == path.steps, "\(path)")
        }
    }

    @Test("the paths in errors parse as key paths")
    func errorPaths() throws {
        let keys = ["a", "a.b", "", "0", "-", "[0]", "a\"b\\", "New item", "$top", "\u{202E}x"]
        for key in keys {
            let path = PropertyListPath([.key(key), .index(3), .entry(key), .key(key)])
            let again = try PropertyListKeyPath(parsing: path.description)
            let plain = again.steps.map {
                if case .name(let key) = $0 { Step.key(key) } else { $0 }
            }
            #expect(plain == PropertyListKeyPath(path).steps, "\(path)")
        }
    }

    private static let document: PropertyListValue = [
        "a": ["b": ["x", ["x.y": 5]], "0": "zero", "Name": "n"], "list": [1, 2],
    ]

    @Test("key paths lead to the value, in each notation")
    func resolution() throws {
        let document = try PropertyListDocument(Self.document)
        for text in ["a.b[1].\"x.y\"", "a.b.1.x\\.y", "/a/b/1/x.y", ":a:b:1:x.y"] {
            let node = try document.value(at: PropertyListKeyPath(parsing: text))
            #expect(node.integer == 5, "\(text)")
        }
        #expect(try document.value(at: PropertyListKeyPath(parsing: "a.0")).string == "zero")
        #expect(try document.value(at: []).kind == .dictionary)
    }

    @Test(
        "the error for a key path without a value gives the column, and may suggest a similar key",
        arguments: [
            ("a.c", 3, "missing key `c`"), ("a.b[2]", 4, "there are 2 elements"),
            ("a[0]", 2, "found an index"), ("list.x", 6, "found a key"),
            ("list[0].x", 9, "of kind integer"), ("/list/-", 7, "there are 2 elements"),
            ("list.01", 6, "found a key"), ("a!b", 2, "of kind dictionary"),
            ("@1", 1, "keyed archive"), ("lst", 1, "there is `list`"),
            ("a.name", 3, "there is `Name`"),
        ])
    func nothing(_ text: String, _ column: Int, _ what: String) throws {
        let document = try PropertyListDocument(Self.document)
        let path = try PropertyListKeyPath(parsing: text)
        let error = #expect(throws: PropertyListError.self) { try document.value(at: path) }
        #expect(error?.code == .noSuchValue)
        #expect(error?.location?.column == column)
        #expect(error?.description.contains(what) == true, "\(error?.description ?? "")")
    }

    @Test("a message about a missing key does not suggest a key that is not a string")
    func nonStringKeys() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .integer(1), .boolean(true)])
        let document = try PropertyListDocument(parsing: file.bytes, options: .nonStringKeys)
        let error = #expect(throws: PropertyListError.self) { try document.value(at: [.key("x")]) }
        #expect(error?.what == "missing key `x`")
        #expect(error?.recovery == nil)
    }

    @Test("a negative index is an error when reading and when editing")
    func negativeIndex() throws {
        let bytes = try XMLPropertyList.serialize(PropertyListDocument(Self.document)).bytes
        let document = try PropertyListDocument(parsing: bytes)
        let path = PropertyListKeyPath([.key("list"), .index(-1)])
        let error = #expect(throws: PropertyListError.self) { try document.value(at: path) }
        #expect(error?.code == .noSuchValue)
        #expect(error?.what == "expected an index from 0 to 1: there are 2 elements")
        for operation in [
            PropertyListEdit.Operation.set(1), .insert(1), .remove,
        ] {
            let edit = PropertyListEdit(path, operation)
            let error = #expect(throws: PropertyListError.self) { try document.applying([edit]) }
            #expect(error?.code == .noSuchValue)
        }
        let edit = PropertyListEdit(PropertyListKeyPath([.key("list"), .index(3)]), .insert(1))
        let insertion = #expect(throws: PropertyListError.self) { try document.applying([edit]) }
        #expect(
            insertion?.what == "expected an index from 0 to 2 for an insertion into 2 elements")
    }

    @Test("key paths lead into nested property lists, up to 32 levels")
    func nested() throws {
        var value: PropertyListValue = ["deep": true]
        for level in 0..<40 {
            let document = try PropertyListDocument(value)
            let bytes =
                level % 2 == 0
                ? try BinaryPropertyList.serialize(document)
                : try XMLPropertyList.serialize(document).bytes
            value = ["data": .data(bytes)]
        }
        let document = try PropertyListDocument(value)
        let path = try PropertyListKeyPath(
            parsing: String(repeating: "data!", count: 32) + "data")
        #expect(try document.value(at: path).kind == .data)
        let deeper = try PropertyListKeyPath(parsing: String(repeating: "data!", count: 33))
        let error = #expect(throws: PropertyListError.self) { try document.value(at: deeper) }
        #expect(error?.code == .depthLimitExceeded)
    }

    @Test("key paths lead into text that is a property list")
    func nestedText() throws {
        let document = try PropertyListDocument(["x": "<plist version=\"1.0\"><array/></plist>"])
        #expect(try document.value(at: PropertyListKeyPath(parsing: "x!")).kind == .array)
    }

    @Test("key paths follow the references of a keyed archive, and can name its objects")
    func archive() throws {
        let archive: PropertyListValue = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver",
            "$top": ["root": .uid(PropertyListUID(1))],
            "$objects": [
                "$null", ["$class": .uid(PropertyListUID(3)), "name": .uid(PropertyListUID(2))],
                "Anna", ["$classname": "A", "$classes": ["A"]],
            ],
        ]
        let document = try PropertyListDocument(archive)
        let name = try document.value(at: PropertyListKeyPath(parsing: "$top.root.name"))
        #expect(name.uid?.value == 2)
        #expect(try document.value(at: PropertyListKeyPath(parsing: "@2")).string == "Anna")
        #expect(
            try document.value(at: PropertyListKeyPath(parsing: "@1.$class.$classes[0]")).string
                == "A")
    }
}

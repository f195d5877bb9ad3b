// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

// A root key, its value (nil: removed), and a part of the expected message.
private let notArchives: [(String, PropertyListValue?, String)] = [
    ("$archiver", nil, "the root has no `$archiver`"),
    ("$archiver", 5, "`$archiver` is of kind integer, not a string"),
    ("$version", "100000", "`$version` is of kind string, not an integer"),
    ("$top", [], "`$top` is of kind array, not a dictionary"),
    ("$objects", [:], "`$objects` is of kind dictionary, not an array"),
    ("$objects", [], "the first object is not `$null`"),
    ("$objects", [1], "the first object is not `$null`"),
]

@Suite("ArchiveContents")
struct ArchiveContentsTests {
    @Test("reads the archiver, the roots and the objects of an archive")
    func parts() throws {
        let contents = try ArchiveContents(parsing: Archives.fixture("roots"))
        #expect(contents.archiver == "SCNKeyedArchiver")
        #expect(contents.top.map(\.key) == ["State", "count", "text", "nothing"])
        #expect(contents.top["count"]?.integer == 3)
        #expect(contents.objects.count == 4)
    }

    @Test("refuses property lists that are not archives", arguments: notArchives)
    func refusals(key: String, value: PropertyListValue?, what: String) throws {
        let bytes = try Archives.make(["x"], changing: key, to: value)
        let error = #expect(throws: KeyedArchiveError.self) { try ArchiveContents(parsing: bytes) }
        #expect(error?.code == .notAnArchive)
        #expect(error?.what == "this is not a keyed archive: \(what)")
    }

    @Test("refuses a root that is not a dictionary, and unknown versions")
    func rootAndVersion() throws {
        let array = try Archives.fixture("not-archives/root-is-an-array")
        #expect(throws: KeyedArchiveError.self) { try ArchiveContents(parsing: array) }
        let bytes = try Archives.make(["x"], changing: "$version", to: 99_999)
        let error = #expect(throws: KeyedArchiveError.self) { try ArchiveContents(parsing: bytes) }
        #expect(error?.code == .unsupportedVersion)
        #expect(error?.what == "expected version 100000, found 99999")
    }

    @Test("reports errors of the property list, with their cause")
    func propertyListErrors() throws {
        let bytes = try Archives.fixture("save").dropLast()
        let error = #expect(throws: KeyedArchiveError.self) { try ArchiveContents(parsing: bytes) }
        #expect(error?.code == .invalidPropertyList)
        #expect(error?.propertyListError?.format == .binary)
    }

    @Test("distinguishes an exceeded limit of the property list from damage to it")
    func limits() throws {
        let bytes = try Archives.fixture("save")
        var limits = ParsingLimits.default
        limits.inputSize = bytes.count - 1
        let limit = #expect(throws: KeyedArchiveError.self) {
            try ArchiveContents(parsing: bytes, limits: limits)
        }
        #expect(limit?.code == .invalidPropertyList && limit?.isLimit == true)
        let damage = #expect(throws: KeyedArchiveError.self) {
            try ArchiveContents(parsing: bytes.dropLast())
        }
        #expect(damage?.code == .invalidPropertyList && damage?.isLimit == false)
    }

    @Test("distinguishes nil, leaves, objects and classes")
    func entries() throws {
        let contents = try ArchiveContents(parsing: Archives.fixture("nodes"))
        guard case .object(let fields, let classReference) = try contents.entry(1) else {
            Issue.record("entry 1 is not an object")
            return
        }
        #expect(fields["name"]?.uid == 2)
        #expect(classReference == 4)
        guard case .null = try contents.entry(0), case .null = try contents.entry(5),
            case .leaf(let node) = try contents.entry(2),
            case .classDescription = try contents.entry(4)
        else {
            Issue.record("an entry is taken for another kind")
            return
        }
        #expect(node.string == "first")
        #expect(try contents.archivedClass(4).chain == ["App.Node", "NSObject"])
    }

    @Test("reads class hints, and classes without a chain of superclasses")
    func classes() throws {
        let contents = try ArchiveContents(parsing: Archives.fixture("hints"))
        let hinted = try contents.archivedClass(2)
        #expect(hinted.hints == ["NSLayoutConstraint"])
        #expect(hinted.isKind(of: "NSLayoutConstraint"))
        #expect(!hinted.isKind(of: "NSView"))
        let renamed = try contents.archivedClass(4)
        #expect(renamed.name == "renamed.Component")
        #expect(renamed.chain == nil)
    }

    @Test(
        "refuses a reference beyond the object table, however large its number",
        arguments: [7, 8, .max])
    func dangling(number: UInt32) throws {
        let contents = try ArchiveContents(parsing: Archives.fixture("nodes"))
        let error = #expect(throws: KeyedArchiveError.self) {
            try contents.entry(PropertyListUID(number))
        }
        #expect(error?.code == .danglingReference)
        #expect(
            error?.what == "expected a reference to one of 7 objects, found one to object \(number)"
        )
    }

    @Test("the path of an object in nested containers names the field and at most one index in it")
    func nestedReferences() throws {
        let bytes = try Archives.make([
            [
                "list": [1, ["k": .uid(2)]], "map": ["k": [.uid(3)]], "set": .set([.uid(4)]),
                "$class": .uid(5),
            ],
            ["$class": .uid(5)], ["$class": .uid(5)], ["$class": .uid(5)],
            Archives.describe("Evil"),
        ])
        let found = try ArchiveContents(parsing: bytes).objects(notAllowedBy: .foundation)
        #expect(
            found.map(\.path?.description) == ["root", "root.list[1]", "root.map", "root.set"])
    }

    @Test(
        "the path of an object in an array begins with the key of the root, even if that is `NS.objects`"
    )
    func rootArrays() throws {
        let bytes = try Archives.make(
            [["$class": .uid(2)], Archives.describe("Evil")], top: ["NS.objects": [5, .uid(1)]])
        let found = try ArchiveContents(parsing: bytes).objects(notAllowedBy: .foundation)
        #expect(found.map(\.path?.components) == [[.key("NS.objects"), .index(1)]])
    }

    @Test("refuses to read a class from an object that is not a class description")
    func noClass() throws {
        let contents = try ArchiveContents(parsing: Archives.fixture("nodes"))
        let error = #expect(throws: KeyedArchiveError.self) { try contents.archivedClass(1) }
        #expect(error?.code == .malformedClass)
        #expect(error?.object == 1)
    }
}

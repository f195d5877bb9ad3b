// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("ArchiveGraph")
struct ArchiveGraphTests {
    static let good = ["cycle", "hints", "nodes", "object-keys", "roots", "save", "unreached"]

    @Test("is written back as the same property list", arguments: ArchiveGraphTests.good)
    func identity(name: String) throws {
        let bytes = try Archives.fixture(name)
        let graph = try ArchiveGraph(parsing: bytes)
        let original = try PropertyListValue(parsing: bytes)
        for format in [PropertyListFormat.binary, .xml] {
            let written = try graph.serialized(as: format)
            #expect(try PropertyListValue(parsing: written) == original)
            #expect(try ArchiveGraph(parsing: written).objects == graph.objects)
        }
    }

    @Test("keeps the order of keys in the root, in objects and in classes")
    func order() throws {
        let object: PropertyListValue = ["b": 1, "$class": .uid(2), "a": 2]
        let description: PropertyListValue = [
            "$classes": ["A", "NSObject"], "extra": true, "$classname": "A",
        ]
        let bytes = try Archives.make([object, description], changing: "more", to: "kept")
        let text = try XMLPropertyList.serialize(PropertyListDocument(parsing: bytes)).bytes
        let graph = try ArchiveGraph(parsing: bytes)
        #expect(try graph.serialized(as: .xml) == text)
    }

    @Test("gives the path of a dangling reference, however deep it is")
    func deepReference() throws {
        // Many elements at a deep level: a stored path for each element would take gigabytes.
        let wide = [PropertyListValue](repeating: true, count: 200_000) + [.uid(99)]
        var value: PropertyListValue = .array(PropertyListArray(wide))
        for _ in 0..<400 { value = [value] }
        let bytes = try Archives.make([
            ["$class": .uid(2), "f": ["k": value]], Archives.describe("A"),
        ])
        let error = #expect(throws: KeyedArchiveError.self) { try ArchiveGraph(parsing: bytes) }
        #expect(error?.code == .danglingReference)
        let steps = error?.path?.components ?? []
        #expect(steps.count == 405)
        #expect(steps.prefix(4) == [.key("$objects"), .index(1), .key("f"), .key("k")])
        #expect(steps.last == .index(200_000))
    }

    @Test("keeps cycles and shared objects as references")
    func cycles() throws {
        let graph = try ArchiveGraph(parsing: Archives.fixture("cycle"))
        guard case .object(let array) = graph[1] else {
            Issue.record("entry 1 is not an object")
            return
        }
        #expect(array["NS.objects"] == [.uid(1)])
        #expect(graph.archivedClass(of: 1)?.name == "NSMutableArray")
    }

    @Test("can be changed by assigning entries, and written again")
    func editing() throws {
        var graph = try ArchiveGraph(parsing: Archives.fixture("nodes"))
        guard case .object(var node) = graph[1] else {
            Issue.record("entry 1 is not an object")
            return
        }
        node["name"] = .uid(graph.append(.leaf("third")))
        node["rank"] = 3
        graph[1] = .object(node)
        graph.roots["second"] = .uid(3)
        let copy = try ArchiveContents(parsing: graph.serialized())
        guard case .object(let fields, _) = try copy.entry(1), let name = fields["name"]?.uid else {
            Issue.record("object 1 is lost")
            return
        }
        #expect(fields["rank"]?.integer == 3)
        #expect(copy.objects[Int(name.value)].string == "third")
        #expect(copy.top["second"]?.uid == 3)
    }

    @Test("creates a new archive")
    func building() throws {
        var graph = ArchiveGraph()
        let person = ArchivedClass(name: "Person", chain: ["Person", "NSObject"])
        let description = graph.append(.classDescription(person))
        let anna = graph.append(.object(ArchivedObject(class: description, fields: ["age": 7])))
        graph.roots["root"] = .uid(anna)
        let contents = try ArchiveContents(parsing: graph.serialized())
        #expect(
            contents.document.root.dictionary?.map(\.key)
                == ["$version", "$archiver", "$top", "$objects"])
        #expect(try contents.archivedClass(description) == person)
        #expect(try ArchiveGraph(contents).objects == graph.objects)
    }

    @Test("refuses to write a dangling reference")
    func writingDangling() {
        var graph = ArchiveGraph()
        graph.roots["root"] = [["deep": .uid(9)]]
        let error = #expect(throws: KeyedArchiveError.self) { try graph.serialized() }
        #expect(error?.code == .danglingReference)
        #expect(error?.path?.description == "$top.root[0].deep")
    }

    @Test("refuses to write values that the format cannot hold")
    func writingImpossible() {
        var graph = ArchiveGraph()
        graph.roots["root"] = .null
        let error = #expect(throws: KeyedArchiveError.self) { try graph.serialized(as: .xml) }
        #expect(error?.code == .invalidPropertyList)
        #expect(error?.propertyListError?.code == .unrepresentableValue)
    }

    @Test(
        "refuses malformed archives, and keeps them on request",
        arguments: [
            (
                "dangling-reference", KeyedArchiveError.Code.danglingReference,
                #"$objects[1]."NS.objects"[1]"#
            ),
            ("dangling-class", .danglingReference, "$objects[1]"),
            ("class-not-a-uid", .malformedObject, "$objects[1]"),
            ("class-is-an-object", .malformedClass, "$objects[1]"),
            ("no-class", .malformedObject, "$objects[1]"),
            ("name-not-a-string", .malformedClass, "$objects[2]"),
            ("chain-not-strings", .malformedClass, "$objects[2]"),
            ("object-is-an-array", .malformedObject, "$objects[1]"),
            ("object-is-a-uid", .malformedObject, "$objects[1]"),
        ])
    func malformed(name: String, code: KeyedArchiveError.Code, path: String) throws {
        let bytes = try Archives.fixture("malformed/\(name)")
        let contents = try ArchiveContents(parsing: bytes)
        let error = #expect(throws: KeyedArchiveError.self) { try ArchiveGraph(contents) }
        #expect(error?.code == code)
        #expect(error?.path?.description == path)
        let graph = try ArchiveGraph(contents, keepingMalformed: true)
        #expect(graph.problems.contains { $0.code == code })
        #expect(graph.objects.count == contents.objects.count)
    }

    @Test(
        "never traps on a prefix or a flipped byte of an archive", arguments: ArchiveGraphTests.good
    )
    func faults(name: String) throws {
        let bytes = try Archives.fixture(name)
        let places = Exhaustive.sample(bytes.indices, oneIn: 8)
        for length in places { _ = try? ArchiveGraph(parsing: bytes.prefix(length)) }
        for index in places {
            for mask: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
                var changed = bytes
                changed[index] ^= mask
                guard let graph = try? ArchiveGraph(parsing: changed) else { continue }
                #expect(try ArchiveGraph(parsing: graph.serialized()).objects == graph.objects)
            }
        }
    }

    @Test("stops at the limit on the expansion of an archive")
    func limits() throws {
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 3)
        let bytes = try Archives.fixture("save")
        let error = #expect(throws: KeyedArchiveError.self) {
            try ArchiveGraph(parsing: bytes, limits: limits)
        }
        #expect(error?.propertyListError?.code == .expansionLimitExceeded)
    }
}

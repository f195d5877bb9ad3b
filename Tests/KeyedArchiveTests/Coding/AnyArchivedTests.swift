// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Values of any class")
struct AnyArchivedTests {
    private let identifier = UUID()

    /// Returns a tree of values decoded from an archive.
    private func tree() throws -> AnyArchived {
        let root: [String: AnyArchived] = [
            "name": AnyArchived("Anna"), "age": AnyArchived(36), "ok": AnyArchived(true),
            "size": AnyArchived(1.5), "names": AnyArchived(["a", "b"]),
            "grid": AnyArchived([[1, 2], [3]]),
            "when": AnyArchived(Date(timeIntervalSinceReferenceDate: 0)),
            "blob": AnyArchived(Data([1, 2])), "note": AnyArchived(Mutable("n")),
            "more": AnyArchived(Mutable(["c"])), "set": AnyArchived(ArchivedSet(["x", "y"])),
            "ordered": AnyArchived(ArchivedOrderedSet([2, 1])),
            "ages": AnyArchived(["Anna": 36]), "numbers": AnyArchived([1: "one"]),
            "mixed": AnyArchived([AnyArchived("x"), AnyArchived(ArchivedNull())]),
        ]
        return try KeyedUnarchiver.unarchive(AnyArchived.self, from: KeyedArchiver.archive(root))
    }

    @Test("values of any class are read by key, by index and by kind")
    func accessors() throws {
        let tree = try tree()
        #expect(tree["name"]?.stringValue == "Anna")
        #expect(tree["note"]?.stringValue == "n")
        #expect(tree["age"]?.numberValue == 36 && tree["ok"]?.numberValue == true)
        #expect(tree["size"]?.value(as: Float.self) == 1.5)
        #expect(tree["when"]?.dateValue == Date(timeIntervalSinceReferenceDate: 0))
        #expect(tree["blob"]?.dataValue == Data([1, 2]))
        #expect(tree["grid"]?[1]?[0]?.value(as: Int.self) == 3)
        #expect(tree["grid"]?[1]?[1] == nil && tree["grid"]?[-1] == nil)
        #expect(tree["more"]?[0]?.stringValue == "c")
        #expect(tree["names"]?.arrayValue?.count == 2)
        #expect(tree["ages"]?.dictionaryValue?["Anna"]?.value(as: Int.self) == 36)
        #expect(tree["none"] == nil && tree["name"]?["x"] == nil && tree["name"]?[0] == nil)
        #expect(tree["name"]?.numberValue == nil && tree["age"]?.stringValue == nil)
        #expect(tree["set"]?.arrayValue == nil && tree["set"]?[0] == nil)
    }

    @Test("values of any class are converted to collections, element by element")
    func conversion() throws {
        let tree = try tree()
        #expect(tree["names"]?.value(as: [String].self) == ["a", "b"])
        #expect(tree["names"]?.value(as: [Int].self) == nil)
        #expect(tree["grid"]?.value(as: [[Int]].self) == [[1, 2], [3]])
        #expect(tree["grid"]?.value(as: [[UInt8]].self) == [[1, 2], [3]])
        #expect(tree["more"]?.value(as: [String].self) == ["c"])
        #expect(tree["set"]?.value(as: Set<String>.self) == ["x", "y"])
        #expect(tree["set"]?.value(as: ArchivedSet<String>.self)?.elements.count == 2)
        #expect(tree["set"]?.value(as: [String].self) == nil)
        #expect(tree["ordered"]?.value(as: ArchivedOrderedSet<Int>.self)?.elements == [2, 1])
        #expect(tree["ages"]?.value(as: [String: Int].self) == ["Anna": 36])
        #expect(tree["numbers"]?.value(as: [Int: String].self) == [1: "one"])
        #expect(tree["numbers"]?.dictionaryValue == nil)
        #expect(tree["mixed"]?.value(as: [String?].self) == ["x", nil])
        #expect(tree["mixed"]?.value(as: [String].self) == nil)
        let pairs = tree["ages"]?.value(as: ArchivedPairs<String, Double>.self)
        #expect(pairs?.entries.map(\.value) == [36])
        #expect(tree.value(as: [String: AnyArchived].self)?.count == 15)
    }

    @Test("elements are converted to optional values, unless one of them has another type")
    func optionals() throws {
        // Equal numbers are one object.
        let numbers = try KeyedUnarchiver.unarchive(
            AnyArchived.self, from: KeyedArchiver.archive([5, 5]))
        #expect(numbers.value(as: [Int?].self) == [5, 5])
        let lists = try read(
            AnyArchived.self,
            [
                [
                    "NS.keys": [.uid(2), .uid(3)], "NS.objects": [.uid(4), .uid(4)],
                    "$class": .uid(6),
                ],
                "a", "b", ["NS.objects": [.uid(7)], "$class": .uid(5)],
                Archives.describe("NSArray"), Archives.describe("NSDictionary"), 1,
            ])
        #expect(lists.value(as: [String: [Int]?].self) == ["a": [1], "b": [1]])
        #expect(AnyArchived(["x"]).value(as: [Int?].self) == nil)
    }

    @Test("values of any class that wrap Swift values are read like decoded ones")
    func wrapped() {
        let wrapped = AnyArchived(["list": ["a", 1, ["k": true]]] as PropertyListValue)
        #expect(wrapped["list"]?[0]?.stringValue == "a")
        #expect(wrapped["list"]?[1]?.value(as: Int.self) == 1)
        #expect(wrapped["list"]?[2]?.value(as: [String: Bool].self) == ["k": true])
        #expect(AnyArchived(["a": [1]])["a"]?[0]?.value(as: Int.self) == 1)
    }

    @Test("a dictionary with a duplicate key is not converted; its subscript finds the first value")
    func twice() throws {
        let twice = AnyArchived(ArchivedPairs([("a", 1), ("a", 2)]))
        #expect(twice.dictionaryValue == nil && twice.value(as: [String: Int].self) == nil)
        #expect(twice["a"]?.value(as: Int.self) == 1)
        #expect(archiveError { try twice.propertyListValue() }?.code == .malformedObject)
    }

    @Test(
        "values of any class become property lists, or the error locates the value that cannot"
    )
    func propertyList() throws {
        let plain = try KeyedUnarchiver.unarchive(
            AnyArchived.self,
            from: KeyedArchiver.archive(["a": AnyArchived([1, 2]), "b": AnyArchived(Mutable("t"))]))
        #expect(try plain.propertyListValue() == ["a": [1, 2], "b": "t"])

        let other = AnyArchived(["list": [AnyArchived("x"), AnyArchived(identifier)]])
        let refused = archiveError { try other.propertyListValue() }
        #expect(
            refused?.description
                == "keyed archive: a property list cannot represent a value of type UUID, "
                + #"in ["list"][1] (return a replacement from the closure of "#
                + "`propertyListValue(otherwise:)`)"
        )
        let tree = try other.propertyListValue { other in
            other.value(as: UUID.self).map { .string($0.uuidString) }
        }
        #expect(tree == ["list": ["x", .string(identifier.uuidString)]])

        let numbered = archiveError { try AnyArchived([1: "a"]).propertyListValue() }
        #expect(numbered?.code == .wrongType)
    }

    @Test("values of any class are printed with a bounded length")
    func descriptions() throws {
        let value = AnyArchived(
            ArchivedPairs<AnyArchived, AnyArchived>([
                (
                    AnyArchived("a"),
                    AnyArchived([AnyArchived(1), AnyArchived(true), AnyArchived(1.5)])
                ),
                (AnyArchived(2), AnyArchived("line\n")), (AnyArchived("d"), AnyArchived(Data([1]))),
                (AnyArchived("u"), AnyArchived(identifier)),
                (AnyArchived("s"), AnyArchived(ArchivedSet(["x"]))),
                (AnyArchived("p"), AnyArchived(Dog(name: "Rex", tricks: []))),
                (AnyArchived("t"), AnyArchived(Date(timeIntervalSinceReferenceDate: 0))),
            ]))
        #expect(
            "\(value)" == #"{a: [1, true, 1.5], 2: "line\n", d: <1 byte>, u: \#(identifier), "#
                + #"s: {("x")}, p: Dog, t: 2001-01-01T00:00:00Z}"#)
        let listed = ArchivedPairs([(AnyArchived([1]), AnyArchived("x"))])
        #expect("\(AnyArchived(listed))" == #"{[1]: "x"}"#)
        let long = AnyArchived([String](repeating: "text", count: 100_000))
        #expect(long.description.count == 1001 && long.description.hasSuffix("…"))
        #expect(AnyArchived(String(repeating: "x", count: 2000)).description.count == 1001)
        // 500 characters of three bytes each.
        let han = String(repeating: "漢", count: 500)
        #expect(AnyArchived([han, "b"]).description == "[\"\(han)\", \"b\"]")
        let entries: PropertyListDictionary = ["a": [1, "b"]]
        #expect("\(entries)" == #"{a: [1, "b"]}"#)
        #expect("\(entries["a"]?.array ?? [])" == #"[1, "b"]"#)
    }

    @Test("shared objects are converted once")
    func shared() throws {
        // The expanded tree has 2³⁰ strings.
        let objects: [PropertyListValue] = (0..<30).map { level in
            let next = PropertyListValue.uid(PropertyListUID(UInt32(level) + 2))
            return ["NS.objects": [next, next], "$class": .uid(32)]
        }
        let bytes = try Archives.make(objects + ["end", Archives.describe("NSArray")])
        let root = try KeyedUnarchiver.unarchive(AnyArchived.self, from: bytes)
        let tree = try root.propertyListValue()
        #expect(tree.array?.count == 2)
        #expect(root.description.count == 1001)
        typealias Deep<T> = [[[[[[[[[[T]]]]]]]]]]
        #expect(root.value(as: Deep<Deep<Deep<String>>>.self)?.count == 2)
    }

    @Test("deeply nested values of any class need no deep stack")
    func deep() throws {
        var value = AnyArchived("end")
        for _ in 0..<100_000 { value = AnyArchived([value]) }
        #expect(value.description.hasPrefix("[[[["))
        var tree = try value.propertyListValue()
        var depth = 0
        while let next = tree.array?.first {
            tree = next
            depth += 1
        }
        #expect(depth == 100_000)
    }

    @Test("a hundred thousand nested objects of any type are released without a deep stack")
    func release() {
        let wraps: [(AnyArchived) -> AnyArchived] = [
            { AnyArchived([$0]) },
            { AnyArchived(Mutable(ArchivedPairs([(AnyArchived("k"), $0)]))) },
            { AnyArchived(ArchivedNotification(name: "n", object: $0)) },
            { AnyArchived(ArchivedHashTable(options: 0, elements: [$0])) },
            { AnyArchived(Holder($0)) },
        ]
        weak var innermost: Holder?
        for wrap in wraps {
            var value = AnyArchived("end")
            do {
                let holder = Holder(value)
                innermost = holder
                value = AnyArchived(holder)
            }
            for _ in 0..<100_000 { value = wrap(value) }
            #expect(innermost != nil)
            value = AnyArchived("end")
            #expect(innermost == nil)
        }
    }

    @Test("a reference to null decodes as nil if an optional of any class is requested")
    func nothing() throws {
        let bytes = try Archives.make(["x"], top: ["root": .uid(0), "text": .uid(1)])
        let archive = try KeyedUnarchiver(parsing: bytes)
        #expect(try archive.unarchive(AnyArchived?.self) == nil)
        #expect(try archive.roots.decodeObject(of: AnyArchived.self, forKey: "root") == nil)
        #expect(try KeyedUnarchiver.unarchive(AnyArchived?.self, from: bytes) == nil)
        #expect(try archive.unarchive(AnyArchived?.self, forKey: "text")?.stringValue == "x")
        #expect(archiveError { try archive.unarchive(AnyArchived.self) }?.code == .missingValue)
        let again = try KeyedArchiver.archive(archive.unarchive(AnyArchived?.self))
        #expect(try KeyedUnarchiver.unarchive(AnyArchived?.self, from: again) == nil)
    }
}

/// A program's own class, with a field of any class.
private final class Holder: KeyedCodable {
    static let archivedClass: ArchivedClass = "Holder"
    let content: AnyArchived

    init(_ content: AnyArchived) { self.content = content }

    func encode(with coder: KeyedEncoder) { coder.encode(content, forKey: "content") }

    init(coder: KeyedDecoder) throws { content = try coder.decode(forKey: "content") }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Values that are archived with little or no code")
struct ValueKindTests {
    // MARK: - Raw values

    enum Level: Int, KeyedCodable, Codable { case easy = 1, hard }
    enum Theme: String, KeyedCodable { case dark, light }
    struct Flags: OptionSet, KeyedCodable { let rawValue: UInt8 }

    @Test("values with a raw value are archived as the raw value")
    func rawValues() throws {
        let archiver = KeyedArchiver(allowing: .propertyList)
        archiver.roots.encode(Level.hard, forKey: "level")
        archiver.roots.encode(Theme.dark, forKey: "theme")
        archiver.roots.encode(Flags(rawValue: 5), forKey: "flags")
        archiver.roots.encode([Level.easy: [Theme.light]], forKey: "map")
        archiver.roots.encode(Level?.none, forKey: "none")
        let bytes = try archiver.finish()
        let top = try PropertyListDocument(parsing: bytes).root["$top"]
        #expect(top?["level"]?.integer == 2 && top?["flags"]?.integer == 5)
        #expect(top?["theme"]?.uid != nil)
        let roots = try KeyedUnarchiver(parsing: bytes, allowing: .propertyList).roots
        #expect(try roots.decode(Level.self, forKey: "level") == .hard)
        #expect(try roots.decode(Theme.self, forKey: "theme") == .dark)
        #expect(try roots.decode(Flags.self, forKey: "flags").rawValue == 5)
        #expect(try roots.decode([Level: [Theme]].self, forKey: "map") == [.easy: [.light]])
        #expect(try roots.decode(Level?.self, forKey: "none") == nil)
        #expect(try roots.decode(Level.self, forKey: "absent", default: .easy) == .easy)
        let refused = archiveError { try roots.decode(Level.self, forKey: "flags") }
        #expect(refused?.code == .valueOutOfRange)
        #expect(
            refused?.description == """
                keyed archive: the archived raw value is not a value of `Level`, in flags \
                (decode the raw value, of type `Int`, to read archives of later versions)
                """)
    }

    struct Tag: RawRepresentable, KeyedCodable, Equatable {
        static let archivedClass: ArchivedClass = "App.Tag"
        let rawValue: Int

        init(rawValue: Int) { self.rawValue = rawValue }
        func encode(with coder: KeyedEncoder) { coder.encode(rawValue, forKey: "id") }
        func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
            try writer.writeObject(self)
        }
        init(coder: KeyedDecoder) throws { rawValue = try coder.decode(forKey: "id") }
        static func unarchive(_ reference: KeyedReference) throws -> Tag {
            try reference.object(as: Tag.self)
        }
        static func register(in registry: inout ClassRegistry) { registry.add(Self.self) }
    }

    @Test("a type with a raw value may still archive itself as an object of a class")
    func ownClass() throws {
        let bytes = try KeyedArchiver.archive(Tag(rawValue: 7))
        #expect(try ArchiveGraph(parsing: bytes).archivedClass(of: 1)?.name == "App.Tag")
        #expect(try KeyedUnarchiver.unarchive(Tag.self, from: bytes).rawValue == 7)
    }

    // MARK: - Values of any type

    @Test("dictionaries and arrays of `Any` are decoded with the types of their values")
    func anyValues() throws {
        let settings: [String: Any] = [
            "name": "Anna", "levels": [1, 2.5, true] as [Any], "big": UInt64.max,
            "window": ["open": false, "tags": ["a"]] as [String: Any], "data": Data([1]),
            "id": UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") as Any, "none": [Any](),
        ]
        let archiver = KeyedArchiver()
        archiver.roots.encodeAny(settings, forKey: "settings")
        archiver.roots.encodeAny(["a", 1] as [Any], forKey: "list")
        let bytes = try archiver.finish()
        let roots = try KeyedUnarchiver(parsing: bytes).roots
        let back: [String: Any] = try roots.decode(forKey: "settings")
        #expect(back.count == 7 && back["name"] as? String == "Anna")
        let levels = back["levels"] as? [Any]
        #expect(levels?[0] as? Int == 1 && levels?[1] as? Double == 2.5)
        #expect(levels?[2] as? Bool == true && back["big"] as? UInt64 == .max)
        let window = back["window"] as? [String: Any]
        #expect(window?["open"] as? Bool == false && (window?["tags"] as? [Any])?.count == 1)
        #expect(back["data"] as? Data == Data([1]) && back["id"] is UUID)
        #expect(try roots.decode([Any].self, forKey: "list").count == 2)
        let names = archiveError { try roots.decode([Any].self, forKey: "settings") }
        #expect(names?.code == .wrongType)
    }

    @Test("a value of `Any` that cannot be archived is refused with its path")
    func notConvertible() throws {
        struct Unknown {}
        let settings: [String: Any] = ["a": 1, "window": ["list": [1, Unknown()] as [Any]]]
        let archiver = KeyedArchiver()
        archiver.roots.encodeAny(settings, forKey: "settings")
        #expect(
            archiveError { try archiver.finish() }?.description == """
                keyed archive: expected a `KeyedCodable` value, found one of type `Unknown`, in \
                settings["window"]["list"][1] (conform the type to `KeyedCodable`, or convert the value)
                """)
        var deep: Any = 1
        for _ in 0..<513 { deep = [deep] }
        #expect(archiveError { try AnyArchived(converting: deep) }?.code == .depthLimitExceeded)
        #expect(try KeyedArchiver.archive(AnyArchived(converting: [1, "a"] as [Any])).count > 0)
        let none: [String: Any] = ["list": [1, Int?.none as Any]]
        let error = archiveError { try AnyArchived(converting: none) }
        #expect(error?.code == .missingValue && error?.path?.description.hasSuffix("[1]") == true)
        #expect(try AnyArchived(converting: Int?.some(5) as Any).value(as: Int.self) == 5)
    }

    @Test("classes in dictionaries of `Any` are checked against the registry")
    func anyRegistry() throws {
        let bytes = try KeyedArchiver.archive(["id": AnyArchived(UUID())])
        let roots = try KeyedUnarchiver(parsing: bytes, allowing: .propertyList).roots
        let refused = archiveError { try roots.decode([String: Any].self, forKey: "root") }
        #expect(refused?.code == .classNotAllowed)
    }

    // MARK: - Codable values of a named class

    struct Settings: Codable, KeyedCodable, Equatable {
        static let archivedClass: ArchivedClass = "App.Settings"
        var volume = 0.5
        var level = Level.hard
        var names = ["a"]
        var nested: [String: [Int]] = ["x": [1]]
        var born = Date(timeIntervalSinceReferenceDate: 5)
        var note: String?

        init() {}
        func encode(with coder: KeyedEncoder) { coder.encodeFields(of: self) }
        init(coder: KeyedDecoder) throws { self = try coder.decodeFields() }
    }

    @Test("a `Codable` type is written as objects of a named class, and read from them")
    func codableObjects() throws {
        let bytes = try KeyedArchiver.archive([Settings()])
        let graph = try ArchiveGraph(parsing: bytes)
        guard case .object(let fields) = graph[2] else {
            Issue.record("no object")
            return
        }
        #expect(graph.archivedClass(of: 2)?.name == "App.Settings")
        #expect(fields["volume"] == 0.5 && fields["level"] == 2)
        #expect(fields["names"]?.uid != nil && fields["note"] == nil)
        #expect(try KeyedUnarchiver.unarchive([Settings].self, from: bytes) == [Settings()])
    }

    @Test("a `Codable` value that is encoded without keys cannot be archived as fields")
    func codableWithoutKeys() {
        struct List: Codable, KeyedCodable {
            static let archivedClass: ArchivedClass = "App.List"
            var items = [1]

            init() {}
            func encode(to encoder: any Encoder) throws { try items.encode(to: encoder) }
            init(from decoder: any Decoder) throws { items = try [Int](from: decoder) }
            func encode(with coder: KeyedEncoder) { coder.encodeFields(of: self) }
            init(coder: KeyedDecoder) throws { self = try coder.decodeFields() }
        }
        #expect(
            archiveError { try KeyedArchiver.archive(List()) }?.description == """
                keyed archive: expected a `Codable` value with keys, found `List`, which is encoded \
                without keys, in root (write the value as one field with \
                `encodeEncodable(_:forKey:)`)
                """)
    }

    // MARK: - Names of Swift classes

    @Test(
        "nested Swift classes match in both notations, whichever is listed",
        arguments: ["App.Outer.Inner", "_TtCC3App5Outer5Inner"],
        ["App.Outer.Inner", "_TtCC3App5Outer5Inner", "_TtCV3App5Outer5Inner"])
    func nestedNames(_ listed: String, _ archived: String) throws {
        let allowed = ClassRegistry.foundation.adding(Tag.self, as: listed)
        let objects: [PropertyListValue] = [
            ["id": 3, "$class": .uid(2)], Archives.describe(archived),
        ]
        #expect(try read(AnyArchived.self, objects, allowing: allowed).value is Tag)
        let merged = ClassRegistry.foundation.merging(ClassRegistry().adding(Tag.self, as: listed))
        #expect(merged.allows(ArchivedClass(archived)))
        #expect(!merged.removing(listed).allows(ArchivedClass(archived)))
    }

    @Test(
        "generic and private Swift classes match only by the name in the archive",
        arguments: ["_TtGC3App3BoxSi_", "_TtC3AppP33_0123456789ABCDEF0123456789ABCDEF5Inner"])
    func otherNames(_ name: String) {
        let refused = archiveError {
            try read(
                AnyArchived.self, [["id": 3, "$class": .uid(2)], Archives.describe(name)])
        }
        #expect(refused?.what == "object 1 is of class \(name), which is not allowed")
        #expect(ClassRegistry().allowing(name).allows(ArchivedClass(name)))
    }
}

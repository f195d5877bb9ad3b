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

@Suite("Codable values in archives")
struct CodableBridgeTests {
    struct Settings: Codable, Equatable {
        var name: String
        var levels: [String: [Int]]
        var when: Date
        var data: Data?
        var id: UUID
        var url: URL?
    }

    private let settings = Settings(
        name: "Anna", levels: ["a": [1, 2]], when: Date(timeIntervalSinceReferenceDate: 5),
        data: Data([1]), id: UUID(), url: URL(string: "https://example.com/a"))

    @Test(
        "`Codable` values are archived as dictionaries, arrays and plain values, and decoded again")
    func roundTrip() throws {
        let archiver = KeyedArchiver(allowing: .propertyList)
        archiver.roots.encodeEncodable(settings, forKey: "settings")
        archiver.roots.encodeEncodable(7, forKey: "number")
        let bytes = try archiver.finish()
        let graph = try ArchiveGraph(parsing: bytes)
        #expect(graph.archivedClass(of: 1)?.name == "NSDictionary")
        let roots = try KeyedUnarchiver(parsing: bytes, allowing: .propertyList).roots
        #expect(try roots.decodeDecodable(Settings.self, forKey: "settings") == settings)
        #expect(try roots.decodeDecodable(Int.self, forKey: "number") == 7)
        #expect(throws: DecodingError.self) {
            try roots.decodeDecodable([Int].self, forKey: "settings")
        }
        #expect(
            archiveError { try roots.decodeDecodable(Int.self, forKey: "none") }?.code
                == .missingValue)
    }

    @Test("`Codable` values may be nil or missing")
    func absent() throws {
        let archiver = KeyedArchiver(allowing: .propertyList)
        archiver.roots.encodeEncodable(Settings?.none, forKey: "none")
        archiver.roots.encodeEncodable(Settings?.some(settings), forKey: "some")
        let roots = try KeyedUnarchiver(parsing: archiver.finish(), allowing: .propertyList).roots
        let none: Settings? = try roots.decodeDecodable(forKey: "none")
        let some: Settings? = try roots.decodeDecodable(forKey: "some")
        #expect(none == nil && some == settings)
        #expect(try roots.decodeDecodable(Settings?.self, forKey: "absent") == nil)
        #expect(
            archiveError { try roots.decodeDecodable(Settings.self, forKey: "none") } != nil)
    }

    struct Person: Decodable {
        let name: String
        let age: Int
        let born: Date
        let sex: Bool
    }

    @Test("`Codable` values are decoded from objects of any class by the names of the fields")
    func fields() throws {
        let allowed = ClassRegistry.foundation.keepingUnknownClasses()
        let archive = try KeyedUnarchiver(
            parsing: Archives.fixture("save"), allowing: allowed)
        let list = try archive.unarchive([OpaqueObject].self)
        // The `friends` of the second element are the list itself, so the tree of an element would
        // be infinite.
        #expect(archiveError { try list[0].propertyList() }?.code == .referenceCycle)
        let extras = try archive.unarchive(OpaqueObject.self, forKey: "extras")
        let tree = try extras.propertyList()
        #expect(tree["session"] == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect(tree["site"] == ["relative": "https://example.com/saves/1"])
        let bytes = try Archives.make([
            [
                "name": .uid(3), "age": 36, "sex": true, "born": .uid(4), "pet": .uid(0),
                "$class": .uid(2),
            ],
            Archives.describe("App.Person"), "Anna", ["NS.time": 1.5, "$class": .uid(5)],
            Archives.describe("NSDate"),
        ])
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: allowed)
        let person = try opaque.decode(Person.self)
        #expect(person.name == "Anna" && person.age == 36 && person.sex)
        #expect(person.born.timeIntervalSinceReferenceDate == 1.5)
    }

    @Test("the property list of an opaque object includes values without keys")
    func everyField() throws {
        let bytes = try Archives.make([
            [
                "$0": .uid(3), "$$0": 1, "$$1": 2, "list": [.uid(3), .uid(0), 4], "none": .uid(0),
                "$class": .uid(2),
            ],
            Archives.describe("Table"), "text",
        ])
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
        // `$$0` is the escaped form of the key `$0`, which the program chose. It stays escaped,
        // because `$0` is the generated key of another value.
        #expect(
            try opaque.propertyList()
                == ["$0": "text", "$$0": 1, "$1": 2, "list": ["text", "$null", 4]])
    }

    @Test(
        "collections with a field for each element are arrays and dictionaries in the property list"
    )
    func numberedCollections() throws {
        func tree(_ name: String, _ fields: PropertyListValue) throws -> PropertyListValue {
            var object = fields.dictionary ?? [:]
            object["$class"] = .uid(2)
            let bytes = try Archives.make([
                .dictionary(object), Archives.describe(name), "first", "second",
            ])
            return try KeyedUnarchiver.unarchive(
                OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses()
            ).propertyList()
        }
        let elements: PropertyListValue = ["NS.object.1": .uid(4), "NS.object.0": .uid(3)]
        for name in ["NSArray", "NSSet", "NSOrderedSet"] {
            #expect(try tree(name, elements) == ["first", "second"])
            #expect(try tree(name, [:]) == [])
        }
        let entries: PropertyListValue = ["NS.key.0": .uid(3), "NS.object.0": .uid(4)]
        #expect(try tree("NSDictionary", entries) == ["first": "second"])
        #expect(try tree("NSDictionary", [:]) == [:])
        #expect(try tree("Table", [:]) == [:])
        // Not the fields of a collection.
        #expect(
            try tree("NSArray", ["NS.object.0": 1, "NS.object.2": 3])
                == ["NS.object.0": 1, "NS.object.2": 3])
        #expect(try tree("NSArray", ["NS.object.0": 1, "n": 2]) == ["NS.object.0": 1, "n": 2])
        #expect(
            try tree("NSDictionary", ["NS.key.0": "a", "NS.object.0": 1, "NS.object.1": 2])
                == ["NS.key.0": "a", "NS.object.0": 1, "NS.object.1": 2])
    }

    @Test("no key of an opaque object replaces another in its property list")
    func distinctKeys() throws {
        let fields: PropertyListValue = [
            "$k": 0, "$$k": 1, "$$$k": 2, "$$$$k": 3, "$$class": 4, "$class": .uid(2),
        ]
        let bytes = try Archives.make([fields, Archives.describe("Table")])
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
        #expect(
            try opaque.propertyList()
                == ["$k": 0, "$$k": 1, "$$$k": 2, "$$$$k": 3, "$class": 4])
    }

    @Test("the text or the data of an opaque object may be another object")
    func referencedContents() throws {
        for (key, value) in [("NS.string", "text"), ("NS.data", .data([1]))]
            as [(String, PropertyListValue)]
        {
            for (target, expected) in [(3, value), (0, [:])] as [(Int, PropertyListValue)] {
                let object: PropertyListDictionary = [
                    key: .uid(PropertyListUID(UInt32(target))), "$class": .uid(2),
                ]
                let bytes = try Archives.make([
                    .dictionary(object), Archives.describe("Content"), value,
                ])
                let opaque = try KeyedUnarchiver.unarchive(
                    OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
                #expect(try opaque.propertyList() == expected)
            }
        }
    }

    @Test("the property list of an opaque object is limited in depth and expansion")
    func bounds() throws {
        var objects: [PropertyListValue] = []
        for level in 1...12 {
            let next = PropertyListValue.uid(PropertyListUID(UInt32(level + 1)))
            objects.append([
                "NS.objects": .array(PropertyListArray(repeatElement(next, count: 10))),
                "$class": .uid(14),
            ])
        }
        objects += ["leaf", Archives.describe("NSArray")]
        let allowed = ClassRegistry.foundation
        let bomb = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: Archives.make(objects), allowing: allowed)
        #expect(
            archiveError { try bomb.propertyList(limits: Exhaustive.limits) }?.code
                == .expansionLimitExceeded)
        let deep = (1...600).map { level -> PropertyListValue in
            ["NS.objects": [.uid(PropertyListUID(UInt32(level + 1)))], "$class": .uid(602)]
        }
        let chain = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: Archives.make(deep + ["leaf", Archives.describe("NSArray")]),
            allowing: allowed)
        #expect(
            archiveError { try chain.propertyList(limits: .trusted) }?.code
                == .depthLimitExceeded)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import Testing

/// A type that delegates its coding to another value, with which it shares one object.
private struct Wrapper<Value: KeyedCodable>: KeyedCodable {
    static var archivedClass: ArchivedClass { "Wrapper" }
    let value: Value

    init(_ value: Value) { self.value = value }
    func encode(with coder: KeyedEncoder) throws { try value.encode(with: coder) }
    init(coder: KeyedDecoder) throws { value = try Value(coder: coder) }
}

@Suite("Types that delegate their coding")
struct DelegationTests {
    private let registry = ClassRegistry.foundation.adding(Save.self)

    @Test("delegating to an optional value or to a value of any class shares the object")
    func sharing() throws {
        let save = Save(name: "n", age: 1, sex: true)
        let optional = Wrapper<Save?>(save)
        let bytes = try KeyedArchiver.archive(optional, allowing: registry)
        let back = try KeyedUnarchiver.unarchive(
            Wrapper<Save?>.self, from: bytes, allowing: registry)
        #expect(back.value == save)
        #expect(Save?.archivedClass.name == "DWSave" && Save?.archivedAliases.isEmpty == true)
        let any = Wrapper(AnyArchived(save))
        #expect(try KeyedArchiver.archive(any, allowing: registry) == bytes)
    }

    @Test("delegating to a value without fields of its own is refused")
    func refused() throws {
        let value = Wrapper<PropertyListValue>(["a"])
        #expect(archiveError { try KeyedArchiver.archive(value) }?.code == .misuse)
        let bytes = try Archives.make([["$class": .uid(2)], Archives.describe("Stranger")])
        let opaque = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: registry.keepingUnknownClasses())
        let wrapped = Wrapper(opaque)
        #expect(archiveError { try KeyedArchiver.archive(wrapped) }?.code == .misuse)
    }

    @Test("decoding the root coder as a single object is refused")
    func roots() throws {
        let bytes = try KeyedArchiver.archive("text")
        let archive = try KeyedUnarchiver(parsing: bytes)
        #expect(archiveError { try AnyArchived(coder: archive.roots) }?.code == .misuse)
        #expect(archiveError { try OpaqueObject(coder: archive.roots) }?.code == .misuse)
        #expect(archiveError { try PropertyListValue(coder: archive.roots) }?.code == .misuse)
    }

    @Test("an object of any class gives its fields, elements and object number")
    func opaque() throws {
        let bytes = try Archives.make([
            [
                "list": [.uid(2), .uid(0), .uid(3)], "$$name": .uid(2), "child": .uid(3),
                "$class": .uid(4),
            ],
            "text", ["$class": .uid(4)], Archives.describe("Stranger"),
        ])
        let object = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: registry.keepingUnknownClasses())
        #expect(object.uid == 1 && object.archivedClass?.name == "Stranger")
        #expect(object.keys == ["list", "$name", "child"])
        #expect(object.objects(forKey: "list").map(\.uid) == [2, 3])
        #expect(object.objects(forKey: "child").isEmpty && object.objects(forKey: "none").isEmpty)
        #expect(object["$name"]?.uid == 2 && object.object(forKey: "child")?.uid == 3)
    }
}

@Suite("Fields that are refused")
struct RefusedFieldTests {
    private func code<T: KeyedDecodable>(
        _ type: T.Type, _ objects: [PropertyListValue]
    ) -> KeyedArchiveError.Code? {
        archiveError { try KeyedUnarchiver.unarchive(type, from: Archives.make(objects)) }?.code
    }

    @Test("a plain value in place of references is refused")
    func plain() {
        #expect(
            code(
                [String].self,
                [["NS.objects": "text", "$class": .uid(2)], Archives.describe("NSArray")])
                == .wrongType)
    }

    @Test("an element of a counted set with a count of zero is refused")
    func count() {
        #expect(
            code(
                ArchivedCountedSet<String>.self,
                [
                    ["NS.count": 1, "NS.object0": .uid(3), "NS.count0": 0, "$class": .uid(2)],
                    Archives.describe("NSCountedSet", "NSMutableSet", "NSSet"), "text",
                ]) == .valueOutOfRange)
    }

    @Test("an object with fields in place of a number is refused")
    func number() {
        #expect(
            code(Wrapper<Int>.self, [["$class": .uid(2)], Archives.describe("Wrapper")])
                == .malformedObject)
    }

    @Test("a dictionary with a duplicate key is refused as a property list")
    func twice() {
        #expect(
            code(
                PropertyListValue.self,
                [
                    [
                        "NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3), .uid(3)],
                        "$class": .uid(2),
                    ], Archives.describe("NSDictionary"), "key",
                ]) == .malformedObject)
    }

    @Test("an object that contains a dictionary with a duplicate key has no property list")
    func twiceInObject() throws {
        let bytes = try Archives.make([
            ["map": .uid(2), "$class": .uid(4)],
            [
                "NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3), .uid(3)],
                "$class": .uid(5),
            ], "key", Archives.describe("Stranger"), Archives.describe("NSDictionary"),
        ])
        let object = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes, allowing: .foundation.keepingUnknownClasses())
        let error = archiveError { try object.propertyList() }
        #expect(error?.code == .malformedObject)
        #expect(error?.what == "a key occurs twice in a dictionary")
    }

    @Test(
        "a property list with a set is refused, because it could not be read back as a property list"
    )
    func tree() {
        let value = PropertyListValue.array([.set(["a"])])
        #expect(archiveError { try KeyedArchiver.archive(value) }?.code == .valueOutOfRange)
    }

    @Test("an opaque dictionary with more keys than values has no property list")
    func unequalCounts() throws {
        let bytes = try Archives.make([
            ["NS.keys": [.uid(3), .uid(4)], "NS.objects": [.uid(3)], "$class": .uid(2)],
            Archives.describe("NSDictionary"), "key", "other",
        ])
        let object = try KeyedUnarchiver.unarchive(OpaqueObject.self, from: bytes)
        let error = archiveError { try object.propertyList() }
        #expect(error?.code == .malformedObject)
        #expect(error?.what == "expected as many values as keys (2), found 1")
    }

    @Test("an opaque dictionary with keys that are not text has no property list")
    func keys() throws {
        let bytes = try Archives.make([
            ["NS.keys": [.uid(3)], "NS.objects": [.uid(3)], "$class": .uid(2)],
            Archives.describe("NSDictionary"), ["$class": .uid(4)], Archives.describe("Stranger"),
        ])
        let object = try KeyedUnarchiver.unarchive(
            OpaqueObject.self, from: bytes,
            allowing: ClassRegistry.foundation.keepingUnknownClasses())
        #expect(archiveError { try object.propertyList() }?.code == .wrongType)
    }
}

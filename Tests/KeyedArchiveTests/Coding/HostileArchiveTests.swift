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

/// Mistakes of other decoders of keyed archives, with a test for each.
@Suite("Hostile archives, decoded as types")
struct HostileArchiveTests {
    private let evil: PropertyListValue = .dictionary([
        "$classname": "Evil", "$classes": ["Evil", "NSArray", "NSObject"],
    ])

    private func decode<T: KeyedDecodable>(
        _ type: T.Type, _ objects: [PropertyListValue], _ allowed: ClassRegistry = .foundation,
        limits: ParsingLimits = .default
    ) throws -> T {
        try KeyedUnarchiver.unarchive(
            type, from: Archives.make(objects), allowing: allowed, limits: limits)
    }

    private func error<T: KeyedDecodable>(
        _ type: T.Type, _ objects: [PropertyListValue], _ allowed: ClassRegistry = .foundation,
        limits: ParsingLimits = .default
    ) -> KeyedArchiveError? {
        archiveError { try decode(type, objects, allowed, limits: limits) }
    }

    // MARK: Classes

    @Test(
        "refuses a class whose superclass is allowed",
        arguments: ["Evil", "_NSArrayI", "NSArray ", "nsarray", "__NSPlaceholderArray"])
    func subclass(name: String) {
        let description: PropertyListValue = .dictionary([
            "$classname": .string(name), "$classes": [.string(name), "NSArray", "NSObject"],
        ])
        let objects: [PropertyListValue] = [
            ["NS.objects": [], "$class": .uid(2)], description,
        ]
        let refused = error([Int].self, objects)
        #expect(refused?.code == .classNotAllowed)
        #expect(refused?.object == 1)
        #expect(refused?.path?.description == "root")
        #expect(error(AnyArchived.self, objects)?.code == .classNotAllowed)
    }

    @Test("names the refused class, its place and the change that would allow it")
    func message() throws {
        let bytes = try KeyedArchiver.archive(
            ["k": [UUID()]], allowing: .foundation)
        let allowed = ClassRegistry.propertyList
        let refused = try #require(
            archiveError {
                try KeyedUnarchiver.unarchive(
                    [String: AnyArchived].self, from: bytes, allowing: allowed)
            })
        #expect(
            refused.description == """
                keyed archive: object 4 is of class NSUUID, which is not allowed, in \
                root["k"][0] (`.adding(UUID.self)` would allow it)
                """)
    }

    @Test(
        "distinguishes class names that are only canonically equivalent",
        arguments: ["K", "Å", "é"])
    func equivalentNames(_ letter: String) {
        let other = ["K": "\u{212A}", "Å": "\u{212B}", "é": "e\u{301}"][letter] ?? ""
        let objects: [PropertyListValue] = [["$class": .uid(2)], Archives.describe("My" + other)]
        let registry = ClassRegistry.foundation.allowing("My" + letter)
        #expect(error(AnyArchived.self, objects, registry)?.code == .classNotAllowed)
        let both = registry.allowing("My" + other)
        #expect(both.allows("My" + letter) && both.allows("My" + other))
    }

    @Test("checks each reference against the allow-list, even if the object was decoded before")
    func everyReference() throws {
        let save = Save(name: "x", age: 1, sex: true)
        let archiver = KeyedArchiver(allowing: .foundation.adding(Save.self))
        for key in ["a", "b"] { archiver.roots.encode(save, forKey: key) }
        let bytes = try archiver.finish()
        for (first, second) in [("a", "b"), ("b", "a")] {
            let archive = try KeyedUnarchiver(parsing: bytes, allowing: .foundation)
            _ = try archive.unarchive(Save.self, forKey: first)
            let refused = archiveError { try archive.unarchive(AnyArchived.self, forKey: second) }
            #expect(refused?.code == .classNotAllowed)
            let narrowed = archiveError {
                try archive.roots.decodeObject(ofAny: [Pet.self], forKey: second)
            }
            #expect(narrowed?.code == .classNotAllowed)
            #expect(try archive.unarchive(Save.self, forKey: second) == save)
        }
    }

    @Test("decoding a root as a type allows the classes of that type for this root only")
    func everyRoot() throws {
        let archiver = KeyedArchiver()
        for key in ["a", "b"] {
            archiver.roots.encode([UUID(), UUID()], forKey: key)
        }
        let bytes = try archiver.finish()
        let archive = try KeyedUnarchiver(parsing: bytes, allowing: ClassRegistry())
        for _ in 0..<2 {
            #expect(try archive.unarchive([UUID].self, forKey: "a").count == 2)
            let refused = archiveError { try archive.unarchive([Date].self, forKey: "b") }
            #expect(refused?.code == .classNotAllowed)
            #expect(refused?.path?.description == "b[0]")
            #expect(
                archiveError { try archive.unarchive(UUID.self, forKey: "b") }?.code
                    == .classNotAllowed)
        }
        #expect(try archive.unarchive([UUID].self, forKey: "b").count == 2)
    }

    @Test("checks class hints against the allow-list like any class name")
    func hints() throws {
        let objects: (String, [PropertyListValue]) -> [PropertyListValue] = { name, hints in
            [
                ["name": "n", "age": 1, "sex": true, "$class": .uid(2)],
                .dictionary([
                    "$classname": .string(name), "$classes": [.string(name), "NSObject"],
                    "$classhints": .array(PropertyListArray(hints)),
                ]),
            ]
        }
        let allowed = ClassRegistry.foundation.adding(Save.self)
        #expect(try decode(Save.self, objects("New", ["Other", "DWSave"]), allowed).age == 1)
        #expect(error(Save.self, objects("New", ["Evil"]), allowed)?.code == .classNotAllowed)
        #expect(error(AnyArchived.self, objects("New", ["DWSave"]))?.code == .classNotAllowed)
    }

    @Test(
        "refuses a disallowed class in every decoding method",
        arguments: EntryPoint.all)
    func entryPoints(_ entry: EntryPoint) throws {
        let bytes = try Archives.make([
            [
                "evil": .uid(2), "list": .uid(3), "dictionary": .uid(4), "$0": .uid(2),
                "$class": .uid(7),
            ],
            ["$class": .uid(8)],
            ["NS.objects": [.uid(2)], "$class": .uid(5)],
            ["NS.keys": [.uid(9)], "NS.objects": [.uid(2)], "$class": .uid(6)],
            Archives.describe("NSArray"), Archives.describe("NSDictionary"),
            Archives.describe("Probe"), evil, "key",
        ])
        let probe = Probe.Body(entry.decode)
        let refused = archiveError {
            try Probe.with(probe) {
                try KeyedUnarchiver.unarchive(
                    Probe.self, from: bytes, allowing: .foundation.adding(Probe.self))
            }
        }
        #expect(refused?.code == .classNotAllowed || refused?.code == .wrongType)
        #expect(refused?.object == 2)
    }

    @Test("never instantiates anything at a root whose class is not allowed")
    func roots() throws {
        let bytes = try Archives.make([["$class": .uid(2)], evil])
        let archive = try KeyedUnarchiver(parsing: bytes)
        #expect(archiveError { try archive.unarchive(Save.self) }?.code == .classNotAllowed)
        #expect(
            archiveError { try archive.unarchive(ofAny: [Save.self, Pet.self]) }?.code
                == .classNotAllowed)
        #expect(archiveError { try archive.unarchive(OpaqueObject.self) }?.code == .classNotAllowed)
        let keeping = try KeyedUnarchiver(
            parsing: bytes, allowing: .foundation.keepingUnknownClasses())
        let kept = try keeping.unarchive(OpaqueObject.self)
        #expect(kept.archivedClass?.name == "Evil")
    }

    // MARK: Cycles

    @Test(
        "reports a cycle of objects that need each other for their initialization",
        arguments: [
            ("itself", [["NS.objects": [.uid(1)], "$class": .uid(2)]], "1 → 1"),
            (
                "two arrays",
                [
                    ["NS.objects": [.uid(2)], "$class": .uid(3)],
                    ["NS.objects": [.uid(1)], "$class": .uid(3)],
                ], "1 → 2 → 1"
            ),
        ] as [(String, [PropertyListValue], String)])
    func cycles(_ name: String, _ objects: [PropertyListValue], _ way: String) {
        let objects = objects + [Archives.describe("NSArray")]
        let refused = error(AnyArchived.self, objects)
        #expect(refused?.code == .referenceCycle)
        #expect(refused?.what.contains(way) == true)
        #expect(refused?.recovery != nil)
        #expect(throws: Never.self) { try ArchiveGraph(parsing: Archives.make(objects)) }
    }

    @Test("finds cycles through keys, set elements and fields of a type")
    func otherCycles() {
        #expect(
            error(
                AnyArchived.self,
                [
                    ["NS.keys": [.uid(1)], "NS.objects": [.uid(3)], "$class": .uid(2)],
                    Archives.describe("NSDictionary"), "value",
                ])?.code == .referenceCycle)
        #expect(
            error(
                AnyArchived.self,
                [["NS.objects": [.uid(1)], "$class": .uid(2)], Archives.describe("NSSet")])?.code
                == .referenceCycle)
        let link: [PropertyListValue] = [
            ["value": 1, "next": .uid(1), "$class": .uid(2)], Archives.describe("Link"),
        ]
        let refused = error(Link.self, link)
        #expect(refused?.code == .referenceCycle)
        #expect(refused?.path?.description == "root.next")
        #expect(
            error(
                URL.self,
                [
                    ["NS.base": .uid(1), "NS.relative": .uid(3), "$class": .uid(2)],
                    Archives.describe("NSURL"), "a",
                ])?.code == .referenceCycle)
    }

    @Test(
        "refuses a `$class` that is not a reference, or does not refer to a class",
        arguments: [
            ("NSArray", .malformedObject), (5, .malformedObject), (true, .malformedObject),
            (["NSArray"], .malformedObject), ([:], .malformedObject),
            (.data([2]), .malformedObject),
            (.uid(0), .malformedClass), (.uid(3), .malformedClass), (.uid(99), .danglingReference),
            (.uid(.init(UInt32.max)), .danglingReference),
        ] as [(PropertyListValue, KeyedArchiveError.Code)])
    func oddClasses(_ value: PropertyListValue, _ code: KeyedArchiveError.Code) {
        let object: PropertyListValue = ["NS.objects": [], "$class": value]
        let objects = [object, Archives.describe("NSArray"), "text"]
        #expect(error(AnyArchived.self, objects)?.code == code)
        #expect(error([String].self, objects)?.code == code)
    }

    @Test("refuses an object that is its own class, and roots that are not objects")
    func oddReferences() throws {
        #expect(error(AnyArchived.self, [["$class": .uid(1)]])?.code == .malformedClass)
        #expect(
            error(AnyArchived.self, [Archives.describe("NSNull")])?.code == .malformedObject)
        let nothing = try Archives.make(["text"], top: ["root": .uid(0)])
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(String.self, from: nothing) }?.code
                == .missingValue)
        #expect(try KeyedUnarchiver.unarchive(String?.self, from: nothing) == nil)
        let inline = try Archives.make(["text"], top: ["root": "plain"])
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(Save.self, from: inline) }?.code
                == .wrongType)
    }

    @Test("keeps no partial result after a failure")
    func failure() throws {
        let bytes = try Archives.make(
            [
                [
                    "value": 1, "children": .uid(4), "parent": .uid(2), "next": .uid(3),
                    "$class": .uid(5),
                ],
                [
                    "value": 2, "children": .uid(4), "parent": .uid(0), "next": .uid(0),
                    "$class": .uid(5),
                ],
                ["value": "x", "children": .uid(4), "$class": .uid(5)],
                ["NS.objects": [], "$class": .uid(6)],
                Archives.describe("Node"), Archives.describe("NSArray"),
            ], top: ["root": .uid(1), "good": .uid(2)])
        let archive = try KeyedUnarchiver(parsing: bytes)
        for _ in 0..<2 {
            let refused = archiveError { try archive.unarchive(Node.self) }
            #expect(refused?.code == .wrongType)
            #expect(refused?.path?.description == "$objects[1].next.value")
            #expect(try archive.unarchive(Node.self, forKey: "good").value == 2)
        }
    }

    // MARK: Numbers and texts

    @Test(
        "refuses UIDs beyond the object table, wherever they occur",
        arguments: [3, 1000, UInt32.max])
    func bounds(uid: UInt32) throws {
        for top in [["root": .uid(PropertyListUID(uid))], ["root": .uid(1)]]
            as [PropertyListDictionary]
        {
            let element = PropertyListValue.uid(PropertyListUID(uid))
            let bytes = try Archives.make(
                [["NS.objects": [element], "$class": .uid(2)], Archives.describe("NSArray")],
                top: top)
            let refused = archiveError { try KeyedUnarchiver(parsing: bytes) }
            #expect(refused?.code == .danglingReference)
        }
    }

    @Test("reads text in `NS.bytes` by its length, and refuses invalid UTF-8")
    func bytes() throws {
        let text: ([UInt8]) -> [PropertyListValue] = {
            [["NS.bytes": .data($0), "$class": .uid(2)], Archives.describe("NSString")]
        }
        #expect(try decode(String.self, text(Array("añ".utf8))) == "añ")
        #expect(try decode(String.self, text([0x61, 0, 0x62])) == "a\0b")
        #expect(error(String.self, text([0x61, 0xFF]))?.code == .valueOutOfRange)
        #expect(error(String.self, text([0xC3]))?.code == .valueOutOfRange)
    }

    @Test("checks counts against the number of elements")
    func counts() {
        let counted: (PropertyListValue) -> [PropertyListValue] = { count in
            [
                ["NS.count": count, "NS.object0": .uid(3), "NS.count0": 1, "$class": .uid(2)],
                Archives.describe("NSCountedSet"), "element",
            ]
        }
        typealias Counted = ArchivedCountedSet<String>
        #expect(error(Counted.self, counted(1)) == nil)
        for count in [0, 2, -1, .max, .min] {
            let code = error(Counted.self, counted(PropertyListValue(count)))?.code
            #expect(code == .malformedObject)
        }
        let pairs: [PropertyListValue] = [
            ["NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3)], "$class": .uid(2)],
            Archives.describe("NSDictionary"), "element",
        ]
        #expect(error([String: String].self, pairs)?.code == .malformedObject)
        let twice: [PropertyListValue] = [
            ["NS.keys": [.uid(3), .uid(3)], "NS.objects": [.uid(3), .uid(3)], "$class": .uid(2)],
            Archives.describe("NSDictionary"), "element",
        ]
        #expect(error([String: String].self, twice)?.code == .malformedObject)
    }

    @Test("reads only the known keys of a URL")
    func bookmark() throws {
        let url = try decode(
            URL.self,
            [
                [
                    "NS.base": .uid(0), "NS.relative": .uid(3),
                    "NS.minimalBookmarkData": .data([1, 2, 3]), "$class": .uid(2),
                ],
                Archives.describe("NSURL"), "file:///etc/passwd",
            ])
        #expect(url.relativeString == "file:///etc/passwd" && url.baseURL == nil)
    }

    @Test("refuses fields of the wrong type, and never truncates a number")
    func kinds() throws {
        let objects: (PropertyListValue) -> [PropertyListValue] = {
            [["field": $0, "$class": .uid(2)], Archives.describe("Field"), "text", 300]
        }
        let cases: [(PropertyListValue, KeyedArchiveError.Code?)] = [
            (127, nil), (.uid(4), .valueOutOfRange), (128, .valueOutOfRange),
            (-129, .valueOutOfRange), (1.0, nil), (1.5, .valueOutOfRange), (true, .wrongType),
            ("1", .wrongType), (.uid(3), .wrongType), (.uid(0), .wrongType), ([1], .wrongType),
            (.data([1]), .wrongType), (["a": 1], .wrongType),
        ]
        for (value, code) in cases {
            #expect(error(Field<Int8>.self, objects(value))?.code == code, "\(value)")
        }
        let bools: [(PropertyListValue, KeyedArchiveError.Code?)] = [
            (true, nil), (1, .wrongType), (0, .wrongType), (1.0, .wrongType),
        ]
        for (value, code) in bools {
            #expect(error(Field<Bool>.self, objects(value))?.code == code)
        }
        #expect(error(Field<Float>.self, objects(0.1))?.code == .valueOutOfRange)
        #expect(error(Field<Float>.self, objects(0.5)) == nil)
        #expect(error(Field<Double>.self, objects(PropertyListValue(1 << 53)))?.code == nil)
        #expect(
            error(Field<Double>.self, objects(PropertyListValue((1 << 53) + 1)))?.code
                == .valueOutOfRange)
        #expect(error(Field<UInt64>.self, objects(-1))?.code == .valueOutOfRange)
        #expect(error(Field<String>.self, objects(.uid(4)))?.code == .wrongType)
        #expect(
            error(Field<Int8>.self, [["$class": .uid(2)], Archives.describe("Field")])?.code
                == .missingValue)
    }

    // MARK: Expansion

    @Test(
        "reads objects shared a trillion times in linear time, and refuses work beyond the limits")
    func bomb() throws {
        var objects: [PropertyListValue] = []
        let levels = 12
        for level in 1...levels {
            let next = PropertyListValue.uid(PropertyListUID(UInt32(level + 1)))
            objects.append([
                "NS.objects": .array(PropertyListArray(repeatElement(next, count: 10))),
                "$class": .uid(PropertyListUID(UInt32(levels + 2))),
            ])
        }
        objects += ["leaf", Archives.describe("NSArray")]
        // Each array is decoded once and shared.
        var value = try decode(AnyArchived.self, objects)
        for _ in 0..<levels {
            value = try #require(value.value(as: [AnyArchived].self)?.first)
        }
        #expect(value.value(as: String.self) == "leaf")
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 0, base: 50)
        #expect(
            error(AnyArchived.self, objects, limits: limits)?.code == .expansionLimitExceeded)
    }

    @Test("decodes deep nesting under the default limits, and refuses it under the untrusted ones")
    func deepNesting() throws {
        let deep = (1...200).map { level -> PropertyListValue in
            [
                "NS.objects": [.uid(PropertyListUID(UInt32(level + 1)))], "$class": .uid(202),
            ]
        }
        let bytes = try Archives.make(deep + ["leaf", Archives.describe("NSArray")])
        #expect(throws: Never.self) { try KeyedUnarchiver.unarchive(AnyArchived.self, from: bytes) }
        let refused = archiveError {
            try KeyedUnarchiver.unarchive(
                AnyArchived.self, from: bytes, allowing: .propertyList, limits: .untrusted)
        }
        #expect(refused?.code == .depthLimitExceeded)
        #expect(refused?.isLimit == true)
    }

    @Test(
        "never traps when it decodes a prefix of a fixture, or a fixture with a flipped bit",
        arguments: ArchiveGraphTests.good)
    func mutations(name: String) throws {
        let bytes = try Archives.fixture(name)
        let allowed = ClassRegistry.foundation.keepingUnknownClasses()
        func read(_ bytes: some Sequence<UInt8>) {
            _ = try? KeyedUnarchiver.unarchive(
                AnyArchived.self, from: bytes, allowing: allowed, limits: .untrusted)
        }
        let places = Exhaustive.sample(bytes.indices, oneIn: 2)
        for end in places { read(bytes[..<end]) }
        for place in places {
            var changed = bytes
            for bit in [0x01, 0x10, 0x80] as [UInt8] {
                changed[place] = bytes[place] ^ bit
                read(changed)
            }
        }
    }
}

/// One field of any type.
struct Field<Value: KeyedCodable>: KeyedCodable {
    static var archivedClass: ArchivedClass { "Field" }
    let value: Value

    func encode(with coder: KeyedEncoder) { coder.encode(value, forKey: "field") }
    init(coder: KeyedDecoder) throws { value = try coder.decode(forKey: "field") }
}

/// A call of a public decoding method of `KeyedDecoder`. The object to be decoded is not allowed.
struct EntryPoint: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let decode: @Sendable (KeyedDecoder) throws -> Void

    static let all: [EntryPoint] = [
        EntryPoint("decode(_:forKey:)") { _ = try $0.decode(Save.self, forKey: "evil") },
        EntryPoint("decode(_:forKey:) of any") {
            _ = try $0.decode(AnyArchived.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of an array") {
            _ = try $0.decode([Save].self, forKey: "list")
        },
        EntryPoint("decode(_:forKey:) of a set") {
            _ = try $0.decode(ArchivedOrderedSet<AnyArchived>.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of a dictionary") {
            _ = try $0.decode([String: AnyArchived].self, forKey: "dictionary")
        },
        EntryPoint("decode(_:forKey:) of a property list") {
            _ = try $0.decode(PropertyListValue.self, forKey: "list")
        },
        EntryPoint("decode(_:forKey:) of an optional") {
            _ = try $0.decode(Save?.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of an opaque object") {
            _ = try $0.decode(OpaqueObject.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:default:)") {
            _ = try $0.decode(String.self, forKey: "evil", default: "")
        },
        EntryPoint("decodeObject(of:forKey:)") {
            _ = try $0.decodeObject(of: Save.self, forKey: "evil")
        },
        EntryPoint("decodeObject(ofAny:forKey:)") {
            _ = try $0.decodeObject(ofAny: [Save.self, String.self], forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of an array of any values") {
            _ = try $0.decode([Any].self, forKey: "list")
        },
        EntryPoint("decode(_:forKey:) of a dictionary of any values") {
            _ = try $0.decode([String: Any].self, forKey: "dictionary")
        },
        EntryPoint("decode(_:forKey:) of an integer") {
            _ = try $0.decode(Int.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of a Boolean value") {
            _ = try $0.decode(Bool.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of a real number") {
            _ = try $0.decode(Double.self, forKey: "evil")
        },
        EntryPoint("decode(_:forKey:) of a string") {
            _ = try $0.decode(String.self, forKey: "evil")
        },
        EntryPoint("decodeInteger(forKey:)") { _ = try $0.decodeInteger(forKey: "evil") },
        EntryPoint("decodeInt32(forKey:)") { _ = try $0.decodeInt32(forKey: "evil") },
        EntryPoint("decodeInt64(forKey:)") { _ = try $0.decodeInt64(forKey: "evil") },
        EntryPoint("decodeBool(forKey:)") { _ = try $0.decodeBool(forKey: "evil") },
        EntryPoint("decodeFloat(forKey:)") { _ = try $0.decodeFloat(forKey: "evil") },
        EntryPoint("decodeDouble(forKey:)") { _ = try $0.decodeDouble(forKey: "evil") },
        EntryPoint("decodeReal(forKey:)") { _ = try $0.decodeReal(forKey: "evil") },
        EntryPoint("decodeRealIfPresent(forKey:)") {
            _ = try $0.decodeRealIfPresent(forKey: "evil")
        },
        EntryPoint("decodeBytes(forKey:)") { _ = try $0.decodeBytes(forKey: "evil") },
        EntryPoint("decodeBytesIfPresent(forKey:)") {
            _ = try $0.decodeBytesIfPresent(forKey: "evil")
        },
        EntryPoint("decodeAnyArchived(of:forKey:)") {
            _ = try $0.decodeAnyArchived(of: Save.self, forKey: "evil")
        },
        EntryPoint("decodeArray(of:forKey:recovery:)") {
            _ = try $0.decodeArray(of: Save.self, forKey: "list") { throw $1 }
        },
        EntryPoint("decodeArrayOfObjects(ofClass:forKey:)") {
            _ = try $0.decodeArrayOfObjects(ofClass: Save.self, forKey: "list")
        },
        EntryPoint("decodeDictionary(withKeysOfClass:objectsOfClass:forKey:)") {
            _ = try $0.decodeDictionary(
                withKeysOfClass: String.self, objectsOfClass: Save.self, forKey: "dictionary")
        },
        EntryPoint("decodePropertyList(forKey:)") {
            _ = try $0.decodePropertyList(forKey: "list")
        },
        EntryPoint("decodeDecodable(_:forKey:)") {
            _ = try $0.decodeDecodable([String].self, forKey: "list")
        },
        EntryPoint("decodeDecodable(_:forKey:) of an optional") {
            _ = try $0.decodeDecodable(String?.self, forKey: "evil")
        },
        EntryPoint("decodeFields(_:)") { _ = try $0.decodeFields([String: String].self) },
        EntryPoint("decodeUnkeyed(_:)") { _ = try $0.decodeUnkeyed(Save.self) },
        EntryPoint("decodeReferences(forKey:)") {
            let list = try $0.reference(forKey: "list").map(EntryPoint.elements) ?? []
            for reference in list { _ = try reference.object(as: Save.self) }
        },
        EntryPoint("decodeReference(to:forKey:completion:)") {
            try $0.decodeReference(to: Save.self, forKey: "evil") { _ in }
        },
        EntryPoint("unknownFields(except:)") {
            _ = try $0.unknownFields(except: ["list", "dictionary"])
        },
    ]

    private init(
        _ name: String, _ decode: @escaping @Sendable (KeyedDecoder) throws -> Void
    ) {
        testDescription = name
        self.decode = decode
    }

    private static func elements(_ reference: KeyedReference) throws -> [KeyedReference] {
        try reference.object(as: References.self).elements
    }
}

/// Decodes the references of an array.
private struct References: KeyedDecodable {
    static let archivedClass: ArchivedClass = "NSArray"
    let elements: [KeyedReference]

    init(coder: KeyedDecoder) throws {
        elements = try coder.decodeReferences(forKey: "NS.objects")
    }
}

/// An object that decodes itself by calling a closure of the test.
struct Probe: KeyedDecodable {
    /// The decoding closure of the test.
    final class Body: Sendable {
        let decode: @Sendable (KeyedDecoder) throws -> Void
        init(_ decode: @escaping @Sendable (KeyedDecoder) throws -> Void) { self.decode = decode }
    }

    @TaskLocal static var body: Body?

    static let archivedClass: ArchivedClass = "Probe"

    init(coder: KeyedDecoder) throws { try Self.body?.decode(coder) }

    static func with<R>(_ body: Body, _ operation: () throws -> R) throws -> R {
        try $body.withValue(body, operation: operation)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Mistakes in ported programs, each with its whole message: the problem, its place and the fix.
@Suite("Messages")
struct MessageTests {
    /// A mistake with its message.
    struct Mistake: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let message: String
        let make: @Sendable () throws -> Void

        init(_ name: String, _ message: String, _ make: @escaping @Sendable () throws -> Void) {
            testDescription = name
            self.message = message
            self.make = make
        }
    }

    @Test(
        "a message about decoding says what is wrong, where, and how to fix it",
        arguments: readingMistakes)
    func reading(_ mistake: Mistake) { check(mistake) }

    @Test(
        "a message about classes says what is wrong, where, and how to fix it",
        arguments: classMistakes)
    func classes(_ mistake: Mistake) { check(mistake) }

    @Test(
        "a message about a file says what is wrong, where, and how to fix it",
        arguments: fileMistakes)
    func files(_ mistake: Mistake) { check(mistake) }

    @Test(
        "a message about encoding says what is wrong, where, and how to fix it",
        arguments: writingMistakes)
    func writing(_ mistake: Mistake) { check(mistake) }

    private func check(_ mistake: Mistake) {
        do {
            try mistake.make()
            Issue.record("no error")
        } catch { #expect("\(error)" == mistake.message) }
    }

    @Test(
        "localized errors have a description with the place, a failure reason and a suggestion"
    )
    func localized() throws {
        let error = try #require(archiveError { try readSave(["name": "x"]) })
        #expect(
            error.errorDescription
                == #"keyed archive: DWSave (object 1) has no key "age", in root.age"#)
        #expect(error.failureReason == #"DWSave (object 1) has no key "age""#)
        #expect(error.recoverySuggestion?.hasPrefix(#"its keys are "name""#) == true)
        let cut = archiveError { try KeyedUnarchiver(parsing: Array("bplist00".utf8)) }
        #expect(cut?.errorDescription?.hasPrefix("binary property list: ") == true)
        let list = try #require(cut?.propertyListError as (any LocalizedError)?)
        #expect(list.recoverySuggestion == cut?.recoverySuggestion)
    }

    @Test("messages quote a bounded part of the file")
    func bounded() throws {
        let long = String(repeating: "k", count: 100_000)
        let object = try #require(
            archiveError {
                try readSave([long: 1, "\u{1B}[2J": 2])
            })
        #expect(object.description.utf8.count < 1000)
        #expect(!object.description.contains("\u{1B}"))
        let name = archiveError {
            try read(AnyArchived.self, [["$class": .uid(2)], Archives.describe(long)])
        }
        #expect((name?.description.utf8.count ?? .max) < 1000)
    }

    @Test("a message about a missing key names the most similar keys, and counts the others")
    func manyKeys() throws {
        var fields: PropertyListDictionary = [:]
        for number in 0..<20 { fields["key\(number)"] = .integer(PropertyListInteger(number)) }
        fields["Name"] = "n"
        let error = archiveError { try readSave(fields) }
        #expect(
            error?.recovery
                == #"its keys are "Name", "key0", "key1", "key2", "key3", "key4", "key5", "key6" "#
                + "and 13 more; `default:` reads older archives without it")
    }

    @Test("a message about a missing key does not list keys that are not strings")
    func nonStringKeys() throws {
        let archive = try KeyedUnarchiver(
            parsing: Self.integerKey.bytes, allowing: .foundation.adding(Save.self),
            options: .nonStringKeys)
        let error = archiveError { try archive.unarchive(Save.self) }
        #expect(error?.what == #"DWSave (object 1) has no key "name""#)
        #expect(error?.recovery == "`default:` reads older archives without it")
    }

    @Test("a key that is not a string is not listed, and copying or writing its field is an error")
    func integerKeys() throws {
        let allowed = ClassRegistry.foundation.adding(IntegerKeyed.self)
        let archive = try KeyedUnarchiver(
            parsing: Self.integerKey.bytes, allowing: allowed, options: .nonStringKeys)
        let found = try archive.unarchive(IntegerKeyed.self)
        #expect(found.keys.isEmpty)
        let opaque = try archive.unarchive(OpaqueObject.self)
        #expect(opaque.keys.isEmpty)
        let what = "object 1: expected keys that are strings, found one of kind integer"
        let errors = [
            found.unknown, found.extra, archiveError { try opaque.propertyList() },
            archiveError { try KeyedArchiver.archive(opaque, allowing: allowed) },
        ]
        for error in errors { #expect(error?.code == .malformedObject && error?.what == what) }
    }

    /// An archive of a save whose only key besides `$class` is the integer 1.
    private static var integerKey: BinaryAssembler {
        BinaryAssembler([
            .dictionary([1, 2, 3, 4], [5, 6, 7, 10]), .ascii("$version"), .ascii("$archiver"),
            .ascii("$top"), .ascii("$objects"), .integer(100_000, width: 4),
            .ascii("NSKeyedArchiver"), .dictionary([8], [9]), .ascii("root"), .uid(1),
            .array([11, 12, 17]), .ascii("$null"), .dictionary([13, 14], [15, 16]),
            .ascii("$class"), .integer(1), .uid(2), .boolean(true),
            .dictionary([18, 19], [20, 21]), .ascii("$classname"), .ascii("$classes"),
            .ascii("DWSave"), .array([20]),
        ])
    }

    @Test("after many errors, a message about a missing key no longer lists other keys")
    func manyErrors() throws {
        var fields: PropertyListDictionary = [:]
        for number in 0..<1000 { fields["key number \(number)"] = 1 }
        let bytes = try Archives.make([save(fields), Archives.describe("DWSave")])
        let archive = try KeyedUnarchiver(parsing: bytes, allowing: .foundation.adding(Save.self))
        var last: KeyedArchiveError?
        for _ in 0..<10_000 { last = archiveError { try archive.unarchive(Save.self) } }
        #expect(last?.what == #"DWSave (object 1) has no key "name""#)
        #expect(last?.recovery == "`default:` reads older archives without it")
    }
}

/// The keys of an object, and the errors that `unknownFields` and `extraFields` throw for it.
private struct IntegerKeyed: KeyedDecodable {
    static let archivedClass: ArchivedClass = "DWSave"
    let keys: [String]
    let unknown: KeyedArchiveError?
    let extra: KeyedArchiveError?

    init(coder: KeyedDecoder) throws {
        keys = coder.keys
        unknown = archiveError { try coder.unknownFields(except: []) }
        extra = archiveError { try coder.extraFields(except: []) }
    }
}

// MARK: - Reading

/// Returns an object of the class that object 2 describes.
private func save(_ fields: PropertyListDictionary) -> PropertyListValue {
    var fields = fields
    fields["$class"] = .uid(2)
    return .dictionary(fields)
}

/// Decodes an archive whose root is a `DWSave` with these fields.
private func readSave(_ fields: PropertyListDictionary) throws {
    _ = try read(
        Save.self, [save(fields), Archives.describe("DWSave"), "text", ["$class": .uid(2)]],
        allowing: .foundation.adding(Save.self))
}

/// Decodes a field of an object as `type`. The archive contains `value` in this field.
private func readField<T: KeyedDecodable>(
    _ type: T.Type, _ value: PropertyListValue, _ rest: PropertyListValue...
) throws {
    let bytes = try Archives.make(
        [["x": value, "$class": .uid(2)], Archives.describe("Holder")] + rest)
    _ = try KeyedUnarchiver.unarchive(
        Holder<T>.self, from: bytes, allowing: .foundation.adding(Save.self))
}

/// An object with one field.
private struct Holder<Value: KeyedDecodable>: KeyedDecodable {
    static var archivedClass: ArchivedClass { "Holder" }

    init(coder: KeyedDecoder) throws { _ = try coder.decode(Value.self, forKey: "x") }
}

private let readingMistakes: [MessageTests.Mistake] = [
    .init(
        "a wrong key",
        #"keyed archive: DWSave (object 1) has no key "age", in root.age (its keys are "Age", "#
            + #""name"; `default:` reads older archives without it)"#
    ) { try readSave(["name": "x", "Age": 1]) },
    .init(
        "a missing key of an object without keys",
        #"keyed archive: DWSave (object 1) has no key "name", in root.name (it has no keys; "#
            + "`default:` reads older archives without it)"
    ) { try readSave([:]) },
    .init(
        "a wrong root",
        #"keyed archive: there is no root "root", in root (the roots are "State")"#
    ) {
        let bytes = try Archives.make(["x"], top: ["State": .uid(1)])
        _ = try KeyedUnarchiver.unarchive(String.self, from: bytes)
    },
    .init(
        "nil", "keyed archive: expected String, found nil, in root.x (request `String?`)"
    ) { try readField(String.self, .uid(0)) },
    .init(
        "nil of any class",
        "keyed archive: expected AnyArchived, found nil, in root.x (request `AnyArchived?`)"
    ) { try readField(AnyArchived.self, .uid(0)) },
    .init(
        "text in place of a number",
        "keyed archive: expected Int, found an object of class NSString (object 3), in root.x "
            + "(`String.self` reads it)"
    ) { try readField(Int.self, .uid(3), "text") },
    .init(
        "a plain number in place of text",
        "keyed archive: expected String, found a plain value of kind integer, in root.x "
            + "(`Int.self` reads it)"
    ) { try readField(String.self, 5) },
    .init(
        "an object of another class",
        "keyed archive: expected Save, found an object of class NSString (object 3), in root.x "
            + "(`String.self` reads it)"
    ) { try readField(Save.self, .uid(3), "text") },
    .init(
        "a number that is too large",
        "keyed archive: expected Int32, found an integer that needs 34 bits with its sign, in "
            + "root.x (`Int64.self` reads it)"
    ) { try readField(Int32.self, 4_294_967_296) },
    .init(
        "a huge integer",
        "keyed archive: expected Int, found an integer that needs 65 bits with its sign, in "
            + "root.x (`UInt64.self` reads it)"
    ) { try readField(Int.self, .integer(PropertyListInteger(UInt64.max))) },
    .init(
        "a number below zero",
        "keyed archive: expected UInt8, found an integer below zero, in root.x "
            + "(`Int64.self` reads it)"
    ) { try readField(UInt8.self, -1) },
    .init(
        "a fraction",
        "keyed archive: expected Int, found a real that it cannot represent exactly, in root.x "
            + "(`Double.self` reads it)"
    ) { try readField(Int.self, 1.5) },
    .init(
        "a boolean in place of a number",
        "keyed archive: expected Int, found a boolean, in root.x (`Bool.self` reads it)"
    ) { try readField(Int.self, true) },
    .init(
        "a number in place of a boolean",
        "keyed archive: expected Bool, found an integer, in root.x (`Int64.self` reads it)"
    ) { try readField(Bool.self, 1) },
    .init(
        "a value of a dictionary",
        "keyed archive: expected Int, found an object of class NSString (object 5), in "
            + "root.x[\"url\"] (`String.self` reads it)"
    ) {
        try readField(
            [String: Int].self, .uid(3),
            ["NS.keys": [.uid(4)], "NS.objects": [.uid(5)], "$class": .uid(6)], "url", "text",
            Archives.describe("NSDictionary"))
    },
    .init(
        "an element of an array in a dictionary",
        "keyed archive: expected Int, found an object of class NSString (object 6), in "
            + "root.x[\"list\"][0] (`String.self` reads it)"
    ) {
        try readField(
            [String: [Int]].self, .uid(3),
            ["NS.keys": [.uid(4)], "NS.objects": [.uid(5)], "$class": .uid(7)], "list",
            ["NS.objects": [.uid(6)], "$class": .uid(8)], "text",
            Archives.describe("NSDictionary"), Archives.describe("NSArray"))
    },
    .init(
        "a key that occurs twice",
        "keyed archive: a key occurs twice in a dictionary, in root.x "
            + "(`ArchivedPairs` reads all entries)"
    ) {
        try readField(
            [String: Int].self, .uid(3),
            [
                "NS.keys": [.uid(4), .uid(4)], "NS.objects": [.uid(5), .uid(5)], "$class": .uid(6),
            ], "k", 1, Archives.describe("NSDictionary"))
    },
    .init(
        "a reference in place of an inline array",
        "keyed archive: expected an inline array of references, found a reference to an object, in "
            + "root.x (`decode([T].self, forKey:)` reads an array object)"
    ) {
        _ = try read(
            Elements.self,
            [
                ["x": .uid(3), "$class": .uid(2)], Archives.describe("Holder"),
                ["NS.objects": [], "$class": .uid(4)], Archives.describe("NSArray"),
            ])
    },
    .init(
        "a negative duration",
        "keyed archive: expected a duration of at least 0 seconds, found -1.5, in root"
    ) {
        _ = try read(
            DateInterval.self,
            [
                ["NS.startDate": .uid(3), "NS.duration": -1.5, "$class": .uid(2)],
                Archives.describe("NSDateInterval"), ["NS.time": 0, "$class": .uid(4)],
                Archives.describe("NSDate"),
            ])
    },
    .init(
        "a decimal number that is too large",
        "keyed archive: a decimal number is too large: without trailing zeros in its mantissa, its "
            + "exponent exceeds 127, in root"
    ) {
        _ = try read(
            Decimal.self,
            [
                [
                    "NS.exponent": 127, "NS.length": 1, "NS.negative": false, "NS.compact": true,
                    "NS.mantissa": .data([100, 0]), "NS.mantissa.bo": 1, "$class": .uid(2),
                ], Archives.describe("NSDecimalNumber", "NSNumber", "NSValue"),
            ])
    },
    .init(
        "a hash table without an end",
        "keyed archive: expected nil after 0 elements, found the end of the values, in root"
    ) {
        _ = try read(
            ArchivedHashTable.self,
            [["$0": 0, "$class": .uid(2)], Archives.describe("NSHashTable")])
    },
    .init(
        "an attributed string whose text is not a string",
        "keyed archive: expected a string in `NSString`, found another object, in root"
    ) {
        _ = try read(
            ArchivedAttributedString.self,
            [
                ["NSString": .uid(3), "$class": .uid(2)], Archives.describe("NSAttributedString"),
                ["$class": .uid(4)], Archives.describe("Stranger"),
            ], allowing: .foundation.keepingUnknownClasses())
    },
    .init(
        "an error in another file",
        "keyed archive: expected a level, found none, in root[\"a\"], file levels.plist"
    ) {
        _ = try read(
            [String: Included].self,
            [
                ["NS.keys": [.uid(2)], "NS.objects": [.uid(3)], "$class": .uid(4)], "a",
                ["$class": .uid(5)], Archives.describe("NSDictionary"),
                Archives.describe("Included"),
            ])
    },
    .init(
        "a cycle",
        "keyed archive: reference cycle through object 1: 1 → 1, in root.x "
            + "(read one of these references with `decodeReference`)"
    ) {
        let bytes = try Archives.make([
            ["x": .uid(1), "$class": .uid(2)], Archives.describe("Holder"),
        ])
        _ = try KeyedUnarchiver.unarchive(Ring.self, from: bytes)
    },
    .init(
        "an error of the program's own coding",
        "keyed archive: expected at most 100 levels, found 200, in root[0] (update the app)"
    ) {
        let bytes = try Archives.make([
            ["NS.objects": [.uid(2)], "$class": .uid(4)],
            ["levels": 200, "$class": .uid(3)], Archives.describe("Levels"),
            Archives.describe("NSArray"),
        ])
        _ = try KeyedUnarchiver.unarchive([Levels].self, from: bytes)
    },
]

/// An object with a field of references.
private struct Elements: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Holder"

    init(coder: KeyedDecoder) throws { _ = try coder.decodeReferences(forKey: "x") }
}

/// An object that is stored in a file of its own.
private struct Included: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Included"

    init(coder: KeyedDecoder) throws {
        let error = KeyedArchiveError(.missingValue, what: "expected a level, found none")
        throw error.from("file levels.plist")
    }
}

/// An object that refers to itself.
private final class Ring: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Holder"

    init(coder: KeyedDecoder) throws { _ = try coder.decode(Ring.self, forKey: "x") }
}

/// A type that throws its own error.
private struct Levels: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Levels"

    init(coder: KeyedDecoder) throws {
        let count = try coder.decodeInteger(forKey: "levels")
        throw KeyedArchiveError(
            .valueOutOfRange, what: "expected at most 100 levels, found \(count)",
            object: coder.uid, recovery: "update the app")
    }
}

// MARK: - Classes

/// Decodes an object of the class `name` as `type`.
private func readObject<T: KeyedDecodable>(
    _ type: T.Type, of name: String, _ chain: [String] = [],
    allowing registry: ClassRegistry = .foundation
) throws {
    let described: PropertyListValue = [
        "$classname": .string(name),
        "$classes": .array(PropertyListArray(([name] + chain + ["NSObject"]).map { .string($0) })),
    ]
    let bytes = try Archives.make([
        ["name": "x", "age": 1, "sex": true, "$class": .uid(2)], described,
    ])
    _ = try KeyedUnarchiver.unarchive(type, from: bytes, allowing: registry)
}

private let classMistakes: [MessageTests.Mistake] = [
    .init(
        "a class that was renamed",
        "keyed archive: object 1 is of class OldSave, which is not allowed, in root "
            + #"(`.adding(Save.self, as: "OldSave")` would allow it, if that is another name for "#
            + "DWSave)"
    ) { try readObject(Save.self, of: "OldSave") },
    .init(
        "a subclass that is not registered",
        "keyed archive: object 1 is of class Cat, which is not allowed, in root "
            + #"(`.adding(T.self, as: "Cat")` would allow it, where T is your subclass of Pet)"#
    ) { try readObject(Pet.self, of: "Cat", ["Pet"]) },
    .init(
        "a class that the archive chooses",
        "keyed archive: object 1 is of class App.Thing, which is not allowed, in root "
            + #"(`.adding(T.self, as: "App.Thing")`, with T the type of its objects, would allow it; "#
            + #"`.allowing("App.Thing")` keeps them undecoded)"#
    ) { try readObject(AnyArchived.self, of: "App.Thing") },
    .init(
        "a class of Foundation",
        "keyed archive: object 1 is of class NSUUID, which is not allowed, in root "
            + "(`.adding(UUID.self)` would allow it)"
    ) { try readObject(AnyArchived.self, of: "NSUUID", allowing: .commonClasses) },
    .init(
        "a class of Foundation in place of another",
        "keyed archive: object 1 is of class NSUUID, which is not allowed, in root "
            + "(Save is requested here; `UUID.self` reads this class)"
    ) { try readObject(Save.self, of: "NSUUID", allowing: .commonClasses) },
    .init(
        "a class of AppKit",
        "keyed archive: object 1 is of class NSColor, which is not allowed, in root "
            + "(`.merging(.appKit)` of the product AppKitArchive would allow it)"
    ) { try readObject(AnyArchived.self, of: "NSColor") },
    .init(
        "a class without a type",
        "keyed archive: object 1 is of class App.Thing, which is allowed but has no Swift type, in "
            + #"root (`.adding(T.self, as: "App.Thing")`, with T the type of its objects, would decode "#
            + "them; `OpaqueObject.self` reads them undecoded)"
    ) {
        try readObject(Save.self, of: "App.Thing", allowing: .foundation.allowing("App.Thing"))
    },
]

// MARK: - Files

/// Parses an archive.
private func parse(_ bytes: [UInt8]) throws { _ = try KeyedUnarchiver(parsing: bytes) }

private let fileMistakes: [MessageTests.Mistake] = [
    .init(
        "a file that was cut off",
        "binary property list: expected the number of objects to be below 2⁶³, found "
            + "15138312589724492899 at byte 131 (the file may be truncated: copy or download it "
            + "again)"
    ) { try parse(Array(KeyedArchiver.archive(["a", "b"]).dropLast(80))) },
    .init(
        "a file that was cut off within text",
        "binary property list: expected offsets of 1 to 8 bytes, found 108 at byte 54 (the file "
            + "may be truncated: copy or download it again)"
    ) {
        var bytes = Array("bplist00".utf8) + [UInt8](repeating: 0, count: 72)
        bytes[54] = UInt8(ascii: "l")
        try parse(bytes)
    },
    .init(
        "a file in XML that was cut off",
        "XML property list: expected `</string>`, found the end of the text at line 1, column 24, in "
            + "[0] (the file may be truncated: copy or download it again)"
    ) { try parse(Array("<plist><array><string>a".utf8)) },
    .init(
        "a file without contents",
        "property list: the input is empty at byte 0 (create or copy the file again)"
    ) { try parse([]) },
    .init(
        "a file of another kind",
        "property list: unrecognized format: not a binary, XML, OpenStep or JSON property list at "
            + "byte 0 (check that this is the right input)"
    ) { try parse([0xFF, 0xD8, 0xFF, 0xE0]) },
    .init(
        "a file that is packed",
        "property list: expected a property list, found a ZIP archive at byte 0 (unzip it, and "
            + "read the files in it)"
    ) { try parse(Array("PK\u{3}\u{4}".utf8)) },
    .init(
        "another property list",
        "keyed archive: this is not a keyed archive: the root has no `$archiver` "
            + "(`PropertyListDocument` and `PlistDecoder` read other property lists)"
    ) { try parse(Array("<plist><dict/></plist>".utf8)) },
    .init(
        "another version",
        "keyed archive: expected version 100000, found 99999 (update the library, or archive the "
            + "objects with a current system)"
    ) { try parse(Archives.make(["x"], changing: "$version", to: 99_999)) },
    .init(
        "a reference to an object that does not exist",
        "keyed archive: expected a reference to one of 2 objects, found one to object 9"
    ) { try parse(Archives.make(["x"], top: ["root": .uid(9)])) },
]

// MARK: - Writing

/// A type that is only encoded.
private struct Report: KeyedEncodable {
    static let archivedClass: ArchivedClass = "DWReport"

    func encode(with coder: KeyedEncoder) throws {}
}

/// A subclass without an archived class name.
private final class Puppy: Pet {}

private let writingMistakes: [MessageTests.Mistake] = [
    .init(
        "a class that is not registered",
        "keyed archive: a value is of class DWSave, which is not allowed, in root[\"best\"] "
            + "(`.adding(Save.self)` would allow it)"
    ) {
        _ = try KeyedArchiver.archive(["best": AnyArchived(Save(name: "", age: 1, sex: true))])
    },
    .init(
        "a class that is only written",
        "keyed archive: a value is of class DWReport, which is not allowed, in root.x "
            + #"(`.allowing("DWReport")` would allow it; Report is only `KeyedEncodable`)"#
    ) {
        _ = try KeyedArchiver.archive(
            AnyHolder(value: Report()), allowing: .foundation.allowing("Holder"))
    },
    .init(
        "a run after the end of the text",
        "keyed archive: expected runs of 2 UTF-16 units in total, found a further run, in root"
    ) {
        let dictionary = AnyArchived(ArchivedPairs<AnyArchived, AnyArchived>([]))
        let run = ArchivedAttributedString.Run(length: 2, dictionaryIndex: 0)
        _ = try KeyedArchiver.archive(
            ArchivedAttributedString("ab", dictionaries: [dictionary], runs: [run, run]))
    },
    .init(
        "a run beyond the text",
        "keyed archive: expected a run of 1 to 2 UTF-16 units with a dictionary index below 1, "
            + "found 3 units and index 0, in root"
    ) {
        let dictionary = AnyArchived(ArchivedPairs<AnyArchived, AnyArchived>([]))
        _ = try KeyedArchiver.archive(
            ArchivedAttributedString(
                "ab", dictionaries: [dictionary], runs: [.init(length: 3, dictionaryIndex: 0)]))
    },
    .init(
        "a run without attribute dictionaries",
        "keyed archive: expected no runs in a string without attribute dictionaries, found a run of 2 UTF-16 "
            + "units, in root"
    ) {
        _ = try KeyedArchiver.archive(
            ArchivedAttributedString(
                "ab", dictionaries: [], runs: [.init(length: 2, dictionaryIndex: 0)]))
    },
    .init(
        "a subclass without a class name of its own",
        "keyed archive: Puppy would be archived as Pet, the class of its superclass Pet, in root[0] "
            + "(add to Puppy: `override class var archivedClass: ArchivedClass { "
            + #"super.archivedClass.subclass("Puppy") }`)"#
    ) { _ = try KeyedArchiver.archive([Puppy(name: "p") as Pet]) },
    .init(
        "too many nested objects",
        "keyed archive: expected at most 2 nested objects, found more, in root[0][0] (raise "
            + "`ParsingLimits.depth` for the archiver, and for the unarchiver)"
    ) {
        var limits = ParsingLimits.default
        limits.depth = 2
        _ = try KeyedArchiver.archive([[["x"]]], limits: limits)
    },
    .init(
        "an archive that is finished twice",
        "keyed archive: the archive is finished (create a new `KeyedArchiver`)"
    ) {
        let archiver = KeyedArchiver()
        _ = try archiver.finish()
        _ = try archiver.finish()
    },
    .init(
        "an archive that is finished while an object is encoded",
        "keyed archive: the archive is finished within the `encode(with:)` of an object, in root "
            + "(finish the archive after its last root)"
    ) {
        let archiver = KeyedArchiver(allowing: .foundation.allowing("Ending"))
        archiver.roots.encode(Ending(archiver: archiver), forKey: "root")
        _ = try archiver.finish()
    },
    .init(
        "a value that a property list cannot represent",
        "keyed archive: a property list cannot represent a value of type URL, in [\"site\"] "
            + "(return a replacement from the closure of `propertyListValue(otherwise:)`)"
    ) {
        let url = try #require(URL(string: "https://example.org"))
        _ = try AnyArchived(["site": url]).propertyListValue()
    },
]

/// Finishes its archive while it is encoded.
private struct Ending: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Ending"
    let archiver: KeyedArchiver

    func encode(with coder: KeyedEncoder) { _ = try? archiver.finish() }
}

/// Encodes a value of any class.
private struct AnyHolder: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Holder"
    let value: any KeyedEncodable

    func encode(with coder: KeyedEncoder) throws { coder.encode(value, forKey: "x") }
}

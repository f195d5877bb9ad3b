// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import Testing

/// Whole tasks that programs perform with archives.
@Suite("Recipes")
struct RecipeTests {
    @Test("a save is written to a file and read back")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "save-\(UUID()).plist")
        defer { try? FileManager.default.removeItem(at: file) }
        let save = Save(name: "Anna", age: 36, sex: true)
        try KeyedArchiver.archivedData(withRootObject: save).write(to: file, options: .atomic)
        let back = try KeyedUnarchiver.unarchive(Save.self, from: Data(contentsOf: file))
        #expect(back == save)
    }

    private func data(of values: [String: AnyArchived]) throws -> [UInt8] {
        let archiver = KeyedArchiver(allowing: .commonClasses)
        archiver.roots.encode(Mutable(values), forKey: "values")
        return try archiver.finish()
    }

    private func values(in data: [UInt8]) -> [String: AnyArchived] {
        do {
            let archive = try KeyedUnarchiver(
                parsing: data, allowing: .commonClasses, limits: .untrusted)
            return try archive.roots.decode(forKey: "values")
        } catch {
            return [:]
        }
    }

    @Test("a dictionary of common classes is stored under one key")
    func dictionary() throws {
        let bytes = try data(of: [
            "name": AnyArchived("Anna"), "age": AnyArchived(36), "ok": AnyArchived(true),
            "when": AnyArchived(Date(timeIntervalSinceReferenceDate: 0)),
            "note": AnyArchived(Mutable("n")), "blob": AnyArchived(Data([1, 2])),
        ])
        let back = values(in: bytes)
        #expect(back.count == 6)
        #expect(back["name"]?.value(as: String.self) == "Anna")
        #expect(back["age"]?.value(as: Int.self) == 36)
        #expect(back["ok"]?.value(as: Bool.self) == true)
        #expect(back["age"]?.value(as: Bool.self) == nil)
        #expect(back["when"]?.value(as: Date.self)?.timeIntervalSinceReferenceDate == 0)
        #expect(back["note"]?.value(as: String.self) == "n")
        #expect(back["blob"]?.value(as: Data.self) == Data([1, 2]))
        let graph = try ArchiveGraph(parsing: bytes)
        #expect(graph.archivedClass(of: 1)?.name == "NSMutableDictionary")
    }

    @Test(
        "a value that is not of a common class is refused with its path before anything is written")
    func refused() throws {
        let others: [AnyArchived] = [
            AnyArchived(UUID()), AnyArchived(["a"]), AnyArchived(["a": "b"]),
            AnyArchived(Save(name: "", age: 0, sex: false)), AnyArchived(ArchivedNull()),
            AnyArchived(["a"] as PropertyListValue), AnyArchived(["a": "b"] as PropertyListValue),
        ]
        for other in others {
            let refused = archiveError { try data(of: ["a": AnyArchived(1), "b": other]) }
            #expect(refused?.code == .classNotAllowed)
            #expect(refused?.path?.description == #"values["b"]"#)
        }
    }

    @Test(
        "a value of an uncommon class is refused, and unreadable data gives an empty dictionary"
    )
    func reset() throws {
        let archiver = KeyedArchiver()
        archiver.roots.encode(["a": AnyArchived(UUID())], forKey: "values")
        let foreign = try archiver.finish()
        #expect(values(in: foreign).isEmpty)
        let archive = try KeyedUnarchiver(parsing: foreign, allowing: .commonClasses)
        let refused = archiveError {
            try archive.roots.decode([String: AnyArchived].self, forKey: "values")
        }
        #expect(refused?.code == .classNotAllowed)
        #expect(values(in: Array(foreign.dropLast(3))).isEmpty)
        #expect(values(in: []).isEmpty)
    }

    @Test("a renamed class is decoded under its old name, and encoded under it on request")
    func renamed() throws {
        let save = Save(name: "x", age: 1, sex: true)
        let old = ClassRegistry.foundation.adding(Save.self, writtenAs: "_TtC3App4Save")
        let bytes = try KeyedArchiver.archive(save, allowing: old)
        let description = try #require(ArchiveGraph(parsing: bytes).archivedClass(of: 1))
        #expect(description.name == "_TtC3App4Save" && description.chain == nil)
        let renamed = ClassRegistry.foundation.adding(Save.self, as: "App.Save")
        #expect(try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: renamed) == save)
        #expect(try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: old) == save)
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(Save.self, from: bytes) }?.code
                == .classNotAllowed)
    }

    @Test("a removed name is not written, even if a type was to be written under it")
    func removedName() throws {
        let removed = ClassRegistry.foundation.adding(Partial.self, writtenAs: "Other")
            .removing("Other")
        #expect(!removed.allows("Other"))
        let bytes = try Archives.make([
            ["name": .uid(3), "$class": .uid(2)], Archives.describe("Partial"), "Anna",
        ])
        let partial = try KeyedUnarchiver.unarchive(
            Partial.self, from: bytes, allowing: .foundation.adding(Partial.self))
        let written = try KeyedArchiver.archive(partial, allowing: removed)
        #expect(try ArchiveGraph(parsing: written).archivedClass(of: 1)?.name == "Partial")
    }

    @Test("`writtenAs` replaces the name of a type's own class, but not those of its aliases")
    func renamedOwnClass() throws {
        func name(_ value: some KeyedCodable) throws -> String? {
            let registry = ClassRegistry.foundation.adding(type(of: value), writtenAs: "Other")
            let bytes = try KeyedArchiver.archive(value, allowing: registry)
            return try ArchiveGraph(parsing: bytes).archivedClass(of: 1)?.name
        }
        let linear = ArchivedUnitConverter.linear(coefficient: 1, constant: 0)
        #expect(try name(linear) == "Other")
        #expect(
            try name(ArchivedUnitConverter.reciprocal(1)) == "NSUnitConverterReciprocal")
        #expect(try name(ArchivedUnit(symbol: "x")) == "Other")
        let length = ArchivedUnit("NSUnitLength", symbol: "m", converter: linear)
        #expect(try name(length) == "NSUnitLength")
        let range = ArchivedRange(location: 0, length: 1)
        func match(_ count: Int) -> ArchivedRegularExpressionMatch {
            ArchivedRegularExpressionMatch(
                range: range, ranges: Array(repeating: range, count: count),
                regularExpression: nil)
        }
        #expect(try name(match(1)) == "Other")
        #expect(try name(match(2)) == "NSExtendedRegularExpressionCheckingResult")
    }

    @Test("a shared value is written under another name even if its own name is removed")
    func renamedShared() throws {
        func rewritten<T: KeyedCodable>(_ type: T.Type, _ object: PropertyListValue) throws {
            let own = type.archivedClass.name
            let bytes = try Archives.make([
                ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(5)], object, "x",
                Archives.describe(own), Archives.describe("NSArray"),
            ])
            let read = ClassRegistry.foundation.adding(type)
            let list = try KeyedUnarchiver.unarchive(
                [AnyArchived].self, from: bytes, allowing: read)
            let renamed = read.adding(type, writtenAs: "Other").removing(own)
            let graph = try ArchiveGraph(
                parsing: KeyedArchiver.archive(list, allowing: renamed))
            #expect(graph.archivedClass(of: 2)?.name == "Other")
        }
        try rewritten(Partial.self, ["name": .uid(3), "$class": .uid(4)])
        try rewritten(ArchivedTimeZone.self, ["NS.name": .uid(3), "$class": .uid(4)])
        try rewritten(ArchivedLocale.self, ["NS.identifier": .uid(3), "$class": .uid(4)])
        try rewritten(ArchivedCalendar.self, ["NS.identifier": .uid(3), "$class": .uid(4)])
        try rewritten(ArchivedUnit.self, ["NS.symbol": .uid(3), "$class": .uid(4)])
    }

    @Test("fields unknown to a type are kept, with the objects they refer to")
    func unknownFields() throws {
        let bytes = try Archives.make([
            [
                "name": .uid(3), "level": 4, "extra": .uid(4), "list": [.uid(4), .uid(3)],
                "self": .uid(1), "$class": .uid(2),
            ],
            Archives.describe("Partial"), "Anna",
            ["deep": .uid(3), "more": .uid(6), "$class": .uid(5)],
            Archives.describe("Stranger"), ["back": .uid(4), "$class": .uid(5)],
        ])
        let keeping = ClassRegistry.foundation.adding(Partial.self).keepingUnknownClasses()
        let partial = try KeyedUnarchiver.unarchive(Partial.self, from: bytes, allowing: keeping)
        #expect(
            partial.name == "Anna" && partial.unknown.keys == ["level", "extra", "list", "self"])
        let again = try ArchiveGraph(
            parsing: KeyedArchiver.archive(partial, allowing: keeping))
        guard case .object(let object) = again[1], case .uid(let extra) = object["extra"],
            case .object(let stranger) = again[extra], case .uid(let more) = stranger["more"],
            case .object(let inner) = again[more]
        else {
            Issue.record("the objects are not there")
            return
        }
        #expect(object["level"] == 4)
        #expect(again.archivedClass(of: extra)?.name == "Stranger")
        #expect(inner["back"] == .uid(extra))
        #expect(object["list"]?[0] == .uid(extra))
        #expect(
            archiveError {
                try KeyedUnarchiver.unarchive(
                    Partial.self, from: bytes, allowing: .foundation.adding(Partial.self))
            }?.code == .classNotAllowed)
    }

    @Test("unread values without a key are kept in their order, or refused")
    func unreadValues() throws {
        // Eleven values, in the order of XML archives, which sort keys.
        var fields: PropertyListDictionary = ["name": .uid(3), "$class": .uid(2)]
        for position in (0...10).sorted(by: { "\($0)" < "\($1)" }) {
            fields["$\(position)"] =
                position == 4 ? .uid(4) : .integer(PropertyListInteger(100 + position))
        }
        var objects: [PropertyListValue] = [
            .dictionary(fields), Archives.describe("Partial"), "Anna",
            ["secret": 1, "$class": .uid(5)], Archives.describe("Stranger"),
        ]
        let listed = ClassRegistry.foundation.adding(Partial.self).adding(Lenient.self)
        let keeping = listed.keepingUnknownClasses()
        let partial = try KeyedUnarchiver.unarchive(
            Partial.self, from: Archives.make(objects), allowing: keeping)
        #expect(partial.unknown.keys.isEmpty && partial.unknown.unkeyedCount == 11)
        let written = try KeyedArchiver.archive(partial, allowing: keeping)
        #expect(try Specimens.graph(written) == Specimens.graph(Archives.make(objects)))
        #expect(
            archiveError {
                try KeyedUnarchiver.unarchive(
                    Partial.self, from: Archives.make(objects), allowing: listed)
            }?.code == .classNotAllowed)

        objects[1] = Archives.describe("Lenient")
        let lenient = try KeyedUnarchiver.unarchive(
            Lenient.self, from: Archives.make(objects), allowing: keeping)
        #expect(lenient.extra.unkeyedCount == 10 && lenient.extra.ignoredKeys.isEmpty)
        #expect(
            try Specimens.graph(KeyedArchiver.archive(lenient, allowing: keeping))
                == Specimens.graph(Archives.make(objects)))
        // Leaving out the object at position 4 would renumber the values after it, so none is kept.
        let without = try KeyedUnarchiver.unarchive(
            Lenient.self, from: Archives.make(objects), allowing: listed)
        #expect(without.extra.unkeyedCount == 0)
        #expect(Set(without.extra.ignoredKeys) == Set((1...10).map { "$\($0)" }))
    }

    @Test("reserved keys without a known meaning are refused, or listed as ignored")
    func reservedKeys() throws {
        func objects(_ name: String) -> [PropertyListValue] {
            [
                ["$0": 100, "$2": 2, "$01": 1, "$other": 3, "$class": .uid(2)],
                Archives.describe(name),
            ]
        }
        let lenient = try KeyedUnarchiver.unarchive(
            Lenient.self, from: Archives.make(objects("Lenient")))
        #expect(lenient.extra.keys.isEmpty && lenient.extra.unkeyedCount == 0)
        #expect(lenient.extra.ignoredKeys == ["$2", "$01", "$other"])
        let error = archiveError {
            try KeyedUnarchiver.unarchive(Strict.self, from: Archives.make(objects("Strict")))
        }
        #expect(error?.code == .malformedObject && error?.object == 1)
        #expect(error?.what.contains("`$2`") == true)
    }

    @Test("values without a key count as read after the call that keeps them")
    func keptOnce() throws {
        let bytes = try Archives.make([
            ["$0": 100, "$1": 101, "$class": .uid(2)], Archives.describe("Lenient"),
        ])
        let read = try KeyedUnarchiver.unarchive(Lenient.self, from: bytes)
        #expect(read.extra.unkeyedCount == 1)
        #expect(read.second.unkeyedCount == 0 && !read.hasNext)
    }

    @Test(
        "an opaque object is written back with the objects it refers to, whose numbers may change")
    func opaque() throws {
        for name in ["cycle", "hints", "nodes", "object-keys", "save"] {
            let bytes = try Archives.fixture(name)
            let contents = try ArchiveContents(parsing: bytes)
            let keys = contents.top.filter { $0.value.uid != nil }.map(\.key)
            #expect(keys.contains("root"), "\(name)")
            let allowed = ClassRegistry.foundation.keepingUnknownClasses()
            let archive = try KeyedUnarchiver(parsing: bytes, allowing: allowed)
            for key in keys {
                let opaque = try archive.unarchive(OpaqueObject.self, forKey: key)
                let once = try KeyedArchiver.archive(opaque, allowing: allowed)
                #expect(
                    try Specimens.graph(once) == Specimens.graph(bytes, from: key),
                    "\(name), \(key)")
                #expect(try ArchiveGraph(parsing: once).objects.count <= contents.objects.count)
                let twice = try KeyedArchiver.archive(
                    KeyedUnarchiver.unarchive(OpaqueObject.self, from: once, allowing: allowed),
                    allowing: allowed)
                #expect(once == twice, "\(name), \(key)")
            }
        }
    }
}

/// A type that keeps its unknown fields.
struct Partial: KeyedCodable {
    static let archivedClass: ArchivedClass = "Partial"
    let name: String
    let unknown: OpaqueFields

    func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "name")
        coder.encode(unknown)
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        unknown = try coder.unknownFields(except: ["name"])
    }
}

/// A type that ignores what it cannot keep, and reads one value without a key.
private struct Lenient: KeyedCodable {
    static let archivedClass: ArchivedClass = "Lenient"
    let name: String?
    let first: Int
    let extra: ArchivedExtraFields
    let second: ArchivedExtraFields
    let hasNext: Bool

    func encode(with coder: KeyedEncoder) throws {
        coder.encodeUnkeyed(ArchivedNumber.integer(PropertyListInteger(first)))
        coder.encode(extra)
        coder.encodeIfPresent(name, forKey: "name")
    }

    init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "name")
        first = try coder.decodeUnkeyed()
        extra = try coder.extraFields(except: ["name"])
        second = try coder.extraFields(except: ["name"])
        hasNext = coder.nextUnkeyed() != nil
    }
}

/// A type that refuses what it cannot keep.
private struct Strict: KeyedCodable {
    static let archivedClass: ArchivedClass = "Strict"

    func encode(with coder: KeyedEncoder) {}

    init(coder: KeyedDecoder) throws { _ = try coder.unknownFields(except: []) }
}

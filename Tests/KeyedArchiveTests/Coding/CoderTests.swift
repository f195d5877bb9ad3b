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

@Suite("KeyedEncoder and KeyedDecoder")
struct CoderTests {
    @Test("the coders support numbers of all widths, stored inline")
    func widths() throws {
        let archiver = KeyedArchiver()
        let roots = archiver.roots
        roots.encode(Int8.min, forKey: "i8")
        roots.encode(Int16.min, forKey: "i16")
        roots.encode(Int32.min, forKey: "i32")
        roots.encode(Int64.min, forKey: "i64")
        roots.encode(Int.max, forKey: "i")
        roots.encode(UInt8.max, forKey: "u8")
        roots.encode(UInt16.max, forKey: "u16")
        roots.encode(UInt32.max, forKey: "u32")
        roots.encode(UInt64.max, forKey: "u64")
        roots.encode(UInt.max, forKey: "u")
        roots.encode(Float.pi, forKey: "f")
        roots.encode(Double.pi, forKey: "d")
        roots.encode(true, forKey: "b")
        roots.encodeBytes([1, 2, 3], forKey: "bytes")
        let bytes = try archiver.finish()
        #expect(try ArchiveGraph(parsing: bytes).objects.count == 1)
        let back = try KeyedUnarchiver(parsing: bytes).roots
        #expect(try back.decode(Int8.self, forKey: "i8") == .min)
        #expect(try back.decode(Int16.self, forKey: "i16") == .min)
        #expect(try back.decodeInt32(forKey: "i32") == .min)
        #expect(try back.decodeInt64(forKey: "i64") == .min)
        #expect(try back.decodeInteger(forKey: "i") == .max)
        #expect(try back.decode(UInt8.self, forKey: "u8") == .max)
        #expect(try back.decode(UInt16.self, forKey: "u16") == .max)
        #expect(try back.decode(UInt32.self, forKey: "u32") == .max)
        #expect(try back.decode(UInt64.self, forKey: "u64") == .max)
        #expect(try back.decode(UInt.self, forKey: "u") == .max)
        #expect(try back.decodeFloat(forKey: "f") == .pi)
        #expect(try back.decodeDouble(forKey: "d") == .pi)
        #expect(try back.decodeDouble(forKey: "f") == Double(Float.pi))
        #expect(try back.decodeBool(forKey: "b"))
        #expect(try Array(back.decodeBytes(forKey: "bytes")) == [1, 2, 3])
        #expect(try back.decode(Data?.self, forKey: "bytes") == Data([1, 2, 3]))
        #expect(archiveError { try back.decodeInt32(forKey: "i64") }?.code == .valueOutOfRange)
        #expect(archiveError { try back.decodeInteger(forKey: "u") }?.code == .valueOutOfRange)
        #expect(archiveError { try back.decodeFloat(forKey: "d") }?.code == .valueOutOfRange)
        #expect(archiveError { try back.decodeInteger(forKey: "b") }?.code == .wrongType)
    }

    @Test("the coders distinguish a missing value, nil and a default")
    func missing() throws {
        let archiver = KeyedArchiver()
        archiver.roots.encode(nil as String?, forKey: "nil")
        let roots = try KeyedUnarchiver(parsing: archiver.finish()).roots
        #expect(roots.containsValue(forKey: "nil") && !roots.containsValue(forKey: "none"))
        #expect(try roots.decode(String?.self, forKey: "nil") == nil)
        #expect(try roots.decode(String?.self, forKey: "none") == nil)
        #expect(try roots.decodeObject(of: String.self, forKey: "nil") == nil)
        #expect(try roots.decode(String.self, forKey: "none", default: "d") == "d")
        #expect(try roots.decode(Int.self, forKey: "nil", default: 5) == 5)
        let missing = archiveError { try roots.decode(String.self, forKey: "none") }
        #expect(missing?.code == .missingValue)
        #expect(missing?.path?.description == "none")
        #expect(
            archiveError { try roots.decode(String.self, forKey: "nil") }?.code == .missingValue)
    }

    @Test("the coders escape keys that begin with a dollar sign")
    func dollar() throws {
        let archiver = KeyedArchiver()
        for key in ["$class", "$0x", "$$", "$", ""] { archiver.roots.encode(1, forKey: key) }
        let bytes = try archiver.finish()
        let graph = try ArchiveGraph(parsing: bytes)
        #expect(graph.roots.keys == ["$$class", "$$0x", "$$$", "$$", ""])
        let roots = try KeyedUnarchiver(parsing: bytes).roots
        #expect(roots.keys == ["$class", "$0x", "$$", "$", ""])
        #expect(try roots.decodeInteger(forKey: "$class") == 1)
        #expect(roots.nextUnkeyed() == nil)
    }

    @Test("a key that is encoded twice is an error")
    func twice() {
        let archiver = KeyedArchiver()
        archiver.roots.encode(1, forKey: "a")
        archiver.roots.encode(2, forKey: "a")
        let error = archiveError { try archiver.finish() }
        #expect(error?.code == .duplicateKey)
        #expect(error?.what == "`a` is written twice in the list of roots")
    }

    @Test(
        "using an encoder after its object or its archive is complete is an error"
    )
    func misuse() throws {
        let leaky = Leaky()
        let archiver = KeyedArchiver(allowing: .foundation.adding(Leaky.self))
        archiver.roots.encode(leaky, forKey: "a")
        leaky.coder?.encode(1, forKey: "late")
        #expect(archiveError { try archiver.finish() }?.code == .misuse)
        let finished = KeyedArchiver()
        _ = try finished.finish()
        #expect(archiveError { try finished.finish() }?.code == .misuse)
        finished.roots.encode("x", forKey: "x")
        #expect(archiveError { try finished.finish() }?.what == "the archive is finished")
    }

    @Test("after an object fails to encode, there is no output, even if the program continues")
    func failure() {
        let archiver = KeyedArchiver()
        archiver.roots.encode([AnyArchived(Save(name: "", age: 0, sex: false))], forKey: "a")
        archiver.roots.encode(1, forKey: "b")
        #expect(archiveError { try archiver.finish() }?.code == .classNotAllowed)
    }

    @Test("values without keys are decoded in the order of encoding, for each object")
    func unkeyed() throws {
        let archiver = KeyedArchiver(allowing: .foundation.adding(Old.self))
        archiver.roots.encode([Old(1, "a"), Old(2, "b")], forKey: "root")
        let bytes = try archiver.finish()
        guard case .object(let object) = try ArchiveGraph(parsing: bytes)[2] else {
            Issue.record("no object")
            return
        }
        #expect(object["$0"] == 1)
        #expect(object["$1"]?.uid != nil)
        let back = try KeyedUnarchiver.unarchive([Old].self, from: bytes)
        #expect(back.map(\.number) == [1, 2] && back.map(\.text) == ["a", "b"])
        let short = try Archives.make([["$0": 5, "$class": .uid(2)], Archives.describe("Old")])
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(Old.self, from: short) }?.code
                == .missingValue)
    }

    @Test("collections are decoded from both forms: a list, or numbered keys")
    func indexed() throws {
        let bytes = try Archives.make([
            ["NS.object.0": .uid(3), "NS.object.1": .uid(4), "$class": .uid(2)],
            Archives.describe("NSArray"), "a", "b",
        ])
        #expect(try KeyedUnarchiver.unarchive([String].self, from: bytes) == ["a", "b"])
        let pairs = try Archives.make([
            ["NS.key.0": .uid(3), "NS.object.0": .uid(4), "$class": .uid(2)],
            Archives.describe("NSDictionary"), "a", "b",
        ])
        #expect(try KeyedUnarchiver.unarchive([String: String].self, from: pairs) == ["a": "b"])
    }

    @Test("the first matching type of several is decoded")
    func anyOf() throws {
        let archiver = KeyedArchiver()
        archiver.roots.encode("text", forKey: "s")
        archiver.roots.encode(Date(timeIntervalSinceReferenceDate: 1), forKey: "d")
        let roots = try KeyedUnarchiver(parsing: archiver.finish()).roots
        #expect(try roots.decodeObject(ofAny: [Date.self, String.self], forKey: "s") is String)
        #expect(try roots.decodeObject(ofAny: [Date.self, String.self], forKey: "d") is Date)
        #expect(try roots.decodeObject(ofAny: [String.self], forKey: "none") == nil)
        let error = archiveError { try roots.decodeObject(ofAny: [Data.self], forKey: "s") }
        #expect(error?.code == .wrongType)
        #expect(error?.what == "expected Data, found an object of class NSString (object 1)")
    }

    @Test("mangled names of Swift classes are read as qualified names")
    func mangled() throws {
        for name in ["_TtC3App7Reading", "App.Reading"] {
            let bytes = try Archives.make([
                ["when": .uid(3), "tags": .uid(5), "$class": .uid(2)],
                Archives.describe(name), ["NS.time": 1.0, "$class": .uid(4)],
                Archives.describe("NSDate"),
                ["NS.keys": [], "NS.objects": [], "$class": .uid(6)],
                Archives.describe("NSDictionary"),
            ])
            let reading = try KeyedUnarchiver.unarchive(Reading.self, from: bytes)
            #expect(reading.when.timeIntervalSinceReferenceDate == 1 && reading.celsius == nil)
        }
        for name in ["_TtC3App", "_Tt3App7Reading", "_TtC9App7Reading", "_TtC3App7Readin", "_Tt"] {
            let bytes = try Archives.make([["$class": .uid(2)], Archives.describe(name)])
            #expect(
                archiveError { try KeyedUnarchiver.unarchive(Reading.self, from: bytes) }?.code
                    == .classNotAllowed)
        }
    }

    @Test(
        "an object of an allowed class without a Swift type is an error, unless decoded as AnyArchived"
    )
    func unknownClass() throws {
        let bytes = try Archives.make([["$class": .uid(2)], Archives.describe("Stranger")])
        let allowed = ClassRegistry.foundation.allowing("Stranger")
        let error = archiveError {
            try KeyedUnarchiver.unarchive(Save.self, from: bytes, allowing: allowed)
        }
        #expect(error?.code == .unknownClass)
        let any = try KeyedUnarchiver.unarchive(AnyArchived.self, from: bytes, allowing: allowed)
        #expect((any.value as? OpaqueObject)?.archivedClass?.name == "Stranger")
    }
}

/// A value that leaks its encoder.
private final class Leaky: KeyedCodable {
    static let archivedClass: ArchivedClass = "Leaky"
    var coder: KeyedEncoder?

    init() {}
    func encode(with coder: KeyedEncoder) { self.coder = coder }
    init(coder: KeyedDecoder) throws {}
}

/// A type that encodes its fields without keys.
private struct Old: KeyedCodable {
    static let archivedClass: ArchivedClass = "Old"
    let number: Int
    let text: String

    init(_ number: Int, _ text: String) {
        self.number = number
        self.text = text
    }

    func encode(with coder: KeyedEncoder) {
        coder.encodeUnkeyed(.integer(PropertyListInteger(number)))
        coder.encodeUnkeyed(text)
    }

    init(coder: KeyedDecoder) throws {
        number = try coder.decodeUnkeyed()
        text = try coder.decodeUnkeyed()
    }
}

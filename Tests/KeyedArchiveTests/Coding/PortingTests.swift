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

@Suite("Behavior that ported programs expect")
struct PortingTests {
    // MARK: - Methods named as in Foundation

    @Test("roots are encoded to and decoded from data, and may be nil")
    func roots() throws {
        let save = Save(name: "Anna", age: 1, sex: true)
        let data: Data = try KeyedArchiver.archivedData(withRootObject: save)
        #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Save.self, from: data) == save)
        let none: Data = try KeyedArchiver.archivedData(withRootObject: Save?.none)
        #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Save.self, from: none) == nil)
        let archiver = KeyedArchiver()
        archiver.roots.encode(save, forKey: "root")
        #expect(try archiver.encodedData() == data)
        let any = try KeyedUnarchiver.unarchive(ofAny: [Pet.self, Save.self], from: data)
        #expect(any as? Save == save)
    }

    @Test("collections and property lists may be missing")
    func collections() throws {
        let archiver = KeyedArchiver()
        archiver.roots.encode(["a", "b"], forKey: "names")
        archiver.roots.encode(["a": 1], forKey: "ages")
        archiver.roots.encode(["a": ["b"]] as PropertyListValue, forKey: "tree")
        let roots = try KeyedUnarchiver(parsing: archiver.encodedData()).roots
        #expect(
            try roots.decodeArrayOfObjects(ofClass: String.self, forKey: "names") == ["a", "b"])
        #expect(try roots.decodeArrayOfObjects(ofClass: String.self, forKey: "x") == nil)
        let ages = try roots.decodeDictionary(
            withKeysOfClass: String.self, objectsOfClass: Int.self, forKey: "ages")
        #expect(ages == ["a": 1])
        #expect(try roots.decodePropertyList(forKey: "tree") == ["a": ["b"]])
        #expect(try roots.decodePropertyList(forKey: "x") == nil)
    }

    // MARK: - Numbers

    @Test("lossy number conversions, and conversions to or from Booleans, happen only on request")
    func convertedNumbers() throws {
        let archiver = KeyedArchiver()
        archiver.roots.encode(1, forKey: "one")
        archiver.roots.encode(-2.75, forKey: "real")
        archiver.roots.encode(true, forKey: "true")
        archiver.roots.encode(Int.max, forKey: "most")
        let aboveMiddle: Int = (1 << 62) + (1 << 38) + 1
        archiver.roots.encode(aboveMiddle, forKey: "aboveMiddle")
        archiver.roots.encode(1e300, forKey: "huge")
        archiver.roots.encode([1.5, 2.5], forKey: "list")
        let archive = try KeyedUnarchiver(parsing: archiver.finish())
        let roots = archive.roots
        #expect(!archive.convertsNumbers)
        #expect(archiveError { try roots.decodeBool(forKey: "one") }?.code == .wrongType)
        #expect(archiveError { try roots.decodeInteger(forKey: "real") }?.code == .valueOutOfRange)
        archive.convertsNumbers = true
        #expect(try roots.decodeBool(forKey: "one") && roots.decodeBool(forKey: "real"))
        #expect(try roots.decodeInteger(forKey: "real") == -2)
        #expect(try roots.decodeInteger(forKey: "true") == 1)
        #expect(try roots.decode(UInt8.self, forKey: "true") == 1)
        #expect(try roots.decodeFloat(forKey: "most") == Float(Int.max))
        // The nearest `Double` is halfway between two `Float` values, and would be rounded down.
        #expect(try roots.decodeFloat(forKey: "aboveMiddle") == 0x1p62 + 0x1p39)
        #expect(try roots.decodeDouble(forKey: "most") == Double(Int.max))
        #expect(try roots.decodeDouble(forKey: "true") == 1)
        #expect(try roots.decode([Int].self, forKey: "list") == [1, 2])
        #expect(archiveError { try roots.decodeInt32(forKey: "most") }?.code == .valueOutOfRange)
        #expect(
            archiveError { try roots.decode(UInt.self, forKey: "real") }?.code == .valueOutOfRange)
        for key in ["huge", "most"] {
            #expect(archiveError { try roots.decodeInt32(forKey: key) }?.code == .valueOutOfRange)
        }
        #expect(archiveError { try roots.decodeFloat(forKey: "huge") }?.code == .valueOutOfRange)
    }

    @Test("a number has the conversions of an `NSNumber`")
    func numberValues() {
        #expect(ArchivedNumber.boolean(true).intValue == 1)
        #expect(ArchivedNumber.boolean(true).doubleValue == 1)
        #expect(ArchivedNumber.integer(2).boolValue && !ArchivedNumber.real(0.0).boolValue)
        #expect(ArchivedNumber.real(-2.75).intValue == -2)
        #expect(ArchivedNumber.real(1e300).intValue == nil)
        #expect(ArchivedNumber.real(PropertyListReal(Double.nan)).intValue == nil)
        #expect(ArchivedNumber.integer(PropertyListInteger(UInt64.max)).intValue == nil)
        #expect(ArchivedNumber.integer(PropertyListInteger(UInt64.max)).doubleValue == 0x1p64)
        #expect(ArchivedNumber.integer(-3).doubleValue == -3)
    }

    // MARK: - Keys

    class Shop: KeyedCodable {
        class var archivedClass: ArchivedClass { "Shop" }
        var name = "shop"
        init() {}
        func encode(with coder: KeyedEncoder) {
            coder.encode(name, forKey: "name")
            coder.encode(1, forKey: "a")
        }
        required init(coder: KeyedDecoder) throws { name = try coder.decode(forKey: "name") }
    }

    final class Bakery: Shop {
        override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Bakery") }
        override func encode(with coder: KeyedEncoder) {
            super.encode(with: coder)
            coder.encode("bakery", forKey: "name")
            coder.encode(2, forKey: "b")
        }
    }

    @Test("a key used by a class and its superclass is refused, and the error names the key")
    func duplicateKey() throws {
        let shops = [Shop(), Bakery(), Bakery()]
        let error = archiveError {
            try KeyedArchiver.archive(shops, allowing: .foundation.adding(Bakery.self))
        }
        #expect(
            error?.description == """
                keyed archive: `name` is written twice in an object of class Bakery, in $objects[5] \
                (rename the key in one type of the hierarchy, or set \
                `KeyedArchiver.Options.lastDuplicateKeyWins`)
                """)
        #expect(error?.code == .duplicateKey && error?.object == 5)
    }

    @Test("the last value of a duplicate key is used on request")
    func lastWins() throws {
        var options = KeyedArchiver.Options()
        options.lastDuplicateKeyWins = true
        let archiver = KeyedArchiver(allowing: .foundation.adding(Bakery.self), options: options)
        archiver.roots.encode([Bakery(), Bakery()], forKey: "a")
        archiver.roots.encode(1, forKey: "b")
        archiver.roots.encode(2, forKey: "b")
        let archive = try KeyedUnarchiver(
            parsing: archiver.finish(), allowing: .foundation.adding(Bakery.self))
        #expect(
            try archive.unarchive([Bakery].self, forKey: "a").map(\.name) == ["bakery", "bakery"])
        #expect(archive.roots.keys == ["a", "b"])
        #expect(try archive.roots.decodeInteger(forKey: "b") == 2)
    }

    @Test("a duplicate key in a file is refused, and the error names the key and the class")
    func duplicateKeyInFile() throws {
        let bytes = Array(
            """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$version</key><integer>100000</integer>
            <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
            <key>$objects</key><array><string>$null</string>
            <dict><key>name</key><string>a</string><key>name</key><string>b</string>
            <key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>
            <dict><key>$classname</key><string>Shop</string></dict></array></dict></plist>
            """.utf8)
        let error = archiveError { try KeyedUnarchiver(parsing: bytes) }
        #expect(error?.code == .duplicateKey && error?.object == 1)
        #expect(error?.what == "`name` occurs twice in an object of class Shop")
        #expect(error?.path?.description == "$objects[1]")
        let archive = try KeyedUnarchiver(
            parsing: bytes, allowing: .foundation.adding(Shop.self), options: .duplicateKeys)
        _ = archive.roots.keys
    }

    @Test("a duplicate key outside of the objects is not blamed on an object")
    func duplicateKeyElsewhere() throws {
        let bytes = Array(
            """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string>
            <key>$version</key><integer>100000</integer><key>$top</key><dict/>
            <key>$objects</key><array><string>$null</string>
            <dict><key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict></dict>
            <dict><key>$classname</key><string>Shop</string></dict></array>
            <key>others</key><array><true/><dict><key>a</key><true/><key>a</key><true/></dict></array>
            </dict></plist>
            """.utf8)
        let error = archiveError { try KeyedUnarchiver(parsing: bytes) }
        #expect(error?.code == .invalidPropertyList && error?.object == nil)
        #expect(error?.what.contains("Shop") == false)
        #expect(error?.path?.description == "others[1]")
    }

    // MARK: - Hooks

    /// A drawing that is stored as an object of another class, which refers back to it.
    final class Drawing: KeyedCodable {
        static let archivedClass: ArchivedClass = "Drawing"
        let name: String
        var made = 0

        init(name: String) { self.name = name }

        static func register(in registry: inout ClassRegistry) { registry.add(Stored.self) }
        func encode(with coder: KeyedEncoder) {}
        func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
            made += 1
            return try writer.writeInstance(self) { Stored(of: self) }
        }
        init(coder: KeyedDecoder) throws { name = try coder.decode(forKey: "name") }
        static func unarchive(_ reference: KeyedReference) throws -> Drawing {
            try reference.object(as: Stored.self) { Drawing(name: $0.name) }
        }
    }

    struct Stored: KeyedCodable {
        static let archivedClass: ArchivedClass = "StoredDrawing"
        let name: String
        private var drawing: Drawing?

        init(of drawing: Drawing) {
            name = drawing.name
            self.drawing = drawing
        }
        func encode(with coder: KeyedEncoder) {
            coder.encode(name, forKey: "name")
            coder.encodeConditionalObject(drawing, forKey: "self")
        }
        init(coder: KeyedDecoder) throws { name = try coder.decode(forKey: "name") }
    }

    /// A stored drawing that is replaced by a drawing, or by nil if its name is `b`.
    struct OptionalDrawing: KeyedDecodable {
        static let archivedClass: ArchivedClass = "StoredDrawing"
        let drawing: Drawing?

        init(coder: KeyedDecoder) throws { drawing = nil }
        private init(_ drawing: Drawing?) { self.drawing = drawing }
        static func unarchive(_ reference: KeyedReference) throws -> OptionalDrawing {
            let drawing: Drawing? = try reference.object(as: Stored.self) {
                $0.name == "b" ? nil : Drawing(name: $0.name)
            }
            return OptionalDrawing(drawing)
        }
    }

    @Test("objects replaced during encoding and decoding stay shared")
    func replacements() throws {
        let drawing = Drawing(name: "a")
        let bytes = try KeyedArchiver.archive([drawing, Drawing(name: "b"), drawing])
        let graph = try ArchiveGraph(parsing: bytes)
        let stored = graph.objects.indices.filter {
            graph.archivedClass(of: PropertyListUID(UInt32($0)))?.name == "StoredDrawing"
        }
        #expect(stored.count == 2)
        let back = try KeyedUnarchiver.unarchive([Drawing].self, from: bytes)
        #expect(back.map(\.name) == ["a", "b", "a"])
        #expect(back[0] === back[2] && back[0] !== back[1])
        let optional = try KeyedUnarchiver.unarchive(
            [OptionalDrawing].self, from: bytes, allowing: .foundation.adding(Stored.self))
        #expect(optional.map(\.drawing?.name) == ["a", nil, "a"])
        #expect(optional[0].drawing === optional[2].drawing)
    }

    final class Context: KeyedCodable {
        static let archivedClass: ArchivedClass = "Context"
        static let key = CodingUserInfoKey(rawValue: "unit")
        let unit: String?

        init() { unit = nil }
        func encode(with coder: KeyedEncoder) {
            coder.encode(Self.key.flatMap { coder.userInfo[$0] as? String }, forKey: "unit")
        }
        init(coder: KeyedDecoder) throws {
            let written = try coder.decode(String?.self, forKey: "unit")
            let given = Self.key.flatMap { coder.userInfo[$0] as? String }
            unit = written.flatMap { written in given.map { "\(written)>\($0)" } }
        }
    }

    @Test("a program passes values to its types during encoding and decoding")
    func userInfo() throws {
        let key = try #require(Context.key)
        let archiver = KeyedArchiver(allowing: .foundation.adding(Context.self))
        archiver.userInfo[key] = "cm"
        archiver.roots.encode(Context(), forKey: "root")
        let archive = try KeyedUnarchiver(parsing: archiver.finish())
        archive.userInfo[key] = "in"
        #expect(try archive.unarchive(Context.self).unit == "cm>in")
    }

    @Test("an unreadable element can be skipped, replaced, kept unchanged or reported as an error")
    func badElements() throws {
        let bytes = try Archives.make(
            [
                ["NS.objects": [.uid(2), .uid(3), .uid(2)], "$class": .uid(4)],
                ["name": .uid(5), "$class": .uid(6)], ["nome": .uid(5), "$class": .uid(6)],
                Archives.describe("NSArray"), "Rex", Archives.describe("Pet"),
            ])
        let allowed = ClassRegistry.foundation.adding(Pet.self)
        let roots = try KeyedUnarchiver(parsing: bytes, allowing: allowed).roots
        var report: [any Error] = []
        let pets = try roots.decodeArray(of: Pet.self, forKey: "root") { _, error in
            report.append(error)
            return nil
        }
        #expect(pets.map(\.name) == ["Rex", "Rex"] && pets[0] === pets[1])
        let error = try #require(report.first as? KeyedArchiveError)
        #expect(report.count == 1 && error.code == .missingValue)
        #expect(error.path?.description == "root[1].name")
        let kept = try roots.decodeArray(of: AnyArchived.self, forKey: "root") { reference, _ in
            AnyArchived(try OpaqueObject.unarchive(reference))
        }
        #expect((kept[1].value as? OpaqueObject)?.keys == ["nome"] && kept[0].value is Pet)
        let replaced = try roots.decodeArray(forKey: "root") { _, _ in Pet(name: "none") }
        #expect(replaced.map(\.name) == ["Rex", "none", "Rex"])
        #expect(
            archiveError { try roots.decodeArray(of: Pet.self, forKey: "root") { throw $1 } }?.code
                == .missingValue)
    }

    @Test("an exceeded limit is an error, even if failing elements are skipped")
    func limitsOfElements() throws {
        let bytes = try KeyedArchiver.archive([Link.list(10)])
        var limits = ParsingLimits.default
        limits.depth = 4
        let roots = try KeyedUnarchiver(
            parsing: bytes, allowing: .foundation.adding(Link.self), limits: limits
        ).roots
        let error = archiveError {
            try roots.decodeArray(of: Link.self, forKey: "root") { _, _ in nil }
        }
        #expect(error?.code == .depthLimitExceeded)
    }
}

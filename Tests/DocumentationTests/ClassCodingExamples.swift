// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import Testing

/// The type in the article on class codings.
struct Sign: KeyedCodable {
    static let archivedClass: ArchivedClass = "ABSign"
    static let archivedAliases = ["ABOldSign"]

    static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        Mutable<Data>.register(in: &registry)
        registry.add(Self.self)
    }

    var title: String?
    var width: PropertyListReal?
    var matrix: [UInt8]
    var profile: AnyArchived?
    var extraFields = ArchivedExtraFields()

    func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(title, forKey: "title")
        coder.encodeIfPresent(width, forKey: "width")
        coder.encodeBytes(matrix, forKey: "matrix")
        coder.encodeIfPresent(profile, forKey: "profile")
        coder.encode(extraFields)
    }

    init(coder: KeyedDecoder) throws {
        let titleKey = coder.containsValue(forKey: "title") ? "title" : "ABTitle"
        title = try coder.decode(forKey: titleKey)
        width = try coder.decodeRealIfPresent(forKey: "width")
        let bytes = try coder.decodeBytes(forKey: "matrix")
        guard bytes.count == 24 else {
            throw coder.error("expected 24 bytes, found \(bytes.count)", forKey: "matrix")
        }
        matrix = Array(bytes)
        profile = try coder.decodeAnyArchived(of: Data.self, forKey: "profile")
        extraFields = try coder.extraFields(
            except: ["title", "ABTitle", "width", "matrix", "profile"])
    }

    init(title: String) {
        self.title = title
        matrix = [UInt8](repeating: 0, count: 24)
    }
}

/// The type in the example of ``ArchivedExtraFields``.
private struct Label: KeyedCodable {
    static let archivedClass: ArchivedClass = "ABLabel"
    var title: String?
    var width: PropertyListReal?
    var extraFields: ArchivedExtraFields

    init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        width = try coder.decodeRealIfPresent(forKey: "width")
        extraFields = try coder.extraFields(except: ["title", "width"])
    }
    func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(title, forKey: "title")
        coder.encodeIfPresent(width, forKey: "width")
        coder.encode(extraFields)
    }
}

/// A base class that keeps the fields that neither it nor a subclass knows.
private class Figure: KeyedCodable {
    class var archivedClass: ArchivedClass { "Figure" }
    class var fieldKeys: Set<String> { ["title"] }
    let title: String
    private let unknown: OpaqueFields?

    func encode(with coder: KeyedEncoder) {
        coder.encode(title, forKey: "title")
        if let unknown { coder.encode(unknown) }
    }
    required init(coder: KeyedDecoder) throws {
        title = try coder.decode(forKey: "title")
        unknown = try coder.unknownFields(except: Self.fieldKeys)
    }

    init(title: String) { (self.title, unknown) = (title, nil) }
}

private final class Disc: Figure {
    override class var archivedClass: ArchivedClass { super.archivedClass.subclass("Disc") }
    override class var fieldKeys: Set<String> { super.fieldKeys.union(["radius"]) }
    let radius: Double

    init(radius: Double) {
        self.radius = radius
        super.init(title: "Disc")
    }

    override func encode(with coder: KeyedEncoder) {
        super.encode(with: coder)
        coder.encode(radius, forKey: "radius")
    }
    required init(coder: KeyedDecoder) throws {
        radius = try coder.decode(forKey: "radius")
        try super.init(coder: coder)
    }
}

@Suite("Examples of class codings")
struct ClassCodingExamples {
    private static func archive(
        _ name: String, _ fields: PropertyListDictionary, _ rest: PropertyListValue...
    ) throws -> [UInt8] {
        var object = fields
        object["$class"] = .uid(2)
        let description: PropertyListValue = [
            "$classname": .string(name), "$classes": [.string(name), "NSObject"],
        ]
        let objects = ["$null", .dictionary(object), description] + rest
        let root: PropertyListDictionary = [
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": .uid(1)],
            "$objects": .array(PropertyListArray(objects)),
        ]
        return try BinaryPropertyList.serialize(PropertyListDocument(.dictionary(root)))
    }

    private static let zeros = PropertyListValue.data([UInt8](repeating: 0, count: 24))

    @Test("write optional fields, allowing only the classes that the type registers")
    func roundTrip() throws {
        var sign = Sign(title: "Exit")
        sign.width = PropertyListReal(Float(0.1))
        sign.profile = AnyArchived(Mutable(Data([1, 2])))
        let allowed = ClassRegistry(Sign.self)
        let bytes = try KeyedArchiver.archive(sign, allowing: allowed)
        let again = try KeyedUnarchiver.unarchive(Sign.self, from: bytes, allowing: allowed)
        #expect(again.title == "Exit" && again.width == sign.width)
        #expect(again.profile?.value is Mutable<Data>)
        #expect(try KeyedArchiver.archive(again, allowing: allowed) == bytes)
    }

    @Test("read earlier names of the class and its keys, and keep unknown fields")
    func versions() throws {
        let bytes = try Self.archive(
            "ABOldSign", ["ABTitle": .uid(3), "matrix": Self.zeros, "later": 5, "other": .uid(4)],
            "Exit", ["$class": .uid(5)],
            ["$classname": "Other", "$classes": ["Other", "NSObject"]])
        let sign = try KeyedUnarchiver.unarchive(Sign.self, from: bytes)
        #expect(sign.title == "Exit" && sign.width == nil)
        #expect(sign.extraFields.keys == ["later"])
        #expect(sign.extraFields.ignoredKeys == ["other"])
    }

    @Test("keep unknown fields in a class hierarchy")
    func hierarchy() throws {
        let allowed = ClassRegistry.foundation.adding(Disc.self)
        let bytes = try Self.archive(
            "Disc", ["title": .uid(3), "radius": 2.5, "later": 5, "note": .uid(4)], "Moon", "new")
        let disc = try KeyedUnarchiver.unarchive(Figure.self, from: bytes, allowing: allowed)
        #expect(disc.title == "Moon" && (disc as? Disc)?.radius == 2.5)
        let again = try KeyedArchiver.archive(disc, allowing: allowed)
        let graph = try ArchiveGraph(parsing: again)
        guard let root = graph.roots["root"]?.uid, case .object(let object) = graph[root],
            let note = object["note"]?.uid
        else {
            Issue.record("there is no object, or it has no note")
            return
        }
        #expect(object["later"] == 5 && object["radius"] == 2.5)
        #expect(graph[note] == .leaf("new"))
        let new = try KeyedArchiver.archive(Disc(radius: 1), allowing: allowed)
        #expect(try KeyedUnarchiver.unarchive(Disc.self, from: new).radius == 1)
    }

    @Test("refuse a field with an error that names its class, key and location")
    func refusal() throws {
        let bytes = try Self.archive("ABSign", ["matrix": .data([1, 2])])
        let error = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(Sign.self, from: bytes)
        }
        #expect(error?.code == .valueOutOfRange && error?.object == 1)
        #expect(
            error.map { "\($0)" }
                == "keyed archive: `matrix` of ABSign: expected 24 bytes, found 2, in root.matrix")
    }

    @Test("write optional numbers inline, and an ArchivedNumber as a separate object")
    func numbers() throws {
        let bytes = try KeyedArchiver.archive(
            Numbers(), allowing: .foundation.allowing("Numbers"))
        let graph = try ArchiveGraph(parsing: bytes)
        guard let root = graph.roots["root"]?.uid, case .object(let object) = graph[root] else {
            Issue.record("there is no object")
            return
        }
        #expect(object["int"] == 5 && object["bool"] == true && object["double"] == 0.5)
        #expect(object["float"] == .real(PropertyListReal(Float(0.5))))
        #expect(object["byte"] == 7 && object["real"] == 1.5)
        #expect(object["none"] == nil && object["big"] == .integer(PropertyListInteger(UInt64.max)))
        for key in ["number", "same"] {
            let number = try #require(object[key]?.uid)
            guard case .leaf(3) = graph[number] else {
                Issue.record("`\(key)` is not a separate number")
                return
            }
        }
    }

    private struct Numbers: KeyedEncodable {
        static let archivedClass: ArchivedClass = "Numbers"

        func encode(with coder: KeyedEncoder) {
            coder.encodeIfPresent(5 as Int?, forKey: "int")
            coder.encodeIfPresent(true as Bool?, forKey: "bool")
            coder.encodeIfPresent(0.5 as Double?, forKey: "double")
            coder.encodeIfPresent(0.5 as Float?, forKey: "float")
            coder.encodeIfPresent(7 as UInt8?, forKey: "byte")
            coder.encodeIfPresent(PropertyListReal(1.5) as PropertyListReal?, forKey: "real")
            coder.encodeIfPresent(ArchivedNumber.integer(3) as ArchivedNumber?, forKey: "number")
            coder.encode(ArchivedNumber.integer(3), forKey: "same")
            coder.encode(PropertyListInteger(UInt64.max), forKey: "big")
            coder.encodeIfPresent(nil as Int?, forKey: "none")
            coder.encodeBytesIfPresent(nil, forKey: "none")
        }
    }

    @Test("keep fields of later versions in a type without aliases")
    func labels() throws {
        let bytes = try Self.archive("ABLabel", ["width": 2, "later": true])
        let label = try KeyedUnarchiver.unarchive(Label.self, from: bytes)
        #expect(label.width?.value == 2 && label.extraFields.keys == ["later"])
        let again = try KeyedUnarchiver.unarchive(
            Label.self, from: KeyedArchiver.archive(label))
        #expect(again.extraFields.keys == ["later"] && again.title == nil)
    }
}

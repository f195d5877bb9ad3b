// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import Testing

/// An object with a field of any class.
private struct Panel: KeyedCodable {
    static let archivedClass: ArchivedClass = "Panel"
    var volume: Double?
    var names: [String]?
    var tree: PropertyListValue

    func encode(with coder: KeyedEncoder) throws { coder.encode(tree, forKey: "settings") }

    init(coder: KeyedDecoder) throws {
        let settings = try coder.decode(AnyArchived.self, forKey: "settings")
        let volume = settings["volume"]?.value(as: Double.self)
        let names = settings["names"]?.value(as: [String].self)
        let tree = try settings.propertyListValue()
        (self.volume, self.names, self.tree) = (volume, names, tree)
    }

    init(tree: PropertyListValue) { (volume, names, self.tree) = (nil, nil, tree) }
}

/// A type that throws its own error.
private struct Levels: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Levels"

    init(coder: KeyedDecoder) throws {
        let count = try coder.decodeInteger(forKey: "count")
        guard count <= 100 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "expected at most 100 levels, found \(count)",
                object: coder.uid, recovery: "update the app")
        }
    }
}

@Suite("Examples of values of any class")
struct AnyArchivedExamples {
    @Test("read a field of any class")
    func field() throws {
        let panel = Panel(tree: ["volume": 0.5, "names": ["a"]])
        let registry = ClassRegistry.foundation.adding(Panel.self)
        let bytes = try KeyedArchiver.archive(panel, allowing: registry)
        let back = try KeyedUnarchiver.unarchive(Panel.self, from: bytes, allowing: registry)
        #expect(back.volume == 0.5 && back.names == ["a"] && back.tree == panel.tree)
    }

    @Test("read a tree")
    func tree() throws {
        let when = Date(timeIntervalSinceReferenceDate: 0)
        let archiver = KeyedArchiver()
        let root: [String: AnyArchived] = [
            "user": AnyArchived(["name": "Anna"]), "recent": AnyArchived([when]),
            "sizes": AnyArchived(["a": [1.5]]), "id": AnyArchived(UUID()),
        ]
        archiver.roots.encode(root, forKey: "settings")
        let archive = try KeyedUnarchiver(parsing: archiver.finish())

        let settings = try archive.roots.decode(AnyArchived.self, forKey: "settings")
        let name = settings["user"]?["name"]?.stringValue
        let first = settings["recent"]?[0]?.dateValue
        let sizes = settings["sizes"]?.value(as: [String: [Double]].self)
        #expect(name == "Anna" && first == when && sizes == ["a": [1.5]])

        let tree = try settings.propertyListValue { other in
            other.value(as: UUID.self).map { .string($0.uuidString) }
        }
        #expect(tree.dictionary?.count == 4)
    }

    @Test("copy roots without keys")
    func roots() throws {
        let old = KeyedArchiver()
        old.roots.encodeUnkeyed("a")
        let archive = try KeyedUnarchiver(parsing: old.finish())
        let archiver = KeyedArchiver()
        for key in archive.roots.keys {
            let value = try archive.roots.decode(AnyArchived?.self, forKey: key)
            archiver.roots.encode(value, forKey: key)
        }
        let again = try KeyedUnarchiver(parsing: archiver.finish()).roots.decodeUnkeyed(String.self)
        #expect(again == "a")
    }

    @Test("throw an error of a custom coding")
    func ownError() throws {
        let bytes = try KeyedArchiver.archive(Count(), allowing: .foundation.allowing("Levels"))
        let error = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(Levels.self, from: bytes)
        }
        #expect(error?.path?.description == "root" && error?.recovery == "update the app")
    }
}

/// An object with too many levels.
private struct Count: KeyedEncodable {
    static let archivedClass: ArchivedClass = "Levels"

    func encode(with coder: KeyedEncoder) throws { coder.encode(200, forKey: "count") }
}

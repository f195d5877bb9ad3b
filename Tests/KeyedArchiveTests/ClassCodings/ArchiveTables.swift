// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import KeyedArchive

/// The object tables of archives, to be compared entry by entry; keys are in any order.
enum ArchiveTables {
    /// The entries of `$objects`.
    static func objects(_ bytes: [UInt8]) throws -> [PropertyListValue] {
        let contents = try ArchiveContents(parsing: bytes)
        return try contents.objects.indices.map { try contents.objects[$0].value() }
    }

    /// An archive of the external collection.
    static func genuine(
        _ name: String, in folder: String = "foundation-tests"
    ) throws -> [UInt8] {
        let files = Corpus.external("real-archives/\(folder)").filter { $0.name.contains(name) }
        return try #require(files.first).bytes
    }

    /// The entries that `root` leads to, renumbered in an order that depends on them alone.
    static func part(_ objects: [PropertyListValue], from root: UInt32) -> [PropertyListValue] {
        var part = Part()
        _ = part.number(root)
        var entries: [PropertyListValue] = []
        while entries.count < part.order.count {
            let object = Int(part.order[entries.count])
            entries.append(part.renumbered(objects[object]))
        }
        return entries
    }

    private struct Part {
        var order: [UInt32] = []
        var numbers: [UInt32: UInt32] = [0: 0]

        mutating func number(_ object: UInt32) -> UInt32 {
            if let known = numbers[object] { return known }
            order.append(object)
            numbers[object] = UInt32(order.count)
            return UInt32(order.count)
        }

        mutating func renumbered(_ value: PropertyListValue) -> PropertyListValue {
            switch value {
            case .uid(let uid): return .uid(PropertyListUID(number(uid.value)))
            case .array(let elements):
                var list: [PropertyListValue] = []
                for element in elements { list.append(renumbered(element)) }
                return .array(PropertyListArray(list))
            case .dictionary(var fields):
                for key in fields.keys.sorted() { fields[key] = renumbered(fields[key] ?? .null) }
                return .dictionary(fields)
            default: return value
            }
        }
    }

    /// Reads every object of a class in a folder of the external collection, writes it as an archive of
    /// its own, and compares that with the part of the original, of which `expected` says how it differs
    /// where it does.
    ///
    /// - Returns: what was read.
    static func compareParts<T: KeyedCodable>(
        _ type: T.Type, of names: [String], in folder: String,
        expected: (PropertyListValue) -> PropertyListValue = { $0 },
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [T] {
        var values: [T] = []
        for file in Corpus.external("real-archives/\(folder)") {
            guard let contents = try? ArchiveContents(parsing: file.bytes),
                let archive = try? KeyedUnarchiver(contents)
            else { continue }
            let reader = archive.roots.reader
            var original: [PropertyListValue]?
            for number in contents.objects.indices {
                let object = UInt32(number)
                guard let name = reader.archivedClass(of: object)?.name, names.contains(name)
                else { continue }
                let value = try reader.root([type]) {
                    try T.unarchive(KeyedReference(reader, object: object))
                }
                values.append(value)
                if original == nil { original = try objects(file.bytes) }
                let again = try part(objects(KeyedArchiver.archive(value)), from: 1)
                let before = part(original ?? [], from: object).map(expected)
                #expect(
                    again == before, "object \(object) of \(file.name)",
                    sourceLocation: sourceLocation)
            }
        }
        return values
    }
}

/// Reads the root of an archive with these objects after `$null`, and expects its archive to have the
/// same objects.
func roundTrip<T: KeyedCodable>(
    _ type: T.Type, _ objects: [PropertyListValue], allowing registry: ClassRegistry = .foundation,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> T {
    let bytes = try Archives.make(objects)
    let value = try KeyedUnarchiver.unarchive(T.self, from: bytes, allowing: registry)
    let again = try ArchiveTables.objects(KeyedArchiver.archive(value, allowing: registry))
    #expect(again == ["$null"] + objects, sourceLocation: sourceLocation)
    return value
}

/// Reads the root of a genuine archive, and expects its archive to have the same objects.
func roundTrip<T: KeyedCodable>(
    _ type: T.Type, genuine name: String, in folder: String = "foundation-tests",
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> T {
    let bytes = try ArchiveTables.genuine(name, in: folder)
    let value = try KeyedUnarchiver.unarchive(T.self, from: bytes)
    let again = try ArchiveTables.objects(KeyedArchiver.archive(value))
    #expect(try again == ArchiveTables.objects(bytes), sourceLocation: sourceLocation)
    return value
}

/// Why the root of an archive is refused whose first object has `fields`, changed by `changes`, of the
/// class that is object 2; further objects follow.
func refusal<T: KeyedDecodable>(
    _ type: T.Type, _ fields: PropertyListDictionary,
    changing changes: PropertyListDictionary = [:],
    without missing: String? = nil, _ rest: PropertyListValue...
) -> KeyedArchiveError.Code? {
    var object = fields
    for (key, value) in changes { object[key] = value }
    if let missing { object[missing] = nil }
    object["$class"] = .uid(2)
    return archiveError {
        try KeyedUnarchiver.unarchive(
            T.self, from: Archives.make([.dictionary(object)] + rest))
    }?.code
}

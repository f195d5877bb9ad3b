// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A tree of plain values as an archive represents it: dictionaries with string keys, arrays, and
/// leaves, each an object.
extension PropertyListValue: KeyedCodable {
    /// `NSObject`, because the root of a tree can be an object of any of several classes.
    public static var archivedClass: ArchivedClass { ArchivedClass(name: FoundationClass.object) }

    public static func register(in registry: inout ClassRegistry) {
        registry = registry.merging(.propertyList)
    }

    /// Throws `misuse`: a tree is archived as the objects it consists of.
    public func encode(with coder: KeyedEncoder) throws {
        throw KeyedArchiveError(.misuse, what: "a property list has no fields of its own")
    }

    public init(coder: KeyedDecoder) throws {
        let reference = try coder.objectReference()
        self = try Self.unarchive(reference)
    }

    /// Writes the tree as the objects it consists of.
    ///
    /// - Throws: `valueOutOfRange` for null, UIDs and sets, which could not be read back as a
    ///   property list.
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        switch self {
        case .boolean(let value): return try writer.number(.boolean(value))
        case .integer(let value): return try writer.number(.integer(value))
        case .real(let value): return try writer.number(.real(value))
        case .string(let text): return try writer.string(text)
        case .data(let bytes): return try writer.data(bytes)
        case .date(let date):
            return try Date(timeIntervalSinceReferenceDate: date.secondsSince2001)
                .archive(in: writer)
        case .array(let elements): return try Self.archive(elements, in: writer)
        case .dictionary(let entries): return try Self.archive(entries, in: writer)
        case .null, .uid, .set:
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "a property list in a keyed archive cannot contain a value of kind \(kind)")
        }
    }

    // Empty containers share one identity, but each is written as a separate object.

    private static func archive(
        _ elements: PropertyListArray, in writer: ArchiveWriter
    ) throws -> PropertyListUID {
        if elements.isEmpty { return try [PropertyListValue]().archive(in: writer) }
        return try writer.once(elements.identity, FoundationClass.array) {
            try Array(elements).archive(in: writer)
        }
    }

    private static func archive(
        _ entries: PropertyListDictionary, in writer: ArchiveWriter
    ) throws -> PropertyListUID {
        let pairs = ArchivedPairs(entries.map { (key: $0.key, value: $0.value) })
        if entries.isEmpty { return try pairs.archive(in: writer) }
        return try writer.once(entries.identity, FoundationClass.dictionary) {
            try pairs.archive(in: writer)
        }
    }

    public static func unarchive(_ reference: KeyedReference) throws -> PropertyListValue {
        if let node = try reference.leaf() {
            return try reference.reader.tree(at: node)
        }
        switch reference.archivedClass.map({ ExactText($0.name) }) {
        case ExactText(FoundationClass.string), "NSMutableString":
            return .string(try String.unarchive(reference))
        case ExactText(FoundationClass.data), "NSMutableData":
            return .data(try reference.object(as: BytesOfData.self).bytes)
        case ExactText(FoundationClass.date):
            let date = try Date.unarchive(reference).timeIntervalSinceReferenceDate
            return .date(PropertyListDate(secondsSince2001: date))
        case ExactText(FoundationClass.array), "NSMutableArray":
            return .array(
                try reference.object(as: [PropertyListValue].self) { PropertyListArray($0) })
        case ExactText(FoundationClass.dictionary), "NSMutableDictionary":
            return .dictionary(
                try reference.object(as: ArchivedPairs<String, PropertyListValue>.self) {
                    try dictionary($0, reference)
                })
        default: throw reference.reader.wrongType(reference, expected: "a property list")
        }
    }

    private static func dictionary(
        _ pairs: ArchivedPairs<String, PropertyListValue>, _ reference: KeyedReference
    ) throws(KeyedArchiveError) -> PropertyListDictionary {
        var dictionary = PropertyListDictionary()
        for (key, value) in pairs.entries {
            guard dictionary[key] == nil else {
                throw KeyedArchiveError(
                    .malformedObject, what: "a key occurs twice in a dictionary",
                    object: reference.object)
            }
            dictionary[key] = value
        }
        return dictionary
    }
}

/// The bytes of an `NSData` as an array, as `PropertyListValue` stores them.
private struct BytesOfData: KeyedDecodable {
    static var archivedClass: ArchivedClass { Data.archivedClass }
    static var archivedAliases: [String] { Data.archivedAliases }

    let bytes: [UInt8]

    init(coder: KeyedDecoder) throws {
        bytes = coder.reader.bytes(of: try Data.node(in: coder))
    }
}

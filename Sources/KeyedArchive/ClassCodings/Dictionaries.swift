// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSDictionary`, `NSMutableDictionary` | `NS.keys` and `NS.objects`, with equal counts; keys are objects of any class |
//
// Source: archives that Apple's software wrote. Coders other than `NSKeyedArchiver` may use
// `NS.object.0`, `NS.key.0`, … for arrays, sets and dictionaries. Both forms are read.

// MARK: - Dictionaries

/// The entries of an `NSDictionary`, in the order of the archive, with keys of any type.
public struct ArchivedPairs<Key, Value> {
    /// The entries.
    public var entries: [(key: Key, value: Value)]

    /// Creates a value from entries, whose keys must be distinct.
    public init(_ entries: [(key: Key, value: Value)]) { self.entries = entries }
}

extension ArchivedPairs: Sendable where Key: Sendable, Value: Sendable {}

extension ArchivedPairs: KeyedArchivable where Key: KeyedArchivable, Value: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.dictionary) }
    public static var archivedAliases: [String] { ["NSMutableDictionary"] }

    public static func register(in registry: inout ClassRegistry) {
        Key.register(in: &registry)
        Value.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedPairs: KeyedEncodable where Key: KeyedEncodable, Value: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) {
        coder.encodeReferences(count: entries.count, forKey: FoundationField.keys) {
            try entries[$0].key.archive(in: coder.writer)
        }
        coder.encodeReferences(
            count: entries.count, forKey: FoundationField.objects,
            at: { [keyText(entries[$0].key).map { .entry($0) } ?? .index($0)] }
        ) {
            try entries[$0].value.archive(in: coder.writer)
        }
    }
}

extension ArchivedPairs: KeyedDecodable where Key: KeyedDecodable, Value: KeyedDecodable {
    public init(coder: KeyedDecoder) throws {
        let (keys, values) = try coder.entries(Key.self, Value.self)
        entries = []
        entries.reserveCapacity(keys.count)
        // By index, because unspecialized generic code pays for every iterator.
        for index in keys.indices { entries.append((keys[index], values[index])) }
    }
}

extension ArchivedPairs: MutableArchivable where Key: KeyedCodable, Value: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableDictionary") }
}

extension Dictionary: KeyedArchivable where Key: KeyedArchivable, Value: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedPairs<Key, Value>.archivedClass }
    public static var archivedAliases: [String] { ArchivedPairs<Key, Value>.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedPairs<Key, Value>.register(in: &registry)
    }
}

extension Dictionary: KeyedEncodable where Key: KeyedEncodable, Value: KeyedEncodable {
    /// Writes the entries in the order of their keys' descriptions. Equal dictionaries thus have
    /// equal archives, provided that the descriptions of the keys are distinct and the same in
    /// every run.
    public func encode(with coder: KeyedEncoder) {
        let entries = inStableOrder(self) { $0.key }.map { (key: $0.key, value: $0.value) }
        ArchivedPairs(entries).encode(with: coder)
    }
}

extension Dictionary: KeyedDecodable where Key: KeyedDecodable, Value: KeyedDecodable {
    /// Reads the entries.
    ///
    /// - Throws: `malformedObject` for a duplicate key. A dictionary treats canonically equivalent
    ///   strings as equal keys; ``ArchivedPairs`` keeps them apart.
    public init(coder: KeyedDecoder) throws {
        let (keys, values) = try coder.entries(Key.self, Value.self)
        self.init(minimumCapacity: keys.count)
        for index in keys.indices where updateValue(values[index], forKey: keys[index]) != nil {
            throw KeyedArchiveError(
                .malformedObject, what: "a key occurs twice in a dictionary", object: coder.uid,
                recovery: "`ArchivedPairs` reads all entries")
        }
    }
}

extension Dictionary: MutableArchivable where Key: KeyedCodable, Value: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableDictionary") }
}

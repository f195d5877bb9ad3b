// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSArray`, `NSSet` and their mutable forms | `NS.objects`: references, stored inline |
//
// Source: archives that Apple's software wrote. Coders other than `NSKeyedArchiver` may use
// `NS.object.0`, `NS.key.0`, … for arrays, sets and dictionaries. Both forms are read.

// MARK: - Elements

extension KeyedDecoder {
    /// Returns the elements of a collection in either form.
    func elements<T: KeyedDecodable>(_ type: T.Type) throws -> [T] {
        try values(
            type, listKey: FoundationField.objects, indexedKey: FoundationField.numberedObject)
    }

    func values<T: KeyedDecodable>(
        _ type: T.Type, listKey: String, indexedKey: String
    ) throws -> [T] {
        guard let list = reader.field(listKey, of: self) else {
            return try indexedValues(type, indexedKey)
        }
        // Paths show elements by their indexes, without the key `NS.objects`.
        return try listKey.isLiterally(FoundationField.objects)
            ? reader.values(type, in: list) : located(listKey) { try reader.values(type, in: list) }
    }

    /// Returns the keys and the values of a dictionary, as arrays of equal length.
    ///
    /// - Throws: `malformedObject` if the numbers of keys and values differ; the errors of the keys
    ///   and values.
    func entries<Key: KeyedDecodable, Value: KeyedDecodable>(
        _ keyType: Key.Type, _ valueType: Value.Type
    ) throws -> ([Key], [Value]) {
        let keys = try reader.chargingRepeatedTexts {
            try self.values(
                keyType, listKey: FoundationField.keys, indexedKey: FoundationField.numberedKey)
        }
        let values: [Value]
        do { values = try elements(valueType) } catch let error as KeyedArchiveError {
            throw error.atEntry { keys.indices.contains($0) ? keyText(keys[$0]) : nil }
        }
        guard keys.count == values.count else {
            throw KeyedArchiveError.unequalCounts(
                keys: keys.count, values: values.count, uid)
        }
        return (keys, values)
    }

    /// Returns the values of `prefix0`, `prefix1`, … up to the first missing key.
    func indexedValues<T: KeyedDecodable>(
        _ type: T.Type, _ prefix: String
    ) throws -> [T] {
        var values: [T] = []
        try forEachIndexed(prefix) { values.append(try T.unarchive($0)) }
        return values
    }

    /// Calls `body` with the references `prefix0`, `prefix1`, … up to the first that is missing.
    func forEachIndexed(_ prefix: String, _ body: (KeyedReference) throws -> Void) throws {
        var index = 0
        while let reference = reference(forKey: "\(prefix)\(index)") {
            try reader.chargeElement(reference)
            try located(.index(index)) { try body(reference) }
            index += 1
        }
    }
}

/// Returns the text of a dictionary's key, for paths; nil for keys that are not text.
func keyText(_ key: Any) -> String? { (key as? String) ?? (key as? AnyArchived)?.stringValue }

extension ArchiveReader {
    /// Returns the values of the references in an inline array.
    func values<T: KeyedDecodable>(_ type: T.Type, in list: UInt32) throws -> [T] {
        var values: [T] = []
        try values.appendValues(of: list, in: self)
        return values
    }

    /// Calls `body` with each reference in an inline array.
    @inline(__always)
    func forEachReference(in list: UInt32, _ body: (KeyedReference) throws -> Void) throws {
        let places = try listRecord(list).valueRange
        for place in places {
            let reference = reference(at: table.child(place))
            do {
                try chargeElement(reference)
                try body(reference)
            } catch {
                throw KeyedArchiveError.located(error, .index(place &- places.lowerBound))
            }
        }
    }
}

extension RangeReplaceableCollection where Element: KeyedDecodable {
    /// Appends the values of the references in an array. This method is generic over `Self`,
    /// because each append to an `Array` of a generic element type would look up the metadata of
    /// the array type.
    fileprivate mutating func appendValues(
        of list: UInt32, in reader: ArchiveReader
    ) throws {
        // The reserved capacity is bounded, because elements may be large, and a hostile file may
        // contain a long array.
        reserveCapacity(Swift.min(reader.table[list].count, 1024))
        try reader.forEachReference(in: list) { append(try Element.unarchive($0)) }
    }
}

extension KeyedEncoder {
    func encodeElements<T: KeyedEncodable>(_ elements: [T]) {
        encodeReferences(
            count: elements.count, forKey: FoundationField.objects, at: { [.index($0)] }
        ) {
            try elements[$0].archive(in: writer)
        }
    }
}

// MARK: - Arrays

extension Array: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.array) }
    public static var archivedAliases: [String] { ["NSMutableArray"] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension Array: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) { coder.encodeElements(self) }
}

extension Array: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { self = try coder.elements(Element.self) }
}

extension Array: MutableArchivable where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableArray") }
}

// MARK: - Sets

/// The elements of an `NSSet`, in the order of the archive. They need not be `Hashable`.
public struct ArchivedSet<Element> {
    /// The elements.
    public var elements: [Element]

    /// Creates a set of elements, which must be distinct.
    public init(_ elements: [Element]) { self.elements = elements }
}

extension ArchivedSet: Sendable where Element: Sendable {}

extension ArchivedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.set) }
    public static var archivedAliases: [String] { [FoundationClass.mutableSet] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedSet: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) { coder.encodeElements(elements) }
}

extension ArchivedSet: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { elements = try coder.elements(Element.self) }
}

extension ArchivedSet: MutableArchivable where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass {
        archivedClass.subclass(FoundationClass.mutableSet)
    }
}

extension Set: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedSet<Element>.archivedClass }
    public static var archivedAliases: [String] { ArchivedSet<Element>.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedSet<Element>.register(in: &registry)
    }
}

extension Set: KeyedEncodable where Element: KeyedEncodable {
    /// Writes the elements in the order of their descriptions. Equal sets thus have equal archives,
    /// provided that the descriptions of the elements are distinct and the same in every run.
    public func encode(with coder: KeyedEncoder) {
        coder.encodeElements(inStableOrder(self) { $0 })
    }
}

extension Set: KeyedDecodable where Element: KeyedDecodable {
    /// Reads the elements. Equal ones are merged.
    public init(coder: KeyedDecoder) throws {
        let elements = try coder.reader.chargingRepeatedTexts { try coder.elements(Element.self) }
        self = Set(elements)
    }
}

extension Set: MutableArchivable where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass {
        archivedClass.subclass(FoundationClass.mutableSet)
    }
}

/// Returns the elements sorted by the descriptions of their keys. The order is the same in every
/// run, provided that the descriptions are distinct and do not depend on the run.
func inStableOrder<S: Sequence>(
    _ elements: S, by key: (S.Element) -> Any
) -> [S.Element] {
    elements.map { (text: ExactText(stableText(of: key($0))), element: $0) }
        .sorted { $0.text < $1.text }.map(\.element)
}

/// Returns the description of a value. Data and dates get one that distinguishes all their values,
/// because their standard descriptions do not. Sets and dictionaries get a sorted one, because
/// their own order differs between runs.
private func stableText(of value: Any) -> String {
    switch value {
    case let text as String: text
    case let data as Data:
        String(
            decoding: data.flatMap { (byte: UInt8) -> [UInt8] in
                [0x61 + byte >> 4, 0x61 + byte & 0xF]
            },
            as: UTF8.self)
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let mutable as any MutableValue: stableText(of: mutable.wrapped)
    case let elements as Set<AnyHashable>:
        joinedTexts(sortedTexts(elements.map { stableText(of: $0.base) }))
    case let entries as [AnyHashable: Any]:
        joinedTexts(
            sortedTexts(
                entries.map {
                    joinedTexts([stableText(of: $0.key.base), stableText(of: $0.value)])
                }
            ))
    case let elements as [Any]: joinedTexts(elements.map { stableText(of: $0) })
    default: String(describing: value)
    }
}

private func sortedTexts(_ texts: [String]) -> [String] {
    texts.map { ExactText($0) }.sorted().map(\.text)
}

/// Joins texts so that different texts give different results.
private func joinedTexts(_ texts: [String]) -> String {
    texts.map { "\($0.utf8.count):\($0)" }.joined()
}

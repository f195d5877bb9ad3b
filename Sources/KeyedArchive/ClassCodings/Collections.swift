// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import PropertyList

// | class | fields |
// |---|---|
// | `NSArray`, `NSSet` and their mutable twins | `NS.objects`: references that stand in the object |
// | `NSDictionary`, `NSMutableDictionary` | `NS.keys` and `NS.objects`, as many of each; keys are objects of any class |
// | `NSOrderedSet`, `NSMutableOrderedSet` | `NS.object.0`, `NS.object.1`, … without a count |
// | `NSCountedSet` | `NS.count`; for each element `NS.object0`, `NS.count0`, … without a dot before the number |
//
// Source: archives that Apple's software wrote. Other coders write arrays, sets and dictionaries with
// `NS.object.0`, `NS.key.0`, … too; both forms are read.

// MARK: - Elements

extension KeyedDecoder {
    /// The elements of a collection, in either of the two forms.
    fileprivate func elements<T: KeyedDecodable>(_ type: T.Type) throws -> [T] {
        try values(type, listKey: "NS.objects", indexedKey: "NS.object.")
    }

    fileprivate func values<T: KeyedDecodable>(
        _ type: T.Type, listKey: String, indexedKey: String
    ) throws -> [T] {
        guard let list = reader.field(listKey, of: self) else {
            return try indexedValues(type, indexedKey)
        }
        return try located(listKey) { try reader.values(type, in: list) }
    }

    /// The keys and the values of a dictionary, as many of each.
    fileprivate func entries<Key: KeyedDecodable, Value: KeyedDecodable>(
        _ keyType: Key.Type, _ valueType: Value.Type
    ) throws -> ([Key], [Value]) {
        let keys = try values(keyType, listKey: "NS.keys", indexedKey: "NS.key.")
        let values = try elements(valueType)
        guard keys.count == values.count else {
            throw KeyedArchiveError(
                .malformedObject,
                what: "a dictionary has \(keys.count) keys and \(values.count) values",
                object: uid)
        }
        return (keys, values)
    }

    /// The values of `prefix0`, `prefix1`, … up to the first that is missing.
    fileprivate func indexedValues<T: KeyedDecodable>(
        _ type: T.Type, _ prefix: String
    ) throws -> [T] {
        var values: [T] = []
        while let reference = reference(forKey: "\(prefix)\(values.count)") {
            try reader.chargeElement(reference)
            values.append(
                try located("\(prefix)\(values.count)") { try T.unarchive(reference) })
        }
        return values
    }
}

extension ArchiveReader {
    /// The values of the references that an array within an object holds.
    func values<T: KeyedDecodable>(_ type: T.Type, in list: UInt32) throws -> [T] {
        let record = table[list]
        guard record.kind == .array else {
            throw KeyedArchiveError(
                .wrongType,
                what: "a plain value of kind \(record.kind) stands where references are expected")
        }
        var values: [T] = []
        let first = Int(record.low)
        for place in first..<(first &+ Int(record.high)) {
            let reference = reference(at: table.child(place))
            do {
                try chargeElement(reference)
                values.append(try T.unarchive(reference))
            } catch let error as KeyedArchiveError {
                throw error.inside(.index(place &- first))
            }
        }
        return values
    }
}

extension KeyedEncoder {
    fileprivate func encodeElements<T: KeyedEncodable>(_ elements: some Sequence<T>) throws {
        try encodeReferences(elements, forKey: "NS.objects") { try $0.archive(in: writer) }
    }
}

// MARK: - Arrays

extension Array: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { "NSArray" }
    public static var archivedAliases: [String] { ["NSMutableArray"] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension Array: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws { try coder.encodeElements(self) }
}

extension Array: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { self = try coder.elements(Element.self) }
}

extension Array: MutableTwin where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableArray") }
}

// MARK: - Sets

/// The elements of an `NSSet`, in the order of the archive, whether or not they can be hashed here.
public struct ArchivedSet<Element> {
    /// The elements.
    public var elements: [Element]

    /// A set of elements that the caller knows to be different.
    public init(_ elements: [Element]) { self.elements = elements }
}

extension ArchivedSet: Sendable where Element: Sendable {}

extension ArchivedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { "NSSet" }
    public static var archivedAliases: [String] { ["NSMutableSet"] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedSet: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws { try coder.encodeElements(elements) }
}

extension ArchivedSet: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { elements = try coder.elements(Element.self) }
}

extension ArchivedSet: MutableTwin where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableSet") }
}

extension Set: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedSet<Element>.archivedClass }
    public static var archivedAliases: [String] { ArchivedSet<Element>.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedSet<Element>.register(in: &registry)
    }
}

extension Set: KeyedEncodable where Element: KeyedEncodable {
    /// Writes the elements in the order of their descriptions, so that equal sets are equal archives
    /// where these differ.
    public func encode(with coder: KeyedEncoder) throws {
        try coder.encodeElements(inStableOrder(self) { $0 })
    }
}

extension Set: KeyedDecodable where Element: KeyedDecodable {
    /// Equal elements become one.
    public init(coder: KeyedDecoder) throws { self = Set(try coder.elements(Element.self)) }
}

extension Set: MutableTwin where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableSet") }
}

/// Elements in an order that is the same in every run: by their descriptions.
private func inStableOrder<S: Sequence>(
    _ elements: S, by key: (S.Element) -> Any
) -> [S.Element] {
    elements.map { (text: stableText(of: key($0)), element: $0) }
        .sorted { $0.text < $1.text }.map(\.element)
}

/// A description that says all: those of data and of dates do not.
private func stableText(of value: Any) -> String {
    switch value {
    case let data as Data:
        String(decoding: data.flatMap { [0x61 + $0 >> 4, 0x61 + $0 & 0xF] }, as: UTF8.self)
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    default: String(describing: value)
    }
}

// MARK: - Ordered sets

/// The elements of an `NSOrderedSet`.
public struct ArchivedOrderedSet<Element> {
    /// The elements, in order.
    public var elements: [Element]

    /// A set of elements that the caller knows to be different.
    public init(_ elements: [Element]) { self.elements = elements }
}

extension ArchivedOrderedSet: Sendable where Element: Sendable {}

extension ArchivedOrderedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { "NSOrderedSet" }
    public static var archivedAliases: [String] { ["NSMutableOrderedSet"] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedOrderedSet: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws {
        for (index, element) in elements.enumerated() {
            try coder.encode(element, forKey: "NS.object.\(index)")
        }
    }
}

extension ArchivedOrderedSet: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { elements = try coder.elements(Element.self) }
}

extension ArchivedOrderedSet: MutableTwin where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableOrderedSet") }
}

// MARK: - Counted sets

/// The elements of an `NSCountedSet`, with how often each is in it.
public struct ArchivedCountedSet<Element> {
    /// The different elements and their counts.
    public var elements: [(element: Element, count: Int)]

    /// A set of elements that the caller knows to be different.
    public init(_ elements: [(element: Element, count: Int)]) { self.elements = elements }
}

extension ArchivedCountedSet: Sendable where Element: Sendable {}

extension ArchivedCountedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSCountedSet", "NSMutableSet", "NSSet")
    }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedCountedSet: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws {
        coder.encode(elements.count, forKey: "NS.count")
        for (index, (element, count)) in elements.enumerated() {
            try coder.encode(element, forKey: "NS.object\(index)")
            coder.encode(count, forKey: "NS.count\(index)")
        }
    }
}

extension ArchivedCountedSet: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws {
        let count = try coder.decodeInteger(forKey: "NS.count")
        let values = try coder.indexedValues(Element.self, "NS.object")
        guard values.count == count else {
            throw KeyedArchiveError(
                .malformedObject,
                what: "`NS.count` is \(count), there are \(values.count) elements",
                object: coder.uid)
        }
        elements = []
        for (index, value) in values.enumerated() {
            let count = try coder.decodeInteger(forKey: "NS.count\(index)")
            guard count > 0 else {
                throw KeyedArchiveError(
                    .valueOutOfRange, what: "an element is in a set \(count) times",
                    object: coder.uid)
            }
            elements.append((value, count))
        }
    }
}

// MARK: - Dictionaries

/// The entries of an `NSDictionary`, in the order of the archive, with keys of any kind.
public struct ArchivedPairs<Key, Value> {
    /// The entries.
    public var entries: [(key: Key, value: Value)]

    /// Entries whose keys the caller knows to be different.
    public init(_ entries: [(key: Key, value: Value)]) { self.entries = entries }
}

extension ArchivedPairs: Sendable where Key: Sendable, Value: Sendable {}

extension ArchivedPairs: KeyedArchivable where Key: KeyedArchivable, Value: KeyedArchivable {
    public static var archivedClass: ArchivedClass { "NSDictionary" }
    public static var archivedAliases: [String] { ["NSMutableDictionary"] }

    public static func register(in registry: inout ClassRegistry) {
        Key.register(in: &registry)
        Value.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedPairs: KeyedEncodable where Key: KeyedEncodable, Value: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws {
        try coder.encodeReferences(entries, forKey: "NS.keys") {
            try $0.key.archive(in: coder.writer)
        }
        try coder.encodeReferences(entries, forKey: "NS.objects") {
            try $0.value.archive(in: coder.writer)
        }
    }
}

extension ArchivedPairs: KeyedDecodable where Key: KeyedDecodable, Value: KeyedDecodable {
    public init(coder: KeyedDecoder) throws {
        let (keys, values) = try coder.entries(Key.self, Value.self)
        entries = []
        entries.reserveCapacity(keys.count)
        // By index: generic code that is not specialized pays for every iterator.
        for index in keys.indices { entries.append((keys[index], values[index])) }
    }
}

extension ArchivedPairs: MutableTwin where Key: KeyedCodable, Value: KeyedCodable {
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
    /// Writes the entries in the order of their keys' descriptions, so that equal dictionaries are
    /// equal archives where these differ.
    public func encode(with coder: KeyedEncoder) throws {
        let entries = inStableOrder(self) { $0.key }.map { (key: $0.key, value: $0.value) }
        try ArchivedPairs(entries).encode(with: coder)
    }
}

extension Dictionary: KeyedDecodable where Key: KeyedDecodable, Value: KeyedDecodable {
    /// - Throws: `malformedObject` for a key that occurs twice. Texts that are canonically equivalent
    ///   are equal keys to a dictionary; ``ArchivedPairs`` keeps them apart.
    public init(coder: KeyedDecoder) throws {
        let (keys, values) = try coder.entries(Key.self, Value.self)
        self.init(minimumCapacity: keys.count)
        for index in keys.indices where updateValue(values[index], forKey: keys[index]) != nil {
            throw KeyedArchiveError(
                .malformedObject, what: "a key occurs twice in a dictionary", object: coder.uid)
        }
    }
}

extension Dictionary: MutableTwin where Key: KeyedCodable, Value: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableDictionary") }
}

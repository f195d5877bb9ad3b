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
// | `NSOrderedSet`, `NSMutableOrderedSet` | `NS.object.0`, `NS.object.1`, … without a count |
// | `NSCountedSet` | `NS.count`; for each element `NS.object0`, `NS.count0`, … without a dot before the index |
//
// Source: archives that Apple's software wrote.

// MARK: - Ordered sets

/// The elements of an `NSOrderedSet`.
public struct ArchivedOrderedSet<Element> {
    /// The elements, in order.
    public var elements: [Element]

    /// Creates a set of elements, which must be distinct.
    public init(_ elements: [Element]) { self.elements = elements }
}

extension ArchivedOrderedSet: Sendable where Element: Sendable {}

extension ArchivedOrderedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.orderedSet) }
    public static var archivedAliases: [String] { ["NSMutableOrderedSet"] }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedOrderedSet: KeyedEncodable where Element: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) {
        for (index, element) in elements.enumerated() {
            coder.encodeElement(
                element, forKey: FoundationField.numberedObject + "\(index)", at: index)
        }
    }
}

extension ArchivedOrderedSet: KeyedDecodable where Element: KeyedDecodable {
    public init(coder: KeyedDecoder) throws { elements = try coder.elements(Element.self) }
}

extension ArchivedOrderedSet: MutableArchivable where Element: KeyedCodable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableOrderedSet") }
}

// MARK: - Counted sets

/// The elements of an `NSCountedSet` with their counts.
public struct ArchivedCountedSet<Element> {
    /// The distinct elements and their counts.
    public var elements: [(element: Element, count: Int)]

    /// Creates a set of elements, which must be distinct.
    public init(_ elements: [(element: Element, count: Int)]) { self.elements = elements }
}

extension ArchivedCountedSet: Sendable where Element: Sendable {}

extension ArchivedCountedSet: KeyedArchivable where Element: KeyedArchivable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass(FoundationClass.countedSet, FoundationClass.mutableSet, FoundationClass.set)
    }

    public static func register(in registry: inout ClassRegistry) {
        Element.register(in: &registry)
        if let type = Self.self as? any KeyedDecodable.Type { registry.add(type) }
    }
}

extension ArchivedCountedSet: KeyedEncodable where Element: KeyedEncodable {
    /// Writes the elements and their counts.
    ///
    /// - Throws: `valueOutOfRange` for a count that is not positive.
    public func encode(with coder: KeyedEncoder) throws {
        coder.encode(elements.count, forKey: "NS.count")
        for (index, (element, count)) in elements.enumerated() {
            try Self.requirePositive(count)
            coder.encodeElement(element, forKey: "NS.object\(index)", at: index)
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
                what: "expected \(count) elements as in `NS.count`, found \(values.count)",
                object: coder.uid)
        }
        elements = []
        for (index, value) in values.enumerated() {
            let count = try coder.decodeInteger(forKey: "NS.count\(index)")
            try Self.requirePositive(count, in: coder.uid)
            elements.append((value, count))
        }
    }
}

extension ArchivedCountedSet {
    fileprivate static func requirePositive(
        _ count: Int, in object: PropertyListUID? = nil
    ) throws(KeyedArchiveError) {
        if count > 0 { return }
        throw KeyedArchiveError(
            .valueOutOfRange, what: "expected a positive count of an element, found \(count)",
            object: object)
    }
}

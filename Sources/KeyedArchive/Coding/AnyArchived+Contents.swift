// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// The elements of collections of any type, each wrapped in an `AnyArchived`.

/// A ``Mutable`` of any type.
protocol MutableValue {
    var wrapped: Any { get }
}

extension Mutable: MutableValue {
    var wrapped: Any { value }
}

/// The kinds of collections without keys.
enum ArchivedListKind {
    case array, set, orderedSet
}

/// A collection without keys.
protocol ArchivedList {
    var kind: ArchivedListKind { get }
    /// Its elements, in order.
    var anyElements: [AnyArchived] { get }
    /// Returns the element at an index; nil beyond the end.
    func anyElement(at index: Int) -> AnyArchived?
}

/// A collection of keys and values.
protocol ArchivedEntries {
    /// Its entries, in order.
    var anyEntries: [(key: AnyArchived, value: AnyArchived)] { get }
}

extension KeyedDecodable {
    /// The value wrapped in an ``AnyArchived``.
    fileprivate var anyArchived: AnyArchived {
        (self as? AnyArchived) ?? AnyArchived(value: self, identity: nil)
    }
}

extension ArchivedList {
    func anyElement(at index: Int) -> AnyArchived? {
        let elements = anyElements
        return elements.indices.contains(index) ? elements[index] : nil
    }
}

extension Array: ArchivedList where Element: KeyedDecodable {
    var kind: ArchivedListKind { .array }
    var anyElements: [AnyArchived] { (self as? [AnyArchived]) ?? map(\.anyArchived) }

    func anyElement(at index: Int) -> AnyArchived? {
        indices.contains(index) ? self[index].anyArchived : nil
    }
}

extension ArchivedSet: ArchivedList where Element: KeyedDecodable {
    var kind: ArchivedListKind { .set }
    var anyElements: [AnyArchived] { elements.anyElements }
}

extension Set: ArchivedList where Element: KeyedDecodable {
    var kind: ArchivedListKind { .set }
    var anyElements: [AnyArchived] { map(\.anyArchived) }
}

extension ArchivedOrderedSet: ArchivedList where Element: KeyedDecodable {
    var kind: ArchivedListKind { .orderedSet }
    var anyElements: [AnyArchived] { elements.anyElements }
}

extension ArchivedPairs: ArchivedEntries where Key: KeyedDecodable, Value: KeyedDecodable {
    var anyEntries: [(key: AnyArchived, value: AnyArchived)] {
        entries.map { ($0.key.anyArchived, $0.value.anyArchived) }
    }
}

extension Dictionary: ArchivedEntries where Key: KeyedDecodable, Value: KeyedDecodable {
    var anyEntries: [(key: AnyArchived, value: AnyArchived)] {
        map { ($0.key.anyArchived, $0.value.anyArchived) }
    }
}

extension PropertyListArray: ArchivedList {
    var kind: ArchivedListKind { .array }
    var anyElements: [AnyArchived] { map(\.anyArchived) }

    func anyElement(at index: Int) -> AnyArchived? {
        indices.contains(index) ? self[index].anyArchived : nil
    }
}

extension PropertyListDictionary: ArchivedEntries {
    var anyEntries: [(key: AnyArchived, value: AnyArchived)] {
        map { ($0.key.anyArchived, $0.value.anyArchived) }
    }
}

extension PropertyListValue {
    /// The value in the form in which an ``AnyArchived`` holds a decoded object: an
    /// ``ArchivedNumber``, a `String`, `Data` or a `Date`. Arrays and dictionaries keep their
    /// property list types. Nil for null, UIDs and sets, which cannot be archived.
    var decodedForm: Any? {
        switch self {
        case .boolean(let value): ArchivedNumber.boolean(value)
        case .integer(let value): ArchivedNumber.integer(value)
        case .real(let value): ArchivedNumber.real(value)
        case .string(let text): text
        case .data(let bytes): Data(bytes)
        case .date(let date): Date(timeIntervalSinceReferenceDate: date.secondsSince2001)
        case .array(let elements): elements
        case .dictionary(let entries): entries
        case .null, .uid, .set: nil
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// MARK: - Values as other types

extension AnyArchived {
    /// Returns the value, if it is of `type` or can be converted to it; otherwise nil.
    ///
    /// | value | converted to |
    /// |---|---|
    /// | a number | any type that represents it exactly |
    /// | an array | `[Element]` |
    /// | a set | `Set` and ``ArchivedSet`` |
    /// | an ordered set | ``ArchivedOrderedSet`` |
    /// | a dictionary | `[Key: Value]` and ``ArchivedPairs`` |
    /// | `NSNull` | nil of an optional type |
    /// | a value of a mutable class | the same types as a value of the immutable class |
    ///
    /// Elements are converted too, at every depth: `[String: [Int]]`, `[String: AnyArchived]`. One
    /// element that cannot be converted makes the result nil. So does a key that occurs twice in a
    /// `[Key: Value]`.
    ///
    /// - Complexity: Constant if the value has the type already; otherwise linear in the number of
    ///   elements, with shared objects counted once.
    public func value<T>(as type: T.Type = T.self) -> T? {
        if let value = value as? T { return value }
        return converted(to: type, AnyConversion())
    }

    /// The text of a string.
    public var stringValue: String? { value() }
    /// The number. Booleans are numbers too.
    public var numberValue: ArchivedNumber? { value() }
    /// The bytes of data.
    public var dataValue: Data? { value() }
    /// The date.
    public var dateValue: Date? { value() }
    /// The elements of an array.
    public var arrayValue: [AnyArchived]? { value() }
    /// The entries of a dictionary whose keys are strings. Linear in their number.
    public var dictionaryValue: [String: AnyArchived]? { value() }

    /// The element of an array at an index; nil beyond its end, and for a value that is not an
    /// array.
    public subscript(index: Int) -> AnyArchived? {
        guard let list = content as? any ArchivedList, list.kind == .array else { return nil }
        return list.anyElement(at: index)
    }

    /// The value of a dictionary's key; nil if there is none, and for a value that is not a
    /// dictionary.
    ///
    /// - Complexity: Linear in the number of entries. ``dictionaryValue`` is faster for many keys.
    public subscript(key: String) -> AnyArchived? {
        (content as? any ArchivedEntries)?.anyEntries
            .first { $0.key.stringValue?.isLiterally(key) == true }?.value
    }
}

// MARK: - Conversion

/// A cache of the shared objects that one call has converted. Each object is converted only once to
/// each type.
final class AnyConversion {
    private struct Request: Hashable {
        let identity: ObjectIdentity
        let type: ObjectIdentifier
    }

    private var known: [Request: Any] = [:]

    fileprivate func once<T>(
        _ value: AnyArchived, _ type: T.Type, _ convert: () -> T?
    ) -> T? {
        guard let identity = value.identity else { return convert() }
        let request = Request(identity: identity, type: ObjectIdentifier(type))
        // The lookup is unwrapped first, because casting its nil to an optional `T` would succeed.
        if let known = known[request], let value = known as? T { return value }
        let value = convert()
        if let value { known[request] = value }
        return value
    }
}

/// A type to which a value of any class can be converted element by element.
private protocol AnyConvertible {
    static func converted(from value: AnyArchived, _ conversion: AnyConversion) -> Self?
}

extension AnyArchived {
    /// The value without its ``Mutable`` wrapper. A `PropertyListValue` is replaced by its decoded
    /// form.
    var content: Any {
        if let mutable = value as? any MutableValue { return mutable.wrapped }
        return (value as? PropertyListValue)?.decodedForm ?? value
    }

    fileprivate func converted<T>(to type: T.Type, _ conversion: AnyConversion) -> T? {
        if let same = self as? T { return same }
        let content = content
        if let value = content as? T { return value }
        if let number = content as? ArchivedNumber,
            let type = type as? any ArchivedNumberConvertible.Type
        {
            return type.init(number) as? T
        }
        guard let convertible = type as? any AnyConvertible.Type else { return nil }
        return conversion.once(self, type) {
            // The result is unwrapped first, because casting its nil to an optional `T` would
            // succeed.
            convertible.converted(from: self, conversion).flatMap { $0 as? T }
        }
    }

    /// Returns the converted elements of a collection of this kind; nil for other values, and if an
    /// element cannot be converted.
    fileprivate func elements<T>(
        _ kind: ArchivedListKind, as type: T.Type, _ conversion: AnyConversion
    ) -> [T]? {
        guard let list = content as? any ArchivedList, list.kind == kind else { return nil }
        var elements: [T] = []
        for element in list.anyElements {
            guard let value = element.converted(to: type, conversion) else { return nil }
            elements.append(value)
        }
        return elements
    }

    /// Returns the converted entries of a dictionary; nil for other values, and if an entry cannot
    /// be converted.
    fileprivate func entries<Key, Value>(
        _ keyType: Key.Type, _ valueType: Value.Type, _ conversion: AnyConversion
    ) -> [(key: Key, value: Value)]? {
        guard let pairs = content as? any ArchivedEntries else { return nil }
        var entries: [(key: Key, value: Value)] = []
        for (key, value) in pairs.anyEntries {
            guard let key = key.converted(to: keyType, conversion),
                let value = value.converted(to: valueType, conversion)
            else { return nil }
            entries.append((key, value))
        }
        return entries
    }
}

extension Optional: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> Wrapped?? {
        if value.value is ArchivedNull { return .some(nil) }
        return value.converted(to: Wrapped.self, conversion).map { .some($0) }
    }
}

extension Array: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> [Element]? {
        value.elements(.array, as: Element.self, conversion)
    }
}

extension Set: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> Set? {
        value.elements(.set, as: Element.self, conversion).map { Set($0) }
    }
}

extension ArchivedSet: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> ArchivedSet? {
        value.elements(.set, as: Element.self, conversion).map { ArchivedSet($0) }
    }
}

extension ArchivedOrderedSet: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> ArchivedOrderedSet? {
        value.elements(.orderedSet, as: Element.self, conversion).map { ArchivedOrderedSet($0) }
    }
}

extension Dictionary: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> [Key: Value]? {
        guard let entries = value.entries(Key.self, Value.self, conversion) else { return nil }
        var dictionary: [Key: Value] = [:]
        for (key, value) in entries where dictionary.updateValue(value, forKey: key) != nil {
            return nil
        }
        return dictionary
    }
}

extension ArchivedPairs: AnyConvertible {
    fileprivate static func converted(
        from value: AnyArchived, _ conversion: AnyConversion
    ) -> ArchivedPairs? {
        value.entries(Key.self, Value.self, conversion).map { ArchivedPairs($0) }
    }
}

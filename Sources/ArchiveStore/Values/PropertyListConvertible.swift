// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values preferences hold: strings, numbers, booleans, dates, data; arrays of them, and
/// dictionaries of them with strings as keys.
///
/// Nothing is converted: a string `"42"` is no number, and a boolean no integer.
public protocol PropertyListConvertible {
    /// The value of a property list, or nil where it is of another kind or does not fit.
    init?(propertyListValue value: PropertyListValue)

    /// The value as a property list.
    var propertyListValue: PropertyListValue { get }
}

extension String: PropertyListConvertible {
    public init?(propertyListValue value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self = text
    }

    public var propertyListValue: PropertyListValue { .string(self) }
}

extension Bool: PropertyListConvertible {
    public init?(propertyListValue value: PropertyListValue) {
        guard let boolean = value.boolean else { return nil }
        self = boolean
    }

    public var propertyListValue: PropertyListValue { .boolean(self) }
}

extension Data: PropertyListConvertible {
    public init?(propertyListValue value: PropertyListValue) {
        guard let bytes = value.data else { return nil }
        self.init(bytes)
    }

    public var propertyListValue: PropertyListValue { .data(Array(self)) }
}

extension Date: PropertyListConvertible {
    public init?(propertyListValue value: PropertyListValue) {
        guard let date = value.date else { return nil }
        self.init(timeIntervalSinceReferenceDate: date.secondsSince2001)
    }

    public var propertyListValue: PropertyListValue {
        .date(PropertyListDate(secondsSince2001: timeIntervalSinceReferenceDate))
    }
}

// MARK: - Numbers

extension ArchivedNumber {
    fileprivate init?(_ value: PropertyListValue) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        default: return nil
        }
    }
}

extension Int: PropertyListConvertible {
    /// The value of an integer, or of a real without a fraction.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let integer = Int(number) else { return nil }
        self = integer
    }

    public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(self)) }
}

extension UInt64: PropertyListConvertible {
    /// The value of an integer, or of a real without a fraction.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let integer = UInt64(number) else { return nil }
        self = integer
    }

    public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(self)) }
}

extension Double: PropertyListConvertible {
    /// The value of a real, or of an integer that a `Double` holds exactly.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let real = Double(number) else { return nil }
        self = real
    }

    public var propertyListValue: PropertyListValue { .real(PropertyListReal(self)) }
}

extension Float: PropertyListConvertible {
    /// The value of a number that a `Float` holds exactly.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let real = Float(number) else { return nil }
        self = real
    }

    public var propertyListValue: PropertyListValue { .real(PropertyListReal(self)) }
}

// MARK: - Collections

extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    /// The elements of an array, if all are of the element's type.
    public init?(propertyListValue value: PropertyListValue) {
        guard let elements = value.array else { return nil }
        let converted = elements.compactMap { Element(propertyListValue: $0) }
        guard converted.count == elements.count else { return nil }
        self = converted
    }

    public var propertyListValue: PropertyListValue {
        .array(PropertyListArray(map(\.propertyListValue)))
    }
}

extension Dictionary: PropertyListConvertible
where Key == String, Value: PropertyListConvertible {
    /// The entries of a dictionary, if all values are of the value's type.
    public init?(propertyListValue value: PropertyListValue) {
        guard let entries = value.dictionary else { return nil }
        self.init()
        for (key, entry) in entries {
            guard let converted = Value(propertyListValue: entry),
                updateValue(converted, forKey: key) == nil
            else {
                return nil
            }
        }
    }

    /// In the order of the keys, so that equal dictionaries are equal property lists.
    public var propertyListValue: PropertyListValue {
        let keys = keys.map(ExactText.init(_:)).sorted()
        let entries = keys.compactMap { key in
            self[key.text].map { (key: key.text, value: $0.propertyListValue) }
        }
        return .dictionary(PropertyListDictionary(entries))
    }
}

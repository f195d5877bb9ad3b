// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values can be stored in preferences: strings, numbers, booleans, dates, data, URLs
/// and UUIDs, and arrays and dictionaries of them with string keys.
///
/// Kinds are not converted: the string `"42"` is not a number, and a boolean is not an integer.
/// Only integers and reals are converted to each other, and only without loss, except that a
/// `Float` is rounded.
///
/// An enumeration with raw values only needs to declare its conformance:
///
/// ```swift
/// enum Theme: String, PropertyListConvertible { case light, dark }
/// ```
public protocol PropertyListConvertible {
    /// Creates a value from a property list value. The result is nil if the value has another kind
    /// or does not fit.
    init?(propertyListValue value: PropertyListValue)

    /// The value in its property list form.
    var propertyListValue: PropertyListValue { get }
}

extension String: PropertyListConvertible {
    /// Creates a string from a string value.
    public init?(propertyListValue value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self = text
    }

    /// The string as a property list value.
    public var propertyListValue: PropertyListValue { .string(self) }
}

extension Bool: PropertyListConvertible {
    /// Creates a Boolean from a boolean value.
    public init?(propertyListValue value: PropertyListValue) {
        guard let boolean = value.boolean else { return nil }
        self = boolean
    }

    /// The Boolean as a property list value.
    public var propertyListValue: PropertyListValue { .boolean(self) }
}

extension Data: PropertyListConvertible {
    /// Creates data from a data value.
    public init?(propertyListValue value: PropertyListValue) {
        guard let bytes = value.data else { return nil }
        self.init(bytes)
    }

    /// The bytes as a property list value.
    public var propertyListValue: PropertyListValue { .data(Array(self)) }
}

extension Date: PropertyListConvertible {
    /// Creates a date from a date value.
    public init?(propertyListValue value: PropertyListValue) {
        guard let date = value.date else { return nil }
        self.init(timeIntervalSinceReferenceDate: date.secondsSince2001)
    }

    /// The date as a property list value.
    public var propertyListValue: PropertyListValue {
        .date(PropertyListDate(secondsSince2001: timeIntervalSinceReferenceDate))
    }
}

extension UUID: PropertyListConvertible {
    /// Creates a UUID from a string value that contains its text.
    public init?(propertyListValue value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self.init(uuidString: text)
    }

    /// The text of the UUID, in capital letters.
    public var propertyListValue: PropertyListValue { .string(uuidString) }
}

extension URL: PropertyListConvertible {
    /// Creates a URL from an archive, as `UserDefaults.set(_:forKey:)` writes it, or from a string.
    ///
    /// The string is a URL with a scheme, or a path as `UserDefaults.url(forKey:)` accepts it. Such
    /// a path begins with `/` or `~/`, or is `~` itself.
    public init?(propertyListValue value: PropertyListValue) {
        if let bytes = value.data {
            let url = try? KeyedUnarchiver.unarchive(
                URL.self, from: bytes, allowing: ClassRegistry(URL.self, String.self),
                limits: .untrusted)
            guard let url else { return nil }
            self = url
            return
        }
        guard let text = value.string else { return nil }
        switch text.utf8.first {
        case UInt8(ascii: "/"): self.init(fileURLWithPath: text)
        case UInt8(ascii: "~") where text == "~" || text.utf8.starts(with: "~/".utf8):
            self.init(fileURLWithPath: Preferences.homeFolder + text.dropFirst())
        default:
            guard let url = URL(string: text), url.scheme != nil else { return nil }
            self = url
        }
    }

    /// An archive of the URL, as a data value, or its absolute string if the URL cannot be
    /// archived.
    public var propertyListValue: PropertyListValue {
        let bytes = try? KeyedArchiver.archive(
            self, allowing: ClassRegistry(URL.self, String.self))
        return bytes.map { .data($0) } ?? .string(absoluteString)
    }
}

extension RawRepresentable where Self: PropertyListConvertible, RawValue: PropertyListConvertible {
    /// Creates the value that has the stored raw value. The result is nil if there is none.
    public init?(propertyListValue value: PropertyListValue) {
        guard let raw = RawValue(propertyListValue: value) else { return nil }
        self.init(rawValue: raw)
    }

    /// The raw value as a property list value.
    public var propertyListValue: PropertyListValue { rawValue.propertyListValue }
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
    /// Creates an integer from an integer value, or from a real without a fraction.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let integer = Int(number) else { return nil }
        self = integer
    }

    /// The integer as a property list value.
    public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(self)) }
}

extension UInt64: PropertyListConvertible {
    /// Creates an integer from an integer value, or from a real without a fraction.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let integer = UInt64(number) else { return nil }
        self = integer
    }

    /// The integer as a property list value.
    public var propertyListValue: PropertyListValue { .integer(PropertyListInteger(self)) }
}

extension Double: PropertyListConvertible {
    /// Creates a number from a real, or from an integer that a `Double` holds exactly.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let real = Double(number) else { return nil }
        self = real
    }

    /// The number as a property list value.
    public var propertyListValue: PropertyListValue { .real(PropertyListReal(self)) }
}

extension Float: PropertyListConvertible {
    /// Creates a number from a real, or from an integer that a `Double` holds exactly, by rounding
    /// it to a `Float`. The result is nil for a finite number that would become infinite.
    public init?(propertyListValue value: PropertyListValue) {
        guard let number = ArchivedNumber(value), let real = Double(number) else { return nil }
        self = Float(real)
        if isInfinite, real.isFinite { return nil }
    }

    /// The number as a property list value.
    public var propertyListValue: PropertyListValue { .real(PropertyListReal(self)) }
}

// MARK: - Collections

extension Array: PropertyListConvertible where Element: PropertyListConvertible {
    /// Creates an array if all elements of an array value can be converted.
    public init?(propertyListValue value: PropertyListValue) {
        guard let elements = value.array else { return nil }
        let converted = elements.compactMap { Element(propertyListValue: $0) }
        guard converted.count == elements.count else { return nil }
        self = converted
    }

    /// The elements as a property list array.
    public var propertyListValue: PropertyListValue {
        .array(PropertyListArray(map(\.propertyListValue)))
    }
}

extension Dictionary: PropertyListConvertible
where Key == String, Value: PropertyListConvertible {
    /// Creates a dictionary if all values of a dictionary value can be converted and no key occurs
    /// twice.
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

    /// The entries as a property list dictionary, sorted by key. Equal dictionaries therefore give
    /// equal property lists.
    public var propertyListValue: PropertyListValue {
        let keys = keys.map(ExactText.init(_:)).sorted()
        let entries = keys.compactMap { key in
            self[key.text].map { (key: key.text, value: $0.propertyListValue) }
        }
        return .dictionary(PropertyListDictionary(entries))
    }
}

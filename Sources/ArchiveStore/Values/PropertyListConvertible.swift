// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A type whose values preferences hold: strings, numbers, booleans, dates, data, URLs, UUIDs; arrays of them, and
/// dictionaries of them with strings as keys.
///
/// Nothing is converted: a string `"42"` is no number, and a boolean no integer.
///
/// An enumeration with raw values conforms by its declaration alone:
///
/// ```swift
/// enum Theme: String, PropertyListConvertible { case light, dark }
/// ```
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

extension UUID: PropertyListConvertible {
    /// The UUID that a string is the text of.
    public init?(propertyListValue value: PropertyListValue) {
        guard let text = value.string else { return nil }
        self.init(uuidString: text)
    }

    /// The text of the UUID, in capital letters.
    public var propertyListValue: PropertyListValue { .string(uuidString) }
}

extension URL: PropertyListConvertible {
    /// The URL that data are an archive of, as `UserDefaults.set(_:forKey:)` writes it, or that a string is.
    ///
    /// A string is a path that begins with `/` or `~/`, as `UserDefaults.url(forKey:)` reads it, or a
    /// URL with a scheme.
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

    /// An archive of the URL, as data.
    public var propertyListValue: PropertyListValue {
        let bytes = try? KeyedArchiver.archive(
            self, allowing: ClassRegistry(URL.self, String.self))
        return bytes.map { .data($0) } ?? .string(absoluteString)
    }
}

extension RawRepresentable where Self: PropertyListConvertible, RawValue: PropertyListConvertible {
    /// The value whose raw value is stored; nil where there is none.
    public init?(propertyListValue value: PropertyListValue) {
        guard let raw = RawValue(propertyListValue: value) else { return nil }
        self.init(rawValue: raw)
    }

    /// The raw value.
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

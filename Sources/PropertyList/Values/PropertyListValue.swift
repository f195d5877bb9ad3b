// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A property list as a tree of values, for building and editing.
///
/// A ``PropertyListDocument`` is cheaper for reading a file. No operation recurses, so values
/// nested a million deep can be compared, printed and released without overflowing the stack.
public enum PropertyListValue: Sendable {
    /// The null of binary property lists and JSON.
    case null
    /// True or false.
    case boolean(Bool)
    /// An integer, −2⁶³ … 2⁶⁴−1.
    case integer(PropertyListInteger)
    /// A floating-point number of 32 or 64 bits.
    case real(PropertyListReal)
    /// A point in time.
    case date(PropertyListDate)
    /// Bytes.
    case data([UInt8])
    /// Text, compared scalar by scalar.
    case string(String)
    /// A reference into the object table of a keyed archive.
    case uid(PropertyListUID)
    /// A sequence of values.
    case array(PropertyListArray)
    /// A set of values, in the order of the source. Only binary property lists and typed JSON have
    /// sets.
    case set(PropertyListArray)
    /// An ordered sequence of keys and their values.
    case dictionary(PropertyListDictionary)

    package var storage: ContainerStorage? {
        switch self {
        case .array(let elements), .set(let elements): elements.storage
        case .dictionary(let entries): entries.storage
        default: nil
        }
    }

    /// The kind of the value.
    public var kind: PropertyListKind {
        switch self {
        case .null: .null
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .date: .date
        case .data: .data
        case .string: .string
        case .uid: .uid
        case .array: .array
        case .set: .set
        case .dictionary: .dictionary
        }
    }
}

// MARK: - Literals

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a string from a literal.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer from a literal.
    public init(integerLiteral value: Int) { self = .integer(PropertyListInteger(value)) }
    /// Creates a 64-bit floating-point number from a literal.
    public init(floatLiteral value: Double) { self = .real(PropertyListReal(value)) }
    /// Creates a Boolean from a literal.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates an array from a literal.
    public init(arrayLiteral elements: PropertyListValue...) {
        self = .array(PropertyListArray(elements))
    }
    /// Creates a dictionary from a literal. For a duplicate key, the last value is used.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        var entries = PropertyListDictionary()
        for (key, value) in elements { entries[key] = value }
        self = .dictionary(entries)
    }
}

extension PropertyListValue {
    /// Creates an integer.
    public init(_ value: Int) { self = .integer(PropertyListInteger(value)) }
    /// Creates a string.
    public init(_ value: String) { self = .string(value) }
    /// Creates a 64-bit floating-point number.
    public init(_ value: Double) { self = .real(PropertyListReal(value)) }
}

// MARK: - Access

extension PropertyListValue {
    /// The text of a string; nil for other kinds.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The value of an integer; nil for other kinds.
    public var integer: PropertyListInteger? {
        if case .integer(let value) = self { value } else { nil }
    }
    /// The value of a floating-point number; nil for other kinds, including integers.
    public var real: PropertyListReal? { if case .real(let value) = self { value } else { nil } }
    /// The value of a boolean; nil for other kinds.
    public var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
    /// The value of a date; nil for other kinds.
    public var date: PropertyListDate? { if case .date(let value) = self { value } else { nil } }
    /// The bytes of data; nil for other kinds.
    public var data: [UInt8]? { if case .data(let value) = self { value } else { nil } }
    /// The value of a UID; nil for other kinds.
    public var uid: PropertyListUID? { if case .uid(let value) = self { value } else { nil } }
    /// The elements of an array; nil for other kinds.
    public var array: PropertyListArray? { if case .array(let value) = self { value } else { nil } }
    /// The entries of a dictionary; nil for other kinds.
    public var dictionary: PropertyListDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    /// The value of `key` in a dictionary, or nil.
    ///
    /// Setting a value changes or appends the entry, and setting nil removes it. Setting has no
    /// effect if this value is not a dictionary.
    public subscript(key: String) -> PropertyListValue? {
        get { dictionary?[key] }
        set {
            guard case .dictionary(var entries) = self else { return }
            self = .null
            entries[key] = newValue
            self = .dictionary(entries)
        }
    }

    /// The element at `position` of an array, or nil.
    public subscript(position: Int) -> PropertyListValue? {
        guard let array, array.indices.contains(position) else { return nil }
        return array[position]
    }
}

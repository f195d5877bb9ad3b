// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Strings, numbers and data, which are plain values in `$objects`.
//
// | class | entry |
// |---|---|
// | `NSString` | a string; the text `$null`, which would be read as nil, is an object with `NS.string` |
// | `NSNumber` | an integer, a real or a boolean; the kind is preserved |
// | `NSData` | data |
// | `NSMutableString` | an object: `NS.string`, a string, stored inline |
// | `NSMutableData` | an object: `NS.data`, data, stored inline; in some files `NS.bytes` |
//
// Numeric fields of an object are stored inline, without an entry. References to an entry are read
// too.

// MARK: - Strings

extension String: KeyedCodable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.string) }
    public static var archivedAliases: [String] { ["NSMutableString"] }

    public func encode(with coder: KeyedEncoder) {
        coder.encodeInline(.string(self), forKey: FoundationField.string)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.string(self)
    }

    /// Reads `NS.string`, or UTF-8 from `NS.bytes`, which some programs write.
    public init(coder: KeyedDecoder) throws {
        if coder.containsValue(forKey: FoundationField.string) {
            self = try coder.decode(String.self, forKey: FoundationField.string)
            return
        }
        let node = try coder.dataNode(FoundationField.bytes)
        guard let text = coder.reader.validText(of: node) else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "`NS.bytes` is not valid UTF-8", object: coder.uid)
        }
        self = text
    }

    public static func unarchive(_ reference: KeyedReference) throws -> String {
        guard let node = try reference.leaf(of: .string, expected: "String") else {
            let text = try reference.object(as: String.self)
            reference.reader.noteRepetition(of: text, in: reference.number)
            return text
        }
        return reference.reader.text(of: node)
    }
}

extension KeyedReference {
    /// Returns the node of a plain value of the kind `kind`; nil for a reference to anything but a
    /// plain value.
    ///
    /// `expected` names the type of such values for the error.
    ///
    /// - Throws: `classNotAllowed`; `wrongType` for a plain value of another kind.
    @inline(__always)
    fileprivate func leaf(of kind: PropertyListKind, expected: String) throws -> UInt32? {
        guard let node = try leaf() else { return nil }
        guard reader.table[node].kind == kind else {
            throw reader.wrongType(self, expected: expected)
        }
        return node
    }
}

extension Mutable: KeyedArchivable, KeyedEncodable, KeyedDecodable where Value: MutableArchivable {
    public static var archivedClass: ArchivedClass { Value.mutableClass }

    public func encode(with coder: KeyedEncoder) throws { try value.encode(with: coder) }

    public init(coder: KeyedDecoder) throws { value = try Value(coder: coder) }

    public static func register(in registry: inout ClassRegistry) {
        Value.register(in: &registry)
        registry.add(Self.self)
    }
}

/// A value that is archived as its mutable class: `Mutable("text")` becomes an `NSMutableString`.
///
/// Swift's values have no mutable classes. An `NSMutableString` can be read as a plain `String`.
/// Read it as `Mutable<String>` to preserve the difference when it is written again.
public struct Mutable<Value> {
    /// The value itself.
    public var value: Value

    /// Wraps a value to archive it as its mutable class.
    public init(_ value: Value) { self.value = value }
}

extension Mutable: Sendable where Value: Sendable {}
extension Mutable: Equatable where Value: Equatable {}
extension Mutable: Hashable where Value: Hashable {}

/// A type whose archived class has a mutable counterpart with the same fields.
public protocol MutableArchivable: KeyedCodable {
    /// The mutable class, such as `NSMutableArray`.
    static var mutableClass: ArchivedClass { get }
}

extension String: MutableArchivable {
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableString") }
}

// MARK: - Data

extension Data: KeyedCodable, MutableArchivable {
    public static var archivedClass: ArchivedClass { ArchivedClass(FoundationClass.data) }
    public static var archivedAliases: [String] { ["NSMutableData"] }
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableData") }

    public func encode(with coder: KeyedEncoder) {
        coder.encodeBytes(self, forKey: FoundationField.data)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.data(Array(self))
    }

    public init(coder: KeyedDecoder) throws {
        self = coder.reader.data(of: try Self.node(in: coder))
    }

    /// Returns the node of the bytes of an `NSData`.
    static func node(in coder: KeyedDecoder) throws -> UInt32 {
        try coder.dataNode(
            coder.containsValue(forKey: FoundationField.bytes)
                ? FoundationField.bytes : FoundationField.data)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> Data {
        guard let node = try reference.leaf(of: .data, expected: "Data") else {
            return try reference.object(as: Data.self)
        }
        return reference.reader.data(of: node)
    }
}

// MARK: - Numbers

/// An `NSNumber`. Like archives, it distinguishes booleans, integers and reals.
public enum ArchivedNumber: Sendable, Hashable {
    /// True or false.
    case boolean(Bool)
    /// An integer, −2⁶³ … 2⁶⁴−1.
    case integer(PropertyListInteger)
    /// A floating-point number of 32 or 64 bits.
    case real(PropertyListReal)

    init?(_ node: UInt32, _ table: DocumentTable) {
        let view = table.view(node)
        switch view.kind {
        case .boolean: self = .boolean(view.boolean ?? false)
        case .integer: self = .integer(view.integer ?? 0)
        case .real: self = .real(view.real ?? 0.0)
        default: return nil
        }
    }
}

extension ArchivedNumber: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    public init(integerLiteral value: Int) { self = .integer(PropertyListInteger(value)) }
    public init(floatLiteral value: Double) { self = .real(PropertyListReal(value)) }
}

/// A type that is archived as an `NSNumber`.
public protocol ArchivedNumberConvertible: KeyedCodable {
    /// Creates a value from a number. Returns nil if the type cannot represent the number exactly.
    /// A boolean is not converted to a number, nor a number to a boolean.
    init?(_ number: ArchivedNumber)

    /// The value as a number.
    var archivedNumber: ArchivedNumber { get }
}

extension ArchivedNumberConvertible {
    public static var archivedClass: ArchivedClass {
        ArchivedClass(FoundationClass.number, "NSValue")
    }

    public static func register(in registry: inout ClassRegistry) {
        registry.add(ArchivedNumber.self)
    }

    /// Writes nothing: numbers are plain values and have no fields.
    public func encode(with coder: KeyedEncoder) {}

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.number(archivedNumber)
    }

    /// Throws `malformedObject`: a number is a plain value, not an object with fields.
    public init(coder: KeyedDecoder) throws {
        throw KeyedArchiveError(
            .malformedObject,
            what: "expected a plain value for an NSNumber, found an object with fields",
            object: coder.uid)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        guard let node = try reference.leaf(),
            let number = ArchivedNumber(node, reference.reader.table)
        else { throw reference.reader.wrongType(reference, expected: "\(Self.self)") }
        if let value = Self(number) { return value }
        if reference.reader.convertsNumbers, let value = number.converted(to: Self.self) {
            return value
        }
        throw number.mismatch(Self.self, reference.object)
    }
}

extension ArchivedNumber: ArchivedNumberConvertible {
    public init?(_ number: ArchivedNumber) { self = number }

    public var archivedNumber: ArchivedNumber { self }

    public static func register(in registry: inout ClassRegistry) { registry.add(Self.self) }

    func mismatch(_ type: Any.Type, _ object: PropertyListUID?) -> KeyedArchiveError {
        switch self {
        case .boolean where type != Bool.self:
            KeyedArchiveError(
                .wrongType, what: "expected \(type), found a boolean", object: object,
                recovery: "`Bool.self` reads it")
        case .integer(let value) where type == Bool.self:
            KeyedArchiveError(
                .wrongType, what: "expected Bool, found an integer", object: object,
                recovery: value.reader)
        case .real where type == Bool.self:
            KeyedArchiveError(
                .wrongType, what: "expected Bool, found a real", object: object,
                recovery: "`Double.self` reads it")
        case .integer(let value):
            KeyedArchiveError(
                .valueOutOfRange, what: "expected \(type), found \(value.mismatch(type))",
                object: object, recovery: value.reader)
        default:
            KeyedArchiveError(
                .valueOutOfRange,
                what: "expected \(type), found a real that it cannot represent exactly",
                object: object, recovery: "`Double.self` reads it")
        }
    }
}

extension PropertyListInteger {
    /// The recovery that names a type which can hold the integer.
    fileprivate var reader: String {
        value(as: Int64.self) != nil ? "`Int64.self` reads it" : "`UInt64.self` reads it"
    }

    /// Returns a description of an integer that does not fit the type, without the integer's value.
    fileprivate func mismatch(_ type: Any.Type) -> String {
        guard let type = type as? any FixedWidthInteger.Type else {
            return "an integer that it cannot represent exactly"
        }
        if self < 0, !type.isSigned { return "an integer below zero" }
        let digits = self < 0 ? magnitude - 1 : magnitude
        let width = UInt64.bitWidth - digits.leadingZeroBitCount
        return type.isSigned
            ? "an integer that needs \(width + 1) bits with its sign"
            : "an integer that needs \(width) bits"
    }
}

extension Bool: ArchivedNumberConvertible {
    public init?(_ number: ArchivedNumber) {
        guard case .boolean(let value) = number else { return nil }
        self = value
    }

    public var archivedNumber: ArchivedNumber { .boolean(self) }
}

extension FixedWidthInteger where Self: ArchivedNumberConvertible {
    /// Creates a value from an integer, or from a real without a fraction, if the type can
    /// represent it.
    public init?(_ number: ArchivedNumber) {
        switch number {
        case .boolean: return nil
        case .integer(let value):
            guard let value = value.value(as: Self.self) else { return nil }
            self = value
        case .real(let value):
            guard let value = Self(exactly: value.value) else { return nil }
            self = value
        }
    }

    /// The value as an integer `NSNumber`.
    public var archivedNumber: ArchivedNumber {
        .integer(PropertyListInteger(exactly: self) ?? 0)
    }
}

extension Int: ArchivedNumberConvertible {}
extension Int8: ArchivedNumberConvertible {}
extension Int16: ArchivedNumberConvertible {}
extension Int32: ArchivedNumberConvertible {}
extension Int64: ArchivedNumberConvertible {}
extension UInt: ArchivedNumberConvertible {}
extension UInt8: ArchivedNumberConvertible {}
extension UInt16: ArchivedNumberConvertible {}
extension UInt32: ArchivedNumberConvertible {}
extension UInt64: ArchivedNumberConvertible {}

extension Double: ArchivedNumberConvertible {
    /// Creates a value from a real, or from an integer that a `Double` represents exactly.
    public init?(_ number: ArchivedNumber) {
        switch number {
        case .boolean: return nil
        case .real(let value): self = value.value
        case .integer(let value):
            let converted =
                value < 0
                ? Double(exactly: value.value(as: Int64.self) ?? 0)
                : Double(exactly: value.value(as: UInt64.self) ?? 0)
            guard let converted else { return nil }
            self = converted
        }
    }

    public var archivedNumber: ArchivedNumber { .real(PropertyListReal(self)) }
}

extension Float: ArchivedNumberConvertible {
    /// Creates a value from NaN, or from a number that a `Float` represents exactly.
    public init?(_ number: ArchivedNumber) {
        guard let value = Double(number) else { return nil }
        if value.isNaN {
            self = .nan
            return
        }
        guard let exact = Float(exactly: value) else { return nil }
        self = exact
    }

    public var archivedNumber: ArchivedNumber { .real(PropertyListReal(self)) }
}

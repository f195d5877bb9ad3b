// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A type that is archived as its raw value: an enumeration, an option set.
///
/// A raw value that is a number stands in the object itself, as where a program writes
/// `coder.encode(mood.rawValue, forKey: "mood")`. In a collection, and as an optional, it is an `NSNumber`.
/// Both forms are read. Conforming takes no code:
///
/// ```swift
/// enum Level: Int, ArchivedRawRepresentable {
///     case low = 1, high
/// }
/// ```
public protocol ArchivedRawRepresentable: RawRepresentable, KeyedCodable
where RawValue: KeyedCodable {}

extension ArchivedRawRepresentable {
    public static var archivedClass: ArchivedClass { RawValue.archivedClass }
    public static var archivedAliases: [String] { RawValue.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        RawValue.register(in: &registry)
    }

    public func encode(with coder: KeyedEncoder) throws { try rawValue.encode(with: coder) }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try rawValue.archive(in: writer)
    }

    /// - Throws: `valueOutOfRange` for a raw value that the type does not have.
    public init(coder: KeyedDecoder) throws {
        self = try Self.value(of: RawValue(coder: coder), coder.uid)
    }

    /// - Throws: `valueOutOfRange` for a raw value that the type does not have.
    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        try value(of: RawValue.unarchive(reference), reference.object)
    }

    private static func value(of rawValue: RawValue, _ object: PropertyListUID?) throws -> Self {
        if let value = Self(rawValue: rawValue) { return value }
        throw KeyedArchiveError(
            .valueOutOfRange, what: "expected a raw value of \(Self.self), found another",
            object: object)
    }
}

extension KeyedEncoder {
    /// Writes the raw value of an enumeration or an option set. A number stands in the object itself.
    ///
    /// - Throws: nothing yet. It is marked as the call for any other value is.
    public func encode<T: ArchivedRawRepresentable>(_ value: T, forKey key: String) throws
    where T.RawValue: ArchivedNumberConvertible {
        let number = value.rawValue.archivedNumber
        writer.table.field(key, of: object) { $0.number(number) }
    }
}

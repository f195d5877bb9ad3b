// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

// Raw values. A type that is `RawRepresentable` and conforms to `KeyedCodable` is archived as its
// raw value, without further code. Such types are enumerations with raw values, option sets and
// wrappers of identifiers. Programs that use `NSCoding` store the raw value explicitly:
// `coder.encode(level.rawValue, forKey: "level")`.

extension KeyedArchivable where Self: RawRepresentable, RawValue: KeyedArchivable {
    public static var archivedClass: ArchivedClass { RawValue.archivedClass }
    public static var archivedAliases: [String] { RawValue.archivedAliases }

    public static func register(in registry: inout ClassRegistry) {
        RawValue.register(in: &registry)
    }
}

extension KeyedArchivable where Self: RawRepresentable & KeyedDecodable, RawValue: KeyedArchivable {
    public static func register(in registry: inout ClassRegistry) {
        RawValue.register(in: &registry)
    }
}

extension KeyedEncodable where Self: RawRepresentable, RawValue: KeyedEncodable {
    public func encode(with coder: KeyedEncoder) throws { try rawValue.encode(with: coder) }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try rawValue.archive(in: writer)
    }
}

extension KeyedDecodable where Self: RawRepresentable, RawValue: KeyedDecodable {
    /// Reads the raw value.
    ///
    /// - Throws: `valueOutOfRange` for a raw value that the type does not have.
    public init(coder: KeyedDecoder) throws {
        self = try Self.value(of: RawValue(coder: coder), coder.uid)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        try value(of: RawValue.unarchive(reference), reference.object)
    }

    private static func value(of rawValue: RawValue, _ object: PropertyListUID?) throws -> Self {
        if let value = Self(rawValue: rawValue) { return value }
        throw KeyedArchiveError(
            .valueOutOfRange, what: "the archived raw value is not a value of `\(Self.self)`",
            object: object,
            recovery: "decode the raw value, of type `\(RawValue.self)`, to read archives of later "
                + "versions")
    }
}

extension KeyedEncoder {
    /// Writes a value whose raw value is a number. The number is stored inline, unless the type
    /// declares an archived class of its own.
    public func encode<T: RawRepresentable & KeyedEncodable>(_ value: T, forKey key: String)
    where T.RawValue: ArchivedNumberConvertible {
        // A type with a raw value may still archive itself as an object of a class.
        if T.archivedClass == T.RawValue.archivedClass {
            encodeIfPresent(value.rawValue, forKey: key)
        } else {
            encodeObject(value, forKey: key)
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import PropertyListCodable

// A `Codable` value is encoded as a property list, which is archived as an NSDictionary, an NSArray
// or a plain value. Apple's `encodeEncodable` is believed to archive the same objects, but no known
// archive confirms it.

extension KeyedEncoder {
    /// Writes a `Codable` value as the dictionaries, arrays and plain values it consists of.
    ///
    /// The archiver may record an `EncodingError`, or `classNotAllowed`.
    public func encodeEncodable(_ value: some Encodable, forKey key: String) {
        attempt(key) {
            let encoder = PlistEncoder()
            encoder.allowsFragments = true
            let tree = try encoder.encodeValue(value)
            encode(tree, forKey: key)
        }
    }

    /// Writes a `Codable` value as the dictionaries, arrays and plain values it consists of. Nil is
    /// written as a reference to `$null`.
    ///
    /// The archiver may record an `EncodingError`, or `classNotAllowed`.
    public func encodeEncodable<T: Encodable>(_ value: T?, forKey key: String) {
        guard let value else { return encode(PropertyListValue?.none, forKey: key) }
        encodeEncodable(value, forKey: key)
    }
}

extension KeyedEncoder {
    /// Writes the fields of a `Codable` value: one for each key of its outermost container.
    ///
    /// With this method and ``KeyedDecoder/decodeFields(_:)``, values of a `Codable` type become
    /// objects of a named class:
    ///
    /// ```swift
    /// struct Settings: Codable, KeyedCodable {
    ///     static let archivedClass: ArchivedClass = "App.Settings"
    ///     var volume = 0.5, names: [String] = []
    ///
    ///     func encode(with coder: KeyedEncoder) { coder.encodeFields(of: self) }
    ///     init(coder: KeyedDecoder) throws { self = try coder.decodeFields() }
    /// }
    /// ```
    ///
    /// Numbers and booleans are stored inline, as `encode(_:forKey:)` stores them. Other values
    /// become objects.
    ///
    /// The archiver may record an `EncodingError`, `classNotAllowed`, or `valueOutOfRange` for a
    /// value that encodes itself without keys.
    public func encodeFields(of value: some Encodable) {
        if writer.table.isClosed { return }
        do {
            for (key, field) in try Self.fields(of: value) { encodeField(field, key) }
        } catch { writer.table.fail(error) }
    }

    private static func fields<T: Encodable>(of value: T) throws -> PropertyListDictionary {
        let encoder = PlistEncoder()
        encoder.allowsFragments = true
        let tree = try encoder.encodeValue(value)
        if case .dictionary(let fields) = tree { return fields }
        throw KeyedArchiveError(
            .valueOutOfRange,
            what: "expected a `Codable` value with keys, found `\(T.self)`, which is encoded "
                + "without keys",
            recovery: "write the value as one field with `encodeEncodable(_:forKey:)`")
    }

    private func encodeField(_ value: PropertyListValue, _ key: String) {
        switch value {
        case .boolean(let value): encode(value, forKey: key)
        case .integer(let value): encode(value, forKey: key)
        case .real(let value): encode(value, forKey: key)
        default: encode(value, forKey: key)
        }
    }
}

extension KeyedDecoder {
    /// Decodes a `Codable` value from the fields of the object, as
    /// ``KeyedEncoder/encodeFields(of:)`` writes them. Fields that are nil are treated as absent.
    ///
    /// - Throws: `DecodingError`; `wrongType` for a field that is not a property list, such as an
    ///   `NSUUID`; `classNotAllowed`; errors for exceeded limits.
    public func decodeFields<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        var fields = PropertyListDictionary()
        let keys = keys
        // Objects may share one dictionary of fields, and inline values are not charged elsewhere.
        try reader.charge(keys.count)
        for key in keys { fields[key] = try decode(PropertyListValue?.self, forKey: key) }
        return try decoded(type, from: .dictionary(fields))
    }

    /// Decodes a `Codable` value from dictionaries, arrays and plain values.
    ///
    /// - Throws: `missingValue`, `classNotAllowed`, `wrongType`, `DecodingError`; errors for
    ///   exceeded limits.
    public func decodeDecodable<T: Decodable>(
        _ type: T.Type = T.self, forKey key: String
    ) throws -> T {
        try decoded(type, from: decode(PropertyListValue.self, forKey: key))
    }

    /// Decodes a `Codable` value from dictionaries, arrays and plain values; returns nil if there
    /// is no field or it is nil.
    ///
    /// - Throws: `classNotAllowed`, `wrongType`, `DecodingError`; errors for exceeded limits.
    public func decodeDecodable<T: Decodable>(
        _ type: T?.Type = T?.self, forKey key: String
    ) throws -> T? {
        guard let tree = try decode(PropertyListValue?.self, forKey: key) else { return nil }
        return try decoded(T.self, from: tree)
    }

    /// Decodes a value from a tree within the limits of the archive. The parts that the archive
    /// shares stay shared, because a copy for each reference may exceed the available memory.
    private func decoded<T: Decodable>(
        _ type: T.Type, from tree: PropertyListValue
    ) throws -> T {
        let limits = reader.limits
        let document: PropertyListDocument
        do throws(PropertyListError) {
            document = try PropertyListDocument(tree, limits: limits, sharesCopies: true)
        } catch { throw KeyedArchiveError(error) }
        return try PlistDecoder(limits: limits).decode(type, from: document)
    }
}

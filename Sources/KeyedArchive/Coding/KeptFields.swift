// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Methods for class codings in this module and others: objects with their identity, numbers with
// their width, optional fields, unknown fields, and errors for invalid fields.

// MARK: - Objects

/// An object of the class of `Value` that keeps its identity and its mutability, or an
/// ``OpaqueObject``.
struct Kept<Value: KeyedCodable>: KeyedCodable {
    let object: AnyArchived

    static var archivedClass: ArchivedClass { Value.archivedClass }
    static var archivedAliases: [String] { Value.archivedAliases }

    static func register(in registry: inout ClassRegistry) { Value.register(in: &registry) }

    func encode(with coder: KeyedEncoder) throws { try object.encode(with: coder) }

    func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try object.archive(in: writer)
    }

    init(coder: KeyedDecoder) throws {
        let reference = try coder.objectReference()
        self = try Self.unarchive(reference)
    }

    static func unarchive(_ reference: KeyedReference) throws -> Kept {
        let value = try AnyArchived.unarchive(reference)
        guard let object = reference.object,
            value.value is OpaqueObject || reference.reader.reads(Value.self, object.value)
        else { throw reference.reader.wrongType(reference, expected: "\(Value.self)") }
        return Kept(object: value)
    }

    private init(object: AnyArchived) { self.object = object }
}

extension KeyedDecoder {
    /// Returns the object of a field with its identity and mutability. Fields that share the object
    /// still share it when it is written again.
    ///
    /// A plain `decode(_:forKey:)` returns a value, which has no identity: a color that a thousand
    /// fonts refer to would be written a thousand times.
    ///
    /// - Parameters:
    ///   - type: the expected type. The registry must bind the object's class to this type or a
    ///     subclass, or the class must be the type's own or one of its aliases. An object that the
    ///     registry keeps as an ``OpaqueObject`` is accepted too.
    ///   - key: the key of the field.
    /// - Returns: the object; nil if there is no field or it is nil.
    /// - Throws: `wrongType` for an object of another class; `classNotAllowed` for a class that the
    ///   registry does not list, even if the root's type registers it; errors for exceeded limits.
    /// - Complexity: That of reading the object; constant if it was read before.
    public func decodeAnyArchived<T: KeyedCodable>(
        of type: T.Type, forKey key: String
    ) throws -> AnyArchived? {
        try decode(Kept<T>?.self, forKey: key)?.object
    }
}

// MARK: - Optional fields

extension KeyedDecoder {
    /// Returns the data of a field, which is stored inline or as an `NSData`.
    ///
    /// Long data that several objects share is copied once.
    ///
    /// - Returns: the data; nil if there is no field.
    /// - Throws: `wrongType` for nil and for another kind of value; `classNotAllowed`.
    /// - Complexity: Linear in the number of bytes.
    public func decodeBytesIfPresent(forKey key: String) throws -> Data? {
        containsValue(forKey: key) ? reader.data(of: try dataNode(key)) : nil
    }

    /// Returns the real of a field with its width, so that it can be written as it was read. An
    /// integer is converted if a `Double` represents it exactly.
    ///
    /// - Returns: the number; nil if there is no field or it is nil.
    /// - Throws: `wrongType` for a boolean or another kind of value; `valueOutOfRange`,
    ///   `classNotAllowed`.
    public func decodeRealIfPresent(forKey key: String) throws -> PropertyListReal? {
        guard let number = try decode(ArchivedNumber?.self, forKey: key) else { return nil }
        switch number {
        case .real(let value): return value
        case .integer:
            if let value = Double(number) { return PropertyListReal(value) }
            throw error(
                "expected a real, found an integer that a Double cannot represent exactly",
                forKey: key)
        case .boolean:
            throw error("expected a real, found a boolean", forKey: key, code: .wrongType)
        }
    }

    /// Returns the real of a field with its width, as ``decodeRealIfPresent(forKey:)`` does.
    ///
    /// - Throws: `missingValue` if there is no field or it is nil; `wrongType`, `valueOutOfRange`,
    ///   `classNotAllowed`.
    public func decodeReal(forKey key: String) throws -> PropertyListReal {
        guard let value = try decodeRealIfPresent(forKey: key) else { throw missing(key) }
        return value
    }
}

extension KeyedEncoder {
    /// Writes a real with its width.
    public func encode(_ value: PropertyListReal, forKey key: String) {
        writer.table.field(key, of: object) { $0.real(value) }
    }

    /// Writes a value as a separate object, as `encode(_:forKey:)` does. Writes no field if it is
    /// nil, whereas `encode(_:forKey:)` writes a reference to `$null`.
    ///
    /// The archiver may record the errors of `encode(_:forKey:)`.
    public func encodeIfPresent(_ value: (some KeyedEncodable)?, forKey key: String) {
        if let value { encode(value, forKey: key) }
    }

    /// Writes a number as a separate object, as `encode(_:forKey:)` does. Writes no field if it is
    /// nil.
    public func encodeIfPresent(_ value: ArchivedNumber?, forKey key: String) {
        if let value { encode(value, forKey: key) }
    }

    /// Writes a boolean or a number inline. Writes no field if it is nil.
    public func encodeIfPresent(_ value: (some ArchivedNumberConvertible)?, forKey key: String) {
        guard let number = value?.archivedNumber else { return }
        writer.table.field(key, of: object) { $0.number(number) }
    }

    /// Writes a real with its width. Writes no field if it is nil.
    public func encodeIfPresent(_ value: PropertyListReal?, forKey key: String) {
        if let value { encode(value, forKey: key) }
    }

    /// Writes bytes inline. Writes no field if they are nil.
    ///
    /// - Complexity: Linear in the number of bytes.
    public func encodeBytesIfPresent(_ bytes: Data?, forKey key: String) {
        if let bytes { encodeBytes(bytes, forKey: key) }
    }
}

// MARK: - Errors for invalid fields

extension KeyedDecoder {
    /// Returns the error for a field with an invalid value. It names the class, the field and the
    /// object, and its path ends at the field.
    ///
    /// ```swift
    /// let bytes = try coder.decodeBytes(forKey: "matrix")
    /// guard bytes.count == 24 else {
    ///     throw coder.error("expected 24 bytes, found \(bytes.count)", forKey: "matrix")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - what: the fault, as “expected X, found Y”. Errors are logged, so do not quote text or
    ///     data.
    ///   - key: the key of the field.
    ///   - code: the kind of failure.
    /// - Returns: The error.
    public func error(
        _ what: String, forKey key: String, code: KeyedArchiveError.Code = .valueOutOfRange
    ) -> KeyedArchiveError {
        let owner = archivedClass.map { " of \(KeyedArchiveError.printable($0.name))" } ?? ""
        return KeyedArchiveError(
            code, what: "`\(KeyedArchiveError.printable(key))`\(owner): \(what)", object: uid
        ).inside(.key(key))
    }
}

// MARK: - Unknown fields

/// The fields of an object that its type does not know, such as those that a later system adds.
///
/// A field is kept, and written back, if the registry allows or keeps the class of every object
/// reachable from it. Other fields are ignored, as Apple's classes ignore them: a new key alone is
/// no reason to refuse an object. ``ignoredKeys`` lists them.
///
/// ```swift
/// init(coder: KeyedDecoder) throws {
///     title = try coder.decode(forKey: "title")
///     width = try coder.decodeRealIfPresent(forKey: "width")
///     extraFields = try coder.extraFields(except: ["title", "width"])
/// }
/// func encode(with coder: KeyedEncoder) {
///     coder.encodeIfPresent(title, forKey: "title")
///     coder.encodeIfPresent(width, forKey: "width")
///     coder.encode(extraFields)
/// }
/// ```
///
/// For a type that must not lose anything, use ``KeyedDecoder/unknownFields(except:)``, which
/// throws an error instead of ignoring a field.
public struct ArchivedExtraFields: Sendable {
    let kept: OpaqueFields?
    /// The keys of the fields that were ignored. They include the keys `$0`, `$1`, … of values that
    /// were written without a key. They also include the keys that begin with a single `$` in the
    /// archive and have no known meaning.
    public let ignoredKeys: [String]

    /// Creates a value with no fields.
    public init() {
        kept = nil
        ignoredKeys = []
    }

    fileprivate init(kept: OpaqueFields?, ignoredKeys: [String]) {
        self.kept = kept
        self.ignoredKeys = ignoredKeys
    }

    /// The keys of the fields that are kept, in order.
    public var keys: [String] { kept?.keys ?? [] }

    /// The number of values without a key that are kept.
    public var unkeyedCount: Int { kept?.unkeyedCount ?? 0 }
}

extension KeyedDecoder {
    /// Returns the fields whose keys are not among `known`, and the values without a key that
    /// ``decodeUnkeyed(_:)`` has not returned yet. The latter count as read from then on.
    ///
    /// Fields with objects of classes that the registry neither allows nor keeps are ignored. If a
    /// value without a key has such an object, all values without a key are ignored: their meaning
    /// depends on their positions.
    ///
    /// - Throws: `malformedObject` for nested containers, which no archiver writes, and for a key
    ///   that is not a string; `misuse` at the roots; errors for exceeded limits.
    /// - Complexity: Linear in the number of fields and of objects reachable from them. Each object
    ///   is checked once for all calls.
    public func extraFields(except known: Set<String>) throws -> ArchivedExtraFields {
        let unread = try reader.unreadFields(of: self, except: known)
        try reader.charge(unread.count)
        if unread.count == 0 { return ArchivedExtraFields() }
        let object = try objectReference().number
        var kept: [String] = []
        var ignored: [String] = []
        for key in unread.writtenKeys {
            do { try requireAllowed(fieldForWrittenKey: key) } catch {
                guard error.code == .classNotAllowed else { throw error }
                ignored.append(key)
                continue
            }
            kept.append(key)
        }
        if ignored.contains(where: ArchiveKey.isUnkeyed) {
            ignored.append(contentsOf: kept.filter(ArchiveKey.isUnkeyed))
            kept.removeAll(where: ArchiveKey.isUnkeyed)
        }
        ignored.append(contentsOf: unread.reservedKeys)
        let fields = OpaqueFields(
            archive: reader.opaqueArchive, object: object, writtenKeys: kept)
        return ArchivedExtraFields(
            kept: kept.isEmpty ? nil : fields,
            ignoredKeys: ignored.map { ArchiveKey.unescaped($0) ?? $0 })
    }
}

extension KeyedEncoder {
    /// Writes the kept fields after those already written.
    ///
    /// The archiver may record `classNotAllowed`, `expansionLimitExceeded`, or `malformedObject`
    /// for unreadable values.
    public func encode(_ fields: ArchivedExtraFields) {
        if let kept = fields.kept { encode(kept) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// An object of an archive that is kept undecoded: either its class has no Swift type, or the
/// program does not want it decoded.
///
/// It is inert. Its fields can be inspected, and it is written back with everything it refers to,
/// including shared objects and cycles. It retains the archive it was read from. Reading one needs
/// a registry that allows the classes of the object and of everything it refers to, or
/// ``ClassRegistry/keepingUnknownClasses()``.
public struct OpaqueObject: Sendable {
    let archive: OpaqueArchive
    let number: UInt32

    init(archive: OpaqueArchive, number: UInt32) {
        self.archive = archive
        self.number = number
    }

    /// The class; nil for a plain value.
    public var archivedClass: ArchivedClass? { archive.archivedClass(of: number) }

    /// The object's number in the archive it was read from.
    public var uid: PropertyListUID { PropertyListUID(number) }

    /// The object's entry in `$objects`.
    public var node: PropertyListNode { archive.node(of: number) }

    /// The string keys of the fields, in order, without keys of the format and of unkeyed values,
    /// such as `$class` and `$0`.
    public var keys: [String] {
        node.dictionary?.compactMap { $0.keyNode.string.flatMap(ArchiveKey.unescaped) } ?? []
    }

    /// The value of a field: a plain value, a UID, or an array of UIDs; nil if there is no such
    /// field.
    public subscript(key: String) -> PropertyListNode? { node[ArchiveKey.escaped(key)] }

    /// Returns the object that a field refers to; nil if the field is missing, nil or an inline
    /// value.
    public func object(forKey key: String) -> OpaqueObject? {
        guard let uid = self[key]?.uid, !archive.isNull(uid.value) else { return nil }
        return OpaqueObject(archive: archive, number: uid.value)
    }

    /// Returns the objects in a field that is an array of references, without nil elements. Returns
    /// an empty array for any other field.
    public func objects(forKey key: String) -> [OpaqueObject] {
        let elements = self[key]?.array.map(Array.init) ?? []
        return elements.compactMap(\.uid).filter { !archive.isNull($0.value) }
            .map { OpaqueObject(archive: archive, number: $0.value) }
    }
}

extension OpaqueObject: KeyedCodable {
    /// `NSObject`, so that an object of any class can be read.
    public static var archivedClass: ArchivedClass { ArchivedClass(name: FoundationClass.object) }

    public static func register(in registry: inout ClassRegistry) {}

    /// Throws `misuse`: an opaque object is copied as a whole instead.
    public func encode(with coder: KeyedEncoder) throws {
        throw KeyedArchiveError(.misuse, what: "an opaque object has no fields of its own to write")
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.copy(self)
    }

    public init(coder: KeyedDecoder) throws {
        let reference = try coder.objectReference()
        self = try Self.unarchive(reference)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> OpaqueObject {
        guard let object = reference.object else {
            throw reference.reader.wrongType(reference, expected: "an object")
        }
        if reference.isNil {
            throw reference.reader.nilError(object.value, expected: OpaqueObject.self)
        }
        try reference.reader.requireAllowedBelow(object.value)
        return OpaqueObject(archive: reference.reader.opaqueArchive, number: object.value)
    }
}

/// Fields of an object that its type does not know, kept so that they can be written back. Fields
/// that a newer version of a program added thus survive an older one.
///
/// ```swift
/// init(coder: KeyedDecoder) throws {
///     name = try coder.decode(String.self, forKey: "name")
///     unknown = try coder.unknownFields(except: ["name"])
/// }
/// func encode(with coder: KeyedEncoder) {
///     coder.encode(name, forKey: "name")
///     coder.encode(unknown)
/// }
/// ```
public struct OpaqueFields: Sendable {
    let archive: OpaqueArchive
    let object: UInt32
    /// The keys as the file has them, in order.
    let writtenKeys: [String]

    /// The keys of the fields, in order.
    public var keys: [String] { writtenKeys.compactMap(ArchiveKey.unescaped) }

    /// The number of values without a key.
    public var unkeyedCount: Int { writtenKeys.count(where: ArchiveKey.isUnkeyed) }
}

extension KeyedDecoder {
    /// Returns the fields that are not among `known`, and the values without a key that
    /// ``decodeUnkeyed(_:)`` has not returned yet. Afterwards, the values without a key count as
    /// read.
    ///
    /// - Throws: `classNotAllowed` for objects of a class that the registry neither allows nor
    ///   keeps; `malformedObject` for nested containers, for a key that is not a string, and for
    ///   keys that begin with `$` and are neither escaped nor those of values without a key;
    ///   `misuse` at the roots; errors for exceeded limits.
    public func unknownFields(except known: Set<String>) throws -> OpaqueFields {
        let object = try objectReference().number
        let unread = try reader.unreadFields(of: self, except: known)
        try reader.charge(unread.count)
        if let key = unread.reservedKeys.first { throw OpaqueArchive.reserved(key, object) }
        for key in unread.writtenKeys { try requireAllowed(fieldForWrittenKey: key) }
        return OpaqueFields(
            archive: reader.opaqueArchive, object: object, writtenKeys: unread.writtenKeys)
    }

    /// Checks that a field may be kept undecoded.
    ///
    /// - Throws: `classNotAllowed`, `malformedObject`, `expansionLimitExceeded`.
    func requireAllowed(fieldForWrittenKey key: String) throws(KeyedArchiveError) {
        let archive = reader.opaqueArchive
        guard let object, let node = archive.node(of: object)[key] else { return }
        try reader.charge(node.array?.count ?? 0)
        let shown = ArchiveKey.unescaped(key) ?? key
        if OpaqueArchive.isNested(node) { throw OpaqueArchive.nested(shown, object) }
        for reference in archive.references(in: node) {
            do { try reader.requireAllowedBelow(reference) } catch {
                throw error.inside(.key(shown))
            }
        }
    }
}

extension KeyedEncoder {
    /// Writes kept fields.
    ///
    /// The archiver may record `classNotAllowed`, `expansionLimitExceeded`, or `malformedObject`
    /// for unreadable values.
    public func encode(_ fields: OpaqueFields) {
        if writer.table.isClosed { return }
        do { try writer.copyFields(fields, to: object) } catch { writer.table.fail(error) }
    }
}

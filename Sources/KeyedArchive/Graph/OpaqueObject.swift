// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// An object of an archive that is kept as it is: of a class for which there is no Swift type, or one
/// that nothing is to be made of.
///
/// It is inert: its fields can be looked at, and it is written back with all that it refers to, shared
/// objects and cycles included. It holds on to the archive it is from. Reading one needs a registry
/// that allows the classes it consists of, or ``ClassRegistry/keepingUnknownClasses()``.
public struct OpaqueObject: Sendable {
    let archive: OpaqueArchive
    let number: UInt32

    init(archive: OpaqueArchive, number: UInt32) {
        self.archive = archive
        self.number = number
    }

    /// The class; nil for a string, a number or data.
    public var archivedClass: ArchivedClass? { archive.archivedClass(of: number) }

    /// The object's number in the archive it is from.
    public var uid: PropertyListUID { PropertyListUID(number) }

    /// The object as it stands in `$objects`.
    public var node: PropertyListNode { archive.node(of: number) }

    /// The keys of the fields, in order.
    public var keys: [String] {
        node.dictionary.map(Array.init)?.compactMap { ArchiveKey.unescaped($0.key) } ?? []
    }

    /// The plain value or the UID that a field holds.
    public subscript(key: String) -> PropertyListNode? { node[ArchiveKey.escaped(key)] }

    /// The object that a field refers to; nil where it holds nil or a plain value.
    public func object(forKey key: String) -> OpaqueObject? {
        guard let uid = self[key]?.uid, !archive.isNull(uid.value) else { return nil }
        return OpaqueObject(archive: archive, number: uid.value)
    }

    /// The objects that a field refers to that holds a list of references, without those that are nil.
    public func objects(forKey key: String) -> [OpaqueObject] {
        let elements = self[key]?.array.map(Array.init) ?? []
        return elements.compactMap(\.uid).filter { !archive.isNull($0.value) }
            .map { OpaqueObject(archive: archive, number: $0.value) }
    }
}

extension OpaqueObject: KeyedCodable {
    /// Any class is one of `NSObject`.
    public static var archivedClass: ArchivedClass { ArchivedClass(name: FoundationClass.object) }

    public static func register(in registry: inout ClassRegistry) {}

    /// An opaque object is copied, not encoded.
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
            throw reference.reader.nothing(object.value, expected: OpaqueObject.self)
        }
        try reference.reader.requireAllowedBelow(object.value)
        return OpaqueObject(archive: reference.reader.opaqueArchive, number: object.value)
    }
}

/// Fields of an object that its type does not know, kept to be written back: what a newer version of
/// a program added must survive an older one.
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
    /// The keys of the fields, in order.
    public let keys: [String]
}

extension KeyedDecoder {
    /// The fields that are not among `known`.
    ///
    /// - Throws: `classNotAllowed` where they consist of classes that the registry neither allows nor
    ///   keeps; `malformedObject` for containers within containers; `misuse` at the roots.
    public func unknownFields(except known: Set<String>) throws -> OpaqueFields {
        let object = try objectReference().number
        let archive = reader.opaqueArchive
        let keys = self.keys(except: known)
        try reader.charge(keys.count)
        for key in keys { try requireAllowed(fieldForKey: key) }
        return OpaqueFields(archive: archive, object: object, keys: keys)
    }

    /// The keys of the fields that are not among `known`, in order.
    func keys(except known: Set<String>) -> [String] {
        let known = Set(known.map { ExactText($0) })
        return keys.filter { !known.contains(ExactText($0)) }
    }

    /// Checks that a field may be kept as it is.
    ///
    /// - Throws: `classNotAllowed`, `malformedObject`.
    func requireAllowed(fieldForKey key: String) throws(KeyedArchiveError) {
        let archive = reader.opaqueArchive
        guard let object, let node = archive.node(of: object)[ArchiveKey.escaped(key)] else {
            return
        }
        try reader.charge(node.array?.count ?? 0)
        if OpaqueArchive.isNested(node) { throw OpaqueArchive.nested(key, object) }
        for reference in archive.references(in: node) {
            do { try reader.requireAllowedBelow(reference) } catch {
                throw error.inside(.key(key))
            }
        }
    }
}

extension KeyedEncoder {
    /// Writes fields that were kept.
    ///
    /// The archive may keep `classNotAllowed`, `expansionLimitExceeded`, or `malformedObject` for what could
    /// not be read.
    public func encode(_ fields: OpaqueFields) {
        if writer.table.isClosed { return }
        do { try writer.copyFields(fields, to: object) } catch { writer.table.fail(error) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// What the codings of classes share: fields that hold objects with their identity, numbers with their
// width, and fields that a type does not know.

// MARK: - Objects

/// An object of the class of `Value`, with its identity and as mutable as it was; or one of a class
/// that the registry keeps as it is.
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
        else { throw reference.reader.wrongType(reference, expected: archivedClass.name) }
        return Kept(object: value)
    }

    private init(object: AnyArchived) { self.object = object }
}

extension KeyedDecoder {
    /// The object of a field, with its identity; nil where there is none or it is nil.
    ///
    /// - Throws: `wrongType` for one that is neither of `type` nor kept as it is.
    func decodeKept<T: KeyedCodable>(_ type: T.Type, forKey key: String) throws -> AnyArchived? {
        try decode(Kept<T>?.self, forKey: key)?.object
    }

    /// The data of a field that stand in the object; nil where there is none.
    func decodePresentBytes(forKey key: String) throws -> Data? {
        containsValue(forKey: key) ? reader.data(of: try dataNode(key)) : nil
    }

    /// The real of a field, with its width; nil where there is none. An integer is one, too.
    func decodePresentReal(forKey key: String) throws -> PropertyListReal? {
        guard let number = try decode(ArchivedNumber?.self, forKey: key) else { return nil }
        switch number {
        case .real(let value): return value
        case .integer:
            if let value = Double(number) { return PropertyListReal(value) }
            throw KeyedArchiveError(
                .valueOutOfRange, what: "an integer is no real exactly", object: uid)
        case .boolean:
            throw KeyedArchiveError(
                .wrongType, what: "a boolean stands where a real is expected", object: uid)
        }
    }
}

extension KeyedEncoder {
    /// Writes a value, unless there is none.
    func encodePresent(_ value: (some KeyedEncodable)?, forKey key: String) throws {
        if let value { try encode(value, forKey: key) }
    }

    /// Writes an integer, unless there is none.
    func encodePresentInteger(_ value: Int?, forKey key: String) {
        if let value { encode(value, forKey: key) }
    }

    /// Writes a boolean, unless there is none.
    func encodePresentBool(_ value: Bool?, forKey key: String) {
        if let value { encode(value, forKey: key) }
    }

    /// Writes a real in its width, unless there is none.
    func encodePresentReal(_ value: PropertyListReal?, forKey key: String) {
        if let value { writer.table.field(key, of: object) { $0.real(value) } }
    }

    /// Writes bytes that stand in the object itself, unless there are none.
    func encodePresentBytes(_ value: Data?, forKey key: String) {
        if let value { encodeBytes(value, forKey: key) }
    }
}

// MARK: - Fields that a type does not know

/// The fields of an object that its type does not know: what later systems added.
///
/// They are kept, and written back, where they consist of plain values and of classes that the registry
/// allows or keeps. The others are ignored, as Apple's classes ignore them: a new key alone is no
/// reason to refuse an object. ignoredKeys tells what was lost.
public struct ArchivedExtraFields: Sendable {
    let kept: OpaqueFields?
    /// The keys of the fields that were left out, in order.
    public let ignoredKeys: [String]

    /// No fields.
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
}

extension KeyedDecoder {
    /// The fields that are not among `known`, as far as they can be kept.
    ///
    /// - Throws: `malformedObject` where one holds what no archiver writes; the limits' codes.
    func extraFields(except known: Set<String>) throws -> ArchivedExtraFields {
        let unknown = keys(except: known)
        try reader.charge(unknown.count)
        if unknown.isEmpty { return ArchivedExtraFields() }
        let object = try objectReference().number
        var kept: [String] = []
        var ignored: [String] = []
        for key in unknown {
            do { try requireAllowed(fieldForKey: key) } catch {
                guard error.code == .classNotAllowed else { throw error }
                ignored.append(key)
                continue
            }
            kept.append(key)
        }
        let fields = OpaqueFields(archive: reader.opaqueArchive, object: object, keys: kept)
        return ArchivedExtraFields(kept: kept.isEmpty ? nil : fields, ignoredKeys: ignored)
    }
}

extension KeyedEncoder {
    /// Writes the fields that were kept.
    func encode(_ fields: ArchivedExtraFields) throws {
        if let kept = fields.kept { try encode(kept) }
    }
}

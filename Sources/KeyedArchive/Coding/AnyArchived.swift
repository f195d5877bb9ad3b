// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// A value of any allowed class, such as an element of an array or dictionary of mixed values.
///
/// The value has the type that the registry binds to the object's class: `String`,
/// ``ArchivedNumber``, `Date`, or a type of the program's own. For a class without a type it is an
/// ``OpaqueObject``. A shared object is written back as one object.
///
/// ```swift
/// let settings = try coder.decode(AnyArchived.self, forKey: "settings")
/// let volume = settings["volume"]?.value(as: Double.self)
/// let names = settings["names"]?.value(as: [String].self)
/// let tree = try settings.propertyListValue()
/// ```
///
/// Nil is not a value. Request `AnyArchived?` where nil may occur.
///
/// The value may be an instance of a class, so the type is not `Sendable`. To pass the contents to
/// another thread, convert them with ``value(as:)`` to a `Sendable` type such as
/// `[String: [UUID]]`, or with ``propertyListValue(otherwise:)``.
public struct AnyArchived {
    let box: AnyArchivedBox
    let identity: ObjectIdentity?
    /// A Boolean value indicating whether the value was stored inline rather than as an object. An
    /// inline value that is a root is written back inline.
    let isInline: Bool

    /// The value.
    public var value: any KeyedDecodable { box.value }

    /// Wraps a value.
    public init(_ value: some KeyedCodable) { self.init(value: value, identity: nil) }
}

/// The origin of a decoded object: its archive and its number there. It serves as the identity of a
/// value that is not a class instance.
struct ObjectIdentity: Sendable, Hashable {
    let archive: ArchiveIdentity
    let object: UInt32
}

/// Identifies an archive without retaining it.
final class ArchiveIdentity: Sendable, Hashable {
    static func == (left: ArchiveIdentity, right: ArchiveIdentity) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension AnyArchived: KeyedCodable {
    /// `NSObject`, so that an object of any class can be read.
    public static var archivedClass: ArchivedClass { ArchivedClass(name: FoundationClass.object) }

    public static func register(in registry: inout ClassRegistry) {}

    public func encode(with coder: KeyedEncoder) throws {
        let value = try encodable()
        try coder.writer.any { try value.encode(with: coder) }
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        let value = try encodable()
        return try writer.any {
            guard let identity else { return try value.archive(in: writer) }
            let encodableType: any KeyedEncodable.Type = type(of: value)
            return try writer.once(
                identity, as: encodableType.archivedClass, of: encodableType
            ) {
                try value.archive(in: writer)
            }
        }
    }

    private func encodable() throws -> any KeyedEncodable {
        if let value = value as? any KeyedEncodable { return value }
        throw KeyedArchiveError(
            .misuse, what: "\(type(of: value)) can be read from archives but not written",
            recovery: "make \(type(of: value)) `KeyedEncodable`")
    }

    public init(coder: KeyedDecoder) throws {
        let reference = try coder.objectReference()
        self = try Self.unarchive(reference)
    }

    public static func unarchive(_ reference: KeyedReference) throws -> AnyArchived {
        guard let object = reference.object else { return try plain(reference) }
        if reference.isNil {
            throw reference.reader.nilError(object.value, expected: AnyArchived.self)
        }
        let type = try reference.reader.boundType(of: object.value) ?? OpaqueObject.self
        return AnyArchived(
            value: try reference.reader.any { try type.unarchive(reference) },
            identity: reference.reader.identity(of: object.value))
    }

    init(value: any KeyedDecodable, identity: ObjectIdentity?, isInline: Bool = false) {
        box = AnyArchivedBox(value)
        self.identity = identity
        self.isInline = isInline
    }

    /// Returns a number, a boolean or a string that is stored inline.
    ///
    /// - Throws: `wrongType` for other inline values.
    private static func plain(_ reference: KeyedReference) throws -> AnyArchived {
        for type in [ArchivedNumber.self, String.self] as [any KeyedDecodable.Type] {
            if let value = try? type.unarchive(reference) {
                return AnyArchived(value: value, identity: nil, isInline: true)
            }
        }
        throw reference.reader.wrongType(reference, expected: "an object")
    }
}

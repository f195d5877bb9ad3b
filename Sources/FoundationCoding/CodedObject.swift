// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import KeyedArchive
public import PropertyList

/// A value that holds an object whose class adopts `NSCoding`, for use in `KeyedCodable` types.
///
/// The object's own `encode(with:)` and `init(coder:)` write and read it. All references to the
/// object, from `NSCoding` classes and from `KeyedCodable` types, lead to one object in the archive
/// and to one instance in memory.
///
/// ```swift
/// struct Level: KeyedCodable {
///     static let archivedClass: ArchivedClass = "Level"
///     var hero: CodedObject<Hero>
///
///     func encode(with coder: KeyedEncoder) { coder.encode(hero, forKey: "hero") }
///     init(coder: KeyedDecoder) throws { hero = try coder.decode(forKey: "hero") }
/// }
/// ```
public struct CodedObject<Object: NSCoding & AnyObject> {
    /// The object.
    public let object: Object

    /// Wraps an object.
    public init(_ object: Object) { self.object = object }
}

extension CodedObject: KeyedCodable {
    /// The class of the object under its own name, with its superclasses.
    public static var archivedClass: ArchivedClass { CodedClass.archivedClass(of: Object.self) }

    /// Writes the fields of the object. The archiver records their errors.
    public func encode(with coder: KeyedEncoder) throws {
        try KeyedArchiverCoder.serving(coder.writer) { $0.encodeFields(of: object, with: coder) }
    }

    /// Writes the object to the archive, unless it has been written before.
    ///
    /// - Throws: `classNotAllowed`, errors for exceeded limits, and the errors of the object's
    ///   fields.
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try KeyedArchiverCoder.serving(writer) { try $0.uid(of: object) }
    }

    /// Creates the object from the fields of the archived object that `coder` reads.
    ///
    /// - Throws: the errors of ``unarchive(_:)``.
    public init(coder: KeyedDecoder) throws {
        let made = try KeyedUnarchiverCoder.serving(coder) { reader in
            try reader.construct(Object.self, coder)
        }
        guard let object = made as? Object else { throw Self.wrongType(made) }
        self.object = object
    }

    /// Returns the object to which a reference leads. Each object is read once.
    ///
    /// - Throws: `classNotAllowed`, `wrongType`, `missingValue`, `referenceCycle`,
    ///   `malformedObject` if `init(coder:)` returns nil, errors for exceeded limits, and an error
    ///   of the object's own `init(coder:)`.
    public static func unarchive(_ reference: KeyedReference) throws -> CodedObject {
        let made = try KeyedUnarchiverCoder.serving(reference.roots) { reader in
            try reader.decoded(reference, of: .one(Object.self))
        }
        guard let made = made?.object else {
            throw reference.wrongType(expected: "\(Object.self)")
        }
        guard let object = made as? Object else { throw wrongType(made) }
        return CodedObject(object)
    }

    private static func wrongType(_ found: Any) -> KeyedArchiveError {
        KeyedArchiveError(
            .wrongType, what: "expected \(Object.self), found \(type(of: found))")
    }
}

/// A ``CodedObject`` of any class.
protocol AnyCodedObject: KeyedDecodable {
    /// The class of the object.
    static var objectType: any (NSCoding & AnyObject).Type { get }
}

extension CodedObject: AnyCodedObject {
    static var objectType: any (NSCoding & AnyObject).Type { Object.self }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A type whose values are objects of a class in keyed archives.
public protocol KeyedArchivable: SendableMetatype {
    /// The class as archives describe it, with its superclasses.
    ///
    /// ```swift
    /// class var archivedClass: ArchivedClass { "Pet" }        // Pet, NSObject
    ///
    /// override class var archivedClass: ArchivedClass {       // Dog, Pet, NSObject
    ///     super.archivedClass.subclass("Dog")
    /// }
    /// ```
    static var archivedClass: ArchivedClass { get }

    /// The names of further classes that the type can be read from; none by default.
    static var archivedAliases: [String] { get }

    /// Adds the classes of the type to `registry`, so that a registry of this type alone is enough
    /// to read and write its values.
    ///
    /// For a ``KeyedDecodable`` type, the default adds ``KeyedArchivable/archivedClass`` and
    /// ``KeyedArchivable/archivedAliases``. That is enough if the type's fields are numbers, inline
    /// bytes, and values of ``AnyArchived``, whose class the archive chooses. For other types, the
    /// default adds nothing.
    ///
    /// Implement this method for a type with fields of other object types, such as `String`,
    /// ``ArchivedTimeZone`` or an array. Register each of these types, then call
    /// `registry.add(Self.self)`. For a collection, register the type whose elements are
    /// ``AnyArchived``, such as `[AnyArchived]`, because a registry has only one type for `NSArray`.
    /// Register nothing for objects whose class the archive chooses. Types that contain each other
    /// call ``ClassRegistry/add(_:fields:)``.
    static func register(in registry: inout ClassRegistry)
}

/// A type that writes itself into a keyed archive, as with `NSCoding`.
public protocol KeyedEncodable: KeyedArchivable {
    /// Writes the fields of the object.
    ///
    /// A subclass calls `super.encode(with:)` first: a class and its superclasses share one object.
    ///
    /// The encoder's methods do not throw, so most types need no `throws` here. The archiver
    /// records an error that this method throws, as it records those of the fields: see
    /// ``KeyedEncoder``.
    ///
    /// The method is called on the thread that writes the archive, unless objects are nested so
    /// deeply that its stack is nearly used up: see <doc:Threads>.
    func encode(with coder: KeyedEncoder) throws

    /// Writes the value as an object of the archive. The default writes a new object of
    /// ``KeyedArchivable/archivedClass`` with the fields from ``encode(with:)``. A class instance
    /// is written once, however often it is referred to.
    func archive(in writer: ArchiveWriter) throws -> PropertyListUID
}

/// A type that reads itself from a keyed archive, as with `NSSecureCoding`.
public protocol KeyedDecodable: KeyedArchivable {
    /// Reads the fields of an object.
    ///
    /// The initializer is called on the thread that reads the archive, unless objects are nested so
    /// deeply that its stack is nearly used up: see <doc:Threads>.
    init(coder: KeyedDecoder) throws

    /// Returns the value of a field or an element. The default checks the object's class against
    /// the allow-list, then calls ``init(coder:)`` of this type, or of a subclass if the registry
    /// binds the object's class to one. An object that was read before is returned again.
    static func unarchive(_ reference: KeyedReference) throws -> Self
}

/// A type that writes itself into keyed archives and reads itself from them.
///
/// ```swift
/// final class Save: KeyedCodable {
///     static let archivedClass: ArchivedClass = "DWSave"
///     let name: String, age: Int, sex: Bool
///
///     func encode(with coder: KeyedEncoder) {
///         coder.encode(name, forKey: "name")
///         coder.encode(age, forKey: "age")
///         coder.encode(sex, forKey: "sex")
///     }
///     init(coder: KeyedDecoder) throws {
///         name = try coder.decode(forKey: "name")
///         age = try coder.decode(forKey: "age")
///         sex = try coder.decode(forKey: "sex")
///     }
/// }
/// ```
public typealias KeyedCodable = KeyedEncodable & KeyedDecodable

extension KeyedArchivable {
    public static var archivedAliases: [String] { [] }

    public static func register(in registry: inout ClassRegistry) {}

    /// Returns whether objects of the class `name` can be read as this type.
    static func reads(_ name: String) -> Bool {
        archivedClass.name.isLiterally(name) || archivedAliases.contains { $0.isLiterally(name) }
    }
}

extension KeyedArchivable where Self: KeyedDecodable {
    public static func register(in registry: inout ClassRegistry) { registry.add(Self.self) }
}

extension KeyedEncodable {
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.writeObject(self)
    }
}

extension KeyedEncodable where Self: AnyObject {
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.writeInstance(self)
    }
}

extension KeyedDecodable {
    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        try reference.object(as: Self.self)
    }
}

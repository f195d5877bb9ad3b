// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A type whose values keyed archives hold as objects of a class.
public protocol KeyedArchivable: SendableMetatype {
    /// The class as archives name it, with its superclasses.
    ///
    /// ```swift
    /// class var archivedClass: ArchivedClass { "Pet" }        // Pet, NSObject
    ///
    /// override class var archivedClass: ArchivedClass {       // Dog, Pet, NSObject
    ///     super.archivedClass.subclass("Dog")
    /// }
    /// ```
    static var archivedClass: ArchivedClass { get }

    /// Further classes that the type is read from; none by default.
    static var archivedAliases: [String] { get }

    /// Adds to `registry` the classes of the type, so that a registry of this type alone is enough to read
    /// and write its values.
    ///
    /// The default adds ``KeyedArchivable/archivedClass`` and ``KeyedArchivable/archivedAliases``. It is right
    /// for a type whose fields are numbers, bytes that stand in the object, and objects of any class.
    ///
    /// A type that names types of objects implements this method: a field that holds a `String`, an
    /// `NSTimeZone`, an array. It registers each of these types, then calls `registry.add(Self.self)`. For a
    /// collection it registers the one of ``AnyArchived``, such as `[AnyArchived]`: a registry has one type
    /// for `NSArray`. It adds nothing for objects on whose class the archive decides. Types that hold each
    /// other call ``ClassRegistry/add(_:fields:)``.
    static func register(in registry: inout ClassRegistry)
}

/// A type that writes itself into a keyed archive, like `NSCoding` does.
public protocol KeyedEncodable: KeyedArchivable {
    /// Writes the fields of the object.
    ///
    /// A subclass calls `super.encode(with:)` first: a class and its superclasses share one object.
    ///
    /// The calls of the encoder do not throw, so that most types need no `throws` here. The archive keeps an error
    /// that this method throws, as it keeps those of the fields: see ``KeyedEncoder``.
    ///
    /// Called on the thread that writes the archive, unless objects are nested so deep that its stack is
    /// nearly used up: see <doc:Threads>.
    func encode(with coder: KeyedEncoder) throws

    /// Makes the value an object of the archive. By default a new object of
    /// ``KeyedArchivable/archivedClass``, whose
    /// fields ``encode(with:)`` writes; an instance of a class is written once, however often it is
    /// referred to.
    func archive(in writer: ArchiveWriter) throws -> PropertyListUID
}

/// A type that reads itself from a keyed archive, like `NSSecureCoding` does.
public protocol KeyedDecodable: KeyedArchivable {
    /// Reads the fields of an object.
    ///
    /// Called on the thread that reads the archive, unless objects are nested so deep that its stack is
    /// nearly used up: see <doc:Threads>.
    init(coder: KeyedDecoder) throws

    /// Makes a value of what a field or an element refers to. By default the object's class is held
    /// against the allow-list, then ``init(coder:)`` is called, of a subclass where the object is of
    /// one; an object that was read before is returned again.
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

    /// Returns whether an object of the class `name` is read as this type.
    static func reads(_ name: String) -> Bool {
        archivedClass.name.isLiterally(name) || archivedAliases.contains { $0.isLiterally(name) }
    }
}

extension KeyedArchivable where Self: KeyedDecodable {
    public static func register(in registry: inout ClassRegistry) { registry.add(Self.self) }
}

extension KeyedEncodable {
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.object(self)
    }
}

extension KeyedEncodable where Self: AnyObject {
    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try writer.instance(self)
    }
}

extension KeyedDecodable {
    public static func unarchive(_ reference: KeyedReference) throws -> Self {
        try reference.object(as: Self.self)
    }
}

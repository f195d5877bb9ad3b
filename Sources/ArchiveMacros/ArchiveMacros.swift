// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import KeyedArchive

/// Generates the archiving code of a class, a structure or an enumeration from its stored
/// properties or cases.
///
/// The macro adds the conformance to `KeyedCodable` and the members `archivedClass`,
/// `register(in:)`, `encode(with:)` and `init(coder:)`, except for those that the type already has.
///
/// ```swift
/// @Archived("DWSave")
/// final class Save {
///     var name: String
///     @ArchivedKey("NS.age") var age: Int
///     @ArchivedKey(default: 1) var level: Int
///     @NotArchived var isOpen = false
/// }
/// ```
///
/// - Parameters:
///   - name: The name of the class in archives, as a string literal.
///   - callsSuper: A Boolean literal indicating whether the generated members call those of the
///     superclass. By default, they do if the superclass is archived too.
@attached(
    member, conformances: KeyedEncodable, KeyedDecodable,
    names: named(archivedClass), named(register(in:)), named(encode(with:)), named(init(coder:)))
@attached(
    extension, conformances: KeyedEncodable, KeyedDecodable,
    names: named(archivedClass), named(register(in:)), named(encode(with:)), named(init(coder:)))
public macro Archived(_ name: String, super callsSuper: Bool? = nil) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedMacro")

/// Archives an enumeration with raw values, or an option set, as its raw value. Such a type has no
/// class in archives, and therefore no name.
///
/// ```swift
/// @Archived
/// enum Mood: Int {
///     case calm, merry
/// }
/// ```
@attached(member)
@attached(extension, conformances: KeyedEncodable, KeyedDecodable)
public macro Archived() = #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedMacro")

/// Sets the archive key of a stored property, or the archive name of a case, if it differs from the
/// name in the source.
///
/// - Parameter key: The key in archives, as a string literal.
@attached(peer)
public macro ArchivedKey(_ key: String) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Sets the value of a stored property for archives in which the field is absent or nil.
///
/// - Parameters:
///   - key: The key in archives, as a string literal; the name of the property by default.
///   - value: The default value. Write the member of a type with the type's name: `Mood.calm`.
@attached(peer)
public macro ArchivedKey<Value>(_ key: String? = nil, default value: Value) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Sets an empty collection as the value of a stored property for archives in which the field is
/// absent or nil.
///
/// - Parameters:
///   - key: The key in archives, as a string literal; the name of the property by default.
///   - value: The literal `[]` or `[:]`.
@attached(peer)
public macro ArchivedKey(_ key: String? = nil, default value: ArchivedEmptyCollection) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Excludes a stored property from the archive. The property needs an initial value or an optional
/// type.
@attached(peer)
public macro NotArchived() =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "NotArchivedMacro")

/// Decodes a stored property of a class after all objects of the archive are complete, as
/// `KeyedDecoder.decodeReference` does. The property must be optional.
///
/// A weak or unowned property, such as a parent, is encoded as a conditional reference: the object
/// itself is encoded only if another field contains it. Any other property is encoded with its
/// object.
@attached(peer)
public macro ArchivedReference() =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedReferenceMacro")

/// An empty collection of any type, as a default: `[]` or `[:]`.
public struct ArchivedEmptyCollection: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    /// Creates an empty collection from `[]`.
    public init(arrayLiteral elements: Never...) {}
    /// Creates an empty collection from `[:]`.
    public init(dictionaryLiteral elements: (Never, Never)...) {}
}
#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import KeyedArchive

/// Makes a class, a structure or an enumeration archive itself, by its stored properties or its cases.
///
/// It writes what the type does not have of `archivedClass`, `register(in:)`, `encode(with:)` and `init(coder:)`,
/// and the conformance to `KeyedCodable`.
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
///   - name: the name of the class in archives, as a literal.
///   - callsSuper: whether the members of a class call those of its superclass. By default they do if the
///     superclass is archived too.
@attached(
    member, conformances: KeyedEncodable, KeyedDecodable,
    names: named(archivedClass), named(register(in:)), named(encode(with:)), named(init(coder:)))
@attached(
    extension, conformances: KeyedEncodable, KeyedDecodable,
    names: named(archivedClass), named(register(in:)), named(encode(with:)), named(init(coder:)))
public macro Archived(_ name: String, super callsSuper: Bool? = nil) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedMacro")

/// Makes an enumeration with raw values, or an option set, archive itself as these. It has no class of its own, and
/// so no name.
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

/// Names the key of a stored property, or the name of a case, where it is another than in the source.
///
/// - Parameter key: the key in archives, as a literal.
@attached(peer)
public macro ArchivedKey(_ key: String) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Names the value that a stored property has where the archive has none, or nil.
///
/// - Parameters:
///   - key: the key in archives, as a literal; by default the name of the property.
///   - value: the value. A member of a type is written with the type: `Mood.calm`.
@attached(peer)
public macro ArchivedKey<Value>(_ key: String? = nil, default value: Value) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Names the empty collection that a stored property is where the archive has none, or nil.
///
/// - Parameters:
///   - key: the key in archives, as a literal; by default the name of the property.
///   - value: `[]` or `[:]`.
@attached(peer)
public macro ArchivedKey(_ key: String? = nil, default value: ArchivedEmptyCollection) =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedKeyMacro")

/// Leaves a stored property out of the archive. It needs an initial value or an optional type.
@attached(peer)
public macro NotArchived() =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "NotArchivedMacro")

/// Reads a stored property of a class when all objects of the archive are complete, as
/// `KeyedDecoder.decodeReference` does. The property is an optional.
///
/// A weak property, a parent say, is written as a reference to an object that is elsewhere in the archive. Any
/// other is written with the object.
@attached(peer)
public macro ArchivedReference() =
    #externalMacro(module: "ArchiveMacrosPlugin", type: "ArchivedReferenceMacro")

/// An empty collection of any type, as a default: `[]` or `[:]`.
public struct ArchivedEmptyCollection: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: Never...) {}
    public init(dictionaryLiteral elements: (Never, Never)...) {}
}
#endif

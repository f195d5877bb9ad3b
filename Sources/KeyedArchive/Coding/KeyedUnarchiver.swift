// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// An unarchiver that reads typed values of allowed classes from a keyed archive.
///
/// ```swift
/// let saves = try KeyedUnarchiver.unarchive([Save].self, from: bytes)
///
/// let archive = try KeyedUnarchiver(parsing: bytes, allowing: .commonClasses.adding(Save.self))
/// let first = try archive.roots.decode(Save.self, forKey: "first")
/// let level = try archive.roots.decodeInteger(forKey: "level")
/// ```
///
/// The allowed classes are those of the registry and those that the requested type registers. This
/// list applies to every reference at every depth, and no archive can extend it.
public struct KeyedUnarchiver {
    /// The roots of the archive.
    public let roots: KeyedDecoder

    /// The key of the root in archives with one root.
    public static let rootKey = "root"

    /// Creates an unarchiver, and checks everything in the archive that does not depend on types.
    /// Linear.
    ///
    /// - Throws: `danglingReference`, `malformedObject`, `malformedClass`,
    ///   `expansionLimitExceeded`, `invalidPropertyList`.
    public init(
        _ contents: ArchiveContents, allowing registry: ClassRegistry = .foundation,
        limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        let reader = try ArchiveReader(contents, allowing: registry, limits: limits)
        roots = KeyedDecoder(reader, object: nil)
    }

    /// Creates an unarchiver by parsing an archive.
    ///
    /// - Throws: the errors of ``ArchiveContents/init(parsing:options:limits:)`` and
    ///   ``init(_:allowing:limits:)``.
    public init(
        parsing bytes: some Sequence<UInt8>, allowing registry: ClassRegistry = .foundation,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) {
        let contents = try ArchiveContents(parsing: bytes, options: options, limits: limits)
        try self.init(contents, allowing: registry, limits: limits)
    }

    /// A Boolean value indicating whether numbers are converted to the requested kind, as
    /// `NSKeyedUnarchiver` converts them; false by default.
    ///
    /// Without the conversion, the requested type must represent a number exactly, and booleans are
    /// not read as numbers, nor numbers as booleans. The conversions are:
    ///
    /// | read as | from |
    /// |---|---|
    /// | `Bool` | a number: true if it is not 0 |
    /// | integers | a boolean: 1 or 0; a real: without its fraction |
    /// | `Double`, `Float` | a boolean: 1 or 0; another number: the nearest one |
    ///
    /// An integer that does not fit in the type is an error even with the conversion.
    public var convertsNumbers: Bool {
        get { roots.reader.convertsNumbers }
        nonmutating set { roots.reader.convertsNumbers = newValue }
    }

    /// The values that the program passes to the initializers of its types, as with `Decoder`. The
    /// types read them from ``KeyedDecoder/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { roots.reader.userInfo }
        nonmutating set { roots.reader.userInfo = newValue }
    }

    /// Returns the root with the key `key`. The default is the key of the root in archives with one
    /// root.
    ///
    /// - Throws: the errors of `KeyedDecoder.decode(_:forKey:)`.
    public func unarchive<T: KeyedDecodable>(
        _ type: T.Type = T.self, forKey key: String = rootKey
    ) throws -> T {
        try roots.decode(type, forKey: key)
    }

    /// Returns the root with the key `key`, as a value of the first of `types` that can be read
    /// from the root's class. The default is the key of the root in archives with one root.
    ///
    /// - Throws: the errors of ``KeyedDecoder/decodeObject(ofAny:forKey:)``; `missingValue` for
    ///   nil.
    public func unarchive(
        ofAny types: [any KeyedDecodable.Type], forKey key: String = rootKey
    ) throws -> any KeyedDecodable {
        guard let value = try roots.decodeObject(ofAny: types, forKey: key) else {
            throw roots.containsValue(forKey: key)
                ? KeyedArchiveError(
                    .missingValue, what: "expected an object, found nil",
                    path: PropertyListPath([.key(key)]),
                    recovery: "`roots.decodeObject(ofAny:forKey:)` reads nil")
                : roots.missing(key)
        }
        return value
    }

    /// Parses an archive and returns its root.
    ///
    /// - Throws: the errors of ``init(parsing:allowing:options:limits:)`` and
    ///   ``unarchive(_:forKey:)``.
    public static func unarchive<T: KeyedDecodable>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>,
        allowing registry: ClassRegistry = .foundation, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws -> T {
        try KeyedUnarchiver(
            parsing: bytes, allowing: registry, options: options, limits: limits
        ).unarchive(type)
    }
}

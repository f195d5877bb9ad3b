// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// Writes typed values as a keyed archive, of allowed classes only.
///
/// ```swift
/// let bytes = try KeyedArchiver.archive([save])
///
/// let archiver = KeyedArchiver(allowing: .commonClasses.adding(Save.self))
/// archiver.roots.encode(save, forKey: "first")
/// archiver.roots.encode(3, forKey: "level")
/// let bytes = try archiver.finish()
/// ```
///
/// Calls of an encoder do not throw. ``finish(as:)`` throws the first error, with the path to the field: a class
/// that the registry does not allow, what could not be read back, an error of a program's own `encode(with:)`.
/// Nothing is output then.
public final class KeyedArchiver {
    /// The options for writing archives.
    public struct Options: Sendable, Hashable {
        /// The class that `$archiver` names.
        public var archiver = ArchiveFormat.archiver
        /// A Boolean value that says whether equal strings, and equal numbers of one kind, are one
        /// object. Apple's archiver goes by identity, which values do not have.
        public var uniquesValues = true

        /// Whether the last value counts where an object is given a key twice, as with Apple's archiver.
        /// Otherwise the archive keeps `duplicateKey`.
        public var lastDuplicateKeyWins = false

        /// As `NSKeyedArchiver`, with equal values as one object.
        public init() {}
    }

    private let writer: ArchiveWriter
    private let limits: ParsingLimits

    /// The roots, to be written with their keys.
    public let roots: KeyedEncoder

    /// Prepares an archive without roots.
    ///
    /// - Parameters:
    ///   - registry: the classes that may be written.
    ///   - options: how.
    ///   - limits: how deep objects may be nested, and the size of the output.
    public init(
        allowing registry: ClassRegistry = .foundation, options: Options = Options(),
        limits: ParsingLimits = .default
    ) {
        writer = ArchiveWriter(allowing: registry, options: options, limits: limits)
        roots = KeyedEncoder(writer, object: nil)
        self.limits = limits
    }

    /// The values that the program hands to `encode(with:)` of its types, as with `Encoder`; each reads it with
    /// ``KeyedEncoder/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { writer.userInfo }
        set { writer.userInfo = newValue }
    }

    /// The archive as a property list; nothing can be written after that.
    ///
    /// - Throws: the first error of any field; `misuse`, `invalidPropertyList`.
    public func document() throws -> PropertyListDocument {
        try writer.table.finish(archiver: writer.options.archiver)
    }

    /// The archive as bytes; nothing can be written after that.
    ///
    /// XML lacks a few forms that archives use: the width of a `Float` is lost, and control characters
    /// are written raw, as Apple's archiver does it.
    ///
    /// - Throws: as ``document()``.
    public func finish(as format: PropertyListFormat = .binary) throws -> [UInt8] {
        let document = try document()
        var options = WritingOptions()
        options.xml.sortsKeys = true
        options.xml.allowedLosses = .appleCompatible
        do { return try document.serialized(as: format, options: options, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }

    /// An archive of one root.
    ///
    /// Allowed are the classes of the registry and those that the root's type consists of.
    ///
    /// - Throws: as ``finish(as:)``.
    public static func archive<T: KeyedEncodable>(
        _ root: T, allowing registry: ClassRegistry = .foundation,
        as format: PropertyListFormat = .binary, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws -> [UInt8] {
        let archiver = KeyedArchiver(allowing: registry, options: options, limits: limits)
        archiver.roots.encode(root, forKey: KeyedUnarchiver.rootKey)
        return try archiver.finish(as: format)
    }
}

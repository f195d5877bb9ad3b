// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList

/// An archiver that writes typed values of allowed classes as a keyed archive.
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
/// The methods of an encoder do not throw. After an error, ``finish(as:)`` throws the first one and
/// outputs nothing. An error for a class that the registry does not allow, or for a value that
/// could not be read back, has the path to the field. An error of a program's own `encode(with:)`
/// is thrown unchanged.
public final class KeyedArchiver {
    /// The options for writing archives.
    public struct Options: Sendable, Hashable {
        /// The class name in `$archiver`.
        public var archiver = ArchiveFormat.archiver
        /// A Boolean value indicating whether equal strings, and equal numbers of one kind, are one
        /// object. Apple's archiver deduplicates by identity, which Swift values do not have.
        public var deduplicatesValues = true

        /// A Boolean value indicating whether the last value wins if an object is given a key
        /// twice, as with Apple's archiver. Otherwise ``KeyedArchiver/finish(as:)`` throws
        /// `duplicateKey`.
        public var lastDuplicateKeyWins = false

        /// Creates the default options. They match `NSKeyedArchiver`, except that equal values are
        /// one object, and that a duplicate key is an error.
        public init() {}
    }

    private let writer: ArchiveWriter
    private let limits: ParsingLimits

    /// The encoder of the roots, which writes each under a key.
    public let roots: KeyedEncoder

    /// Creates an archiver without roots.
    ///
    /// - Parameters:
    ///   - registry: the classes that may be written.
    ///   - options: the options for writing.
    ///   - limits: the limits for the nesting of objects and for the size of the output.
    public init(
        allowing registry: ClassRegistry = .foundation, options: Options = Options(),
        limits: ParsingLimits = .default
    ) {
        writer = ArchiveWriter(allowing: registry, options: options, limits: limits)
        roots = KeyedEncoder(writer, object: nil)
        self.limits = limits
    }

    /// The values that the program passes to `encode(with:)` of its types, as with `Encoder`. The
    /// types read them from ``KeyedEncoder/userInfo``.
    public var userInfo: [CodingUserInfoKey: any Sendable] {
        get { writer.userInfo }
        set { writer.userInfo = newValue }
    }

    /// Returns the archive as a property list. Nothing can be written afterwards.
    ///
    /// - Throws: the first error of any field; `duplicateKey`, `misuse`, `invalidPropertyList`.
    public func document() throws -> PropertyListDocument {
        try writer.table.finish(archiver: writer.options.archiver)
    }

    /// Returns the archive as bytes. Nothing can be written afterwards.
    ///
    /// XML cannot represent everything that archives contain. The width of a `Float` is lost, and
    /// control characters are written unescaped, as Apple's archiver writes them.
    ///
    /// - Throws: the errors of ``document()``.
    public func finish(as format: PropertyListFormat = .binary) throws -> [UInt8] {
        let document = try document()
        var options = WritingOptions()
        options.xml.sortsKeys = true
        options.xml.allowedLosses = .appleCompatible
        do { return try document.serialized(as: format, options: options, limits: limits) } catch {
            throw KeyedArchiveError(error)
        }
    }

    /// Returns an archive of one root.
    ///
    /// The allowed classes are those of the registry and those that the root's type registers.
    ///
    /// - Throws: the errors of ``finish(as:)``.
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

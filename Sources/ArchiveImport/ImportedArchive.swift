// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import InlinePropertyList
public import KeyedArchive
internal import NIBArchive
public import PropertyList
internal import TypedStream

/// A typedstream, a NIBArchive or an inline property list, converted to a keyed archive of the same
/// objects.
///
/// Everything that works with keyed archives works with ``document``: `ArchiveGraph`, typed values
/// through a `ClassRegistry`, and writing in any format. Each value has its byte range in the file.
/// The values of an object in a typedstream have no keys. If the importer does not know the class
/// of the object, the key of each group of values consists of its index and its type encoding, such
/// as `0 i`.
///
/// ```swift
/// let archive = try ImportedArchive(parsing: bytes)
/// let message = try archive.unarchive(ArchivedAttributedString.self, allowing: .foundation)
/// print(message.text)
/// ```
public struct ImportedArchive: Sendable {
    /// A format that can be imported. New formats may be added without breaking a `switch`.
    public struct Format: Sendable, Hashable {
        let importer: Importer

        enum Importer: Sendable { case typedStream, nibArchive, inlinePropertyList }

        /// The streams of `NSArchiver`.
        public static let typedStream = Format(importer: .typedStream)
        /// Compiled interface files.
        public static let nibArchive = Format(importer: .nibArchive)
        /// `bplist16` and `bplist17`, the messages of `NSXPCConnection`, and the older `bplist15`.
        public static let inlinePropertyList = Format(importer: .inlinePropertyList)

        /// Returns the format that the first 16 bytes identify, or nil if the format cannot be
        /// imported.
        ///
        /// Inlinable, because the unspecialized function would take longer than parsing a small
        /// value of a database.
        @inlinable
        public static func detect(_ bytes: some Sequence<UInt8>) -> Format? {
            detect(head: Array(bytes.prefix(16)))
        }

        @usableFromInline
        static func detect(head: [UInt8]) -> Format? {
            if TypedStreamDocument.isTypedStream(head) { return .typedStream }
            if NIBArchiveDocument.isNIBArchive(head) { return .nibArchive }
            return InlinePropertyListDocument.version(of: head).map { _ in .inlinePropertyList }
        }

        fileprivate var type: any ArchiveImporter.Type {
            switch importer {
            case .typedStream: TypedStreamImporter.self
            case .nibArchive: NIBArchiveImporter.self
            case .inlinePropertyList: InlineListImporter.self
            }
        }
    }

    /// The format of the file.
    public let format: Format

    /// The objects of the file as a keyed archive. If no object of a message names a class, the
    /// document is a plain property list.
    ///
    /// Object *n* + 1 of the archive is object *n* of a typedstream or a NIBArchive.
    public let document: PropertyListDocument

    /// Imports a file and checks all of it. Linear in the size of the file.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - limits: The limits on parsing the file.
    /// - Throws: `unrecognizedFormat` for files in other formats. `truncated`, `invalidLength`,
    ///   `invalidMarker` or another code for malformed files, with the byte offset.
    ///   `depthLimitExceeded`, `sizeLimitExceeded` or `expansionLimitExceeded` for an exceeded
    ///   limit. The superclasses of the classes in a typedstream count as an expansion.
    ///   `unexpectedElement` for an object of a typedstream whose contents do not have the form that
    ///   its class writes.
    public init(
        parsing bytes: [UInt8], limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(bytes, limits, salvages: false)
    }

    /// Imports a file from any sequence of bytes, which is copied once.
    ///
    /// - Throws: The errors of ``init(parsing:limits:)-30b8i``.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Imports the part of a damaged file that can be read with certainty. The `problems` of
    /// ``document`` list the defects.
    ///
    /// A typedstream is read up to its first defect. If the contents of an object do not have the
    /// form that its class writes, the object keeps its values as for an unknown class. In a
    /// NIBArchive, an object keeps the first value of a repeated key, and bytes after the class
    /// names are ignored. A damaged message of NSXPCConnection cannot be salvaged.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file.
    ///   - limits: The limits on parsing the file.
    /// - Throws: The errors of ``init(parsing:limits:)-30b8i`` if nothing can be read.
    public init(
        salvaging bytes: [UInt8], limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(bytes, limits, salvages: true)
    }

    private init(
        _ bytes: [UInt8], _ limits: ParsingLimits, salvages: Bool
    ) throws(PropertyListError) {
        guard let format = Format.detect(bytes) else {
            throw PropertyListError(
                .unrecognizedFormat,
                what: "expected a typedstream, a NIBArchive or bplist15, 16 or 17",
                location: .byte(0))
        }
        self.format = format
        document = try format.type.document(bytes, limits, salvages: salvages)
    }
}

extension ImportedArchive {
    /// Returns the byte range of an object in the file, in constant time. The result is nil for a
    /// number without an object, and for an object without a byte range of its own.
    public func byteRange(of object: PropertyListUID) -> Range<Int>? {
        guard let objects = document.root[ArchiveFormat.objectsKey]?.array,
            let index = Int(exactly: object.value), index < objects.count
        else { return nil }
        return document.origin?.range(of: UInt32(objects[index].number))
    }

    /// Decodes the root as a value of a type.
    ///
    /// Classes are allowed by their exact names, as in keyed archives.
    ///
    /// - Parameters:
    ///   - type: The type of the root.
    ///   - registry: The classes that are allowed in the file.
    ///   - limits: The limits on expanding the archive.
    /// - Returns: The decoded root.
    /// - Throws: The errors of `KeyedUnarchiver`. An error names the class, the path, and the
    ///   location in the file. For a class that is not allowed, it also contains the code that
    ///   would allow it.
    public func unarchive<T: KeyedDecodable>(
        _ type: T.Type = T.self, allowing registry: ClassRegistry = .foundation,
        limits: ParsingLimits = .default
    ) throws -> T {
        do {
            return try KeyedUnarchiver(
                ArchiveContents(document), allowing: registry, limits: limits
            ).unarchive(type)
        } catch let error as KeyedArchiveError {
            guard let object = error.object, let range = byteRange(of: object) else { throw error }
            let name = document.formatName ?? ""
            throw error.from("byte \(range.lowerBound) of the \(name)")
        }
    }
}

/// An importer that converts files of one format to keyed archives.
protocol ArchiveImporter {
    /// Parses a file and converts it to a document.
    static func document(
        _ bytes: [UInt8], _ limits: ParsingLimits, salvages: Bool
    ) throws(PropertyListError) -> PropertyListDocument
}

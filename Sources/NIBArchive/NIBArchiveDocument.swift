// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parsed compiled interface file in the NIBArchive format. The document keeps the validated
/// bytes and four tables that index them.
///
/// Parsing checks every entry, so no later access can fail. An archive is flat: objects refer to
/// each other by index, and cycles are normal. A document is immutable and can be shared between
/// threads.
///
/// ```swift
/// let document = try NIBArchiveDocument(parsing: bytes)
/// for object in document.objects {
///     for value in object.values { print(object.class.name, value.key, value.content) }
/// }
/// ```
public struct NIBArchiveDocument: Sendable {
    final class Storage: Sendable {
        let source: ArchiveBytes
        let tables: ArchiveTables
        let coderVersion: UInt32
        /// The offset after the class names.
        let end: Int

        init(_ reader: ArchiveReader) {
            source = reader.source
            tables = reader.tables
            coderVersion = reader.coderVersion
            end = reader.end
        }
    }

    let storage: Storage
}

extension NIBArchiveDocument {
    /// Parses an archive and checks every entry.
    ///
    /// - Parameters:
    ///   - bytes: The contents of the file. The document retains them.
    ///   - allowingTrailingBytes: A Boolean value indicating whether bytes may follow the class
    ///     names. They are available as ``trailingBytes``.
    ///   - limits: The limits on the input.
    /// - Throws: `unrecognizedFormat` for other files, `unsupportedVersion` for format versions
    ///   other than 1, `sizeLimitExceeded` for inputs that are too large, and the other codes for
    ///   malformed archives.
    /// - Complexity: Linear in the size of the input.
    public init(
        parsing bytes: [UInt8], allowingTrailingBytes: Bool = false,
        limits: NIBArchiveLimits = .default
    ) throws(NIBArchiveError) {
        try limits.checkInput(bytes.count)
        var reader = ArchiveReader(bytes, allowsTrailingBytes: allowingTrailingBytes)
        try reader.read()
        storage = Storage(reader)
    }

    /// Parses an archive from any sequence of bytes, which is copied once.
    ///
    /// - Throws: The errors of the initializer for an array.
    public init(
        parsing bytes: some Sequence<UInt8>, allowingTrailingBytes: Bool = false,
        limits: NIBArchiveLimits = .default
    ) throws(NIBArchiveError) {
        try self.init(
            parsing: Array(bytes), allowingTrailingBytes: allowingTrailingBytes, limits: limits)
    }

    /// Returns whether `bytes` begins with the signature of a NIBArchive.
    public static func isNIBArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: HeaderLayout.magic)
    }

    /// The version of the coder that wrote the archive: 9 on iOS, 10 on macOS.
    public var coderVersion: Int { Int(storage.coderVersion) }

    /// The size of the source, in bytes.
    public var byteCount: Int { storage.source.bytes.count }

    /// The bytes after the class names. There are usually none. Their meaning is unknown.
    public var trailingBytes: ArraySlice<UInt8> { storage.source.bytes[storage.end...] }

    /// The root object, which is the first one, or nil in an archive without objects.
    public var root: NIBArchiveObject? { objects.first }

    /// The objects, by index.
    public var objects: NIBArchiveObjects { NIBArchiveObjects(storage: storage) }

    /// The names of the keys, by index.
    ///
    /// - Complexity: Linear in the size of all keys.
    public var keys: [String] {
        storage.tables.keys.map {
            String(decoding: storage.source.bytes[$0.range], as: UTF8.self)
        }
    }

    /// The classes, by index.
    ///
    /// - Complexity: Linear in the number of classes.
    public var classes: [NIBArchiveClass] {
        storage.tables.classes.indices.map { NIBArchiveClass(storage: storage, index: $0) }
    }
}

/// The objects of an archive, by index.
public struct NIBArchiveObjects: RandomAccessCollection, Sendable {
    let storage: NIBArchiveDocument.Storage

    /// The index of the root object, 0.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { storage.tables.objects.count }
    /// The object at an index.
    public subscript(position: Int) -> NIBArchiveObject {
        NIBArchiveObject(storage: storage, index: position)
    }
}

/// A class that an archive names. The format does not store superclasses.
public struct NIBArchiveClass: Sendable {
    let storage: NIBArchiveDocument.Storage

    /// The index of the class in the archive.
    public let index: Int

    private var record: ClassRecord { storage.tables.classes[index] }

    /// The name, exactly as it is stored.
    public var name: String {
        String(decoding: storage.source.bytes[record.name], as: UTF8.self)
    }

    /// The bytes of the name.
    var nameBytes: ArraySlice<UInt8> { storage.source.bytes[record.name] }

    /// The indices of the classes in ``fallbacks``.
    var fallbackIndices: [Int] {
        (0..<Int(record.fallbackCount)).map { number in
            let place = Int(record.start) + 4 * number
            return Int(storage.source.number(at: place, width: 4) ?? 0)
        }
    }

    /// The classes to use if this one is unknown, in order. They may have fallbacks of their own,
    /// and these may include this class.
    public var fallbacks: [NIBArchiveClass] {
        fallbackIndices.map { NIBArchiveClass(storage: storage, index: $0) }
    }

    /// The byte range of the fallbacks and the name in the file, without the NUL after the name.
    public var byteRange: Range<Int> { Int(record.start)..<record.name.upperBound }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A NIBArchive, the form of a compiled interface file: its bytes, checked, and four tables over them.
///
/// The reader checks every entry when it makes a document. Afterwards no access can fail. An archive is flat: objects
/// refer to each other by index, and cycles are normal. A document never changes and can be shared between threads.
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
        /// The place after the class names.
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
    /// Reads an archive, and checks all of it. Linear in the size of the input.
    ///
    /// - Parameters:
    ///   - bytes: The file. The document keeps it.
    ///   - allowingTrailingBytes: Whether bytes may follow the class names. They are kept in ``trailingBytes``.
    ///   - limits: The limits on what the file may ask for.
    /// - Throws: `unrecognizedFormat` for other files, `unsupportedVersion` for format versions other than 1, and the
    ///   code that fits for malformed archives.
    public init(
        parsing bytes: [UInt8], allowingTrailingBytes: Bool = false,
        limits: NIBArchiveLimits = .default
    ) throws(NIBArchiveError) {
        try limits.checkInput(bytes.count)
        var reader = ArchiveReader(bytes, allowsTrailingBytes: allowingTrailingBytes)
        try reader.read()
        storage = Storage(reader)
    }

    /// Reads an archive from any sequence of bytes, of which it makes one copy.
    public init(
        parsing bytes: some Sequence<UInt8>, allowingTrailingBytes: Bool = false,
        limits: NIBArchiveLimits = .default
    ) throws(NIBArchiveError) {
        try self.init(
            parsing: Array(bytes), allowingTrailingBytes: allowingTrailingBytes, limits: limits)
    }

    /// Whether bytes begin as a NIBArchive.
    public static func isNIBArchive(_ bytes: [UInt8]) -> Bool {
        bytes.starts(with: HeaderLayout.magic)
    }

    /// The version of the coder that wrote the archive: 9 on iOS, 10 on macOS.
    public var coderVersion: Int { Int(storage.coderVersion) }

    /// The size of the source, in bytes.
    public var byteCount: Int { storage.source.bytes.count }

    /// The bytes after the class names, of unknown meaning; usually none.
    public var trailingBytes: ArraySlice<UInt8> { storage.source.bytes[storage.end...] }

    /// The root object: the first one; nil in an archive without objects.
    public var root: NIBArchiveObject? { objects.first }

    /// The objects, by index.
    public var objects: NIBArchiveObjects { NIBArchiveObjects(storage: storage) }

    /// The names of the keys, by index. Linear.
    public var keys: [String] {
        storage.tables.keys.map {
            String(decoding: storage.source.bytes[$0.range], as: UTF8.self)
        }
    }

    /// The classes, by index. Linear.
    public var classes: [NIBArchiveClass] {
        storage.tables.classes.indices.map { NIBArchiveClass(storage: storage, index: $0) }
    }
}

/// The objects of an archive, by index.
public struct NIBArchiveObjects: RandomAccessCollection, Sendable {
    let storage: NIBArchiveDocument.Storage

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.tables.objects.count }
    public subscript(position: Int) -> NIBArchiveObject {
        NIBArchiveObject(storage: storage, index: position)
    }
}

/// A class that an archive names. Its superclasses are not known.
public struct NIBArchiveClass: Sendable {
    let storage: NIBArchiveDocument.Storage

    /// The index of the class in the archive.
    public let index: Int

    private var record: ClassRecord { storage.tables.classes[index] }

    /// The name, exactly as archived.
    public var name: String {
        String(decoding: storage.source.bytes[record.name], as: UTF8.self)
    }

    /// The bytes of the name.
    var nameBytes: ArraySlice<UInt8> { storage.source.bytes[record.name] }

    /// The indices of the classes in ``fallbacks``.
    var fallbackIndices: [Int] {
        (0..<Int(record.fallbacks)).map { number in
            let place = Int(record.start) + 4 * number
            return Int(storage.source.number(at: place, width: 4) ?? 0)
        }
    }

    /// The classes to use where this one is unknown, in order. They may have fallbacks too, even this class.
    public var fallbacks: [NIBArchiveClass] {
        fallbackIndices.map { NIBArchiveClass(storage: storage, index: $0) }
    }

    /// The place of the fallbacks and of the name in the file.
    public var byteRange: Range<Int> { Int(record.start)..<record.name.upperBound }
}

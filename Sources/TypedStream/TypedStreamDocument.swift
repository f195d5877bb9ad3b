// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parsed typedstream, the format of `NSArchiver`: its validated bytes, and tables of its
/// strings, classes and objects.
///
/// The initializer validates every byte, so reading groups and values cannot fail later. Values are
/// not stored separately; views decode them from the bytes on demand. A document is immutable and
/// can be shared between threads.
///
/// ```swift
/// let document = try TypedStreamDocument(parsing: bytes)
/// for group in document.groups {
///     for value in group.values {
///         if case .object(let object) = value.content { print(object.class.name) }
///     }
/// }
/// ```
public struct TypedStreamDocument: Sendable {
    final class Storage: Sendable {
        let source: StreamBytes
        let streamerVersion: UInt8
        let systemVersion: Int64
        let tables: StreamTables
        /// The offset of the first group.
        let start: Int
        /// The offset after the last item that could be read.
        let end: Int
        let problem: TypedStreamError?
        /// The table index of the complete object that ends where a salvaged document ends.
        private let lastComplete: Int?

        init(
            _ reader: consuming StreamReader<NoSink>, problem: TypedStreamError? = nil,
            lastComplete: Int? = nil
        ) {
            source = reader.source
            streamerVersion = reader.version
            systemVersion = reader.systemVersion
            start = reader.start
            end = problem == nil ? reader.place : reader.itemStart
            tables = reader.tables
            self.problem = problem
            self.lastComplete = lastComplete
        }

        /// Returns whether the end tag of an object is missing because a salvaged document ends
        /// within the object.
        func isCutOff(_ object: Int) -> Bool {
            problem != nil && Int(tables.entries[object].other) == end && object != lastComplete
        }
    }

    let storage: Storage
}

extension TypedStreamDocument {
    /// Parses a stream and checks all of it. Linear in the size of the input.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file, which the document retains.
    ///   - limits: The limits on parsing the file.
    /// - Throws: `unrecognizedFormat` for other files, `unsupportedVersion` for streamer versions
    ///   other than 3 and 4, and other codes for malformed streams and exceeded limits.
    public init(
        parsing bytes: [UInt8], limits: TypedStreamLimits = .default
    ) throws(TypedStreamError) {
        var reader = try Self.reader(bytes, limits)
        try reader.readGroups()
        storage = Storage(reader)
    }

    /// Parses a stream from any sequence of bytes, which is copied once.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: TypedStreamLimits = .default
    ) throws(TypedStreamError) {
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Parses the part of a damaged stream that can be read with certainty: everything before the
    /// first defect.
    ///
    /// ``problem`` is the defect. Values after it cannot be located, because a stream does not
    /// store the lengths of values.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file, which the document retains.
    ///   - limits: The limits on parsing the file.
    /// - Throws: `unrecognizedFormat`, `unsupportedVersion`, `invalidTag` or `truncated` if the
    ///   header is damaged, and `sizeLimitExceeded`.
    public init(
        salvaging bytes: [UInt8], limits: TypedStreamLimits = .default
    ) throws(TypedStreamError) {
        var reader = try Self.reader(bytes, limits)
        do {
            try reader.readGroups()
            storage = Storage(reader)
        } catch {
            let lastComplete = reader.salvage()
            storage = Storage(reader, problem: error, lastComplete: lastComplete)
        }
    }

    /// Returns whether bytes begin like a typedstream with a supported streamer version.
    public static func isTypedStream(_ bytes: [UInt8]) -> Bool {
        guard let version = bytes.first else { return false }
        return (version == StreamHeader.version || version == StreamHeader.oldVersion)
            && StreamHeader.order(of: bytes) != nil
    }

    /// Returns a reader that has read the header.
    private static func reader(
        _ bytes: [UInt8], _ limits: TypedStreamLimits
    ) throws(TypedStreamError) -> StreamReader<NoSink> {
        try limits.checkInput(bytes.count)
        guard let order = StreamHeader.order(of: bytes) else {
            throw TypedStreamError(
                .unrecognizedFormat,
                "expected the signature \"streamtyped\" or \"typedstream\" after two bytes", at: 0)
        }
        let version = bytes[0]
        guard version == StreamHeader.version || version == StreamHeader.oldVersion else {
            throw TypedStreamError(
                .unsupportedVersion, "expected streamer version 3 or 4, found \(version)", at: 0)
        }
        return try StreamReader(
            StreamBytes(bytes: bytes, order: order), version: version, limits: limits,
            sink: NoSink())
    }
}

extension TypedStreamDocument {
    /// The byte order of numbers.
    public var byteOrder: TypedStreamByteOrder { storage.source.order }

    /// The version of the format: 4, or 3 in files of early NeXTSTEP.
    public var streamerVersion: Int { Int(storage.streamerVersion) }

    /// The version of the system that wrote the stream, which has been 1000 since Mac OS X.
    public var systemVersion: Int64 { storage.systemVersion }

    /// The size of the source, in bytes.
    public var byteCount: Int { storage.source.bytes.count }

    /// The defect at which parsing a salvaged document ended, or nil.
    public var problem: TypedStreamError? { storage.problem }

    /// The groups of the stream, in the order of the file.
    public var groups: TypedStreamGroups {
        TypedStreamGroups(storage, places: storage.start..<storage.end)
    }

    /// The object that `NSArchiver.archiveRootObject` wrote, which is the only value of the only
    /// group, or nil for other streams.
    public var root: TypedStreamObject? {
        guard storage.start < storage.end, let head = storage.groupHead(at: storage.start),
            storage.hasTypes(head, "@"), head.end < storage.end,
            let (number, end) = storage.object(at: head.end), let number,
            end >= storage.end
        else { return nil }
        return TypedStreamObject(storage, number: number)
    }

    /// The distinct objects of the stream, in the order of the file. Linear in the size of the
    /// object table.
    public var objects: [TypedStreamObject] {
        numbers(of: .object).map { TypedStreamObject(storage, number: $0) }
    }

    /// The distinct classes of the stream, in the order of the file. Linear in the size of the
    /// object table.
    public var classes: [TypedStreamClass] {
        numbers(of: .class).map { TypedStreamClass(storage, number: $0) }
    }

    /// The shared strings of the stream (type encodings, names and selectors), in the order of the
    /// file. Linear in their number.
    public var sharedStrings: [TypedStreamString] {
        storage.tables.strings.indices.map { TypedStreamString(storage, number: $0) }
    }

    private func numbers(of kind: TableEntry.Kind) -> some Sequence<Int> {
        storage.tables.entries.indices.lazy.filter { storage.tables.entries[$0].kind == kind }
    }
}

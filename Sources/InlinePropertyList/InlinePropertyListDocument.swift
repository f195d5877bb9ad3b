// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A property list of version 15, 16 or 17: its bytes, checked, and a flat table of its values.
///
/// Versions 16 and 17 are messages of `NSXPCConnection`. Their values are written one in the other, without the
/// tables of a binary property list. The reader checks every value when it makes a document. Afterwards no access can
/// fail. A document never changes and can be shared between threads.
///
/// ```swift
/// let document = try InlinePropertyListDocument(parsing: bytes)
/// if case .array(let parts) = document.root.content,
///     case .string(let selector)? = parts.first?.content
/// {
///     print(selector)
/// }
/// ```
public struct InlinePropertyListDocument: Sendable {
    final class Storage: Sendable {
        let bytes: [UInt8]
        let version: InlinePropertyListVersion
        let nodes: [ListNode]

        init(_ reader: ListReader) {
            bytes = reader.bytes
            version = reader.version
            nodes = reader.nodes
        }
    }

    let storage: Storage

    /// Reads a property list, and checks all of it. Linear in the size of the input, times the logarithm for
    /// references.
    ///
    /// - Parameters:
    ///   - bytes: The file. The document keeps it.
    ///   - limits: The limits on what the file may ask for.
    /// - Throws: `unrecognizedFormat` for other files, `invalidMarker` for values whose form is not known, and the
    ///   code that fits for malformed files.
    public init(
        parsing bytes: [UInt8], limits: InlinePropertyListLimits = .default
    ) throws(InlinePropertyListError) {
        try limits.checkInput(bytes.count)
        guard let version = Self.version(of: bytes) else {
            throw InlinePropertyListError(
                .unrecognizedFormat, "expected \"bplist15\", \"bplist16\" or \"bplist17\"", at: 0)
        }
        var reader = ListReader(bytes, version, limits)
        try reader.read()
        storage = Storage(reader)
    }

    /// Reads a property list from any sequence of bytes, of which it makes one copy.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: InlinePropertyListLimits = .default
    ) throws(InlinePropertyListError) {
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// The version that bytes begin as; nil for other formats.
    public static func version(of bytes: [UInt8]) -> InlinePropertyListVersion? {
        let versions: [InlinePropertyListVersion] = [.fifteen, .sixteen, .seventeen]
        return versions.first { bytes.starts(with: $0.magic) }
    }

    /// The version of the format.
    public var version: InlinePropertyListVersion { storage.version }

    /// The bytes that the document was read from.
    public var bytes: [UInt8] { storage.bytes }

    /// The number of values, references included.
    public var nodeCount: Int { storage.nodes.count }

    /// The value that holds all others.
    public var root: InlinePropertyListNode { InlinePropertyListNode(storage: storage, index: 0) }
}

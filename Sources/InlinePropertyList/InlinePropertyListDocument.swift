// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parsed property list of version 15, 16 or 17: its validated bytes and a flat table of its
/// values.
///
/// Versions 16 and 17 are messages of `NSXPCConnection`. Each value directly contains its children,
/// without the tables of a binary property list. The initializer checks every value, so no later
/// access can fail. A document is immutable and can be shared between threads.
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

    /// Parses a property list and checks all of it. Linear in the size of the input, plus a binary
    /// search for each reference.
    ///
    /// - Parameters:
    ///   - bytes: The bytes of the file, which the document retains.
    ///   - limits: The limits for the file.
    /// - Throws: `unrecognizedFormat` for other formats, `invalidMarker` for values of unknown
    ///   form, and `sizeLimitExceeded` or `depthLimitExceeded` for input beyond the limits.
    ///   ``InlinePropertyListError/Code`` lists the codes of all other defects.
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

    /// Parses a property list from any sequence of bytes, which it copies once.
    ///
    /// - Throws: The errors of the initializer that takes an array.
    public init(
        parsing bytes: some Sequence<UInt8>, limits: InlinePropertyListLimits = .default
    ) throws(InlinePropertyListError) {
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Returns the version that the first eight bytes declare, or nil for other formats.
    public static func version(of bytes: [UInt8]) -> InlinePropertyListVersion? {
        let versions: [InlinePropertyListVersion] = [.fifteen, .sixteen, .seventeen]
        return versions.first { bytes.starts(with: $0.magic) }
    }

    /// The version of the format.
    public var version: InlinePropertyListVersion { storage.version }

    /// The bytes from which the document was parsed.
    public var bytes: [UInt8] { storage.bytes }

    /// The number of values, including references.
    public var nodeCount: Int { storage.nodes.count }

    /// The root value.
    public var root: InlinePropertyListNode { InlinePropertyListNode(storage: storage, index: 0) }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An error in parsing or writing a property list of version 15, 16 or 17, with its location.
///
/// Match on ``code``, because the text may change between versions. A message never quotes a value.
public struct InlinePropertyListError: Error, Sendable {
    /// The kind of an error. New codes may be added without breaking a `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with `bplist15`, `bplist16` or `bplist17`.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// The input or the enclosing container ends before a value, or within the offset field of
        /// a container or a reference.
        public static let truncated = Code("truncated")
        /// The header of version 15 is malformed.
        public static let invalidHeader = Code("invalidHeader")
        /// A byte that is not the marker of a known value.
        public static let invalidMarker = Code("invalidMarker")
        /// A value, length or count that needs more bytes than remain in its container or in the
        /// input. Also a length that is not an integer.
        public static let invalidLength = Code("invalidLength")
        /// A container end that is outside of the enclosing container or before the container's
        /// first value.
        public static let invalidEnd = Code("invalidEnd")
        /// A reference whose target is not a complete, earlier value, or is a reference itself.
        public static let invalidReference = Code("invalidReference")
        /// Text that is invalid in its encoding or lacks its NUL.
        public static let invalidString = Code("invalidString")
        /// A dictionary key that is neither a string nor null, or a key without a value.
        public static let invalidKey = Code("invalidKey")
        /// A key that occurs twice in a dictionary.
        public static let duplicateKey = Code("duplicateKey")
        /// Bytes after the root value.
        public static let trailingData = Code("trailingData")
        /// More nesting than ``InlinePropertyListLimits/depth``.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More bytes than ``InlinePropertyListLimits/inputSize``.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
        /// A call in the wrong order while a property list is built: the root or the end of a
        /// container is missing, a value follows the root, or no container is open to be ended.
        public static let incompleteList = Code("incompleteList")
    }

    // The error is one word wide, so that `throws` costs nothing on the success path.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let offset: Int?
        let path: [Int]
        let recovery: String?

        init(code: Code, what: String, offset: Int?, path: [Int], recovery: String?) {
            self.code = code
            self.what = what
            self.offset = offset
            self.path = path
            self.recovery = recovery
        }
    }

    private let storage: Storage

    /// Creates an error. Kept out of line, so that successful reading does not pay for it.
    @inline(never)
    init(
        _ code: Code, _ what: String, at offset: Int? = nil, path: [Int] = [],
        recovery: String? = nil
    ) {
        storage = Storage(code: code, what: what, offset: offset, path: path, recovery: recovery)
    }

    /// The kind of the error.
    public var code: Code { storage.code }
    /// A Boolean value indicating whether the failure is an exceeded limit rather than bad input.
    public var isLimit: Bool { code == .depthLimitExceeded || code == .sizeLimitExceeded }
    /// A description of the defect, with the expected and the actual number if it compares two.
    public var what: String { storage.what }
    /// The byte offset in the input, or nil if the error has none, as for a property list under
    /// construction.
    public var byteOffset: Int? { storage.offset }
    /// The child index in each container from the root to the value. Keys and values of
    /// dictionaries both count, in the order of the file.
    public var path: [Int] { storage.path }
    /// The limit to raise for a trusted file, or nil for other errors.
    public var recovery: String? { storage.recovery }
}

extension InlinePropertyListError: CustomStringConvertible {
    /// The error in the form `bplist15–17: what at byte 17, in [0][3] (recovery)`. Only the first
    /// 16 steps of a long path are included.
    public var description: String {
        var text = "bplist15–17: " + what
        if let byteOffset { text += " at byte \(byteOffset)" }
        if !path.isEmpty {
            text += ", in " + path.prefix(16).map { "[\($0)]" }.joined()
            if path.count > 16 { text += "…" }
        }
        if let recovery { text += " (\(recovery))" }
        return text
    }
}

extension InlinePropertyListError.Code: CustomStringConvertible {
    /// The name of the code, as in the source.
    public var description: String { name }
}

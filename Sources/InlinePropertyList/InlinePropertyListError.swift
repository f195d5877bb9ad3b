// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The reason why a property list with values in line could not be read or written, with its place.
///
/// Match on ``code``: the text may change between versions. A message never quotes a value.
public struct InlinePropertyListError: Error, Sendable {
    /// The kind of a failure. An open set: a new code breaks no `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with `bplist15`, `bplist16` or `bplist17`.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// The input ends within a value.
        public static let truncated = Code("truncated")
        /// The header of version 15 is malformed.
        public static let invalidHeader = Code("invalidHeader")
        /// A byte that begins no value whose form is known.
        public static let invalidMarker = Code("invalidMarker")
        /// A length or a count that does not fit the bytes there are.
        public static let invalidLength = Code("invalidLength")
        /// The end of a container that is outside of the container around it, or within a value.
        public static let invalidEnd = Code("invalidEnd")
        /// A reference to anything but a complete value before it.
        public static let invalidReference = Code("invalidReference")
        /// Text that is not valid in its encoding, or lacks its NUL.
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
        /// A property list under construction that lacks its root or the end of a container.
        public static let incompleteList = Code("incompleteList")

        /// Whether the failure is a limit that can be raised, rather than bad input.
        public var isLimit: Bool { self == .depthLimitExceeded || self == .sizeLimitExceeded }
    }

    // One word wide, so that a `throws` costs the path without errors nothing.
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

    /// Creates an error. Out of line: a reader that throws nothing pays nothing for it.
    @inline(never)
    init(
        _ code: Code, _ what: String, at offset: Int? = nil, path: [Int] = [],
        recovery: String? = nil
    ) {
        storage = Storage(code: code, what: what, offset: offset, path: path, recovery: recovery)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The defect, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The place in the input, in bytes from its beginning; nil for a property list under construction.
    public var byteOffset: Int? { storage.offset }
    /// The index of a child in each container on the way from the root to the value. Keys and values of
    /// dictionaries count alike, in the order of the file.
    public var path: [Int] { storage.path }
    /// The limit to raise for a genuine file, in words.
    public var recovery: String? { storage.recovery }
}

extension InlinePropertyListError: CustomStringConvertible {
    /// `bplist15–17: what at byte 17, in [0][3] (recovery)`. Of a long path, the first 16 steps.
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
    /// The code's name, as in the source.
    public var description: String { name }
}

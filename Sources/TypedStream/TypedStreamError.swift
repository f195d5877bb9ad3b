// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The reason why a typedstream could not be read or written, with its place.
///
/// Match on ``code``: the text may change between versions. A message never quotes a value.
///
/// ```swift
/// do {
///     return try TypedStreamDocument(parsing: bytes)
/// } catch where error.code == .depthLimitExceeded {
///     return nil
/// }
/// ```
public struct TypedStreamError: Error, Sendable {
    /// The kind of a failure. An open set: a new code breaks no `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with the header of a typedstream.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// A streamer version other than 3 and 4.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The input ends within an item.
        public static let truncated = Code("truncated")
        /// A byte that begins no item of the kind expected.
        public static let invalidTag = Code("invalidTag")
        /// A length or a count that does not fit the bytes there are.
        public static let invalidLength = Code("invalidLength")
        /// A number outside the range of its type.
        public static let invalidNumber = Code("invalidNumber")
        /// A reference to a string, class, object or C string that does not precede it.
        public static let invalidReference = Code("invalidReference")
        /// A nil in place of a type encoding, a class name, the class of an object or the text of a C string.
        public static let unexpectedNil = Code("unexpectedNil")
        /// Text that is not UTF-8, or a name that contains NUL.
        public static let invalidString = Code("invalidString")
        /// A type encoding that is malformed or has no form in a typedstream.
        public static let invalidType = Code("invalidType")
        /// A chain of more than 64 classes.
        public static let invalidClassChain = Code("invalidClassChain")
        /// An item of streamer version 3 with two readings.
        public static let ambiguousItem = Code("ambiguousItem")
        /// More nesting than ``TypedStreamLimits/depth``.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More bytes than ``TypedStreamLimits/inputSize``.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
        /// A value that does not fit the type that a group declares for it.
        public static let wrongKind = Code("wrongKind")
        /// A stream under construction that lacks values, or the end of an object.
        public static let incompleteStream = Code("incompleteStream")

        /// Whether the failure is a limit that can be raised, rather than bad input.
        public var isLimit: Bool { self == .depthLimitExceeded || self == .sizeLimitExceeded }
    }

    // One word wide, so that a `throws` costs the path without errors nothing.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let offset: Int?
        let path: TypedStreamPath?
        let recovery: String?

        init(
            code: Code, what: String, offset: Int?, path: TypedStreamPath?, recovery: String?
        ) {
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
        _ code: Code, _ what: String, at offset: Int? = nil, path: TypedStreamPath? = nil,
        recovery: String? = nil
    ) {
        storage = Storage(
            code: code, what: what, offset: offset, path: path, recovery: recovery)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The defect, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The place in the input, in bytes from its beginning; nil for a stream under construction.
    public var byteOffset: Int? { storage.offset }
    /// The path from the beginning of the stream to the value; nil outside of groups.
    public var path: TypedStreamPath? { storage.path }
    /// The limit to raise for a genuine file, in words.
    public var recovery: String? { storage.recovery }
}

extension TypedStreamError: CustomStringConvertible {
    /// `typedstream: what at byte 17, in path (recovery)`.
    public var description: String {
        var text = "typedstream: " + what
        if let byteOffset { text += " at byte \(byteOffset)" }
        if let path { text += ", in \(path)" }
        if let recovery { text += " (\(recovery))" }
        return text
    }
}

extension TypedStreamError.Code: CustomStringConvertible {
    /// The code's name, as in the source.
    public var description: String { name }
}

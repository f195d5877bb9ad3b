// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An error in reading or writing a typedstream, with its location.
///
/// Match on ``code``, because the text may change between versions. A message may contain numbers
/// and class names of the stream, but no other text and no data.
///
/// ```swift
/// do {
///     return try TypedStreamDocument(parsing: bytes)
/// } catch where error.code == .depthLimitExceeded {
///     return nil
/// }
/// ```
public struct TypedStreamError: Error, Sendable {
    /// The kind of an error. New codes may be added without breaking a `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with the header of a typedstream.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// A streamer version other than 3 and 4, or indexed variables in streamer version 3.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The input ends within an item.
        public static let truncated = Code("truncated")
        /// A byte that does not begin an item of the expected kind.
        public static let invalidTag = Code("invalidTag")
        /// A length that is negative, that exceeds the remaining bytes, or that differs from the
        /// length of an array of characters.
        public static let invalidLength = Code("invalidLength")
        /// A number outside the range of its type.
        public static let invalidNumber = Code("invalidNumber")
        /// A reference that is not to an earlier item of the expected kind, or that is wider than 4
        /// bytes.
        public static let invalidReference = Code("invalidReference")
        /// Nil in place of a type encoding, a class name, the class of an object or the text of a C
        /// string.
        public static let unexpectedNil = Code("unexpectedNil")
        /// Text that is not UTF-8, or a name or C string that contains NUL.
        public static let invalidString = Code("invalidString")
        /// A type encoding that is malformed or that a typedstream cannot represent.
        public static let invalidType = Code("invalidType")
        /// A chain of more than 64 classes.
        public static let invalidClassChain = Code("invalidClassChain")
        /// An item of streamer version 3 that can be read in two ways.
        public static let ambiguousItem = Code("ambiguousItem")
        /// More nesting than ``TypedStreamLimits/depth``.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More bytes than ``TypedStreamLimits/inputSize``.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
        /// A value that does not match the type that a group declares for it, or an object whose
        /// groups are not those of its class.
        public static let wrongKind = Code("wrongKind")
        /// A stream under construction that lacks a value or the end of an object, or that ends an
        /// object when none is open.
        public static let incompleteStream = Code("incompleteStream")
    }

    // The error is one word wide, so that `throws` costs nothing on the success path.
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

    /// Creates an error. Kept out of line, so that successful reading does not pay for it.
    @inline(never)
    init(
        _ code: Code, _ what: String, at offset: Int? = nil, path: TypedStreamPath? = nil,
        recovery: String? = nil
    ) {
        storage = Storage(
            code: code, what: what, offset: offset, path: path, recovery: recovery)
    }

    /// The kind of the error.
    public var code: Code { storage.code }
    /// A Boolean value indicating whether the failure is an exceeded limit rather than bad input.
    public var isLimit: Bool { code == .depthLimitExceeded || code == .sizeLimitExceeded }
    /// A description of the defect, with the expected and the actual number if it compares two.
    public var what: String { storage.what }
    /// The byte offset in the input, or nil if the error has none, as for a stream under
    /// construction.
    public var byteOffset: Int? { storage.offset }
    /// The path from the beginning of the stream to the value, or nil outside of groups.
    public var path: TypedStreamPath? { storage.path }
    /// The limit to raise for a trusted file, or nil for other errors.
    public var recovery: String? { storage.recovery }
}

extension TypedStreamError: CustomStringConvertible {
    /// The error in the form `typedstream: what at byte 17, in path (recovery)`.
    public var description: String {
        var text = "typedstream: " + what
        if let byteOffset { text += " at byte \(byteOffset)" }
        if let path { text += ", in \(path)" }
        if let recovery { text += " (\(recovery))" }
        return text
    }
}

extension TypedStreamError.Code: CustomStringConvertible {
    /// The name of the code, as in the source.
    public var description: String { name }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The reason why a NIBArchive could not be read or written, with its place.
///
/// Match on ``code``: the text may change between versions. A message never quotes a value.
public struct NIBArchiveError: Error, Sendable {
    /// The kind of a failure. An open set: a new code breaks no `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with `NIBArchive`.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// A format version other than 1.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The input ends within the header.
        public static let truncated = Code("truncated")
        /// Sections that overlap, leave a gap, are out of order or go beyond the end.
        public static let invalidOffset = Code("invalidOffset")
        /// A length or a count that does not fit its section.
        public static let invalidLength = Code("invalidLength")
        /// A number of variable length that is too long, or longer than necessary.
        public static let invalidNumber = Code("invalidNumber")
        /// The index of an object, key, class or value that does not exist.
        public static let invalidReference = Code("invalidReference")
        /// A value of a type that is unknown.
        public static let invalidType = Code("invalidType")
        /// A key or a class name that is not UTF-8, or a class name that does not end with its only NUL.
        public static let invalidString = Code("invalidString")
        /// Objects whose values overlap, or values of no object.
        public static let invalidValueRange = Code("invalidValueRange")
        /// Bytes after the class names.
        public static let trailingData = Code("trailingData")
        /// More bytes than ``NIBArchiveLimits/inputSize``.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")

        /// Whether the failure is a limit that can be raised, rather than bad input.
        public var isLimit: Bool { self == .sizeLimitExceeded }
    }

    // One word wide, so that a `throws` costs the path without errors nothing.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let offset: Int?
        let object: Int?
        let recovery: String?

        init(code: Code, what: String, offset: Int?, object: Int?, recovery: String?) {
            self.code = code
            self.what = what
            self.offset = offset
            self.object = object
            self.recovery = recovery
        }
    }

    private let storage: Storage

    /// Creates an error. Out of line: a reader that throws nothing pays nothing for it.
    @inline(never)
    init(
        _ code: Code, _ what: String, at offset: Int? = nil, object: Int? = nil,
        recovery: String? = nil
    ) {
        storage = Storage(
            code: code, what: what, offset: offset, object: object, recovery: recovery)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The defect, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The place in the input, in bytes from its beginning; nil for an archive under construction.
    public var byteOffset: Int? { storage.offset }
    /// The index of the object that is affected; nil for all else. An archive is flat: no longer path leads to an
    /// object.
    public var objectIndex: Int? { storage.object }
    /// The limit to raise or the option to use for a genuine file, in words.
    public var recovery: String? { storage.recovery }
}

extension NIBArchiveError: CustomStringConvertible {
    /// `NIBArchive: what at byte 17, in object 3 (recovery)`.
    public var description: String {
        var text = "NIBArchive: " + what
        if let byteOffset { text += " at byte \(byteOffset)" }
        if let objectIndex { text += ", in object \(objectIndex)" }
        if let recovery { text += " (\(recovery))" }
        return text
    }
}

extension NIBArchiveError.Code: CustomStringConvertible {
    /// The code's name, as in the source.
    public var description: String { name }
}

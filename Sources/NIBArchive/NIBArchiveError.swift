// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An error in reading or writing a NIBArchive, with its location.
///
/// Match on ``code``, because the text may change between versions. A message never contains a
/// value of the archive.
public struct NIBArchiveError: Error, Sendable {
    /// The kind of a failure. The set is open, so new codes break no `switch`.
    public struct Code: Hashable, Sendable {
        private let name: String
        private init(_ name: String) { self.name = name }

        /// The input does not begin with `NIBArchive`.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// The archive has a format version other than 1.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// The input ends within the header, or before the end of a section.
        public static let truncated = Code("truncated")
        /// Sections overlap, leave a gap or are out of order.
        public static let invalidOffset = Code("invalidOffset")
        /// A length or a count exceeds its section.
        public static let invalidLength = Code("invalidLength")
        /// A variable-length integer is too large, is longer than necessary, or does not end within
        /// its section.
        public static let invalidNumber = Code("invalidNumber")
        /// An object, key or class index is out of range.
        public static let invalidReference = Code("invalidReference")
        /// A value has an unknown type.
        public static let invalidType = Code("invalidType")
        /// A key is not valid UTF-8 or contains NUL, or a class name is not valid UTF-8 with a
        /// single NUL at its end.
        public static let invalidString = Code("invalidString")
        /// The value ranges of the objects do not follow each other, or do not cover all values.
        public static let invalidValueRange = Code("invalidValueRange")
        /// The input continues after the class names.
        public static let trailingData = Code("trailingData")
        /// The archive has more bytes than ``NIBArchiveLimits/inputSize``, or more than
        /// 2,147,483,647.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
    }

    // The error is one word wide, so `throws` costs nothing on the path without errors.
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

    /// Creates an error. Not inlined, to keep the reader's code small.
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
    /// A Boolean value indicating whether the failure is an exceeded limit rather than bad input.
    /// A caller can raise the limit, up to the size that the format can represent.
    public var isLimit: Bool { code == .sizeLimitExceeded }
    /// The defect, with the expected and the actual value where two values are compared.
    public var what: String { storage.what }
    /// The offset in the input, in bytes, or nil if the error has none, as for an archive under
    /// construction.
    public var byteOffset: Int? { storage.offset }
    /// The index of the affected object, or nil if no object is affected. Archives are flat, so the
    /// index identifies an object without a path.
    public var objectIndex: Int? { storage.object }
    /// A suggestion for trusted files: the limit to raise or the option to set. It is nil for other
    /// errors.
    public var recovery: String? { storage.recovery }
}

extension NIBArchiveError: CustomStringConvertible {
    /// The full message, in the form `NIBArchive: what at byte 17, in object 3 (recovery)`.
    public var description: String {
        var text = "NIBArchive: " + what
        if let byteOffset { text += " at byte \(byteOffset)" }
        if let objectIndex { text += ", in object \(objectIndex)" }
        if let recovery { text += " (\(recovery))" }
        return text
    }
}

extension NIBArchiveError.Code: CustomStringConvertible {
    /// The name of the code, as in the source.
    public var description: String { name }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Why a property list could not be read or written: what, where, and in which value.
///
/// Match on ``code``; the text may change between versions. A message names keys and paths, and
/// never quotes a value.
///
/// ```swift
/// do {
///     return try PropertyListDocument(parsing: bytes)
/// } catch where error.code == .depthLimitExceeded {
///     return nil
/// }
/// ```
public struct PropertyListError: Error, Sendable {
    /// The kind of failure: an open set, so that a new one breaks no `switch`.
    public struct Code: Hashable, Sendable {
        let name: StaticName
        private init(_ name: StaticString) { self.name = StaticName(name) }

        /// No property list in any of the formats.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// The input ends before the property list does.
        public static let truncated = Code("truncated")
        /// Something follows the end of the property list.
        public static let trailingData = Code("trailingData")
        /// The 32 bytes at the end of a binary property list make no sense.
        public static let invalidTrailer = Code("invalidTrailer")
        /// An entry of the offset table points outside the objects.
        public static let invalidOffset = Code("invalidOffset")
        /// A reference to an object that does not exist.
        public static let invalidReference = Code("invalidReference")
        /// A byte that starts no known object.
        public static let invalidMarker = Code("invalidMarker")
        /// A count that does not fit the bytes there are.
        public static let invalidLength = Code("invalidLength")
        /// Text that is not valid in its encoding.
        public static let invalidString = Code("invalidString")
        /// A number that is malformed or out of range.
        public static let invalidNumber = Code("invalidNumber")
        /// A date that is malformed or does not exist.
        public static let invalidDate = Code("invalidDate")
        /// Base-64 or hexadecimal text that is malformed.
        public static let invalidData = Code("invalidData")
        /// A dictionary key that is no string.
        public static let invalidKey = Code("invalidKey")
        /// A key that occurs twice in a dictionary.
        public static let duplicateKey = Code("duplicateKey")
        /// A container that contains itself.
        public static let referenceCycle = Code("referenceCycle")
        /// More nesting than ``ParsingLimits/depth``.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More values than ``ParsingLimits/expansion``.
        public static let expansionLimitExceeded = Code("expansionLimitExceeded")
        /// More bytes than ``ParsingLimits/inputSize`` or ``ParsingLimits/output``.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
        /// An encoding of text that is unknown, or not the one declared.
        public static let invalidEncoding = Code("invalidEncoding")
        /// Text that is not well-formed XML, or uses what a property list may not.
        public static let malformedXML = Code("malformedXML")
        /// Well-formed XML that is no property list.
        public static let unexpectedElement = Code("unexpectedElement")
        /// A character that cannot stand where it does in OpenStep or JSON text.
        public static let unexpectedCharacter = Code("unexpectedCharacter")
        /// A value that the format to be written has no form for.
        public static let unrepresentableValue = Code("unrepresentableValue")
        /// A value of another kind than the one asked for.
        public static let wrongKind = Code("wrongKind")
        /// A key path that is malformed; the place is one in its text.
        public static let invalidKeyPath = Code("invalidKeyPath")
        /// A key path that leads to nothing; the place is one in its text.
        public static let noSuchValue = Code("noSuchValue")

        /// A Boolean value that says whether the failure is a limit that can be raised, rather than
        /// bad input.
        public var isLimit: Bool {
            [.depthLimitExceeded, .expansionLimitExceeded, .sizeLimitExceeded].contains(self)
        }
    }

    /// A place in the input.
    public struct Location: Hashable, Sendable {
        /// Bytes from the beginning; in XML that is not UTF-8, of its text as UTF-8.
        public let byte: Int
        /// The line, from 1; nil in binary.
        public let line: Int?
        /// The column in Unicode scalars, from 1; nil in binary.
        public let column: Int?

        package init(byte: Int, line: Int?, column: Int?) {
            self.byte = byte
            self.line = line
            self.column = column
        }

        /// A place in binary input.
        public static func byte(_ offset: Int) -> Location {
            Location(byte: offset, line: nil, column: nil)
        }
    }

    // One word wide, so that a `throws` costs the path without errors nothing.
    private final class Storage: Sendable {
        let code: Code
        let format: PropertyListFormat?
        let what: String
        let location: Location?
        let path: PropertyListPath?
        let recovery: Recovery?

        init(
            code: Code, format: PropertyListFormat?, what: String, location: Location?,
            path: PropertyListPath?, recovery: Recovery?
        ) {
            self.code = code
            self.format = format
            self.what = what
            self.location = location
            self.path = path
            self.recovery = recovery
        }
    }

    private let storage: Storage

    /// Creates an error; kept out of line because no reader should pay for one it does not throw.
    @inline(never)
    package init(
        _ code: Code, format: PropertyListFormat? = nil, what: String, location: Location? = nil,
        path: PropertyListPath? = nil, recovery: Recovery? = nil
    ) {
        storage = Storage(
            code: code, format: format, what: what, location: location, path: path,
            recovery: recovery)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The format being read or written; nil where none was involved.
    public var format: PropertyListFormat? { storage.format }
    /// The description of the failure, with both numbers where two are compared.
    public var what: String { storage.what }
    /// Where in the input.
    public var location: Location? { storage.location }
    /// The path from the root to the value; nil where none is known, or one of a text has more than 1,024
    /// steps.
    public var path: PropertyListPath? { storage.path }
    /// The way to recover, in words: the option or limit that lets the input pass.
    public var recovery: String? { wholeRecovery?.text }
    /// The way to recover, for programs that say it in their own words; nil where only ``recovery`` tells it.
    public var recoveryCode: RecoveryCode? { storage.recovery?.code }
    /// The options that let the input pass; empty unless ``recoveryCode`` is ``RecoveryCode/allowLeniency``.
    public var recoveryOptions: ParsingOptions { storage.recovery?.leniency ?? [] }
    /// The way to recover, for an error that is made of this one.
    package var wholeRecovery: Recovery? {
        storage.recovery ?? (code == .truncated ? .cutOff : nil)
    }

    /// The same error at another place: the one for the caller, once lines are counted.
    package func at(location: Location) -> PropertyListError {
        PropertyListError(
            code, format: format, what: what, location: location, path: path,
            recovery: storage.recovery)
    }

    /// The same error of a reader of text, with the line of its byte counted, and with a path.
    func located(in text: [UInt8], path: PropertyListPath?) -> PropertyListError {
        at(location: SourceText.location(location?.byte ?? 0, in: text)).at(path: path)
    }

    /// The same error of a value in an array that was made around it, with its path from there on.
    package var withinElement: PropertyListError {
        PropertyListError(
            code, format: format, what: what, location: location,
            path: path.map { PropertyListPath(Array($0.components.dropFirst())) },
            recovery: storage.recovery)
    }

    /// The same error with a path, unless it has one.
    package func at(path: PropertyListPath?) -> PropertyListError {
        if storage.path != nil || path == nil { return self }
        return PropertyListError(
            code, format: format, what: what, location: location, path: path,
            recovery: storage.recovery)
    }
}

extension PropertyListError: CustomStringConvertible {
    /// `format: what at where, in path (way out)`.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// `format: what at where, in path`.
    package var descriptionWithoutRecovery: String {
        var text = format.map { "\($0) property list: " } ?? "property list: "
        text += what
        if let location { text += " at \(location)" }
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        return text
    }
}

extension PropertyListError.Location: CustomStringConvertible {
    /// `line 3, column 7` in text, `byte 17` in binary.
    public var description: String {
        if let line, let column { "line \(line), column \(column)" } else { "byte \(byte)" }
    }
}

extension PropertyListError.Code: CustomStringConvertible {
    /// The code's name, as in the source.
    public var description: String { name.text.description }
}

/// A static string that is compared by its text.
struct StaticName: Hashable, Sendable {
    let text: StaticString

    init(_ text: StaticString) { self.text = text }

    static func == (left: StaticName, right: StaticName) -> Bool {
        left.text.description == right.text.description
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text.description) }
}

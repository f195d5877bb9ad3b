// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The reason why a property list could not be read or written, its place in the input, and the
/// path of the value.
///
/// Match on ``code``; the text may change between versions. A message contains keys, paths, numbers
/// and names of markup. Of texts and data, it contains at most the character at which parsing
/// failed.
///
/// ```swift
/// do {
///     return try PropertyListDocument(parsing: bytes)
/// } catch where error.code == .depthLimitExceeded {
///     return nil
/// }
/// ```
public struct PropertyListError: Error, Sendable {
    /// The kind of a failure.
    ///
    /// The set of codes is open, so a new code breaks no `switch`.
    public struct Code: Hashable, Sendable {
        let name: StaticName
        private init(_ name: StaticString) { self.name = StaticName(name) }

        /// The input is not a property list in any of the formats.
        public static let unrecognizedFormat = Code("unrecognizedFormat")
        /// The input ends before the property list does.
        public static let truncated = Code("truncated")
        /// Data follows the end of the property list.
        public static let trailingData = Code("trailingData")
        /// The 32 bytes at the end of a binary property list are inconsistent.
        public static let invalidTrailer = Code("invalidTrailer")
        /// An entry of the offset table points outside the object table.
        public static let invalidOffset = Code("invalidOffset")
        /// A reference to an object that does not exist.
        public static let invalidReference = Code("invalidReference")
        /// A byte is not the marker of any known object.
        public static let invalidMarker = Code("invalidMarker")
        /// A length or count is invalid or exceeds the number of bytes that remain.
        public static let invalidLength = Code("invalidLength")
        /// A string with a byte, character or escape that is not valid.
        public static let invalidString = Code("invalidString")
        /// A number that is malformed or out of range.
        public static let invalidNumber = Code("invalidNumber")
        /// A date that is malformed or does not exist.
        public static let invalidDate = Code("invalidDate")
        /// Base64 or hexadecimal text that is malformed.
        public static let invalidData = Code("invalidData")
        /// A dictionary key is not a string.
        public static let invalidKey = Code("invalidKey")
        /// A key that occurs twice in a dictionary.
        public static let duplicateKey = Code("duplicateKey")
        /// A container that contains itself.
        public static let referenceCycle = Code("referenceCycle")
        /// The nesting is deeper than ``ParsingLimits/depth``, or too deep for the call stack.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// An operation visits more values than ``ParsingLimits/expansion`` allows, or the objects
        /// of a binary file overlap too much.
        public static let expansionLimitExceeded = Code("expansionLimitExceeded")
        /// The input or output has more bytes than ``ParsingLimits/inputSize`` or
        /// ``ParsingLimits/output`` allow, or exceeds a fixed maximum.
        public static let sizeLimitExceeded = Code("sizeLimitExceeded")
        /// A text encoding that is unknown, differs from the declared one, or does not fit the
        /// text.
        public static let invalidEncoding = Code("invalidEncoding")
        /// Text that is not well-formed XML, or uses an XML feature that property lists may not
        /// use.
        public static let malformedXML = Code("malformedXML")
        /// Well-formed XML that is not a property list, or a mistake in the calls of a
        /// ``DocumentBuilder``.
        public static let unexpectedElement = Code("unexpectedElement")
        /// A character that is not allowed at its position in OpenStep or JSON text.
        public static let unexpectedCharacter = Code("unexpectedCharacter")
        /// A value that the output format cannot represent.
        public static let unrepresentableValue = Code("unrepresentableValue")
        /// A value whose kind differs from the requested one.
        public static let wrongKind = Code("wrongKind")
        /// A malformed key path. The location is a position in the text of the key path.
        public static let invalidKeyPath = Code("invalidKeyPath")
        /// A key path that leads to no value. The location is a position in the text of the key
        /// path.
        public static let noSuchValue = Code("noSuchValue")

        package var isLimit: Bool {
            [.depthLimitExceeded, .expansionLimitExceeded, .sizeLimitExceeded].contains(self)
        }
    }

    /// A place in the input.
    public struct Location: Hashable, Sendable {
        /// The offset in bytes from the beginning of the input. For text in an encoding other than
        /// UTF-8, the offset in the text after conversion to UTF-8.
        public let byte: Int
        /// The line number, from 1; nil for binary input and for a key path.
        public let line: Int?
        /// The column in Unicode scalars, from 1; nil for binary input.
        public let column: Int?

        package init(byte: Int, line: Int?, column: Int?) {
            self.byte = byte
            self.line = line
            self.column = column
        }

        /// Returns a location in binary input.
        public static func byte(_ offset: Int) -> Location {
            Location(byte: offset, line: nil, column: nil)
        }
    }

    // The details are behind one reference, so functions that throw pay nothing if there is no
    // error.
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

    /// Creates an error. Not inlined, to keep this code out of the readers' fast paths.
    @inline(never)
    package init(
        _ code: Code, format: PropertyListFormat? = nil, what: String, location: Location? = nil,
        path: PropertyListPath? = nil, recovery: Recovery? = nil
    ) {
        storage = Storage(
            code: code, format: format, what: what, location: location, path: path,
            recovery: recovery)
    }

    /// The kind of the failure.
    public var code: Code { storage.code }
    /// A Boolean value indicating whether the failure is an exceeded limit rather than bad input.
    /// If the limit can be raised, ``recoveryCode`` is ``RecoveryCode/raiseLimits``.
    public var isLimit: Bool { code.isLimit }
    /// The format that was read or written; nil if the operation involved no format.
    public var format: PropertyListFormat? { storage.format }
    /// The description of the failure. If a number differs from the expected one, the description
    /// states the expected one and, if it is known, the one found.
    public var what: String { storage.what }
    /// The place of the failure in the input; nil if it is unknown.
    public var location: Location? { storage.location }
    /// The path from the root to the value; nil if it is unknown. Text parsers and
    /// ``DocumentBuilder`` may omit the path of a value inside more than 1,024 containers.
    public var path: PropertyListPath? { storage.path }
    /// The recovery in words, such as the option or limit that makes the input acceptable.
    public var recovery: String? { wholeRecovery?.text }
    /// The code of the recovery, for programs that describe it in their own words. Nil if there is
    /// no recovery, or only the text of ``recovery``.
    public var recoveryCode: RecoveryCode? { storage.recovery?.code }
    /// The options that make the input acceptable. Empty unless ``recoveryCode`` is
    /// ``RecoveryCode/allowLeniency``.
    public var recoveryOptions: ParsingOptions { storage.recovery?.leniency ?? [] }
    /// The stored recovery, or the default one for truncated input. An error that wraps this one
    /// inherits it.
    package var wholeRecovery: Recovery? {
        storage.recovery ?? (code == .truncated ? .cutOff : nil)
    }

    /// Returns the same error at another location, such as one with a line number.
    package func at(location: Location) -> PropertyListError {
        PropertyListError(
            code, format: format, what: what, location: location, path: path,
            recovery: storage.recovery)
    }

    /// Returns the same error with its line and column in `text`, and with a path.
    func located(in text: [UInt8], path: PropertyListPath?) -> PropertyListError {
        at(location: SourceText.location(location?.byte ?? 0, in: text)).at(path: path)
    }

    /// The same error without the first step of its path, for a value that was wrapped in an array.
    package var withinElement: PropertyListError {
        PropertyListError(
            code, format: format, what: what, location: location,
            path: path.map { PropertyListPath(Array($0.components.dropFirst())) },
            recovery: storage.recovery)
    }

    /// Returns the same error with a path, unless it already has one.
    package func at(path: PropertyListPath?) -> PropertyListError {
        if storage.path != nil || path == nil { return self }
        return PropertyListError(
            code, format: format, what: what, location: location, path: path,
            recovery: storage.recovery)
    }
}

extension PropertyListError: CustomStringConvertible {
    /// The message in the form `format: what at where, in path (recovery)`.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// The message in the form `format: what at where, in path`.
    package var descriptionWithoutRecovery: String {
        (format == nil ? "property list: " : "") + whatAndWhere
    }

    /// The message without its recovery, and without `property list:` if no format is known.
    package var whatAndWhere: String {
        var text = (format.map { "\($0) property list: " } ?? "") + what
        if let location { text += " at \(location)" }
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        return text
    }
}

extension PropertyListError.Location: CustomStringConvertible {
    /// The location as `line 3, column 7` in text, `byte 17` in binary input, or `column 7 of the
    /// key path`.
    public var description: String {
        guard let column else { return "byte \(byte)" }
        guard let line else { return "column \(column) of the key path" }
        return "line \(line), column \(column)"
    }
}

extension PropertyListError.Code: CustomStringConvertible {
    /// The name of the code, such as `truncated`.
    public var description: String { name.text.description }
}

/// A static string that compares by its text.
struct StaticName: Hashable, Sendable {
    let text: StaticString

    init(_ text: StaticString) { self.text = text }

    static func == (left: StaticName, right: StaticName) -> Bool {
        left.text.description == right.text.description
    }

    func hash(into hasher: inout Hasher) { hasher.combine(text.description) }
}

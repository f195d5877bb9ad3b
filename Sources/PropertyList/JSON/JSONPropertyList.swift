// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Property lists as JSON (RFC 8259).
///
/// JSON has no dates, data, UIDs or sets, and only one kind of number. ``Mapping`` determines how
/// such values are represented.
public enum JSONPropertyList {
    /// The representation of values that have no native form in JSON.
    ///
    /// | value | `strict` | `coerce` | `typed` |
    /// |---|---|---|---|
    /// | date | refused | text, ISO 8601 | `{"$date": "2026-11-21T09:40:00Z"}` |
    /// | data | refused | text, Base64 | `{"$data": "AQI="}` |
    /// | UID | refused | number | `{"$uid": 3}` |
    /// | set | refused | array | `{"$set": [1, 2]}` |
    /// | infinity, NaN | refused | text | `{"$real": "nan"}` |
    /// | integer beyond ±2⁵³ | number | number | `{"$integer": "9007199254740993"}` |
    /// | real without a fraction | `1.0` | `1.0` | `{"$real": "1"}` |
    /// | 32-bit real | number | number | `{"$float": "0.5"}` |
    /// | dictionary with non-string keys | refused | refused | `{"$pairs": [[1, "a"]]}` |
    /// | `{"$date": 1}`, dictionary like a form | as is | as is | `{"$dictionary": {"$date": 1}}` |
    ///
    /// Numbers with a point or an exponent are reals. All other numbers are integers. The output of
    /// `typed` parses as the same document, even after a program that treats all numbers as
    /// `Double` has rewritten it, with 1.0 as 1.
    public enum Mapping: Sendable, Hashable {
        /// Values without a native form are errors.
        case strict
        /// Values without a native form become text, numbers and arrays. Parsing does not restore
        /// them.
        case coerce
        /// Values without a native form become objects with one key that names their kind. Parsing
        /// restores them.
        case typed
    }

    /// The layout of the text.
    public enum Layout: Sendable, Hashable {
        /// One line without white space, as required for JSON Lines.
        case compact
        /// One value per line, indented by two spaces more than its container.
        case indented
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// The representation of values that have no native form in JSON.
        public var mapping = Mapping.strict
        /// The layout of the text.
        public var layout = Layout.indented
        /// A Boolean value that is true to sort keys by UTF-16 code units, and false to keep their
        /// order.
        public var sortsKeys = false

        /// Creates the default options: strict, indented, in document order.
        public init() {}
    }

    /// Serializes a document as UTF-8 with a final LF. Linear in the size of the output.
    ///
    /// - Throws: `unrepresentableValue`, with the path, for values that the mapping refuses and for
    ///   unreadable values; `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var writer = JSONWriter(document, options, limits)
        return try writer.write()
    }

    /// Parses JSON that was written with a mapping. Linear.
    ///
    /// `PropertyListDocument.init(parsing:)` parses JSON like `strict`: every object is a
    /// dictionary.
    ///
    /// - Throws: `invalidEncoding`, `unexpectedCharacter`, `invalidString`, `invalidNumber`,
    ///   `truncated`, `trailingData`, `duplicateKey`, `depthLimitExceeded`, `sizeLimitExceeded`.
    ///   With `typed`, also `wrongKind` for an object whose key names a form but whose value does
    ///   not match that form, and `invalidKey`.
    public static func parse(
        _ bytes: [UInt8], mapping: Mapping, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListDocument {
        try limits.checkInput(bytes, .json)
        return try JSONReader.parse(
            bytes, mapping: mapping, options: options, limits: limits)
    }
}

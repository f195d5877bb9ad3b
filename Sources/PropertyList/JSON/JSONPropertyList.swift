// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Property lists as JSON (RFC 8259).
///
/// JSON has no dates, data, UIDs and sets, and one kind of number. What becomes of them is the
/// ``Mapping``.
public enum JSONPropertyList {
    /// The representation of values that JSON has no form for.
    ///
    /// | value | `strict` | `coerce` | `typed` |
    /// |---|---|---|---|
    /// | date | refused | text, ISO 8601 | `{"$date": "2026-11-21T09:40:00Z"}` |
    /// | data | refused | text, base 64 | `{"$data": "AQI="}` |
    /// | UID | refused | number | `{"$uid": 3}` |
    /// | set | refused | array | `{"$set": [1, 2]}` |
    /// | infinity, NaN | refused | text | `{"$real": "nan"}` |
    /// | integer beyond ±2⁵³ | number | number | `{"$integer": "9007199254740993"}` |
    /// | real without a fraction | `1.0` | `1.0` | `{"$real": "1"}` |
    /// | real of 32 bits | number | number | `{"$float": "0.5"}` |
    /// | dictionary with other keys than strings | refused | refused | `{"$pairs": [[1, "a"]]}` |
    /// | `{"$date": 1}`, a dictionary like a form | as it is | as it is | `{"$dictionary": {"$date": 1}}` |
    ///
    /// A number with a point or an exponent is a real, any other an integer. What `typed` writes
    /// reads back as the same document, also when programs in between take numbers for `Double` and
    /// write 1.0 as 1.
    public enum Mapping: Sendable, Hashable {
        /// Such values are errors.
        case strict
        /// They become text, numbers and arrays, and are not recognised when they are read.
        case coerce
        /// They become objects with one key that names their kind, and are read back.
        case typed
    }

    /// The layout of the text.
    public enum Layout: Sendable, Hashable {
        /// Without any white space, on one line, as JSON Lines need it.
        case compact
        /// Each value on a line of its own, two spaces deeper than its container.
        case indented
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// The representation of values that JSON has no form for.
        public var mapping = Mapping.strict
        /// The layout of the text.
        public var layout = Layout.indented
        /// A Boolean value that says whether keys are sorted by UTF-16 code units, or keep their
        /// order.
        public var sortsKeys = false

        /// Strict, indented, in the document's order.
        public init() {}
    }

    /// Writes a document as UTF-8, with LF at its end. Linear in what is written.
    ///
    /// - Throws: `unrepresentableValue`, with the path, for what the mapping refuses, and for values
    ///   that could not be read; `depthLimitExceeded`, `expansionLimitExceeded`,
    ///   `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var writer = JSONWriter(document, options, limits)
        return try writer.write()
    }

    /// Parses JSON that was written under a mapping. Linear.
    ///
    /// `PropertyListDocument.init(parsing:)` reads JSON as `strict` does: every object is a
    /// dictionary.
    ///
    /// - Throws: the code that fits where the text is malformed; under `typed` also where an
    ///   object with the key of a form is not of that form.
    public static func parse(
        _ bytes: [UInt8], mapping: Mapping, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListDocument {
        try limits.checkInput(bytes, .json)
        return try JSONReader.parse(
            bytes, mapping: mapping, options: options, limits: limits)
    }
}

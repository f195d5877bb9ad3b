// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// OpenStep property lists: old-style text, `.strings` files, and Xcode's project files.
///
/// The format has only strings, data, arrays and dictionaries. `1` is a string.
public enum OpenStepPropertyList {
    /// The layout of the text.
    public enum Layout: Sendable, Hashable {
        /// One line: `{name = Anna; ages = (7, 8);}`.
        case compact
        /// One value per line, indented by four spaces more than its container.
        case indented
        /// The entries of the root without braces, one per line, as in `.strings` files.
        case strings
        /// The layout of Xcode's `project.pbxproj`: objects in sections, and after each object
        /// identifier a comment with the object's name.
        ///
        /// The file contains the project's name only in comments. If `projectName` is nil, the name
        /// is taken from the comments of the source, provided that the source is a project file.
        case projectFile(projectName: String?)
    }

    /// The representation of numbers, Booleans, dates, sets and UIDs, which have no native form.
    public enum Scalars: Sendable, Hashable {
        /// Refuses values without a native form.
        case refused
        /// Writes GNUstep's typed values, such as `<*I5>`, which this library and GNUstep can
        /// parse. Refuses values that these forms cannot represent exactly, such as 32-bit reals,
        /// dates with fractions of a second, sets and UIDs.
        case typed
        /// Writes text: numbers in decimal, Booleans as `YES` and `NO`, dates in ISO 8601. Sets
        /// become arrays, and UIDs become `{CF$UID = 5;}`. Parsing does not restore the original
        /// kinds.
        case text
    }

    /// The text form of data.
    public enum DataForm: Sendable, Hashable {
        /// Hexadecimal, `<0102>`.
        case hexadecimal
        /// Base64, `<[AQI=]>`, which this library and GNUstep can parse.
        case base64
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// The layout of the text.
        public var layout = Layout.indented
        /// The representation of numbers, Booleans, dates, sets and UIDs.
        public var scalars = Scalars.refused
        /// The text form of data.
        public var dataForm = DataForm.hexadecimal
        /// A Boolean value that is true to sort keys by UTF-16 code units. In a project file, `isa`
        /// comes first.
        public var sortsKeys = false
        /// A Boolean value that is true to escape non-ASCII characters as `\Uhhhh`, and false to
        /// write them as UTF-8.
        public var escapesNonASCII = false

        /// Creates the default options: indented, in document order, numbers refused.
        public init() {}
    }

    /// Serializes a document as UTF-8. Linear in the size of the output.
    ///
    /// - Throws: `unrepresentableValue`, with the path, for values that the format and the options
    ///   cannot represent; `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var writer = OpenStepWriter(document, options, limits)
        return try writer.write()
    }

    /// Parses text that does not declare its encoding. Linear.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - encoding: the name of the encoding, such as `macintosh`, `UTF-16LE` or `NEXTSTEP`. If
    ///     nil, the encoding is that of a byte order mark, or else UTF-8.
    ///   - options: the accepted leniencies; none by default.
    ///   - limits: the limits on the resources that the file may use.
    /// - Returns: The document.
    /// - Throws: `invalidEncoding`, `unexpectedCharacter`, `invalidString`, `invalidData`,
    ///   `invalidNumber`, `invalidDate`, `truncated`, `trailingData`, `duplicateKey`,
    ///   `depthLimitExceeded`, `sizeLimitExceeded`.
    public static func parse(
        _ bytes: [UInt8], encoding: String?, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListDocument {
        try limits.checkInput(bytes, .openStep)
        return try OpenStepReader.parse(
            bytes, encoding: encoding, options: options, limits: limits)
    }
}

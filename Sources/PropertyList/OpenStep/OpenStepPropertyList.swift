// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// OpenStep property lists: old-style text, `.strings` files, Xcode's project files.
///
/// The format knows strings, data, arrays and dictionaries, and nothing else: `1` is text.
public enum OpenStepPropertyList {
    /// The layout of the text.
    public enum Layout: Sendable, Hashable {
        /// On one line: `{name = Anna; ages = (7, 8);}`.
        case compact
        /// Each value on a line of its own, four spaces deeper than its container.
        case indented
        /// The entries of the root without braces, one a line, as in `.strings` files.
        case strings
        /// As Xcode writes `project.pbxproj`: objects in sections, each number with its name.
        ///
        /// The project's name stands in a comment and nowhere else: where it is nil, it is taken from
        /// the comment of the source, if that is a project file.
        case projectFile(projectName: String?)
    }

    /// The form of numbers, booleans and dates, for which the format has no form.
    public enum Scalars: Sendable, Hashable {
        /// Not at all: such a value is an error.
        case refused
        /// As GNUstep's typed values, `<*I5>`, which this library and GNUstep read back.
        case typed
        /// As text: numbers in decimal, booleans as `YES` and `NO`, dates in ISO 8601; sets become
        /// arrays and UIDs `{CF$UID = 5;}`. Reading gives strings.
        case text
    }

    /// The form of data.
    public enum DataForm: Sendable, Hashable {
        /// In hexadecimal, `<0102>`.
        case hexadecimal
        /// In base 64, `<[AQI=]>`, which this library and GNUstep read.
        case base64
    }

    /// The options for writing a document.
    public struct Options: Sendable, Hashable {
        /// The layout of the text.
        public var layout = Layout.indented
        /// The form of numbers, booleans and dates.
        public var scalars = Scalars.refused
        /// The form of data.
        public var dataForm = DataForm.hexadecimal
        /// A Boolean value that says whether keys are sorted by UTF-16 code units; in a project
        /// file `isa` comes first.
        public var sortsKeys = false
        /// A Boolean value that says whether characters outside ASCII are escaped as `\Uhhhh`;
        /// otherwise they are UTF-8.
        public var escapesNonASCII = false

        /// Indented, in the document's order, numbers refused.
        public init() {}
    }

    /// Writes a document as UTF-8. Linear in what is written.
    ///
    /// - Throws: `unrepresentableValue`, with the path, for what the format and the options have no
    ///   form for; `depthLimitExceeded`, `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var writer = OpenStepWriter(document, options, limits)
        return try writer.write()
    }

    /// Parses text in an encoding that it does not declare. Linear.
    ///
    /// - Parameters:
    ///   - bytes: the file.
    ///   - encoding: the encoding's name, as in `macintosh`, `UTF-16LE`, `NEXTSTEP`; nil for that of
    ///     a byte order mark, or else UTF-8.
    ///   - options: leniencies; none by default.
    ///   - limits: how much the file may ask for.
    /// - Returns: The document.
    /// - Throws: `invalidEncoding`, and the code that fits where the text is malformed.
    public static func parse(
        _ bytes: [UInt8], encoding: String?, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> PropertyListDocument {
        try limits.checkInput(bytes, .openStep)
        return try OpenStepReader.parse(
            bytes, encoding: encoding, options: options, limits: limits)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A format of property lists.
///
/// The beginning of the input alone decides the format. The library never tries one parser after
/// another, because two parsers that disagree about the same bytes are a security hole.
public struct PropertyListFormat: Sendable, Hashable {
    enum Kind: Sendable { case binary, xml, openStep, json }
    let kind: Kind

    /// The binary format, `bplist00`.
    public static let binary = PropertyListFormat(kind: .binary)

    /// The XML format, `<plist version="1.0">`.
    public static let xml = PropertyListFormat(kind: .xml)

    /// The text format of OpenStep, `{name = Anna;}`: old property lists, `.strings` and project
    /// files.
    public static let openStep = PropertyListFormat(kind: .openStep)

    /// JSON, `{"name": "Anna"}`. See ``JSONPropertyList`` for the representation of dates and data.
    public static let json = PropertyListFormat(kind: .json)
}

extension PropertyListFormat: CustomStringConvertible {
    /// The name of the format in messages: `binary`, `XML`, `OpenStep` or `JSON`.
    public var description: String {
        switch kind {
        case .binary: "binary"
        case .xml: "XML"
        case .openStep: "OpenStep"
        case .json: "JSON"
        }
    }

    /// A Boolean value that is true if errors in the format have a line and a column.
    package var isText: Bool { kind != .binary }
}

extension PropertyListFormat {
    /// Returns the format of `bytes`, based on their beginning.
    ///
    /// The binary format has a magic number. A text format is recognized by its first character. If
    /// two formats share that character, the text after it decides. Linear in the leading white
    /// space and comments, and in the first string or data.
    ///
    /// | first character | format |
    /// |---|---|
    /// | `<` with only hexadecimal digits and white space up to `>`; `<*`; `<[` | OpenStep |
    /// | any other `<` | XML |
    /// | `{`, then a string in double quotes and `:`; `{}` | JSON |
    /// | any other `{`, `(`, a quote | OpenStep |
    /// | `[` | JSON |
    /// | a word and then `=` or `;`; only comments; only a byte order mark | OpenStep |
    ///
    /// After a comment, `<` and `{` always mean OpenStep, because XML and JSON have no such
    /// comments.
    ///
    /// A single word is also a valid property list in OpenStep, and a few words, such as `true`,
    /// are valid JSON. But a word could begin any text file, so the caller has to name the format.
    ///
    /// - Throws: `unrecognizedFormat`. The message names the format of the input if it is a related
    ///   one, such as a typedstream or an SQLite database.
    public static func detect(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListFormat {
        if bytes.starts(with: "bplist".utf8) { return .binary }
        if let format = TextHead(bytes).format { return format }
        throw unrecognized(bytes)
    }

    /// Returns the format of `bytes`, which will be parsed with `options`. Blank text is OpenStep
    /// if the options accept it.
    ///
    /// - Throws: as ``detect(_:)``. For blank text, the recovery names the option.
    package static func detect(
        _ bytes: [UInt8], _ options: ParsingOptions
    ) throws(PropertyListError) -> PropertyListFormat {
        guard OpenStepGrammar.isBlank(bytes.span) else { return try detect(bytes) }
        if options.contains(.blankText) { return .openStep }
        throw PropertyListError(
            .unrecognizedFormat, format: nil,
            what: "expected a property list, found only white space",
            location: .byte(0), recovery: ParsingOptions.blankText.advice)
    }

    /// Returns the error for bytes that are not a property list.
    private static func unrecognized(_ bytes: [UInt8]) -> PropertyListError {
        let what: String
        let recovery: PropertyListError.Recovery
        if bytes.isEmpty {
            what = "the input is empty"
            recovery = "create or copy the file again"
        } else if let format = RelatedFormat.all.first(where: { bytes.starts(with: $0.magic) }) {
            what = "expected a property list, found \(format.name)"
            recovery = format.recovery
        } else {
            what = "unrecognized format: not a binary, XML, OpenStep or JSON property list"
            recovery = .init(.searchFile, "check that this is the right input")
        }
        return PropertyListError(
            .unrecognizedFormat, format: nil, what: what, location: .byte(0), recovery: recovery)
    }
}

/// A format of files that are mistaken for property lists.
private struct RelatedFormat {
    let name: String
    /// The first bytes of a file.
    let magic: [UInt8]
    let recovery: PropertyListError.Recovery

    private static let imported = PropertyListError.Recovery(
        .importArchive, "convert it to a keyed archive with the product `ArchiveImport`")

    static let all = [
        typedStream([0x04, 0x0B], "streamtyped"), typedStream([0x04, 0x0B], "typedstream"),
        typedStream([0x03, 0x0B], "streamtyped"), typedStream([0x03, 0x0B], "typedstream"),
        RelatedFormat(
            name: "a NIBArchive", magic: Array("NIBArchive".utf8),
            recovery: imported),
        RelatedFormat(
            name: "a ZIP archive", magic: Array("PK\u{3}\u{4}".utf8),
            recovery: "unzip it, and read the files in it"),
        RelatedFormat(
            name: "an SQLite database", magic: Array("SQLite format 3".utf8),
            recovery: .init(.searchDatabase, "look for property lists in its tables")),
        RelatedFormat(
            name: "gzip-compressed data", magic: [0x1F, 0x8B],
            recovery: "decompress it with gunzip"),
    ]

    private static func typedStream(_ version: [UInt8], _ signature: StaticString) -> Self {
        RelatedFormat(
            name: "a typedstream (the older NSArchiver format)",
            magic: version + Array("\(signature)".utf8), recovery: imported)
    }
}

/// Returns whether `byte` is white space in XML 1.0: space, TAB, LF, CR.
@inline(__always)
package func isXMLWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
}

extension Span<UInt8> {
    /// Returns whether an XML declaration starts at a place. The check for white space after the
    /// name excludes `<?xml-stylesheet`.
    func hasXMLDeclaration(at place: Int) -> Bool {
        has("<?xml", at: place) && place &+ 5 < count && isXMLWhitespace(self[place &+ 5])
    }
}

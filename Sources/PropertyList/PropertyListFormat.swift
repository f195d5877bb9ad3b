// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The encodings of a property list that the library knows.
///
/// A format is found once, by the first bytes, and never by trying one reader after another: two
/// readers that disagree about the same bytes are a security hole.
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

    /// JSON, `{"name": "Anna"}`; see ``JSONPropertyList`` for what stands for dates and data.
    public static let json = PropertyListFormat(kind: .json)
}

extension PropertyListFormat: CustomStringConvertible {
    /// The format's name in messages: `binary`, `XML`, `OpenStep` or `JSON`.
    public var description: String {
        switch kind {
        case .binary: "binary"
        case .xml: "XML"
        case .openStep: "OpenStep"
        case .json: "JSON"
        }
    }

    /// A Boolean value that says whether errors in the format have a line and a column.
    package var isText: Bool { kind != .binary }
}

extension PropertyListFormat {
    /// Finds the format of `bytes` by their beginning: a magic number, or in text the first character
    /// and, where two formats share that, the one after the first string. Linear in the white
    /// space, the comments and the string there.
    ///
    /// | first character | format |
    /// |---|---|
    /// | `<` and only hexadecimal digits up to `>`, `<*` or `<[` | OpenStep |
    /// | any other `<` | XML |
    /// | `{`, then a string in double quotes and `:`; `{}` | JSON |
    /// | any other `{`, `(`, a quote | OpenStep |
    /// | `[` | JSON |
    /// | a word and then `=` or `;`; comments alone | OpenStep |
    ///
    /// A word alone is a property list too, in OpenStep and often in JSON, but so is then any file
    /// of text: the format has to be named.
    ///
    /// - Throws: `unrecognizedFormat`, with the name of the format where it is a neighbour that the
    ///   library does not read.
    public static func detect(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListFormat {
        if bytes.starts(with: Magic.binary) { return .binary }
        if let format = TextHead(bytes).format { return format }
        throw PropertyListError(
            .unrecognizedFormat, format: nil, what: neighbour(bytes), location: .byte(0),
            recovery: recovery(bytes))
    }

    /// Finds the format of `bytes` that are to be read with `options`: where those allow a blank text, it is
    /// OpenStep.
    ///
    /// - Throws: as ``detect(_:)``; with the option's name for a blank text.
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

    /// Returns the name of the format of the bytes for the message, if it is a known one.
    private static func neighbour(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "the input is empty" }
        for (name, magic) in Magic.neighbours where bytes.starts(with: magic) {
            return "this is \(name), which is not a property list"
        }
        return "unrecognized format: not a binary, XML, OpenStep or JSON property list"
    }

    /// The way to the property lists in bytes that are none.
    private static func recovery(_ bytes: [UInt8]) -> PropertyListError.Recovery? {
        if bytes.isEmpty { return "the file was never written, or was cut off" }
        if bytes.starts(with: Magic.database) {
            return .init(.searchDatabase, "its tables may hold property lists")
        }
        if bytes.starts(with: Magic.zip) { return "unzip it, and read the files in it" }
        return bytes.starts(with: Magic.gzip) ? "decompress it with gunzip" : nil
    }
}

/// The first bytes of property lists and of their neighbours.
private enum Magic {
    static let binary = Array("bplist".utf8)
    static let database = Array("SQLite format 3".utf8)
    static let zip = Array("PK\u{3}\u{4}".utf8)
    static let gzip: [UInt8] = [0x1F, 0x8B]
    static let neighbours: [(String, [UInt8])] = [
        ("a typed stream (the older NSArchiver format)", [0x04, 0x0B] + Array("streamtyped".utf8)),
        ("a NIBArchive", Array("NIBArchive".utf8)),
        ("a ZIP archive", zip),
        ("a SQLite database", database),
        ("gzip-compressed data", gzip),
    ]
}

/// Returns whether `byte` is white space to XML 1.0: space, TAB, LF, CR.
@inline(__always)
package func isXMLWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
}

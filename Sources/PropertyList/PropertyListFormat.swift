// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The encodings of a property list that the library knows.
///
/// A format is found once, by the first bytes, and never by trying one reader after another: two
/// readers that disagree about the same bytes are a security hole.
public struct PropertyListFormat: Sendable, Hashable {
    enum Kind: Sendable { case binary, xml }
    let kind: Kind

    /// The binary format, `bplist00`.
    public static let binary = PropertyListFormat(kind: .binary)

    /// The XML format, `<plist version="1.0">`.
    public static let xml = PropertyListFormat(kind: .xml)
}

extension PropertyListFormat: CustomStringConvertible {
    /// The format's name in messages: `binary` or `XML`.
    public var description: String {
        switch kind {
        case .binary: "binary"
        case .xml: "XML"
        }
    }
}

extension PropertyListFormat {
    /// Finds the format of `bytes` by their beginning, in constant time but for leading white space.
    ///
    /// - Throws: `unrecognizedFormat`, with the name of the format where it is a neighbour that the
    ///   library does not read.
    public static func detect(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListFormat {
        if bytes.starts(with: Magic.binary) { return .binary }
        if startsLikeXML(bytes) { return .xml }
        throw PropertyListError(
            .unrecognizedFormat, format: nil, what: neighbour(bytes), location: .byte(0))
    }

    /// Text that begins with `<` in any encoding that XML detects: a byte order mark, or `<` with
    /// zero bytes around it (XML 1.0, appendix F).
    private static func startsLikeXML(_ bytes: [UInt8]) -> Bool {
        if Magic.byteOrderMarks.contains(where: bytes.starts(with:)) { return true }
        let text = bytes.prefix(Magic.longestLeadIn).drop { $0 == 0 || isXMLWhitespace($0) }
        return text.first == UInt8(ascii: "<")
    }

    /// What the bytes are, if they are something known, for the message.
    private static func neighbour(_ bytes: [UInt8]) -> String {
        if bytes.isEmpty { return "the input is empty" }
        for (name, magic) in Magic.neighbours where bytes.starts(with: magic) {
            return "this is \(name), which is not a property list"
        }
        return "neither `bplist` nor `<` at the beginning"
    }
}

/// The first bytes of property lists and of their neighbours.
private enum Magic {
    static let binary = Array("bplist".utf8)
    static let longestLeadIn = 4096
    static let byteOrderMarks: [[UInt8]] = [
        [0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE], [0x00, 0x00, 0xFE, 0xFF],
    ]
    static let neighbours: [(String, [UInt8])] = [
        ("a typed stream (the older NSArchiver format)", [0x04, 0x0B] + Array("streamtyped".utf8)),
        ("a NIBArchive", Array("NIBArchive".utf8)),
        ("a ZIP archive", Array("PK\u{3}\u{4}".utf8)),
        ("a SQLite database", Array("SQLite format 3".utf8)),
        ("gzip-compressed data", [0x1F, 0x8B]),
    ]
}

/// Whether `byte` is white space to XML 1.0: space, TAB, LF, CR.
@inline(__always)
func isXMLWhitespace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds the encoding of an XML document, as XML 1.0 says in appendix F, and turns it to UTF-8.
///
/// In this order: a byte order mark; the zero bytes around the first `<`; the name that the XML
/// declaration gives. A document whose declaration contradicts its bytes is refused.
enum XMLEncoding {
    /// The text as UTF-8; `bytes` themselves where they are that already. Linear.
    ///
    /// - Throws: `invalidEncoding`.
    static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        guard let (name, markLength) = wideEncoding(bytes) else {
            return try fromDeclared(bytes)
        }
        let text = try transcode(Array(bytes.dropFirst(markLength)), from: name)
        let declared = declaredName(text)
        let family = name.prefix(6)  // UTF-16 or UTF-32
        if let declared, !declared.uppercased().hasPrefix(family), !isUnspecific(declared) {
            throw error(
                "the declared encoding is `\(TerminalText.escaped(declared))`, the bytes are "
                    + "\(name)")
        }
        return text
    }

    /// The name of an encoding of two or four bytes a unit, with the length of its mark.
    private static func wideEncoding(_ bytes: [UInt8]) -> (name: String, markLength: Int)? {
        let table: [([UInt8], String, Int)] = [
            ([0x00, 0x00, 0xFE, 0xFF], "UTF-32BE", 4), ([0xFF, 0xFE, 0x00, 0x00], "UTF-32LE", 4),
            ([0xFE, 0xFF], "UTF-16BE", 2), ([0xFF, 0xFE], "UTF-16LE", 2),
            ([0x00, 0x00, 0x00, 0x3C], "UTF-32BE", 0), ([0x3C, 0x00, 0x00, 0x00], "UTF-32LE", 0),
            ([0x00, 0x3C], "UTF-16BE", 0), ([0x3C, 0x00], "UTF-16LE", 0),
        ]
        return table.first { bytes.starts(with: $0.0) }.map { ($0.1, $0.2) }
    }

    /// Names that say no more than "wide characters".
    private static func isUnspecific(_ name: String) -> Bool {
        ["ISO-10646-UCS-2", "UCS-2", "ISO-10646-UCS-4", "UCS-4"].contains(name.uppercased())
    }

    private static func fromDeclared(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let name = declaredName(hasMark ? Array(bytes.dropFirst(3).prefix(512)) : bytes)
        else { return bytes }
        let upper = name.uppercased()
        if ["UTF-8", "UTF8"].contains(upper) { return bytes }
        if hasMark || upper.hasPrefix("UTF-16") || upper.hasPrefix("UTF-32")
            || isUnspecific(upper)
        {
            throw error(
                "the declared encoding is `\(TerminalText.escaped(name))`, the bytes are "
                    + (hasMark ? "UTF-8" : "of one byte a character"))
        }
        return try transcode(bytes, from: name)
    }

    /// The encoding that the XML declaration names, or nil.
    static func declaredName(_ text: [UInt8]) -> String? {
        let span = text.span
        var start = 0
        while start < min(span.count, 512), isXMLWhitespace(span[start]) { start += 1 }
        guard span.has("<?xml", at: start) else { return nil }
        let window = text.dropFirst(start).prefix(512)
        guard let end = window.firstIndex(of: UInt8(ascii: ">")) else { return nil }
        let head = Array(text[start..<end])
        guard let place = head.span.firstIndex(of: "encoding", from: 5) else { return nil }
        let rest = head.dropFirst(place + 8).drop { isXMLWhitespace($0) || $0 == 0x3D }
        guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return nil }
        let name = rest.dropFirst().prefix { $0 != quote }
        return String(decoding: name, as: UTF8.self)
    }

    private static func transcode(
        _ bytes: [UInt8], from name: String
    ) throws(PropertyListError) -> [UInt8] {
        switch LibXML2.transcode(bytes, from: name) {
        case .text(let text): return text
        case .unknownEncoding:
            throw error("the encoding `\(TerminalText.escaped(name))` is not known")
        case .invalidText:
            throw error("the bytes are not valid in `\(TerminalText.escaped(name))`")
        }
    }

    private static func error(_ what: String) -> PropertyListError {
        PropertyListError(
            .invalidEncoding, format: .xml, what: what,
            location: PropertyListError.Location(byte: 0, line: 1, column: 1))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The detection of the encoding of an XML document as described in appendix F of XML 1.0, and the
/// conversion of the text to UTF-8.
///
/// A byte order mark takes precedence, then zero bytes around the first `<`, then the name in the
/// XML declaration. A document whose declaration contradicts its bytes is refused.
enum XMLEncoding {
    /// Returns the text as UTF-8, or `bytes` themselves if they are UTF-8 already. Linear.
    ///
    /// - Throws: `invalidEncoding`.
    static func utf8(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        guard let (name, markLength) = wideEncoding(bytes) else {
            return try fromDeclared(bytes)
        }
        let text = try transcode(Array(bytes.dropFirst(markLength)), from: name)
        if let declared = declaredName(text), !isName(declared, of: name) {
            throw error(
                "expected bytes in the declared encoding `\(TerminalText.escaped(declared))`, "
                    + "found \(name)")
        }
        return text
    }

    /// Returns the name of the encoding and the length of the byte order mark, if the encoding has
    /// two or four bytes per unit. Returns nil for other encodings.
    private static func wideEncoding(_ bytes: [UInt8]) -> (name: String, markLength: Int)? {
        if let mark = ByteOrderMark(bytes) {
            return mark.unitWidth > 1 ? (mark.encoding, mark.length) : nil
        }
        let table: [([UInt8], String)] = [
            ([0x00, 0x00, 0x00, 0x3C], "UTF-32BE"), ([0x3C, 0x00, 0x00, 0x00], "UTF-32LE"),
            ([0x00, 0x3C], "UTF-16BE"), ([0x3C, 0x00], "UTF-16LE"),
        ]
        return table.first { bytes.starts(with: $0.0) }.map { ($0.1, 0) }
    }

    /// Returns the encoding of a source document.
    static func sourceEncoding(_ bytes: [UInt8]) -> SourceEncoding {
        if let (name, markLength) = wideEncoding(bytes) {
            guard name.hasPrefix("UTF-16") else { return .other(name) }
            return .utf16(isBigEndian: name == "UTF-16BE", hasMark: markLength > 0)
        }
        return declaredName(bytes).map(SourceEncoding.init(named:)) ?? .utf8
    }

    /// Returns whether a declared name fits an encoding with two or four bytes per unit. The name
    /// need not state the byte order.
    private static func isName(_ declared: String, of encoding: String) -> Bool {
        let width = encoding.hasPrefix("UTF-16") ? "16" : "32"
        let general = width == "16" ? ["ISO-10646-UCS-2", "UCS-2"] : ["ISO-10646-UCS-4", "UCS-4"]
        return ([encoding, "UTF-\(width)"] + general).contains(declared.uppercased())
    }

    private static func fromDeclared(_ bytes: [UInt8]) throws(PropertyListError) -> [UInt8] {
        let hasMark = bytes.starts(with: [0xEF, 0xBB, 0xBF])
        guard let name = declaredName(bytes, from: hasMark ? 3 : 0) else { return bytes }
        let upper = name.uppercased()
        if ["UTF-8", "UTF8"].contains(upper) { return bytes }
        if hasMark || isWide(upper) {
            throw error(
                "expected bytes in the declared encoding `\(TerminalText.escaped(name))`, found "
                    + (hasMark ? "UTF-8" : "one byte per character"))
        }
        guard extendsASCII(upper) else { throw unknown(name) }
        return try transcode(bytes, from: name)
    }

    private static func isWide(_ name: String) -> Bool {
        ["UTF-16", "UTF-32", "UCS-2", "UCS-4", "ISO-10646"].contains(where: name.hasPrefix)
    }

    /// Returns whether an encoding is known to represent markup by the same bytes as ASCII. The
    /// name must be in upper case.
    ///
    /// Other encodings (UTF-7, EBCDIC, escapes such as `\u003C`, ISO 2022) can hide markup from a
    /// program that reads the file as ASCII. Only known encodings are therefore accepted.
    private static func extendsASCII(_ name: String) -> Bool {
        let names = [
            "ASCII", "US-ASCII", "ISO-IR-6", "LATIN1", "L1", "MACINTOSH", "MAC", "KOI8-R", "KOI8-U",
            "SHIFT_JIS", "SHIFT-JIS", "SJIS", "MS_KANJI", "CP932", "WINDOWS-31J", "EUC-JP",
            "EUC-KR", "EUC-CN", "GB2312", "GBK", "GB18030", "CP936", "BIG5", "TIS-620",
        ]
        let families = ["ISO-8859-", "ISO8859-", "ISO_8859-", "WINDOWS-125", "CP125"]
        return names.contains(name)
            || families.contains { name.hasPrefix($0) && name.count <= $0.count + 2 }
    }

    /// Returns the encoding named in the XML declaration, or nil. Linear in the length of the
    /// declaration.
    static func declaredName(_ text: [UInt8], from offset: Int = 0) -> String? {
        let span = text.span
        var start = offset
        while start < span.count, isXMLWhitespace(span[start]) { start += 1 }
        guard span.hasXMLDeclaration(at: start),
            let end = span.firstIndex(of: "?>", from: start + 5)
        else { return nil }
        let head = span.extracting(start..<end)
        guard let place = head.firstIndex(of: "encoding", from: 5) else { return nil }
        let rest = text[(start + place + 8)..<end].drop { isXMLWhitespace($0) || $0 == 0x3D }
        guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return nil }
        return String(decoding: rest.dropFirst().prefix { $0 != quote }.prefix(64), as: UTF8.self)
    }

    private static func transcode(
        _ bytes: [UInt8], from name: String
    ) throws(PropertyListError) -> [UInt8] {
        switch TextDecoder.utf8(bytes, from: name) {
        case .text(let text): return text
        case .unknownEncoding: throw unknown(name)
        case .invalidText:
            throw error("the bytes are not valid in `\(TerminalText.escaped(name))`")
        }
    }

    private static func unknown(_ name: String) -> PropertyListError {
        error("unknown encoding `\(TerminalText.escaped(name))`", TextDecoder.recovery)
    }

    private static func error(_ what: String, _ recovery: PropertyListError.Recovery? = nil)
        -> PropertyListError
    {
        PropertyListError(
            .invalidEncoding, format: .xml, what: what,
            location: PropertyListError.Location(byte: 0, line: 1, column: 1),
            recovery: recovery)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The conversion of text in a named encoding to UTF-8.
///
/// This type converts UTF-16, UTF-32, ASCII, ISO 8859-1, Windows-1252 and Mac OS Roman. If the
/// package is built with libxml2, that library converts further encodings.
enum TextDecoder {
    /// The result of a conversion.
    enum Result {
        case text([UInt8])
        case unknownEncoding
        case invalidText
    }

    /// The advice for unsupported encodings. Nil if libxml2 is available, because no build supports
    /// more encodings.
    static var recovery: PropertyListError.Recovery? {
        LibXML2.isAvailable
            ? nil : "convert the text to UTF-8, or build the package with its trait `LibXML2`"
    }

    /// Converts text. A byte order mark in it counts as a character. Linear.
    static func utf8(_ bytes: [UInt8], from name: String) -> Result {
        // Uppercasing U+017F gives S, so names with non-ASCII characters must not be uppercased.
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        return switch isASCII ? name.uppercased() : name {
        // Without a byte order mark, libxml2 and the C library treat text as little-endian.
        case "UTF-16LE", "UTF-16": utf16(bytes, isBigEndian: false)
        case "UTF-16BE": utf16(bytes, isBigEndian: true)
        case "UTF-32LE": utf32(bytes, isBigEndian: false)
        case "UTF-32BE": utf32(bytes, isBigEndian: true)
        case "ASCII", "US-ASCII", "ISO-IR-6": ascii(bytes)
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "L1": converted(bytes, [])
        case "WINDOWS-1252", "CP1252": converted(bytes, windows1252)
        case "MACINTOSH", "MAC": converted(bytes, macRoman)
        default: LibXML2.transcode(bytes, from: name)
        }
    }

    // MARK: Unicode

    private static func utf16(_ bytes: [UInt8], isBigEndian: Bool) -> Result {
        guard bytes.count % 2 == 0 else { return .invalidText }
        var units = bytes
        if !isBigEndian {
            for index in stride(from: 0, to: units.count, by: 2) {
                units.swapAt(index, index + 1)
            }
        }
        guard UTF16Text.survey(units.span).unpairedSurrogate == nil else { return .invalidText }
        var text: [UInt8] = []
        UTF16Text.appendUTF8(units.span, to: &text)
        return .text(text)
    }

    private static func utf32(_ bytes: [UInt8], isBigEndian: Bool) -> Result {
        guard bytes.count % 4 == 0 else { return .invalidText }
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for start in stride(from: 0, to: bytes.count, by: 4) {
            let unit = bytes[start..<(start + 4)]
            let scalar: UInt32 =
                isBigEndian
                ? unit.reduce(0) { $0 << 8 | UInt32($1) }
                : unit.reversed().reduce(0) { $0 << 8 | UInt32($1) }
            guard Unicode.Scalar(scalar) != nil else { return .invalidText }
            UTF8Text.append(scalar, to: &text)
        }
        return .text(text)
    }

    // MARK: Single-byte encodings

    private static func ascii(_ bytes: [UInt8]) -> Result {
        bytes.span.isASCII() ? .text(bytes) : .invalidText
    }

    /// Converts single-byte text. `table` maps bytes from 0x80 on; bytes past its end are as in ISO
    /// 8859-1.
    private static func converted(_ bytes: [UInt8], _ table: [UInt32?]) -> Result {
        var text: [UInt8] = []
        var isValid = true
        // Converts in blocks, because text rarely needs the maximum of three bytes per character.
        for start in stride(from: 0, to: bytes.count, by: 4096) where isValid {
            let part = bytes.span.extracting(start..<min(start &+ 4096, bytes.count))
            text.append(addingCapacity: part.count &* 3) { output in
                isValid = convert(part, table, to: &output)
            }
        }
        return isValid ? .text(text) : .invalidText
    }

    /// Appends the characters of `bytes`. Returns false if a byte has no character.
    private static func convert(
        _ bytes: Span<UInt8>, _ table: [UInt32?], to output: inout OutputSpan<UInt8>
    ) -> Bool {
        var index = 0
        while index < bytes.count {
            if let word = bytes.bigEndian(at: index, width: 8), word & 0x8080_8080_8080_8080 == 0 {
                output.append(bigEndian: word, width: 8)
                index &+= 8
                continue
            }
            let byte = bytes[index]
            index &+= 1
            if byte < 0x80 {
                output.append(byte)
                continue
            }
            let place = Int(byte &- 0x80)
            guard let scalar = place < table.count ? table[place] : UInt32(byte) else {
                return false
            }
            UTF8Text.append(scalar, to: &output)
        }
        return true
    }

    // The characters of the bytes 0x80 to 0x9F in Windows-1252; nil for the five undefined ones.
    private static let windows1252: [UInt32?] = [
        0x20AC, nil, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, nil, 0x017D, nil,
        nil, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, nil, 0x017E, 0x0178,
    ]

    // The characters of the bytes from 0x80 on in Mac OS Roman, according to Apple's table.
    private static let macRoman: [UInt32?] = [
        0x00C4, 0x00C5, 0x00C7, 0x00C9, 0x00D1, 0x00D6, 0x00DC, 0x00E1,
        0x00E0, 0x00E2, 0x00E4, 0x00E3, 0x00E5, 0x00E7, 0x00E9, 0x00E8,
        0x00EA, 0x00EB, 0x00ED, 0x00EC, 0x00EE, 0x00EF, 0x00F1, 0x00F3,
        0x00F2, 0x00F4, 0x00F6, 0x00F5, 0x00FA, 0x00F9, 0x00FB, 0x00FC,
        0x2020, 0x00B0, 0x00A2, 0x00A3, 0x00A7, 0x2022, 0x00B6, 0x00DF,
        0x00AE, 0x00A9, 0x2122, 0x00B4, 0x00A8, 0x2260, 0x00C6, 0x00D8,
        0x221E, 0x00B1, 0x2264, 0x2265, 0x00A5, 0x00B5, 0x2202, 0x2211,
        0x220F, 0x03C0, 0x222B, 0x00AA, 0x00BA, 0x03A9, 0x00E6, 0x00F8,
        0x00BF, 0x00A1, 0x00AC, 0x221A, 0x0192, 0x2248, 0x2206, 0x00AB,
        0x00BB, 0x2026, 0x00A0, 0x00C0, 0x00C3, 0x00D5, 0x0152, 0x0153,
        0x2013, 0x2014, 0x201C, 0x201D, 0x2018, 0x2019, 0x00F7, 0x25CA,
        0x00FF, 0x0178, 0x2044, 0x20AC, 0x2039, 0x203A, 0xFB01, 0xFB02,
        0x2021, 0x00B7, 0x201A, 0x201E, 0x2030, 0x00C2, 0x00CA, 0x00C1,
        0x00CB, 0x00C8, 0x00CD, 0x00CE, 0x00CF, 0x00CC, 0x00D3, 0x00D4,
        0xF8FF, 0x00D2, 0x00DA, 0x00DB, 0x00D9, 0x0131, 0x02C6, 0x02DC,
        0x00AF, 0x02D8, 0x02D9, 0x02DA, 0x00B8, 0x02DD, 0x02DB, 0x02C7,
    ]
}

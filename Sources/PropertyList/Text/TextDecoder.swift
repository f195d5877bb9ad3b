// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Converts text in a named encoding to UTF-8.
///
/// UTF-16, UTF-32, ASCII, ISO 8859-1 and Windows-1252 are converted here. Where the package is built
/// with libxml2, that library converts the encodings it knows besides.
enum TextDecoder {
    /// The result of a conversion.
    enum Result {
        case text([UInt8])
        case unknownEncoding
        case invalidText
    }

    /// The way to more encodings, where there is one.
    static var recovery: String? {
        LibXML2.isAvailable
            ? nil : "convert the text to UTF-8, or build the package with its trait `LibXML2`"
    }

    /// Converts text, in which a byte order mark is a character. Linear.
    static func utf8(_ bytes: [UInt8], from name: String) -> Result {
        switch name.uppercased() {
        // libxml2 and the library of C take text without a mark for little-endian.
        case "UTF-16LE", "UTF-16": utf16(bytes, isBigEndian: false)
        case "UTF-16BE": utf16(bytes, isBigEndian: true)
        case "UTF-32LE": utf32(bytes, isBigEndian: false)
        case "UTF-32BE": utf32(bytes, isBigEndian: true)
        case "ASCII", "US-ASCII", "ISO-IR-6": ascii(bytes)
        case "ISO-8859-1", "ISO8859-1", "ISO_8859-1", "LATIN1", "L1": latin1(bytes)
        case "WINDOWS-1252", "CP1252": windows1252(bytes)
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

    // MARK: One byte a character

    private static func ascii(_ bytes: [UInt8]) -> Result {
        bytes.span.isASCII() ? .text(bytes) : .invalidText
    }

    private static func latin1(_ bytes: [UInt8]) -> Result {
        var text: [UInt8] = []
        // Two bytes for each from 80 on.
        text.append(addingCapacity: bytes.count * 2) { output in
            for byte in bytes { UTF8Text.append(UInt32(byte), to: &output) }
        }
        return .text(text)
    }

    private static func windows1252(_ bytes: [UInt8]) -> Result {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            guard 0x80..<0xA0 ~= byte else {
                UTF8Text.append(UInt32(byte), to: &text)
                continue
            }
            guard let scalar = windowsScalars[Int(byte) - 0x80] else { return .invalidText }
            UTF8Text.append(scalar, to: &text)
        }
        return .text(text)
    }

    // The characters of the bytes 80 to 9F in Windows-1252; nil for the five that stand for none.
    private static let windowsScalars: [UInt32?] = [
        0x20AC, nil, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
        0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, nil, 0x017D, nil,
        nil, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
        0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, nil, 0x017E, 0x0178,
    ]
}

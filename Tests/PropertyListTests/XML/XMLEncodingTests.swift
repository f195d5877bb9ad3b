// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// An encoding, the name that the document declares, and the byte order mark before the text.
struct EncodedText: CustomTestStringConvertible, Sendable {
    let encoding: String.Encoding
    let declared: String?
    let mark: [UInt8]

    var testDescription: String { "\(encoding) declared as \(declared ?? "nothing"), mark \(mark)" }

    init(_ encoding: String.Encoding, _ declared: String?, mark: [UInt8] = []) {
        self.encoding = encoding
        self.declared = declared
        self.mark = mark
    }

    func bytes(_ content: String) throws -> [UInt8] {
        let declaration = declared.map { "<?xml version=\"1.0\" encoding='\($0)'?>\n" } ?? ""
        let text = declaration + "<plist version=\"1.0\"><string>\(content)</string></plist>"
        return mark + [UInt8](try #require(text.data(using: encoding)))
    }
}

@Suite("XML encodings")
struct XMLEncodingTests {
    @Test(
        "refuses encoding names that the grammar of XML does not allow",
        arguments: ["ISO-8859-1/", "ISO:8859-1", "ISO 8859-1", "8859-1"])
    func invalidName(_ name: String) throws {
        let before = "<?xml version=\"1.0\" encoding=\""
        let bytes = Array("\(before)\(name)\"?><plist version=\"1.0\"><true/></plist>".utf8)
        let error = try #require(parseError(bytes))
        #expect([.invalidEncoding, .malformedXML].contains(error.code))
        // Most of these names are unknown, which is an error, too. Neither the scanner nor the
        // tokenizer accepts any of them, whether it is known or not.
        let isScanned = XMLScanner.scan(bytes, options: .strict, limits: .default) != nil
        #expect(!isScanned)
        let outcome = XMLTokenizer.parse(bytes) { _ in true }
        #expect(!outcome.isWellFormed)
        let places = before.utf8.count...(before + name).utf8.count
        #expect(places.contains(outcome.errorOffset))
    }

    @Test(
        "reads text in its declared or detected encoding",
        arguments: [
            .init(.utf8, nil), .init(.utf8, "utf-8"), .init(.utf8, "UTF8"),
            .init(.utf8, nil, mark: [0xEF, 0xBB, 0xBF]),
            .init(.utf8, "UTF-8", mark: [0xEF, 0xBB, 0xBF]),
            .init(.utf16LittleEndian, nil), .init(.utf16BigEndian, nil),
            .init(.utf16LittleEndian, "UTF-16", mark: [0xFF, 0xFE]),
            .init(.utf16BigEndian, "utf-16", mark: [0xFE, 0xFF]),
            .init(.utf16LittleEndian, "UTF-16LE"), .init(.utf16BigEndian, "UTF-16BE"),
            .init(.utf32LittleEndian, "UTF-32"), .init(.utf32BigEndian, "UTF-32BE"),
            .init(.utf32LittleEndian, nil, mark: [0xFF, 0xFE, 0, 0]),
            .init(.utf32BigEndian, "UTF-32", mark: [0, 0, 0xFE, 0xFF]),
            .init(.isoLatin1, "ISO-8859-1"), .init(.isoLatin1, "iso-8859-1"),
            .init(.windowsCP1252, "windows-1252"),
        ] as [EncodedText])
    func encodings(_ text: EncodedText) throws {
        #expect(try value(text.bytes("aé")) == "aé")
    }

    @Test(
        "reads other encodings that extend ASCII, by their names",
        .enabled(if: XMLEngine.libxml2.isAvailable, "the trait `LibXML2` is off"))
    func shiftJIS() throws {
        let head = Array("<?xml version='1.0' encoding='Shift_JIS'?><plist><string>".utf8)
        let tail = Array("</string></plist>".utf8)
        #expect(try value(head + [0x93, 0xFA, 0x96, 0x7B] + tail) == "日本")
        #expect(parseError(head + [0x81, 0x20] + tail)?.code == .invalidEncoding)
    }

    @Test(
        "refuses a declaration that the bytes contradict",
        arguments: [
            .init(.utf8, "UTF-16"), .init(.utf8, "UCS-4"),
            .init(.utf8, "ISO-8859-1", mark: [0xEF, 0xBB, 0xBF]),
            .init(.utf16LittleEndian, "UTF-8"),
            .init(.utf16LittleEndian, "UTF-16BE", mark: [0xFF, 0xFE]),
            .init(.utf16BigEndian, "UTF-32"), .init(.utf16BigEndian, "UTF-16x"),
            .init(.utf32LittleEndian, "UTF-16"),
            .init(.isoLatin1, "UTF-8"), .init(.isoLatin1, nil), .init(.isoLatin1, "US-ASCII"),
        ] as [EncodedText])
    func contradictions(_ text: EncodedText) throws {
        let error = try #require(parseError(try text.bytes("aé"), .appleCompatible))
        #expect(error.code == .invalidEncoding)
    }

    @Test(
        "refuses encodings that are unknown or can hide markup",
        arguments: [
            "x-nothing", "UTF-7", "UTF-7-IMAP", "IBM037", "EBCDIC-US", "CP037", "ISO-2022-JP", "HZ",
            "JAVA", "C99",
            "ASCII//IGNORE", "UTF-8//TRANSLIT", "../../tmp/a", "ISO-8859-99", "", "UTF-16\u{0}",
        ])
    func unknown(_ name: String) throws {
        let error = try #require(
            parseError(try EncodedText(.utf8, name).bytes("+ADw-"), .appleCompatible))
        #expect([.invalidEncoding, .malformedXML].contains(error.code))
    }

    @Test("takes an encoding only from the declaration")
    func declaration() throws {
        let instruction = Array(
            "<?xml-stylesheet encoding='ISO-8859-1'?><plist><string>é</string></plist>".utf8)
        #expect(try value(instruction) == "é")
        let blank = String(repeating: " ", count: 2000)
        let long = try #require(
            "<?xml version='1.0'\(blank)encoding='ISO-8859-1'?><plist><string>é</string></plist>"
                .data(using: .isoLatin1))
        #expect(try value([UInt8](long)) == "é")
    }

    @Test("refuses text that is truncated or malformed in its encoding")
    func malformed() throws {
        let text = try EncodedText(.utf16LittleEndian, nil).bytes("a")
        #expect(parseError(text + [0])?.code == .invalidEncoding)
        #expect(parseError(text + [0, 0xD8])?.code == .invalidEncoding)
        #expect(parseError(text + [0, 0xDC])?.code == .invalidEncoding)
        #expect(
            parseError(try EncodedText(.utf32LittleEndian, nil).bytes("a") + [0, 0, 0x11, 0])?.code
                == .invalidEncoding)
        for bytes: [UInt8] in [
            [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0xFF],
        ] {
            let error = try #require(parseError(xml("<string>") + bytes))
            #expect(error.code == .invalidEncoding)
            #expect(error.location?.byte == 37)
        }
    }

    @Test("converts long text, including characters that take more bytes in UTF-8")
    func large() throws {
        let content = String(repeating: "é€漢", count: 80_000)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            #expect(try value(EncodedText(encoding, nil).bytes(content)) == .string(content))
        }
        let latin = String(repeating: "é", count: 600_000)
        #expect(try value(EncodedText(.isoLatin1, "ISO-8859-1").bytes(latin)) == .string(latin))
    }

    @Test(
        "converts long text in other encodings",
        .enabled(if: XMLEngine.libxml2.isAvailable, "the trait `LibXML2` is off"))
    func largeShiftJIS() throws {
        let head = Array("<?xml version='1.0' encoding='Shift_JIS'?><plist><string>".utf8)
        let kana = [UInt8](repeating: 0xB1, count: 600_000)
        let document = try PropertyListDocument(
            parsing: head + kana + Array("</string></plist>".utf8))
        #expect(document.root.string?.unicodeScalars.count == 600_000)
    }

    @Test("suggests libxml2 for an encoding that this build cannot convert")
    func recovery() throws {
        let text = "<?xml version='1.0' encoding='KOI8-R'?><plist><true/></plist>"
        let error = parseError(Array(text.utf8))
        #expect((error == nil) == XMLEngine.libxml2.isAvailable)
        if let error {
            #expect(error.code == .invalidEncoding)
            #expect(error.recovery?.contains("LibXML2") == true)
        }
    }
}

@Suite("Conversion to UTF-8")
struct TextDecoderTests {
    /// Names of encodings that are converted without libxml2, with the same results.
    static let names = [
        "ASCII", "US-ASCII", "ISO-8859-1", "latin1", "L1", "windows-1252", "CP1252", "UTF-16",
        "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE",
    ]

    private func text(_ result: TextDecoder.Result) -> String? {
        guard case .text(let text) = result else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    @Test("converts each byte of the single-byte encodings")
    func bytes() {
        for byte: UInt8 in 0...0xFF {
            let latin = text(TextDecoder.utf8([byte], from: "ISO-8859-1"))
            #expect(latin == String(Unicode.Scalar(byte)))
            #expect(text(TextDecoder.utf8([byte], from: "ASCII")) == (byte < 0x80 ? latin : nil))
            let windows = text(TextDecoder.utf8([byte], from: "Windows-1252"))
            if !(0x80..<0xA0).contains(byte) { #expect(windows == latin) }
        }
        let special = (UInt8(0x80)..<0xA0).map {
            text(TextDecoder.utf8([$0], from: "CP1252")) ?? "-"
        }
        #expect(special.joined() == "€-‚ƒ„…†‡ˆ‰Š‹Œ-Ž--‘’“”•–—˜™š›œ-žŸ")
    }

    @Test("converts Mac OS Roman as Apple does")
    func macRoman() {
        let bytes = (UInt8(0x80)...0xFF).map { $0 }
        let expected =
            "ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ"
            + "–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ"
        #expect(text(TextDecoder.utf8(bytes, from: "macintosh")) == expected)
        #expect(text(TextDecoder.utf8(Array("a\n~".utf8), from: "mac")) == "a\n~")
    }

    @Test("matches encoding names regardless of case, but only in ASCII")
    func letters() {
        #expect(text(TextDecoder.utf8([0x61], from: "us-Ascii")) == "a")
        #expect(text(TextDecoder.utf8([0x61], from: "u\u{17F}-ascii")) == nil)
        #expect(text(TextDecoder.utf8([0x61], from: "")) == nil)
    }

    @Test("converts UTF-16 and UTF-32, and refuses unpaired surrogates")
    func units() {
        #expect(text(TextDecoder.utf8([0x61, 0, 0x3D, 0xD8, 0, 0xDE], from: "UTF-16LE")) == "a😀")
        #expect(text(TextDecoder.utf8([0, 0x61, 0xD8, 0x3D, 0xDE, 0], from: "utf-16be")) == "a😀")
        #expect(text(TextDecoder.utf8([0, 0xF6, 1, 0], from: "UTF-32LE")) == "\u{1F600}")
        #expect(text(TextDecoder.utf8([0, 1, 0xF6, 0], from: "UTF-32BE")) == "\u{1F600}")
        for unit: [UInt8] in [[0xD8, 0], [0xDC, 0], [0xD8, 0, 0, 0x61], [0]] {
            #expect(text(TextDecoder.utf8(unit, from: "UTF-16BE")) == nil)
        }
        for unit: [UInt8] in [
            [0, 0, 0xD8, 0], [0, 0x11, 0, 0], [0, 0, 0x61], [0xFF, 0, 0, 0x61],
        ] {
            #expect(text(TextDecoder.utf8(unit, from: "UTF-32BE")) == nil)
        }
    }

    @Test(
        "agrees with libxml2", .enabled(if: XMLEngine.libxml2.isAvailable), arguments: names)
    func agreement(_ name: String) {
        var random = SplitMix64(seed: 0x7EC0)
        for byte: UInt8 in 0...0xFF { check([byte], name) }
        for _ in 0..<500 {
            let count = 4 * Int.random(in: 1...6, using: &random)
            var bytes = (0..<count).map { _ in UInt8.random(in: 0...0xFF, using: &random) }
            // Zeros in the three high bytes make every unit a valid character.
            if name.contains("32") {
                for index in bytes.indices where index % 4 != (name.hasSuffix("BE") ? 3 : 0) {
                    bytes[index] = 0
                }
            }
            check(bytes, name)
        }
    }

    /// Compares the conversion with that of libxml2. libxml2 converts an unpaired low surrogate to
    /// invalid UTF-8, which the parser then refuses.
    private func check(_ bytes: [UInt8], _ name: String) {
        guard case .text(let expected) = LibXML2.transcode(bytes, from: name),
            UTF8Text.firstInvalid(expected.span) == nil
        else {
            #expect(text(TextDecoder.utf8(bytes, from: name)) == nil, "\(bytes)")
            return
        }
        #expect(
            text(TextDecoder.utf8(bytes, from: name)) == String(decoding: expected, as: UTF8.self))
    }
}

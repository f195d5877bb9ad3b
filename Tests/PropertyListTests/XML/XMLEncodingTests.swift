// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import PropertyList

/// An encoding, the name it is declared by, and whether a byte order mark precedes it.
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
        "reads what is declared and marked",
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

    @Test("reads other encodings that extend ASCII, by their names")
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

    @Test("takes an encoding from the declaration only")
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

    @Test("refuses text that is cut or malformed in its encoding")
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

    @Test("converts megabytes, and characters that take more room in UTF-8")
    func large() throws {
        let content = String(repeating: "é€漢", count: 80_000)
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            #expect(try value(EncodedText(encoding, nil).bytes(content)) == .string(content))
        }
        let latin = String(repeating: "é", count: 600_000)
        #expect(try value(EncodedText(.isoLatin1, "ISO-8859-1").bytes(latin)) == .string(latin))
        let head = Array("<?xml version='1.0' encoding='Shift_JIS'?><plist><string>".utf8)
        let kana = [UInt8](repeating: 0xB1, count: 600_000)
        let document = try PropertyListDocument(
            parsing: head + kana + Array("</string></plist>".utf8))
        #expect(document.root.string?.unicodeScalars.count == 600_000)
    }
}

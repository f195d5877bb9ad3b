// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// A file near the boundary of what Apple's parsers accept.
private struct Border: Sendable, CustomTestStringConvertible {
    enum Answer: Sendable {
        /// Accepted without a leniency.
        case strict(PropertyListValue)
        /// Accepted with one leniency of ``ParsingOptions/appleCompatible``.
        case lenient(ParsingOptions, PropertyListValue)
        /// Refused by Apple's parsers, and accepted here with one further leniency.
        case beyond(ParsingOptions, PropertyListValue)
        case refused
    }

    let bytes: [UInt8]
    let answer: Answer
    var testDescription: String { "\(String(decoding: bytes, as: UTF8.self).debugDescription)" }

    init(_ text: String, _ answer: Answer) { self.init(Array(text.utf8), answer) }

    init(_ bytes: [UInt8], _ answer: Answer) {
        self.bytes = bytes
        self.answer = answer
    }

    static func xml(_ element: String, _ answer: Answer) -> Border {
        Border("<?xml version=\"1.0\"?><plist version=\"1.0\">\(element)</plist>", answer)
    }

    func value(_ options: ParsingOptions) -> PropertyListValue? {
        try? PropertyListValue(parsing: bytes, options: options)
    }

    func leniencies(_ options: ParsingOptions) throws -> ParsingOptions {
        try PropertyListDocument(parsing: bytes, options: options).leniencies
    }

    /// A Boolean value that is true if Foundation reads the file.
    var isReadByFoundation: Bool {
        (try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil)) != nil
    }
}

private let year2001 = PropertyListValue.date(PropertyListDate(secondsSince2001: 0))

private let borders: [Border] = [
    .xml("<integer> 42</integer>", .lenient(.paddedScalars, 42)),
    .xml("<integer> +\t42</integer>", .lenient(.paddedScalars, 42)),
    .xml("<integer>-\n 42</integer>", .lenient(.paddedScalars, -42)),
    .xml("<integer>-\r0x2a</integer>", .lenient(.paddedScalars, -42)),
    .xml("<integer>42 </integer>", .beyond(.trailingBlanks, 42)),
    .xml("<integer>4 2</integer>", .refused), .xml("<integer>+ -42</integer>", .refused),
    .xml("<integer>- </integer>", .refused), .xml("<integer> </integer>", .refused),
    .xml("<real>\t1.5</real>", .lenient(.paddedScalars, 1.5)),
    .xml("<real>1.5 </real>", .beyond(.trailingBlanks, 1.5)),
    .xml("<real>1.5\n</real>", .beyond(.trailingBlanks, 1.5)),
    .xml("<real>- 1.5</real>", .refused),
    .xml("<date>2001-01-01T00:00:00Z</date>", .strict(year2001)),
    .xml("<date> 2001-01-01T00:00:00Z</date>", .beyond(.trailingBlanks, year2001)),
    .xml("<date>2001-01-01T00:00:00Z\n</date>", .beyond(.trailingBlanks, year2001)),
    Border(
        "\u{FEFF}<?xml version=\"1.0\"?><plist version=\"1.0\"><true/></plist>", .strict(true)),
    Border(
        "\u{FEFF} \n<?xml version=\"1.0\"?><plist version=\"1.0\"><true/></plist>",
        .lenient(.leadingWhitespace, true)),
    Border(
        " \n<?xml version=\"1.0\"?><plist version=\"1.0\"><true/></plist>",
        .lenient(.leadingWhitespace, true)),
    Border(" \u{FEFF}<?xml version=\"1.0\"?><plist version=\"1.0\"><true/></plist>", .refused),
    Border("", .refused), Border(" ", .lenient(.blankText, [:])),
    Border("\n\t \r\n\u{B}\u{C}", .lenient(.blankText, [:])), Border("\0\0\0\0", .refused),
    Border("/* nothing */", .strict([:])),
    Border("{a = b;} junk", .refused), Border("(a) junk", .refused), Border("(a) )", .refused),
    Border("\"a\" junk", .refused), Border("{a = b;} // end", .strict(["a": "b"])),
    Border("a = b; } junk", .lenient(.trailingContent, ["a": "b"])),
    Border("a = b; junk", .refused),
    Border(#"("\376", "\377")"#, .lenient(.nextStepEscapes, ["\u{FFFD}", "\u{FFFD}"])),
    Border(#"("\400", "\501", "\600")"#, .lenient(.nextStepEscapes, ["\0", "A", "\u{A0}"])),
    Border(#"("\777", "\200")"#, .lenient(.nextStepEscapes, ["\u{FFFD}", "\u{A0}"])),
    Border(#"("\U", "\U1z", "\q")"#, .lenient(.looseEscapes, ["\0", "\u{1}z", "q"])),
    Border(#"("\f", "\v")"#, .strict(["\u{C}", "\u{B}"])),
]

@Suite("Leniencies of Apple's parsers")
struct AppleLeniencyTests {
    @Test(
        "`appleCompatible` accepts what Foundation accepts, and nothing else",
        arguments: borders)
    fileprivate func border(_ row: Border) throws {
        switch row.answer {
        case .strict(let value):
            #expect(row.value(.strict) == value)
            #expect(try row.leniencies(.forensic) == [])
            #expect(row.isReadByFoundation)
        case .lenient(let option, let value):
            #expect(ParsingOptions.appleCompatible.contains(option))
            #expect(row.value(.strict) == nil)
            #expect(row.value(.appleCompatible.subtracting(option)) == nil)
            #expect(row.value(option) == value)
            #expect(try row.leniencies(.appleCompatible) == option)
            #expect(row.isReadByFoundation)
        case .beyond(let option, let value):
            #expect(row.value(.appleCompatible) == nil)
            #expect(row.value(option) == value)
            #expect(ParsingOptions.forensic.contains(option))
            #expect(!row.isReadByFoundation)
        case .refused:
            #expect(row.value(.appleCompatible) == nil)
            #expect(!row.isReadByFoundation)
        }
    }

    @Test("every octal escape decodes as the character of its low byte")
    func octalEscapes() throws {
        for number in 0...0o777 {
            let text = #"("\#(String(number + 0o1000, radix: 8).dropFirst())")"#
            let escape = text.replacing("(\"", with: "(\"\\")
            let value = try PropertyListValue(
                parsing: Array(escape.utf8), options: .appleCompatible)
            let scalar = NextStepEncoding.scalar(UInt8(truncatingIfNeeded: number)) ?? 0xFFFD
            #expect(value == [.string(String(try #require(Unicode.Scalar(scalar))))])
        }
    }

    @Test("a UTF-16 unit of two equal bytes is not ASCII")
    func equalBytes() throws {
        // Each key begins with U+2222. Both of its UTF-16 bytes are 0x22, an ASCII quotation mark.
        for text in ["{\u{2222}a = b;}", "{\"\u{2222}:\" = b;}"] {
            var bytes: [UInt8] = [0xFF, 0xFE]
            for unit in text.utf16 { bytes += [UInt8(unit & 0xFF), UInt8(unit >> 8)] }
            #expect(try PropertyListFormat.detect(bytes) == .openStep, "\(text)")
        }
    }

    @Test("a blank file needs a leniency only if its format must be detected")
    func namedFormat() throws {
        for text in ["", " \n"] {
            let document = try PropertyListDocument(
                parsing: Array(text.utf8), format: .openStep, options: .appleCompatible)
            #expect(try document.root.value() == [:])
            #expect(document.leniencies == [])
        }
    }

    @Test(
        "an error about white space names all leniencies that are needed, or none",
        arguments: [
            (
                "<integer> 42 </integer>",
                "`ParsingOptions.paddedScalars` and `.trailingBlanks` accept"
            ),
            (
                "<integer>- 42 </integer>",
                "`ParsingOptions.paddedScalars` and `.trailingBlanks` accept"
            ),
            ("<real> 1.5</real>", "`ParsingOptions.paddedScalars` accepts"),
            ("<real>1.5 </real>", "`ParsingOptions.trailingBlanks` accepts"),
            ("<date> 2001-01-01T00:00:00Z</date>", "`ParsingOptions.trailingBlanks` accepts"),
            (
                "<date>2001-13-01T00:00:00Z </date>",
                "`ParsingOptions.looseDates` and `.trailingBlanks` accept"
            ),
            ("<integer>x </integer>", nil), ("<integer> </integer>", nil),
            ("<real> 1,5</real>", nil), ("<date> today</date>", nil),
            ("<integer>+ -1</integer>", nil),
        ])
    func padding(_ element: String, _ advice: String?) throws {
        let file = "<?xml version=\"1.0\"?><plist version=\"1.0\">\(element)</plist>"
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListDocument(parsing: Array(file.utf8))
        }
        #expect(error?.recovery == advice.map { $0 + " it" })
        guard advice != nil else { return }
        let allowed: ParsingOptions = [.paddedScalars, .trailingBlanks, .looseDates]
        #expect(throws: Never.self) {
            try PropertyListDocument(parsing: Array(file.utf8), options: allowed)
        }
    }

    @Test("UIDs above 2³²−1 are refused, as in Apple's parsers")
    func wideUIDs() {
        for (width, value) in [(4, 0xFFFF_FFFF), (5, 0x1_0000_0000), (8, .max)] as [(Int, UInt64)] {
            let row = Border(
                BinaryAssembler([.array([1]), .uid(value, width: width)]).bytes, .refused)
            let isSmall = width == 4
            #expect((row.value(.appleCompatible) != nil) == isSmall)
            #expect(row.isReadByFoundation == isSmall)
        }
    }

    @Test("an error names the leniency that accepts the file")
    func messages() throws {
        for row in borders {
            guard case .lenient(let option, _) = row.answer else { continue }
            do {
                _ = try PropertyListDocument(parsing: row.bytes)
                Issue.record("\(row.testDescription) was read")
            } catch {
                #expect(error.recovery?.contains("ParsingOptions.\(option)`") == true, "\(error)")
            }
        }
    }
}

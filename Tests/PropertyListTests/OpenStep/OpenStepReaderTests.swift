// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

/// Parses OpenStep text.
private func openStep(
    _ text: String, _ options: ParsingOptions = .strict
) throws -> PropertyListValue {
    try PropertyListValue(parsing: Array(text.utf8), format: .openStep, options: options)
}

/// Returns the error of parsing OpenStep text, or nil.
private func failure(
    _ text: String, _ options: ParsingOptions = .strict, _ limits: ParsingLimits = .default
) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try PropertyListDocument(
            parsing: Array(text.utf8), format: .openStep, options: options, limits: limits)
        return nil
    } catch {
        return error
    }
}

@Suite("OpenStepReader")
struct OpenStepReaderTests {
    @Test(
        "reads every form of a value",
        arguments: [
            ("hello", "hello"), ("'a \"b\"'", "a \"b\""), ("\"\"", ""),
            ("()", []), ("(a, 'b' , \"c\",)", ["a", "b", "c"]), ("(a\n)", ["a"]),
            ("{}", [:]), ("{a = b; \"c d\" = (1); }", ["a": "b", "c d": ["1"]]),
            ("{a;}", ["a": "a"]), ("{'' = '';}", ["": ""]),
            ("{b = 1; a = {c = 2;};}", ["b": "1", "a": ["c": "2"]]),
            ("<>", .data([])), ("<0aFF 00\n1f>", .data([0x0A, 0xFF, 0, 0x1F])),
            ("", [:]), (" /* nothing */ // at all", [:]), ("\u{FEFF}", [:]),
            ("\"a\" = \"b\"; c;", ["a": "b", "c": "c"]),
            ("a = (1, {b = 2;});", ["a": ["1", ["b": "2"]]]),
            ("(a//b, /c/, d:e-f.$_)", ["a//b", "/c/", "d:e-f.$_"]),
            ("( /* one */ a // two\n, b)", ["a", "b"]),
            ("(\u{2028}a\u{2029},\u{0B}\u{0C}b)", ["a", "b"]),
            ("{\"é\" = '漢😀';}", ["é": "漢😀"]),
        ] as [(String, PropertyListValue)])
    func values(_ text: String, _ expected: PropertyListValue) throws {
        #expect(try openStep(text) == expected)
    }

    @Test(
        "reads every escape sequence",
        arguments: [
            (#"\a\b\f\n\r\t\v"#, "\u{7}\u{8}\u{C}\n\r\t\u{B}"), (#"\"\'\\\?\ \-"#, "\"'\\? -"),
            (#"\101\60\0a\1777"#, "A0\0a\u{7F}7"), (#"\U00e9\U0041B"#, "éAB"),
            (#"\UD83D\Ude00!"#, "😀!"), ("a\\\nb", "a\nb"), (#"\é"#, "é"),
        ])
    func escapes(_ text: String, _ expected: String) throws {
        #expect(try openStep("\"\(text)\"") == .string(expected))
        #expect(try openStep("{k = \"x\(text)\";}")["k"] == .string("x" + expected))
    }

    @Test(
        "reads the typed values of GNUstep",
        arguments: [
            ("<*I5>", 5), ("<*I-9223372036854775808>", .integer(PropertyListInteger(Int.min))),
            ("<*I\"18446744073709551615\">", .integer(PropertyListInteger(.max as UInt64))),
            ("<*R1.5>", 1.5), ("<*R-1e3>", -1000.0),
            ("<*Rinf>", .real(PropertyListReal(.infinity as Double))),
            ("<*BY>", true), ("<*BN>", false),
            ("<*D2001-01-01 00:00:00 +0000>", .date(PropertyListDate(secondsSince2001: 0))),
            ("<*D2001-01-01 01:30:00 +0130>", .date(PropertyListDate(secondsSince2001: 0))),
            (
                "<*D\"1969-12-31 19:00:00 -0500\">",
                .date(PropertyListDate(secondsSince2001: -978_307_200))
            ),
            ("<[AQID]>", .data([1, 2, 3])), ("<[ A Q\n==]>", .data([1])), ("<[]>", .data([])),
        ] as [(String, PropertyListValue)])
    func typed(_ text: String, _ expected: PropertyListValue) throws {
        #expect(try openStep(text) == expected)
        #expect(try openStep("{a = \(text); b = (\(text),);}") == ["a": expected, "b": [expected]])
    }

    @Test(
        "refuses malformed text, with code and place",
        arguments: [
            ("(", .truncated, 2), ("{a = b;", .truncated, 8), ("{a = ", .truncated, 6),
            ("\"a", .truncated, 1), ("'a\\'", .truncated, 1), ("(<", .truncated, 2),
            ("<0", .truncated, 1),
            ("<*I5", .truncated, 1), ("<[AQ==", .truncated, 1), ("<*I\"5>", .truncated, 4),
            ("a = b", .truncated, 6), ("a = b; c", .truncated, 9),
            ("(a /", .unexpectedCharacter, 4),
            ("(a b)", .unexpectedCharacter, 4), ("(,)", .unexpectedCharacter, 2),
            ("(a,,b)", .unexpectedCharacter, 4), ("{= a;}", .unexpectedCharacter, 2),
            ("{a b;}", .unexpectedCharacter, 4), ("{(a) = b;}", .unexpectedCharacter, 2),
            ("{a = b}", .unexpectedCharacter, 7), ("{a = b, c = d;}", .unexpectedCharacter, 7),
            ("{a = b;)", .unexpectedCharacter, 8), ("a+b", .trailingData, 2),
            ("(é)", .unexpectedCharacter, 2),
            ("()x", .trailingData, 3), ("a = b; }", .trailingData, 8), ("{};", .trailingData, 3),
            ("<abc>", .invalidData, 4), ("<a b>", .invalidData, 2), ("<xy>", .invalidData, 2),
            ("<0102 /* a */>", .invalidData, 7),
            ("<*X5>", .unexpectedCharacter, 3), ("<*>", .unexpectedCharacter, 1),
            ("<*I>", .unexpectedCharacter, 1),
            ("<*I0x1>", .invalidNumber, 1), ("<*I18446744073709551616>", .invalidNumber, 1),
            ("<*R5,1>", .invalidNumber, 1), ("<*BX>", .unexpectedCharacter, 1),
            ("<*D5>", .invalidDate, 1), ("<*D2001-02-30 00:00:00 +0000>", .invalidDate, 1),
        ] as [(String, PropertyListError.Code, Int)])
    func refusals(_ text: String, _ code: PropertyListError.Code, _ column: Int) throws {
        let error = try #require(
            failure("\n" + text, .appleCompatible.subtracting(.trailingContent)))
        #expect(error.code == code, "\(error)")
        #expect(error.location?.line == 2 && error.location?.column == column, "\(error)")
        #expect(error.format == .openStep)
    }

    @Test(
        "an error about missing characters at the end of data or a typed value names them",
        arguments: [
            ("<0", "data has no `>`"), ("<[AQ==>", "Base64 data has no `]>`"),
            ("<*I5", "a typed value has no `>`"),
            (
                "<*I" + String(repeating: "5", count: 5000),
                "a typed value has no `>` within 4096 bytes"
            ),
        ])
    func missingEnds(_ text: String, _ what: String) {
        #expect(failure(text, .appleCompatible)?.what == what)
    }

    @Test(
        "accepts each deviation only with its leniency",
        arguments: [
            ("/* a", .unterminatedComment, [:]), ("(a) /* b", .unterminatedComment, ["a"]),
            ("a = b; }", .trailingContent, ["a": "b"]),
            ("a = b; ) /* c", .trailingContent, ["a": "b"]),
            ("{a = 1; a = 2;}", .duplicateKeys, ["a": "2"]), (#""\q""#, .looseEscapes, "q"),
            (#""\u00e9""#, .looseEscapes, "u00e9"), (#""\U41""#, .looseEscapes, "A"),
            (#""\341""#, .nextStepEscapes, "Æ"), (#""\UD800""#, .unpairedSurrogates, "\u{FFFD}"),
            (#""\UD800\UD800\UDC00""#, .unpairedSurrogates, "\u{FFFD}\u{10000}"),
            ("<[A]>", .looseBase64, .data([])),
            ("{a = b, c = d}", .looseSeparators, ["a": "b", "c": "d"]),
        ] as [(String, ParsingOptions, PropertyListValue)])
    func leniencies(_ text: String, _ option: ParsingOptions, _ expected: PropertyListValue) throws
    {
        let error = try #require(failure(text))
        #expect(error.recovery?.contains("\(option)") == true, "\(error)")
        let document = try PropertyListDocument(
            parsing: Array(text.utf8), format: .openStep, options: option)
        #expect(document.leniencies == option)
        #expect(try document.root.value() == expected)
    }

    @Test("the error for an unterminated container says where it began")
    func unended() throws {
        let error = try #require(failure("{\n  a = (\n    b,\n"))
        #expect(
            error.description.hasPrefix(
                "OpenStep property list: expected the end of the array that begins on line 2, "
                    + "found "))
        #expect(error.description.contains("at line 4, column 1, in a[1]"))
    }

    @Test("records where each value begins")
    func offsets() throws {
        let text = "{ a = \"b\"; cc = (<00>, 'd');\nshort; }"
        let root = try PropertyListDocument(parsing: Array(text.utf8)).root
        let entries = try #require(root.dictionary)
        #expect(root.sourceOffset == 0)
        #expect(entries.map(\.keyNode.sourceOffset) == [2, 11, 29])
        #expect(entries.map(\.value.sourceOffset) == [6, 16, 29])
        #expect(entries[1].value.array?.map(\.sourceOffset) == [17, 23])
        #expect(entries[2].keyNode.isIdentical(to: entries[2].value))
        #expect(entries[2].value.location?.line == 2)
    }

    @Test("accepts 512 levels and no more", arguments: [511, 512, 513, 1_000_000])
    func depth(_ depth: Int) throws {
        let text = String(repeating: "(", count: depth) + String(repeating: ")", count: depth)
        let error = failure(text)
        #expect(error?.code == (depth <= 512 ? nil : .depthLimitExceeded))
        if let error { #expect(error.location?.column == 513) }
        let entries =
            String(repeating: "a = {", count: depth - 1)
            + String(repeating: "};", count: depth - 1)
        #expect(failure(entries)?.code == (depth <= 512 ? nil : .depthLimitExceeded))
    }
}

@Suite("OpenStep text in other encodings")
struct OpenStepEncodingTests {
    private static let text = "{\"é\" = \"漢😀\"; a = (b);}"
    private static let value: PropertyListValue = ["é": "漢😀", "a": ["b"]]

    private func utf16(_ isBigEndian: Bool, mark: Bool = true) -> [UInt8] {
        ((mark ? "\u{FEFF}" : "") + Self.text).utf16.flatMap {
            isBigEndian
                ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
        }
    }

    private func utf32(_ isBigEndian: Bool) -> [UInt8] {
        ("\u{FEFF}" + Self.text).unicodeScalars.flatMap { scalar in
            let bytes = (0..<4).map { UInt8(scalar.value >> ($0 * 8) & 0xFF) }
            return isBigEndian ? bytes.reversed() : bytes
        }
    }

    @Test("a byte order mark selects the encoding")
    func marks() throws {
        for bytes in [utf16(true), utf16(false), utf32(true), utf32(false)]
            + [Array(("\u{FEFF}" + Self.text).utf8)]
        {
            let document = try PropertyListDocument(parsing: bytes)
            #expect(document.format == .openStep)
            #expect(try document.root.value() == Self.value)
        }
    }

    @Test("without a byte order mark, an encoding other than UTF-8 must be named")
    func named() throws {
        #expect(parseError(utf16(true, mark: false))?.code == .invalidEncoding)
        for name in ["UTF-16BE", "utf-16be"] {
            let document = try OpenStepPropertyList.parse(utf16(true, mark: false), encoding: name)
            #expect(try document.root.value() == Self.value)
        }
        let old = Array("(\"".utf8) + [0x8E, 0xC7] + Array("\")".utf8)
        #expect(parseError(old)?.code == .invalidEncoding)
        #expect(parseError(old)?.location?.column == 3)
        for (name, text) in [
            ("macintosh", "é«"), ("NEXTSTEP", "Î\u{02D9}"), ("ISO-8859-1", "\u{8E}Ç"),
        ] {
            #expect(
                try OpenStepPropertyList.parse(old, encoding: name).root.value() == [.string(text)])
        }
        #expect(throws: PropertyListError.self) {
            try OpenStepPropertyList.parse(old, encoding: "no such")
        }
        for name in ["", "U", "UTF-1", "UTF-16L", "UTF"] {
            let error = #expect(throws: PropertyListError.self) {
                try OpenStepPropertyList.parse([0xFF, 0xFE, 0x61, 0x00], encoding: name)
            }
            #expect(error?.code == .invalidEncoding)
        }
        #expect(throws: PropertyListError.self) {
            try OpenStepPropertyList.parse([0xFE], encoding: "NEXTSTEP")
        }
    }

    @Test("text that is not valid in its encoding is refused")
    func invalid() {
        for bytes in [
            [0xFE, 0xFF, 0x01], [0xFF, 0xFE, 0x00, 0xD8, 0x20, 0x00],
            [0xEF, 0xBB, 0xBF, 0x28, 0x80, 0x29],
        ]
            as [[UInt8]]
        {
            let error = #expect(throws: PropertyListError.self) {
                try OpenStepPropertyList.parse(bytes, encoding: nil)
            }
            #expect(error?.code == .invalidEncoding, "\(bytes)")
        }
        #expect(parseError(Array("(\"a\0b\")".utf8))?.code == .invalidEncoding)
    }
}

@Suite("Detection of text formats")
struct TextFormatTests {
    @Test(
        "a format is detected by its first characters",
        arguments: [
            ("<plist/>", .xml), (" <!-- -->", .xml), ("<?xml?>", .xml), ("<dict/>", .xml),
            ("<date>", .xml),
            ("<dead", .xml), ("<", .xml), ("<0102>", .openStep), ("<>", .openStep),
            ("< 01>", .openStep),
            ("<*I5>", .openStep), ("<[AQ==]>", .openStep), ("// a\n<dead", .openStep),
            ("{a = b;}", .openStep), ("{\"a\" = b;}", .openStep), ("{\"a\\\":\" = b;}", .openStep),
            ("{/* a */}", .openStep), ("{'a' : b}", .openStep), ("{(", .openStep), ("(", .openStep),
            ("{\"a\": 1}", .json), (" { \"a\\\"=\"\n:1}", .json), ("{}", .json), ("[", .json),
            ("\n[1]", .json),
            ("\"a\" = b;", .openStep), ("a=b;", .openStep), ("a /* = */;", .openStep),
            ("'", .openStep),
            ("/* a */", .openStep), ("//", .openStep), ("\u{FEFF}", .openStep),
            ("\u{FEFF}<a", .xml),
            ("\u{FEFF}{\"a\":", .json),
        ] as [(String, PropertyListFormat)])
    func detected(_ text: String, _ expected: PropertyListFormat) throws {
        #expect(try PropertyListFormat.detect(Array(text.utf8)) == expected)
        let wide = text.hasPrefix("\u{FEFF}") ? text : "\u{FEFF}" + text
        let bytes = wide.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try PropertyListFormat.detect(bytes) == expected)
    }

    @Test(
        "text in no known format is refused",
        arguments: [
            "", " \n", "hello", "hello world", "1", "true", "-", "#!/bin/sh", "a: b", "é", "/",
        ])
    func others(_ text: String) {
        #expect(throws: PropertyListError.self) { try PropertyListFormat.detect(Array(text.utf8)) }
    }
}

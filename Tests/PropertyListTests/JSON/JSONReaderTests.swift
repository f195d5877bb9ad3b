// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

private func json(
    _ text: String, _ options: ParsingOptions = .strict
) throws -> PropertyListValue {
    try PropertyListValue(parsing: Array(text.utf8), format: .json, options: options)
}

private func failure(
    _ text: String, _ options: ParsingOptions = .strict
) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try PropertyListDocument(parsing: Array(text.utf8), format: .json, options: options)
        return nil
    } catch {
        return error
    }
}

@Suite("JSONReader")
struct JSONReaderTests {
    @Test(
        "reads every form of a value",
        arguments: [
            ("{}", [:]), ("[]", []), (" [ 1 ,\n2\t]\r\n", [1, 2]), ("\"a\"", "a"), ("true", true),
            ("[false,null]", [false, .null]),
            ("{\"a\":{\"b\":[]},\"\":\"\"}", ["a": ["b": []], "": ""]),
            ("\u{FEFF}{\"é\": \"漢😀\"}", ["é": "漢😀"]), ("[0, -1, -0]", [0, -1, 0]),
            ("9007199254740993", .integer(PropertyListInteger(9_007_199_254_740_993 as UInt64))),
            ("18446744073709551615", .integer(PropertyListInteger(.max as UInt64))),
            ("-9223372036854775808", .integer(PropertyListInteger(Int.min))),
            ("[1.0, -0.0, 1e2, 1E+2, 12.5e-1]", [1.0, -0.0, 100.0, 100.0, 1.25]),
            (#""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\ude00\u0000""#, "\"\\/\u{8}\u{C}\n\r\tAé😀\0"),
            ("\"\u{7F}\u{2028}\"", "\u{7F}\u{2028}"),
        ] as [(String, PropertyListValue)])
    func values(_ text: String, _ expected: PropertyListValue) throws {
        #expect(try json(text) == expected)
        #expect(try json("[\(text.drop { $0 == "\u{FEFF}" })]") == [expected])
    }

    @Test(
        "refuses malformed text, with code and place",
        arguments: [
            ("", .truncated, 1), ("[", .truncated, 2), ("{\"a\"", .truncated, 5),
            ("[1,", .truncated, 4),
            ("\"a", .truncated, 1), ("{\"a\":", .truncated, 6), ("\"\\\"", .truncated, 1),
            ("[1,]", .unexpectedCharacter, 4), ("{\"a\":1,}", .unexpectedCharacter, 8),
            ("[,1]", .unexpectedCharacter, 2), ("[1 2]", .unexpectedCharacter, 4),
            ("{a:1}", .unexpectedCharacter, 2),
            ("{'a':1}", .unexpectedCharacter, 2), ("{\"a\" 1}", .unexpectedCharacter, 6),
            ("{1:2}", .unexpectedCharacter, 2), ("[1}", .unexpectedCharacter, 3),
            ("{]", .unexpectedCharacter, 2),
            ("tru", .unexpectedCharacter, 1), ("nul]", .unexpectedCharacter, 1),
            ("NaN", .unexpectedCharacter, 1),
            ("+1", .unexpectedCharacter, 1), (".5", .unexpectedCharacter, 1),
            ("/* */1", .unexpectedCharacter, 1),
            ("[é]", .unexpectedCharacter, 2), ("\u{A0}1", .unexpectedCharacter, 1),
            ("\u{0C}1", .unexpectedCharacter, 1),
            ("1 2", .trailingData, 3), ("{}}", .trailingData, 3), ("truefalse", .trailingData, 5),
            ("01", .invalidNumber, 1), ("-", .invalidNumber, 1), ("1.", .invalidNumber, 1),
            ("1e", .invalidNumber, 1),
            ("[1.e1]", .invalidNumber, 2), ("-a", .invalidNumber, 1), ("1e999", .invalidNumber, 1),
            ("18446744073709551616", .invalidNumber, 1),
            ("-9223372036854775809", .invalidNumber, 1),
            ("\"a\nb\"", .invalidString, 3), ("\"\\q\"", .invalidString, 2),
            ("\"\\u12\"", .invalidString, 2),
            ("\"\\uD800\"", .invalidString, 2), ("\"\\uDC00\\uD800\"", .invalidString, 2),
            ("{\"a\":1,\"a\":2}", .duplicateKey, 8),
        ] as [(String, PropertyListError.Code, Int)])
    func refusals(_ text: String, _ code: PropertyListError.Code, _ column: Int) throws {
        let error = try #require(failure(text))
        #expect(error.code == code, "\(error)")
        #expect(error.location?.line == 1 && error.location?.column == column, "\(error)")
        #expect(error.format == .json)
    }

    @Test("refuses other encodings, and bytes that are not UTF-8")
    func encodings() {
        #expect(parseError([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00])?.code == .invalidEncoding)
        let error = parseError(Array("[\"a\",\n\"".utf8) + [0xC3, 0x28] + Array("\"]".utf8))
        #expect(error?.code == .invalidEncoding)
        #expect(error?.location?.line == 2 && error?.location?.column == 2)
    }

    @Test("accepts each deviation only with its leniency")
    func leniencies() throws {
        #expect(try json("{\"a\":1,\"a\":2}", .duplicateKeys) == ["a": 2])
        let bytes = Array("{\"a\": 1, \"b\": [true, nil".utf8)
        let salvaged = try PropertyListDocument(parsing: bytes, options: .salvage)
        #expect(try salvaged.root.value() == ["a": 1, "b": [true]])
        #expect(salvaged.problems.first?.path?.description == "b[1]")
    }

    @Test("leniencies for other formats neither change nor drop any part of JSON text")
    func otherLeniencies() throws {
        for text in ["[1] x", "{\"a\":1}\n{\"a\":2}", "[1],", "[1]\0"] {
            #expect(failure(text, .appleCompatible)?.code == .trailingData, "\(text)")
        }
        let surrogate = failure("[\"\\uD800\\n\"]", .appleCompatible)
        #expect(surrogate?.code == .invalidString)
        let lines = Array("{\"a\":1}\n{\"a\":2}".utf8)
        let salvaged = try PropertyListDocument(parsing: lines, options: .salvage)
        #expect(try salvaged.root.value() == ["a": 1])
        #expect(salvaged.problems.map(\.code) == [.trailingData])
    }

    @Test("records where each value begins")
    func offsets() throws {
        let root = try PropertyListDocument(parsing: Array("{ \"a\": [1,\n \"b\"]}".utf8)).root
        #expect(root.dictionary?.first?.keyNode.sourceOffset == 2)
        #expect(root["a"]?.array?.map(\.sourceOffset) == [8, 12])
        #expect(root["a"]?[1]?.location?.line == 2)
    }

    @Test("accepts 512 levels and no more", arguments: [511, 512, 513, 1_000_000])
    func depth(_ depth: Int) throws {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        let error = failure(text)
        #expect(error?.code == (depth <= 512 ? nil : .depthLimitExceeded))
        if let error { #expect(error.location?.column == 513) }
    }
}

@Suite("Hostile JSON")
struct JSONHostileTests {
    private static let sample = Array(
        #"{"a": [1, -2.5e3, "b\u00e9\n", {"$date": "2001-01-01T00:00:00Z"}], "é": true, "n": null}"#
            .utf8)

    private func look(_ bytes: [UInt8]) {
        for mapping in [JSONPropertyList.Mapping.strict, .typed] {
            for options in [ParsingOptions.strict, .forensic] {
                let document = try? JSONPropertyList.parse(
                    bytes, mapping: mapping, options: options)
                guard let document else { continue }
                _ = try? document.root.value()
                _ = try? JSONPropertyList.serialize(document)
            }
        }
    }

    @Test("refuses every proper prefix by default, and parses or refuses it with leniencies")
    func prefixes() {
        for length in Self.sample.indices {
            let prefix = Array(Self.sample[..<length])
            #expect(throws: PropertyListError.self) {
                try PropertyListDocument(parsing: prefix, format: .json)
            }
            look(prefix)
        }
    }

    @Test("parses or refuses every document with one byte changed", arguments: [0x01, 0x20, 0x80])
    func flips(_ mask: UInt8) {
        for index in Self.sample.indices {
            var bytes = Self.sample
            bytes[index] ^= mask
            look(bytes)
        }
    }

    @Test("parses or refuses random sequences of JSON tokens", arguments: [1, 2] as [UInt64])
    func mixtures(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "D83D", "0", "1", "-", ".", "e",
            "true", "null", " ",
            "a", "é", "{\"$date\":", "{\"$set\":", "{\"$dictionary\":", "{\"$uid\":", "\"$data\"",
        ]
        for _ in 0..<5000 {
            let text = (0..<(1 + random.below(16))).map { _ in pieces[random.below(pieces.count)] }
            look(Array(text.joined().utf8))
        }
    }

    @Test(
        "reads many repetitions of small parts",
        arguments: [
            ("[0", ",1", "]", 32_001), ("[\"", "\\n", "\"]", 1), ("[", " ", "]", 0),
            ("[1", ".5,1", "]", 32_001), ("[{}", ",{\"$dictionary\":{\"$set\":[]}}", "]", 32_001),
        ])
    func many(_ start: String, _ piece: String, _ end: String, _ elements: Int) throws {
        let text = start + String(repeating: piece, count: 32_000) + end
        let document = try JSONPropertyList.parse(Array(text.utf8), mapping: .typed)
        #expect(document.root.array?.count == elements)
    }

    @Test(
        "typed JSON refuses numbers that are out of range, not decimal, or have a plus sign",
        arguments: [
            #"{"$integer": "0x10"}"#, #"{"$integer": "+5"}"#, #"{"$real": "1e400"}"#,
            #"{"$real": "1e-400"}"#, #"{"$float": "1e39"}"#, #"{"$float": "1e-60"}"#,
        ])
    func typedNumbers(_ text: String) {
        let error = #expect(throws: PropertyListError.self) {
            try JSONPropertyList.parse(Array(text.utf8), mapping: .typed)
        }
        #expect(error?.code == .wrongKind)
    }

    @Test("salvages typed JSON that ends within a form")
    func unfinishedForms() throws {
        let text = #"[{"$uid": 3}, {"$pairs": [[1, "a"], [2"#
        let document = try JSONPropertyList.parse(
            Array(text.utf8), mapping: .typed, options: .salvage)
        #expect(document.problems.map(\.code) == [.truncated, .wrongKind])
        #expect(try document.root.value() == [.uid(3), ["$pairs": [[1, "a"], [2]]]])
    }

    @Test(
        "refuses a long unterminated string, and a long number that is out of range",
        arguments: [("[\"", "a", "", .truncated), ("1", "0", ".5", .invalidNumber)]
            as [(String, String, String, PropertyListError.Code)])
    func long(
        _ start: String, _ piece: String, _ end: String, _ code: PropertyListError.Code
    ) {
        let text = start + String(repeating: piece, count: 32_000) + end
        let error = #expect(throws: PropertyListError.self) {
            try JSONPropertyList.parse(Array(text.utf8), mapping: .typed)
        }
        #expect(error?.code == code)
    }
}

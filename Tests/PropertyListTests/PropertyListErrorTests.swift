// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

@Suite("PropertyListError")
struct PropertyListErrorTests {
    @Test("an error gives the problem, the place, the path and the fix")
    func description() {
        let path = PropertyListPath([.key("$objects"), .index(12), .key("NS.objects"), .index(3)])
        let error = PropertyListError(
            .invalidMarker, format: .binary, what: "expected the marker of an object, found 0xff",
            location: .byte(17), path: path, recovery: "do this")
        #expect(
            error.description
                == "binary property list: expected the marker of an object, found 0xff at byte 17, "
                + #"in $objects[12]."NS.objects"[3] (do this)"#)
        #expect(PropertyListError(.wrongKind, what: "no").description == "property list: no")
        let line = PropertyListError.Location(byte: 9, line: 3, column: 7)
        let text = PropertyListError(.malformedXML, format: .xml, what: "no", location: line)
        #expect(text.description == "XML property list: no at line 3, column 7")
        #expect(error.code.description == "invalidMarker")
    }

    @Test("`isLimit` is true only for the codes of exceeded limits")
    func limits() {
        #expect(PropertyListError.Code.depthLimitExceeded.isLimit)
        #expect(PropertyListError.Code.expansionLimitExceeded.isLimit)
        #expect(PropertyListError.Code.sizeLimitExceeded.isLimit)
        let others: [PropertyListError.Code] = [
            .unrecognizedFormat, .truncated, .trailingData, .invalidTrailer, .invalidOffset,
            .invalidReference, .invalidMarker, .invalidLength, .invalidString, .invalidNumber,
            .invalidDate, .invalidData, .invalidKey, .duplicateKey, .referenceCycle,
            .invalidEncoding, .malformedXML, .unexpectedElement, .unexpectedCharacter,
            .unrepresentableValue, .wrongKind, .invalidKeyPath, .noSuchValue,
        ]
        #expect(others.filter(\.isLimit) == [])
    }

    @Test("an input beyond the limit is refused before it is read")
    func inputSize() {
        var limits = ParsingLimits.untrusted
        limits.inputSize = 3
        #expect(failure([1, 2, 3, 4], limits: limits)?.code == .sizeLimitExceeded)
    }

    @Test("an input that a document cannot address is refused without advice to raise the limits")
    func addressableSize() throws {
        var limits = ParsingLimits.trusted
        limits.inputSize = .max
        let error = try #require(limits.sizeError(1 << 32, .binary))
        #expect(
            error.description == "binary property list: expected at most 4294967295 bytes of "
                + "input, found 4294967296")
        #expect(error.recoveryCode == nil)
        #expect(limits.sizeError((1 << 32) - 1, .binary) == nil)
        limits.inputSize = 3
        #expect(limits.sizeError(4, .binary)?.recoveryCode == .raiseLimits)
    }

    @Test("limits do not overflow")
    func allowance() {
        let allowance = ParsingLimits.Allowance(factor: .max, base: 1)
        #expect(allowance.limit(for: 2) == .max)
        #expect(allowance.limit(for: 0) == 1)
    }

    @Test("the description of options lists their names")
    func options() {
        #expect(ParsingOptions.strict.description == "")
        #expect(
            ParsingOptions([.highASCII, .duplicateKeys]).description == "duplicateKeys, highASCII")
        let names = ParsingOptions(rawValue: .max).description.split(separator: ", ")
        #expect(names.count == 25)
        #expect(ParsingOptions.forensic.description.split(separator: ", ").count == 25)
    }
}

@Suite("PropertyListPath")
struct PropertyListPathTests {
    @Test(
        "a path is written in the notation of key paths",
        arguments: [
            ([], ""), ([.index(0)], "[0]"), ([.key("a"), .key("b")], "a.b"),
            ([.key(""), .index(2)], "\"\"[2]"),
            ([.index(1), .key("a\n\u{202E}")], "[1].\"a\\n\\u{202e}\""),
            ([.key("root"), .entry("url"), .key("NS.base")], "root[\"url\"].\"NS.base\""),
            ([.entry("a\"b"), .key("0"), .key("my key")], "[\"a\\\"b\"].\"0\".my key"),
        ] as [([PropertyListPath.Component], String)])
    func description(_ components: [PropertyListPath.Component], _ expected: String) {
        #expect(PropertyListPath(components).description == expected)
    }

    @Test("a long path is truncated in the middle")
    func long() {
        let keys = (0..<1000).map { PropertyListPath.Component.key("k\($0)") }
        let text = PropertyListPath(keys).description
        #expect(text.count == 97)
        #expect(text.hasPrefix("k0.k1.k2.") && text.hasSuffix(".k998.k999"))
        #expect(
            PropertyListPath([.key(String(repeating: "a", count: 100))]).description.count == 100)
        let key = String(repeating: "a", count: 5_000) + String(repeating: "b", count: 5_000)
        let halves = String(repeating: "a", count: 48) + "…" + String(repeating: "b", count: 48)
        #expect(PropertyListPath([.key(key)]).description == halves)
    }
}

@Suite("Text for terminals")
struct TerminalTextTests {
    @Test(
        "escapes control and format characters and line separators, and keeps others",
        arguments: [
            ("plain é 漢 😀", "plain é 漢 😀"), ("\n\r\t", "\\n\\r\\t"),
            ("\u{0}\u{7F}", "\\u{0}\\u{7f}"),
            ("\u{9B}31m", "\\u{9b}31m"),
            ("\u{202E}\u{2066}\u{FEFF}", "\\u{202e}\\u{2066}\\u{feff}"),
            ("\u{2028}\u{200F}", "\\u{2028}\\u{200f}"), ("\"\\", "\"\\"),
        ])
    func escapes(_ text: String, _ expected: String) {
        #expect(TerminalText.escaped(text) == expected)
    }

    @Test("quotes and backslashes are escaped on request")
    func quoting() {
        #expect(TerminalText.escaped("a\"\\b", quoting: true) == "a\\\"\\\\b")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

private let sample = Array(
    #"""
    // !$*UTF8*$!
    { /* a comment */
        "k\"é" = (a, 'b c', <0102 03>, <*I5>, <*D2001-01-01 00:00:00 +0000>, <[AQID]>,);
        short; e = "\U00e9\n\101"; d = {};
    }

    """#.utf8)

@Suite("Hostile OpenStep")
struct OpenStepHostileTests {
    private func document(
        _ bytes: [UInt8], _ options: ParsingOptions
    ) -> PropertyListDocument? {
        try? PropertyListDocument(parsing: bytes, format: .openStep, options: options)
    }

    @Test("parses or refuses every prefix, and salvages the readable part")
    func prefixes() throws {
        for length in sample.indices {
            let prefix = Array(sample[..<length])
            let isWhole = length == sample.count - 1 || length < 15
            #expect((document(prefix, .strict) != nil) == isWhole, "\(length) bytes")
            let salvaged = document(prefix, .forensic)
            // Nothing is readable if a character is cut off.
            let isReadable = UTF8Text.firstInvalid(prefix.span) == nil
            #expect((salvaged != nil) == isReadable, "\(length) bytes")
            guard let salvaged else { continue }
            #expect(salvaged.problems.count == (isWhole ? 0 : 1), "\(length) bytes")
            _ = try salvaged.root.value()
        }
    }

    @Test("salvages the values before an error")
    func salvage() throws {
        let bytes = Array("{a = 1; b = (c, <0>); d = 2;}".utf8)
        let document = try PropertyListDocument(parsing: bytes, options: .salvage)
        #expect(try document.root.value() == ["a": "1", "b": ["c"]])
        #expect(document.leniencies == .salvage)
        #expect(document.problems.first?.code == .invalidData)
        #expect(document.problems.first?.path?.description == "b[1]")
    }

    @Test("parses or refuses every document with one byte changed", arguments: [0x01, 0x20, 0x80])
    func flips(_ mask: UInt8) {
        for index in sample.indices {
            var bytes = sample
            bytes[index] ^= mask
            for options in [ParsingOptions.strict, .forensic] {
                guard let document = document(bytes, options) else { continue }
                _ = try? document.root.value()
                _ = try? OpenStepPropertyList.serialize(document)
            }
        }
    }

    @Test(
        "parses or refuses random sequences of OpenStep tokens", arguments: [1, 2, 3] as [UInt64])
    func mixtures(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "{", "}", "(", ")", ";", ",", "=", "<", ">", "<*", "<[", "]>", "\"", "'", "\\", "\\U",
            "\\3",
            "/*", "*/", "//", "\n", " ", "a", "0", "é", "\u{2028}", "/", "I", "D", "-", "D83D",
        ]
        for _ in 0..<5000 {
            let text = (0..<(1 + random.below(20))).map { _ in pieces[random.below(pieces.count)] }
            let bytes = Array(text.joined().utf8)
            for options in [ParsingOptions.strict, .appleCompatible, .forensic] {
                guard let document = document(bytes, options) else { continue }
                _ = try? document.root.value()
            }
        }
    }

    @Test(
        "reads or refuses many repetitions of small parts",
        arguments: [
            ("(", "a,", ")", nil), ("", "a = b;", "", nil), ("{", "\"a\\n\" = b;", "}", nil),
            ("(", "/* */", ")", nil), ("(", "\"", ")", .unexpectedCharacter),
            ("(", "//\n", ")", nil), ("<", "00", ">", nil), ("<", " ", ">", nil),
            ("/*", "*", "/", nil), ("\"", "\\\"", "\"", nil), ("\"", "\\U0041", "\"", nil),
            ("<*I", "5", ">", .truncated), ("(", "<*", ")", .truncated),
            ("(", "<[", ")", .truncated), ("{a = (", "{};", ")", .unexpectedCharacter),
        ] as [(String, String, String, PropertyListError.Code?)])
    func many(_ start: String, _ piece: String, _ end: String, _ code: PropertyListError.Code?) {
        let text = start + String(repeating: piece, count: 32_000) + end
        #expect(parseError(Array(text.utf8), .appleCompatible)?.code == code)
    }

    @Test(
        "malformed files of other projects are refused",
        .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
    func malformed() {
        let files =
            Corpus.external("malformed/go-plist-invalid-openstep")
            + Corpus.external("malformed/openstep-plist-invalid")
        #expect(files.count > 40)
        for file in files {
            #expect(document(file.bytes, .strict) == nil, "\(file.name)")
        }
    }
}

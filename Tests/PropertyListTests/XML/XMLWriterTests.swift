// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

@Suite("XML writer")
struct XMLWriterTests {
    /// Returns the text of a value without the lines around the root.
    private func body(_ value: PropertyListValue, losses: XMLPropertyList.Losses = []) throws
        -> String
    {
        let whole = try text(value, losses: losses)
        #expect(whole.hasPrefix(appleHeader))
        #expect(whole.hasSuffix("</plist>\n"))
        return String(whole.dropFirst(appleHeader.count).dropLast("</plist>\n".count))
    }

    private func refusal(_ value: PropertyListValue, losses: XMLPropertyList.Losses = [])
        -> PropertyListError?
    {
        do { _ = try text(value, losses: losses) } catch { return error as? PropertyListError }
        return nil
    }

    @Test(
        "writes each kind as Apple's writer does",
        arguments: [
            ("a", "<string>a</string>\n"), ("", "<string></string>\n"), (true, "<true/>\n"),
            (false, "<false/>\n"),
            (-12, "<integer>-12</integer>\n"), (0, "<integer>0</integer>\n"),
            (
                .integer(PropertyListInteger(UInt64.max)),
                "<integer>18446744073709551615</integer>\n"
            ),
            (.integer(PropertyListInteger(Int.min)), "<integer>-9223372036854775808</integer>\n"),
            (.data([]), "<data>\n</data>\n"), (.data([0]), "<data>\nAA==\n</data>\n"),
            ([], "<array/>\n"),
            ([:], "<dict/>\n"), ([[], [:]], "<array>\n\t<array/>\n\t<dict/>\n</array>\n"),
            (
                ["b": ["c"], "a": [:]],
                "<dict>\n\t<key>b</key>\n\t<array>\n\t\t<string>c</string>\n\t</array>\n\t<key>a</key>\n\t<dict/>\n</dict>\n"
            ),
            (
                "<&>\"'\t\n\r\u{7F}\u{2028}",
                "<string>&lt;&amp;&gt;\"'\t\n\r\u{7F}\u{2028}</string>\n"
            ),
            (["<": 1], "<dict>\n\t<key>&lt;</key>\n\t<integer>1</integer>\n</dict>\n"),
        ] as [(PropertyListValue, String)])
    func kinds(_ value: PropertyListValue, _ expected: String) throws {
        #expect(try body(value) == expected)
    }

    @Test(
        "writes reals with seventeen digits",
        arguments: [
            (1, "1"), (0.1, "0.10000000000000001"), (1e15, "1000000000000000"),
            (1e16, "10000000000000000"), (1e17, "1e+17"),
            (1e-5, "1.0000000000000001e-05"),
            (Double.leastNonzeroMagnitude, "4.9406564584124654e-324"), (1e100, "1e+100"),
            (Double(Float(0.1)), "0.10000000149011612"), (0, "0.0"), (-0.0, "-0.0"),
            (.infinity, "+infinity"),
            (-.infinity, "-infinity"), (.nan, "nan"),
        ] as [(Double, String)])
    func reals(_ value: Double, _ expected: String) throws {
        let value = PropertyListValue.real(PropertyListReal(value))
        #expect(try body(value) == "<real>\(expected)</real>\n")
        #expect(try PropertyListValue(parsing: Array(text(value).utf8)) == value)
    }

    @Test("writes reals in their shortest form if the source does, and otherwise with 17 digits")
    func sourceReals() throws {
        for (source, expected) in [
            ("0.1", "0.1"), ("0.10000000000000001", "0.10000000000000001"), ("1e+16", "1e+16"),
            ("0.10", "0.10000000000000001"),
        ] {
            let document = try PropertyListDocument(
                parsing: xml("<array><real>\(source)</real><real>2</real></array>"))
            let written = String(
                decoding: try XMLPropertyList.serialize(document).bytes, as: UTF8.self)
            #expect(written.contains("<real>\(expected)</real>\n\t<real>2</real>"))
        }
    }

    @Test("writes the shortest form of reals on request")
    func shortestReals() throws {
        var options = XMLPropertyList.Options()
        options.realText = .shortest
        let document = try PropertyListDocument([0.1, 1.0, 1e16])
        let written = String(
            decoding: try XMLPropertyList.serialize(document, options: options).bytes, as: UTF8.self
        )
        #expect(written.contains("<real>0.1</real>\n\t<real>1</real>\n\t<real>1e+16</real>"))
    }

    @Test("writes shorter lines of Base64 at greater depths, up to a depth of 8", arguments: 0...10)
    func data(_ depth: Int) throws {
        let indent = min(depth, 8)
        let capacity = 76 - 8 * indent
        let tabs = String(repeating: "\t", count: indent)
        let outer = String(repeating: "\t", count: depth)
        for extra in [0, 3] {
            var value = PropertyListValue.data(
                [UInt8](repeating: 0, count: capacity / 4 * 3 + extra))
            for _ in 0..<depth { value = [value] }
            let lines =
                tabs + String(repeating: "A", count: capacity) + "\n"
                + (extra > 0 ? tabs + "AAAA\n" : "")
            #expect(try body(value).contains("\(outer)<data>\n\(lines)\(outer)</data>\n"))
        }
    }

    @Test(
        "writes calendar dates, and rounds down to seconds if that is allowed",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.9, "2001-01-01T00:00:00Z"),
            (-0.1, "2000-12-31T23:59:59Z"),
            (-63_113_990_400, "0000-12-31T00:00:00Z"), (315_569_520_000, "12001-01-01T00:00:00Z"),
        ] as [(Double, String)])
    func dates(_ seconds: Double, _ expected: String) throws {
        let value = PropertyListValue.date(PropertyListDate(secondsSince2001: seconds))
        #expect(try body(value, losses: .fractionsOfSeconds) == "<date>\(expected)</date>\n")
        let isWhole = seconds == Double(Int(seconds))
        #expect(refusal(value)?.code == (isWhole ? nil : .unrepresentableValue))
    }

    @Test(
        "refuses values that XML cannot represent",
        arguments: [
            .null, [.null], "\u{0}", ["\u{0}": 1], .date(PropertyListDate(secondsSince2001: .nan)),
            .date(PropertyListDate(secondsSince2001: .infinity)),
            .date(PropertyListDate(secondsSince2001: 1e300)),
        ] as [PropertyListValue])
    func unrepresentable(_ value: PropertyListValue) throws {
        #expect(
            try #require(refusal(["k": value], losses: .appleCompatible)).code
                == .unrepresentableValue)
    }

    @Test("gives the path of a refused value, in any order of keys")
    func places() throws {
        let value: PropertyListValue = [
            "z": [1, ["c": 1, "b": [[], .null, 2], "a": 1]], "list": [1, 2], "y": [:],
        ]
        let document = try PropertyListDocument(value)
        for sortsKeys in [true, false] {
            var options = XMLPropertyList.Options()
            options.sortsKeys = sortsKeys
            let error = #expect(throws: PropertyListError.self) {
                try XMLPropertyList.serialize(document, options: options)
            }
            #expect(error?.path?.description == "z[1].b[1]")
        }
    }

    @Test(
        "refuses each loss by default, and counts it if it is allowed",
        arguments: [
            (.fractionsOfSeconds, .date(PropertyListDate(secondsSince2001: 0.5))),
            (.fractionsOfSeconds, .date(PropertyListDate(secondsSince2001: -0.0))),
            (.realWidths, .real(PropertyListReal(Double(nan: 1, signaling: false)))),
            (.realWidths, .real(PropertyListReal(Float(1)))),
            (.sets, .set([1])), (.uidDictionaries, .uid(PropertyListUID(1))),
            (.controlCharacters, "\u{1}"),
            (.controlCharacters, "\u{FFFE}"),
        ] as [(XMLPropertyList.Losses, PropertyListValue)])
    func losses(_ loss: XMLPropertyList.Losses, _ value: PropertyListValue) throws {
        let error = try #require(refusal(["a": [value]]))
        #expect(error.code == .unrepresentableValue)
        #expect(error.path?.description == "a[0]")
        #expect(error.recovery != nil)
        var options = XMLPropertyList.Options()
        options.allowedLosses = loss
        let document = try PropertyListDocument([value, value])
        let result = try XMLPropertyList.serialize(document, options: options)
        #expect(result.losses.map(\.loss) == [loss])
        #expect(result.losses.map(\.count) == [2])
        #expect(!loss.description.isEmpty)
        #expect(parseError(result.bytes, .rawControlCharacters) == nil)
    }

    @Test("writes UIDs in an archive as dictionaries, without a loss")
    func archive() throws {
        let archive: PropertyListValue = [
            "$archiver": "NSKeyedArchiver", "$version": 100_000,
            "$top": ["root": .uid(PropertyListUID(7))], "$objects": ["$null"],
        ]
        let written = try text(archive)
        #expect(
            written.contains(
                "\t\t<dict>\n\t\t\t<key>CF$UID</key>\n\t\t\t<integer>7</integer>\n\t\t</dict>\n"))
        #expect(try value(Array(written.utf8)) == archive)
        var other = archive.dictionary ?? [:]
        other["$objects"] = [["CF$UID": 7]]
        #expect(refusal(.dictionary(other))?.code == .unrepresentableValue)
    }

    private static let sortedKeys = [
        "", "B", "Z", "_", "a", "a b", "a-b", "a10", "a9", "aa", "e\u{301}", "é", "😀", "\u{FFFD}",
    ]

    @Test(
        "sorts keys by UTF-16 code units on request, even if all keys are ASCII",
        arguments: [sortedKeys, sortedKeys.filter { $0.utf8.allSatisfy { $0 < 0x80 } }])
    func sorting(keys: [String]) throws {
        var entries = PropertyListDictionary()
        for key in keys.reversed() { entries[key] = true }
        let written = try text(.dictionary(entries), sorted: true)
        #expect(
            try PropertyListDocument(parsing: Array(written.utf8)).root.dictionary?.map(\.key)
                == keys)
    }

    @Test(
        "keeps the document type and the version of the source",
        arguments: [
            (
                "PUBLIC \"-//Apple Computer//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\"",
                "1.0"
            ), ("SYSTEM \"file://localhost/System/Library/DTDs/PropertyList.dtd\"", "0.9"),
        ])
    func xmlHeader(declared: String, version: String) throws {
        let source =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist \(declared)>\n"
            + "<plist version=\"\(version)\">\n<true/>\n</plist>\n"
        let document = try PropertyListDocument(parsing: Array(source.utf8))
        #expect(
            String(decoding: try XMLPropertyList.serialize(document).bytes, as: UTF8.self) == source
        )
    }

    @Test("writes Apple's DOCTYPE identifier instead of one that contains markup characters")
    func quotedDocumentType() throws {
        let source = "<!DOCTYPE plist SYSTEM 'a\"b>'><plist version=\"1.0\"><true/></plist>"
        let document = try PropertyListDocument(parsing: Array(source.utf8))
        #expect(document.xmlHeader?.systemIdentifier == "a\"b>")
        let written = String(decoding: try XMLPropertyList.serialize(document).bytes, as: UTF8.self)
        #expect(written.contains("SYSTEM \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">"))
    }

    @Test("respects the limits on output and depth")
    func limits() throws {
        var limits = ParsingLimits.default
        limits.output = .init(factor: 0, base: 300)
        let document = try PropertyListDocument(["a": .string(String(repeating: "b", count: 300))])
        let error = #expect(throws: PropertyListError.self) {
            try XMLPropertyList.serialize(document, limits: limits)
        }
        #expect(error?.code == .sizeLimitExceeded)
        limits.depth = 0
        let second = #expect(throws: PropertyListError.self) {
            try XMLPropertyList.serialize(document, limits: limits)
        }
        #expect(second?.code == .depthLimitExceeded)
    }

    @Test("the output limit of a built document grows with the number of its values")
    func builtSize() throws {
        var builder = DocumentBuilder()
        builder.beginArray()
        for number in 0..<200_000 { builder.integer(PropertyListInteger(number)) }
        builder.end()
        var limits = ParsingLimits.untrusted
        limits.output.base = 0
        let document = try builder.finish()
        #expect(try XMLPropertyList.serialize(document, limits: limits).bytes.count > 4_000_000)
    }
}

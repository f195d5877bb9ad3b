// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

/// A rule of the format: a document and the expected result.
struct XMLRule: CustomTestStringConvertible, Sendable {
    enum Answer {
        case accepted(PropertyListValue)
        /// Refused with this code unless the option is set. With the option, it has this value.
        case lenient(ParsingOptions, PropertyListError.Code, PropertyListValue)
        /// Refused with this code. With options, the code may be another one.
        case refused(PropertyListError.Code)
    }

    let name: String
    let bytes: [UInt8]
    let answer: Answer

    var testDescription: String { name }

    init(_ name: String, _ body: String, _ answer: Answer) {
        self.init(name, document: "<plist version=\"1.0\">\(body)</plist>", answer)
    }

    init(_ name: String, document: String, _ answer: Answer) {
        self.name = name
        bytes = Array(document.utf8)
        self.answer = answer
    }
}

private func integer(_ text: String, _ answer: XMLRule.Answer) -> XMLRule {
    XMLRule("integer [\(text)]", "<integer>\(text)</integer>", answer)
}

private func real(_ text: String, _ answer: XMLRule.Answer) -> XMLRule {
    XMLRule("real [\(text)]", "<real>\(text)</real>", answer)
}

private func date(_ text: String, _ answer: XMLRule.Answer) -> XMLRule {
    XMLRule("date [\(text)]", "<date>\(text)</date>", answer)
}

private func data(_ text: String, _ answer: XMLRule.Answer) -> XMLRule {
    XMLRule("data [\(text)]", "<data>\(text)</data>", answer)
}

private func string(_ text: String, _ answer: XMLRule.Answer) -> XMLRule {
    XMLRule("string [\(text)]", "<string>\(text)</string>", answer)
}

private func seconds(_ value: Double) -> XMLRule.Answer {
    .accepted(.date(PropertyListDate(secondsSince2001: value)))
}

private let prologRules: [XMLRule] = [
    .init("no declaration", "<true/>", .accepted(true)),
    .init("declaration", document: "<?xml version='1.0'?><plist><true/></plist>", .accepted(true)),
    .init("white space before the root", document: " \n<plist><true/></plist>", .accepted(true)),
    .init(
        "comments and instructions anywhere between elements",
        document:
            "<?xml version=\"1.0\"?><!-- a --><?b c?><plist><!-- < & > --><true/><?d?></plist>"
            + "<!-- e --><?f?>\n", .accepted(true)),
    .init(
        "any document type without declarations",
        document: "<!DOCTYPE x SYSTEM 'y:<!--'><plist><true/></plist>", .accepted(true)),
    .init(
        "white space before the declaration",
        document: "\n<?xml version='1.0'?><plist><true/></plist>",
        .lenient(.leadingWhitespace, .malformedXML, true)),
    .init(
        "white space before an instruction whose name starts with `xml`",
        document: "\n<?xml-stylesheet href='x'?><plist><true/></plist>", .accepted(true)),
    .init(
        "internal subset", document: "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><true/></plist>",
        .refused(.malformedXML)),
    .init(
        "empty internal subset", document: "<!DOCTYPE plist []><plist><true/></plist>",
        .refused(.malformedXML)),
    .init("no root", document: "<!-- a -->", .refused(.malformedXML)),
    .init(
        "second byte order mark", document: "\u{FEFF}\u{FEFF}<plist><true/></plist>",
        .refused(.unrecognizedFormat)),
    .init(
        "missing plist", document: "<true/>",
        .lenient(.missingPlistElement, .unexpectedElement, true)),
    .init(
        "missing plist around a dictionary", document: "<dict><key>a</key><true/></dict>",
        .lenient(.missingPlistElement, .unexpectedElement, ["a": true])),
    .init(
        "junk after the root", document: "<plist><true/></plist>junk",
        .lenient(.trailingContent, .trailingData, true)),
    .init(
        "second root", document: "<plist><true/></plist><plist><false/></plist>",
        .lenient(.trailingContent, .trailingData, true)),
    .init(
        "malformed comment after the root", document: "<plist><true/></plist><!-- a -- b -->",
        .lenient(.trailingContent, .trailingData, true)),
    .init(
        "ambiguous comment after the root", document: "<plist><true/></plist><!---->",
        .lenient(.trailingContent, .malformedXML, true)),
]

private let structureRules: [XMLRule] = [
    .init("empty plist", document: "<plist/>", .refused(.unexpectedElement)),
    .init("plist without a value", "", .refused(.unexpectedElement)),
    .init("two values", "<true/><false/>", .refused(.unexpectedElement)),
    .init("nested plist", "<plist><true/></plist>", .refused(.unexpectedElement)),
    .init("plist in an array", "<array><plist/></array>", .refused(.unexpectedElement)),
    .init(
        "empty containers", "<array><array/><dict/><array></array><dict> </dict></array>",
        .accepted([[], [:], [], [:]])),
    .init(
        "white space in tags", "<array ><true /><false></false\n></array >",
        .accepted([true, false])),
    .init("unknown element", "<foo/>", .refused(.unexpectedElement)),
    .init("element in another case", "<String>a</String>", .refused(.unexpectedElement)),
    .init("element with a prefix", "<a:true/>", .refused(.unexpectedElement)),
    .init("value in place of a key", "<dict><true/></dict>", .refused(.invalidKey)),
    .init("key without a value", "<dict><key>a</key></dict>", .refused(.unexpectedElement)),
    .init(
        "two keys", "<dict><key>a</key><key>b</key></dict>",
        .lenient(.keyAsValue, .unexpectedElement, ["a": "b"])),
    .init(
        "key in an array", "<array><key>a</key></array>",
        .lenient(.keyAsValue, .unexpectedElement, ["a"])),
    .init("empty key", "<dict><key/><true/></dict>", .accepted(["": true])),
    .init(
        "duplicate key, the last one wins", "<dict><key>a</key><true/><key>a</key><false/></dict>",
        .lenient(.duplicateKeys, .duplicateKey, ["a": false])),
    .init("text between elements", "<array>a<true/></array>", .refused(.unexpectedElement)),
    .init("text after the last element", "<array><true/>a</array>", .refused(.unexpectedElement)),
    .init(
        "CDATA section between elements", "<array><![CDATA[ ]]></array>",
        .refused(.unexpectedElement)),
    .init(
        "character reference between elements", "<array>&#32;</array>",
        .refused(.unexpectedElement)),
    .init("junk in true", "<true>junk</true>", .refused(.unexpectedElement)),
    .init("white space in false", "<false> </false>", .refused(.unexpectedElement)),
    .init("comment in true", "<true><!-- a --></true>", .refused(.unexpectedElement)),
    .init("element in a string", "<string><true/></string>", .refused(.unexpectedElement)),
    .init(
        "string in a string", "<string>a<string>b</string></string>", .refused(.unexpectedElement)),
    .init("mismatched tags", "<array></dict>", .refused(.malformedXML)),
    .init("tag not closed", "<array>", .refused(.malformedXML)),
    .init("attribute", "<string a='b'>c</string>", .lenient(.attributes, .unexpectedElement, "c")),
    .init(
        "attribute whose name begins with `version`",
        document: "<plist versions='1'><true/></plist>",
        .lenient(.attributes, .unexpectedElement, true)),
    .init(
        "two attributes", document: "<plist version='1' b='c'><true/></plist>",
        .lenient(.attributes, .unexpectedElement, true)),
    .init("any version", document: "<plist version = '2.0' ><true/></plist>", .accepted(true)),
    .init("attribute twice", "<string a='b' a='b'/>", .refused(.malformedXML)),
]

private let textRules: [XMLRule] = [
    .init("empty strings", "<array><string/><string></string></array>", .accepted(["", ""])),
    string(" a\n\tb ", .accepted(" a\n\tb ")),
    string("a<![CDATA[<b>&amp;]]>c<![CDATA[]]>", .accepted("a<b>&amp;c")),
    string("&lt;&gt;&amp;&apos;&quot;", .accepted("<>&'\"")),
    string("a&amp;&amp;b&quot;", .accepted("a&&b\"")),
    string("&amp", .refused(.malformedXML)), string("&ampx;", .refused(.malformedXML)),
    string("&apos", .refused(.malformedXML)), string("&lt&gt;", .refused(.malformedXML)),
    string("&#65;&#x42;&#x1F600;&#000000000000067;", .accepted("AB😀C")),
    string("&#13;", .accepted("\r")),
    string("a\rb\r\nc\r", .accepted("a\rb\r\nc\r")),
    string(
        "\u{7F}\u{85}\u{2028}\u{FFFD}\u{FEFF}", .accepted("\u{7F}\u{85}\u{2028}\u{FFFD}\u{FEFF}")),
    string("a\u{1}b\u{1F}", .lenient(.rawControlCharacters, .malformedXML, "a\u{1}b\u{1F}")),
    string(
        "\u{FFFE}\r&lt;\u{FFFF}",
        .lenient(.rawControlCharacters, .malformedXML, "\u{FFFE}\r<\u{FFFF}")),
    string("\u{0}", .refused(.malformedXML)),
    string("&#9;&#10;\u{20}", .accepted("\t\n ")),
    string("<![CDATA[]]>&#8;\r\n", .lenient(.rawControlCharacters, .malformedXML, "\u{8}\r\n")),
    .init("zero in a key", "<dict><key>a\u{0}</key><true/></dict>", .refused(.malformedXML)),
    string("&#0;", .refused(.malformedXML)), string("&#x;", .refused(.malformedXML)),
    string("&#X41;", .refused(.malformedXML)), string("&#xD800;", .refused(.malformedXML)),
    string("&#x110000;", .refused(.malformedXML)),
    string(
        "&#1;&#x1F;&lt;&#xFFFE;",
        .lenient(.rawControlCharacters, .malformedXML, "\u{1}\u{1F}<\u{FFFE}")),
    string("&#4294967361;", .refused(.malformedXML)),
    string("&foo;", .refused(.malformedXML)), string("& ", .refused(.malformedXML)),
    .init(
        "unknown entity in a document that names an external DTD",
        document:
            "<!DOCTYPE plist SYSTEM 'file:///etc/passwd'><plist><string>&foo;</string></plist>",
        .refused(.unexpectedElement)),
    string("<!-- a -->", .refused(.unexpectedElement)),
    string("<?a?>", .refused(.unexpectedElement)),
    string("a ]]> b", .refused(.malformedXML)), string("<![CDATA[a", .refused(.malformedXML)),
    .init(
        "references in a key", "<dict><key>a&amp;<![CDATA[b]]></key><true/></dict>",
        .accepted(["a&b": true])),
]

private let scalarRules: [XMLRule] = [
    integer("0", .accepted(0)), integer("+1", .accepted(1)), integer("-0", .accepted(0)),
    integer("007", .accepted(7)), integer("-0x10", .accepted(-16)), integer("0XfF", .accepted(255)),
    integer("18446744073709551615", .accepted(.integer(PropertyListInteger(UInt64.max)))),
    integer("-9223372036854775808", .accepted(.integer(PropertyListInteger(Int.min)))),
    integer("<![CDATA[1]]>&#50;", .accepted(12)),
    integer("18446744073709551616", .refused(.invalidNumber)),
    integer("-9223372036854775809", .refused(.invalidNumber)),
    integer("", .refused(.invalidNumber)), integer("-", .refused(.invalidNumber)),
    integer("0x", .refused(.invalidNumber)), integer("1.0", .refused(.invalidNumber)),
    integer("1 2", .refused(.invalidNumber)), integer("\u{A0}1", .refused(.invalidNumber)),
    integer("- 1", .lenient(.paddedScalars, .invalidNumber, -1)),
    integer("١", .refused(.invalidNumber)),
    integer(" 5", .lenient(.paddedScalars, .invalidNumber, 5)),
    integer("5\n", .refused(.invalidNumber)),
    integer(" ", .refused(.invalidNumber)),
    real("1", .accepted(1.0)), real("1.", .accepted(1.0)), real(".5", .accepted(0.5)),
    real("+1", .accepted(1.0)), real("1E+5", .accepted(100_000.0)),
    real("1e400", .accepted(.real(PropertyListReal(Double.infinity)))),
    real("0.1", .accepted(0.1)), real("-0", .accepted(-0.0)),
    real("0.10000000000000001", .accepted(0.1)),
    real("nan", .accepted(.real(PropertyListReal(Double.nan)))),
    real("INF", .accepted(.real(PropertyListReal(Double.infinity)))),
    real(
        "\rinf",
        .lenient(
            .paddedScalars, .invalidNumber, .real(PropertyListReal(Double.infinity)))),
    real("-Infinity", .accepted(.real(PropertyListReal(-Double.infinity)))),
    real("", .refused(.invalidNumber)), real("-", .refused(.invalidNumber)),
    real("0x10", .refused(.invalidNumber)), real("1,5", .refused(.invalidNumber)),
    real("nan(1)", .refused(.invalidNumber)), real("1e", .refused(.invalidNumber)),
    real(" 1.5", .lenient(.paddedScalars, .invalidNumber, 1.5)),
    real("1.5 ", .refused(.invalidNumber)),
    date("2001-01-01T00:00:00Z", seconds(0)), date("2000-12-31T23:59:59Z", seconds(-1)),
    date("0000-12-31T00:00:00Z", seconds(-63_113_990_400)),
    date("12001-01-01T00:00:00Z", seconds(315_569_520_000)),
    date("2004-02-29T12:00:00Z", seconds(99_748_800)),
    date(
        "2001-13-01T00:00:00Z",
        .lenient(.looseDates, .invalidDate, .date(PropertyListDate(secondsSince2001: 31_536_000)))),
    date(
        "2001-13-45T25:61:61Z",
        .lenient(.looseDates, .invalidDate, .date(PropertyListDate(secondsSince2001: 35_431_321)))),
    date(
        "2001-02-29T00:00:00Z",
        .lenient(.looseDates, .invalidDate, .date(PropertyListDate(secondsSince2001: 5_097_600)))),
    date(" 2001-01-01T00:00:00Z", .refused(.invalidDate)),
    date("2001-01-01T00:00:00.5Z", .refused(.invalidDate)),
    date("2001-01-01T00:00:00", .refused(.invalidDate)),
    date("2001-01-01", .refused(.invalidDate)),
    date("2001-01-01t00:00:00z", .refused(.invalidDate)),
    date("2001-01-01T00:00:00+00:00", .refused(.invalidDate)), date("", .refused(.invalidDate)),
    date("99999999999999999999-01-01T00:00:00Z", .refused(.invalidDate)),
    data("", .accepted(.data([]))), data("AQID", .accepted(.data([1, 2, 3]))),
    data("\n\tAQ\r\nI=\t", .accepted(.data([1, 2]))),
    data("&#65;<![CDATA[QID]]>", .accepted(.data([1, 2, 3]))),
    data("AQI", .lenient(.looseBase64, .invalidData, .data([]))),
    data("!AQID", .lenient(.looseBase64, .invalidData, .data([1, 2, 3]))),
    data("AQ==AQID", .lenient(.looseBase64, .invalidData, .data([1, 1, 2, 3]))),
    data("é", .refused(.invalidData)), data("<!-- a -->", .refused(.unexpectedElement)),
    .init("no data", "<data/>", .accepted(.data([]))),
    .init("no integer", "<integer/>", .refused(.invalidNumber)),
    .init("no real", "<real/>", .refused(.invalidNumber)),
    .init("no date", "<date/>", .refused(.invalidDate)),
]

@Suite("XML reader")
struct XMLReaderTests {
    @Test(
        "each rule of the format gives the expected result",
        arguments: [prologRules, structureRules, textRules, scalarRules].joined())
    func rules(_ rule: XMLRule) throws {
        switch rule.answer {
        case .accepted(let expected):
            let document = try PropertyListDocument(parsing: rule.bytes)
            #expect(try document.root.value() == expected)
            #expect(document.leniencies == [])
            let lenient = try PropertyListDocument(parsing: rule.bytes, options: .appleCompatible)
            #expect(try lenient.root.value() == expected)
            #expect(lenient.leniencies == [])
        case .lenient(let option, let code, let expected):
            let error = try #require(parseError(rule.bytes))
            #expect(error.code == code)
            if option != .trailingContent || code == .trailingData {
                #expect(error.recovery?.contains("\(option)") == true)
            }
            #expect(parseError(rule.bytes, .appleCompatible.subtracting(option))?.code == code)
            let document = try PropertyListDocument(parsing: rule.bytes, options: option)
            #expect(try document.root.value() == expected)
            #expect(document.leniencies == option)
        case .refused(let code):
            #expect(parseError(rule.bytes)?.code == code)
            #expect(parseError(rule.bytes, .appleCompatible) != nil)
        }
    }

    @Test(
        "an error has the line, the column and the path",
        arguments: [
            ("<plist>\n<dict>\n\t<key>a</key>\n\t<integer>x</integer>\n</dict></plist>", 4, 2, "a"),
            ("<plist>\r\n<array>\r\t<true/>\n <foo/></array></plist>", 4, 2, "[1]"),
            (
                "<plist><array><true/><dict><key>é</key>\n<string>é<!-- --></string></dict></array></plist>",
                2, 10, "[1].é"
            ),
            ("<plist><array>\n<data>\n\tA!==\n</data></array></plist>", 3, 3, "[0]"),
            ("<plist>\n<string>\u{1}</string></plist>", 2, 9, nil),
            ("\u{FEFF}<plist>é\u{0}</plist>", 1, 9, nil),
            ("<plist><dict>\n<key>a</key><true/>\n<key>a</key><true/></dict></plist>", 3, 1, ""),
            ("<plist>\n<array></dict>\n</plist>", 2, 15, nil),
            ("<plist>\n<true/></plist>\nx", 3, 1, nil),
            ("<!DOCTYPE\nplist [", 2, 7, nil),
            ("<plist>\n <dict><key>a</key></dict></plist>", 2, 20, "a"),
            ("<plist>\n <array a=''/></plist>", 2, 2, ""),
        ] as [(String, Int, Int, String?)])
    func places(_ text: String, _ line: Int, _ column: Int, _ path: String?) throws {
        let error = try #require(parseError(Array(text.utf8)))
        #expect(error.location?.line == line)
        #expect(error.location?.column == column)
        if let path { #expect(error.path?.description == path) }
        #expect(error.description.contains("line \(line), column \(column)"))
    }

    @Test("finds a forbidden character at any position within a machine word")
    func characters() {
        for byte: UInt8 in 0..<0x80 where byte != UInt8(ascii: "<") && byte != UInt8(ascii: "&") {
            let isAllowed = byte >= 0x20 || [0x09, 0x0A, 0x0D].contains(byte)
            for place in 0..<9 {
                var bytes = xml("<string>\(String(repeating: "a", count: 20))</string>")
                bytes[32 + place] = byte
                #expect(
                    parseError(bytes)?.code == (isAllowed ? nil : .malformedXML),
                    "\(byte) at \(place)"
                )
            }
        }
    }

    @Test("if `$objects` occurs twice, the entry that a lookup finds decides whether UIDs are read")
    func duplicateObjects() throws {
        func document(_ objects: String, _ options: ParsingOptions) throws -> PropertyListDocument {
            let text = """
                <plist><dict><key>$archiver</key><string>A</string><key>$version</key>
                <integer>100000</integer>\(objects)<key>$top</key><dict><key>root</key>
                <dict><key>CF$UID</key><integer>1</integer></dict></dict></dict></plist>
                """
            return try PropertyListDocument(parsing: text.utf8, options: options)
        }
        let (text, array) = (
            "<key>$objects</key><string/>", "<key>$objects</key><array><true/></array>"
        )
        for (objects, options, isArchive) in [
            (text + array, .duplicateKeys, true), (array + text, .duplicateKeys, false),
            (text + array, .allDuplicateKeys, false), (array + text, .allDuplicateKeys, true),
        ] as [(String, ParsingOptions, Bool)] {
            let document = try document(objects, options)
            #expect(document.looksLikeKeyedArchive == isArchive)
            #expect((document.root["$top"]?["root"]?.kind == .uid) == isArchive)
        }
    }

    @Test("counts the lines before a declaration that follows white space")
    func leadingLines() {
        let text = "\n\n<?xml version='1.0' encoding='UTF-8'?>\n<plist>\n<foo/></plist>"
        let error = parseError(Array(text.utf8), .leadingWhitespace)
        #expect(error?.location?.line == 5 && error?.location?.column == 1)
    }

    @Test("errors do not quote values")
    func messages() throws {
        let error = try #require(
            parseError(xml("<dict><key>k</key><integer>secret</integer></dict>")))
        #expect(!error.description.contains("secret"))
    }

    @Test("keeps the document type and the order of keys")
    func document() throws {
        let text =
            "<!DOCTYPE plist PUBLIC '-//A//B' 'c'><plist><dict><key>b</key><true/><key>a</key><true/></dict></plist>"
        let document = try PropertyListDocument(parsing: Array(text.utf8))
        #expect(
            document.xmlHeader
                == XMLHeader(publicIdentifier: "-//A//B", systemIdentifier: "c"))
        #expect(document.root.dictionary?.map(\.key) == ["b", "a"])
        #expect(document.format == .xml)
        #expect(document.root["a"]?.location?.column == 82)
    }

    @Test(
        "keeps a version of up to 15 characters as written between its quotes",
        arguments: [
            " ", "1.0", "1 0", "", "123456789012345", "1234567890123456", "a=b", "=", "a' = 'b",
        ])
    func version(_ version: String) throws {
        let text = "<plist version = \"\(version)\" ><true/></plist>"
        let document = try PropertyListDocument(parsing: text.utf8)
        #expect(document.xmlHeader?.version == (version.count < 16 ? version : nil))
    }

    @Test("reads files with more tags than fit in one batch of the scanner")
    func batches() throws {
        let body =
            String(repeating: "<array><true/>", count: 400)
            + String(repeating: "</array>", count: 400)
        let rows = String(repeating: "<dict><key>a</key><string>b</string></dict>", count: 2000)
        let document = try PropertyListDocument(parsing: xml("<array>\(body)\(rows)</array>"))
        #expect(document.root.array?.count == 2001)
        #expect(document.root[2000]?["a"]?.string == "b")
    }
}

@Suite("UIDs in XML")
struct XMLUIDTests {
    private func archive(_ object: String) -> [UInt8] {
        xml(
            "<dict><key>$archiver</key><string>a</string><key>$version</key><integer>100000</integer>"
                + "<key>$top</key><dict/><key>$objects</key><array>\(object)</array></dict>")
    }

    @Test(
        "turns `CF$UID` dictionaries in an archive into UIDs if the number fits",
        arguments: [
            ("<integer>5</integer>", 5), ("<integer>0</integer>", 0),
            ("<integer>4294967295</integer>", 4_294_967_295),
            ("<integer>4294967296</integer>", nil),
            ("<integer>-1</integer>", nil), ("<real>5</real>", nil), ("<string>5</string>", nil),
        ] as [(String, UInt32?)])
    func archives(_ number: String, _ expected: UInt32?) throws {
        let document = try PropertyListDocument(
            parsing: archive("<dict><key>CF$UID</key>\(number)</dict>"))
        let node = try #require(document.root["$objects"]?[0])
        #expect(node.uid?.value == expected)
        if expected == nil { #expect(node.kind == .dictionary) }
        #expect(document.leniencies == [])
    }

    @Test("keeps `CF$UID` dictionaries outside archives, unless an option is set")
    func elsewhere() throws {
        let bytes = xml("<array><dict><key>CF$UID</key><integer>5</integer></dict></array>")
        #expect(try value(bytes) == [["CF$UID": 5]])
        let document = try PropertyListDocument(parsing: bytes, options: .uidDictionaries)
        #expect(document.root[0]?.uid?.value == 5)
        #expect(document.leniencies == .uidDictionaries)
    }

    @Test("keeps `CF$UID` dictionaries with another entry")
    func furtherEntries() throws {
        let bytes = archive("<dict><key>CF$UID</key><integer>5</integer><key>a</key><true/></dict>")
        #expect(try PropertyListDocument(parsing: bytes).root["$objects"]?[0]?.kind == .dictionary)
    }
}

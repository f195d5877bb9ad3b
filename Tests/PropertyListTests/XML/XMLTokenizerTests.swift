// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList

/// Malformed text, divided at the position where the error is expected.
struct XMLViolation: CustomTestStringConvertible, Sendable {
    let before: String
    let after: String

    var testDescription: String { "\(before)⟨here⟩\(after)" }

    init(_ before: String, _ after: String) {
        self.before = before
        self.after = after
    }

    /// Returns a violation inside `<plist>`.
    static func body(_ before: String, _ after: String) -> XMLViolation {
        .init("<plist>\n" + before, after)
    }

    /// Returns a violation before `<plist>`.
    static func prolog(_ before: String, _ after: String) -> XMLViolation {
        .init(before, after + "<plist><true/></plist>")
    }
}

private let markup: [XMLViolation] = [
    .body("<!-- a ", "-- b --><true/></plist>"), .body("<!--a", "---><true/></plist>"),
    .body("<!-- é --", " b --><true/></plist>"), .body("<!-- a", ""), .body("<!-- é-", ""),
    .body("<?", "?><true/></plist>"), .body("<?", " a?><true/></plist>"),
    .body("<?xml", " version='1.0'?><true/></plist>"), .body("<?XmL", "?><true/></plist>"),
    .body("<?a", "=b?><true/></plist>"), .body("<?a b", ""), .body("<?a ?", ""),
    .body("<string><![CDATA[a]]", ""), .body("<string><![CDATA[", ""),
    .body("<", "![cdata[a]]></plist>"), .body("<", "!DOCTYPE a></plist>"),
]

private let characters: [XMLViolation] = [
    .body("<string>", "a]]></string></plist>"), .body("<string>a&lt;", "b]]]></string></plist>"),
    .body("<string>é]", "]]></string></plist>"), .body("<string>a", ""),
    .body("<string>&", " </string></plist>"), .body("<string>&lt", "</string></plist>"),
    .body("<string>&", ""), .body("<string>&#x4", "G;</string></plist>"),
    .body("<string>&#", "X41;</string></plist>"), .body("<string>&#4", ""),
    .body("<string>&#;", "</string></plist>"), .body("<string>&#x;", "</string></plist>"),
    .body("<string>&#xD800;", "</string></plist>"), .body("<string>&#0;", "</string></plist>"),
    .body("<string>&#x110000;", "</string></plist>"),
    .body("<string>&#99999999999999999999;", "</string></plist>"),
    .body("<string>&#8;", "</string></plist>"), .body("<string>&foo;", "</string></plist>"),
    .body("<string>&LT;", "</string></plist>"),
]

private let tags: [XMLViolation] = [
    .body("<", " array/></plist>"), .body("<", "1/></plist>"), .body("<", ""),
    .body("<array", ""), .body("<array ", ""), .body("<array ", "1='a'/></plist>"),
    .body("<array", "/ ></plist>"), .body("<array a ", "/></plist>"), .body("<array a", ""),
    .body("<array a=", "b/></plist>"), .body("<array a='", "<'/></plist>"),
    .body("<array a='b", ""), .body("<array a='b'", ""), .body("<array a='b'", "c='d'/></plist>"),
    .body("<array a='&", "'/></plist>"), .body("<array a='&b;", "'/></plist>"),
    .body("<array a='b' c='d' a='b' ", "/></plist>"),
    .body("<array xmlns:a='b' xmlns:a='c'", " d=''/></plist>"),
    .body("<array xmlns='b' xmlns='c'", "/></plist>"),
    .body("<array></array", "/></plist>"), .body("<array></ ", "array></plist>"),
    .body("<array></>", "</plist>"), .body("<array></dict>", "</plist>"),
    .body("<array></arrays>", "</plist>"), .body("<array></array", ""), .body("<array/>", ""),
    .body("<array>", ""),
]

private let prologs: [XMLViolation] = [
    .init("", ""), .init("", "a<plist/>"), .init("<!-- a -->", ""), .init("<!-- a -->", "a"),
    .init("\u{FEFF}", "a<plist/>"), .init("<", "/plist>"), .prolog("<?xml ", "?>"),
    .prolog("<?xml ", "standalone='no'?>"), .prolog("<?xml version", "?>"),
    .prolog("<?xml version=", "1.0?>"), .prolog("<?xml version='1.0", "\"?>"),
    .prolog("<?xml version='1", "1.0'?>"), .prolog("<?xml version=''", "?>"),
    .prolog("<?xml version='1'", "?>"), .prolog("<?xml version='2.0'", "?>"),
    .prolog("<?xml version='1.0'", "standalone='no'?>"), .prolog("<?xml version='1.0' ", "a='b'?>"),
    .prolog("<?xml version='1.0' standalone", "?>"),
    .prolog("<?xml version='1.0' standalone=", "no?>"),
    .prolog("<?xml version='1.0' standalone='", "maybe'?>"),
    .prolog("<?xml version='1.0' standalone='yes", "\"?>"), .prolog("<?xml version='1.0' ", ">"),
    .prolog("<!DOCTYPE ", "1>"), .prolog("<!DOCTYPE", ">"), .prolog("<!DOCTYPE plist ", "x>"),
    .prolog("<!DOCTYPE plist SYSTEM", "'a'>"), .prolog("<!DOCTYPE plist SYSTEM ", "a>"),
    .init("<!DOCTYPE plist SYSTEM 'a><plist/>", ""), .prolog("<!DOCTYPE plist PUBLIC", ">"),
    .prolog("<!DOCTYPE plist PUBLIC 'a", "&' 'b'>"), .prolog("<!DOCTYPE plist PUBLIC 'a'", "'b'>"),
    .prolog("<!DOCTYPE plist PUBLIC 'a' ", ">"), .prolog("<!DOCTYPE plist ", "[]>"),
    .prolog("<!DOCTYPE plist SYSTEM 'a'", "[<!ENTITY b 'c'>]>"),
    .prolog("<!DOCTYPE plist>", "[]>"), .prolog("<!DOCTYPE plist>", "[<!ENTITY b 'c'>]>"),
    .prolog("<!DOCTYPE plist>\n<", "!DOCTYPE plist>"), .prolog("<?a?>\n<?xml", " version='1.0'?>"),
]

private let violations = markup + characters + tags + prologs

/// The engines of this build.
private let engines = XMLEngine.allCases.filter(\.isAvailable)

private func parse(
    _ text: String, _ engine: XMLEngine, _ options: ParsingOptions = .strict
) throws(PropertyListError) -> PropertyListDocument {
    try PropertyListDocument(
        parsingXML: Array(text.utf8), engine: engine, options: options, limits: .default)
}

private func failure(
    _ text: String, _ engine: XMLEngine, _ options: ParsingOptions = .strict
) -> PropertyListError? {
    do throws(PropertyListError) {
        _ = try parse(text, engine, options)
        return nil
    } catch {
        return error
    }
}

@Suite("XML tokenizer")
struct XMLTokenizerTests {
    @Test(
        "reports the position of a violation of XML's rules",
        arguments: violations, [XMLEngine.fastest, .tokenizer])
    func places(_ violation: XMLViolation, _ engine: XMLEngine) throws {
        try check(violation, engine)
    }

    @Test(
        "the tokenizer and libxml2 report the same position of a violation of XML's rules",
        .enabled(if: XMLEngine.libxml2.isAvailable, "the trait `LibXML2` is off"),
        arguments: violations)
    func samePlaces(_ violation: XMLViolation) throws {
        for engine in [XMLEngine.tokenizer, .libxml2] { try check(violation, engine) }
    }

    private func check(_ violation: XMLViolation, _ engine: XMLEngine) throws {
        let text = violation.before + violation.after
        // The error must be the same whether or not attributes and trailing content are allowed.
        for options in [ParsingOptions.strict, [.attributes, .trailingContent]] {
            let error = try #require(failure(text, engine, options))
            #expect(error.code == .malformedXML)
            #expect(error.location?.byte == violation.before.utf8.count)
            let lines = violation.before.unicodeScalars.split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(error.location?.line == lines.count)
            let mark = violation.before.unicodeScalars.first == "\u{FEFF}" ? 1 : 0
            #expect(error.location?.column == (lines.last?.count ?? 0) + 1 - mark)
        }
    }

    @Test(
        "the error about a start tag that is cut off names the missing `>`",
        arguments: ["", " ", " a='b' "], engines)
    func cutOff(_ end: String, _ engine: XMLEngine) throws {
        let error = try #require(failure("<plist version='1.0'><dict\(end)", engine, .attributes))
        #expect(error.what == "expected `>`, found the end of the text")
        #expect(error.recovery == "the file may be truncated: copy or download it again")
    }

    @Test(
        "the advice about truncation is for text that ends within its last tag or declaration",
        arguments: [
            ("<", true), ("<!-", true), ("<!-- a", true), ("<tru", true), ("</dic", true),
            ("<![CDA", true), ("<?a b", true), ("</plist>\n", false), ("<!-><true/>", false),
            ("<true/", true), ("a &b; c", false),
        ], engines)
    func truncation(_ end: (String, Bool), _ engine: XMLEngine) throws {
        let error = try #require(failure("<plist version='1.0'><dict>" + end.0, engine))
        let advice = error.recovery?.contains("truncated") ?? false
        #expect(advice == end.1, "\(error)")
    }

    @Test(
        "the error about a prolog that is cut off says that the file may be truncated",
        arguments: ["<?xml version='1.0' enc", "<!DOC", "<!DOCTYPE plist PUB", "<!-"], engines)
    func prologCutOff(_ text: String, _ engine: XMLEngine) throws {
        let error = try #require(failure(text, engine))
        #expect(error.recovery?.contains("truncated") == true, "\(error)")
    }

    @Test(
        "text without a root element is not called truncated",
        arguments: ["hello", "<?xml version='1.0'?>\nhello"], engines)
    func otherText(_ text: String, _ engine: XMLEngine) throws {
        let error = try #require(failure(text, engine))
        #expect(error.recovery?.contains("truncated") != true, "\(error)")
    }

    @Test(
        "text after the root is refused as trailing data",
        arguments: [
            ("", "x"), ("\n<!-- a -->\n", "<plist/>"), ("", "&lt;"), ("<!-- a ", "-- -->"),
            ("<?", "?>"),
            ("<!-- a", ""), ("<?xml", "?>"), ("", "</plist>"), ("", "]]>"),
        ], engines)
    func trailing(_ end: (String, String), _ engine: XMLEngine) throws {
        let before = "<plist><true/></plist>" + end.0
        let error = try #require(failure(before + end.1, engine))
        #expect(error.code == .trailingData)
        #expect(error.location?.byte == before.utf8.count)
        let document = try parse(before + end.1, engine, .trailingContent)
        #expect(document.leniencies == .trailingContent)
        #expect(document.root.kind == .boolean)
    }

    @Test(
        "reads every form of a well-formed document",
        arguments: [
            "<?xml version='1.0' standalone='yes'?><plist>%</plist>",
            "<?xml\tversion = \"1.1\"\n encoding = 'UTF-8' standalone=\"no\" ?>\n<plist>%</plist>",
            "\u{FEFF}<?xml version='1.0'?><!-- é - - --><?é ?a??><plist>%</plist>",
            "<!DOCTYPE plist><plist>%</plist>", "<!DOCTYPE é:b SYSTEM \"'é>[\" ><plist>%</plist>",
            "<!DOCTYPE plist PUBLIC \"-'()+,./:=?;!*#@$_%%\" '\"' >\n<plist>%</plist>",
            "<plist\n>%</plist\n><!-- < & ]]> --><?a b?>\n",
            "<plist><?a <b>?>%<!-- -a- --></plist>",
            "\r\n<plist>\r%\r</plist>\r",
        ], engines)
    func forms(_ form: String, _ engine: XMLEngine) throws {
        let body = """
            <array><string>a&lt;<![CDATA[&lt;]]]]>&#x0000000000000041;é>]</string><!-- a --><true ></true
            ><?b?><integer>&#49;<![CDATA[2]]></integer><dict ><!--c--><key>k</key ><?d e?><false /></dict
            ></array>
            """
        // The last `%` marks the position of the values.
        let parts = form.split(separator: "%", omittingEmptySubsequences: false)
        let text = "\(parts.dropLast().joined(separator: "%"))\(body)\(parts.last ?? "")"
        let document = try parse(text, engine)
        #expect(try document.root.value() == ["a<&lt;]]Aé>]", true, 12, ["k": false]])
        #expect(document.leniencies == [])
    }

    @Test("keeps the identifiers of a document type up to a maximum length", arguments: engines)
    func identifiers(_ engine: XMLEngine) throws {
        for (count, isKept) in [(0, false), (1, true), (127, true), (128, false)] {
            let name = String(repeating: "a", count: count)
            let text = "<!DOCTYPE a PUBLIC '\(name)' \"\(name)\"><plist><?b?><true/></plist>"
            let header = try #require(try parse(text, engine).xmlHeader)
            #expect(header.publicIdentifier == (isKept ? name : nil))
            #expect(header.systemIdentifier == (isKept ? name : nil))
        }
    }

    @Test("accepts an undeclared entity as well-formed only if an external subset could declare it")
    func entities() {
        let body = "<plist><string>&a;</string></plist>"
        for engine in engines {
            let external = "<!DOCTYPE plist SYSTEM 'a'>" + body
            #expect(failure(external, engine)?.code == .unexpectedElement)
            let alone = "<?xml version='1.0' standalone='yes'?>" + external
            #expect(failure(alone, engine)?.code == .malformedXML)
            #expect(failure("<!DOCTYPE plist>" + body, engine)?.code == .malformedXML)
        }
    }

    @Test("accepts attributes of any form with the option", arguments: engines)
    func attributes(_ engine: XMLEngine) throws {
        let text =
            "<plist a:b='&lt;&#65;' é=\"'\" a:c\n=\n'' xmlns:d='e' xmlns='f'><true a='/'/></plist>"
        #expect(failure(text, engine)?.code == .unexpectedElement)
        let document = try parse(text, engine, .attributes)
        #expect(document.leniencies == .attributes)
    }

    @Test(
        "conforms to XML in cases where libxml2 does not",
        arguments: [XMLEngine.fastest, .tokenizer])
    func strictness(_ engine: XMLEngine) throws {
        for zeros in [9, 10, 11, 21, 500] {
            let reference = "&#x" + String(repeating: "0", count: zeros) + "A;"
            let document = try parse("<plist><string>\(reference)</string></plist>", engine)
            #expect(document.root.string == "\n")
        }
        let twice = "<plist><array xmlns:a='' xmlns:a='' b=''/></plist>"
        #expect(failure(twice, engine, .attributes)?.code == .malformedXML)
    }

    @Test("classifies the characters that begin and continue names")
    func names() {
        let starts: [ClosedRange<UInt32>] = [
            0x3A...0x3A, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0xC0...0xD6, 0xD8...0xF6,
            0xF8...0x2FF,
            0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF,
            0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF,
        ]
        let others: [ClosedRange<UInt32>] = [
            0x2D...0x2E, 0x30...0x39, 0xB7...0xB7, 0x300...0x36F, 0x203F...0x2040,
        ]
        // The edges of each range, and their neighbors.
        for edge in (starts + others).flatMap({ [$0.lowerBound, $0.upperBound] }) {
            for scalar in (edge - 1)...(edge + 1) where Unicode.Scalar(scalar) != nil {
                let isStart = starts.contains { $0.contains(scalar) }
                let isPart = isStart || others.contains { $0.contains(scalar) }
                #expect(XMLName.isStart(scalar) == isStart, "\(scalar)")
                #expect(XMLName.isPart(scalar) == isPart, "\(scalar)")
            }
        }
    }

    @Test(
        "finds the ends of names",
        arguments: [
            ("a", 1, 1), ("a b", 1, 1), ("é1-.·:b=", 9, 9), ("1", nil, nil), ("", nil, nil),
            ("-a", nil, nil),
            (":a", 2, 2), ("a:", 2, 2), ("a:1", 3, 3), ("a:b:c", 5, 5), ("a:b:1", 5, 4),
            ("a>b", 1, 1),
        ] as [(String, Int?, Int?)])
    func ends(_ text: String, _ end: Int?, _ qualified: Int?) {
        let bytes = Array(text.utf8)
        #expect(XMLName.end(bytes.span, from: 0) == end)
        #expect(XMLName.endOfQualified(bytes.span, from: 0) == qualified)
    }

    @Test("refuses nesting beyond the limit before reading on")
    func depth() {
        let text = String(repeating: "<array>", count: 100_000)
        for engine in engines {
            let error = failure("<plist><?a?>" + text, engine)
            #expect(error?.code == .depthLimitExceeded)
        }
    }
}

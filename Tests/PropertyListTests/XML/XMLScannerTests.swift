// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import FuzzTargets
import TestSupport
import Testing

@testable import PropertyList

private let allOptions: [ParsingOptions] = [.strict, .appleCompatible, .forensic, .salvage]

/// Values in uncommon forms, and text that resembles the common form.
private let oddities: [String] = [
    "<string>a]]>b</string>", "<string>]]></string>", "<string>]]&gt;</string>",
    "<string>a>b</string>", "<string>\u{1}</string>", "<string>\u{7F}\u{80}</string>",
    "<string>\u{FFFE}</string>", "<string>&#1;</string>", "<string>&#x00000000001;</string>",
    "<string>&#x0000000000041;</string>", "<string>&lt;&amp;&#65;&#x42;&quot;</string>",
    "<string>&nbsp;</string>", "<string>&lt</string>", "<string>&#xD800;</string>",
    "<string>&#9;&#10;&#13;</string>", "<string>a\r\nb\rc</string>", "<string >a</string>",
    "<string>a</string >", "<string>a</strings>", "<string><![CDATA[a]]></string>",
    "<string>a<!-- b -->c</string>", "<string/>", "<string />", "<string></string>",
    "<array/>", "<array></array>", "<array />", "<dict/>", "<dict></dict>", "<data/>",
    "<data></data>", "<data>QQ==</data>", "<data>Q Q=\n=</data>", "<data>QQ=</data>",
    "<data>Q&#81;==</data>", "<data>\u{B}QQ==</data>", "<true/>", "<true></true>", "<false/>",
    "<true>a</true>", "<integer>0</integer>", "<integer></integer>", "<integer/>",
    "<integer>+1</integer>", "<integer>-9223372036854775808</integer>",
    "<integer>18446744073709551615</integer>", "<integer>18446744073709551616</integer>",
    "<integer>000000000000000000000000000012</integer>", "<integer> 1 </integer>",
    "<integer>0xFF</integer>", "<integer>1&#50;</integer>", "<integer>1e3</integer>",
    "<integer>99999999</integer>", "<integer>123456789012345678</integer>",
    "<integer>1234567890123456789</integer>", "<integer>12a</integer>",
    "<real>1</real>", "<real>nan</real>", "<real>-Infinity</real>", "<real>1e999</real>",
    "<real>1,5</real>", "<real> 1</real>", "<real/>", "<date>2001-01-01T00:00:00Z</date>",
    "<date>2001-13-01T00:00:00Z</date>", "<date>-0001-01-01T00:00:00Z</date>", "<date/>",
    "<key>a</key>", "<dict><key>a</key></dict>", "<dict><key/><true/></dict>",
    "<dict><key></key><true/></dict>", "<dict><string>a</string><true/></dict>",
    "<dict><key>a</key><true/><key>a</key><false/></dict>",
    "<dict><key>&lt;</key><true/></dict>", "<dict><key>CF$UID</key><integer>1</integer></dict>",
    "<array><dict/></dict>", "<array></dict>", "<dict></array>", "<array><array></array>",
    "<true/><true/>", "", "text", "<array>text</array>", "<array><!-- c --><true/></array>",
    "<array><!----></array>", "<array><!--> --></array>", "<array><!---> --></array>",
    "<array><!-- a--b --></array>", "<array><!-- a ---></array>", "<array><!-- \u{1} --></array>",
    "<array><!-- & < > --></array>", "<array><!-- é --></array>", "<array><!-- a",
    "<array><?p?></array>",
    "<plist><true/></plist>", "<set/>", "<String>a</String>", "<array a=\"b\"/>",
    "<array><!-- é -- --></array>", "<array><!-- é--", "<array><!--", "<array><!-- -", "<array><!-",
    "<array><?p q?></array>", "<array><?p", "<array><?p ?", "<array><??></array>",
    "<array><?p=q?></array>", "<array><?xml?></array>", "<array><?XML a?></array>",
    "<array><?xmlns a?></array>", "<array><?é:b ü?></array>", "<array><?1?></array>",
    "<array><!DOCTYPE a></array>", "<array><!x></array>", "<array><1/></array>",
    "<array>< b/></array>",
    "<array></></array>", "<array></ array>", "<array></array/>", "<array></arrayé>",
    "<array></array\n>", "<array\n/>", "<array/ >", "<array a/>", "<array a=/>", "<array a=b/>",
    "<array a='b/>", "<array a='<'/>", "<array a='&lt;&#65;'/>", "<array a='&b;'/>",
    "<array a='&'/>", "<array a='b'c='d'/>", "<array a='b' a='c'/>",
    "<array a = \"b\" c\n=\n'd' />",
    "<array a='b' c='' a='c' d=''/>", "<array xmlns='a' xmlns='b'/>",
    "<array xmlns:a='b' xmlns:a='c' d=''/>", "<array :a='b' a:='c' a:1='d' a:b:c='e'/>",
    "<array a:b:1='c'/>", "<array é='b'/>", "<array ·='b'/>", "<array a·='b'/>", "<array a=''",
    "<array a='' ", "<array a", "<array ", "<array", "<", "<a:b/>", "<:b/>", "<a:/>",
    "<string>é]]></string>", "<string>a\né]]]></string>", "<string>a]]]></string>",
    "<string>a&lt;b]]></string>", "<string>]]", "<string><![CDATA[</string>", "<string><![CDATA[]]",
    "<string><![CDATA[]]]]><![CDATA[>]]></string>", "<string><![CDATA[é]]>]]></string>",
    "<string><![cdata[a]]></string>", "<string>&#;</string>", "<string>&#x;</string>",
    "<string>&#X41;</string>", "<string>&#6a;</string>", "<string>&#x6g;</string>", "<string>&#",
    "<string>&#x", "<string>&#6", "<string>&", "<string>&a", "<string>&é;</string>",
    "<string>&a b;</string>", "<string>&:;</string>", "<string>&#x10FFFF;&#x10FFFE;</string>",
    "<string>&#1114112;</string>", "<string>&#99999999999999999999;</string>",
    "<string>&#55296;</string>", "<string>&#xFFFF;</string>", "<string a='&#1;'>b</string>",
]

private let prologs: [String] = [
    "", "<?xml version=\"1.0\"?>", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n",
    "<?xml version=\"1.0\" encoding=\"utf8\"?>", "<?xml version=\"1.0\" encoding=\"US-ASCII\"?>",
    "<?xml version=\"1.0\" encoding=\"\"?>", "<?xml version=\"1.0\" encoding=\"a b\"?>",
    "<?xml version=\"1.0\" encoding=\"-\"?>", "<?xml version=\"1.0\" encoding=\"nonsense\"?>",
    "<?xml version=\"1.1\"?>", "<?xml version='1.0'?>",
    "<?xml version=\"1.0\" standalone=\"yes\"?>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\" ?>", "\u{FEFF}", " ", " <?xml version=\"1.0\"?>",
    "<!DOCTYPE plist SYSTEM \"a\">",
    "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"b\">",
    "<!DOCTYPE plist PUBLIC \"a_b\" \"b\">", "<!DOCTYPE plist PUBLIC \" a  b\" \"b\">",
    "<!DOCTYPE plist>", "<!DOCTYPE dict SYSTEM \"a\">", "<!DOCTYPE plist [<!ENTITY a \"b\">]>",
    "<!DOCTYPE plist PUBLIC \"\(String(repeating: "a", count: 127))\" \"b\">",
    "<!DOCTYPE plist SYSTEM \"\(String(repeating: "a", count: 128))\">",
    "<!DOCTYPE plist PUBLIC \"a\" \"b\"><!DOCTYPE plist SYSTEM \"a\">", "<!-- c -->", "<?p?>",
    "<!-- c --><?xml version=\"1.0\"?>", "<?xml version=\"1.\"?>", "<?xml version=\"1\"?>",
    "<?xml version=\"\"?>", "<?xml version=\"1.0?>", "<?xml version=\"a\"?>", "<?xml version?>",
    "<?xml version=1.0?>", "<?xml version=\"2.0\"?>", "<?xml version=\"11.0\"?>", "<?xml?>",
    "<?xml ?>", "<?xml encoding=\"UTF-8\"?>", "<?xml version=\"1.0\"encoding=\"UTF-8\"?>",
    "<?xml version=\"1.0\" encoding?>", "<?xml version=\"1.0\" encoding=UTF-8?>",
    "<?xml version=\"1.0\" encoding=\"UTF-8?>",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"standalone=\"no\"?>",
    "<?xml version=\"1.0\" standalone=\"no\" ?>", "<?xml version=\"1.0\" standalone='yes\"?>",
    "<?xml version=\"1.0\" standalone=\"maybe\"?>", "<?xml version=\"1.0\" standalone?>",
    "<?xml version=\"1.0\" standalone=yes?>", "<?xml version=\"1.0\" a=\"b\"?>",
    "<?xml version=\"1.0\" ?", "<?xml version=\"1.0\" >", "<?xml\n\tversion\n=\n'1.0'\n?>",
    "<!DOCTYPE>", "<!DOCTYPE 1>", "<!DOCTYPEplist>", "<!DOCTYPE é>", "<!DOCTYPE plist x>",
    "<!DOCTYPE plist SYSTEM>", "<!DOCTYPE plist SYSTEM\"a\">", "<!DOCTYPE plist SYSTEM a>",
    "<!DOCTYPE plist SYSTEM \"a>", "<!DOCTYPE plist SYSTEM \"é>\">", "<!DOCTYPE plist SYSTEM \"\">",
    "<!DOCTYPE plist PUBLIC>", "<!DOCTYPE plist PUBLIC \"a\">",
    "<!DOCTYPE plist PUBLIC \"a\"\"b\">",
    "<!DOCTYPE plist PUBLIC \"é\" \"b\">", "<!DOCTYPE plist PUBLIC 'a\"' 'b'>",
    "<!DOCTYPE plist PUBLIC 'a[b' 'b'>", "<!DOCTYPE plist PUBLIC \"a'b\" 'c' >",
    "<!DOCTYPE plist PUBLIC 'a' 'b' [", "<!DOCTYPE plist PUBLIC 'a' 'b' [<!-- ]>",
    "<!DOCTYPE plist [", "<!DOCTYPE plist>[", "<!DOCTYPE plist>[]>", "<!DOCTYPE plist> []>",
    "<!DOCTYPE plist SYSTEM 'a'>[<!ENTITY a \"b\">]>",
    "<!DOCTYPE plist SYSTEM 'a' x>", "<!doctype plist>", "<?p?><!DOCTYPE plist><?p q?>",
    "\u{FEFF}<?xml version=\"1.0\"?>", "\u{FEFF} <?xml version=\"1.0\"?>", "é", "&lt;",
]

private func check(_ text: String) throws { try check(Array(text.utf8)) }

private func check(_ bytes: [UInt8], _ all: [ParsingOptions] = allOptions) throws {
    for options in all {
        try checkXMLEngines(bytes, options: options, limits: .default)
    }
}

@Suite("Agreement of the XML engines")
struct XMLScannerAgreementTests {
    @Test("the XML engines agree on uncommon values", arguments: oddities)
    func values(_ body: String) throws {
        try check("<plist version=\"1.0\">\(body)</plist>")
        try check("<plist version=\"1.0\">\n<array>\n\t\(body)\n</array>\n</plist>\n")
        try check("<plist><dict><key>k</key>\(body)</dict></plist>")
    }

    @Test("the XML engines agree on uncommon prologs", arguments: prologs)
    func heads(_ prolog: String) throws {
        for start in [
            "<plist version=\"1.0\">", "<plist>", "<plist version=\"\">", "<plist  version=\"1\">",
            "<plist version=\"0123456789abcde\">", "<plist version=\"0123456789abcdef\">",
            "<plist version='1.0'>", "<plist version=\"1.0\" a=\"b\">", "",
        ] {
            try check("\(prolog)\(start)<string>é</string></plist>")
        }
    }

    @Test(
        "the XML engines agree on uncommon endings",
        arguments: [
            "", "\n", " \t\r\n", "<!-- c -->", "<!-- c -->x", "x", "<plist/>", "\u{0}", "\u{C}",
            "<?p?>", "<?p", "<?xml?>", "<!-- é -- -->", "<!--", "&lt;", "<", "<!DOCTYPE a>", "]]>",
            "é",
            "</plist>",
        ])
    func ends(_ end: String) throws {
        try check("<plist version=\"1.0\"><true/></plist>\(end)")
        try check("<plist version=\"1.0\"><true/></plist >\(end)")
        try check("<plist version=\"1.0\"><true/>\(end)")
    }

    @Test(
        "the XML engines agree on entities that an external subset might declare",
        arguments: ["yes", "no"])
    func entities(_ standalone: String) throws {
        for type in [
            "", "<!DOCTYPE plist>", "<!DOCTYPE plist SYSTEM 'a'>", "<!DOCTYPE a SYSTEM ''>",
        ] {
            for body in [
                "<string>&a;</string>", "<string b='&a;'>c</string>", "<array>&a;</array>",
            ] {
                try check(
                    "<?xml version='1.0' standalone='\(standalone)'?>\(type)<plist>\(body)</plist>")
            }
        }
    }

    @Test("the XML engines agree at the limit on depth", arguments: [3, 4, 5])
    func depth(_ levels: Int) throws {
        let open = String(repeating: "<array>", count: levels)
        let close = String(repeating: "</array>", count: levels)
        try checkXMLEngines(
            Array("<plist>\(open)\(close)</plist>".utf8), options: [],
            limits: ParsingLimits(
                depth: 4, inputSize: 1000, expansion: .init(factor: 9, base: 99),
                output: .init(factor: 9, base: 999)))
    }

    @Test("the XML engines agree on every prefix of a document")
    func cuts() throws {
        let whole = Array(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict><key>é</key><string>a&amp;é</string><key>n</key>
            <array><integer>12</integer><real>1.5</real><data>QUJD</data><true/></array></dict></plist>
            """.utf8)
        for count in whole.indices { try check(Array(whole[..<count])) }
    }

    @Test("the XML engines agree on changed documents", arguments: [1, 0x5CA7] as [UInt64])
    func mutations(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var source = RandomPropertyList.forXML(seed: seed)
        let pieces: [String] =
            oddities + ["<", ">", "&", "</key>", "<key>", "]]>", "</dict>", "\u{0}", "é", "<!--"]
        for round in 0..<400 {
            var bytes = Array(try text(source.value(depth: 3)).utf8)
            for _ in 0..<random.below(3) {
                let place = random.below(bytes.count)
                let piece = Array(pieces[random.below(pieces.count)].utf8)
                let end = min(place + random.below(3), bytes.count)
                bytes.replaceSubrange(place..<end, with: piece)
            }
            #expect(throws: Never.self, "seed \(seed), round \(round)") { try check(bytes) }
        }
    }

    @Test(
        "the XML engines agree on random sequences of markup", arguments: [2, 0xE119] as [UInt64])
    func mixtures(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let pieces: [String] =
            prologs + [
                "<plist>", "</plist>", "<array", "<array>", "</array>", "<string>", "</string>",
                " a='b'",
                " a=\"&lt;\"", "/>", ">", "<!--", "--", "-->", "<?", "?>", "<![CDATA[", "]]>", "&",
                "&#",
                "x41", ";", "é", "\r\n", "\r", "a", ":", " ", "=", "'", "\"", "<", "/", "[", "]",
            ]
        for round in 0..<Exhaustive.size(2000, inDebug: 500) {
            let count = random.below(14)
            let text = (0..<count).map { _ in pieces[random.below(pieces.count)] }.joined()
            #expect(throws: Never.self, "seed \(seed), round \(round)") { try check(text) }
        }
    }

    @Test("the XML engines agree on the fixtures", arguments: Corpus.fixtures("xml"))
    func fixtures(_ file: Corpus.File) throws { try check(file.bytes) }

    @Test("the XML engines agree on all fixtures that are detected as XML")
    func allFixtures() throws {
        var number = 0
        for file in Corpus.files(in: Corpus.fixtures) where file.bytes.count < 200_000 {
            guard (try? PropertyListFormat.detect(file.bytes)) == .xml else { continue }
            number += 1
            #expect(throws: Never.self, "\(file.name)") { try check(file.bytes) }
        }
        #expect(number > 3)
    }

    @Test(
        "the XML engines agree on external files",
        .enabled(if: Corpus.hasExternal, "there is no external collection"))
    func corpus() throws {
        var number = 0
        var scanned = 0
        for file in Exhaustive.sample(Corpus.external(""), oneIn: 6) {
            guard file.bytes.count < 4_000_000,
                (try? PropertyListFormat.detect(file.bytes)) == .xml
            else { continue }
            number += 1
            // Each engine parses the files, which is slow in debug builds. Only small files are
            // parsed under all options.
            let options = file.bytes.count < 50_000 ? allOptions : [.strict]
            #expect(throws: Never.self, "\(file.name)") { try check(file.bytes, options) }
            let contents = XMLScanner.scan(file.bytes, options: [], limits: .default)
            if contents != nil { scanned += 1 }
        }
        #expect(number > Exhaustive.size(300, inDebug: 25))
        // Most files have the common form, which the scanner handles.
        #expect(scanned > number / 2, "\(scanned) of \(number)")
    }
}

@Suite("The selection of an XML engine")
struct XMLEngineTests {
    @Test("every build has two engines, and builds with the trait also have libxml2")
    func available() throws {
        #expect(XMLEngine.fastest.isAvailable)
        #expect(XMLEngine.tokenizer.isAvailable)
        #if LibXML2 && (os(Linux) || os(macOS))
        #expect(XMLEngine.libxml2.isAvailable)
        #else
        #expect(!XMLEngine.libxml2.isAvailable)
        #endif
    }

    @Test("selecting libxml2 without the trait is refused with a suggestion")
    func unavailable() throws {
        do throws(PropertyListError) {
            let document = try PropertyListDocument(
                parsingXML: xml("<true/>"), engine: .libxml2, options: .strict, limits: .default)
            #expect(XMLEngine.libxml2.isAvailable)
            #expect(document.root.kind == .boolean)
        } catch {
            #expect(!XMLEngine.libxml2.isAvailable)
            #expect(error.code == .unrecognizedFormat)
            #expect(error.description.contains("LibXML2"))
            #expect(error.recovery != nil)
        }
    }
}

@Suite("The XML scanner")
struct XMLScannerTests {
    @Test("the scanner reads every file that this library writes")
    func common() throws {
        var source = RandomPropertyList.forXML(seed: 7)
        var scanned = 0
        for _ in 0..<200 {
            let bytes = Array(try text(source.value(depth: 4)).utf8)
            if XMLScanner.scan(bytes, options: [], limits: .default) != nil { scanned += 1 }
        }
        #expect(scanned == 200)
    }

    @Test("the scanner recognizes the names of tags")
    func tagWords() {
        let words: [(XMLTagWord, String)] = [
            (.key, "key>"), (.dict, "dict>"), (.array, "array>"), (.string, "string>"),
            (.integer, "integer>"), (.real, "real>"), (.date, "date>"), (.data, "data>"),
            (.emptyTrue, "true/>"), (.emptyFalse, "false/>"), (.emptyDict, "dict/>"),
            (.emptyArray, "array/>"), (.emptyString, "string/>"), (.emptyData, "data/>"),
        ]
        for (word, text) in words {
            #expect(word.length == text.utf8.count)
            let padded = Array((text + "<<<<<<<<").utf8)
            #expect(padded.span.littleEndian(at: 0).map(word.begins) == true, "\(text)")
            #expect(Array("<<<<<<<<".utf8).span.littleEndian(at: 0).map(word.begins) == false)
        }
    }
}

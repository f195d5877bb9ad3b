// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzTargets
import TestSupport
import Testing

@testable import PropertyList

/// A short document with every kind of markup.
private let sample = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/x.dtd">
    <plist version="1.0">
    <!-- a comment -->
    <dict>
    \t<key>Aé</key>
    \t<array>
    \t\t<string>&lt;b&#x20AC;</string><string><![CDATA[<x y="z">]]></string>
    \t\t<integer>-12</integer><real>1.5e3</real><true/><false></false>
    \t\t<date>2001-01-01T00:00:00Z</date>
    \t\t<data>
    \t\tAQIDBA==
    \t\t</data>
    \t</array>
    \t<?instruction?>
    \t<key>CF</key>
    \t<dict><key>CF$UID</key><integer>1</integer></dict>
    </dict>
    </plist>

    """.utf8)

@Suite("Hostile XML")
struct XMLHostileTests {
    @Test(
        "refuses text that parsers are known to read differently",
        arguments: [
            "<plist><dict><!---><!--><key>a</key><true/><!-- --></dict></plist>",
            "<plist><!--><true/><!-- --></plist>", "<plist><true/><!----></plist>",
            "<!----><plist><true/></plist>", "<!---><plist/>--><plist><true/></plist>",
            "<plist version='1>'><true/></plist>", "<plist><string a='>'>b</string></plist>",
            "<???><plist><true/></plist>", "<plist><??><true/></plist>",
            "<!DOCTYPE [%><plist><true/></plist>", "<!DOCTYPE plist [%]><plist><true/></plist>",
            "<plist><true/><?xml version='1.0'?></plist>",
        ])
    func differences(_ text: String) throws {
        for options in [ParsingOptions.strict, .appleCompatible] {
            let error = try #require(parseError(Array(text.utf8), options))
            #expect(error.code == .malformedXML)
            #expect(error.location?.line == 1)
        }
    }

    @Test(
        "refuses attacks by entities and external declarations",
        arguments: [
            "<!DOCTYPE plist [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><plist><string>&a;</string></plist>",
            "<!DOCTYPE plist [<!ENTITY a 'b'><!ENTITY c '&a;&a;'>]><plist><string>&c;</string></plist>",
            "<!DOCTYPE plist [<!ENTITY % a SYSTEM 'http://127.0.0.1:9/'> %a;]><plist><true/></plist>",
            "<!DOCTYPE plist SYSTEM 'http://127.0.0.1:9/'><plist><string>&a;</string></plist>",
            "<!DOCTYPE plist SYSTEM 'file:///dev/zero'><plist><key>&a;</key></plist>",
        ])
    func entities(_ text: String) {
        #expect(parseError(Array(text.utf8), .appleCompatible) != nil)
    }

    @Test("an error at an unescaped ampersand does not quote the text after it")
    func unescapedAmpersand() throws {
        for body in ["<string>pass&word1;</string>", "<key>a&word1;</key>"] {
            let error = try #require(parseError(xml(body), .appleCompatible))
            #expect(error.code == .malformedXML)
            #expect(!error.description.contains("word1"), "\(error)")
        }
    }

    @Test("never loads the declarations that a document type names")
    func external() throws {
        let bytes = Array("<!DOCTYPE plist SYSTEM 'file:///dev/zero'><plist><true/></plist>".utf8)
        #expect(try value(bytes) == true)
    }

    @Test(
        "refuses large numbers of attributes or namespaces, even if hidden",
        arguments: [
            "<plist%><true/></plist>", "<plist ><!-- <a b='' c='--><array%/><!-- ' --></plist>",
            "<!DOCTYPE plist SYSTEM '<!--'><plist%><true/></plist>",
            "<plist><string><![CDATA[<a b='' c=']]></string><array%/></plist>",
            "<?a <?><plist%><true/></plist>",
        ], ["a", "xmlns:a"])
    func floods(_ text: String, _ name: String) throws {
        let flood = (0..<60_000).map { " \(name)\($0)=''" }.joined()
        let halves = text.split(separator: "%", maxSplits: 1)
        let bytes = Array((halves[0] + flood + halves[1]).utf8)
        let error = try #require(parseError(bytes, .appleCompatible))
        #expect(error.code == .malformedXML)
        #expect(error.what == "expected at most 64 attributes in a tag, found 60000")
    }

    @Test(
        "ignores apparent references in comments and CDATA sections",
        arguments: ["", "\r"])
    func noReferences(_ end: String) throws {
        let text = "<plist><!-- &#5; --><?a &#5;?><string><![CDATA[&#5;]]></string></plist>\(end)"
        let document = try PropertyListDocument(
            parsingXML: Array(text.utf8), engine: .tokenizer, options: .rawControlCharacters,
            limits: .default)
        #expect(document.leniencies == [])
        #expect(document.root.string == "&#5;")
        try checkXMLEngines(
            Array(text.utf8), options: .rawControlCharacters, limits: .default)
    }

    @Test("finds a reference to a forbidden character after comments, in text and attributes")
    func references() throws {
        for text in [
            "<plist><!-- &#5; --><string>&#5;</string></plist>",
            "<plist a='&#5;'><true/></plist>",
        ] {
            let document = try PropertyListDocument(
                parsingXML: Array(text.utf8), engine: .tokenizer,
                options: [.rawControlCharacters, .attributes], limits: .default)
            #expect(document.leniencies.contains(.rawControlCharacters))
            #expect(parseError(Array(text.utf8), .strict)?.code == .malformedXML)
        }
    }

    @Test("refuses namespaces that are spread over many elements")
    func namespaces() throws {
        func nested(_ count: Int) -> [UInt8] {
            let tags = (0..<count).map { "<array xmlns:a\($0)='b'>" }.joined()
            return xml(tags + String(repeating: "</array>", count: count))
        }
        #expect(parseError(nested(64), .appleCompatible) == nil)
        let error = try #require(parseError(nested(65), .appleCompatible))
        #expect(error.code == .malformedXML)
        #expect(error.what == "expected at most 64 namespace declarations, found 65")
    }

    @Test("accepts 512 levels and no more", arguments: [511, 512, 513, 1_000_000])
    func depth(_ depth: Int) throws {
        let text =
            String(repeating: "<array>", count: depth) + String(repeating: "</array>", count: depth)
        let error = parseError(xml(text))
        if depth <= 512 {
            #expect(error == nil)
        } else {
            #expect(error?.code == .depthLimitExceeded)
            #expect(error?.location?.column == 22 + 512 * 7)
        }
    }

    @Test("accepts more levels if the limits allow them")
    func trustedDepth() throws {
        let text =
            String(repeating: "<array>", count: 200_000)
            + String(repeating: "</array>", count: 200_000)
        let document = try PropertyListDocument(parsing: xml(text), limits: .trusted)
        #expect(document.nodeCount == 200_000)
    }

    @Test("parses or refuses every prefix, and salvages the readable part")
    func prefixes() throws {
        let text = String(decoding: sample, as: UTF8.self)
        let head = try #require(text.components(separatedBy: "<dict>").first)
        let start = (head + "<dict>").utf8.count
        for length in sample.indices {
            let prefix = Array(sample[..<length])
            let document = try? PropertyListDocument(parsing: prefix)
            #expect((document != nil) == (length == sample.count - 1), "\(length) bytes")
            let salvaged = try? PropertyListDocument(parsing: prefix, options: .forensic)
            // Nothing is readable before the first tag of a value, or if a character is cut off.
            let isReadable = length >= start && UTF8Text.firstInvalid(prefix.span) == nil
            #expect((salvaged != nil) == isReadable, "\(length) bytes")
            guard let salvaged else { continue }
            #expect(salvaged.problems.count == 1 || length == sample.count - 1)
            #expect(salvaged.root.kind == .dictionary)
            _ = try salvaged.root.value()
        }
    }

    @Test("salvages the values before an error")
    func salvage() throws {
        let bytes = Array(
            "<plist><dict><key>a</key><integer>1</integer><key>b</key><array><true/><integer>x".utf8
        )
        let document = try PropertyListDocument(parsing: bytes, options: .salvage)
        #expect(try document.root.value() == ["a": 1, "b": [true]])
        #expect(document.leniencies == .salvage)
        #expect(document.problems.first?.code == .malformedXML)
    }

    @Test("parses or refuses every document with one byte changed", arguments: [0x01, 0x20, 0x80])
    func flips(_ mask: Int) {
        for index in sample.indices {
            var bytes = sample
            bytes[index] ^= UInt8(mask)
            if let document = try? PropertyListDocument(parsing: bytes, options: .forensic) {
                _ = try? document.root.value()
                _ = try? XMLPropertyList.serialize(document)
            }
        }
    }

    @Test("parses or refuses random sequences of markup", arguments: [1, 2, 3] as [UInt64])
    func mixtures(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let pieces = [
            "<plist>", "</plist>", "<dict>", "</dict>", "<array>", "</array>", "<key>", "</key>",
            "<string>",
            "</string>", "<true/>", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "a", " ", "&lt;",
            "&#1", "=\"", "'",
            "<dict/>", "<data>", "</data>", "AQ==", "\r", "\u{1}", "é", "<", ">", "/", "<!DOCTYPE ",
            "<a b='c'",
        ]
        for _ in 0..<2000 {
            let count = Int.random(in: 1..<20, using: &random)
            let text = (0..<count).compactMap { _ in pieces.randomElement(using: &random) }.joined()
            for options in [ParsingOptions.appleCompatible, .forensic] {
                guard
                    let document = try? PropertyListDocument(
                        parsing: Array(("<plist>" + text).utf8), options: options)
                else { continue }
                _ = try? document.root.value()
            }
        }
    }
}

@Suite("Large XML")
struct LargeXMLTests {
    @Test("reads strings of millions of bytes, plain, with references and with carriage returns")
    func strings() throws {
        let count = 12_000_000
        let plain = String(repeating: "a", count: count)
        #expect(try value(xml("<string>\(plain)</string>")) == .string(plain))
        let escaped = String(repeating: "a&lt;b<![CDATA[c\r]]>", count: count / 120)
        let expected = String(repeating: "a<bc\r", count: count / 120)
        #expect(try value(xml("<string>\(escaped)</string>")) == .string(expected))
    }

    @Test("reads data of twelve million characters")
    func data() throws {
        let text = String(repeating: "AQID", count: 3_000_000)
        let document = try PropertyListDocument(parsing: xml("<data>\(text)</data>"))
        #expect(document.root.data?.count == 9_000_000)
    }

    @Test("reads large comments, white space and processing instructions between elements")
    func between() throws {
        let long = String(repeating: "x < > = ", count: 500_000)
        let blank = String(repeating: " \n", count: 2_000_000)
        let text = "<array><!-- \(long) --><true/>\(blank)<?a \(long)?><false/></array>"
        #expect(try value(xml(text)) == [true, false])
        let comments = String(repeating: "<!-- <a b='' c='d -->", count: 100_000)
        #expect(try value(xml("<array>\(comments)<true/></array>")) == [true])
    }

    @Test("finds an element after megabytes of other markup")
    func positions() throws {
        let rows = String(
            repeating: "<string>é€😀</string>\n<!-- c --><data>\nAQ==\n</data>", count: 60_000)
        let document = try PropertyListDocument(parsing: xml("<array>\(rows)</array>"))
        let root = try #require(document.root.array)
        #expect(root.count == 120_000)
        #expect(
            root.indices.allSatisfy {
                $0 % 2 == 0 ? root[$0].isString("é€😀") : root[$0].data?.count == 1
            })
    }

    @Test("refuses a tag with a 1 MB name, and quotes only its beginning")
    func longName() throws {
        let name = String(repeating: "a", count: 1_000_000)
        let error = try #require(parseError(xml("<\(name)/>")))
        #expect(error.code == .unexpectedElement)
        #expect(error.description.utf8.count < 200)
    }

    @Test(
        "reads many repetitions of small parts",
        arguments: [
            ("<!-- a -->", 0), ("<true/>", 1), ("<string>&lt;</string>", 1),
            ("<string>=</string>", 1), ("<data>====</data>", 1), (" ", 0), ("<?a b?>", 0),
            ("<string><![CDATA[<a b='' c=']]></string>", 1),
            ("<dict><key>a</key><true/></dict>", 1), ("<string>\r</string>", 1),
        ])
    func many(_ piece: String, _ elements: Int) throws {
        let text = "<array>" + String(repeating: piece, count: 16_000) + "</array>"
        let document = try PropertyListDocument(parsing: xml(text), options: .appleCompatible)
        #expect(document.root.array?.count == elements * 16_000)
    }
}

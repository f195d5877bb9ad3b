// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

extension Family {
    private static func xml(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ text: @escaping @Sendable (Int) -> String
    ) -> Family {
        Family(name, size) { Input(bytes: Array(text($0).utf8), limits: limits) }
    }

    /// Repeats a piece of text in an array.
    private static func xml(array name: String, _ piece: String) -> Family {
        xml(name) { "<plist><array>" + String(repeating: piece, count: $0) + "</array></plist>" }
    }

    private static func element(_ name: String, _ content: String) -> String {
        "<plist><\(name)>\(content)</\(name)></plist>"
    }

    static let xml =
        [
            xml("XML, deep", limits: .trusted) { n in
                "<plist>" + String(repeating: "<array>", count: n)
                    + String(repeating: "</array>", count: n) + "</plist>"
            },
            xml("XML, deep and not closed", limits: .trusted) { n in
                "<plist>" + String(repeating: "<dict><key>k</key>", count: n)
            },
            xml("XML, arrays not closed", limits: .trusted) { n in
                "<plist>" + String(repeating: "<array>", count: n)
            },
            xml(array: "XML, wide", "<true/>"),
            xml(array: "XML, integers", "<integer>12345</integer>"),
            xml(array: "XML, reals", "<real>1.2345678e-12</real>"),
            xml(array: "XML, dates", "<date>2001-01-01T00:00:00Z</date>"),
            xml(array: "XML, strings", "<string>text</string>"),
            xml(array: "XML, comments", "<!-- comment - < > -->"),
            xml(array: "XML, processing instructions", "<?a < ?>"),
            xml(array: "XML, CDATA sections", "<string><![CDATA[<x y=']]></string>"),
            xml(array: "XML, entities", "<string>&lt;&#x20AC;</string>"),
            xml(array: "XML, attributes", "<string a='b' c='d'>text</string>"),
            xml(array: "XML, equals signs", "<string>=</string>"),
            xml(array: "XML, data of noise", "<data>====</data>"),
            xml(array: "XML, white space", " \t\r\n"),
            xml(array: "XML, line ends", "<string>\r\n\r</string>"),
            xml(array: "XML, unknown elements", "<unknown/>"),
            xml(array: "XML, small dictionaries", "<dict><key>a</key><true/></dict>"),
            xml(array: "XML, UIDs", "<dict><key>CF$UID</key><integer>1</integer></dict>"),
            xml("XML, many keys") { n in
                element("dict", (0..<n).map { "<key>key \($0)</key><true/>" }.joined())
            },
            xml("XML, one key") { n in
                element("dict", String(repeating: "<key>a</key><true/>", count: n))
            },
            xml("XML, keys twice") { n in
                element("dict", (0..<n).map { "<key>key \($0 % 10)</key><true/>" }.joined())
            },
            xml("XML, long name", 5000) { n in
                "<plist><\(String(repeating: "name", count: n))/></plist>"
            },
            // Above 64 KB, the scanner first estimates the number of values from a sample.
            xml("XML, long string", 20000) { n in
                element("string", String(repeating: "text", count: n))
            },
            xml("XML, long string of entities", 5000) { n in
                element("string", String(repeating: "&amp;", count: n))
            },
            xml("XML, long string of CDATA sections", 5000) { n in
                element("string", String(repeating: "a<![CDATA[b]]>", count: n))
            },
            xml("XML, long string of controls", 5000) { n in
                element("string", String(repeating: "a\u{1}", count: n))
            },
            xml("XML, long data", 5000) { n in
                element("data", String(repeating: "AQID\n", count: n))
            },
            xml("XML, long data of noise", 5000) { n in
                element("data", String(repeating: "A=!", count: n))
            },
            xml("XML, long integer", 5000) { n in
                element("integer", String(repeating: "0", count: n) + "1")
            },
            xml("XML, long real", 5000) { n in
                element("real", "0." + String(repeating: "0123456789", count: n) + "e9")
            },
            xml("XML, long declaration", 5000) { n in
                "<!DOCTYPE plist SYSTEM '" + String(repeating: "<!--", count: n)
                    + "'><plist><true/></plist>"
            },
            xml("XML, trailing") { n in
                element("true", "") + String(repeating: "<plist/>", count: n)
            },
            Family("XML, UTF-16", 10_000) { n in
                let text = element("string", String(repeating: "漢a", count: n))
                return Input(
                    bytes: [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
            },
        ] + floods

    /// Large numbers of attributes or namespaces, some of them behind text that hides the tag.
    private static let floods = ["a", "xmlns:a"].flatMap { name in
        [
            ("of the root", "<plist", "><true/></plist>"),
            ("behind a tag in a comment", "<plist ><!-- <a b='' c='--><array", "/></plist>"),
            (
                "behind a comment in a declaration", "<!DOCTYPE plist SYSTEM '<!--'><plist",
                "><true/></plist>"
            ),
            (
                "behind a tag in a CDATA section",
                "<plist><string><![CDATA[<a b='' c=']]></string><array",
                "/></plist>"
            ),
            ("behind a tag in a processing instruction", "<?a <?><plist", "><true/></plist>"),
        ].map { place, start, end in
            xml("XML, flood of \(name) \(place)", 1000) { n in
                start + (0..<n).map { " \(name)\($0)=''" }.joined() + end
            }
        }
    }
}

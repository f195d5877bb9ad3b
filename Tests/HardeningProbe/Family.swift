// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport

/// Inputs of one shape that can be made as large as is wanted.
struct Family: Sendable {
    let name: String
    /// The number of pieces to begin with.
    let size: Int
    private let make: @Sendable (Int) -> Input

    /// The input of `size` pieces.
    func input(_ size: Int) -> Input { make(size) }

    private init(_ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> Input) {
        self.name = name
        self.size = size
        self.make = make
    }

    static let all = binary + xml + archives

    /// For what expands without end, so that it is refused soon.
    private static let few = ParsingLimits(
        depth: 512, inputSize: 1 << 20, expansion: .init(factor: 4, base: 1000),
        output: .init(factor: 4, base: 1000))
}

// MARK: - Binary

extension Family {
    private static func binary(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ objects: @escaping @Sendable (Int) -> [BinaryAssembler.Object]
    ) -> Family {
        Family(name, size) { size in
            let assembler = BinaryAssembler(objects(size), offsetWidth: 4, referenceWidth: 4)
            return Input(bytes: assembler.bytes, limits: limits)
        }
    }

    private static func numbers(_ range: Range<Int>) -> [UInt64] { range.map(UInt64.init) }

    private static let binary = [
        binary("binary, deep", limits: .trusted) { n in
            (0..<n).map { .array($0 + 1 < n ? [UInt64($0 + 1)] : []) }
        },
        binary("binary, deep dictionaries", limits: .trusted) { n in
            [.ascii("key")]
                + (0..<n).map {
                    .dictionary($0 + 1 < n ? [0] : [], $0 + 1 < n ? [UInt64($0 + 2)] : [])
                }
        }.starting(at: 1),
        binary("binary, wide") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { .integer(UInt64($0), width: 4) }
        },
        binary("binary, equal leaves") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .ascii("the same") }
        },
        binary("binary, one object many times") { n in
            [.array(Array(repeating: 1, count: n)), .ascii("shared")]
        },
        binary("binary, shared containers", 20, limits: few) { n in
            // Each refers to the next twice: 2ⁿ values.
            (0..<n).map { .array($0 + 1 < n ? [UInt64($0 + 1), UInt64($0 + 1)] : []) }
        },
        binary("binary, many keys") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii("key \($0)") }
        },
        binary("binary, long keys that differ at the end", 100) { n in
            let stem = String(repeating: "k", count: 200)
            return [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii(stem + "\($0)") }
        },
        binary("binary, keys twice") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { .ascii("key \($0 % 10)") }
        },
        binary("binary, small dictionaries") { n in
            [.array(numbers(4..<n + 4)), .ascii("a"), .ascii("b"), .ascii("c")]
                + (0..<n).map { _ in .dictionary([1, 2, 3], [2, 3, 1]) }
        },
        binary("binary, long string", 2000) { n in [.ascii(String(repeating: "long ", count: n))] },
        binary("binary, long UTF-16", 5000) { n in [.utf16(Array(repeating: 0x6F22, count: n))] },
        binary("binary, long data", 2000) { n in [.data(Array(repeating: 7, count: n * 4))] },
        Family("binary, one byte each", 300) { n in
            // Entries of the offset table that all name the same object.
            var assembler = BinaryAssembler(
                [.null], entries: Array(repeating: .object(0), count: n))
            assembler.offsetWidth = 1
            return Input(bytes: assembler.bytes)
        },
        binary("binary, high ASCII") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .raw([0x52, 0xE9, 0xE8]) }
        },
        binary("binary, unreadable objects") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .raw([0x77]) }
        },
        binary("binary, cycles") { n in
            (0..<n).map { .array([UInt64($0), 0, UInt64(($0 + 1) % n)]) }
        },
        binary("binary, containers as keys") { n in
            [.dictionary(numbers(1..<n + 1), Array(repeating: 1, count: n))]
                + (0..<n).map { _ in .array([]) }
        },
        binary("binary, sets") { n in
            [.array(numbers(1..<n + 1))] + (0..<n).map { _ in .set([0xFFFF]) }
        },
    ]

    /// The same with another top object.
    private func starting(at top: Int) -> Family {
        Family(name, size) { size in
            var input = make(size)
            // The number of the top object is in bytes 16 to 23 of the trailer.
            if input.bytes.count >= 32 { input.bytes[input.bytes.count - 9] = UInt8(top) }
            return input
        }
    }
}

// MARK: - XML

extension Family {
    private static func xml(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ text: @escaping @Sendable (Int) -> String
    ) -> Family {
        Family(name, size) { Input(bytes: Array(text($0).utf8), limits: limits) }
    }

    /// A piece many times within an array.
    private static func xml(array name: String, _ piece: String) -> Family {
        xml(name) { "<plist><array>" + String(repeating: piece, count: $0) + "</array></plist>" }
    }

    private static func element(_ name: String, _ content: String) -> String {
        "<plist><\(name)>\(content)</\(name)></plist>"
    }

    private static let xml = [
        xml("XML, deep", limits: .trusted) { n in
            "<plist>" + String(repeating: "<array>", count: n)
                + String(repeating: "</array>", count: n) + "</plist>"
        },
        xml("XML, deep and not closed", limits: .trusted) { n in
            "<plist>" + String(repeating: "<dict><key>k</key>", count: n)
        },
        xml(array: "XML, wide", "<true/>"),
        xml(array: "XML, integers", "<integer>12345</integer>"),
        xml(array: "XML, reals", "<real>1.2345678e-12</real>"),
        xml(array: "XML, dates", "<date>2001-01-01T00:00:00Z</date>"),
        xml(array: "XML, strings", "<string>text</string>"),
        xml(array: "XML, comments", "<!-- comment - < > -->"),
        xml(array: "XML, instructions", "<?a < ?>"),
        xml(array: "XML, sections", "<string><![CDATA[<x y=']]></string>"),
        xml(array: "XML, entities", "<string>&lt;&#x20AC;</string>"),
        xml(array: "XML, attributes", "<string a='b' c='d'>text</string>"),
        xml(array: "XML, white space", " \t\r\n"),
        xml(array: "XML, line ends", "<string>\r\n\r</string>"),
        xml(array: "XML, unknown elements", "<unknown/>"),
        xml(array: "XML, small dictionaries", "<dict><key>a</key><true/></dict>"),
        xml(array: "XML, UIDs", "<dict><key>CF$UID</key><integer>1</integer></dict>"),
        xml("XML, many keys") { n in
            element("dict", (0..<n).map { "<key>key \($0)</key><true/>" }.joined())
        },
        xml("XML, keys twice") { n in
            element("dict", (0..<n).map { "<key>key \($0 % 10)</key><true/>" }.joined())
        },
        xml("XML, many attributes") { n in
            "<plist" + (0..<n).map { " a\($0)=''" }.joined() + "><true/></plist>"
        },
        xml("XML, many namespaces") { n in
            "<plist" + (0..<n).map { " xmlns:a\($0)='b'" }.joined() + "><true/></plist>"
        },
        xml("XML, long name", 5000) { n in
            "<plist><\(String(repeating: "name", count: n))/></plist>"
        },
        // Above 64 KB the scanner estimates how many values there are, in one pass more.
        xml("XML, long string", 20000) { n in element("string", String(repeating: "text", count: n))
        },
        xml("XML, long string of entities", 5000) { n in
            element("string", String(repeating: "&amp;", count: n))
        },
        xml("XML, long string of sections", 5000) { n in
            element("string", String(repeating: "a<![CDATA[b]]>", count: n))
        },
        xml("XML, long string of controls", 5000) { n in
            element("string", String(repeating: "a\u{1}", count: n))
        },
        xml("XML, long data", 5000) { n in element("data", String(repeating: "AQID\n", count: n)) },
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
        xml("XML, trailing") { n in element("true", "") + String(repeating: "<plist/>", count: n) },
        Family("XML, UTF-16", 10_000) { n in
            let text = element("string", String(repeating: "漢a", count: n))
            return Input(
                bytes: [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        },
    ]
}

// MARK: - Archives

extension Family {
    private static func archive(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ objects: @escaping @Sendable (Int) -> [PropertyListValue]
    ) -> Family {
        Family(name, size) { size in
            let root: PropertyListDictionary = [
                "$version": 100_000, "$archiver": "NSKeyedArchiver",
                "$top": ["root": .uid(1)],
                "$objects": .array(PropertyListArray(["$null"] + objects(size))),
            ]
            let document = try? PropertyListDocument(.dictionary(root))
            let bytes = document.flatMap { try? BinaryPropertyList.serialize($0) }
            return Input(bytes: bytes ?? [], options: .strict, limits: limits)
        }
    }

    private static func description(_ name: String) -> PropertyListValue {
        ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
    }

    private static func uids(_ numbers: some Sequence<Int>) -> PropertyListValue {
        .array(PropertyListArray(numbers.map { .uid(PropertyListUID(UInt32($0))) }))
    }

    private static func uid(_ number: Int) -> PropertyListValue {
        .uid(PropertyListUID(UInt32(number)))
    }

    private static let archives = [
        archive("archive, wide") { n in
            [["NS.objects": uids(3..<n + 3), "$class": .uid(2)], description("NSArray")]
                + (0..<n).map { .string("text \($0)") }
        },
        archive("archive, chain", limits: .trusted) { n in
            (0..<n).map { ["next": $0 + 1 < n ? uid($0 + 2) : .uid(0), "$class": uid(n + 1)] }
                + [description("Link")]
        },
        archive("archive, arrays in arrays", limits: .trusted) { n in
            (0..<n).map {
                ["NS.objects": uids($0 + 1 < n ? [$0 + 2] : []), "$class": uid(n + 1)]
            } + [description("NSArray")]
        },
        archive("archive, dictionary") { n in
            [
                [
                    "NS.keys": uids(3..<n + 3), "NS.objects": uids(repeatElement(3, count: n)),
                    "$class": .uid(2),
                ], description("NSDictionary"),
            ] + (0..<n).map { .string("key \($0)") }
        },
        archive("archive, set of equal values") { n in
            [["NS.objects": uids(3..<n + 3), "$class": .uid(2)], description("NSSet")]
                + (0..<n).map { .string("text \($0 % 10)") }
        },
        archive("archive, many classes") { n in
            [
                ["NS.objects": uids((0..<n).map { 3 + 2 * $0 }), "$class": .uid(2)],
                description("NSArray"),
            ]
                + (0..<n).flatMap { [["$class": uid(4 + 2 * $0)], description("Class\($0)")] }
        },
        archive("archive, many fields") { n in
            let fields = (0..<n).map { ("field \($0)", PropertyListValue($0)) }
            var object = PropertyListDictionary(fields.map { (key: $0.0, value: $0.1) })
            object["$class"] = .uid(2)
            return [.dictionary(object), description("Record")]
        },
        archive("archive, one array many times") { n in
            [
                ["NS.objects": uids(repeatElement(3, count: n)), "$class": .uid(2)],
                description("NSArray"),
                ["NS.objects": uids(repeatElement(4, count: 10)), "$class": .uid(2)], "text",
            ]
        },
        archive("archive, doubling", 20, limits: few) { n in
            (0..<n).map {
                ["NS.objects": uids($0 + 1 < n ? [$0 + 2, $0 + 2] : []), "$class": uid(n + 1)]
            }
                + [description("NSArray")]
        },
        archive("archive, long chain of superclasses") { n in
            [
                ["$class": .uid(2)],
                [
                    "$classname": "Class0",
                    "$classes": .array(PropertyListArray((0..<n).map { .string("Class\($0)") })),
                ],
            ]
        },
        archive("archive, unreferenced objects") { n in
            ["root"] + (0..<n).map { .string("text \($0)") }
        },
    ]
}

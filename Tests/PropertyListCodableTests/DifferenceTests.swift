// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import PropertyListTools
import TestSupport
import Testing

/// The documented differences from Foundation. Most rows check both coders, so that a change in
/// Foundation is noticed.
@Suite("Differences of the Codable coders from Foundation")
struct CodableDifferenceTests {
    @Test("each difference exists as the documentation describes it", arguments: rows)
    func difference(_ row: Difference) throws { try row.check() }

    @Test("the table in the documentation has the same rows")
    func documentation() throws {
        let article = Corpus.repository.appending(
            path: "Sources/PropertyListCodable/PropertyListCodable.docc/PropertyListCodable.md")
        let lines = try String(contentsOf: article, encoding: .utf8).split(separator: "\n")
        let titles = lines.filter { $0.hasPrefix("| ") }.dropFirst().map { line in
            line.split(separator: "|").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        }
        #expect(titles == Self.rows.map(\.title))
    }

    static let rows: [Difference] = [
        Difference(title: "errors of the encoder") { () throws -> Void in
            let theirs = #expect(throws: EncodingError.self) {
                try PropertyListEncoder().encode(["a": [Failing()]])
            }
            guard case .invalidValue(_, let outer) = theirs else { throw Broken() }
            #expect(outer.codingPath.isEmpty && outer.underlyingError is EncodingError)
            let ours = #expect(throws: EncodingError.self) {
                try PlistEncoder().encode(["a": [Failing()]])
            }
            guard case .invalidValue(_, let context) = ours else { throw Broken() }
            #expect(context.codingPath.map(\.stringValue) == ["a", "Index 0", "Index 1", "inner"])
        },
        Difference(title: "strings in XML that begin with `$null` and are longer") {
            () throws -> Void in
            let xml = Data(text("<array><string>$nullable</string></array>"))
            #expect(throws: DecodingError.self) {
                try PropertyListDecoder().decode([String].self, from: xml)
            }
            #expect(try PlistDecoder().decode([String].self, from: xml) == ["$nullable"])
        },
        Difference(title: "`Int128`, `UInt128`") { () throws -> Void in
            #expect(throws: EncodingError.self) { try PropertyListEncoder().encode([Int128(1)]) }
            let numbers = [Int128(Int64.min), 0, Int128(UInt64.max)]
            let data = try PlistEncoder().encode(numbers)
            #expect(try PlistDecoder().decode([Int128].self, from: data) == numbers)
            #expect(throws: DecodingError.self) {
                try PropertyListDecoder().decode([Int128].self, from: data)
            }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode([Int128.max]) }
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([UInt128].self, from: data)
            }
        },
        Difference(title: "reals in XML that are read as `Float`") { () throws -> Void in
            // Rounded to `Double`, the number lies halfway between two `Float` values.
            let xml = Data(text("<array><real>7.038531e-26</real></array>"))
            #expect(try PropertyListDecoder().decode([Float].self, from: xml) == [7.038531e-26])
            #expect(
                try PlistDecoder().decode([Float].self, from: xml) == [
                    Float(7.038531e-26 as Double)
                ])
        },
        Difference(title: "reals in XML beyond `Float`") { () throws -> Void in
            let xml = Data(text("<array><real>1e300</real></array>"))
            let theirs = try PropertyListDecoder().decode([Float].self, from: xml)
            #expect(theirs == [.infinity])
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([Float].self, from: xml)
            }
        },
        Difference(title: "duplicate keys in a file") { () throws -> Void in
            let xml = Data(text("<dict><key>a</key><true/><key>a</key><false/></dict>"))
            let theirs = try PropertyListDecoder().decode([String: Bool].self, from: xml)
            #expect(theirs == ["a": false])
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([String: Bool].self, from: xml)
            }
            let lenient = PlistDecoder(options: .duplicateKeys)
            #expect(try lenient.decode([String: Bool].self, from: xml) == ["a": false])
            let binary = Data(
                BinaryAssembler(
                    [.dictionary([1, 1], [2, 3]), .ascii("a"), .boolean(true), .boolean(false)]
                ).bytes)
            #expect(
                try PropertyListDecoder().decode([String: Bool].self, from: binary) == ["a": false])
            #expect(try lenient.decode([String: Bool].self, from: binary) == ["a": true])
        },
        Difference(title: "the key `$null`") { () throws -> Void in
            for isXML in [false, true] {
                let (ours, theirs) = ParityCase.encodings(of: ["$null": 1], isXML: isXML)
                #expect(ours == .value(["$null": 1]) && theirs == ours)
                let data = try PlistEncoder(format: isXML ? .xml : .binary).encode(["$null": 1])
                #expect(throws: DecodingError.self) {
                    try PropertyListDecoder().decode([String: Int].self, from: data)
                }
                #expect(try PlistDecoder().decode([String: Int].self, from: data) == ["$null": 1])
            }
        },
        Difference(title: "0.0 and −0.0 in one binary file") { () throws -> Void in
            let theirs = try PropertyListEncoder().encode([0.0, -0.0])
            #expect(try PropertyListDecoder().decode([Double].self, from: theirs)[1].sign == .plus)
            let ours = try PlistEncoder().encode([0.0, -0.0])
            for data in [ours, try PlistEncoder(format: .xml).encode([0.0, -0.0])] {
                let numbers = try PropertyListDecoder().decode([Double].self, from: data)
                #expect(numbers.map(\.sign) == [.plus, .minus])
                #expect(try PlistDecoder().decode([Double].self, from: data)[1].sign == .minus)
            }
        },
        Difference(title: "dates before 1582-10-15 in XML") { () throws -> Void in
            let (ours, theirs) = (Date.distantPast, #"<date>0001-01-01T00:00:00Z</date>"#)
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            let julian = try encoder.encode([ours])
            #expect(String(decoding: julian, as: UTF8.self).contains(theirs))
            let data = try PlistEncoder(format: .xml).encode([ours])
            #expect(String(decoding: data, as: UTF8.self).contains("0000-12-30T00:00:00Z"))
            #expect(try PlistDecoder().decode([Date].self, from: data) == [ours])
            // CoreFoundation and `plutil` read and write the same text.
            let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
            #expect(list as? [Date] == [ours])
            let written = try PropertyListSerialization.data(
                fromPropertyList: [ours], format: .xml, options: 0)
            #expect(written == data)
            let first = Date(timeIntervalSinceReferenceDate: -13_197_600_000)
            #expect(
                try PlistEncoder(format: .xml).encode([first]) == encoder.encode([first]))
        },
        Difference(title: "dates in XML that are not finite") { () throws -> Void in
            for seconds in [Double.infinity, -.infinity, .nan] {
                let date = Date(timeIntervalSinceReferenceDate: seconds)
                // `Outcome` drops the date from the error: Foundation cannot print such a date.
                let ours = Outcome { try PlistEncoder(format: .xml).encode([date]) }
                #expect(ours == .failure("invalidValue", path: ["[0]"]))
                let encoder = PropertyListEncoder()
                encoder.outputFormat = .xml
                let back = try PropertyListDecoder().decode(
                    [Date].self, from: encoder.encode([date]))
                #expect(back[0].timeIntervalSinceReferenceDate.isFinite)
            }
        },
        Difference(title: "errors at the end of an OpenStep array") { () throws -> Void in
            struct Nested: Decodable {
                init(from decoder: any Decoder) throws {
                    var container = try decoder.unkeyedContainer()
                    _ = try container.nestedUnkeyedContainer()
                }
            }
            let text = Data("()".utf8)
            let ours = Outcome<Int> {
                _ = try PlistDecoder().decode(Nested.self, from: text); return 0
            }
            let theirs = Outcome<Int> {
                _ = try PropertyListDecoder().decode(Nested.self, from: text)
                return 0
            }
            #expect(ours == .failure("valueNotFound", path: ["[0]"]))
            #expect(theirs == .failure("valueNotFound", path: []))
        },
        Difference(title: "`\\f` and `\\v` in OpenStep text") { () throws -> Void in
            let text = Data(#"("\f\v")"#.utf8)
            #expect(try PropertyListDecoder().decode([String].self, from: text) == ["\u{12}\u{11}"])
            #expect(try PlistDecoder().decode([String].self, from: text) == ["\u{C}\u{B}"])
            let list = try unsafe PropertyListSerialization.propertyList(from: text, format: nil)
            #expect(list as? [String] == ["\u{C}\u{B}"])
        },
        Difference(title: "JSON") { () throws -> Void in
            let text = Data(#"{"a": [1, true, null]}"#.utf8)
            #expect(throws: DecodingError.self) {
                try PropertyListDecoder().decode(PropertyListValue.self, from: text)
            }
            let value = try PlistDecoder().decode(PropertyListValue.self, from: text)
            #expect(value == ["a": [1, true, .null]])
        },
        Difference(title: "two keys that are equal as `String`, in a `[String: …]`") {
            () throws -> Void in
            let value: PropertyListValue = [
                "caf\u{E9}": 1, "other": 2, "cafe\u{301}": 3,
            ]
            for format in [PropertyListFormat.binary, .xml] {
                let data = Data(
                    try PropertyListDocument(value).serialized(as: format))
                let theirs = try PropertyListDecoder().decode([String: Int].self, from: data)
                #expect(theirs.count == 2)
                #expect(throws: DecodingError.self) {
                    try PlistDecoder().decode([String: Int].self, from: data)
                }
            }
        },
        Difference(title: "malformed files") { () throws -> Void in
            let xml = Data(text("<array><true/></array>").dropLast(8) + "</plist> junk".utf8)
            #expect(try PropertyListDecoder().decode([Bool].self, from: xml) == [true])
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([Bool].self, from: xml)
            }
            let lenient = PlistDecoder(options: .trailingContent)
            #expect(try lenient.decode([Bool].self, from: xml) == [true])
        },
        Difference(title: "OpenStep text") { () throws -> Void in
            let openStep = Data("(a, b)".utf8)
            let theirs = try PropertyListDecoder().decode([String].self, from: openStep)
            #expect(theirs == ["a", "b"])
            #expect(try PlistDecoder().decode([String].self, from: openStep) == ["a", "b"])
            let text = try PlistEncoder(format: .openStep).encode(["a", "b"])
            #expect(try PropertyListDecoder().decode([String].self, from: text) == ["a", "b"])
        },
        Difference(title: "UIDs") { () throws -> Void in
            let data = try PlistEncoder().encode([PropertyListUID(3)])
            #expect(try PlistDecoder().decode([PropertyListUID].self, from: data) == [3])
            #expect(throws: DecodingError.self) {
                try PropertyListDecoder().decode([PropertyListUID].self, from: data)
            }
            #expect(throws: EncodingError.self) {
                try PropertyListEncoder().encode([PropertyListUID(3)])
            }
        },
        Difference(title: "`{CF$UID: 3}` in XML") { () throws -> Void in
            let xml = Data(
                text("<array><dict><key>CF$UID</key><integer>3</integer></dict></array>"))
            #expect(throws: DecodingError.self) {
                try PropertyListDecoder().decode([[String: Int]].self, from: xml)
            }
            #expect(try PlistDecoder().decode([[String: Int]].self, from: xml) == [["CF$UID": 3]])
            #expect(try PlistDecoder().decode([PropertyListUID].self, from: xml) == [3])
            let lenient = PlistDecoder(options: .uidDictionaries)
            #expect(try lenient.decode([PropertyListUID].self, from: xml) == [3])
            #expect(throws: DecodingError.self) {
                try lenient.decode([[String: Int]].self, from: xml)
            }
        },
        Difference(title: "the order of keys") { () throws -> Void in
            let person = Person(name: "Anna", age: 3, height: 1.5)
            let value = try PropertyListValue(parsing: PlistEncoder().encode(person))
            #expect(value.dictionary?.keys == ["name", "age", "height", "isMember"])
            let encoder = PlistEncoder()
            encoder.keyOrder = .sorted
            let sorted = try PropertyListValue(parsing: encoder.encode(person))
            #expect(sorted.dictionary?.keys == ["age", "height", "isMember", "name"])
        },
        Difference(title: "control characters in XML") { () throws -> Void in
            let foundation = PropertyListEncoder()
            foundation.outputFormat = .xml
            let theirs = try foundation.encode(["a\u{1}"])
            #expect(theirs.contains(1))
            let encoder = PlistEncoder(format: .xml)
            #expect(throws: EncodingError.self) { try encoder.encode(["a\u{1}"]) }
            encoder.xmlOptions.allowedLosses.insert(.controlCharacters)
            #expect(try encoder.encode(["a\u{1}"]).contains(1))
        },
        Difference(title: "two values from one encoder or for one key that cannot be merged") {
            () throws -> Void in
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(TwoKinds()) }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode([TwoValues()]) }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(ValueAndContainer()) }
        },
        Difference(title: "two super encoders for one key") { () throws -> Void in
            let (ours, theirs) = ParityCase.encodings(of: TwoSupers(), isXML: false)
            #expect(ours == .value(["super": ["a": 1, "b": 2]]))
            #expect(theirs == .value(["super": ["b": 2]]))
        },
        Difference(title: "nesting and expansion") { () throws -> Void in
            let deep = try document(arrays: 513)
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode(Depth.self, from: deep)
            }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(Deep(depth: 513)) }
            // Twenty arrays, each with two references to the next object: 2²⁰ numbers.
            let pairs = (1...20).map { BinaryAssembler.Object.array([UInt64($0), UInt64($0)]) }
            let decoder = PlistDecoder()
            decoder.limits.expansion.base = 1000
            let expanded = #expect(throws: DecodingError.self) {
                try decoder.decode(
                    PropertyListValue.self, from: BinaryAssembler(pairs + [.integer(1)]).bytes)
            }
            guard case .dataCorrupted(let context) = expanded else { throw Broken() }
            let limit = context.underlyingError as? PropertyListError
            #expect(limit?.code == .expansionLimitExceeded)
        },
    ]

    private static func text(_ root: String) -> [UInt8] {
        Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(root)</plist>".utf8)
    }

    private static func document(arrays depth: Int) throws -> PropertyListDocument {
        var builder = DocumentBuilder(limits: .trusted)
        for _ in 0..<depth { builder.beginArray() }
        for _ in 0..<depth { builder.end() }
        return try builder.finish()
    }

    private struct TwoSupers: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Tag.Key.self)
            for (name, number) in [("a", 1), ("b", 2)] {
                var nested = container.superEncoder().container(keyedBy: Tag.Key.self)
                try nested.encode(number, forKey: Tag.Key(stringValue: name))
            }
        }
    }

    private struct TwoKinds: Encodable {
        func encode(to encoder: any Encoder) throws {
            var keyed = encoder.container(keyedBy: Interleaved.Keys.self)
            try keyed.encode(1, forKey: .list)
            var unkeyed = encoder.unkeyedContainer()
            try unkeyed.encode(1)
        }
    }

    private struct TwoValues: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(1)
            try container.encode(2)
        }
    }

    private struct ValueAndContainer: Encodable {
        func encode(to encoder: any Encoder) throws {
            var unkeyed = encoder.unkeyedContainer()
            try unkeyed.encode(1)
            var container = encoder.singleValueContainer()
            try container.encode([2])
        }
    }
}

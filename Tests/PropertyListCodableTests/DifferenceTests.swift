// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// What the coders do not do as Foundation does: each row of the table in the documentation is shown
/// here by both, so that a Foundation that changes is noticed.
@Suite("Differences of the Codable coders from Foundation")
struct CodableDifferenceTests {
    @Test("each is as the documentation says", arguments: rows)
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
        Difference(title: "strings in XML that begin with `$null`") { () throws -> Void in
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
        Difference(title: "reals in XML beyond `Float`") { () throws -> Void in
            let xml = Data(text("<array><real>1e300</real></array>"))
            let theirs = try PropertyListDecoder().decode([Float].self, from: xml)
            #expect(theirs == [.infinity])
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([Float].self, from: xml)
            }
        },
        Difference(title: "a key twice in a file") { () throws -> Void in
            let xml = Data(text("<dict><key>a</key><true/><key>a</key><false/></dict>"))
            let theirs = try PropertyListDecoder().decode([String: Bool].self, from: xml)
            #expect(theirs == ["a": false])
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([String: Bool].self, from: xml)
            }
            let lenient = PlistDecoder(options: .duplicateKeys)
            #expect(try lenient.decode([String: Bool].self, from: xml) == ["a": false])
        },
        Difference(title: "two keys that `String` takes for one, in a `[String: …]`") {
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
        Difference(title: "the order of keys") { () throws -> Void in
            let person = Person(name: "Anna", age: 3, height: 1.5)
            let value = try PropertyListValue(parsing: PlistEncoder().encode(person))
            #expect(value.dictionary?.keys == ["name", "age", "height", "isMember"])
            var encoder = PlistEncoder()
            encoder.keyOrder = .sorted
            let sorted = try PropertyListValue(parsing: encoder.encode(person))
            #expect(sorted.dictionary?.keys == ["age", "height", "isMember", "name"])
        },
        Difference(title: "control characters in XML") { () throws -> Void in
            let foundation = PropertyListEncoder()
            foundation.outputFormat = .xml
            let theirs = try foundation.encode(["a\u{1}"])
            #expect(theirs.contains(1))
            var encoder = PlistEncoder(format: .xml)
            #expect(throws: EncodingError.self) { try encoder.encode(["a\u{1}"]) }
            encoder.xmlLosses.insert(.controlCharacters)
            #expect(try encoder.encode(["a\u{1}"]).contains(1))
        },
        Difference(title: "two values from one encoder") { () throws -> Void in
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(TwoKinds()) }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode([TwoValues()]) }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(ValueAndContainer()) }
        },
        Difference(title: "nesting and expansion") { () throws -> Void in
            let deep = try document(arrays: 513)
            #expect(throws: DecodingError.self) {
                try PlistDecoder().decode(Depth.self, from: deep)
            }
            #expect(throws: EncodingError.self) { try PlistEncoder().encode(Deep(depth: 513)) }
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

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import TypedStream

@Suite("Objects of known classes in typedstreams")
struct MeaningTests {
    /// Returns a stream with objects of several known classes.
    private static func stream() throws -> [UInt8] {
        var stream = TypedStreamBuilder()
        try append("NSColor", to: &stream) {
            try $0.append("c", .integer(6))
            try $0.beginGroup("@@@")
            try append("System", to: &$0)
            try append("controlColor", to: &$0)
            try $0.append(.null)
        }
        try append("NSColor", to: &stream) {
            try $0.append("c", .integer(5))
            try $0.append("fffff", .real(0.125), .real(0.25), .real(0.5), .real(0.75), .real(1))
        }
        try append("NSFont", version: 30, to: &stream) {
            try $0.append("i", .integer(10))
            try $0.append("[10c]", .bytes([5, 0, 0, 0, 2, 0, 0, 0, 0x41, 0x62]))
            try $0.append("f", .real(12.5))
            for _ in 0..<4 { try $0.append("c", .integer(0)) }
        }
        try append("NSDate", to: &stream) { try $0.append("d", .real(0.25)) }
        try append("NSURL", to: &stream) {
            try $0.append("c", .integer(1))
            for text in ["http://example.com/", "path"] {
                try $0.beginGroup("@")
                try append(text, to: &$0)
            }
        }
        try append("NSValue", to: &stream) {
            try $0.append("*", .string("{CGSize=dd}"))
            try $0.append("{CGSize=dd}", .real(1.5), .real(2))
        }
        try append("NSSet", to: &stream) {
            try $0.append("I", .integer(1))
            try append("NSNull", to: &$0) { _ in }
        }
        try append("NSAttributedString", to: &stream) {
            try $0.beginGroup("@")
            try append("ä👋b", to: &$0)
            try appendRun(1, 1, attributes: ["first"], to: &$0)
            try appendRun(2, 2, attributes: ["second"], to: &$0)
            try appendRun(1, 1, attributes: nil, to: &$0)
        }
        return try stream.finish()
    }

    /// Appends a group with an object of a root class.
    private static func append(
        _ name: String, version: Int64 = 0, to stream: inout TypedStreamBuilder,
        _ fields: (inout TypedStreamBuilder) throws -> Void
    ) throws {
        try stream.beginGroup("@")
        try stream.append(object: .init(name, version: version), fields)
    }

    /// Appends a string as the next value of a group.
    private static func append(_ text: String, to stream: inout TypedStreamBuilder) throws {
        try stream.append(object: Samples.string) { try $0.append("+", .string(text)) }
    }

    /// Appends a run and, if its number is new, a dictionary of attributes with `NSNull` values.
    private static func appendRun(
        _ number: Int64, _ length: Int64, attributes: [String]?, to stream: inout TypedStreamBuilder
    ) throws {
        try stream.append("iI", .integer(number), .integer(length))
        guard let attributes else { return }
        try append("NSDictionary", to: &stream) {
            try $0.append("i", .integer(Int64(attributes.count)))
            for name in attributes {
                try $0.beginGroup("@")
                try append(name, to: &$0)
                try append("NSNull", to: &$0) { _ in }
            }
        }
    }

    /// Returns the document of a stream with one attributed string.
    private static func attributed(
        _ text: String, _ runs: (inout TypedStreamBuilder) throws -> Void
    ) throws -> TypedStreamDocument {
        var stream = TypedStreamBuilder()
        try append("NSAttributedString", to: &stream) {
            try $0.beginGroup("@")
            try append(text, to: &$0)
            try runs(&$0)
        }
        return try TypedStreamDocument(parsing: stream.finish())
    }

    @Test("each object has the content that its class defines")
    func meanings() throws {
        let document = try TypedStreamDocument(parsing: Self.stream())
        var kinds: [String] = []
        for group in document.groups {
            guard case .object(let object)? = Array(group.values).first?.content else { continue }
            switch try object.content() {
            case .catalogColor(_, let name, nil): kinds.append(try name.string() ?? "nil")
            case .color(let kind, let components): kinds.append("\(kind): \(components)")
            case .font(let name, let size): kinds.append("\(name) \(size)")
            case .date(let seconds): kinds.append("\(seconds)")
            case .url(let text, let base): kinds.append("\(try text.string() ?? "") \(base != nil)")
            case .value(let encoding, _): kinds.append(encoding.text)
            case .set(let elements): kinds.append("\(elements.count) elements")
            case .attributedString(_, let runs, let attributes):
                kinds.append("\(runs.map(\.attributes)) \(attributes.count)")
            default: kinds.append("nothing")
            }
        }
        #expect(
            kinds == [
                "controlColor", "5: [0.125, 0.25, 0.5, 0.75, 1.0]", "Ab 12.5", "0.25", "path true",
                "{CGSize=dd}", "1 elements", "[0, 1, 0] 2",
            ])
    }

    // A regression test: the library once read beyond the end of the file here.
    @Test("reading the content of an object that is cut off is an error, wherever the stream ends")
    func prefixes() throws {
        let bytes = try Self.stream()
        let whole = try TypedStreamDocument(parsing: bytes).objects
        for length in 16..<bytes.count {
            let document = try TypedStreamDocument(salvaging: Array(bytes.prefix(length)))
            for (object, complete) in zip(document.objects, whole) {
                if object.byteRange == complete.byteRange {
                    // Complete objects are read, even one whose end tag is the last byte of the
                    // prefix.
                    #expect(throws: Never.self, "\(length) bytes") { try object.content() }
                    continue
                }
                let error = #expect(throws: TypedStreamError.self, "\(length) bytes") {
                    try object.content()
                }
                #expect(error?.code == document.problem?.code, "\(length) bytes")
            }
            _ = try? AttributedText(document)
        }
    }

    @Test("runs that share attributes have one dictionary")
    func runs() throws {
        let text = try AttributedText(
            Self.attributed("ä👋b") {
                try Self.appendRun(1, 1, attributes: ["first"], to: &$0)
                try Self.appendRun(2, 2, attributes: ["second"], to: &$0)
                try Self.appendRun(1, 1, attributes: nil, to: &$0)
            })
        #expect(text.runs.map(\.utf16Range) == [0..<1, 1..<3, 3..<4])
        #expect(text.runs.map { String(text.text(of: $0)) } == ["ä", "👋", "b"])
        #expect(
            text.runs.map { text.attributes(of: $0).names } == [["first"], ["second"], ["first"]])
        #expect(text.runs.map(\.attributes) == [0, 1, 0])
    }

    @Test(
        "a run of another text is looked up by the number of its dictionary, and may give no attributes"
    )
    func foreignRun() throws {
        let other = try AttributedText(
            Self.attributed("ab") {
                try Self.appendRun(1, 1, attributes: ["a", "b", "c"], to: &$0)
                try Self.appendRun(2, 1, attributes: [], to: &$0)
            })
        let plain = try AttributedText(Self.attributed("") { _ in })
        for run in other.runs {
            #expect(plain.attributes(of: run).names.isEmpty)
            #expect(plain.range(of: run) == plain.text.startIndex..<plain.text.startIndex)
        }
        let text = try AttributedText(
            Self.attributed("cd") { try Self.appendRun(1, 2, attributes: ["c"], to: &$0) })
        #expect(other.runs.map { text.attributes(of: $0).names } == [["c"], []])
        #expect(text.attributes(of: other.runs[1]).dictionary == nil)
    }

    @Test("a plain string is text without runs")
    func plainString() throws {
        let bytes = try Samples.text()
        let text = try AttributedText(typedstream: bytes)
        #expect(text.text == "Grüße, 世界")
        #expect(text.runs.isEmpty)
        #expect(try AttributedText(typedstream: bytes[...]).text == text.text)
    }

    @Test("a stream is refused if its root is not a string, or if it has no root or several")
    func roots() throws {
        for bytes in [try Samples.roots(), try Samples.cycle(), Raw.header, try Self.stream()] {
            let error = #expect(throws: TypedStreamError.self) {
                try AttributedText(typedstream: bytes)
            }
            #expect(error?.code == .wrongKind)
        }
    }

    @Test("attributes that are not a dictionary are an error when they are read")
    func attributes() throws {
        let text = try AttributedText(
            Self.attributed("a") {
                try $0.append("iI", .integer(1), .integer(1))
                try $0.beginGroup("@")
                try Self.append("no dictionary", to: &$0)
            })
        let attributes = text.attributes(of: text.runs[0])
        let error = #expect(throws: TypedStreamError.self) { try attributes.entries() }
        #expect(error?.code == .wrongKind)
        #expect(attributes.names.isEmpty)
    }

    /// Returns the document of a stream with one object of a root class.
    private static func document(
        _ name: String, _ fields: (inout TypedStreamBuilder) throws -> Void
    ) throws -> TypedStreamDocument {
        var stream = TypedStreamBuilder()
        try append(name, to: &stream, fields)
        return try TypedStreamDocument(parsing: stream.finish())
    }

    @Test("a run after the end of the text is refused")
    func runAfterText() throws {
        for text in ["", "ab"] {
            let document = try Self.attributed(text) {
                if !text.isEmpty { try Self.appendRun(1, 2, attributes: [], to: &$0) }
                try Self.appendRun(1, 3, attributes: text.isEmpty ? [] : nil, to: &$0)
            }
            let error = #expect(throws: TypedStreamError.self) { try AttributedText(document) }
            #expect(
                error?.what
                    == "expected no run after the end of the text, found a run of 3 UTF-16 units, "
                    + "in NSAttributedString")
        }
    }

    @Test("data with a value after its bytes is refused")
    func extraValue() throws {
        let document = try Self.document("NSData") {
            try $0.append("i", .integer(3))
            try $0.append("[3c]i", .bytes([1, 2, 3]), .integer(4))
        }
        let error = #expect(throws: TypedStreamError.self) { try document.root?.content() }
        #expect(error?.code == .wrongKind)
    }

    @Test("an attributed string whose text is not a string of a known version is refused")
    func unknownText() throws {
        let document = try Self.document("NSAttributedString") {
            try Self.append("NSString", version: 2, to: &$0) { try $0.append("+", .string("a")) }
        }
        let error = #expect(throws: TypedStreamError.self) { try AttributedText(document) }
        #expect(error?.code == .wrongKind)
        #expect(error?.what.contains("found NSString of version 2") == true)
        #expect(throws: TypedStreamError.self) { try document.root?.content() }
    }

    @Test("the bytes of an object limit its element count; streamer version 3 has smaller elements")
    func counts() throws {
        let document = try Self.document("NSArray") { try $0.append("i", .integer(-1)) }
        let error = #expect(throws: TypedStreamError.self) { try document.root?.content() }
        #expect(error?.what == "expected 0 to 2 elements in an array, found -1, in NSArray")
        // An NSArray of version 0 with 100 nil elements, which have no type encoding.
        let start = Raw.version(3) + [0x84, 0x84] + Raw.new("NSArray") + [0x00, 0x85, 0x00]
        let nils = [UInt8](repeating: 0x85, count: 100)
        let bytes = start + Raw.new("i") + [100] + nils + [0x86]
        let root = try #require(try TypedStreamDocument(parsing: bytes).root)
        guard case .array(let elements)? = try root.content() else {
            Issue.record("no array")
            return
        }
        #expect(elements.count == 100)
    }

    @Test(
        "in streamer version 3, a nil object, which has no type encoding, is not read as a number")
    func impliedEncoding() throws {
        // An NSDate of version 0, whose only value is nil instead of a number.
        let bytes =
            Raw.version(3) + [0x84, 0x84] + Raw.new("NSDate") + [0x00, 0x85, 0x00] + [0x85, 0x86]
        let root = try #require(try TypedStreamDocument(parsing: bytes).root)
        let error = #expect(throws: TypedStreamError.self) { try root.content() }
        #expect(error?.code == .wrongKind)
    }
}

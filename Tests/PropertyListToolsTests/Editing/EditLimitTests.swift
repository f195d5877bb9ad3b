// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

@Suite("Limits of edits")
struct EditLimitTests {
    private static let text = String(repeating: "k", count: 100_000)

    /// Limits that a text of five megabytes exceeds.
    private static let small = {
        var limits = ParsingLimits.untrusted
        limits.output.base = 1 << 20
        return limits
    }()

    /// Returns dictionaries that share one text as their keys and values.
    private static func dictionaries(_ count: Int) -> PropertyListValue {
        .array(PropertyListArray((0..<count).map { [text: .string(text), "n": .init($0)] }))
    }

    private func edited(
        _ source: PropertyListValue, as format: PropertyListFormat,
        _ operation: PropertyListEdit.Operation, at path: PropertyListKeyPath,
        limits: ParsingLimits = .untrusted
    ) throws(PropertyListError) -> EditedPropertyList {
        let bytes = try PropertyListDocument(source).serialized(as: format)
        let document = try PropertyListDocument(parsing: bytes, limits: limits)
        return try document.applying([PropertyListEdit(path, operation)], limits: limits)
    }

    @Test(
        "a text that occurs many times in new values counts each time it is written",
        arguments: [PropertyListFormat.xml, .openStep, .json])
    func sharedText(format: PropertyListFormat) throws {
        let text = PropertyListValue.string(String(repeating: "k", count: 10_000))
        let texts = PropertyListValue.array(
            PropertyListArray([PropertyListValue](repeating: text, count: 500)))
        var limits = ParsingLimits.untrusted
        limits.output.base = 1 << 20
        for operation in [PropertyListEdit.Operation.set(texts), .append(texts), .merge(texts)] {
            let error = #expect(throws: PropertyListError.self) {
                try edited(
                    ["a": ["one"]], as: format, operation, at: [.key("a")], limits: limits)
            }
            #expect(error?.code == .sizeLimitExceeded)
        }
    }

    @Test("a text that many elements of a binary file share is copied once")
    func sharedTextInBinary() throws {
        for operation in [
            PropertyListEdit.Operation.set(Self.dictionaries(20_000)),
            .merge(Self.dictionaries(20_000)),
        ] {
            let result = try edited([[1]], as: .binary, operation, at: [.index(0)])
            #expect(result.bytes.count < 1_000_000)
            #expect(try result.document.root.value()[0]?.array?.last?["n"] == 19_999)
        }
    }

    @Test("a long key that is looked up in many new dictionaries counts each time")
    func sharedKey() throws {
        var entries = PropertyListDictionary()
        for number in 0..<2000 { entries["\(number)"] = [Self.text: 1] }
        let error = #expect(throws: PropertyListError.self) {
            try edited(.dictionary(entries), as: .binary, .merge(.dictionary(entries)), at: [])
        }
        #expect(error?.code == .sizeLimitExceeded)
    }

    @Test(
        "a value given by the caller raises the limits by its size",
        arguments: [PropertyListFormat.xml, .binary, .json])
    func largeValue(format: PropertyListFormat) throws {
        let text = String(repeating: "long ", count: Exhaustive.size(8_000_000, inDebug: 1_000_000))
        let result = try edited(
            ["a": "b"], as: format, .set(.string(text)), at: [.key("a")], limits: Self.small)
        #expect(result.document.root["a"]?.string == text)
    }

    @Test("text in which a duplicate key was kept cannot be edited")
    func twoEntries() throws {
        let text =
            "<plist version=\"1.0\"><dict><key>a</key><true/><key>a</key><false/></dict></plist>"
        let document = try PropertyListDocument(
            parsing: text.utf8, options: .allDuplicateKeys)
        let error = #expect(throws: PropertyListError.self) {
            try document.applying([PropertyListEdit([.key("b")], .set(1))])
        }
        #expect(error?.code == .duplicateKey)
    }

    @Test(
        "a value given for a nested property list raises the limits of the outer one",
        arguments: [PropertyListFormat.xml, .binary])
    func largeNestedValue(format: PropertyListFormat) throws {
        let inner = try PropertyListDocument(["k": "v"]).serialized(as: .binary)
        let text = String(repeating: "long ", count: Exhaustive.size(4_000_000, inDebug: 1_000_000))
        let result = try edited(
            ["payload": .data(inner)], as: format, .set(.string(text)),
            at: [.key("payload"), .content, .key("k")], limits: Self.small)
        let data = try #require(result.document.root["payload"]?.data)
        let nested = try PropertyListDocument(parsing: data)
        #expect(nested.root["k"]?.string == text)
    }

    @Test("very many numbers given by the caller are written, even deeply nested")
    func manyNumbers() throws {
        let count = Exhaustive.size(1_000_000, inDebug: 200_000)
        let number = PropertyListValue(Int.max)
        var value = PropertyListValue.array(
            PropertyListArray([PropertyListValue](repeating: number, count: count)))
        for _ in 0..<10 { value = [value] }
        let result = try edited(["a": 1], as: .xml, .set(value), at: [.key("a")])
        #expect(result.bytes.count > 40 * count)
    }

    @Test(
        "a value whose shared copies multiply is refused; one with copies on one level is written",
        arguments: [PropertyListFormat.xml, .openStep, .json, .binary])
    func sharedCopies(format: PropertyListFormat) throws {
        let seconds = try ProcessorTime.seconds {
            var value: PropertyListValue = ["x"]
            for _ in 0..<100 { value = [value, value] }
            let error = #expect(throws: PropertyListError.self) {
                try edited(["a": "b"], as: format, .set(value), at: [.key("a")])
            }
            #expect(error?.isLimit == true)
            // Copies on a single level do not multiply, so even many of them stay within the
            // limits.
            let count = Exhaustive.size(100_000, inDebug: 20_000)
            let row: PropertyListValue = ["1", "2", "3"]
            let rows = PropertyListValue.array(
                PropertyListArray([PropertyListValue](repeating: row, count: count)))
            let result = try edited(["a": "b"], as: format, .set(rows), at: [.key("a")])
            #expect(result.document.root["a"]?.childNodes.count == count)
        }
        #expect(seconds < 60)
    }

    @Test("the size limit counts UTF-16 text in UTF-16, not in UTF-8")
    func wideText() throws {
        let text = PropertyListValue.string(String(repeating: "k", count: 10_000))
        let values = [PropertyListValue](repeating: text, count: 120)
        let edit = PropertyListEdit([.key("a")], .set(.array(PropertyListArray(values))))
        // The limit exceeds the size of the result in UTF-8, but not its size in UTF-16.
        var limits = ParsingLimits.untrusted
        limits.output.base = 1_600_000
        let source = "{ a = b; }"
        let narrow = try PropertyListDocument(parsing: Array(source.utf8), limits: limits)
        let result = try narrow.applying([edit], limits: limits)
        #expect(result.document.root["a"]?.array?.count == 120)
        var bytes = [0xFF, 0xFE] as [UInt8]
        bytes += source.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let wide = try PropertyListDocument(parsing: bytes, limits: limits)
        let error = #expect(throws: PropertyListError.self) {
            try wide.applying([edit], limits: limits)
        }
        #expect(error?.code == .sizeLimitExceeded)
    }
}

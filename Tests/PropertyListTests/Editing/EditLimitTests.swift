// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import Testing

@Suite("Limits of edits")
struct EditLimitTests {
    private static let text = String(repeating: "k", count: 100_000)

    /// Dictionaries that share one text as their keys and values.
    private static func dictionaries(_ count: Int) -> PropertyListValue {
        .array(PropertyListArray((0..<count).map { [text: .string(text), "n": .init($0)] }))
    }

    private func edited(
        _ source: PropertyListValue, as format: PropertyListFormat,
        _ operation: PropertyListEdit.Operation, at path: PropertyListKeyPath
    ) throws(PropertyListError) -> EditedPropertyList {
        let bytes = try PropertyListDocument(source).serialized(as: format)
        let document = try PropertyListDocument(parsing: bytes, limits: .untrusted)
        return try document.applying(
            [PropertyListEdit(path, operation)], limits: .untrusted)
    }

    @Test(
        "a text that new values say many times counts each time it is written",
        arguments: [PropertyListFormat.xml, .openStep, .json])
    func sharedText(format: PropertyListFormat) throws {
        let texts = PropertyListValue.array(
            PropertyListArray([PropertyListValue](repeating: .string(Self.text), count: 5000)))
        for operation in [PropertyListEdit.Operation.set(texts), .append(texts), .merge(texts)] {
            let error = #expect(throws: PropertyListError.self) {
                try edited(["a": ["one"]], as: format, operation, at: [.key("a")])
            }
            #expect(error?.code == .sizeLimitExceeded)
        }
    }

    @Test("a text that many elements of a binary file say is copied once")
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

    @Test("a long key that is looked for in many new dictionaries counts each time")
    func sharedKey() throws {
        var entries = PropertyListDictionary()
        for number in 0..<2000 { entries["\(number)"] = [Self.text: 1] }
        let error = #expect(throws: PropertyListError.self) {
            try edited(.dictionary(entries), as: .binary, .merge(.dictionary(entries)), at: [])
        }
        #expect(error?.code == .sizeLimitExceeded)
    }

    @Test(
        "what a caller brings raises the limits by as much",
        arguments: [PropertyListFormat.xml, .binary, .json])
    func largeValue(format: PropertyListFormat) throws {
        let text = String(repeating: "long ", count: 8_000_000)
        let result = try edited(["a": "b"], as: format, .set(.string(text)), at: [.key("a")])
        #expect(result.document.root["a"]?.string == text)
    }

    @Test("text in which a key was kept twice cannot be edited")
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
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Tables) @testable import PropertyList

@Suite("Shapes of dictionaries")
struct ShapeTests {
    /// Returns the shapes of the dictionaries in the root array of a document.
    private func shapes(_ document: PropertyListDocument) -> [UInt16] {
        document.root.array?.map(\.record.shape) ?? []
    }

    private func parse(_ text: String, _ options: ParsingOptions = .strict) throws -> [UInt16] {
        shapes(try PropertyListDocument(parsing: Array(text.utf8), options: options))
    }

    @Test("dictionaries with the same keys in the same order share a shape, in every format")
    func formats() throws {
        let expected: [UInt16] = [1, 2, 1, 0, 3, 2]
        let json = #"[{"a":1,"b":2},{"b":1,"a":2},{"a":3,"b":[]},{},{"a":1},{"b":0,"a":0}]"#
        #expect(try parse(json) == expected)
        let openStep = "({a=1;b=2;},{b=1;a=2;},{a=3;b=();},{},{a=1;},{b=0;a=0;})"
        #expect(try parse(openStep) == expected)
        let document = try PropertyListDocument(parsing: Array(json.utf8))
        let copy = try PropertyListDocument(try document.root.value())
        #expect(shapes(copy) == expected)
        let binary = try BinaryPropertyList.serialize(document)
        #expect(shapes(try PropertyListDocument(parsing: binary)) == expected)
        let xml = try document.serialized(as: .xml)
        #expect(shapes(try PropertyListDocument(parsing: xml)) == expected)
        let tokenized = [UInt8](
            String(decoding: xml, as: UTF8.self).replacing("<key>", with: "<key >").utf8)
        #expect(shapes(try PropertyListDocument(parsing: tokenized)) == expected)
    }

    @Test("dictionaries with equal keys share a shape even if the keys are different objects")
    func objects() throws {
        let file = BinaryAssembler([
            .array([1, 2, 3]), .dictionary([4, 5], [4, 4]), .dictionary([6, 7], [4, 4]),
            .dictionary([5, 6], [4, 4]), .ascii("a"), .ascii("b"), .ascii("a"),
            .utf16(Array("b".utf16)),
        ])
        #expect(try shapes(parsed(file)) == [1, 1, 2])
    }

    @Test(
        "a removed duplicate key does not change the shape; a dictionary that keeps both has none"
    )
    func duplicates() throws {
        let text = """
            <plist version="1.0"><array>
            <dict><key>a</key><true/><key>b</key><true/></dict>
            <dict><key>a</key><true/><key>b</key><true/><key>a</key><true/></dict>
            <dict><key>a</key><true/><key>a</key><true/></dict>
            <dict><key>a</key><true/><key>b</key><true/></dict>
            </array></plist>
            """
        #expect(try parse(text, .duplicateKeys) == [1, 1, 2, 1])
        #expect(try parse(text, .allDuplicateKeys) == [1, 0, 0, 1])
    }

    @Test("a dictionary with a key that is not a string has no shape")
    func others() throws {
        let file = BinaryAssembler([
            .array([1, 2]), .dictionary([3], [4]), .dictionary([3, 4], [4, 4]), .ascii("a"),
            .integer(1),
        ])
        let document = try parsed(file, options: .nonStringKeys)
        #expect(shapes(document) == [1, 0])
        #expect(document.root[1]?["a"]?.integer == 1)
    }

    @Test("after 65,535 shapes no more are assigned, and every key is still found")
    func limit() throws {
        let count = 65_600
        var builder = DocumentBuilder()
        builder.beginArray()
        for number in (0..<count) + [5, 65_534, 65_535] {
            builder.beginDictionary()
            builder.key("k\(number)")
            builder.integer(PropertyListInteger(number))
            builder.end()
        }
        builder.end()
        let document = try builder.finish()
        let shapes = shapes(document)
        #expect(shapes.prefix(65_535).elementsEqual(1...65_535))
        #expect(shapes[65_535..<count].allSatisfy { $0 == 0 })
        #expect(shapes.suffix(3) == [6, 65_535, 0])
        for number in stride(from: 0, to: count, by: 97) {
            #expect(document.root[number]?["k\(number)"]?.integer == PropertyListInteger(number))
            #expect(document.root[number]?["k\(number + 1)"] == nil)
        }
        #expect(try document.root.value() == document.withoutShapes.root.value())
    }

    // MARK: Random documents

    /// Returns an XML array of dictionaries. Each has a random subset of the same keys, mostly in
    /// the same order. Some dictionaries are large.
    private func randomText(_ random: inout SplitMix64) -> String {
        let names = (0..<(random.oneIn(3) ? 80 : 6)).map { "k\($0)" }
        func entries(_ depth: Int) -> String {
            var keys = random.oneIn(2) ? names : names.filter { _ in !random.oneIn(4) }
            if random.oneIn(4) { keys.shuffle(using: &random) }
            return keys.map { "<key>\($0)</key>\(value(depth))" }.joined()
        }
        func value(_ depth: Int) -> String {
            guard depth > 0, random.oneIn(names.count) else {
                return "<integer>\(random.below(9))</integer>"
            }
            return "<dict>\(entries(depth - 1))</dict>"
        }
        let values = (0..<random.below(40)).map { _ in "<dict>\(entries(2))</dict>" }
        return "<plist version=\"1.0\"><array>\(values.joined())</array></plist>"
    }

    @Test(
        "dictionaries with equal keys share a shape, and shapes do not change what lookups find",
        arguments: Exhaustive.sample(0..<60 as Range<UInt64>, oneIn: 6))
    func random(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let xml = try PropertyListDocument(parsing: Array(randomText(&random).utf8))
        let binary = try PropertyListDocument(parsing: BinaryPropertyList.serialize(xml))
        for document in [xml, binary, try PropertyListDocument(try xml.root.value())] {
            check(document, "seed \(seed)")
            let slow = document.withoutShapes
            #expect(try document.root.value() == slow.root.value(), "seed \(seed)")
            #expect(
                try BinaryPropertyList.serialize(document) == BinaryPropertyList.serialize(slow),
                "seed \(seed)")
            #expect(
                try document.serialized(as: .xml) == slow.serialized(as: .xml),
                "seed \(seed)")
        }
    }

    private func check(_ document: PropertyListDocument, _ comment: Comment) {
        let slow = document.withoutShapes
        var known: [UInt16: [String]] = [:]
        for node in document.allNodes where node.kind == .dictionary {
            let keys = node.dictionary?.map(\.key) ?? []
            let shape = node.record.shape
            #expect((shape == 0) == keys.isEmpty, comment)
            if shape == 0 { continue }
            #expect(known[shape, default: keys] == keys, comment)
            known[shape] = keys
            let copy = slow.node(node.index)
            for key in (0..<81).map({ "k\($0)" }) {
                #expect(node[key]?.index == copy[key]?.index, comment)
            }
        }
        #expect(Set(known.values).count == known.count, comment)
        #expect(known.keys.sorted().elementsEqual(1..<UInt16(known.count + 1)), comment)
    }
}

extension PropertyListDocument {
    /// The same document without shapes and without cached key positions.
    fileprivate var withoutShapes: PropertyListDocument {
        var store = storage.store
        for node in store.records.indices where store.records[node].kind == .dictionary {
            store.records[node].shape = 0
        }
        var keys = NumberedKeys(table: storage.keys)
        keys.homes = Array(repeating: .none, count: storage.keys.count + 1)
        keys.hasShapeless = true
        return PropertyListDocument(
            .init(
                store: store, root: storage.root, keys: keys, format: storage.format,
                xmlHeader: storage.xmlHeader, leniencies: storage.leniencies))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// The depth of nested arrays, decoded without building a deep value.
struct Depth: Decodable {
    let depth: Int
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        var deepest = 0
        while !container.isAtEnd { deepest = max(deepest, try container.decode(Depth.self).depth) }
        depth = deepest + 1
    }
}

/// Arrays nested to a given depth.
struct Deep: Encodable, Sendable {
    let depth: Int
    func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        if depth > 1 { try container.encode(Deep(depth: depth - 1)) }
    }
}

@Suite("Hostile input to the Codable coders")
struct HostileCodableTests {
    private static var types: [any Decodable.Type] {
        [
            Anything.self, Person.self, [String: Person?].self, [Anything].self, Nest.self,
            Interleaved.self, UnkeyedQuestions.self, Questions.self, PropertyListValue.self,
            [PropertyListUID].self, Payload.self, Decimal.self, URL.self, Int?.self, Data.self,
        ]
    }

    /// Decodes a file into a third of the types. `number` selects the types and the leniencies.
    private static func decode(_ bytes: [UInt8], _ number: Int) {
        let options: [ParsingOptions] = [.strict, .appleCompatible, [.allDuplicateKeys, .salvage]]
        let decoder = PlistDecoder(limits: .untrusted)
        let document = try? PropertyListDocument(
            parsing: bytes, options: options[number / 3 % options.count], limits: .untrusted)
        guard let document else { return }
        for (place, type) in types.enumerated() where place % 3 == number % 3 {
            _ = try? decoder.decode(type, from: document)
        }
    }

    private static let files = ["binary", "xml", "archives"].flatMap { folder in
        Corpus.fixtures(folder).filter {
            $0.bytes.count < 500 && !$0.name.hasSuffix(".md") && !$0.name.hasSuffix(".expected")
        }
    }

    @Test("every prefix of a file is decoded or refused", arguments: files)
    func prefixes(_ file: Corpus.File) {
        for length in Exhaustive.sample(0...file.bytes.count, oneIn: 16) {
            Self.decode(Array(file.bytes.prefix(length)), length)
        }
    }

    @Test("a file with a changed byte is decoded or refused", arguments: files)
    func changes(_ file: Corpus.File) {
        let seed = UInt64.random(in: .min ... .max)
        print("\(file.name): seed \(seed)")
        var random = SplitMix64(seed: seed)
        for place in Exhaustive.sample(file.bytes.indices, oneIn: 120) {
            var bytes = file.bytes
            bytes[place] ^= 1 << UInt8(random.below(8))
            Self.decode(bytes, place)
        }
    }

    // MARK: Depth

    private static func file(depth: Int) -> [UInt8] {
        let open = String(repeating: "<array>", count: depth)
        let close = String(repeating: "</array>", count: depth)
        return Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(open)\(close)</plist>".utf8)
    }

    @Test("512 levels are encoded and decoded on a stack of 512 KB, and more are refused")
    func depth() throws {
        try onThread(stackSize: 512 << 10) {
            #expect(try PlistDecoder().decode(Depth.self, from: Self.file(depth: 512)).depth == 512)
            let document = try PlistEncoder().encodeDocument(Deep(depth: 512))
            #expect(try PlistDecoder().decode(Depth.self, from: document).depth == 512)
            let nest = try PlistDecoder().decode(
                Nest.self, from: CodableParityTests.nest(250))
            #expect(try PlistEncoder().encodeValue(nest) == CodableParityTests.nest(250))
        }
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode(Depth.self, from: Self.file(depth: 513))
        }
        let error = #expect(throws: EncodingError.self) {
            try PlistEncoder().encode(Deep(depth: 514))
        }
        guard case .invalidValue(_, let context) = error else { throw Broken() }
        #expect(context.codingPath.count == 512)
        let underlying = context.underlyingError as? PropertyListError
        #expect(underlying?.code == .depthLimitExceeded)
    }

    /// A list that recurses through `superDecoder` and `superEncoder`, with large frames. The coders
    /// cannot move these calls to another thread.
    private final class Link: Codable {
        enum CodingKeys: CodingKey { case next, values }
        let next: Link?

        init(depth: Int) { next = depth > 1 ? Link(depth: depth - 1) : nil }

        init(from decoder: any Decoder) throws {
            let frame = InlineArray<512, Int>(repeating: decoder.codingPath.count)
            let container = try decoder.container(keyedBy: CodingKeys.self)
            next =
                container.contains(.next)
                ? try Link(from: container.superDecoder(forKey: .next)) : nil
            #expect(frame[511] == decoder.codingPath.count)
        }

        func encode(to encoder: any Encoder) throws {
            let frame = InlineArray<512, Int>(repeating: encoder.codingPath.count)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode([1], forKey: .values)
            try next?.encode(to: container.superEncoder(forKey: .next))
            #expect(frame[511] == encoder.codingPath.count)
        }
    }

    private static func nest(_ depth: Int) throws -> PropertyListDocument {
        try PropertyListDocument((0..<depth).reduce([:]) { inner, _ in ["next": inner] })
    }

    private static func isStackError(_ error: (any Error)?) -> Bool {
        var cause: (any Error)?
        if let error = error as? DecodingError, case .dataCorrupted(let context) = error {
            cause = context.underlyingError
        }
        if let error = error as? EncodingError, case .invalidValue(_, let context) = error {
            cause = context.underlyingError
        }
        return (cause as? PropertyListError)?.code == .depthLimitExceeded
    }

    @Test("recursion through super coders ends with an error before the stack overflows")
    func superCoders() throws {
        let document = try Self.nest(500)
        try onThread(stackSize: 512 << 10) {
            let shallow = try PlistDecoder().decode(
                Link.self, from: Self.nest(20))
            #expect(shallow.next != nil)
            let decoding = #expect(throws: (any Error).self) {
                try PlistDecoder().decode(Link.self, from: document)
            }
            #expect(Self.isStackError(decoding))
            let encoding = #expect(throws: (any Error).self) {
                try PlistEncoder().encode(Link(depth: 400))
            }
            #expect(Self.isStackError(encoding))
        }
        try onThread(stackSize: 16 << 20) {
            _ = try PlistDecoder().decode(Link.self, from: document)
            _ = try PlistEncoder().encode(Link(depth: 400))
        }
    }

    @Test("`allKeys` and lookups of missing keys in many records stay within the limits")
    func repeatedKeys() throws {
        struct Name: CodingKey {
            let stringValue: String
            init(_ text: String) { stringValue = text }
            init?(stringValue text: String) { stringValue = text }
            var intValue: Int? { nil }
            init?(intValue: Int) { nil }
        }
        struct Record: Decodable {
            var sum = 0
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Name.self)
                for index in 0..<60 where container.allKeys.count == 60 {
                    sum += try container.decode(Int.self, forKey: Name("é\(index)"))
                    if container.contains(Name("à\(index)")) { sum += 1000 }
                    if container.contains(Name("e\u{301}\(index)")) { sum += 1 }
                }
            }
        }
        let entries = (0..<60).map { ("é\($0)", $0) }
        let records = Array(
            repeating: Dictionary(uniqueKeysWithValues: entries), count: 1000)
        for format in [PropertyListFormat.xml, .binary] {
            let bytes = try PlistEncoder(format: format).encode(records)
            let sums = try PlistDecoder().decode([Record].self, from: bytes).map(\.sum)
            #expect(sums == Array(repeating: 60 * 59 / 2 + 60, count: 1000))
        }
    }

    @Test("the trusted limits allow 20,000 levels, which the default limits refuse")
    func trustedDepth() throws {
        let encoder = PlistEncoder()
        encoder.limits = .trusted
        let document = try encoder.encodeDocument(Deep(depth: 20_000))
        let decoder = PlistDecoder(limits: .trusted)
        #expect(try decoder.decode(Depth.self, from: document).depth == 20_000)
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode(Depth.self, from: document)
        }
    }

    /// A type that decodes itself from the same value endlessly.
    private struct Endless: Codable {
        init() {}
        init(from decoder: any Decoder) throws {
            self = try decoder.singleValueContainer().decode(Endless.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    @Test("a type that encodes or decodes itself endlessly is refused")
    func endless() {
        let decoding = #expect(throws: DecodingError.self) {
            try PlistDecoder().decode(Endless.self, from: 1)
        }
        let encoding = #expect(throws: EncodingError.self) {
            try PlistEncoder().encodeValue(Endless())
        }
        for error in [decoding as (any Error)?, encoding] {
            #expect(
                "\(error.map { "\($0)" } ?? "")".contains(
                    "at most 9216 nested containers, found 9217"))
        }
    }

    /// Nests containers in a loop, without nested calls.
    private struct Chain: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            for _ in 0..<100_000 { container = container.nestedUnkeyedContainer() }
        }
    }

    @Test("a long chain of nested containers is refused and released")
    func chain() throws {
        #expect(throws: EncodingError.self) { try PlistEncoder().encode(Chain()) }
        let encoder = PlistEncoder()
        encoder.limits = .trusted
        let document = try encoder.encodeDocument(Chain())
        #expect(document.nodeCount == 100_001)
    }

    // MARK: Expansion

    @Test("a few shared containers cannot expand to many values")
    func bomb() throws {
        var objects: [BinaryAssembler.Object] = []
        for level in UInt64(0)..<12 {
            objects.append(.array([UInt64](repeating: level + 1, count: 10)))
        }
        objects.append(.array([]))
        let bytes = BinaryAssembler(objects).bytes
        let types: [any Decodable.Type] = [
            Depth.self, PropertyListValue.self, [PropertyListValue].self,
        ]
        for type in Exhaustive.sample(types, oneIn: 3) {
            let error = #expect(throws: DecodingError.self) {
                try PlistDecoder().decode(type, from: bytes)
            }
            guard case .dataCorrupted(let context) = error else { throw Broken() }
            let underlying = context.underlyingError as? PropertyListError
            #expect(underlying?.code == .expansionLimitExceeded)
        }
    }

    @Test("the error for a number out of range names the kind of the number")
    func numbersOutOfRange() throws {
        for (number, what) in [
            (300, "an integer does not fit in Int8"), (1.5, "a real number does not fit in Int8"),
        ] as [(PropertyListValue, String)] {
            let error = #expect(throws: DecodingError.self) {
                try PlistDecoder().decode([Int8].self, from: [number])
            }
            guard case .dataCorrupted(let context) = error else { throw Broken() }
            #expect((context.underlyingError as? PropertyListError)?.what == what)
        }
    }

    @Test("a value that a small file references many times is copied once")
    func longContents() throws {
        // The value has 1 MB and 10,000 references. A copy for each would take 10 GB.
        let count = 10_000
        let content = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000_000)
        func bytes(_ marker: UInt8) -> [UInt8] {
            let long = BinaryAssembler.Object.counted(marker, 1_000_000, width: 4, content)
            return BinaryAssembler(
                [.array((0..<UInt64(count)).map { 2 + $0 }), long]
                    + (0..<count).map { _ in .dictionary([UInt64(count) + 2], [1]) } + [
                        .ascii("k")
                    ],
                offsetWidth: 4, referenceWidth: 4
            ).bytes
        }
        let (text, data) = (bytes(0x50), bytes(0x40))
        let decoder = PlistDecoder()
        let texts = try decoder.decode([[String: String]].self, from: text)
        #expect(texts.count == count && texts.last?["k"]?.utf8.count == 1_000_000)
        let datas = try decoder.decode([[String: Data]].self, from: data)
        #expect(datas.count == count && datas.last?["k"]?.count == 1_000_000)
        let trees = try decoder.decode([PropertyListValue].self, from: text)
        #expect(trees.count == count && trees.last?["k"]?.string?.utf8.count == 1_000_000)
    }

    @Test("long texts that are hashed or parsed again count against the limit")
    func hashedTexts() throws {
        // A text of 1 MB may be hashed fifty times, but not ten thousand times.
        let decoder = PlistDecoder()
        decoder.limits = .untrusted
        let text = "a:" + String(repeating: "k", count: 1_000_000)
        for (count, isRefused) in [(10_000, true), (50, false)] {
            let expected = isRefused ? PropertyListError.Code.expansionLimitExceeded : nil
            // Each element of the array refers to the same object.
            func code<T: Decodable>(
                _ type: T.Type, _ container: [BinaryAssembler.Object]
            ) throws -> PropertyListError.Code? {
                let references = [UInt64](repeating: 1, count: count)
                let bytes = BinaryAssembler(
                    [.array(references)] + container, offsetWidth: 4
                ).bytes
                do {
                    _ = try decoder.decode(type, from: bytes)
                    return nil
                } catch DecodingError.dataCorrupted(let context) {
                    return (context.underlyingError as? PropertyListError)?.code
                }
            }
            #expect(
                try code([[String: Int]].self, [.dictionary([2], [3]), .ascii(text), .integer(1)])
                    == expected)
            #expect(try code([Set<String>].self, [.array([2]), .ascii(text)]) == expected)
            #expect(try code(Set<String>.self, [.ascii(text)]) == expected)
            #expect(
                try code([URL].self, [.dictionary([2], [3]), .ascii("relative"), .ascii(text)])
                    == expected)
            // Texts that are only kept do not count.
            #expect(try code([[String]].self, [.array([2]), .ascii(text)]) == nil)
        }
    }

    @Test("a type that tries several types in turn decodes a large file")
    func manyErrors() throws {
        let count = 20_000
        let items = String(repeating: "<string>text</string>", count: count)
        let xml = "<plist version=\"1.0\"><array>\(items)</array></plist>"
        // The type tries four other types before each string.
        let values = try PlistDecoder().decode([Anything].self, from: xml.utf8)
        #expect(values.count == count)
    }

    /// A tree, or nothing if the decoder refuses it.
    private struct Maybe: Decodable {
        let tree: PropertyListValue?

        init(from decoder: any Decoder) throws {
            tree = try? decoder.singleValueContainer().decode(PropertyListValue.self)
        }
    }

    @Test("a refused tree counts against the budget, even if the program ignores the error")
    func refusedTrees() throws {
        var objects: [BinaryAssembler.Object] = [.array([UInt64](repeating: 1, count: 1000))]
        for level in UInt64(1)..<13 {
            objects.append(.array([UInt64](repeating: level + 1, count: 10)))
        }
        objects.append(.array([]))
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([Maybe].self, from: BinaryAssembler(objects).bytes)
        }
    }

    @Test("trees that are decoded one by one share one budget")
    func manyTrees() throws {
        // 1,000 references to an array of 1,000 references. Each tree is small, but all together
        // have a million values.
        var objects: [BinaryAssembler.Object] = [.array([UInt64](repeating: 1, count: 1000))]
        objects.append(.array([UInt64](repeating: 2, count: 1000)))
        objects.append(.array([]))
        let bytes = BinaryAssembler(objects).bytes
        #expect(throws: DecodingError.self) {
            try PlistDecoder(limits: .untrusted).decode([PropertyListValue].self, from: bytes)
        }
    }

    /// Returns a binary property list whose root has `references` references to one container.
    private func shared(_ inner: PropertyListValue, references: Int) throws -> [UInt8] {
        let values = [PropertyListValue](repeating: inner, count: references)
        return try BinaryPropertyList.serialize(
            PropertyListDocument(.array(PropertyListArray(values)), sharesCopies: true))
    }

    private enum Command: Codable { case start(Int) }

    private struct Optionals: Decodable {
        init(from decoder: any Decoder) throws {
            var container = try decoder.unkeyedContainer()
            while !container.isAtEnd { _ = try container.decodeIfPresent(Int.self) }
        }
    }

    @Test("lookups of keys and nulls in a shared container count for each reference to it")
    func countedLookups() throws {
        var entries: PropertyListDictionary = ["start": ["_0": 1]]
        for number in 0..<2000 { entries["junk\(number)"] = 1 }
        let decoder = PlistDecoder()
        decoder.limits = .untrusted
        let commands = try shared(.dictionary(entries), references: 20_000)
        #expect(throws: DecodingError.self) { try decoder.decode([Command].self, from: commands) }
        let nulls = PropertyListValue.array(
            PropertyListArray([PropertyListValue](repeating: .null, count: 2000)))
        let optionals = try shared(nulls, references: 20_000)
        #expect(throws: DecodingError.self) {
            try decoder.decode([Optionals].self, from: optionals)
        }
        let lists = try shared(.dictionary(entries), references: 20_000)
        #expect(throws: DecodingError.self) {
            try decoder.decode([[String: Int?]].self, from: lists)
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@_spi(Tables) @testable import PropertyList

@Suite("Keys of dictionaries")
struct DictionaryPassTests {
    private static let twice = BinaryAssembler([
        .dictionary([1, 2, 1], [3, 4, 4]), .ascii("a"), .ascii("b"), .integer(1), .integer(2),
    ])
    private static let nested = BinaryAssembler([
        .dictionary([1], [2]), .ascii("outer"), .array([3, 4]), .null,
        .dictionary([5, 6], [3, 3]), .ascii("k"), .ascii("k"),
    ])

    @Test(
        "refuses keys that are not strings or occur twice, with the position of the key",
        arguments: [
            Refusal(
                "the same object twice", twice, .duplicateKey, byte: twice.offset(of: 1), path: "",
                option: .duplicateKeys),
            Refusal(
                "two equal objects", nested, .duplicateKey, byte: nested.offset(of: 6),
                path: "outer[1]", option: .allDuplicateKeys),
            Refusal(
                "ASCII and UTF-16",
                BinaryAssembler([
                    .dictionary([1, 2], [1, 1]), .ascii("a"), .utf16(Array("a".utf16)),
                ]), .duplicateKey, byte: 15),
            Refusal(
                "integer", BinaryAssembler([.dictionary([1], [1]), .integer(1)]), .invalidKey,
                byte: 11, option: .nonStringKeys),
            Refusal(
                "array", BinaryAssembler([.dictionary([1], [1]), .array([])]), .invalidKey, byte: 11
            ),
            Refusal(
                "unused", BinaryAssembler([.null, .dictionary([0], [0])]), .invalidKey, byte: 8),
        ])
    func refuses(_ refusal: Refusal) { refusal.check() }

    /// Returns a dictionary of 150 keys. The key at `second` equals the key at `first`, as another
    /// object with the same text or as the same object.
    private static func large(_ first: Int, _ second: Int, isOneObject: Bool) -> BinaryAssembler {
        let keys: [BinaryAssembler.Object] = (0..<150).map {
            .ascii("key \($0 == second ? first : $0)")
        }
        let references = (0..<150).map { UInt64($0 == second && isOneObject ? first : $0) + 2 }
        let values = [UInt64](repeating: 1, count: 150)
        return BinaryAssembler([.dictionary(references, values), .null] + keys, offsetWidth: 2)
    }

    @Test(
        "a large dictionary with a duplicate key is refused, whatever the positions",
        arguments: [(0, 1), (0, 63), (63, 64), (64, 149), (0, 149), (148, 149)], [false, true])
    func largeDictionary(_ places: (first: Int, second: Int), _ isOneObject: Bool) {
        let file = Self.large(places.first, places.second, isOneObject: isOneObject)
        let key = (isOneObject ? places.first : places.second) + 2
        Refusal(
            "\(places)", file, .duplicateKey, byte: file.offset(of: key), option: .duplicateKeys
        ).check()
    }

    @Test("a large dictionary treats keys that are not strings as a small one does")
    func largeDictionaryOfMany() throws {
        let others: [BinaryAssembler.Object] = [.integer(7), .array([])]
        let keys: [BinaryAssembler.Object] = (0..<150).map {
            $0 == 70 ? others[0] : $0 == 130 ? others[1] : .ascii("key \($0)")
        }
        let references = (0..<150).map { UInt64($0) + 2 }
        let values = [UInt64](repeating: 1, count: 150)
        let file = BinaryAssembler(
            [.dictionary(references, values), .null] + keys, offsetWidth: 2)
        let refused = failure(file.bytes)
        #expect(refused?.code == .invalidKey && refused?.location?.byte == file.offset(of: 72))
        let container = failure(file.bytes, options: .nonStringKeys)
        #expect(container?.code == .invalidKey)
        #expect(container?.location?.byte == file.offset(of: 132))
        let document = try parsed(file, options: .salvage)
        #expect(document.problems.map(\.code) == [.invalidKey, .invalidKey])
        for number in 0..<150 where number != 70 && number != 130 {
            #expect(document.root["key \(number)"]?.isNull == true)
        }
    }

    @Test("numbering keys in blocks gives the same numbers as numbering them one by one")
    func blocks() throws {
        var random = SplitMix64(seed: 20_261_121)
        // Repeated strings in either encoding, more than the table initially has room for.
        let objects: [BinaryAssembler.Object] = (0..<2_000).map { _ in
            let text = "key \(Int.random(in: 0..<600, using: &random))"
            return Bool.random(using: &random) ? .ascii(text) : .utf16(Array(text.utf16))
        }
        let file = BinaryAssembler(
            [.array(Array(1...2_000))] + objects, offsetWidth: 2, referenceWidth: 2)
        let document = try parsed(file)
        var store = document.root.storage.store
        var slow = KeyTable()
        let expected = (UInt32(1)...2_000).map { slow.intern($0, in: store) }
        var table = KeyTable()
        table.makeRoom(for: 100)
        for first in stride(from: UInt32(1), through: 2_000, by: 64) {
            table.intern(block: Array(first...min(first + 63, 2_000)), in: &store)
        }
        #expect((1...2_000).map { store.records[$0].keyNumber } == expected)
        #expect(table.count == slow.count)
    }

    @Test(
        "the path to a duplicate key starts at the top object, whatever the number of that object")
    func topObject() {
        let file = BinaryAssembler(
            [.null, .dictionary([2, 2], [0, 0]), .ascii("k"), .array([0, 1])], topObject: 3)
        Refusal("top", file, .duplicateKey, byte: file.offset(of: 2), path: "[1]").check()
    }

    @Test("the first of two duplicate keys is used, if an option allows them")
    func firstWins() throws {
        let document = try parsed(Self.twice, options: .duplicateKeys)
        #expect(try document.root.value() == ["a": 1, "b": 2])
        #expect(document.leniencies == .duplicateKeys)
        let back = try BinaryPropertyList.serialize(document)
        #expect(try PropertyListValue(parsing: back) == ["a": 1, "b": 2])
    }

    @Test("all entries of a duplicate key are kept on request, and a lookup finds the first")
    func allKept() throws {
        let document = try parsed(Self.twice, options: .allDuplicateKeys)
        #expect(document.root.dictionary?.map(\.key) == ["a", "b", "a"])
        #expect(document.root["a"]?.integer == 1)
        #expect(document.leniencies == .allDuplicateKeys)
        #expect(failure { _ = try document.root.value() }?.code == .unrepresentableValue)
    }

    @Test("keys that are not strings are kept on request, unless they are containers")
    func nonStrings() throws {
        let file = BinaryAssembler([
            .dictionary([1, 2, 3], [1, 2, 3]), .integer(1), .ascii("a"), .boolean(true),
        ])
        let document = try parsed(file, options: .nonStringKeys)
        #expect(document.leniencies == .nonStringKeys)
        #expect(document.root["a"]?.string == "a")
        #expect(document.root.dictionary?.map(\.keyNode.kind) == [.integer, .string, .boolean])
        let error = failure { _ = try document.root.value() }
        #expect(error?.code == .unrepresentableValue)
        #expect(
            error?.what == "expected a string as a dictionary key, found a value of kind integer")
        #expect(error?.location?.byte == file.offset(of: 1))
        #expect(error?.path == PropertyListPath([.index(0)]))
        let container = BinaryAssembler([.dictionary([1], [1]), .array([])])
        #expect(failure(container.bytes, options: .appleCompatible)?.code == .invalidKey)
        #expect(try parsed(container, options: .salvage).leniencies == .salvage)
    }

    @Test("an error quotes a limited part of a key, without control characters")
    func longKeys() throws {
        let zalgo = "a\u{1B}" + String(repeating: "\u{301}", count: 10_000)
        let file = BinaryAssembler([.dictionary([1, 1], [1, 1]), .utf16(Array(zalgo.utf16))])
        let text = try #require(failure(file.bytes)).description
        #expect(text.unicodeScalars.count < 300)
        #expect(!text.unicodeScalars.contains("\u{1B}"))
    }

    @Test("a lookup of a duplicate key finds the first entry, in every dictionary")
    func firstOfTwo() throws {
        // The second dictionary has its second `a` at the position of the only `a` in the first.
        let file = BinaryAssembler([
            .array([1, 2]), .dictionary([4, 3], [5, 5]), .dictionary([3, 3], [6, 5]), .ascii("a"),
            .ascii("b"), .integer(1), .integer(2),
        ])
        let document = try parsed(file, options: .allDuplicateKeys)
        #expect(document.root[1]?["a"]?.integer == 2)
    }

    @Test("thirty thousand equal keys are kept, and the key after them is found")
    func manyEqualKeys() throws {
        let pairs = String(repeating: "<key>a</key><true/>", count: 30_000)
        let text = "<plist version=\"1.0\"><dict>\(pairs)<key>b</key><false/></dict></plist>"
        let document = try PropertyListDocument(
            parsing: Array(text.utf8), options: .allDuplicateKeys)
        #expect(document.root.dictionary?.count == 30_001)
        #expect(document.root["a"]?.boolean == true)
        #expect(document.root["b"]?.boolean == false)
    }
}

@Suite("Salvage and unused objects")
struct SalvageTests {
    private static let used = BinaryAssembler([
        .array([1, 2, 3]), .null, .raw([0xFF]), .ascii("a"),
    ])
    private static let unused = BinaryAssembler([.array([2]), .raw([0xFF]), .ascii("a")])

    @Test("salvage keeps the readable part and lists the problems")
    func salvage() throws {
        let document = try parsed(Self.used, options: .salvage)
        #expect(document.root.array?.map(\.kind) == [.null, .unreadable, .string])
        #expect(document.problems.map(\.code) == [.invalidMarker])
        #expect(document.problems.first?.location?.byte == Self.used.offset(of: 2))
        #expect(document.leniencies == .salvage)
        #expect(failure { _ = try document.root.value() }?.code == .unrepresentableValue)
        let error = failure { _ = try BinaryPropertyList.serialize(document) }
        #expect(error?.code == .unrepresentableValue)
        #expect(error?.path?.description == "[1]")
    }

    @Test("a malformed unused object is refused, unless an option allows it")
    func unusedGarbage() throws {
        Refusal("unused", Self.unused, .invalidMarker, byte: Self.unused.offset(of: 1)).check()
        let document = try parsed(Self.unused, options: .unusedGarbage)
        #expect(document.leniencies == .unusedGarbage)
        #expect(document.problems.isEmpty)
        #expect(try document.root.value() == ["a"])
        let error = failure(Self.used.bytes, options: .unusedGarbage)
        #expect(error?.code == .invalidMarker)
        #expect(error?.path?.description == "[1]")
    }

    @Test("an unused dictionary with an invalid key is accepted like other unused garbage")
    func unusedDictionary() throws {
        let file = BinaryAssembler([
            .array([2]), .dictionary([3], [2]), .ascii("a"), .array([2]),
        ])
        #expect(failure(file.bytes, options: .strict)?.code == .invalidKey)
        let document = try parsed(file, options: .unusedGarbage)
        #expect(document.leniencies == .unusedGarbage)
        #expect(try document.root.value() == ["a"])
        // Valid dictionaries come before and between two malformed ones.
        let keyed = BinaryAssembler([
            .dictionary([1, 2], [5, 5]), .ascii("a"), .ascii("b"), .dictionary([4, 5], [1, 1]),
            .ascii("c"), .dictionary([2, 6, 1], [4, 4, 7]), .ascii("d"),
            .dictionary([4], [1]), .dictionary([4, 0], [1, 1]),
        ])
        let root = try parsed(keyed, options: .unusedGarbage).root
        #expect(root["a"]?["d"]?.string == "c" && root["b"]?["b"]?.string == "c")
        #expect(root["a"]?["a"]?["c"]?.string == "a")
        let used = BinaryAssembler([.array([1]), .dictionary([3], [2]), .ascii("a"), .array([2])])
        #expect(failure(used.bytes, options: .unusedGarbage)?.code == .invalidKey)
    }

    @Test(
        "the error describes the used malformed object, even after a thousand unused ones"
    )
    func manyMalformed() throws {
        let garbage = Array(repeating: BinaryAssembler.Object.raw([0xFF]), count: 1001)
        let file = BinaryAssembler(
            [.array([1002])] + garbage + [.raw([0xFF])], offsetWidth: 2, referenceWidth: 2)
        let error = failure(file.bytes, options: .unusedGarbage)
        #expect(error?.code == .invalidMarker && error?.path?.description == "[0]")
        #expect(error?.what.hasPrefix("object 1002 ") == true)
    }

    @Test("salvage lists a key that is a container")
    func containerKey() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .array([2]), .boolean(true)])
        let document = try parsed(file, options: .forensic)
        #expect(document.problems.map(\.code) == [.invalidKey])
        #expect(document.problems.first?.location?.byte == file.offset(of: 1))
    }
}

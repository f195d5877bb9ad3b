// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// A value that a closure encodes. The type is not `Encodable`, because the testing library would
/// encode it to identify the test case.
struct Encoding: Sendable, CustomTestStringConvertible {
    struct Value: Encodable, Sendable {
        let body: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    let testDescription: String
    let value: Value

    init(_ name: String, _ body: @escaping @Sendable (any Encoder) throws -> Void) {
        testDescription = name
        value = Value(body: body)
    }
}

private let key = Tag.Key(stringValue: "k")

@Suite("Repeated encoding of one value")
struct MergeTests {
    // MARK: Merged

    @Test("values encoded in parts are merged as in Foundation", arguments: merged)
    func merging(_ row: Encoding) throws {
        for isXML in [false, true] {
            let (ours, theirs) = ParityCase.encodings(of: [row.value], isXML: isXML)
            #expect(ours == theirs)
            #expect(!ours.isFailure)
        }
    }

    static let merged: [Encoding] = [
        Encoding("a dictionary, then a keyed container for its key") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(["a": 1, "b": 2], forKey: key)
            var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try nested.encode(3, forKey: Tag.Key(stringValue: "b"))
            try nested.encode(4, forKey: Tag.Key(stringValue: "c"))
        },
        Encoding("a structure, then a keyed container for its key") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(Person(name: "Anna", age: 3), forKey: key)
            var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try nested.encode(4, forKey: Tag.Key(stringValue: "age"))
            try nested.encode([5], forKey: Tag.Key(stringValue: "more"))
        },
        Encoding("an array, then an unkeyed container for its key") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode([1, 2], forKey: key)
            var nested = container.nestedUnkeyedContainer(forKey: key)
            if nested.count != 2 { throw Broken() }
            try nested.encode("3")
        },
        Encoding("a dictionary among many, then a keyed container for its key") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(["a": 1], forKey: key)
            for number in 0..<100 {
                try container.encode([number], forKey: Tag.Key(stringValue: "\(number)"))
            }
            var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try nested.encode(2, forKey: Tag.Key(stringValue: "b"))
            var list = container.nestedUnkeyedContainer(forKey: Tag.Key(stringValue: "99"))
            try list.encode(100)
        },
        Encoding("a container that stays empty after a dictionary") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(["a": 1], forKey: key)
            _ = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
        },
        Encoding("a structure as the single value, then a keyed container") { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(Person(name: "Anna", age: 3))
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode("Berta", forKey: Tag.Key(stringValue: "name"))
            try container.encode(1, forKey: key)
        },
        Encoding("an array as the single value, then an unkeyed container") { encoder in
            var single = encoder.singleValueContainer()
            try single.encode([1, 2])
            var container = encoder.unkeyedContainer()
            try container.encode(3)
            var nested = container.nestedUnkeyedContainer()
            try nested.encode(4)
        },
        Encoding("nothing as the single value, then a keyed container") { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(Silent())
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(3, forKey: key)
        },
        Encoding("a value after a container for its key") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try nested.encode(1, forKey: key)
            try container.encode(["a": 2], forKey: key)
            var again = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try again.encode(3, forKey: Tag.Key(stringValue: "b"))
        },
    ]

    @Test("keys of merged containers are sorted with the others")
    func sorted() throws {
        let value = Encoding("a tree, then a keyed container") { encoder in
            var single = encoder.singleValueContainer()
            try single.encode(["z": 1, "b": 2] as PropertyListValue)
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(3, forKey: Tag.Key(stringValue: "m"))
            try container.encode(4, forKey: Tag.Key(stringValue: "a"))
        }
        let encoder = PlistEncoder()
        encoder.keyOrder = .sorted
        let entries = try #require(encoder.encodeValue(value.value).dictionary)
        #expect(entries.keys == ["a", "b", "m", "z"])
        #expect(entries.values == [4, 2, 3, 1])
    }

    @Test("super encoders for a key that is already used lose nothing")
    func superEncoders() throws {
        let value = Encoding("super encoders") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(["a": 1], forKey: key)
            for number in 0..<2 {
                var keyed = container.superEncoder(forKey: key).container(keyedBy: Tag.Key.self)
                try keyed.encode(number, forKey: Tag.Key(stringValue: "\(number)"))
            }
        }
        #expect(try PlistEncoder().encodeValue(value.value) == ["k": ["a": 1, "0": 0, "1": 1]])
    }

    private struct Twice: Encodable {
        let count: Int

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Tag.Key.self)
            for round in 0..<2 {
                for number in 0..<count {
                    var nested = container.nestedContainer(
                        keyedBy: Tag.Key.self, forKey: Tag.Key(stringValue: "\(number)"))
                    try nested.encode(number, forKey: Tag.Key(stringValue: "\(round)"))
                }
            }
        }
    }

    @Test("many keys with repeated nested containers take linear time")
    func manyNested() throws {
        let seconds = try ProcessorTime.seconds {
            let count = Exhaustive.size(100_000, inDebug: 20_000)
            let tree = try PlistEncoder().encodeValue(Twice(count: count))
            let last = PropertyListValue.integer(PropertyListInteger(count - 1))
            #expect(tree.dictionary?.count == count)
            #expect(
                tree["0"] == ["0": 0, "1": 0] && tree["\(count - 1)"] == ["0": last, "1": last])
        }
        #expect(seconds < 60)
    }

    @Test("a nested container that a value has replaced is dropped, and can be created again")
    func replacedMany() throws {
        for count in [3, 40] {
            let value = Encoding("replaced") { encoder in
                var container = encoder.container(keyedBy: Tag.Key.self)
                for round in 0..<3 {
                    for number in 0..<count {
                        let key = Tag.Key(stringValue: "\(number)")
                        if number.isMultiple(of: 2) {
                            try container.encode([String: Int](), forKey: key)
                        }
                        var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
                        try nested.encode(round, forKey: Tag.Key(stringValue: "\(round)"))
                    }
                }
            }
            let tree = try PlistEncoder().encodeValue(value.value)
            #expect(tree.dictionary?.count == count)
            #expect(tree["0"] == ["2": 2] && tree["1"] == ["0": 0, "1": 1, "2": 2])
        }
    }

    // MARK: Refused

    @Test("a second value that cannot be merged is an error at its path", arguments: refused)
    func refusal(_ row: Encoding) throws {
        let error = #expect(throws: EncodingError.self) {
            try PlistEncoder().encode(["outer": row.value])
        }
        guard case .invalidValue(_, let context) = error else { throw Broken() }
        #expect(context.codingPath.map(\.stringValue) == ["outer", "k"])
    }

    static let refused: [Encoding] = [
        Encoding("a string, then a keyed container") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode("text", forKey: key)
            var nested = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
            try nested.encode(4, forKey: key)
        },
        Encoding("an array, then a keyed container") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode([1], forKey: key)
            _ = container.nestedContainer(keyedBy: Tag.Key.self, forKey: key)
        },
        Encoding("a dictionary, then an unkeyed container") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(["a": 1], forKey: key)
            _ = container.nestedUnkeyedContainer(forKey: key)
        },
        Encoding("nil, then an unkeyed container") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encodeNil(forKey: key)
            _ = container.nestedUnkeyedContainer(forKey: key)
        },
        Encoding("a number, then a super encoder") { encoder in
            var container = encoder.container(keyedBy: Tag.Key.self)
            try container.encode(1, forKey: key)
            try 2.encode(to: container.superEncoder(forKey: key))
        },
    ]
}

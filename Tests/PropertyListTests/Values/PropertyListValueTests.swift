// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import TestSupport
import Testing

@Suite("PropertyListValue")
struct PropertyListValueTests {
    /// Values of each kind, all different, many of them easily confused.
    private static let distinct: [PropertyListValue] = [
        .null, true, false, 0, 1, -1, .integer(PropertyListInteger(.max as UInt64)), 0.0, -0.0, 1.0,
        .real(PropertyListReal(1 as Float)), .real(PropertyListReal(Double.nan)),
        .date(PropertyListDate(secondsSince2001: 1)), .uid(1), .data([]), .data([1]), "", "1",
        "é", "e\u{301}", [], [1], [1.0], [1, 2], [2, 1], [[1, 2]], .set([]), .set([1]), [:],
        ["a": 1], ["a": 1.0], ["b": 1], ["é": 1], ["e\u{301}": 1], ["a": 1, "b": 1],
    ]

    /// Returns three lists: `count` references to a 1 MB string, `count` references to 1 MB of
    /// data, and `count` dictionaries with that string as key and value.
    private static func longContents(_ count: Int) -> BinaryAssembler {
        let million = 1_000_000
        let text = [UInt8](repeating: UInt8(ascii: "x"), count: million)
        return BinaryAssembler(
            [
                .array([1, 2, 3]), .array([UInt64](repeating: 4, count: count)),
                .array([UInt64](repeating: 5, count: count)),
                .array((0..<UInt64(count)).map { 6 + $0 }),
                .counted(0x50, UInt64(million), width: 4, text),
                .counted(0x40, UInt64(million), width: 4, text),
            ] + (0..<count).map { _ in .dictionary([4], [4]) },
            offsetWidth: 4, referenceWidth: 4)
    }

    @Test("a value that a small file references many times is copied once")
    func longContents() throws {
        // Copying the contents for each reference would take 40 GB.
        let count = 10_000
        let value = try PropertyListValue(parsing: Self.longContents(count).bytes)
        #expect(value[0]?.array?.count == count && value[1]?.array?.count == count)
        #expect(value[0]?[count - 1]?.string?.utf8.count == 1_000_000)
        #expect(value[1]?[count - 1]?.data?.count == 1_000_000)
        #expect(value[2]?[count - 1]?.dictionary?.first?.key.utf8.count == 1_000_000)
        let document = try PropertyListDocument(value)
        #expect(document.root[2]?[count - 1]?.dictionary?.first?.value.contentSize == 1_000_000)
        #expect(try PropertyListDocument(document.root.value()).root[1]?.array?.count == count)
        let bytes = try BinaryPropertyList.serialize(document)
        #expect(bytes.count < 2_300_000)
    }

    @Test("long strings and data round-trip through documents, whether or not they share storage")
    func longLeaves() throws {
        let text = String(repeating: "é", count: 200)
        let data = Array(text.utf8)
        let other = text.dropLast() + "e"
        let tree: PropertyListValue = [
            .string(text), .data(data), .string(String(other)), .string(text), .data(data),
            ["a": .string(text), "b": .data(Array(data))],
        ]
        let document = try PropertyListDocument(tree)
        #expect(try document.root.value() == tree)
        let bytes = try BinaryPropertyList.serialize(document)
        #expect(try PropertyListValue(parsing: bytes) == tree)
    }

    @Test("a value equals itself and no other")
    func equality() {
        for (first, value) in Self.distinct.enumerated() {
            for (second, other) in Self.distinct.enumerated() {
                #expect((value == other) == (first == second), "\(value), \(other)")
                if value == other { #expect(value.hashValue == other.hashValue) }
            }
        }
        #expect(Set(Self.distinct).count == Self.distinct.count)
    }

    @Test("dictionaries with the same entries in any order are equal and have equal hashes")
    func order() {
        let left: PropertyListValue = ["a": [1, ["x": 1, "y": 2]], "b": 2.5, "c": "t"]
        let right: PropertyListValue = ["c": "t", "a": [1, ["y": 2, "x": 1]], "b": 2.5]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right]).count == 1)
    }

    @Test("values with shared containers are compared and hashed in linear time")
    func sharedContainers() {
        func doubled(_ innermost: PropertyListValue) -> PropertyListValue {
            (0..<100).reduce(innermost) { inner, level in
                level % 2 == 0 ? [inner, inner] : ["a": inner, "b": inner]
            }
        }
        let (left, right, other) = (doubled([1, 2]), doubled([1, 2]), doubled([1, 3]))
        #expect(left == right && left != other)
        #expect(left.hashValue == right.hashValue)
        #expect(Set([left, right, other]).count == 2)
    }

    @Test("equal parts are compared once, even if the two sides share them in different patterns")
    func differentPatterns() {
        // The two arrays combine 300 parts and 301 parts in 90,300 distinct pairs. Comparing each
        // pair would take 300 times as long as comparing each part once.
        func parts(_ count: Int, _ part: (Int) -> PropertyListValue) -> PropertyListValue {
            let parts = (0..<count).map(part)
            let places = (0..<90_300).map { parts[$0 % count] }
            return .array(PropertyListArray(places))
        }
        func arrays(_ count: Int) -> PropertyListValue {
            parts(count) { _ in
                .array(PropertyListArray((0..<1000).map { .integer(PropertyListInteger($0)) }))
            }
        }
        func texts(_ count: Int) -> PropertyListValue {
            parts(count) { _ in .string(String(repeating: "a", count: 10_000)) }
        }
        let seconds = ProcessorTime.seconds {
            #expect(arrays(300) == arrays(301))
            #expect(texts(300) == texts(301))
        }
        #expect(seconds < 20)
        let (left, right) = (arrays(300), arrays(301))
        #expect(.array([left, 1]) as PropertyListValue != .array([right, 2]))
    }

    @Test("a long key that many dictionaries share is compared once, in any order of the keys")
    func sharedLongKeys() {
        func dictionaries(isReversed: Bool, last: Int = 0) -> PropertyListValue {
            let keys = ["k", "long"].map { String(repeating: $0, count: 500_000) }
            let ordered = isReversed ? keys.reversed() : keys
            let dictionary = PropertyListDictionary(ordered.map { (key: $0, value: 1) })
            let count = Exhaustive.size(50_000, inDebug: 10_000)
            var values = (0..<count).map { number -> PropertyListValue in
                var copy = dictionary
                copy["number"] = .integer(PropertyListInteger(number))
                return .dictionary(copy)
            }
            let end = PropertyListDictionary([(key: keys[0], value: PropertyListValue(last))])
            values.append(.dictionary(end))
            return .array(PropertyListArray(values))
        }
        let left = dictionaries(isReversed: false)
        let seconds = ProcessorTime.seconds {
            #expect(left == dictionaries(isReversed: false))
            #expect(left == dictionaries(isReversed: true))
            #expect(left != dictionaries(isReversed: true, last: 1))
        }
        #expect(seconds < 20)
        func dictionary(_ key: String) -> PropertyListValue {
            .dictionary([String(repeating: key, count: 200): 1])
        }
        #expect(dictionary("j") != dictionary("k"))
    }

    @Test("a shared chain of containers, wrapped in a new array at each reference, is hashed once")
    func wrappedChain() {
        let seconds = ProcessorTime.seconds {
            func many() -> PropertyListValue {
                let chain = (0..<20_000).reduce(1 as PropertyListValue) { inner, _ in [inner] }
                return .array(PropertyListArray((0..<20_000).map { _ in [chain] }))
            }
            let (left, right) = (many(), many())
            #expect(left == right && left.hashValue == right.hashValue)
        }
        #expect(seconds < 20)
    }

    @Test("a shared chain of containers is compared and hashed once")
    func sharedChain() {
        let seconds = ProcessorTime.seconds {
            let count = 20_000
            func many(_ innermost: PropertyListValue) -> PropertyListValue {
                let chain = (0..<count).reduce(innermost) { inner, _ in [inner] }
                return .array(PropertyListArray(repeatElement(chain, count: count)))
            }
            let (left, right) = (many(1), many(1))
            #expect(left == right && left.hashValue == right.hashValue)
        }
        #expect(seconds < 60)
    }

    @Test("an array and a set with shared elements hash like separate ones")
    func sharedElements() {
        let elements: PropertyListArray = [1, 2]
        let shared: PropertyListValue = [.array(elements), .set(elements)]
        let apart: PropertyListValue = [.array([1, 2]), .set([1, 2])]
        #expect(shared == apart && shared.hashValue == apart.hashValue)
    }

    @Test("containers that differ only deep inside have different hashes")
    func hashesOfContents() {
        let values = (0..<2000).map { number -> PropertyListValue in [[["a": [.init(number)]]]] }
        #expect(Set(values.map(\.hashValue)).count == values.count)
    }

    @Test("a copy does not change with the original")
    func copyOnWrite() {
        var list: PropertyListArray = [1, 2]
        let listCopy = list
        list[0] = 9
        list.append(3)
        #expect(listCopy == [1, 2] && list == [9, 2, 3])

        var entries = PropertyListDictionary()
        entries["a"] = 1
        let entriesCopy = entries
        entries["a"] = 2
        entries["b"] = 3
        entries["a"] = nil
        #expect(entriesCopy == ["a": 1] && entries == ["b": 3])
        #expect(entries.removeValue(forKey: "none") == nil)
    }

    @Test("keys keep their order and are found, whatever their number", arguments: [3, 8, 9, 500])
    func keys(_ count: Int) {
        var entries = PropertyListDictionary()
        for number in 0..<count { entries["k\(number)"] = .integer(PropertyListInteger(number)) }
        entries["k1"] = "changed"
        #expect(entries.keys == (0..<count).map { "k\($0)" })
        #expect(entries["k1"] == "changed" && entries["k\(count)"] == nil)
        #expect(entries.removeValue(forKey: "k0") == 0)
        #expect(entries["k0"] == nil && entries["k2"] == 2 && entries.count == count - 1)
        entries["k0"] = true
        #expect(entries.keys.last == "k0" && entries["k0"] == true)
    }

    @Test(
        "dictionaries with the same keys are read and changed separately",
        arguments: [PropertyListFormat.binary, .xml])
    func sharedKeys(_ format: PropertyListFormat) throws {
        // Most of these dictionaries have the same size and the same first and last key, but
        // different keys between them or another order.
        let shapes = [
            ["a", "b", "c", "z"], ["a", "c", "b", "z"], ["a", "b", "d", "z"], ["a", "b", "c", "z"],
            ["a", "é", "c", "z"], ["a", "e\u{301}", "c", "z"], ["z", "b", "c", "a"], ["z"], [],
        ]
        let wide = (0..<20).map { "key \($0)" }
        let entries = (shapes + [wide, wide, wide.reversed()]).enumerated().map { number, keys in
            PropertyListDictionary(
                keys.enumerated().map {
                    (key: $1, value: [.integer(PropertyListInteger($0 + number))])
                })
        }
        let list = PropertyListValue.array(
            PropertyListArray(entries.map { ["inner": .dictionary($0)] }))
        let bytes = try PropertyListDocument(list).serialized(as: format)
        let tree = try PropertyListValue(parsing: bytes)
        #expect(tree == list)
        for (number, expected) in entries.enumerated() {
            let read = try #require(tree[number]?["inner"]?.dictionary)
            #expect(read.keys == expected.keys)
            for key in expected.keys { #expect(read[key] == expected[key]) }
            #expect(read["none"] == nil)
        }

        var first = try #require(tree[9]?["inner"]?.dictionary)
        let second = try #require(tree[10]?["inner"]?.dictionary)
        first["key 3"] = nil
        first["new"] = true
        #expect(first.keys == wide.filter { $0 != "key 3" } + ["new"])
        #expect(first["key 19"] == entries[9]["key 19"] && first["new"] == true)
        #expect(second == entries[10] && second.keys == wide && second["new"] == nil)
    }

    @Test("accessors for another kind return nil")
    func access() {
        for value in Self.distinct {
            #expect((value.string != nil) == (value.kind == .string))
            #expect((value.integer != nil) == (value.kind == .integer))
            #expect((value.real != nil) == (value.kind == .real))
            #expect((value.boolean != nil) == (value.kind == .boolean))
            #expect((value.date != nil) == (value.kind == .date))
            #expect((value.data != nil) == (value.kind == .data))
            #expect((value.uid != nil) == (value.kind == .uid))
            #expect((value.array != nil) == (value.kind == .array))
            #expect((value.dictionary != nil) == (value.kind == .dictionary))
            #expect(value["none"] == nil && value[7] == nil && value[-1] == nil)
        }
    }

    @Test("prints on one line, without control characters")
    func description() {
        let value: PropertyListValue = [
            "name\n": "An\u{1B}na", "list": [1, -2.5, true, .null], "data": .data([1, 2]),
            "set": .set([.uid(7)]), "date": .date(PropertyListDate(secondsSince2001: 0.25)),
        ]
        #expect(
            value.description
                == "{name\\n: \"An\\u{1b}na\", list: [1, -2.5, true, null], data: <2 bytes>, "
                + "set: {(UID 7)}, date: 2001-01-01T00:00:00.25Z}")
    }

    @Test("quotation marks are escaped, and the length of a description is limited in bytes")
    func descriptionOfStrings() {
        let text: PropertyListValue = "a\", \"b\\"
        #expect(text.description == #""a\", \"b\\""#)
        let wide = PropertyListValue.string(String(repeating: "漢", count: 400_000)).description
        #expect(wide.utf8.count <= (1 << 20) + "…".utf8.count && wide.hasSuffix("漢…"))
        for padding in 0..<8 {
            let start = String(repeating: "a", count: padding)
            let emoji = String(repeating: "\u{1F600}", count: 1 << 18)
            #expect(PropertyListValue.string(start + emoji).description.hasSuffix("…"))
        }
    }

    @Test(
        "deeply nested values are compared, hashed, printed and released, but documents refuse them"
    )
    func manyLevels() {
        // A call for each level would overflow the stack at any of these depths.
        let depth = Exhaustive.size(1_000_000, inDebug: 50_000)
        func nested() -> PropertyListValue {
            var value: PropertyListValue = "x"
            for level in 0..<depth { value = level % 2 == 0 ? [value] : ["k": value] }
            return value
        }
        let (left, right) = (nested(), nested())
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left.description.utf8.count > depth)
        #expect(failure { _ = try PropertyListDocument(left) }?.code == .depthLimitExceeded)
    }

    @Test("trees round-trip through documents", arguments: [1, 2, 3, 0x5EED] as [UInt64])
    func documents(_ seed: UInt64) throws {
        var source = RandomPropertyList(seed: seed)
        for round in 0..<200 {
            let value = source.value()
            let document = try PropertyListDocument(value)
            #expect(try document.root.value() == value, "seed \(seed), round \(round)")
        }
    }
}

@Suite("Scalars of the value tree")
struct ScalarTests {
    @Test("integers convert exactly or not at all")
    func integers() {
        #expect(PropertyListInteger(exactly: Int128(UInt64.max) + 1) == nil)
        #expect(PropertyListInteger(exactly: Int128(Int64.min) - 1) == nil)
        let large = PropertyListInteger(exactly: UInt64.max)
        #expect(large?.description == "18446744073709551615")
        #expect(large?.value(as: UInt64.self) == .max)
        #expect(large?.value(as: Int64.self) == nil)
        #expect(large?.magnitude == .max)
        let least = PropertyListInteger(Int(Int64.min))
        #expect(least.description == "-9223372036854775808")
        #expect(least.magnitude == 1 << 63)
        #expect(least.value(as: UInt64.self) == nil)
        #expect(least.value(as: Int8.self) == nil)
        #expect(least < -1 && -1 < 0 && 0 < PropertyListInteger(UInt64.max))
        #expect(PropertyListInteger(255).value(as: UInt8.self) == 255)
        #expect(PropertyListInteger(256).value(as: UInt8.self) == nil)
    }

    @Test(
        "dates are printed in ISO 8601, and distant dates in seconds",
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.25Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"),
            (-1e-20, "2000-12-31T23:59:59.999999999Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (1e300, "1e+300 s"), (.infinity, "inf s"), (.nan, "nan s"),
        ] as [(Double, String)])
    func dates(_ seconds: Double, _ expected: String) {
        #expect(PropertyListDate(secondsSince2001: seconds).description == expected)
    }

    @Test("dates count from 2001 and from 1970, and are compared by their bits")
    func dateConversions() {
        #expect(PropertyListDate(secondsSince2001: 1).secondsSince1970 == 978_307_201)
        let nan = PropertyListDate(secondsSince2001: .nan)
        #expect(nan == nan)
        #expect(PropertyListDate(secondsSince2001: 0) != PropertyListDate(secondsSince2001: -0.0))
    }

    @Test("entries are changed, added and removed in place")
    func changing() {
        var value: PropertyListValue = ["a": ["b": 1]]
        value["a"]?["b"] = PropertyListValue(2)
        value["a"]?["c"] = PropertyListValue("x")
        value["d"] = PropertyListValue(0.5)
        #expect(value == ["a": ["b": 2, "c": "x"], "d": 0.5])
        value["a"] = nil
        value["d"]?["e"] = true
        #expect(value == ["d": 0.5])
        let pairs: [(key: String, value: PropertyListValue)] = [("b", 1), ("a", 2), ("b", 3)]
        #expect(PropertyListDictionary(pairs).map(\.key) == ["b", "a"])
        #expect(PropertyListDictionary(pairs)["b"] == 3)
    }

    @Test("reals are compared by width and bits, and printed in the shortest form")
    func reals() {
        #expect(PropertyListReal(0.1 as Float) != PropertyListReal(Double(0.1 as Float)))
        #expect(PropertyListReal(Double.nan) == PropertyListReal(Double.nan))
        #expect(PropertyListReal(0.0) != PropertyListReal(-0.0))
        #expect(PropertyListReal(0.1 as Float).description == "0.1")
        #expect(PropertyListReal(0.1).description == "0.1")
        #expect(PropertyListUID(7).description == "UID 7")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import TestSupport
import Testing

/// Runs every case with Foundation's coder and with this library's.
@Suite("Agreement of the Codable coders with Foundation")
struct CodableParityTests {
    @Test("both decoders return the same value or throw the same error", arguments: decodingCases)
    func decoding(_ row: ParityCase) throws { try row.check() }

    @Test("both encoders write equal values or throw the same error", arguments: encodingCases)
    func encoding(_ row: ParityCase) throws { try row.check() }

    // MARK: Decoding

    static let decodingCases: [ParityCase] =
        integers + reals + leaves + nulls + roots + containers + keys

    private static let integers: [ParityCase] = {
        let values: [PropertyListValue] = [
            0, 1, -1, 127, 128, -128, -129, 255, 256, 32_767, 65_535, 65_536, -32_769,
            2_147_483_647, 2_147_483_648, 4_294_967_295, 4_294_967_296, .init(Int.max),
            .init(Int.min), .integer(PropertyListInteger(UInt64.max)), 1.0, -1.0, 1.5, 255.0, 256.0,
            1e19, 1e300, true, "1", .data([1]), [], [:],
            .date(PropertyListDate(secondsSince2001: 1)),
        ]
        return values.flatMap { value -> [ParityCase] in
            let list: PropertyListValue = [value]
            return [
                .decode("Int", [Int].self, from: list), .decode("Int8", [Int8].self, from: list),
                .decode("Int16", [Int16].self, from: list),
                .decode("Int32", [Int32].self, from: list),
                .decode("Int64", [Int64].self, from: list),
                .decode("UInt", [UInt].self, from: list),
                .decode("UInt8", [UInt8].self, from: list),
                .decode("UInt16", [UInt16].self, from: list),
                .decode("UInt32", [UInt32].self, from: list),
                .decode("UInt64", [UInt64].self, from: list),
            ]
        }
    }()

    private static let reals: [ParityCase] = {
        let values: [PropertyListValue] = [
            0, 1, -7, 16_777_217, .init(Int.max), .init(Int.min),
            .integer(PropertyListInteger(UInt64.max)), 0.5, -0.0, 1e-300, 3.5e38, .init(Double.pi),
            true, "0.5", .data([]), [], .init(Double.infinity), .init(-Double.infinity),
        ]
        return values.flatMap { value -> [ParityCase] in
            let exact: [ParityCase] = [.decode("Double", [Double].self, from: [value])]
            // Numbers out of the range of Float are a documented difference in XML.
            let isOutOfRange =
                value.real.map { Float($0.value).isInfinite && !$0.value.isInfinite } ?? false
            return isOutOfRange
                ? exact : exact + [.decode("Float", [Float].self, from: [value])]
        }
    }()

    private static let leaves: [ParityCase] = {
        let values: [PropertyListValue] = [
            "text", "", "é漢😀", true, false, 0, 1, 2, 1.0, .data([]), .data([1, 2, 3]), [], [:], [1],
            ["a": 1], .date(PropertyListDate(secondsSince2001: 0)),
            .date(PropertyListDate(secondsSince2001: -1e9)),
        ]
        return values.flatMap { value -> [ParityCase] in
            let list: PropertyListValue = [value]
            return [
                .decode("Bool", [Bool].self, from: list),
                .decode("String", [String].self, from: list),
                .decode("Data", [Data].self, from: list), .decode("Date", [Date].self, from: list),
                .decode("URL", [URL].self, from: list), .decode("UUID", [UUID].self, from: list),
                .decode("Decimal", [Decimal].self, from: list),
                .decode("array", [[Int]].self, from: list),
                .decode("dictionary", [[String: Int]].self, from: list),
                .decode("set", Set<String>.self, from: list),
            ]
        }
    }()

    private static let nulls: [ParityCase] = {
        let values: [PropertyListValue] = ["$null", .null, "$nul", "a$null", "$NULL"]
        return values.flatMap { value -> [ParityCase] in
            let list: PropertyListValue = [value, 1]
            return [
                .decode("nil", [Int?].self, from: list), .decode("nil", [String?].self, from: list),
                .decode("nil", [Int??].self, from: list), .decode("nil", [String].self, from: list),
                .decode("nil", [Bool].self, from: list), .decode("nil", [Date].self, from: list),
                .decode("nil", [Data].self, from: list), .decode("nil", [Float].self, from: list),
                .decode("nil", [[Int]].self, from: list),
                .decode("nil", [Person].self, from: list),
                .decode("nil", [Person?].self, from: list),
                .decode("nil", [URL].self, from: list), .decode("nil", [Data?].self, from: list),
                .decode("nil", [[String: Int]?].self, from: list),
            ]
        }
    }()

    private static let roots: [ParityCase] = [
        .decode("root", Int.self, from: 3), .decode("root", String.self, from: "a"),
        .decode("root", Bool.self, from: true), .decode("root", Double.self, from: 1.5),
        .decode("root", Data.self, from: .data([1])), .decode("root", Int?.self, from: "$null"),
        .decode("root", String.self, from: "$null"), .decode("root", Int.self, from: "a"),
        .decode("root", Date.self, from: .date(PropertyListDate(secondsSince2001: 9))),
        .decode("root", Int8.self, from: 1000), .decode("root", Person.self, from: []),
        .decode("root", [Int].self, from: [:]), .decode("root", Empty.self, from: [:]),
        .decode("root", Empty.self, from: []), .decode("root", Empty.self, from: 1),
    ]

    private static let person: PropertyListValue = [
        "name": "Anna", "age": 3, "email": "$null", "isMember": true, "more": [1, 2],
    ]

    private static let containers: [ParityCase] = [
        .decode("struct", Person.self, from: person),
        .decode("struct", Person.self, from: ["name": "Anna"]),
        .decode("struct", [Person].self, from: [person, ["name": 3, "age": 1, "isMember": true]]),
        .decode("struct", [String: Person].self, from: ["a": ["name": "x", "age": "y"]]),
        .decode("recursion", Nest.self, from: nest(40)),
        .decode("recursion", Nest.self, from: ["label": "a", "children": [["label": 1]]]),
        .decode("enum", Payload.self, from: ["empty": [:]]),
        .decode("enum", Payload.self, from: ["one": ["_0": 1]]),
        .decode("enum", Payload.self, from: ["two": ["x": 1]]),
        .decode("enum", Payload.self, from: ["two": ["x": 1, "y": "b"]]),
        .decode("enum", Payload.self, from: ["two": ["y": "b"]]),
        .decode("enum", Payload.self, from: ["none": [:]]),
        .decode("enum", Payload.self, from: ["empty": [:], "one": ["_0": 1]]),
        .decode("enum", [Suit].self, from: ["hearts", "spades"]),
        .decode("enum", [Suit].self, from: ["hearts", "clubs"]),
        .decode("enum", [Level].self, from: [1, 2]),
        .decode("class", Dog.self, from: dog), .decode("class", Dog.self, from: ["tricks": []]),
        .decode("class", Dog.self, from: ["tricks": [], "base": ["name": "a"], "name": "b"]),
        .decode("two containers", TwoContainers.self, from: ["first": 7, "second": 8, "third": 9]),
        .decode("two containers", TwoContainers.self, from: ["first": 7, "second": 8]),
        .decode("interleaved", Interleaved.self, from: interleaved),
        .decode("questions", Questions.self, from: ["there": 1]),
        .decode("questions", Questions.self, from: ["there": "$null"]),
        .decode("questions", Questions.self, from: ["there": "text"]),
        .decode("questions", Questions.self, from: ["there": [1, "a"]]),
        .decode("questions", Questions.self, from: ["there": ["there": 1]]),
        .decode("questions", Questions.self, from: ["there": 1e10]),
        .decode("unkeyed questions", UnkeyedQuestions.self, from: [1, "a", "$null", true, [1]]),
        .decode("unkeyed questions", UnkeyedQuestions.self, from: ["$null", ["there": 1], 300]),
        .decode("unkeyed questions", UnkeyedQuestions.self, from: [.data([1]), .data([])]),
        .decode("unkeyed questions", UnkeyedQuestions.self, from: []),
    ]

    private static let dog: PropertyListValue = [
        "name": "Rex", "tricks": ["sit"], "super": ["name": "Rex"], "base": ["name": "R"],
    ]

    private static let interleaved: PropertyListValue = [
        "list": [1, ["same": true], 2, [.data([1, 2])], "$null"],
        "table": ["list": "a", "table": "b"], "same": ["list": 3, "table": 2],
    ]

    static func nest(_ depth: Int) -> PropertyListValue {
        (0..<depth).reduce(["label": "end", "children": []]) { inner, number in
            ["label": .init("\(number)"), "children": [inner]]
        }
    }

    private static let keys: [ParityCase] = [
        .decode("Int keys", [Int: Int].self, from: ["1": 2, "-3": 4]),
        .decode("Int keys", [Int: Int].self, from: ["x": 2]),
        .decode("enum keys", [Suit: Int].self, from: ["hearts": 2]),
        .decode("enum keys", [Suit: Int].self, from: ["clubs": 2]),
        .decode("enum keys", [Level: Int].self, from: ["10": 2]),
        .decode("enum keys", [Level: Int].self, from: ["3": 2]),
        .decode("represented keys", [Tag: [Tag: Bool]].self, from: ["a": ["b": true]]),
        .decode("other keys", [Point: Int].self, from: [["x": 1, "y": 2], 3]),
        .decode("other keys", [Point: Int].self, from: [["x": 1, "y": 2]]),
        .decode("many keys", [String: Int].self, from: many),
        .decode(
            "keys within keys", [String: [String: Int]].self,
            from: ["a": ["a": 1, "b": 2], "b": ["b": 3], "c": [:], "é": ["é": 4]]),
        .decode("equivalent keys", Accents.self, from: ["cafe\u{301}": 1, "nai\u{308}ve": 2]),
        .decode("equivalent keys", Accents.self, from: ["naïve": 2, "café": 1]),
        .decode("equivalent keys", Accents.self, from: ["naïve": 2, "cafe": 1]),
    ]

    struct Accents: Codable, Equatable {
        var coffee: Int
        var innocent: Int
        enum CodingKeys: String, CodingKey { case coffee = "café", innocent = "naïve" }
    }

    private static let many: PropertyListValue = {
        var entries = PropertyListDictionary()
        for number in 0..<500 { entries["key \(number)"] = .init(number) }
        return .dictionary(entries)
    }()

    // MARK: Encoding

    static let encodingCases: [ParityCase] = {
        let date = Date(timeIntervalSinceReferenceDate: 86_400)
        var cases: [ParityCase] = [
            .encode("integers", [Int.min, -1, 0, 1, 255, Int.max]),
            .encode("integers", [UInt64.max, 0, UInt64(Int64.max) + 1]),
            .encode("integers", [Int8.min, Int8.max]), .encode("integers", [UInt16.max]),
            .encode("integers", [UInt32.max]), .encode("integers", [Int32.min]),
            .encode("reals", [0.1, -0.5, 1e300, .infinity, -.infinity, 1e-300]),
            .encode("booleans", [true, false]),
            .encode("text", ["", "a", "é漢😀", "<&>", " \n\t"]),
            .encode("data", [Data(), Data([1, 2, 3])]), .encode("dates", [date]),
            .encode("bytes", [UInt8(1), 2]),
            .encode("URL", [URL(string: "https://example.org/a?b#c")]),
            .encode(
                "URL with a base",
                [URL(string: "b", relativeTo: URL(string: "https://example.org/a/"))]),
            .encode("UUID", [UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")]),
            .encode("Decimal", [Decimal(string: "-12.345"), Decimal(0)]),
            .encode("nil", [1, nil, 2]), .encode("nil", [[nil, 1]]),
            .encode("nil", ["a": Int?.none]), .encode("nil", [String??.some(nil)]),
        ]
        cases += [
            .encode("roots", 3), .encode("roots", "a"), .encode("roots", true),
            .encode("roots", 1.5), .encode("roots", date), .encode("roots", Data([1])),
            .encode("roots", Int?.none), .encode("roots", [Int]()),
            .encode("roots", [:] as [String: Int]),
            .encode("roots", Suit.hearts), .encode("roots", UUID()), .encode("roots", Silent()),
            .encode("roots", Empty()), .encode("nothing", [Silent()]),
            .encode("nothing", ["a": Silent()]),
        ]
        cases += [
            .encode("struct", Person(name: "Anna", age: 3)),
            .encode("struct", [Person(name: "Anna", age: 3, email: "a@b", height: 1.7)]),
            .encode("recursion", Nest(label: "a", children: [Nest(label: "b"), Nest(label: "c")])),
            .encode("enum", [Payload.empty, .one(1), .two(x: 1, y: nil), .two(x: 2, y: "b")]),
            .encode("class", Dog(name: "Rex", tricks: ["sit", "roll"])),
            .encode("interleaved", Interleaved()), .encode("super encoders", Supers()),
            .encode("super encoders", UnkeyedSupers()),
            .encode("a key twice", Repeated()), .encode("a key twice", Repeated(others: 100)),
            .encode("two containers", TwoContainers()), .encode("failure", Failing()),
            .encode("failure", ["a": [Failing()]]),
            .encode("Int keys", [1: "a", -2: "b"]), .encode("enum keys", [Suit.spades: 1]),
            .encode("enum keys", [Level.high: 1]), .encode("represented keys", [Tag("a"): [1]]),
            .encode("other keys", [Point(x: 1, y: 2): 3]),
            .encode("set", Set(["a"])),
            .encode("many keys", Dictionary(uniqueKeysWithValues: (0..<500).map { ("\($0)", $0) })),
            .encode("accents", Accents(coffee: 1, innocent: 2)),
        ]
        return cases
    }()
}

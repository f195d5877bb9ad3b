// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Returns the JSON text of a value.
private func json(
    _ value: PropertyListValue, _ mapping: JSONPropertyList.Mapping = .strict,
    _ layout: JSONPropertyList.Layout = .compact
) throws(PropertyListError) -> String {
    var options = JSONPropertyList.Options()
    options.mapping = mapping
    options.layout = layout
    let bytes = try JSONPropertyList.serialize(PropertyListDocument(value), options: options)
    return String(decoding: bytes, as: UTF8.self)
}

private func typed(_ text: String) throws -> PropertyListValue {
    try JSONPropertyList.parse(Array(text.utf8), mapping: .typed).root.value()
}

private func real(bits: UInt64) -> PropertyListValue {
    .real(PropertyListReal(Double(bitPattern: bits)))
}

private func date(_ seconds: Double) -> PropertyListValue {
    .date(PropertyListDate(secondsSince2001: seconds))
}

/// Values with their text under each mapping; nil if the mapping refuses the value.
private let forms: [(PropertyListValue, strict: String?, coerced: String?, typed: String)] = [
    (
        "a\"\\/\n\u{1}\u{7F}é", #""a\"\\/\n\u0001\#u{7F}é""#, #""a\"\\/\n\u0001\#u{7F}é""#,
        #""a\"\\/\n\u0001\#u{7F}é""#
    ),
    (.null, "null", "null", "null"), (true, "true", "true", "true"), (-5, "-5", "-5", "-5"),
    (
        .integer(PropertyListInteger(1 << 53)), "9007199254740992", "9007199254740992",
        "9007199254740992"
    ),
    (
        .integer(PropertyListInteger(.max as UInt64)), "18446744073709551615",
        "18446744073709551615",
        #"{"$integer":"18446744073709551615"}"#
    ),
    (0.5, "0.5", "0.5", "0.5"), (1.0, "1.0", "1.0", #"{"$real":"1"}"#),
    (-0.0, "-0.0", "-0.0", #"{"$real":"-0.0"}"#),
    (1e300, "1e+300", "1e+300", #"{"$real":"1e+300"}"#),
    (.real(PropertyListReal(Double.leastNonzeroMagnitude)), "5e-324", "5e-324", "5e-324"),
    (.real(PropertyListReal(.infinity as Double)), nil, #""+infinity""#, #"{"$real":"+infinity"}"#),
    (.real(PropertyListReal(.nan as Double)), nil, #""nan""#, #"{"$real":"nan"}"#),
    (real(bits: 0x7FF8_0000_0000_0001), nil, #""nan""#, #"{"$realBits":"7ff8000000000001"}"#),
    (.real(PropertyListReal(Float(0.1))), "0.10000000149011612", "0.1", #"{"$float":"0.1"}"#),
    (.real(PropertyListReal(Float.nan)), nil, #""nan""#, #"{"$float":"nan"}"#),
    (
        .real(PropertyListReal(Float(bitPattern: 0x7FC0_0001))), nil, #""nan""#,
        #"{"$floatBits":"7fc00001"}"#
    ),
    (date(0), nil, #""2001-01-01T00:00:00Z""#, #"{"$date":"2001-01-01T00:00:00Z"}"#),
    (date(0.25), nil, #""2001-01-01T00:00:00.25Z""#, #"{"$date":"2001-01-01T00:00:00.25Z"}"#),
    (date(-0.25), nil, #""2000-12-31T23:59:59.75Z""#, #"{"$date":"2000-12-31T23:59:59.75Z"}"#),
    (date(-0.0), nil, #""2001-01-01T00:00:00Z""#, #"{"$dateBits":"8000000000000000"}"#),
    (.data([1, 2]), nil, #""AQI=""#, #"{"$data":"AQI="}"#), (.uid(3), nil, "3", #"{"$uid":3}"#),
    (.set([1, [:]]), nil, "[1,{}]", #"{"$set":[1,{}]}"#),
    (["$date": 1], #"{"$date":1}"#, #"{"$date":1}"#, #"{"$dictionary":{"$date":1}}"#),
    (
        ["$dictionary": ["$set": []]], #"{"$dictionary":{"$set":[]}}"#,
        #"{"$dictionary":{"$set":[]}}"#,
        #"{"$dictionary":{"$dictionary":{"$dictionary":{"$set":[]}}}}"#
    ),
    (
        ["$class": 1, "$date": 2], #"{"$class":1,"$date":2}"#, #"{"$class":1,"$date":2}"#,
        #"{"$class":1,"$date":2}"#
    ),
    (["$objects": 1], #"{"$objects":1}"#, #"{"$objects":1}"#, #"{"$objects":1}"#),
]

@Suite("JSONWriter")
struct JSONWriterTests {
    @Test("a container that salvage kept as a key is refused under every mapping")
    func containerKey() throws {
        let file = BinaryAssembler([.dictionary([1], [2]), .array([]), .integer(1)])
        let document = try PropertyListDocument(parsing: file.bytes, options: .salvage)
        for mapping in [JSONPropertyList.Mapping.strict, .coerce, .typed] {
            var options = JSONPropertyList.Options()
            options.mapping = mapping
            let error = #expect(throws: PropertyListError.self) {
                try JSONPropertyList.serialize(document, options: options)
            }
            #expect(error?.code == .unrepresentableValue, "\(mapping)")
        }
    }

    @Test("writes each value in the form of its mapping", arguments: forms.indices)
    func mappings(_ index: Int) throws {
        let (value, strict, coerced, form) = forms[index]
        for (mapping, expected) in [
            (JSONPropertyList.Mapping.strict, strict), (.coerce, coerced), (.typed, form),
        ] {
            if let expected {
                #expect(try json(value, mapping) == expected + "\n")
                continue
            }
            let error = #expect(throws: PropertyListError.self) {
                try json([["a": value]], mapping)
            }
            #expect(error?.code == .unrepresentableValue)
            #expect(error?.path?.description == "[0].a")
        }
        #expect(try typed(form) == value)
        #expect(try typed("[\(form)]") == [value])
    }

    @Test("writes indented text")
    func indented() throws {
        let value: PropertyListValue = [
            "a": [1, [], [:]], "b": .set([true]), "c": .data([1]), "d": ["$set": 1],
        ]
        #expect(
            try json(value, .typed, .indented) == """
                {
                  "a": [
                    1,
                    [],
                    {}
                  ],
                  "b": {"$set": [
                    true
                  ]},
                  "c": {"$data": "AQ=="},
                  "d": {"$dictionary": {
                    "$set": 1
                  }}
                }

                """)
    }

    @Test("typed JSON round-trips, in both layouts", arguments: [1, 2, 3] as [UInt64])
    func roundTrips(_ seed: UInt64) throws {
        var random = RandomPropertyList(seed: seed)
        for round in 0..<300 {
            let value = random.value()
            for layout in [JSONPropertyList.Layout.compact, .indented] {
                let text = try json(value, .typed, layout)
                #expect(try typed(text) == value, "seed \(seed), round \(round)")
                #expect(try json(typed(text), .typed, layout) == text, "the order of keys")
            }
        }
    }

    @Test("dates keep every bit", arguments: [4, 5] as [UInt64])
    func dates(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<2000 {
            let bits = random.next()
            let reaches = [1e3, 1e9, 1e12, 1e-3]
            let reach = reaches[random.below(reaches.count)]
            for seconds in [
                Double(bitPattern: bits), Double.random(in: -reach...reach, using: &random),
                Double(Int(bits >> 40)) / 1000,
            ] {
                #expect(try typed(json(date(seconds), .typed)) == date(seconds), "\(seconds)")
            }
        }
    }

    @Test("32-bit reals keep every bit", arguments: [6] as [UInt64])
    func singles(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<5000 {
            let single = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            let value = PropertyListValue.real(PropertyListReal(single))
            #expect(try typed(json(value, .typed)) == value, "\(single.bitPattern)")
        }
    }

    @Test(
        "typed JSON refuses objects that are not in a known form",
        arguments: [
            #"{"$date":1}"#, #"{"$date":"yesterday"}"#, #"{"$date":"2001-02-30T00:00:00Z"}"#,
            #"{"$date":"2001-01-01T00:00:00.Z"}"#,
            #"{"$date":"2001-01-01T00:00:00.1234567890123456789Z"}"#,
            #"{"$data":"A"}"#, #"{"$data":[]}"#, #"{"$uid":-1}"#, #"{"$uid":4294967296}"#,
            #"{"$uid":"3"}"#, #"{"$set":{}}"#, #"{"$dictionary":[]}"#, #"{"$integer":1}"#,
            #"{"$integer":"1.5"}"#, #"{"$real":"one"}"#, #"{"$real":1.5}"#, #"{"$realBits":"7ff"}"#,
            #"{"$floatBits":"7ff80000zz"}"#, #"{"$pairs":[[1]]}"#, #"{"$pairs":{}}"#,
            #"{"$dateBits":""}"#,
        ])
    func malformed(_ text: String) throws {
        let error = #expect(throws: PropertyListError.self) { try typed("{\"a\":\n[\(text)]}") }
        #expect(error?.code == .wrongKind)
        #expect(error?.location?.line == 2 && error?.location?.column == 2)
        #expect(error?.path?.description == "a[0]")
        #expect(throws: Never.self) { try PropertyListValue(parsing: Array(text.utf8)) }
    }

    @Test("dictionary keys that are not strings are refused, or become pairs in typed JSON")
    func keys() throws {
        let file = BinaryAssembler([
            .dictionary([1, 2, 3], [2, 4, 5]), .integer(1), .ascii("a"), .data([7]),
            .array([1, 0x6]), .dictionary([], []), .dictionary([1], [1]),
        ])
        let document = try PropertyListDocument(parsing: file.bytes, options: .nonStringKeys)
        var options = JSONPropertyList.Options()
        options.layout = .compact
        for mapping in [JSONPropertyList.Mapping.strict, .coerce] {
            options.mapping = mapping
            #expect(throws: PropertyListError.self) {
                try JSONPropertyList.serialize(document, options: options)
            }
        }
        options.mapping = .typed
        let text = try JSONPropertyList.serialize(document, options: options)
        #expect(
            String(decoding: text, as: UTF8.self)
                == #"{"$pairs":[[1,"a"],["a",[1,{"$pairs":[[1,1]]}]],[{"$data":"Bw=="},{}]]}"#
                + "\n")
        let back = try JSONPropertyList.parse(text, mapping: .typed, options: .nonStringKeys)
        #expect(try JSONPropertyList.serialize(back, options: options) == text)
        #expect(throws: PropertyListError.self) {
            try JSONPropertyList.parse(text, mapping: .typed)
        }
    }

    @Test("limits the expansion of shared containers")
    func bombs() throws {
        let document = try PropertyListDocument(parsing: bomb(levels: 12).bytes)
        let error = #expect(throws: PropertyListError.self) {
            try JSONPropertyList.serialize(document, limits: Exhaustive.limits)
        }
        #expect(error?.isLimit == true)
    }

    @Test("typed JSON that would be nested too deeply to be read again is not written")
    func depth() throws {
        for (levels, container, content, isAllowed) in [
            (512, { .array([$0]) }, .null, true), (512, { .array([$0]) }, date(0), false),
            (511, { .array([$0]) }, date(0), true), (510, { .array([$0]) }, ["$date": 1], true),
            (511, { .array([$0]) }, ["$date": 1], false), (256, { .set([$0]) }, .null, true),
            (257, { .set([$0]) }, .null, false),
        ] as [(Int, (PropertyListValue) -> PropertyListValue, PropertyListValue, Bool)] {
            let value = (0..<levels).reduce(content) { inner, _ in container(inner) }
            do {
                let text = try json(value, .typed)
                #expect(isAllowed, "\(levels) \(content)")
                let again = try typed(text)
                #expect(again == value)
            } catch let error as PropertyListError {
                #expect(!isAllowed, "\(levels) \(content)")
                #expect(error.code == .depthLimitExceeded)
            }
        }
        for (levels, isAllowed) in [(509, true), (510, false)] {
            let arrays = (1...UInt64(levels)).map { BinaryAssembler.Object.array([$0]) }
            let last = UInt64(levels)
            let file = BinaryAssembler(
                arrays + [.dictionary([last + 1], [last + 2]), .integer(1), .null],
                offsetWidth: 2, referenceWidth: 2)
            let document = try PropertyListDocument(parsing: file.bytes, options: .nonStringKeys)
            var options = JSONPropertyList.Options()
            options.mapping = .typed
            let text = try? JSONPropertyList.serialize(document, options: options)
            #expect((text != nil) == isAllowed, "\(levels)")
            if let text {
                _ = try JSONPropertyList.parse(text, mapping: .typed, options: .nonStringKeys)
            }
        }
    }
}

/// Rewrites each file `*.in` with CPython's `json`: once as `*.out`, and once as `*.js`, like a
/// program whose only number type is `Double`.
private let script = """
    import glob, json
    def narrowed(value):
        if isinstance(value, dict): return {key: narrowed(other) for key, other in value.items()}
        if isinstance(value, list): return [narrowed(other) for other in value]
        return int(value) if isinstance(value, float) and value.is_integer() else value
    for name in glob.glob('*.in'):
        with open(name, encoding='utf-8') as file: text = file.read()
        with open(name[:-2] + 'out', 'w') as file: json.dump(json.loads(text), file)
        narrow = narrowed(json.loads(text, parse_int=float))
        with open(name[:-2] + 'js', 'w') as file: json.dump(narrow, file, indent=1)
    """

@Suite(
    "JSON agreement with other implementations",
    .enabled(if: Python.isAvailable, "python3 cannot be run here"))
struct JSONAgreementTests {
    private let folder: URL
    private let temporary: TemporaryFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = temporary.url
    }

    @Test("CPython reads the same values, and typed JSON survives programs that only know Double")
    func python() throws {
        let plain = PropertyListKind.allCases.filter {
            ![.unreadable, .set, .uid, .date, .data, .real].contains($0)
        }
        var random = RandomPropertyList(seed: 7, kinds: plain)
        var typed = RandomPropertyList(seed: 8)
        let values = (0..<200).map { $0 < 100 ? random.value() : typed.value() }
        for (number, value) in values.enumerated() {
            let text = try json(value, number < 100 ? .strict : .typed)
            try Data(text.utf8).write(to: folder.appendingPathComponent("\(number).in"))
        }
        try #require(try Python.run(script, in: folder) == 0)
        for (number, value) in values.enumerated() {
            for kind in number < 100 ? ["out"] : ["out", "js"] {
                let back = try JSONPropertyList.parse(
                    bytes(of: folder.appendingPathComponent("\(number).\(kind)")),
                    mapping: number < 100 ? .strict : .typed)
                #expect(try back.root.value() == value, "\(kind) of value \(number)")
            }
        }
    }
}

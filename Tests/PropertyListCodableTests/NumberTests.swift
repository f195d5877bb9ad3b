// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListCodable
import Testing

/// Every number type in every kind of container.
@Suite("Numbers of every type")
struct NumberTests {
    private func bothWays<T: Codable & Equatable>(
        _ value: T, _ format: PropertyListFormat
    ) throws -> T {
        try PlistDecoder().decode(T.self, from: PlistEncoder(format: format).encodeBytes(value))
    }

    private static let extremes = Numbers(
        boolean: true, string: "text", double: -0.1, float: 1.5, int: .min, int8: .min,
        int16: .min, int32: .min, int64: .min, uint: .max, uint8: .max, uint16: .max,
        uint32: .max, uint64: .max)

    @Test("numbers round-trip in dictionaries", arguments: [PropertyListFormat.binary, .xml])
    func keyed(_ format: PropertyListFormat) throws {
        #expect(try bothWays(Self.extremes, format) == Self.extremes)
    }

    @Test("numbers round-trip as optional values, present or missing", arguments: [true, false])
    func optional(_ isThere: Bool) throws {
        var numbers = OptionalNumbers()
        if isThere {
            numbers = OptionalNumbers(
                boolean: true, string: "text", double: -0.1, float: 1.5, int: 1, int8: 2, int16: 3,
                int32: 4, int64: 5, uint: 6, uint8: 7, uint16: 8, uint32: 9, uint64: 10)
        }
        #expect(try bothWays(numbers, .binary) == numbers)
    }

    @Test("numbers round-trip in arrays, one after the other")
    func unkeyed() throws {
        #expect(try bothWays(NumberList(), .binary) == NumberList())
        #expect(try bothWays(NumberList(), .xml) == NumberList())
    }

    @Test("128-bit numbers round-trip as far as a property list can represent them")
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    func wide() throws {
        #expect(try bothWays(WideNumbers(), .binary) == WideNumbers())
        #expect(throws: EncodingError.self) { try PlistEncoder().encode([Int128.max]) }
    }

    /// A number that does not fit into the type of the field `key`.
    struct Misfit: Sendable, CustomTestStringConvertible {
        let key: String
        let value: PropertyListValue
        /// Checks that the number is refused as a root and as an element.
        let check: @Sendable () -> Void

        var testDescription: String { "\(key), \(value)" }

        init<T: Codable & Equatable & Sendable>(
            _ key: String, _ type: T.Type, _ value: PropertyListValue
        ) {
            self.key = key
            self.value = value
            check = {
                let root = Outcome { try PlistDecoder().decode(type, from: value) }
                #expect(root == .failure("dataCorrupted", path: []))
                let list: PropertyListValue = [value]
                let elements = Outcome { try PlistDecoder().decode([T].self, from: list) }
                #expect(elements == .failure("dataCorrupted", path: ["[0]"]))
            }
        }
    }

    static let misfits: [Misfit] = [
        Misfit("int8", Int8.self, -129), Misfit("int8", Int8.self, 128),
        Misfit("int16", Int16.self, -32_769), Misfit("int16", Int16.self, 32_768),
        Misfit("int32", Int32.self, -2_147_483_649), Misfit("int32", Int32.self, 2_147_483_648),
        Misfit("int", Int.self, .integer(PropertyListInteger(UInt64.max))),
        Misfit("int64", Int64.self, .integer(PropertyListInteger(UInt64.max))),
        Misfit("uint8", UInt8.self, -1), Misfit("uint8", UInt8.self, 256),
        Misfit("uint16", UInt16.self, -1), Misfit("uint16", UInt16.self, 65_536),
        Misfit("uint32", UInt32.self, -1), Misfit("uint32", UInt32.self, 4_294_967_296),
        Misfit("uint", UInt.self, -1), Misfit("uint64", UInt64.self, -1),
        Misfit("int", Int.self, 0.5), Misfit("uint8", UInt8.self, 1.5),
        Misfit("float", Float.self, 1e300), Misfit("float", Float.self, -1e300),
    ]

    @Test("numbers that do not fit their types are refused in every container", arguments: misfits)
    func outOfRange(_ misfit: Misfit) throws {
        misfit.check()
        var fields: PropertyListDictionary = [misfit.key: misfit.value]
        let optional: PropertyListValue = .dictionary(fields)
        let ours = Outcome { try PlistDecoder().decode(OptionalNumbers.self, from: optional) }
        #expect(ours == .failure("dataCorrupted", path: [misfit.key]))
        fields = try #require(PlistEncoder().encodeValue(Self.extremes).dictionary)
        fields[misfit.key] = misfit.value
        let whole: PropertyListValue = .dictionary(fields)
        let required = Outcome { try PlistDecoder().decode(Numbers.self, from: whole) }
        #expect(required == .failure("dataCorrupted", path: [misfit.key]))
    }
}

extension NumberTests {
    @Test("a real in text is rounded to `Float`; a binary `Double` must fit in `Float` exactly")
    func narrowing() throws {
        for text in ["{\"a\": 0.1}", "<plist><dict><key>a</key><real>0.1</real></dict></plist>"] {
            let values = try PlistDecoder().decode([String: Float].self, from: Array(text.utf8))
            #expect(values == ["a": 0.1])
        }
        let bytes = try BinaryPropertyList.serialize(PropertyListDocument(["a": 0.1]))
        #expect(throws: DecodingError.self) {
            try PlistDecoder().decode([String: Float].self, from: bytes)
        }
    }
}

private struct Numbers: Codable, Equatable {
    var boolean: Bool
    var string: String
    var double: Double
    var float: Float
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
}

private struct OptionalNumbers: Codable, Equatable {
    var boolean: Bool?
    var string: String?
    var double: Double?
    var float: Float?
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
}

/// One number of each type, in an unkeyed container.
private struct NumberList: Codable, Equatable {
    init() {}

    func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        try list.encode(true)
        try list.encode("text")
        try list.encode(-0.1)
        try list.encode(Float(1.5))
        try list.encode(Int.min)
        try list.encode(Int8.min)
        try list.encode(Int16.min)
        try list.encode(Int32.min)
        try list.encode(Int64.min)
        try list.encode(UInt.max)
        try list.encode(UInt8.max)
        try list.encode(UInt16.max)
        try list.encode(UInt32.max)
        try list.encode(UInt64.max)
    }

    init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        #expect(list.codingPath.isEmpty && list.count == 14)
        #expect(try list.decode(Bool.self))
        #expect(try list.decode(String.self) == "text")
        #expect(try list.decode(Double.self) == -0.1)
        #expect(try list.decode(Float.self) == 1.5)
        #expect(try list.decode(Int.self) == .min)
        #expect(try list.decode(Int8.self) == .min)
        #expect(try list.decode(Int16.self) == .min)
        #expect(try list.decode(Int32.self) == .min)
        #expect(try list.decode(Int64.self) == .min)
        #expect(try list.decode(UInt.self) == .max)
        #expect(try list.decode(UInt8.self) == .max)
        #expect(try list.decode(UInt16.self) == .max)
        #expect(try list.decode(UInt32.self) == .max)
        #expect(try list.decode(UInt64.self) == .max)
        #expect(list.isAtEnd)
        #expect(throws: DecodingError.self) { try list.decode(Double.self) }
    }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
private struct WideNumbers: Codable, Equatable {
    private enum Key: CodingKey { case signed, unsigned, list }

    init() {}

    func encode(to encoder: any Encoder) throws {
        var entries = encoder.container(keyedBy: Key.self)
        try entries.encode(Int128(Int64.min), forKey: .signed)
        try entries.encode(UInt128(UInt64.max), forKey: .unsigned)
        var list = entries.nestedUnkeyedContainer(forKey: .list)
        try list.encode(Int128(-1))
        try list.encode(UInt128(1))
    }

    init(from decoder: any Decoder) throws {
        let entries = try decoder.container(keyedBy: Key.self)
        #expect(try entries.decode(Int128.self, forKey: .signed) == Int128(Int64.min))
        #expect(try entries.decode(UInt128.self, forKey: .unsigned) == UInt128(UInt64.max))
        var list = try entries.nestedUnkeyedContainer(forKey: .list)
        #expect(try list.decode(Int128.self) == -1)
        #expect(try list.decode(UInt128.self) == 1)
    }
}

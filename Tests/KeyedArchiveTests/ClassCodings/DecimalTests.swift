// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("NSDecimalNumber and its handler")
struct DecimalTests {
    static let description = Archives.describe(
        "NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue")

    static func fields(
        _ mantissa: [UInt8], length: Int, exponent: Int = 0, negative: Bool = false, order: Int = 1
    ) -> PropertyListDictionary {
        [
            "NS.exponent": .integer(PropertyListInteger(exponent)),
            "NS.length": .integer(PropertyListInteger(length)),
            "NS.negative": .boolean(negative), "NS.compact": .boolean(length > 0),
            "NS.mantissa.bo": .integer(PropertyListInteger(order)),
            "NS.mantissa": .data(mantissa + [UInt8](repeating: 0, count: 16 - mantissa.count)),
            "$class": .uid(2),
        ]
    }

    static func read(_ fields: PropertyListDictionary) throws -> Decimal {
        try KeyedUnarchiver.unarchive(
            Decimal.self, from: Archives.make([.dictionary(fields), description]))
    }

    @Test("decimal numbers round-trip, and are written as Apple's software writes them")
    func numbers() throws {
        let cases: [(Decimal, PropertyListDictionary)] = [
            (0, Self.fields([], length: 0)), (.nan, Self.fields([], length: 0, negative: true)),
            (3, Self.fields([3, 0], length: 1)), (65_535, Self.fields([0xFF, 0xFF], length: 1)),
            (65_536, Self.fields([0, 0, 1, 0], length: 2)),
            (100, Self.fields([1, 0], length: 1, exponent: 2)),
            (
                Decimal(sign: .minus, exponent: -2, significand: 1234),
                Self.fields([0xD2, 0x04], length: 1, exponent: -2, negative: true)
            ),
            (
                Decimal(sign: .plus, exponent: -128, significand: 1),
                Self.fields([1], length: 1, exponent: -128)
            ),
            (
                try #require(Decimal(string: "340282366920938463463374607431768211455")),
                Self.fields([UInt8](repeating: 0xFF, count: 16), length: 8)
            ),
        ]
        for (value, fields) in cases {
            let back = try roundTrip(Decimal.self, [.dictionary(fields), Self.description])
            #expect(back == value || back.isNaN && value.isNaN)
        }
    }

    @Test("decimal numbers in either byte order are read, and unused mantissa units are ignored")
    func layouts() throws {
        let noise: [UInt8] = [0xBE, 0x7C, 0xBF, 0xFF, 0xDB, 0xC0, 0xAE, 0x2F, 0x94, 0xA8]
        #expect(
            try Self.read(Self.fields([0, 1] + noise, length: 1, exponent: 2, order: 2)) == 100)
        #expect(try Self.read(Self.fields([1, 0] + noise, length: 1)) == 1)
        #expect(try Self.read(Self.fields(noise, length: 0)) == 0)
        #expect(try Self.read(Self.fields(noise, length: 0, negative: true)).isNaN)
        #expect(try Self.read(Self.fields([0, 1, 0, 2], length: 2, order: 2)) == 131_073)
        #expect(try Self.read(Self.fields([0, 0, 0, 0], length: 2, negative: true)) == 0)
        // A mantissa with trailing zeros.
        #expect(try Self.read(Self.fields([100, 0], length: 1, exponent: -3)) == 0.1)
    }

    @Test("both names of the class are read")
    func names() throws {
        for name in ["NSDecimalNumber", "NSDecimalNumberPlaceholder"] {
            let bytes = try Archives.make([
                .dictionary(Self.fields([3], length: 1)), Archives.describe(name),
            ])
            #expect(try KeyedUnarchiver.unarchive(Decimal.self, from: bytes) == 3)
            let any = try KeyedUnarchiver.unarchive(AnyArchived.self, from: bytes)
            #expect(any.value(as: Decimal.self) == 3)
        }
    }

    @Test("decimal numbers of up to 38 digits round-trip through archives")
    func random() throws {
        var generator = SplitMix64(seed: 38)
        for _ in 0..<200 {
            let digits = (0..<Int.random(in: 1...38, using: &generator)).map { _ in
                String(Int.random(in: 0...9, using: &generator))
            }
            let exponent = Int.random(in: -80...80, using: &generator)
            let sign = Bool.random(using: &generator) ? "-" : ""
            let text = sign + digits.joined() + "e\(exponent)"
            let value = try #require(Decimal(string: text))
            let bytes = try KeyedArchiver.archive(value)
            #expect(try KeyedUnarchiver.unarchive(Decimal.self, from: bytes) == value)
        }
    }

    @Test("any mantissa and exponent round-trips with the same value, or is refused")
    func anyLayout() throws {
        var generator = SplitMix64(seed: 128)
        var refused = 0
        for _ in 0..<500 {
            var mantissa = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if Bool.random(using: &generator) { mantissa[0] = 0 }
            let fields = Self.fields(
                mantissa, length: Int.random(in: 0...8, using: &generator),
                exponent: Int.random(in: -128...127, using: &generator),
                negative: Bool.random(using: &generator),
                order: Int.random(in: 1...2, using: &generator))
            guard let value = try? Self.read(fields) else {
                refused += 1
                continue
            }
            let back = try KeyedUnarchiver.unarchive(
                Decimal.self, from: KeyedArchiver.archive(value))
            #expect(back == value || back.isNaN && value.isNaN, "\(fields)")
        }
        #expect(refused < 10)
    }

    @Test("decimal numbers that are out of range, truncated or of the wrong type are refused")
    func hostile() {
        let good = Self.fields([3], length: 1)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(Decimal.self, good, changing: changes, Self.description)
        }
        for length: PropertyListInteger in [-1, 9, 1000, PropertyListInteger(Int.max)] {
            #expect(code(["NS.length": .integer(length)]) == .valueOutOfRange)
        }
        for exponent: PropertyListInteger in [-129, 128, PropertyListInteger(Int.min)] {
            #expect(code(["NS.exponent": .integer(exponent)]) == .valueOutOfRange)
        }
        for order: PropertyListValue in [0, 3, -1] {
            #expect(code(["NS.mantissa.bo": order]) == .valueOutOfRange)
        }
        #expect(code(["NS.mantissa": .data([3])]) == .valueOutOfRange)
        #expect(code(["NS.mantissa": .data([])]) == .valueOutOfRange)
        #expect(code(["NS.mantissa": "3"]) == .wrongType)
        #expect(code(["NS.mantissa": .uid(2)]) == .wrongType)
        #expect(code(["NS.negative": 1]) == .wrongType)
        #expect(code(["NS.compact": "x"]) == .wrongType)
        #expect(code(["NS.length": "1"]) == .wrongType)
        #expect(
            code(["NS.exponent": 127, "NS.mantissa": .data([100, 0]), "NS.length": 1])
                == .valueOutOfRange)
        for key in ["NS.exponent", "NS.length", "NS.negative", "NS.mantissa.bo", "NS.mantissa"] {
            #expect(
                refusal(Decimal.self, good, without: key, Self.description) == .missingValue)
        }
    }

    static let handler = Archives.describe("NSDecimalNumberHandler")

    @Test("a decimal number handler is written with only the fields that differ from the default")
    func handlers() throws {
        let plain = try roundTrip(
            ArchivedDecimalNumberHandler.self, [["$class": .uid(2)], Self.handler])
        #expect(plain == ArchivedDecimalNumberHandler())
        let full = try roundTrip(
            ArchivedDecimalNumberHandler.self,
            [
                [
                    "NS.roundingmode": 3, "NS.scale": -2, "NS.raise.exactness": true,
                    "NS.raise.overflow": true, "NS.raise.underflow": true,
                    "NS.raise.dividebyzero": true, "$class": .uid(2),
                ], Self.handler,
            ])
        #expect(full.roundingMode == 3 && full.scale == -2 && full.raisesOnExactness)
        #expect(
            refusal(
                ArchivedDecimalNumberHandler.self, ["NS.roundingmode": "3"], Self.handler)
                == .wrongType)
        #expect(
            refusal(ArchivedDecimalNumberHandler.self, ["NS.scale": true], Self.handler)
                == .wrongType)
        #expect(
            refusal(
                ArchivedDecimalNumberHandler.self, ["NS.raise.overflow": 1], Self.handler)
                == .wrongType)
    }
}

@Suite(
    "NSDecimalNumber in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineDecimalTests {
    // Known differences in the output: unused units are zero, the byte order is little-endian as
    // on all current systems, and the class chain is that of newer systems.
    @Test("decimal numbers of genuine archives are written with the same value")
    func numbers() throws {
        let values = try Specimens.compareParts(
            Decimal.self, of: ["NSDecimalNumberPlaceholder", "NSDecimalNumber"], in: "nib",
            expected: normalized)
        #expect(values.count >= 43)
        #expect(values.count(where: \.isNaN) >= 20)
        #expect(values.contains(100) && values.contains(65_535) && values.contains(3))
    }

    private func normalized(_ entry: PropertyListValue) -> PropertyListValue {
        guard case .dictionary(var fields) = entry else { return entry }
        if fields["$classname"] != nil { return DecimalTests.description }
        guard case .data(let bytes) = fields["NS.mantissa"],
            case .integer(let length) = fields["NS.length"]
        else { return entry }
        var mantissa = Array(bytes)
        for place in (0..<16) where place >= 2 * (length.value() ?? 0) { mantissa[place] = 0 }
        if fields["NS.mantissa.bo"] == 2 {
            for place in stride(from: 0, to: 16, by: 2) { mantissa.swapAt(place, place + 1) }
            fields["NS.mantissa.bo"] = 1
        }
        fields["NS.mantissa"] = .data(mantissa)
        return .dictionary(fields)
    }

    @Test("decimal number handlers of genuine archives are written as they were read")
    func handlers() throws {
        let values = try Specimens.compareParts(
            ArchivedDecimalNumberHandler.self, of: ["NSDecimalNumberHandler"], in: "nib")
        #expect(values.count >= 6)
        #expect(values.allSatisfy { $0.roundingMode == 3 && $0.raisesOnDivideByZero })
        #expect(values.allSatisfy { $0.scale == nil && !$0.raisesOnExactness })
    }
}

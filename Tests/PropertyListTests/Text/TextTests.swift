// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Returns the output of `write` as a string.
private func written(_ write: (inout [UInt8]) -> Void) -> String {
    var output: [UInt8] = []
    write(&output)
    return String(decoding: output, as: UTF8.self)
}

/// Returns the bits of the value that C's `strtod` reads from `text`.
private func referenceBits(_ text: String) -> UInt64 {
    // The string outlives the call, and no pointer into it is requested.
    unsafe strtod(text, nil).bitPattern
}

/// The seeds of the random tests. Failure messages name the seed.
private let seeds: [UInt64] = [1, 0x5EED_2001]

@Suite("Base64 text")
struct Base64Tests {
    /// Returns the decoded bytes, or throws the failure.
    private func decode(_ text: [UInt8], lenient: Bool) throws -> [UInt8] {
        var output: [UInt8] = []
        try Base64.decode(text.span, lenient: lenient, into: &output)
        return output
    }

    @Test(
        "strict Base64 accepts the alphabet, padding and white space",
        arguments: [
            ("", []),
            (" \t\r\n", []),
            ("AQID", [1, 2, 3]),
            ("AQI=", [1, 2]),
            ("AQ==", [1]),
            ("A Q\n=\t=\r", [1]),
            ("\tAQ\n\tID\n", [1, 2, 3]),
            ("+/+/", [0xFB, 0xFF, 0xBF]),
            ("AR==", [1]),
        ] as [(String, [UInt8])]
    )
    func strict(_ text: String, _ expected: [UInt8]) throws {
        #expect(try decode(Array(text.utf8), lenient: false) == expected)
        #expect(try decode(Array(text.utf8), lenient: true) == expected)
    }

    @Test(
        "strict Base64 refuses everything else, with the position",
        arguments: [
            ("AQID*", .init(offset: 4, reason: .invalidCharacter(0x2A))),
            ("AQ-D", .init(offset: 2, reason: .invalidCharacter(0x2D))),
            ("AQ\u{B}ID", .init(offset: 2, reason: .invalidCharacter(0x0B))),
            ("AQé", .init(offset: 2, reason: .invalidCharacter(0xC3))),
            ("A===", .init(offset: 1, reason: .invalidCharacter(0x3D))),
            ("=", .init(offset: 0, reason: .invalidCharacter(0x3D))),
            ("A", .init(offset: 1, reason: .truncatedGroup)),
            ("AQIDAQ= ", .init(offset: 8, reason: .truncatedGroup)),
            ("AQ=A", .init(offset: 3, reason: .dataAfterPadding)),
            ("AQ==AQID", .init(offset: 4, reason: .dataAfterPadding)),
            ("AQ== =", .init(offset: 5, reason: .dataAfterPadding)),
        ] as [(String, Base64.Failure)]
    )
    func refused(_ text: String, _ failure: Base64.Failure) {
        #expect(throws: failure) { try decode(Array(text.utf8), lenient: false) }
    }

    @Test(
        "lenient Base64 follows CoreFoundation",
        arguments: [
            ("AQ==AQID", [1, 1, 2, 3]),
            ("A*Q-I_D", [1, 2, 3]),
            ("AQIDA", [1, 2, 3]),
            ("AQ=", []),
            ("====", [0]),
            ("A===", [0]),
            ("AQ=.=", [1, 0]),
            ("AQ=\u{B}\u{C}=", [1]),
            ("AQ= =", [1]),
            ("=AQI", [0, 4, 8]),
        ] as [(String, [UInt8])]
    )
    func lenient(_ text: String, _ expected: [UInt8]) throws {
        #expect(try decode(Array(text.utf8), lenient: true) == expected)
    }

    @Test("lenient Base64 refuses bytes that are not ASCII", arguments: [0x80, 0xC3, 0xFF])
    func lenientRefuses(_ byte: Int) {
        let failure = Base64.Failure(offset: 2, reason: .invalidCharacter(UInt8(byte)))
        #expect(throws: failure) {
            try decode([0x41, 0x51, UInt8(byte), 0x3D], lenient: true)
        }
    }

    @Test("unbroken Base64 is the same as Foundation's, and decodes", arguments: seeds)
    func foundation(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for count in 0..<400 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let encoded = written { Base64.append(bytes.span, to: &$0) }
            let comment = Comment("seed \(seed), \(count) bytes")
            #expect(encoded == Data(bytes).base64EncodedString(), comment)
            #expect(try decode(Array(encoded.utf8), lenient: false) == bytes, comment)
            #expect(try decode(Array(encoded.utf8), lenient: true) == bytes, comment)
        }
    }

    @Test(
        "lines of Base64 have the given indentation and capacity, and none is empty",
        arguments: [
            (0, 1, 8), (1, 0, 8), (5, 2, 8), (6, 1, 8), (7, 1, 8), (102, 1, 68), (103, 3, 68),
            (200, 0, 4),
        ] as [(Int, Int, Int)]
    )
    func lines(_ count: Int, _ indent: Int, _ capacity: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        var rest = Substring(Data(bytes).base64EncodedString())
        var expected = ""
        while !rest.isEmpty {
            expected += String(repeating: "\t", count: indent) + rest.prefix(capacity) + "\n"
            rest = rest.dropFirst(capacity)
        }
        var output: [UInt8] = [0x3E]
        Base64.appendLines(bytes.span, indent: indent, capacity: capacity, to: &output)
        #expect(String(decoding: output, as: UTF8.self) == ">" + expected)
        #expect(try decode(Array(output.dropFirst()), lenient: false) == bytes)
    }

    @Test("extreme indentation and capacity are clamped and do not trap")
    func clamped() {
        let bytes: [UInt8] = [1, 2, 3, 4]
        for (indent, capacity) in [(Int.max, Int.max), (Int.min, Int.min), (-1, 0), (0, 3)] {
            let lines = written {
                Base64.appendLines(bytes.span, indent: indent, capacity: capacity, to: &$0)
            }
            #expect(lines.filter { $0 != "\t" && $0 != "\n" } == "AQIDBA==")
        }
    }

    /// Decodes like CoreFoundation's loop, character by character; returns `nil` for bytes that are
    /// not ASCII.
    private func reference(_ text: [UInt8]) -> [UInt8]? {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var (pads, bits, count, output) = (0, UInt32(0), 0, [UInt8]())
        for byte in text {
            guard byte < 0x80 else { return nil }
            let isSpace = byte == 0x20 || (0x09...0x0D).contains(byte)
            pads = byte == 0x3D ? pads + 1 : isSpace ? pads : 0
            guard let value = byte == 0x3D ? 0 : alphabet.firstIndex(of: byte) else { continue }
            bits = bits << 6 | UInt32(value)
            count += 1
            guard count % 4 == 0 else { continue }
            let group = [bits >> 16 & 0xFF, bits >> 8 & 0xFF, bits & 0xFF]
            output += group.prefix(3 - min(pads, 2)).map { UInt8($0) }
        }
        return output
    }

    @Test("random text decodes as in CoreFoundation's loop", arguments: seeds)
    func randomText(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let pool = Array("ABzq09+/AAQQ==== \t\n\r\u{B}\u{C}.%é".utf8)
        for round in 0..<Exhaustive.size(20_000, inDebug: 5000) {
            let count = Int.random(in: 0...24, using: &generator)
            let text = (0..<count).map { _ in pool.randomElement(using: &generator) ?? 0 }
            let decoded = try? decode(text, lenient: true)
            #expect(decoded == reference(text), "seed \(seed), round \(round): \(text)")
            // Text that is strictly valid has the same value when decoded leniently.
            if let strict = try? decode(text, lenient: false) {
                #expect(strict == decoded, "seed \(seed), round \(round): \(text)")
            }
        }
    }
}

@Suite("Integer text")
struct IntegerTextTests {
    @Test(
        "decimal and hexadecimal integers are read; overflow and malformed text are reported",
        arguments: [
            ("0", .value(magnitude: 0, negative: false)),
            ("-0", .value(magnitude: 0, negative: false)),
            ("+7", .value(magnitude: 7, negative: false)),
            ("0012", .value(magnitude: 12, negative: false)),
            ("0x1f", .value(magnitude: 31, negative: false)),
            ("-0XfF", .value(magnitude: 255, negative: true)),
            ("18446744073709551615", .value(magnitude: .max, negative: false)),
            ("0xFFFFFFFFFFFFFFFF", .value(magnitude: .max, negative: false)),
            ("-9223372036854775808", .value(magnitude: 1 << 63, negative: true)),
            ("18446744073709551616", .overflow),
            ("-9223372036854775809", .overflow),
            ("0x10000000000000000", .overflow),
            ("-18446744073709551615", .overflow),
            ("99999999999999999999999", .overflow),
            ("99999999999999999999999x", .malformed),
            ("", .malformed),
            ("-", .malformed),
            ("+", .malformed),
            ("--1", .malformed),
            ("0x", .malformed),
            ("x1", .malformed),
            ("0xG", .malformed),
            ("1a", .malformed),
            ("1 ", .malformed),
            ("1.0", .malformed),
        ] as [(String, IntegerText.Parsed)]
    )
    func parse(_ text: String, _ expected: IntegerText.Parsed) {
        #expect(IntegerText.parse(Array(text.utf8).span) == expected)
    }

    @Test("decimal text is Swift's description and reads back", arguments: seeds)
    func decimal(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        var values: [UInt64] = [0, 9, 10, 99_999_999, 100_000_000, 1 << 63, .max]
        var power: UInt64 = 1
        for _ in 0..<19 {
            power *= 10
            values += [power - 1, power, power + 1]
        }
        for shift in 0..<10_000 { values.append(generator.next() >> UInt64(shift % 64)) }
        for value in values {
            let decimal = written { IntegerText.appendDecimal(value, negative: false, to: &$0) }
            let negated = written { IntegerText.appendDecimal(value, negative: true, to: &$0) }
            #expect(decimal == String(value), "seed \(seed)")
            #expect(negated == "-\(value)", "seed \(seed)")
            let parsed = IntegerText.parse(Array(decimal.utf8).span)
            #expect(parsed == .value(magnitude: value, negative: false), "seed \(seed)")
        }
    }
}

@Suite("Real text")
struct RealTextTests {
    /// Returns `value` with 17 digits.
    private func seventeen(_ value: Double) -> String {
        written { RealText.append(value, style: .seventeenDigits, to: &$0) }
    }

    /// Returns `value` with the fewest digits.
    private func shortest(_ value: Double) -> String {
        written { RealText.append(value, style: .shortest, to: &$0) }
    }

    /// Compares 17 digits with C's `printf`, and reads them back.
    private func check(_ value: Double, _ context: String) {
        let written = seventeen(value)
        // `#expect` would take most of the time, so it runs only for values that differ.
        let expected = String(format: "%.17g", value)
        let read = RealText.parse(Array(written.utf8).span)
        guard written != expected || read?.bitPattern != value.bitPattern else { return }
        #expect(written == expected, "\(context), \(value)")
        #expect(read?.bitPattern == value.bitPattern, "\(context), \(value)")
    }

    @Test(
        "special and common values are written as documented, with 17 digits and with the fewest",
        arguments: [
            (0, "0.0", "0"),
            (-0.0, "-0.0", "-0.0"),
            (.nan, "nan", "nan"),
            (.infinity, "+infinity", "+infinity"),
            (-.infinity, "-infinity", "-infinity"),
            (1, "1", "1"),
            (-1, "-1", "-1"),
            (0.1, "0.10000000000000001", "0.1"),
            (-2.5, "-2.5", "-2.5"),
            (1e-4, "0.0001", "0.0001"),
            (0.00012, "0.00012", "0.00012"),
            (1e-5, "1.0000000000000001e-05", "1e-05"),
            (1e15, "1000000000000000", "1000000000000000"),
            (0x1p53, "9007199254740992", "9007199254740992"),
            (1e16, "10000000000000000", "1e+16"),
            (1e17, "1e+17", "1e+17"),
            (1.5e300, "1.5000000000000001e+300", "1.5e+300"),
            (.leastNonzeroMagnitude, "4.9406564584124654e-324", "5e-324"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308", "1.7976931348623157e+308"),
        ] as [(Double, String, String)]
    )
    func spelling(_ value: Double, _ seventeen: String, _ shortest: String) {
        #expect(self.seventeen(value) == seventeen)
        #expect(self.shortest(value) == shortest)
    }

    @Test("seventeen digits of random bit patterns agree with printf", arguments: seeds)
    func randomPatterns(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<Exhaustive.size(100_000, inDebug: 20_000) {
            let value = Double(bitPattern: generator.next())
            if value.isFinite { check(value, "seed \(seed), round \(round)") }
        }
    }

    @Test("seventeen digits of powers and their neighbors agree with printf")
    func powers() {
        var values = (-1074...1023).map { Double(sign: .plus, exponent: $0, significand: 1) }
        values += (-323...308).compactMap { Double("1e\($0)") }
        for value in values {
            for near in [value.nextDown, value, value.nextUp] where near != 0 {
                check(near, "power")
                check(-near, "power")
            }
        }
    }

    @Test("a tie between two 17-digit texts is rounded to the even digit", arguments: seeds)
    func ties(_ seed: UInt64) {
        // The first two have 18 digits, and the last digit is 5.
        check(12_345_678_901_234.0625, "the digit before is even")
        check(12_345_678_901_234.1875, "the digit before is odd")
        check(0x1p57 + 0x1p5, "a whole number of 18 digits, which is no tie")
        var generator = SplitMix64(seed: seed)
        for round in 0..<20_000 {
            // An odd number divided by 2^k has k digits after the point, and the last one is 5.
            // With these sizes, the 5 is often the 18th digit.
            let places = Int.random(in: 1...17, using: &generator)
            let whole = generator.next() >> UInt64(11 + Int.random(in: 0..<20, using: &generator))
            let value = Double(whole | 1) / Double(sign: .plus, exponent: places, significand: 1)
            check(value, "seed \(seed), round \(round)")
            // Whole numbers of up to 18 digits are no ties.
            check(Double(whole | 1) * 64, "seed \(seed), round \(round)")
        }
    }

    @Test("subnormal numbers are exact", arguments: seeds)
    func subnormals(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<5_000 {
            let shift = UInt64(12 + round % 52)
            check(Double(bitPattern: max(1, generator.next() >> shift)), "seed \(seed)")
        }
        check(.leastNormalMagnitude, "limit")
        check(Double.leastNormalMagnitude.nextDown, "limit")
    }

    @Test("the shortest text is Swift's description without a final .0", arguments: seeds)
    func shortestText(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<20_000 {
            let bits = generator.next()
            let whole = Double(bits >> (bits % 64))
            let value = round % 2 == 0 ? Double(bitPattern: bits) : whole
            guard value.isFinite, value != 0 else { continue }
            let description = value.description
            let expected = description.hasSuffix(".0") ? description.dropLast(2) : description[...]
            #expect(shortest(value) == expected, "seed \(seed), round \(round)")
        }
    }

    @Test(
        "text that both the grammar and strtod accept gives the same value",
        arguments: [
            "0", "-0", "1.", ".5", "-.5", "+1", "1E+5", "1e400", "-1e400", "1e-400", "00012.50",
            "0e99999999999999999999", "1e99999999999999999999", "1e-99999999999999999999",
            "9007199254740993", "9007199254740993.000000000000000000000000001",
            "2.4703282292062327e-324", "2.4703282292062328e-324", "1.7976931348623158e308",
            "1.7976931348623159e308", "2.2250738585072011e-308", "2.2250738585072014e-308",
            "123456789012345678901234567890", "0.000000000000000000000000000000000001e36",
            "1e22", "1e23", "8.5e-23", "17976931348623157081452742373170435679807e268",
        ]
    )
    func parse(_ text: String) {
        let value = RealText.parse(Array(text.utf8).span)
        #expect(value?.bitPattern == referenceBits(text))
    }

    @Test(
        "text outside the grammar is refused",
        arguments: [
            "", "-", "+", ".", "-.", "0x10", "1,5", " 1", "1 ", "nan", "inf", "infinity", "1e",
            "1e+", "e5", ".e5", "1.2.3", "--1", "+-1", "1e5.", "1_0", "1f", "١",
        ]
    )
    func refused(_ text: String) {
        #expect(RealText.parse(Array(text.utf8).span) == nil)
    }

    @Test("random decimal text gives the value of strtod", arguments: seeds)
    func randomText(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for round in 0..<Exhaustive.size(50_000, inDebug: 10_000) {
            let count = Int.random(in: 1...(round % 50 == 0 ? 900 : 24), using: &generator)
            let digits = (0..<count).map { _ in String(generator.next() % 10) }
            let point = Int.random(in: 0...count, using: &generator)
            var text = digits[..<point].joined() + "." + digits[point...].joined()
            if round % 2 == 0 { text += "e\(Int.random(in: -345...320, using: &generator))" }
            let value = RealText.parse(Array(text.utf8).span)
            guard value?.bitPattern != referenceBits(text) else { continue }
            Issue.record("seed \(seed), round \(round): \(text) gave \(String(describing: value))")
        }
    }

    @Test("a plain number inside longer text is read like the number alone", arguments: seeds)
    func plainNumbers(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...21, using: &generator)
            let digits = (0..<count).map { _ in String(generator.next() % 10) }
            let point = Int.random(in: 0...count, using: &generator)
            let sign = ["", "-"][Int(generator.next() % 2)]
            let whole = sign + digits[..<point].joined()
            let text = generator.next() % 4 == 0 ? whole : whole + "." + digits[point...].joined()
            let place = Int.random(in: 0...9, using: &generator)
            let padded = Array((String(repeating: "7", count: place) + text + "</real>\n").utf8)
            guard let plain = RealText.plain(padded.span, at: place) else {
                // The fast path may refuse only numbers that have no digit on one side of the
                // point, have more than nineteen digits, or are near a tie. A number near a tie
                // has more than fifteen digits.
                #expect(point == 0 || point == count || count > 15, "seed \(seed): \(text)")
                continue
            }
            #expect(plain.end == place + text.utf8.count, "seed \(seed): \(text)")
            let value = RealText.parse(Array(text.utf8).span)
            #expect(plain.value.bitPattern == value?.bitPattern, "seed \(seed): \(text)")
        }
    }

    @Test("up to nineteen digits are read, if eight bytes follow them", arguments: seeds)
    func decimals(_ seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...22, using: &generator)
            let digits = (0..<count).map { _ in String(generator.next() % 10) }.joined()
            let other = ["<", "/", ":", "\u{0}", "é", ".", "p"][Int(generator.next() % 7)]
            let bytes = Array((digits + other + "12345678").utf8)
            let read = bytes.span.decimal(at: 0)
            #expect(read?.value == (count > 19 ? nil : UInt64(digits)), "seed \(seed): \(digits)")
            #expect(read == nil || read?.end == count)
            #expect(Array(digits.utf8).span.decimal(at: count) == nil)
        }
    }

    @Test(
        "a number halfway between two neighbors is rounded to even, unless a later digit decides"
    )
    func halfway() {
        // 2^53 + 1 lies halfway. The deciding digit may be arbitrarily far to the right.
        for zeros in [0, 1, 20, 500, 799, 800, 2_000] {
            let stem = "9007199254740993." + String(repeating: "0", count: zeros)
            #expect(RealText.parse(Array(stem.utf8).span) == 0x1p53)
            #expect(RealText.parse(Array((stem + "1").utf8).span) == 0x1p53 + 2)
        }
    }

    @Test("a million digits are read exactly and without trapping")
    func million() {
        let zeros = String(repeating: "0", count: 1_000_000)
        #expect(RealText.parse(Array("0.\(zeros)1e1000001".utf8).span) == 1)
        #expect(RealText.parse(Array("1\(zeros)e-1000000".utf8).span) == 1)
        #expect(RealText.parse(Array("1\(zeros)".utf8).span) == .infinity)
        #expect(RealText.parse(Array("1e\(zeros)1".utf8).span) == 10)
        #expect(RealText.parse(Array("1e-1\(zeros)".utf8).span) == 0)
        let nines = String(repeating: "9", count: 1_000_000)
        #expect(RealText.parse(Array("\(nines)e-1000000".utf8).span) == 1)
    }

    @Test("the tables have each power of ten, exact or rounded down")
    func tables() {
        for power in DecimalScaling.powers {
            let scaled = DecimalScaling.scale(1 << 63, byTenTo: power)
            guard let scaled else {
                Issue.record("10^\(power) is refused")
                continue
            }
            #expect(isBracketed(scaled, power: power), "10^\(power)")
        }
        #expect(DecimalScaling.scale(1 << 63, byTenTo: -309) == nil)
        #expect(DecimalScaling.scale(1 << 63, byTenTo: 364) == nil)
    }

    /// Returns whether `scaled` is at most 2^63 * 10^`power` and less than four units short of it.
    private func isBracketed(_ scaled: DecimalScaling.Product, power: Int) -> Bool {
        let lower = isAtMostPower(scaled.high, scaled.low, power, scaled.exponent - 63)
        let sum = scaled.low.addingReportingOverflow(4)
        let high = scaled.high + (sum.overflow ? 1 : 0)
        return lower && !isAtMostPower(high, sum.partialValue, power, scaled.exponent - 63)
    }

    /// Returns whether (high * 2^64 + low) * 2^exponent is at most 10^`power`, in exact arithmetic.
    private func isAtMostPower(
        _ high: UInt64,
        _ low: UInt64,
        _ power: Int,
        _ exponent: Int
    ) -> Bool {
        var left = BigNatural(high)
        left.shiftLeft(by: 64)
        left.words[0] = low
        var right = BigNatural(1)
        left.multiply(byFiveTo: max(-power, 0))
        right.multiply(byFiveTo: max(power, 0))
        left.shiftLeft(by: max(exponent - power, 0))
        right.shiftLeft(by: max(power - exponent, 0))
        return left.compare(with: right) <= 0
    }
}

@Suite("Civil dates")
struct CivilDateTests {
    /// Parses `text` strictly or leniently.
    private func parse(_ text: String, lenient: Bool) -> Double? {
        CivilDate.parse(Array(text.utf8).span, lenient: lenient)
    }

    @Test(
        "known dates are written and read, strictly and leniently",
        arguments: [
            ("2001-01-01T00:00:00Z", 0),
            ("1970-01-01T00:00:00Z", -978_307_200),
            ("2000-12-31T23:59:59Z", -1),
            ("2024-02-29T12:34:56Z", 730_902_896),
            ("1500-01-01T00:00:00Z", -15_810_076_800),
            ("0000-01-01T00:00:00Z", -63_145_526_400),
            ("-001-12-31T23:59:59Z", -63_145_526_401),
            ("-316-01-01T00:00:00Z", -73_117_468_800),
            ("99999-01-01T00:00:00Z", 3_092_518_137_600),
        ] as [(String, Double)]
    )
    func known(_ text: String, _ seconds: Double) throws {
        #expect(parse(text, lenient: false) == seconds)
        #expect(parse(text, lenient: true) == seconds)
        let date = try #require(CivilDate(secondsSince2001: seconds))
        #expect(written { date.append(to: &$0) } == text)
    }

    @Test(
        "lenient parsing carries a field's excess into the next field, as CoreFoundation does",
        arguments: [
            ("2001-13-45T25:61:61Z", 35_431_321),
            ("2001-00-10T00:00:00Z", 777_600),
            ("2001-00-00T00:00:00Z", -86_400),
            ("2004-00-00T00:00:00Z", 94_521_600),
            ("2001-02-30T00:00:00Z", 5_184_000),
            ("2001-01-01T00:00:60Z", 60),
            ("2001-01-01T24:00:00Z", 86_400),
        ] as [(String, Double)]
    )
    func lenient(_ text: String, _ seconds: Double) {
        #expect(parse(text, lenient: true) == seconds)
        #expect(parse(text, lenient: false) == nil)
    }

    @Test(
        "malformed dates are refused, strictly and leniently",
        arguments: [
            "", "-", "Z", "2001", "2001-01-01", "2001-01-01T00:00:00", "2001-01-01T00:00:00ZZ",
            "+2001-01-01T00:00:00Z", " 2001-01-01T00:00:00Z", "2001-1-01T00:00:00Z",
            "2001-01-01 00:00:00Z", "2001-01-01t00:00:00z", "-01-01T00:00:00Z",
            "2001-01-01T00:00:0aZ", "10000000000-01-01T00:00:00Z",
            "99999999999999999999-01-01T00:00:00Z",
        ]
    )
    func refused(_ text: String) {
        #expect(parse(text, lenient: false) == nil)
        #expect(parse(text, lenient: true) == nil)
    }

    @Test("every day of four centuries on either side of the year 0 is converted")
    func everyDay() throws {
        var days = try #require(parse("-400-01-01T00:00:00Z", lenient: false)) / 86_400
        for year in -400...400 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in lengths.enumerated() {
                for day in 1...length {
                    let date = CivilDate(secondsSince2001: days * 86_400 + 86_399.75)
                    let expected = (Int64(year), Int64(month + 1), Int64(day))
                    days += 1
                    guard let date, (date.year, date.month, date.day) == expected else {
                        Issue.record("\(expected) became \(String(describing: date))")
                        return
                    }
                }
            }
        }
        #expect(days * 86_400 == parse("401-01-01T00:00:00Z", lenient: false))
    }

    @Test("random dates read back as written", arguments: seeds)
    func roundTrip(_ seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        for round in 0..<Exhaustive.size(50_000, inDebug: 10_000) {
            let limit = Int64(1) << Int64(round % 53)
            let seconds = Double(Int64.random(in: -limit...limit, using: &generator))
            let date = try #require(CivilDate(secondsSince2001: seconds), "seed \(seed)")
            let text = written { date.append(to: &$0) }
            guard parse(text, lenient: false) != seconds else { continue }
            Issue.record("seed \(seed), round \(round): \(seconds) became \(text)")
        }
    }

    @Test("the strict parser refuses days that a month does not have")
    func monthLengths() {
        for (day, isValid) in [
            ("2001-02-28", true), ("2001-02-29", false), ("2000-02-29", true),
            ("1900-02-29", false), ("2001-04-31", false), ("2001-12-31", true),
            ("2001-01-32", false), ("2001-12-00", false), ("2001-13-01", false),
        ] {
            #expect((parse("\(day)T00:00:00Z", lenient: false) != nil) == isValid, "\(day)")
        }
    }

    @Test(
        "moments outside the range of years have no date",
        arguments: [.nan, .infinity, -.infinity, 1e300, -1e300, 9.3e18, 3.2e17, -3.2e17] as [Double]
    )
    func outOfRange(_ seconds: Double) {
        #expect(CivilDate(secondsSince2001: seconds) == nil)
    }

    @Test("the first and last years in the range are written and read")
    func limits() throws {
        for text in ["-9999999999-01-01T00:00:00Z", "9999999999-12-31T00:00:00Z"] {
            let seconds = try #require(parse(text, lenient: false))
            let date = try #require(CivilDate(secondsSince2001: seconds))
            #expect(written { date.append(to: &$0) } == text)
        }
    }

    @Test("a fraction of a second is rounded down to the whole second")
    func fractions() throws {
        let date = try #require(CivilDate(secondsSince2001: -0.25))
        #expect(written { date.append(to: &$0) } == "2000-12-31T23:59:59Z")
    }
}

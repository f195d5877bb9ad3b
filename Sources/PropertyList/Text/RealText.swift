// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Floating-point numbers as property lists spell them.
///
/// Grammar, without the names of the special values, which are the caller's matter:
///
///     real     = [ sign ] ( digit+ [ "." digit* ] | "." digit+ ) [ exponent ]
///     exponent = ( "e" | "E" ) [ sign ] digit+
///     sign     = "+" | "-"
///
/// Apple's XML writer prints with `%.17g` in the C locale and spells the special values `nan`,
/// `+infinity`, `-infinity`, `0.0` and `-0.0`.
package enum RealText {
    /// The spellings of a number.
    package enum Style: Sendable {
        /// Exactly what C's `%.17g` gives, with ties rounded to even.
        case seventeenDigits
        /// The fewest digits that read back as the same value, as Swift's `description`, without
        /// a final `.0`.
        case shortest
    }

    /// Appends `value`; O(1).
    package static func append(_ value: Double, style: Style, to output: inout [UInt8]) {
        guard value.isFinite else { return appendSpecial(value, to: &output) }
        if value == 0 { return appendZero(value, style: style, to: &output) }
        // Both styles spell integers of up to 16 digits without point or exponent, and below 2^53
        // the digits are those of the integer.
        if let integer = smallInteger(value.magnitude) {
            return IntegerText.appendDecimal(integer, negative: value < 0, to: &output)
        }
        switch style {
        case .seventeenDigits: appendSeventeenDigits(value, to: &output)
        case .shortest: appendShortest(value, to: &output)
        }
    }

    /// `magnitude`, which is not negative, if it is an integer below 2^53; O(1).
    ///
    /// Conversion stands in for `rounded()`, which would need the C mathematics library.
    private static func smallInteger(_ magnitude: Double) -> UInt64? {
        guard magnitude < 0x1p53 else { return nil }
        let integer = UInt64(magnitude)
        return Double(integer) == magnitude ? integer : nil
    }

    /// Appends an infinity or a NaN; O(1).
    private static func appendSpecial(_ value: Double, to output: inout [UInt8]) {
        if value.isNaN {
            output.append(contentsOf: "nan".utf8)
        } else {
            output.append(contentsOf: (value < 0 ? "-infinity" : "+infinity").utf8)
        }
    }

    /// Appends a zero of either sign; O(1).
    private static func appendZero(_ value: Double, style: Style, to output: inout [UInt8]) {
        if value.sign == .minus {
            output.append(contentsOf: "-0.0".utf8)
        } else {
            output.append(contentsOf: (style == .shortest ? "0" : "0.0").utf8)
        }
    }

    /// Appends a finite value with the fewest digits; O(1).
    private static func appendShortest(_ value: Double, to output: inout [UInt8]) {
        output.append(contentsOf: value.description.utf8)
        if output.count > 2, output[output.count - 1] == 0x30, output[output.count - 2] == 0x2E {
            output.removeLast(2)
        }
    }

    /// Appends a finite value other than zero as `%.17g` does; O(1).
    private static func appendSeventeenDigits(_ value: Double, to output: inout [UInt8]) {
        let digits = SeventeenDigits(value.magnitude)
        // The longest results are like `-1.2345678901234567e-308`.
        output.append(addingCapacity: 24) { bytes in
            if value < 0 { bytes.append(0x2D) }
            digits.append(to: &bytes)
        }
    }

    /// The value of the whole of `text`, rounded to nearest, ties to even; `nil` unless the
    /// grammar allows it; O(n).
    ///
    /// Too large a number gives infinity, too small a one zero.
    package static func parse(_ text: Span<UInt8>) -> Double? {
        guard let literal = RealLiteral(text) else { return nil }
        let magnitude = literal.magnitude(text)
        return literal.negative ? -magnitude : magnitude
    }
}

extension RealText {
    /// The number at `start` if it has digits, perhaps with a sign in front and a point inside, 19 at
    /// most, and where it ends; nil where that is not enough to tell its value; O(1).
    @inline(__always)
    static func plain(_ text: Span<UInt8>, at start: Int) -> (value: Double, end: Int)? {
        guard start < text.count else { return nil }
        let isNegative = text[start] == 0x2D
        guard let (whole, point) = text.decimal(at: isNegative ? start &+ 1 : start) else {
            return nil
        }
        var literal = RealLiteral(significand: whole)
        var end = point
        if text[point] == 0x2E {
            guard let (part, partEnd) = text.decimal(at: point &+ 1),
                partEnd &- start <= 20
            else { return nil }
            let digits = partEnd &- point &- 1
            literal.append(part, digits)
            end = partEnd
        }
        guard let magnitude = literal.plainMagnitude else { return nil }
        return (isNegative ? -magnitude : magnitude, end)
    }

    /// The infinity or the NaN that `text` names, in any case, or nil.
    package static func parseSpecial(_ text: Span<UInt8>) -> Double? {
        guard text.count <= 9 else { return nil }
        let name = String(decoding: text.indices.map { text[$0] | 0x20 }, as: UTF8.self)
        switch name {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }
}

/// The 17 significant decimal digits of a positive `Double`, rounded half to even.
///
/// The layout is C's for `%.17g` (ISO C 7.21.6.1): scientific when the decimal exponent is below
/// -4 or at least 17, with two exponent digits or more; trailing zeros, and then a trailing
/// point, are dropped.
private struct SeventeenDigits {
    /// The digits, as an integer in 10^16..<10^17.
    var digits: UInt64

    /// The power of ten of the first digit.
    var exponent: Int

    /// 10^16, the least integer of 17 digits.
    static let least: UInt64 = 10_000_000_000_000_000

    /// Rounds `value`, which is positive and finite, to 17 digits; O(1).
    ///
    /// The first digit's power of ten is guessed from the binary exponent, and may be one too
    /// small: then the integer part of the scaled value has 18 digits, and the last is moved to
    /// the fraction.
    init(_ value: Double) {
        let (significand, binary) = Self.decompose(value)
        exponent = DecimalScaling.floorLog10(ofTwoTo: binary &+ 63)
        let scaled = Self.scaled(significand, binary, power: 16 &- exponent)
        digits = scaled.whole
        let roundsUp: Bool?
        if digits < Self.least &* 10 {
            roundsUp = Self.roundsUp(fraction: scaled.fraction)
        } else {
            let last = digits % 10
            digits /= 10
            exponent &+= 1
            roundsUp = Self.roundsUp(tenths: last, fraction: scaled.fraction)
        }
        if roundsUp ?? roundsUpExactly(significand, binary) { increment() }
    }

    /// `value` as a 64-bit integer with the highest bit set times a power of two; O(1).
    @inline(__always)
    private static func decompose(_ value: Double) -> (significand: UInt64, exponent: Int) {
        let stored = Int(truncatingIfNeeded: value.exponentBitPattern)
        let hidden: UInt64 = stored == 0 ? 0 : 1 << 52
        let significand = value.significandBitPattern | hidden
        let shift = significand.leadingZeroBitCount
        return (significand << shift, max(stored, 1) &- 1075 &- shift)
    }

    /// The integer part and the first 64 bits of the fraction of a value times 10^`power`; O(1).
    ///
    /// The true fraction is at least the result and less than two units more: the product is at
    /// most 4 units of 2^-128 short, and at least four bits of its lower half are dropped. The
    /// caller's choice of `power` puts the integer part in 10^16..<2*10^17, 54 to 58 bits.
    @inline(__always)
    private static func scaled(
        _ significand: UInt64,
        _ exponent: Int,
        power: Int
    ) -> (whole: UInt64, fraction: UInt64) {
        // Powers for a `Double` are within -292...340; nothing else gets here.
        guard let product = DecimalScaling.scale(significand, byTenTo: power) else { return (0, 0) }
        let shift = UInt64(truncatingIfNeeded: -64 &- product.exponent &- exponent)
        let fraction = product.high &<< (64 &- shift) | product.low &>> shift
        return (product.high &>> shift, fraction)
    }

    /// Whether `fraction`, of 2^64 and up to two units short, is above a half; `nil` when that is
    /// not certain; O(1).
    @inline(__always)
    private static func roundsUp(fraction: UInt64) -> Bool? {
        let half: UInt64 = 1 << 63
        return fraction > half ? true : fraction < half &- 2 ? false : nil
    }

    /// Whether `tenths` and `fraction` of a tenth, up to two units short, are above a half; `nil`
    /// when that is not certain; O(1).
    @inline(__always)
    private static func roundsUp(tenths: UInt64, fraction: UInt64) -> Bool? {
        switch tenths {
        case 4: fraction < UInt64.max &- 2 ? false : nil
        case 5: fraction > 0 ? true : nil
        default: tenths > 5
        }
    }

    /// Whether the value is nearer to the next integer of 17 digits, in exact arithmetic; O(1).
    private func roundsUpExactly(_ significand: UInt64, _ binary: Int) -> Bool {
        let order = DecimalScaling.compareExactly(
            significand: significand,
            exponent: binary,
            power: 16 &- exponent,
            withHalfPast: digits
        )
        return order > 0 || (order == 0 && digits & 1 == 1)
    }

    /// Adds one unit in the last digit; O(1).
    private mutating func increment() {
        digits &+= 1
        guard digits == Self.least &* 10 else { return }
        digits = Self.least
        exponent &+= 1
    }

    /// Appends the number to `output`, which has room for 23 bytes; O(1).
    ///
    /// Digits that are appended and removed again stay within that room.
    func append(to output: inout OutputSpan<UInt8>) {
        let text = DigitText(digits)
        if exponent >= -4, exponent < 0 {
            output.append(0x30)
            output.append(0x2E)
            for _ in 0..<(-1 &- exponent) { output.append(0x30) }
            text.append(to: &output)
        } else if exponent >= 0, exponent < 17 {
            text.append(wholeDigits: exponent &+ 1, to: &output)
        } else {
            text.append(wholeDigits: 1, to: &output)
            appendExponent(to: &output)
        }
    }

    /// Appends `e`, the sign and at least two digits of the exponent; O(1).
    private func appendExponent(to output: inout OutputSpan<UInt8>) {
        output.append(0x65)
        output.append(exponent < 0 ? 0x2D : 0x2B)
        let magnitude = UInt64(exponent.magnitude)
        if magnitude < 10 { output.append(0x30) }
        IntegerText.appendDecimal(magnitude, to: &output)
    }
}

/// Seventeen decimal digits, taken apart.
private struct DigitText {
    /// The first eight digits, the first in the lowest byte.
    let first: UInt64

    /// The next eight digits.
    let second: UInt64

    /// The last digit.
    let last: UInt64

    /// The number of digits before the trailing zeros.
    let count: Int

    /// Takes apart `digits`, of which there are 17 and the first is not zero; O(1).
    init(_ digits: UInt64) {
        let high = digits / 1_000_000_000
        let low = digits % 1_000_000_000
        first = IntegerText.eightDigits(high)
        second = IntegerText.eightDigits(low / 10)
        last = low % 10
        if last != 0 {
            count = 17
        } else if second != 0 {
            count = 16 &- second.leadingZeroBitCount / 8
        } else {
            count = 8 &- first.leadingZeroBitCount / 8
        }
    }

    /// Appends the digits with a point after `wholeDigits` of them, 1 through 17, unless nothing
    /// would follow it; O(1).
    @inline(__always)
    func append(wholeDigits: Int, to output: inout OutputSpan<UInt8>) {
        let start = output.count
        output.append(0x30)
        appendAll(to: &output)
        var text = output.mutableSpan
        for position in start..<(start &+ wholeDigits) { text[position] = text[position &+ 1] }
        text[start &+ wholeDigits] = 0x2E
        output.removeLast(count > wholeDigits ? 17 &- count : 18 &- wholeDigits)
    }

    /// Appends the digits without a point; O(1).
    func append(to output: inout OutputSpan<UInt8>) {
        appendAll(to: &output)
        output.removeLast(17 &- count)
    }

    /// Appends all 17 digits; O(1).
    ///
    /// A fixed number of digits needs no loop, so the few that are then moved or removed cost
    /// less than finding out beforehand how many to append.
    @inline(__always)
    private func appendAll(to output: inout OutputSpan<UInt8>) {
        guard output.freeCapacity >= 17 else { return }
        IntegerText.append(first, from: 0, to: &output)
        IntegerText.append(second, from: 0, to: &output)
        output.append(UInt8(truncatingIfNeeded: last) | 0x30)
    }
}

/// A number in the grammar that `RealText` describes, as its first 19 significant digits.
private struct RealLiteral {
    /// Whether a `-` leads.
    var negative = false

    /// The leading significant digits, as an integer.
    var significand: UInt64 = 0

    /// The number of digits in `significand`, up to 19, which always fit.
    var kept = 0

    /// The power of ten that `significand` counts in.
    var exponent: Int64 = 0

    /// Whether a digit other than zero did not fit in `significand`.
    var inexact = false

    /// The part of the text with the digits and the point.
    var digits = 0..<0

    /// The powers of ten that are exact as `Double`.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Creates an integer; O(1).
    @inline(__always)
    init(significand: UInt64) { self.significand = significand }

    /// Appends `count` digits of a fraction, which fit; O(1).
    @inline(__always)
    mutating func append(_ part: UInt64, _ count: Int) {
        let low = min(count, 8)
        let power = DigitWord.power(low) &* DigitWord.power(min(count &- low, 8))
        significand = significand &* power &* DigitWord.power(max(count &- 16, 0)) &+ part
        exponent = 0 &- Int64(count)
    }

    /// The value of a number with all its digits kept, if 128 bits tell how to round it; O(1).
    @inline(__always)
    var plainMagnitude: Double? {
        if significand == 0 { return 0 }
        let power = Int(truncatingIfNeeded: exponent)
        return simple(power) ?? rounded(power)
    }

    /// Reads the whole of `text`, or fails; O(n).
    init?(_ text: Span<UInt8>) {
        negative = text.count > 0 && text[0] == 0x2D
        let start = negative || (text.count > 0 && text[0] == 0x2B) ? 1 : 0
        var index = scanDigits(text, from: start)
        var digitCount = index - start
        if index < text.count, text[index] == 0x2E {
            let end = scanDigits(text, from: index + 1)
            let fraction = end - index - 1
            exponent &-= Int64(fraction)
            digitCount += fraction
            index = end
        }
        guard digitCount > 0 else { return nil }
        digits = start..<index
        guard index < text.count else { return }
        guard let explicit = Self.scanExponent(text, from: index) else { return nil }
        exponent &+= explicit
    }

    /// Takes digits from `start` on and returns where they end; O(n).
    @inline(__always)
    private mutating func scanDigits(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { break }
            if kept < 19 {
                significand = significand &* 10 &+ UInt64(digit)
                kept &+= significand == 0 ? 0 : 1
            } else {
                inexact = inexact || digit != 0
                exponent &+= 1
            }
            index += 1
        }
        return index
    }

    /// The exponent from `start` to the end of `text`, or `nil` if there is anything else; O(n).
    ///
    /// It is clamped to ±10^17, beyond what the digits of any text in memory can make up for.
    private static func scanExponent(_ text: Span<UInt8>, from start: Int) -> Int64? {
        guard text[start] | 0x20 == 0x65, start + 1 < text.count else { return nil }
        let sign = text[start + 1]
        var index = sign == 0x2D || sign == 0x2B ? start + 2 : start + 1
        guard index < text.count else { return nil }
        var value: Int64 = 0
        while index < text.count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { return nil }
            value = min(value * 10 + Int64(digit), 100_000_000_000_000_000)
            index += 1
        }
        return sign == 0x2D ? -value : value
    }

    /// The value without its sign; O(n).
    func magnitude(_ text: Span<UInt8>) -> Double {
        guard significand != 0 else { return 0 }
        // The value is in 10^(scale-1)..<10^scale; `Double` ends at 1.8e308 and 4.9e-324.
        let scale = exponent &+ Int64(kept)
        if scale > 310 { return .infinity }
        if scale < -330 { return 0 }
        let power = Int(truncatingIfNeeded: exponent)
        guard !inexact else { return correctlyRounded(text) }
        return simple(power) ?? rounded(power) ?? correctlyRounded(text)
    }

    /// The value when significand and power of ten are exact, so that one operation rounds
    /// (Clinger, "How to Read Floating Point Numbers Accurately", 1990); O(1).
    private func simple(_ power: Int) -> Double? {
        guard significand <= 1 << 53, power.magnitude <= 22 else { return nil }
        let scale = Self.exactPowers[Int(power.magnitude)]
        return power < 0 ? Double(significand) / scale : Double(significand) * scale
    }

    /// The value when 128 bits tell how to round it and it is a normal number; O(1).
    private func rounded(_ power: Int) -> Double? {
        let shift = significand.leadingZeroBitCount
        guard let product = DecimalScaling.scale(significand << shift, byTenTo: power) else {
            return nil
        }
        let lead = product.high.leadingZeroBitCount
        // At most two zeros lead, which takes the error of the product to less than 16 units.
        let high = product.high << lead | product.low >> (64 &- lead)
        let low = product.low << lead
        let biased = product.exponent &- shift &- lead &+ 127 &+ 1023
        guard biased > 0, biased < 2047 else { return nil }
        guard let up = Self.roundsUp(high & 0x7FF, low) else { return nil }
        // Adding the bit after packing lets a carry run into the exponent, up to infinity.
        let bits = UInt64(biased) &<< 52 | high &>> 11 & (1 << 52 - 1)
        return Double(bitPattern: bits &+ (up ? 1 : 0))
    }

    /// Whether the 11 + 64 bits below the significand, up to 16 units short, are above a half;
    /// `nil` when that is not certain; O(1).
    private static func roundsUp(_ high: UInt64, _ low: UInt64) -> Bool? {
        switch high {
        case 0x3FF: low < UInt64.max &- 16 ? false : nil
        case 0x400: low > 0 ? true : nil
        default: high > 0x400
        }
    }

    /// The value by the standard library, which is exact but slow; O(n).
    ///
    /// No tie between two `Double` values has more than 767 significant digits, so the digits
    /// past the 800th only matter as zeros or not.
    private func correctlyRounded(_ text: Span<UInt8>) -> Double {
        var canonical: [UInt8] = []
        var sticky = false
        for index in digits where text[index] != 0x2E {
            let digit = text[index]
            if canonical.count == 800 {
                sticky = sticky || digit != 0x30
            } else if digit != 0x30 || !canonical.isEmpty {
                canonical.append(digit)
            }
        }
        // `exponent` belongs to the first 19 digits; the first of all has the same power of ten.
        var power = exponent &+ Int64(kept) &- Int64(canonical.count)
        if sticky {
            canonical.append(0x31)
            power &-= 1
        }
        canonical.append(0x65)
        IntegerText.appendDecimal(power.magnitude, negative: power < 0, to: &canonical)
        return Double(String(decoding: canonical, as: UTF8.self)) ?? .nan
    }
}

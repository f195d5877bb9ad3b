// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The 17 significant decimal digits of a positive `Double`, rounded half to even.
///
/// The layout is that of C's `%.17g` (ISO C 7.21.6.1): scientific notation, with at least two
/// exponent digits, if the decimal exponent is below -4 or at least 17. Trailing zeros and a
/// trailing point are dropped.
struct SeventeenDigits {
    /// The digits, as an integer in 10^16..<10^17.
    var digits: UInt64

    /// The power of ten of the first digit.
    var exponent: Int

    /// 10^16, the smallest integer of 17 digits.
    static let least: UInt64 = 10_000_000_000_000_000

    /// Rounds a positive finite `value` to 17 digits.
    ///
    /// The power of ten of the first digit is estimated from the binary exponent and may be one too
    /// small. The integer part of the scaled value then has 18 digits, and its last digit moves to
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

    /// Returns `value` as a 64-bit integer with its highest bit set, times a power of two.
    @inline(__always)
    private static func decompose(_ value: Double) -> (significand: UInt64, exponent: Int) {
        let stored = Int(truncatingIfNeeded: value.exponentBitPattern)
        let hidden: UInt64 = stored == 0 ? 0 : 1 << 52
        let significand = value.significandBitPattern | hidden
        let shift = significand.leadingZeroBitCount
        return (significand << shift, max(stored, 1) &- 1075 &- shift)
    }

    /// Returns the integer part and the first 64 bits of the fraction of a value times 10^`power`.
    ///
    /// The true fraction is at least the result and less than two units more: the product is at
    /// most 4 units of 2^-128 too low, and at least four bits of its lower half are dropped. The
    /// caller chooses `power` so that the integer part is in 10^16..<2*10^17, which takes 54 to 58
    /// bits.
    @inline(__always)
    private static func scaled(
        _ significand: UInt64,
        _ exponent: Int,
        power: Int
    ) -> (whole: UInt64, fraction: UInt64) {
        // Powers for a `Double` are within -292...340, so this guard always succeeds.
        guard let product = DecimalScaling.scale(significand, byTenTo: power) else { return (0, 0) }
        let shift = UInt64(truncatingIfNeeded: -64 &- product.exponent &- exponent)
        let fraction = product.high &<< (64 &- shift) | product.low &>> shift
        return (product.high &>> shift, fraction)
    }

    /// Returns whether `fraction` / 2^64 is above a half, or `nil` if that is uncertain. The
    /// fraction may be up to two units too low.
    @inline(__always)
    private static func roundsUp(fraction: UInt64) -> Bool? {
        let half: UInt64 = 1 << 63
        return fraction > half ? true : fraction < half &- 2 ? false : nil
    }

    /// Returns whether `tenths` and `fraction` of a tenth are above a half, or `nil` if that is
    /// uncertain. The fraction may be up to two units too low.
    @inline(__always)
    private static func roundsUp(tenths: UInt64, fraction: UInt64) -> Bool? {
        switch tenths {
        case 4: fraction < UInt64.max &- 2 ? false : nil
        case 5: fraction > 0 ? true : nil
        default: tenths > 5
        }
    }

    /// Returns whether the value is rounded up, with ties to even. Uses exact arithmetic.
    private func roundsUpExactly(_ significand: UInt64, _ binary: Int) -> Bool {
        let order = DecimalScaling.compareExactly(
            significand: significand,
            exponent: binary,
            power: 16 &- exponent,
            withHalfPast: digits
        )
        return order > 0 || (order == 0 && digits & 1 == 1)
    }

    /// Adds one unit in the last digit.
    private mutating func increment() {
        digits &+= 1
        guard digits == Self.least &* 10 else { return }
        digits = Self.least
        exponent &+= 1
    }

    /// Appends the number to `output`, which must have room for 23 bytes.
    ///
    /// Digits that are appended and removed again also fit in that room.
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

    /// Appends `e`, the sign and at least two digits of the exponent.
    private func appendExponent(to output: inout OutputSpan<UInt8>) {
        output.append(0x65)
        output.append(exponent < 0 ? 0x2D : 0x2B)
        let magnitude = UInt64(exponent.magnitude)
        if magnitude < 10 { output.append(0x30) }
        IntegerText.appendDecimal(magnitude, to: &output)
    }
}

/// Seventeen decimal digits, split into three parts.
private struct DigitText {
    /// The first eight digits. The first one is in the lowest byte.
    let first: UInt64

    /// The next eight digits.
    let second: UInt64

    /// The last digit.
    let last: UInt64

    /// The number of digits before the trailing zeros.
    let count: Int

    /// Splits `digits`, which has 17 digits and no leading zero.
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

    /// Appends the digits with a point after the first `wholeDigits`, 1 through 17. Omits a point
    /// without digits after it.
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

    /// Appends the digits without a point.
    func append(to output: inout OutputSpan<UInt8>) {
        appendAll(to: &output)
        output.removeLast(17 &- count)
    }

    /// Appends all 17 digits.
    ///
    /// Appending a fixed number of digits needs no loop. Moving or removing a few afterwards costs
    /// less than a loop over `count` digits.
    @inline(__always)
    private func appendAll(to output: inout OutputSpan<UInt8>) {
        guard output.freeCapacity >= 17 else { return }
        IntegerText.append(first, from: 0, to: &output)
        IntegerText.append(second, from: 0, to: &output)
        output.append(UInt8(truncatingIfNeeded: last) | 0x30)
    }
}

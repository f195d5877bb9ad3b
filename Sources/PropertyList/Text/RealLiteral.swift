// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A number in the grammar of `RealText`, reduced to its first 19 significant digits.
struct RealLiteral {
    /// A Boolean value that is true if the number begins with `-`.
    var negative = false

    /// The first significant digits as an integer.
    var significand: UInt64 = 0

    /// The number of digits in `significand`. Up to 19 digits always fit.
    var kept = 0

    /// The power of ten by which `significand` is scaled.
    var exponent: Int64 = 0

    /// A Boolean value that is true if a digit other than zero did not fit in `significand`.
    var inexact = false

    /// The range of the digits and the point in the text.
    var digits = 0..<0

    /// The powers of ten that `Double` represents exactly.
    private static let exactPowers: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// Creates the literal of an integer for `plainMagnitude`, which does not need `kept`.
    @inline(__always)
    init(significand: UInt64) { self.significand = significand }

    /// Appends `count` digits of a fraction. They must fit.
    @inline(__always)
    mutating func append(_ part: UInt64, _ count: Int) {
        let low = min(count, 8)
        let power = DigitWord.power(low) &* DigitWord.power(min(count &- low, 8))
        significand = significand &* power &* DigitWord.power(max(count &- 16, 0)) &+ part
        exponent = 0 &- Int64(count)
    }

    /// The magnitude of a number without dropped digits, or nil if 128 bits do not determine its
    /// rounding.
    @inline(__always)
    var plainMagnitude: Double? {
        if significand == 0 { return 0 }
        let power = Int(truncatingIfNeeded: exponent)
        return simple(power) ?? rounded(power)
    }

    /// Parses the whole of `text`, or returns nil.
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

    /// Adds the digits from `start` on, and returns their end.
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

    /// Parses the exponent from `start` to the end of `text`, or returns `nil`.
    ///
    /// The exponent is clamped to ±10^17. No text that fits in memory has enough digits to
    /// compensate for more.
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

    /// Returns the absolute value.
    func magnitude(_ text: Span<UInt8>) -> Double {
        guard significand != 0 else { return 0 }
        // The value is in 10^(scale-1)..<10^scale. The range of `Double` is 4.9e-324 to 1.8e308.
        let scale = exponent &+ Int64(kept)
        if scale > 310 { return .infinity }
        if scale < -330 { return 0 }
        let power = Int(truncatingIfNeeded: exponent)
        guard !inexact else { return correctlyRounded(text) }
        return simple(power) ?? rounded(power) ?? correctlyRounded(text)
    }

    /// Returns the value if `Double` represents both the significand and the power of ten exactly.
    /// A single operation then rounds the value (Clinger, "How to Read Floating Point Numbers
    /// Accurately", 1990).
    private func simple(_ power: Int) -> Double? {
        guard significand <= 1 << 53, power.magnitude <= 22 else { return nil }
        let scale = Self.exactPowers[Int(power.magnitude)]
        return power < 0 ? Double(significand) / scale : Double(significand) * scale
    }

    /// Returns the value if it is a normal number and 128 bits determine its rounding.
    private func rounded(_ power: Int) -> Double? {
        let shift = significand.leadingZeroBitCount
        guard let product = DecimalScaling.scale(significand << shift, byTenTo: power) else {
            return nil
        }
        let lead = product.high.leadingZeroBitCount
        // At most two leading zeros, so the error of the product stays below 16 units.
        let high = product.high << lead | product.low >> (64 &- lead)
        let low = product.low << lead
        let biased = product.exponent &- shift &- lead &+ 127 &+ 1023
        guard biased > 0, biased < 2047 else { return nil }
        guard let up = Self.roundsUp(high & 0x7FF, low) else { return nil }
        // Adding the rounding bit after packing lets a carry propagate into the exponent, up to
        // infinity.
        let bits = UInt64(biased) &<< 52 | high &>> 11 & (1 << 52 - 1)
        return Double(bitPattern: bits &+ (up ? 1 : 0))
    }

    /// Returns whether the 11 + 64 bits below the significand are above a half, or `nil` if that is
    /// uncertain. The bits may be up to 16 units too low.
    private static func roundsUp(_ high: UInt64, _ low: UInt64) -> Bool? {
        switch high {
        case 0x3FF: low < UInt64.max &- 16 ? false : nil
        case 0x400: low > 0 ? true : nil
        default: high > 0x400
        }
    }

    /// Returns the value computed by the standard library, which is exact but slow.
    ///
    /// No tie between two `Double` values has more than 768 significant digits. Digits past the
    /// 800th therefore only matter as zero or non-zero.
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
        // `exponent` is the power of ten of the last of the `kept` digits. `canonical` has the same
        // first digit, so the difference in length gives the power of its last digit.
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

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Integers as property lists spell them.
///
/// Grammar, which is what CoreFoundation reads in an `<integer>` element once white space is gone:
///
///     integer = [ "+" | "-" ] ( ( "0x" | "0X" ) hex-digit+ | digit+ )
///
/// Values run from -2^63 through 2^64-1, the union of `Int64` and `UInt64`.
package enum IntegerText {
    /// The content of a text.
    package enum Parsed: Equatable, Sendable {
        /// The integer with this magnitude; zero is never negative.
        case value(magnitude: UInt64, negative: Bool)
        /// A well-formed integer outside -2^63...2^64-1.
        case overflow
        /// Not an integer.
        case malformed
    }

    /// The integer spelled by the whole of `text`; O(n).
    package static func parse(_ text: Span<UInt8>) -> Parsed {
        var index = 0
        let negative = text.count > 0 && text[0] == 0x2D
        if negative || (text.count > 0 && text[0] == 0x2B) { index = 1 }
        var radix: UInt64 = 10
        if text.count - index > 2, text[index] == 0x30, text[index + 1] | 0x20 == 0x78 {
            radix = 16
            index += 2
        }
        guard index < text.count else { return .malformed }
        return parseDigits(text.extracting(index...), radix: radix, negative: negative)
    }

    /// The integer with these digits, of which there is at least one, and this sign; O(n).
    private static func parseDigits(
        _ digits: Span<UInt8>,
        radix: UInt64,
        negative: Bool
    ) -> Parsed {
        var magnitude: UInt64 = 0
        var overflow = false
        for index in digits.indices {
            guard let digit = value(ofDigit: digits[index], radix: radix) else { return .malformed }
            let product = magnitude.multipliedReportingOverflow(by: radix)
            let sum = product.partialValue.addingReportingOverflow(digit)
            // A digit that is not one must still win over the overflow, so the scan goes on.
            overflow = overflow || product.overflow || sum.overflow
            magnitude = sum.partialValue
        }
        if overflow || (negative && magnitude > 1 << 63) { return .overflow }
        return .value(magnitude: magnitude, negative: negative && magnitude != 0)
    }

    /// The value of an ASCII digit in `radix` (10 or 16), or `nil`; O(1).
    private static func value(ofDigit byte: UInt8, radix: UInt64) -> UInt64? {
        let decimal = byte &- 0x30
        if decimal < 10 { return UInt64(decimal) }
        let letter = (byte | 0x20) &- 0x61
        return radix == 16 && letter < 6 ? UInt64(letter) + 10 : nil
    }

    /// Appends an integer in decimal, with `-` before it when `negative`; O(1).
    static func appendDecimal(
        _ magnitude: UInt64,
        negative: Bool,
        to output: inout [UInt8]
    ) {
        output.append(addingCapacity: 32) { bytes in
            if negative { bytes.append(0x2D) }
            appendDecimal(magnitude, to: &bytes)
        }
    }

    /// Appends an integer in decimal, of 20 digits at most, to `output` which has room; O(1).
    static func appendDecimal(_ magnitude: UInt64, to output: inout OutputSpan<UInt8>) {
        guard magnitude >= 100_000_000 else {
            let digits = eightDigits(magnitude)
            // The last digit is kept even when all are zero.
            return append(digits, from: min(digits.trailingZeroBitCount / 8, 7), to: &output)
        }
        let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
        appendDecimal(high, to: &output)
        append(eightDigits(low), from: 0, to: &output)
    }

    /// Appends as ASCII the digits in the bytes of `digits`, from byte `first` through 7; O(1).
    @inline(__always)
    static func append(_ digits: UInt64, from first: Int, to output: inout OutputSpan<UInt8>) {
        var rest = digits &>> UInt64(truncatingIfNeeded: first &* 8) | 0x3030_3030_3030_3030
        if output.freeCapacity >= 8 {
            return output.append(littleEndian: rest, width: 8 &- first)
        }
        for _ in first..<8 {
            output.append(UInt8(truncatingIfNeeded: rest))
            rest &>>= 8
        }
    }

    /// The eight decimal digits of `value`, below 10^8, as bytes 0 through 9; O(1).
    ///
    /// The first digit is in the lowest byte. Halves are split off in parallel: four digits to
    /// each 32-bit lane, two to each 16-bit lane, one to each byte. Division by 100 and by 10 is
    /// multiplication by a reciprocal that is exact for every lane below 10^4 and 10^2.
    @inline(__always)
    static func eightDigits(_ value: UInt64) -> UInt64 {
        let fours = value / 10_000 | (value % 10_000) &<< 32
        let hundreds = (fours &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) &<< 16
        let tens = (twos &* 103) &>> 10 & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) &<< 8
    }
}

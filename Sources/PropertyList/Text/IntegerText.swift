// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text form of integers in property lists.
///
/// The grammar is that of CoreFoundation's `<integer>` element, without white space:
///
///     integer = [ "+" | "-" ] ( ( "0x" | "0X" ) hex-digit+ | digit+ )
///
/// Values run from -2^63 through 2^64-1, the union of `Int64` and `UInt64`.
package enum IntegerText {
    /// The result of parsing text.
    package enum Parsed: Equatable, Sendable {
        /// An integer as magnitude and sign. Zero is never negative.
        case value(magnitude: UInt64, negative: Bool)
        /// A well-formed integer outside -2^63...2^64-1.
        case overflow
        /// Not an integer.
        case malformed
    }

    /// Parses the whole of `text` as an integer.
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

    /// Parses one or more digits as an integer with the given sign.
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
            // The loop continues after an overflow, because an invalid digit takes precedence.
            overflow = overflow || product.overflow || sum.overflow
            magnitude = sum.partialValue
        }
        if overflow || (negative && magnitude > 1 << 63) { return .overflow }
        return .value(magnitude: magnitude, negative: negative && magnitude != 0)
    }

    /// Returns the value of an ASCII digit in `radix` (10 or 16), or `nil`.
    private static func value(ofDigit byte: UInt8, radix: UInt64) -> UInt64? {
        let decimal = byte &- 0x30
        if decimal < 10 { return UInt64(decimal) }
        let letter = (byte | 0x20) &- 0x61
        return radix == 16 && letter < 6 ? UInt64(letter) + 10 : nil
    }

    /// Appends an integer in decimal, preceded by `-` if `negative`.
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

    /// Appends an integer in decimal, at most 20 digits, to `output`, which must have room.
    static func appendDecimal(_ magnitude: UInt64, to output: inout OutputSpan<UInt8>) {
        guard magnitude >= 100_000_000 else {
            let digits = eightDigits(magnitude)
            // Keep the last digit even if all are zero.
            return append(digits, from: min(digits.trailingZeroBitCount / 8, 7), to: &output)
        }
        let (high, low) = magnitude.quotientAndRemainder(dividingBy: 100_000_000)
        appendDecimal(high, to: &output)
        append(eightDigits(low), from: 0, to: &output)
    }

    /// Appends bytes `first` through 7 of `digits` as ASCII digits.
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

    /// Returns the eight decimal digits of `value`, which is below 10^8, as bytes of 0 through 9.
    ///
    /// The first digit is in the lowest byte. Each step splits the number in all lanes at once:
    /// four digits in each 32-bit lane, then two in each 16-bit lane, then one in each byte.
    /// Division by 100 and by 10 is a multiplication by a reciprocal, exact for every lane below
    /// 10^4 and 10^2.
    @inline(__always)
    static func eightDigits(_ value: UInt64) -> UInt64 {
        let fours = value / 10_000 | (value % 10_000) &<< 32
        let hundreds = (fours &* 10_486) &>> 20 & 0x0000_007F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) &<< 16
        let tens = (twos &* 103) &>> 10 & 0x000F_000F_000F_000F
        return tens | (twos &- tens &* 10) &<< 8
    }
}

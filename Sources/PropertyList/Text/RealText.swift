// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text form of floating-point numbers in property lists.
///
/// The grammar excludes the special values, which callers handle:
///
///     real     = [ sign ] ( digit+ [ "." digit* ] | "." digit+ ) [ exponent ]
///     exponent = ( "e" | "E" ) [ sign ] digit+
///     sign     = "+" | "-"
///
/// Apple's XML writer formats numbers with `%.17g` in the C locale, and writes special values as
/// `nan`, `+infinity`, `-infinity` and, for zeros of either sign, `0.0`. This type writes −0.0 as
/// `-0.0` to keep the sign.
package enum RealText {
    /// The text styles of a number.
    package enum Style: Sendable {
        /// The output of C's `%.17g`, with ties rounded to even.
        case seventeenDigits
        /// The fewest digits that parse as the same value, like Swift's `description` but without a
        /// final `.0`, except in `-0.0`.
        case shortest
    }

    /// Appends `value`.
    package static func append(_ value: Double, style: Style, to output: inout [UInt8]) {
        guard value.isFinite else { return appendSpecial(value, to: &output) }
        if value == 0 { return appendZero(value, style: style, to: &output) }
        // Both styles write integers of up to 16 digits without point or exponent. Below 2^53 the
        // digits are those of the integer.
        if let integer = smallInteger(value.magnitude) {
            return IntegerText.appendDecimal(integer, negative: value < 0, to: &output)
        }
        switch style {
        case .seventeenDigits: appendSeventeenDigits(value, to: &output)
        case .shortest: appendShortest(value, to: &output)
        }
    }

    /// Returns a non-negative `magnitude` as an integer if it is an integer below 2^53.
    ///
    /// Uses integer conversion, because `rounded()` would need the C mathematics library.
    private static func smallInteger(_ magnitude: Double) -> UInt64? {
        guard magnitude < 0x1p53 else { return nil }
        let integer = UInt64(magnitude)
        return Double(integer) == magnitude ? integer : nil
    }

    /// Appends an infinity or a NaN.
    private static func appendSpecial(_ value: Double, to output: inout [UInt8]) {
        if value.isNaN {
            output.append(contentsOf: "nan".utf8)
        } else {
            output.append(contentsOf: (value < 0 ? "-infinity" : "+infinity").utf8)
        }
    }

    /// Appends a zero of either sign.
    private static func appendZero(_ value: Double, style: Style, to output: inout [UInt8]) {
        if value.sign == .minus {
            output.append(contentsOf: "-0.0".utf8)
        } else {
            output.append(contentsOf: (style == .shortest ? "0" : "0.0").utf8)
        }
    }

    /// Appends a finite value with the fewest digits.
    private static func appendShortest(_ value: Double, to output: inout [UInt8]) {
        output.append(contentsOf: value.description.utf8)
        if output.count > 2, output[output.count - 1] == 0x30, output[output.count - 2] == 0x2E {
            output.removeLast(2)
        }
    }

    /// Appends a finite value other than zero as `%.17g` does.
    private static func appendSeventeenDigits(_ value: Double, to output: inout [UInt8]) {
        let digits = SeventeenDigits(value.magnitude)
        // The longest results look like `-1.2345678901234567e-308`.
        output.append(addingCapacity: 24) { bytes in
            if value < 0 { bytes.append(0x2D) }
            digits.append(to: &bytes)
        }
    }

    /// Parses a number that a `Double` can represent. Returns nil for overflow to infinity, and for
    /// underflow of a non-zero number to zero. Linear.
    package static func parseInRange(_ text: Span<UInt8>) -> Double? {
        guard let value = parse(text), value.isFinite else { return nil }
        return value == 0 && hasSignificantDigit(text) ? nil : value
    }

    private static func hasSignificantDigit(_ text: Span<UInt8>) -> Bool {
        for index in text.indices {
            if text[index] | 0x20 == UInt8(ascii: "e") { return false }
            if UInt8(ascii: "1")...UInt8(ascii: "9") ~= text[index] { return true }
        }
        return false
    }

    /// Parses the whole of `text` as a number, rounded to nearest with ties to even. Returns `nil`
    /// if it does not match the grammar.
    ///
    /// Numbers that are too large become infinity, and numbers that are too small become zero.
    package static func parse(_ text: Span<UInt8>) -> Double? {
        guard let literal = RealLiteral(text) else { return nil }
        let magnitude = literal.magnitude(text)
        return literal.negative ? -magnitude : magnitude
    }
}

extension RealText {
    /// Parses the number at `start`, and returns it with its end.
    ///
    /// The number has at most 19 digits, optionally with a minus sign and a point. Returns nil for
    /// another form, and if a 128-bit product cannot determine the rounding. May also return nil if
    /// fewer than eight bytes follow the number.
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

    /// Parses the name of an infinity or NaN, in upper or lower case, or returns nil.
    static func parseSpecial(_ text: Span<UInt8>) -> Double? {
        guard text.count <= 9 else { return nil }
        let name = String(
            decoding: text.indices.map { index in
                (0x41...0x5A).contains(text[index]) ? text[index] | 0x20 : text[index]
            }, as: UTF8.self)
        switch name {
        case "nan": return .nan
        case "inf", "+inf", "infinity", "+infinity": return .infinity
        case "-inf", "-infinity": return -.infinity
        default: return nil
        }
    }
}

extension Double {
    /// A Boolean value that is true for a NaN whose bits the text `nan` does not preserve.
    var isUnusualNaN: Bool { isNaN && bitPattern != Double.nan.bitPattern }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Dates in ISO 8601, with enough fractional digits to parse as the same `Double`:
/// `2026-11-21T09:40:00.123456Z`.
///
/// The fractional digits come from the shortest decimal text of the seconds since 2001. For a date
/// before 2001, the fraction is 1 minus the fraction of those seconds, which is exact in decimal.
enum DateText {
    private static let mostDigits = 18

    /// Appends a date, or nothing if its text does not parse as the same seconds. That applies to
    /// dates outside the range of the calendar, to some dates within a hundredth of a second of
    /// 2001, and to −0.0.
    ///
    /// - Returns: false if nothing was appended.
    static func append(secondsSince2001 seconds: Double, to output: inout [UInt8]) -> Bool {
        guard let civil = CivilDate(secondsSince2001: seconds) else { return false }
        let start = output.count
        civil.append(to: &output)
        if PropertyListDate.fraction(of: seconds) != 0 {
            output.removeLast()
            appendFraction(of: seconds, to: &output)
            output.append(UInt8(ascii: "Z"))
        }
        let back = parse(output.span.extracting(start...))
        if back?.bitPattern == seconds.bitPattern { return true }
        output.removeSubrange(start...)
        return false
    }

    private static func appendFraction(of seconds: Double, to output: inout [UInt8]) {
        var text: [UInt8] = []
        RealText.append(seconds.magnitude, style: .shortest, to: &text)
        let digits = text.drop { $0 != UInt8(ascii: ".") }.dropFirst()
        guard let fraction = Fraction(digits) else { return }
        output.append(UInt8(ascii: "."))
        output += seconds < 0 ? fraction.complement.text : fraction.text
    }

    /// Parses a date with or without a fraction, and returns its seconds since 2001, or nil.
    /// Linear.
    static func parse(_ text: Span<UInt8>) -> Double? {
        let point = UInt8(ascii: ".")
        guard let place = text.firstIndex(of: point, or: point, in: 0..<text.count) else {
            return CivilDate.parse(text, lenient: false)
        }
        guard text[text.count - 1] == UInt8(ascii: "Z") else { return nil }
        let civil = (0..<place).map { text[$0] } + [UInt8(ascii: "Z")]
        let digits = (place + 1..<max(text.count - 1, place + 1)).map { text[$0] }
        guard let whole = CivilDate.parse(civil.span, lenient: false), whole.magnitude < 0x1p53,
            let fraction = Fraction(digits[...])
        else { return nil }
        return fraction.added(to: Int64(whole))
    }

    /// The decimal digits after the point.
    private struct Fraction {
        let value: UInt64
        let count: Int

        init(value: UInt64, count: Int) {
            self.value = value
            self.count = count
        }

        /// Parses up to 18 digits. Returns nil for any other text.
        init?(_ digits: ArraySlice<UInt8>) {
            guard !digits.isEmpty, digits.count <= mostDigits,
                digits.allSatisfy({ $0 &- 0x30 < 10 })
            else { return nil }
            value = digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- 0x30) }
            count = digits.count
        }

        /// The distance to the next whole number.
        var complement: Fraction {
            let whole = (0..<count).reduce(UInt64(1)) { power, _ in power &* 10 }
            return Fraction(value: value == 0 ? 0 : whole &- value, count: count)
        }

        /// All digits, including leading zeros.
        var text: [UInt8] {
            let digits = Array(String(value).utf8)
            return [UInt8](repeating: 0x30, count: max(count - digits.count, 0)) + digits
        }

        /// Returns the `Double` nearest to the sum.
        func added(to whole: Int64) -> Double? {
            if value == 0 { return Double(whole) }
            let isBelow = whole < 0
            let magnitude = whole.magnitude &- (isBelow ? 1 : 0)
            var text = Array((isBelow ? "-" : "").utf8)
            text += Array("\(magnitude).".utf8) + (isBelow ? complement.text : self.text)
            return RealText.parse(text.span)
        }
    }
}

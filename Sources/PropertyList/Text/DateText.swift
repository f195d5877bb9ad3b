// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Dates as ISO 8601 with as many digits of a second as it takes to read the same `Double` again:
/// `2026-11-21T09:40:00.123456Z`.
///
/// The fraction of the shortest decimal text of the seconds since 2001 is that of the date; of a date
/// before 2001 it is what is missing to the next second. Both are exact in decimal.
enum DateText {
    private static let mostDigits = 18

    /// Appends a date, or nothing where no text gives the same seconds again: beyond the calendar's
    /// range, within microseconds of 2001, for −0.0.
    ///
    /// - Returns: whether there is a text.
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

    /// The seconds since 2001 of a date with or without a fraction, or nil. Linear.
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

    /// Decimal digits after the point.
    private struct Fraction {
        let value: UInt64
        let count: Int

        init(value: UInt64, count: Int) {
            self.value = value
            self.count = count
        }

        /// Up to 18 digits, or nil.
        init?(_ digits: ArraySlice<UInt8>) {
            guard !digits.isEmpty, digits.count <= mostDigits,
                digits.allSatisfy({ $0 &- 0x30 < 10 })
            else { return nil }
            value = digits.reduce(0) { $0 &* 10 &+ UInt64($1 &- 0x30) }
            count = digits.count
        }

        /// The difference to the next whole number.
        var complement: Fraction {
            let whole = (0..<count).reduce(UInt64(1)) { power, _ in power &* 10 }
            return Fraction(value: value == 0 ? 0 : whole &- value, count: count)
        }

        /// All digits, leading zeros included.
        var text: [UInt8] {
            let digits = Array(String(value).utf8)
            return [UInt8](repeating: 0x30, count: max(count - digits.count, 0)) + digits
        }

        /// The nearest `Double` to the sum.
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

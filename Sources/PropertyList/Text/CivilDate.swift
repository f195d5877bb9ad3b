// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A date and time in UTC in the proleptic Gregorian calendar, as XML property lists spell it.
///
/// Grammar, a subset of ISO 8601 with years of any length:
///
///     date = [ "-" ] digit+ "-" MM "-" DD "T" hh ":" mm ":" ss "Z"
///
/// Apple's writer prints the year with C's `%04d`: a year of fewer than four characters, the minus
/// sign included, is filled up with zeros. Year 0 is the year before year 1. There are no leap
/// seconds: every day has 86400 seconds.
package struct CivilDate: Equatable, Sendable {
    /// The year, within ±`yearLimit`.
    package let year: Int64

    /// The month, 1 through 12.
    package let month: Int64

    /// The day of the month, from 1.
    package let day: Int64

    /// The second of the day, 0 through 86399.
    private let second: Int64

    /// The greatest year, and the magnitude of the least one.
    ///
    /// Seconds in that range stay below 2^59, which no computation here takes beyond `Int64`.
    static let yearLimit: Int64 = 9_999_999_999

    /// The seconds from 1970-01-01 to 2001-01-01, the epochs of POSIX and of Apple's dates.
    static let secondsFrom1970To2001: Int64 = 978_307_200

    /// The days from 0000-03-01, where the computations start, to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791

    /// The days in 400 years, after which the calendar repeats itself.
    private static let daysPerEra: Int64 = 146_097

    /// The seconds in a day.
    private static let secondsPerDay: Int64 = 86_400

    /// The date of the whole second that the given moment falls in; O(1).
    ///
    /// Fails for NaN, infinities and moments in years beyond ±`yearLimit`.
    package init?(secondsSince2001 seconds: Double) {
        guard let whole = Self.floor(seconds) else { return nil }
        let (days, second) = Self.floorDivide(whole, by: Self.secondsPerDay)
        self.second = second
        // A year is counted from March, so that the leap day is its last.
        let (era, dayOfEra) = Self.floorDivide(days &+ Self.daysTo2001, by: Self.daysPerEra)
        let leapDays = dayOfEra / 1460 &- dayOfEra / 36_524 &+ dayOfEra / 146_096
        let yearOfEra = (dayOfEra &- leapDays) / 365
        let dayOfYear = dayOfEra &- Self.daysBefore(yearOfEra)
        // Months from March on repeat 31, 30, 31, 30, 31: 153 days in five.
        let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
        month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
        year = era &* 400 &+ yearOfEra &+ (month <= 2 ? 1 : 0)
        guard year.magnitude <= Self.yearLimit.magnitude else { return nil }
    }

    /// `seconds` rounded down, or `nil` for NaN and for 2^62 seconds or more either way; O(1).
    ///
    /// Conversion stands in for `rounded()`, which would need the C mathematics library.
    private static func floor(_ seconds: Double) -> Int64? {
        guard seconds.magnitude < 0x1p62 else { return nil }
        let whole = Int64(seconds)
        return Double(whole) > seconds ? whole &- 1 : whole
    }

    /// Appends the date as `YYYY-MM-DDThh:mm:ssZ`; O(1).
    package func append(to output: inout [UInt8]) {
        // Eleven characters for the longest year and sixteen for the rest.
        output.append(addingCapacity: 27) { bytes in
            appendYear(to: &bytes)
            Self.append(0x2D, month, to: &bytes)
            Self.append(0x2D, day, to: &bytes)
            Self.append(0x54, second / 3600, to: &bytes)
            Self.append(0x3A, second / 60 % 60, to: &bytes)
            Self.append(0x3A, second % 60, to: &bytes)
            bytes.append(0x5A)
        }
    }

    /// Appends the year as C's `%04d` does; O(1).
    private func appendYear(to output: inout OutputSpan<UInt8>) {
        let magnitude = year.magnitude
        if year < 0 { output.append(0x2D) }
        if year >= 0, magnitude < 1000 { output.append(0x30) }
        if magnitude < 100 { output.append(0x30) }
        if magnitude < 10 { output.append(0x30) }
        IntegerText.appendDecimal(magnitude, to: &output)
    }

    /// Appends a separator and a number below 100 in two digits; O(1).
    private static func append(
        _ separator: UInt8,
        _ field: Int64,
        to output: inout OutputSpan<UInt8>
    ) {
        output.append(separator)
        output.append(UInt8(truncatingIfNeeded: field / 10) | 0x30)
        output.append(UInt8(truncatingIfNeeded: field % 10) | 0x30)
    }

    /// The seconds from 2001-01-01T00:00:00Z to the date that the whole of `text` spells; `nil`
    /// for other text and for years beyond ±`yearLimit`; O(n).
    ///
    /// Strictly, every field must be in the range the calendar gives it. Leniently, any two digits
    /// do, and a field's excess is carried into the next, as CoreFoundation does; month 0 is
    /// January there, while day 0 is the day before the first. Dates more than 2^53 seconds away
    /// are rounded as any `Double` is.
    package static func parse(_ text: Span<UInt8>, lenient: Bool) -> Double? {
        guard let (year, end) = parseYear(text), text.count - end == 16 else { return nil }
        let rest = text.extracting(end...)
        guard rest[0] == 0x2D, let month = twoDigits(rest, at: 1),
            rest[3] == 0x2D, let day = twoDigits(rest, at: 4),
            rest[6] == 0x54, let hour = twoDigits(rest, at: 7),
            rest[9] == 0x3A, let minute = twoDigits(rest, at: 10),
            rest[12] == 0x3A, let second = twoDigits(rest, at: 13),
            rest[15] == 0x5A
        else { return nil }
        let valid = isDay(day, of: month, year) && hour < 24 && minute < 60 && second < 60
        guard lenient || valid else { return nil }
        let days = daysSince2001(year: year, month: max(month, 1), day: day)
        return Double(days &* secondsPerDay &+ hour &* 3600 &+ minute &* 60 &+ second)
    }

    /// The year at the start of `text` and where it ends, or `nil`; O(n).
    private static func parseYear(_ text: Span<UInt8>) -> (year: Int64, end: Int)? {
        let negative = text.count > 0 && text[0] == 0x2D
        let start = negative ? 1 : 0
        var index = start
        var year: Int64 = 0
        while index < text.count, text[index] &- 0x30 < 10 {
            year = year &* 10 &+ Int64(text[index] &- 0x30)
            guard year <= yearLimit else { return nil }
            index += 1
        }
        return index == start ? nil : (negative ? 0 &- year : year, index)
    }

    /// The number in the two digits at `index`, or `nil`; O(1).
    private static func twoDigits(_ text: Span<UInt8>, at index: Int) -> Int64? {
        let tens = text[index] &- 0x30
        let ones = text[index + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int64(tens &* 10 &+ ones) : nil
    }

    /// Returns whether the year has such a month and the month such a day; O(1).
    private static func isDay(_ day: Int64, of month: Int64, _ year: Int64) -> Bool {
        guard month >= 1, month <= 12, day >= 1 else { return false }
        let first = daysSince2001(year: year, month: month, day: 1)
        return day <= daysSince2001(year: year, month: month &+ 1, day: 1) &- first
    }

    /// The days from 2001-01-01 to a day; a month past 12 is in the years after; O(1).
    private static func daysSince2001(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Months are counted from March, and January and February belong to the year before.
        let (years, monthFromMarch) = floorDivide(month &- 3, by: 12)
        let (era, yearOfEra) = floorDivide(year &+ years, by: 400)
        let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
        return era &* daysPerEra &+ daysBefore(yearOfEra) &+ dayOfYear &- daysTo2001
    }

    /// The days of a 400-year era before the given of its years, which start in March; O(1).
    private static func daysBefore(_ yearOfEra: Int64) -> Int64 {
        365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100
    }

    /// The quotient rounded down, and the remainder, which is never negative; O(1).
    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient &- 1, remainder &+ divisor) : (quotient, remainder)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A date and time in UTC in the proleptic Gregorian calendar, in the notation of XML property
/// lists.
///
/// Grammar, a subset of ISO 8601 with years of any length:
///
///     date = [ "-" ] digit+ "-" MM "-" DD "T" hh ":" mm ":" ss "Z"
///
/// Apple's writer formats the year with C's `%04d`: it pads years of fewer than four characters,
/// including the minus sign, with zeros. Year 0 is the year before year 1. There are no leap
/// seconds: every day has 86400 seconds.
package struct CivilDate: Equatable, Sendable {
    /// The year, within ±`yearLimit`.
    package let year: Int64

    /// The month, 1 through 12.
    package let month: Int64

    /// The day of the month, from 1.
    package let day: Int64

    /// The second of the day, 0 through 86399.
    private let secondOfDay: Int64

    /// The greatest year, and the magnitude of the least one.
    ///
    /// Seconds in that range stay below 2^59, so no computation here overflows `Int64`.
    static let yearLimit: Int64 = 9_999_999_999

    /// The number of seconds from 1970-01-01 to 2001-01-01, the epochs of POSIX and of Apple's
    /// dates.
    static let secondsFrom1970To2001: Int64 = 978_307_200

    /// The number of days from 0000-03-01, the origin of the computations, to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791

    /// The number of days in 400 years, after which the calendar repeats.
    private static let daysPerEra: Int64 = 146_097

    /// The number of seconds in a day.
    private static let secondsPerDay: Int64 = 86_400

    /// Creates the date of the whole second that contains the given moment.
    ///
    /// Returns nil for NaN, infinities and moments in years beyond ±`yearLimit`.
    package init?(secondsSince2001 seconds: Double) {
        guard let whole = Self.floor(seconds) else { return nil }
        let (days, second) = Self.floorDivide(whole, by: Self.secondsPerDay)
        secondOfDay = second
        // Years are counted from March, so the leap day is the last day of a year.
        let (era, dayOfEra) = Self.floorDivide(days &+ Self.daysTo2001, by: Self.daysPerEra)
        let leapDays = dayOfEra / 1460 &- dayOfEra / 36_524 &+ dayOfEra / 146_096
        let yearOfEra = (dayOfEra &- leapDays) / 365
        let dayOfYear = dayOfEra &- Self.daysBefore(yearOfEra)
        // From March on, month lengths repeat in the pattern 31, 30, 31, 30, 31: 153 days in five
        // months.
        let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
        month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
        year = era &* 400 &+ yearOfEra &+ (month <= 2 ? 1 : 0)
        guard year.magnitude <= Self.yearLimit.magnitude else { return nil }
    }

    /// Returns `seconds` rounded down, or `nil` for NaN and for magnitudes of 2^62 or more.
    ///
    /// Uses integer conversion, because `rounded()` would need the C mathematics library.
    private static func floor(_ seconds: Double) -> Int64? {
        guard seconds.magnitude < 0x1p62 else { return nil }
        let whole = Int64(seconds)
        return Double(whole) > seconds ? whole &- 1 : whole
    }

    /// Appends the date as `YYYY-MM-DDThh:mm:ssZ`.
    package func append(to output: inout [UInt8]) {
        // Up to eleven characters for the year, plus sixteen for the rest.
        output.append(addingCapacity: 27) { bytes in
            appendYear(to: &bytes)
            Self.append(0x2D, month, to: &bytes)
            Self.append(0x2D, day, to: &bytes)
            Self.append(0x54, secondOfDay / 3600, to: &bytes)
            Self.append(0x3A, secondOfDay / 60 % 60, to: &bytes)
            Self.append(0x3A, secondOfDay % 60, to: &bytes)
            bytes.append(0x5A)
        }
    }

    /// Appends the year in the format of C's `%04d`.
    private func appendYear(to output: inout OutputSpan<UInt8>) {
        let magnitude = year.magnitude
        if year < 0 { output.append(0x2D) }
        if year >= 0, magnitude < 1000 { output.append(0x30) }
        if magnitude < 100 { output.append(0x30) }
        if magnitude < 10 { output.append(0x30) }
        IntegerText.appendDecimal(magnitude, to: &output)
    }

    /// Appends a separator and a two-digit number.
    private static func append(
        _ separator: UInt8,
        _ field: Int64,
        to output: inout OutputSpan<UInt8>
    ) {
        output.append(separator)
        output.append(UInt8(truncatingIfNeeded: field / 10) | 0x30)
        output.append(UInt8(truncatingIfNeeded: field % 10) | 0x30)
    }

    /// Parses the whole of `text` as a date, and returns the seconds from 2001-01-01T00:00:00Z to
    /// it.
    ///
    /// Returns `nil` for other text and for years beyond ±`yearLimit`.
    ///
    /// In strict mode, every field must be in the range of the calendar. In lenient mode, a field
    /// may have any two digits, and excess carries into the next larger field, as in
    /// CoreFoundation. CoreFoundation treats month 0 as January, but day 0 as the day before the
    /// first. Dates more than 2^53 seconds away are rounded to the nearest `Double`.
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

    /// Parses the year at the start of `text`, and returns it with its end, or `nil`.
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

    /// Parses the two digits at `index`, or returns `nil`.
    private static func twoDigits(_ text: Span<UInt8>, at index: Int) -> Int64? {
        let tens = text[index] &- 0x30
        let ones = text[index + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int64(tens &* 10 &+ ones) : nil
    }

    /// Returns whether the month and day exist in the year.
    private static func isDay(_ day: Int64, of month: Int64, _ year: Int64) -> Bool {
        guard month >= 1, month <= 12, day >= 1 else { return false }
        let first = daysSince2001(year: year, month: month, day: 1)
        return day <= daysSince2001(year: year, month: month &+ 1, day: 1) &- first
    }

    /// Returns the days from 2001-01-01 to a day. Months past 12 fall in later years.
    private static func daysSince2001(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Months are counted from March. January and February belong to the previous year.
        let (years, monthFromMarch) = floorDivide(month &- 3, by: 12)
        let (era, yearOfEra) = floorDivide(year &+ years, by: 400)
        let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
        return era &* daysPerEra &+ daysBefore(yearOfEra) &+ dayOfYear &- daysTo2001
    }

    /// Returns the number of days in a 400-year era before one of its years, which start in March.
    private static func daysBefore(_ yearOfEra: Int64) -> Int64 {
        365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100
    }

    /// Returns the quotient rounded down, and the non-negative remainder.
    private static func floorDivide(_ value: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient &- 1, remainder &+ divisor) : (quotient, remainder)
    }
}

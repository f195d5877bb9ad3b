// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSCalendarDate` | `NS.time`: a real as in `NSDate`; `NS.timezone`: an `NSTimeZone`; `NS.format`: a string |
// | `NSDateComponents` | `NS.era`, `NS.year`, … : integers, 2⁶³−1 where undefined; `NS.isLeapMonth`: a boolean; `NS.calendar`, `NS.timezone` |
// | `NSDateInterval` | `NS.startDate`, `NS.endDate`: NSDates; `NS.duration`: a real, seconds |
//
// Source: archives that Apple's software wrote. For the date interval: programs that read such
// archives. For the components: swift-corelibs-foundation alone.

// MARK: - Dates

/// An `NSCalendarDate`: a date with a time zone and a format for its display.
public struct ArchivedCalendarDate: Sendable, Hashable {
    /// The date.
    public var date: Date
    /// The time zone for its display.
    public var timeZone: ArchivedTimeZone?
    /// The format, in the notation of C's `strftime`, such as `%Y-%m-%d`.
    public var format: String?

    /// Creates a date.
    public init(date: Date, timeZone: ArchivedTimeZone? = nil, format: String? = nil) {
        self.date = date
        self.timeZone = timeZone
        self.format = format
    }
}

extension ArchivedCalendarDate: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSCalendarDate", FoundationClass.date)
    }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedTimeZone.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        date.encode(with: coder)
        coder.encode(timeZone, forKey: "NS.timezone")
        coder.encode(format, forKey: "NS.format")
    }

    public init(coder: KeyedDecoder) throws {
        date = try Date(coder: coder)
        timeZone = try coder.decodeObject(forKey: "NS.timezone")
        format = try coder.decodeObject(forKey: "NS.format")
    }
}

extension DateInterval: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSDateInterval" }

    public static func register(in registry: inout ClassRegistry) {
        Date.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(start, forKey: "NS.startDate")
        coder.encode(end, forKey: "NS.endDate")
        coder.encode(duration, forKey: "NS.duration")
    }

    /// Reads the start, and the duration or the end. If the duration and the end are both present,
    /// they must agree to a thousandth of a second, or to the precision of the end if it is lower.
    ///
    /// - Throws: `missingValue` without a start, or with neither a duration nor an end;
    ///   `valueOutOfRange` for a duration that is negative or NaN; `malformedObject` if the
    ///   duration and the end disagree.
    public init(coder: KeyedDecoder) throws {
        let start = try coder.decode(Date.self, forKey: "NS.startDate")
        let end = try coder.decodeObject(of: Date.self, forKey: "NS.endDate")
        let length = try coder.decodeObject(of: Double.self, forKey: "NS.duration")
        let spanned = end.map {
            $0.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate
        }
        guard let duration = length ?? spanned else { throw coder.missing("NS.duration") }
        // This rejects NaN too.
        guard duration >= 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected a duration of at least 0 seconds, found \(duration)",
                object: coder.uid)
        }
        let precision = end?.timeIntervalSinceReferenceDate.ulp ?? 0
        if let spanned, !(abs(spanned - duration) <= max(0.001, precision)) {
            throw KeyedArchiveError(
                .malformedObject,
                what: "expected an `NS.duration` of \(spanned) seconds from `NS.startDate` to "
                    + "`NS.endDate`, found \(duration)", object: coder.uid)
        }
        self.init(start: start, duration: duration)
    }
}

// MARK: - Date components

/// An `NSDateComponents`: some components of a date, or a duration in units such as months.
public struct ArchivedDateComponents: Sendable, Hashable {
    /// The era.
    public var era: Int?
    /// The year, or a number of years.
    public var year: Int?
    /// The quarter, or a number of quarters.
    public var quarter: Int?
    /// The month, or a number of months.
    public var month: Int?
    /// The day of the month, or a number of days.
    public var day: Int?
    /// The hour, or a number of hours.
    public var hour: Int?
    /// The minute, or a number of minutes.
    public var minute: Int?
    /// The second, or a number of seconds.
    public var second: Int?
    /// The nanosecond, or a number of nanoseconds.
    public var nanosecond: Int?
    /// The week of the year, or a number of weeks.
    public var weekOfYear: Int?
    /// The week of the month, or a number of weeks.
    public var weekOfMonth: Int?
    /// The year that the week of the year belongs to.
    public var yearForWeekOfYear: Int?
    /// The day of the week: 1 for Sunday.
    public var weekday: Int?
    /// The ordinal of the weekday in its month, such as 2 for the second Sunday.
    public var weekdayOrdinal: Int?
    /// A Boolean value indicating whether the month is a leap month.
    public var isLeapMonth = false
    /// The calendar of the components.
    public var calendar: ArchivedCalendar?
    /// The time zone.
    public var timeZone: ArchivedTimeZone?

    /// Creates a value without components.
    public init() {}

    private static var keys: [(String, WritableKeyPath<Self, Int?>)] {
        [
            ("NS.era", \.era), ("NS.year", \.year), ("NS.quarter", \.quarter),
            ("NS.month", \.month), ("NS.day", \.day), ("NS.hour", \.hour),
            ("NS.minute", \.minute), ("NS.second", \.second), ("NS.nanosec", \.nanosecond),
            ("NS.weekOfYear", \.weekOfYear), ("NS.weekOfMonth", \.weekOfMonth),
            ("NS.yearForWOY", \.yearForWeekOfYear), ("NS.weekday", \.weekday),
            ("NS.weekdayOrdinal", \.weekdayOrdinal),
        ]
    }
    /// The archived value of an undefined component: `NSDateComponentUndefined` of 64-bit systems.
    private static let undefined = Int64.max
}

extension ArchivedDateComponents: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSDateComponents" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedCalendar.register(in: &registry)
        registry.add(Self.self)
    }

    /// Writes all keys, because some readers treat a missing component as 0.
    public func encode(with coder: KeyedEncoder) {
        for (key, part) in Self.keys {
            if let value = self[keyPath: part] {
                coder.encode(value, forKey: key)
            } else {
                coder.encode(Self.undefined, forKey: key)
            }
        }
        coder.encode(isLeapMonth, forKey: "NS.isLeapMonth")
        coder.encode(calendar, forKey: "NS.calendar")
        coder.encode(timeZone, forKey: "NS.timezone")
    }

    public init(coder: KeyedDecoder) throws {
        for (key, part) in Self.keys {
            let value = try coder.decodeObject(of: Int64.self, forKey: key)
            if value == Self.undefined { continue }
            self[keyPath: part] = try coder.decodeObject(of: Int.self, forKey: key)
        }
        isLeapMonth = try coder.decode(forKey: "NS.isLeapMonth", default: false)
        calendar = try coder.decodeObject(forKey: "NS.calendar")
        timeZone = try coder.decodeObject(forKey: "NS.timezone")
    }
}

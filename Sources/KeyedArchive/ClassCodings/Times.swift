// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PropertyList

// | class | fields |
// |---|---|
// | `NSTimeZone` | `NS.name`: a string; `NS.data`: an `NSMutableData` with a TZif file, nil for zones like `GMT+0100` |
// | `NSLocale` | `NS.identifier`: a string, which may be empty |
// | `NSCalendar` | `NS.identifier`: a string; `NS.locale`: an `NSLocale`; `NS.timezone`: an `NSTimeZone`; `NS.firstwkdy`, `NS.mindays`: integers; `NS.gstartdate`: an `NSDate` |
// | `NSCalendarDate` | `NS.time`: a real as of `NSDate`; `NS.timezone`: an `NSTimeZone`; `NS.format`: a string |
// | `NSDateComponents` | `NS.era`, `NS.year`, … : integers, 2⁶³−1 where undefined; `NS.isLeapMonth`: a boolean; `NS.calendar`, `NS.timezone` |
// | `NSDateInterval` | `NS.startDate`, `NS.endDate`: NSDates; `NS.duration`: a real, seconds |
//
// Source: archives that Apple's software wrote; for the date interval programs that read such archives;
// for the components swift-corelibs-foundation alone.

// MARK: - Time zones

/// An `NSTimeZone`: a name and the rules that came with it. Nothing is looked up on this system.
public struct ArchivedTimeZone: Sendable, Hashable {
    /// The name, such as `Europe/Paris` or `GMT+0100`.
    public let name: String
    /// The rules, as a TZif file; nil where the archive has none.
    public let data: Data?
    private var origin = Origin()

    /// Creates a time zone.
    public init(name: String, data: Data? = nil) {
        self.name = name
        self.data = data
    }

    /// How many seconds the zone is ahead of GMT, if its name says so: `GMT`, `UTC`, `GMT+0100`,
    /// `GMT-0330`.
    public var secondsFromGMT: Int? {
        let text = Array(name.utf8)
        guard text.starts(with: "GMT".utf8) || text.starts(with: "UTC".utf8) else { return nil }
        if text.count == 3 { return 0 }
        let digits = text.dropFirst(4).map { Int($0) - 0x30 }
        guard digits.count == 4, digits.allSatisfy((0...9).contains) else { return nil }
        let (hours, minutes) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard hours < 24, minutes < 60 else { return nil }
        switch text[3] {
        case UInt8(ascii: "+"): return hours * 3600 + minutes * 60
        case UInt8(ascii: "-"): return -hours * 3600 - minutes * 60
        default: return nil
        }
    }
}

extension ArchivedTimeZone: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSTimeZone" }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<Data>.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) throws {
        try coder.encode(name, forKey: "NS.name")
        try coder.encode(data.map { Mutable($0) }, forKey: "NS.data")
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass.name) { try writer.object(self) }
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "NS.name")
        data = try coder.decodeObject(forKey: "NS.data")
    }

    public static func unarchive(_ reference: KeyedReference) throws -> ArchivedTimeZone {
        var zone = try reference.object(as: ArchivedTimeZone.self)
        zone.origin = Origin(reference)
        return zone
    }
}

// MARK: - Locales

/// An `NSLocale`: an identifier. Nothing is looked up on this system.
public struct ArchivedLocale: Sendable, Hashable {
    /// The identifier, such as `ja-JP`; empty for the one without customs.
    public let identifier: String
    private var origin = Origin()

    /// Creates a locale.
    public init(identifier: String) { self.identifier = identifier }
}

extension ArchivedLocale: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSLocale" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) throws {
        try coder.encode(identifier, forKey: "NS.identifier")
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass.name) { try writer.object(self) }
    }

    public init(coder: KeyedDecoder) throws {
        identifier = try coder.decode(forKey: "NS.identifier")
    }

    public static func unarchive(_ reference: KeyedReference) throws -> ArchivedLocale {
        var locale = try reference.object(as: ArchivedLocale.self)
        locale.origin = Origin(reference)
        return locale
    }
}

// MARK: - Calendars

/// An `NSCalendar`: which calendar it is, and its settings. Nothing is looked up on this system.
public struct ArchivedCalendar: Sendable, Hashable {
    /// The identifier, such as `gregorian`.
    public let identifier: String
    /// The locale.
    public let locale: ArchivedLocale?
    /// The time zone.
    public let timeZone: ArchivedTimeZone?
    /// The first day of the week: 1 for Sunday.
    public let firstWeekday: Int?
    /// How many days the first week of a year or a month has at least.
    public let minimumDaysInFirstWeek: Int?
    /// When the Gregorian calendar begins; absent from other calendars.
    public let gregorianStartDate: Date?
    private var origin = Origin()

    /// Creates a calendar; fields that are nil are not written, but for the two objects.
    public init(
        identifier: String, locale: ArchivedLocale? = nil, timeZone: ArchivedTimeZone? = nil,
        firstWeekday: Int? = nil, minimumDaysInFirstWeek: Int? = nil,
        gregorianStartDate: Date? = nil
    ) {
        self.identifier = identifier
        self.locale = locale
        self.timeZone = timeZone
        self.firstWeekday = firstWeekday
        self.minimumDaysInFirstWeek = minimumDaysInFirstWeek
        self.gregorianStartDate = gregorianStartDate
    }
}

extension ArchivedCalendar: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSCalendar" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedLocale.register(in: &registry)
        ArchivedTimeZone.register(in: &registry)
        Date.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) throws {
        try coder.encode(identifier, forKey: "NS.identifier")
        try coder.encode(locale, forKey: "NS.locale")
        try coder.encode(timeZone, forKey: "NS.timezone")
        if let firstWeekday { coder.encode(firstWeekday, forKey: "NS.firstwkdy") }
        if let minimumDaysInFirstWeek {
            coder.encode(minimumDaysInFirstWeek, forKey: "NS.mindays")
        }
        if let gregorianStartDate { try coder.encode(gregorianStartDate, forKey: "NS.gstartdate") }
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass.name) { try writer.object(self) }
    }

    public init(coder: KeyedDecoder) throws {
        identifier = try coder.decode(forKey: "NS.identifier")
        locale = try coder.decodeObject(forKey: "NS.locale")
        timeZone = try coder.decodeObject(forKey: "NS.timezone")
        firstWeekday = try coder.decodeObject(forKey: "NS.firstwkdy")
        minimumDaysInFirstWeek = try coder.decodeObject(forKey: "NS.mindays")
        gregorianStartDate = try coder.decodeObject(forKey: "NS.gstartdate")
    }

    public static func unarchive(_ reference: KeyedReference) throws -> ArchivedCalendar {
        var calendar = try reference.object(as: ArchivedCalendar.self)
        calendar.origin = Origin(reference)
        return calendar
    }
}

// MARK: - Dates

/// An `NSCalendarDate`: a date that knows how it is to be shown.
public struct ArchivedCalendarDate: Sendable, Hashable {
    /// The date.
    public var date: Date
    /// The time zone it is shown in.
    public var timeZone: ArchivedTimeZone?
    /// The format, in the letters of C's `strftime`, such as `%Y-%m-%d`.
    public var format: String?

    /// Creates a date.
    public init(date: Date, timeZone: ArchivedTimeZone? = nil, format: String? = nil) {
        self.date = date
        self.timeZone = timeZone
        self.format = format
    }
}

extension ArchivedCalendarDate: KeyedCodable {
    public static var archivedClass: ArchivedClass { ArchivedClass("NSCalendarDate", "NSDate") }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedTimeZone.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) throws {
        try date.encode(with: coder)
        try coder.encode(timeZone, forKey: "NS.timezone")
        try coder.encode(format, forKey: "NS.format")
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

    public func encode(with coder: KeyedEncoder) throws {
        try coder.encode(start, forKey: "NS.startDate")
        try coder.encode(end, forKey: "NS.endDate")
        coder.encode(duration, forKey: "NS.duration")
    }

    /// Reads the start with the duration or the end, or all three, which then must agree to a
    /// thousandth of a second.
    public init(coder: KeyedDecoder) throws {
        let start = try coder.decode(Date.self, forKey: "NS.startDate")
        let end = try coder.decodeObject(of: Date.self, forKey: "NS.endDate")
        let length = try coder.decodeObject(of: Double.self, forKey: "NS.duration")
        let spanned = end.map {
            $0.timeIntervalSinceReferenceDate - start.timeIntervalSinceReferenceDate
        }
        guard let duration = length ?? spanned else { throw coder.missing("NS.duration") }
        // Not a number is neither.
        guard duration >= 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "a date interval has a negative duration",
                object: coder.uid)
        }
        if let spanned, !(abs(spanned - duration) <= 0.001) {
            throw KeyedArchiveError(
                .malformedObject,
                what: "`NS.endDate` is not `NS.duration` after `NS.startDate`", object: coder.uid)
        }
        self.init(start: start, duration: duration)
    }
}

// MARK: - Date components

/// An `NSDateComponents`: some of the parts of a date, or lengths of time in such parts.
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
    /// The year that the week belongs to.
    public var yearForWeekOfYear: Int?
    /// The day of the week: 1 for Sunday.
    public var weekday: Int?
    /// Which of the month's days of that name it is.
    public var weekdayOrdinal: Int?
    /// Whether the month is a leap month.
    public var isLeapMonth = false
    /// The calendar that the parts are of.
    public var calendar: ArchivedCalendar?
    /// The time zone.
    public var timeZone: ArchivedTimeZone?

    /// No parts.
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
    /// Stands for a part that is not defined: `NSDateComponentUndefined`.
    private static let undefined = Int.max
}

extension ArchivedDateComponents: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSDateComponents" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedCalendar.register(in: &registry)
        registry.add(Self.self)
    }

    /// Writes all keys, for what is absent is read as 0 by some.
    public func encode(with coder: KeyedEncoder) throws {
        for (key, part) in Self.keys {
            coder.encode(self[keyPath: part] ?? Self.undefined, forKey: key)
        }
        coder.encode(isLeapMonth, forKey: "NS.isLeapMonth")
        try coder.encode(calendar, forKey: "NS.calendar")
        try coder.encode(timeZone, forKey: "NS.timezone")
    }

    public init(coder: KeyedDecoder) throws {
        for (key, part) in Self.keys {
            let value = try coder.decodeObject(of: Int.self, forKey: key)
            self[keyPath: part] = value == Self.undefined ? nil : value
        }
        isLeapMonth = try coder.decode(forKey: "NS.isLeapMonth", default: false)
        calendar = try coder.decodeObject(forKey: "NS.calendar")
        timeZone = try coder.decodeObject(forKey: "NS.timezone")
    }
}

extension ClassRegistry {
    static let timeClasses = ClassRegistry(
        ArchivedTimeZone.self, ArchivedLocale.self, ArchivedCalendar.self,
        ArchivedCalendarDate.self, ArchivedDateComponents.self, DateInterval.self)
}

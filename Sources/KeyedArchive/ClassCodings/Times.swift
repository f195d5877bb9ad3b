// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSTimeZone` | `NS.name`: a string; `NS.data`: an `NSMutableData` with a TZif file, nil for zones like `GMT+0100` |
// | `NSLocale` | `NS.identifier`: a string, which may be empty |
// | `NSCalendar` | `NS.identifier`: a string; `NS.locale`: an `NSLocale`; `NS.timezone`: an `NSTimeZone`; `NS.firstwkdy`, `NS.mindays`: integers; `NS.gstartdate`: an `NSDate` |
//
// Source: archives that Apple's software wrote.

// MARK: - Time zones

/// An `NSTimeZone`: a name and the rules in the archive. Nothing is looked up on this system.
public struct ArchivedTimeZone: Sendable, Hashable {
    /// The name, such as `Europe/Paris` or `GMT+0100`.
    public let name: String
    /// The rules, as a TZif file; nil if the archive has none.
    public let data: Data?
    private var origin = Origin()

    /// Creates a time zone.
    public init(name: String, data: Data? = nil) {
        self.name = name
        self.data = data
    }

    /// The offset of the zone from GMT in seconds, for names such as `GMT`, `UTC`, `GMT+0100` and
    /// `GMT-0330`; nil for other names.
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

    public func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "NS.name")
        coder.encode(data.map { Mutable($0) }, forKey: FoundationField.data)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass, of: Self.self) {
            try writer.writeObject(self)
        }
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "NS.name")
        data = try coder.decodeObject(forKey: FoundationField.data)
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
    /// The identifier, such as `ja-JP`; empty for the root locale.
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

    public func encode(with coder: KeyedEncoder) {
        coder.encode(identifier, forKey: "NS.identifier")
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass, of: Self.self) {
            try writer.writeObject(self)
        }
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

/// An `NSCalendar`: an identifier and settings. Nothing is looked up on this system.
public struct ArchivedCalendar: Sendable, Hashable {
    /// The identifier, such as `gregorian`.
    public let identifier: String
    /// The locale.
    public let locale: ArchivedLocale?
    /// The time zone.
    public let timeZone: ArchivedTimeZone?
    /// The first day of the week: 1 for Sunday.
    public let firstWeekday: Int?
    /// The minimum number of days in the first week of a year or a month.
    public let minimumDaysInFirstWeek: Int?
    /// The start of the Gregorian calendar; nil for other calendars.
    public let gregorianStartDate: Date?
    private var origin = Origin()

    /// Creates a calendar. Fields that are nil are not written, except the locale and the time
    /// zone.
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

    public func encode(with coder: KeyedEncoder) {
        coder.encode(identifier, forKey: "NS.identifier")
        coder.encode(locale, forKey: "NS.locale")
        coder.encode(timeZone, forKey: "NS.timezone")
        if let firstWeekday { coder.encode(firstWeekday, forKey: "NS.firstwkdy") }
        if let minimumDaysInFirstWeek {
            coder.encode(minimumDaysInFirstWeek, forKey: "NS.mindays")
        }
        if let gregorianStartDate { coder.encode(gregorianStartDate, forKey: "NS.gstartdate") }
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        try origin.once(in: writer, as: Self.archivedClass, of: Self.self) {
            try writer.writeObject(self)
        }
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

extension ClassRegistry {
    static let timeClasses = ClassRegistry(
        ArchivedTimeZone.self, ArchivedLocale.self, ArchivedCalendar.self,
        ArchivedCalendarDate.self, ArchivedDateComponents.self, DateInterval.self)
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("NSTimeZone, NSLocale, NSCalendar and date classes")
struct TimeTests {
    static let zone = Archives.describe("NSTimeZone")
    static let locale = Archives.describe("NSLocale")
    static let calendar = Archives.describe("NSCalendar")
    static let date = Archives.describe("NSDate")
    static let mutableData = Archives.describe("NSMutableData", "NSData")

    @Test("time zones round-trip, with and without rules")
    func timeZones() throws {
        let fixed = try roundTrip(
            ArchivedTimeZone.self,
            [["NS.name": .uid(2), "NS.data": .uid(0), "$class": .uid(3)], "GMT+0100", Self.zone])
        #expect(fixed == ArchivedTimeZone(name: "GMT+0100"))
        let named = try roundTrip(
            ArchivedTimeZone.self,
            [
                ["NS.name": .uid(2), "NS.data": .uid(3), "$class": .uid(5)], "Europe/Prague",
                ["NS.data": .data(Array("TZif".utf8)), "$class": .uid(4)], Self.mutableData,
                Self.zone,
            ])
        #expect(named.name == "Europe/Prague" && named.data == Data("TZif".utf8))
        // swift-corelibs-foundation stores plain data here.
        let plain = try KeyedUnarchiver.unarchive(
            ArchivedTimeZone.self,
            from: Archives.make([
                ["NS.name": .uid(2), "NS.data": .uid(3), "$class": .uid(4)], "Europe/Prague",
                .data(Array("TZif".utf8)), Self.zone,
            ]))
        #expect(plain == named)
    }

    @Test("the names of some time zones give their offset from GMT")
    func offsets() {
        let offsets: [(String, Int?)] = [
            ("GMT", 0), ("UTC", 0), ("GMT+0100", 3600), ("GMT-0330", -12_600),
            ("GMT+2359", 86_340), ("GMT+2400", nil), ("GMT+0060", nil), ("GMT+01", nil),
            ("GMT*0100", nil), ("GMT+01000", nil), ("GMT+01é", nil), ("", nil), ("GM", nil),
            ("Europe/Prague", nil), ("GMTx", nil),
        ]
        for (name, seconds) in offsets {
            #expect(ArchivedTimeZone(name: name).secondsFromGMT == seconds, "\(name)")
        }
    }

    @Test("time zones without a valid name and locales without a valid identifier are refused")
    func hostileZones() {
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedTimeZone.self, fields, Self.zone, "name")
        }
        #expect(code(["NS.data": .uid(0)]) == .missingValue)
        #expect(code(["NS.name": .uid(0)]) == .missingValue)
        #expect(code(["NS.name": 7]) == .wrongType)
        #expect(code(["NS.name": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.name": .uid(3), "NS.data": .uid(3)]) == .wrongType)
        #expect(code(["NS.name": .uid(3)]) == nil)
        #expect(refusal(ArchivedLocale.self, [:], Self.locale) == .missingValue)
        #expect(
            refusal(ArchivedLocale.self, ["NS.identifier": true], Self.locale) == .wrongType)
    }

    @Test("a calendar round-trips with its settings")
    func calendars() throws {
        let calendar = try roundTrip(
            ArchivedCalendar.self,
            [
                [
                    "NS.identifier": .uid(2), "NS.locale": .uid(3), "NS.timezone": .uid(6),
                    "NS.gstartdate": .uid(9), "NS.firstwkdy": 2, "NS.mindays": 4,
                    "$class": .uid(11),
                ], "gregorian", ["NS.identifier": .uid(4), "$class": .uid(5)], "ja-JP",
                Self.locale, ["NS.name": .uid(7), "NS.data": .uid(0), "$class": .uid(8)], "GMT",
                Self.zone, ["NS.time": -13_197_600_000.0, "$class": .uid(10)], Self.date,
                Self.calendar,
            ])
        let expected = ArchivedCalendar(
            identifier: "gregorian", locale: ArchivedLocale(identifier: "ja-JP"),
            timeZone: ArchivedTimeZone(name: "GMT"), firstWeekday: 2, minimumDaysInFirstWeek: 4,
            gregorianStartDate: Date(timeIntervalSinceReferenceDate: -13_197_600_000))
        #expect(calendar == expected)
        let bare = try roundTrip(
            ArchivedCalendar.self,
            [
                [
                    "NS.identifier": .uid(2), "NS.locale": .uid(0), "NS.timezone": .uid(0),
                    "$class": .uid(3),
                ], "buddhist", Self.calendar,
            ])
        #expect(bare == ArchivedCalendar(identifier: "buddhist"))
    }

    @Test("a calendar with fields of the wrong type is refused")
    func hostileCalendars() {
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(
                ArchivedCalendar.self, ["NS.identifier": .uid(3)], changing: fields,
                Self.calendar, "gregorian")
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.identifier": .uid(0)]) == .missingValue)
        #expect(code(["NS.locale": .uid(3)]) == .wrongType)
        #expect(code(["NS.locale": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.timezone": 7]) == .wrongType)
        #expect(code(["NS.firstwkdy": "1"]) == .wrongType)
        #expect(code(["NS.mindays": 1.5]) == .valueOutOfRange)
        #expect(code(["NS.gstartdate": .uid(3)]) == .wrongType)
    }

    @Test("objects that several others share are written once")
    func sharing() throws {
        let pair: PropertyListDictionary = [
            "NS.identifier": .uid(3), "NS.locale": .uid(0), "NS.timezone": .uid(4),
            "$class": .uid(7),
        ]
        let calendars = try roundTrip(
            [ArchivedCalendar].self,
            [
                [
                    "NS.objects": [.uid(2), .uid(8), .uid(2)],
                    "$class": .uid(9),
                ],
                .dictionary(pair), "gregorian",
                ["NS.name": .uid(5), "NS.data": .uid(0), "$class": .uid(6)], "GMT", Self.zone,
                Self.calendar, .dictionary(pair), Archives.describe("NSArray"),
            ])
        #expect(calendars.count == 3 && Set(calendars).count == 1)
    }

    static let calendarDate = Archives.describe("NSCalendarDate", "NSDate")

    @Test("a calendar date round-trips with its zone and format")
    func calendarDates() throws {
        let date = try roundTrip(
            ArchivedCalendarDate.self,
            [
                [
                    "NS.time": 205_495_200.0, "NS.timezone": .uid(2), "NS.format": .uid(5),
                    "$class": .uid(6),
                ], ["NS.name": .uid(3), "NS.data": .uid(0), "$class": .uid(4)], "GMT", Self.zone,
                "%Y", Self.calendarDate,
            ])
        #expect(date.date == Date(timeIntervalSinceReferenceDate: 205_495_200))
        #expect(date.timeZone?.name == "GMT" && date.format == "%Y")
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedCalendarDate.self, fields, Self.calendarDate, "%Y")
        }
        #expect(code([:]) == .missingValue)
        #expect(code(["NS.time": 1]) == nil)
        #expect(code(["NS.time": "1"]) == .wrongType)
        #expect(code(["NS.time": 1, "NS.timezone": .uid(3)]) == .wrongType)
        #expect(code(["NS.time": 1, "NS.format": 5]) == .wrongType)
    }

    static let interval = Archives.describe("NSDateInterval")

    static func interval(_ start: Double, _ end: Double?, _ duration: Double?)
        -> [PropertyListValue]
    {
        var fields: PropertyListDictionary = ["NS.startDate": .uid(2), "$class": .uid(5)]
        if end != nil { fields["NS.endDate"] = .uid(4) }
        if let duration { fields["NS.duration"] = PropertyListValue(duration) }
        return [
            .dictionary(fields), ["NS.time": PropertyListValue(start), "$class": .uid(3)], date,
            ["NS.time": PropertyListValue(end ?? 0), "$class": .uid(3)], interval,
        ]
    }

    @Test("date intervals round-trip, and are read with only an end or only a duration")
    func intervals() throws {
        let value = try roundTrip(DateInterval.self, Self.interval(1, 3.5, 2.5))
        #expect(value.start.timeIntervalSinceReferenceDate == 1 && value.duration == 2.5)
        _ = try roundTrip(DateInterval.self, Self.interval(7, 7, 0))
        for objects in [Self.interval(1, 3.5, nil), Self.interval(1, nil, 2.5)] {
            #expect(
                try KeyedUnarchiver.unarchive(DateInterval.self, from: Archives.make(objects))
                    == value)
        }
    }

    @Test("date intervals round-trip even if their end is too far away to be precise")
    func farIntervals() throws {
        for start in [1e14, 1e18] {
            let interval = DateInterval(
                start: Date(timeIntervalSinceReferenceDate: start), duration: 0.1)
            let bytes = try KeyedArchiver.archive(interval)
            #expect(try KeyedUnarchiver.unarchive(DateInterval.self, from: bytes) == interval)
        }
    }

    @Test("date intervals that are contradictory or end before they start are refused")
    func hostileIntervals() throws {
        func code(_ start: Double, _ end: Double?, _ duration: Double?)
            -> KeyedArchiveError.Code?
        {
            archiveError {
                try KeyedUnarchiver.unarchive(
                    DateInterval.self, from: Archives.make(Self.interval(start, end, duration)))
            }?.code
        }
        #expect(code(1, nil, nil) == .missingValue)
        #expect(code(1, 0, nil) == .valueOutOfRange)
        #expect(code(1, nil, -1) == .valueOutOfRange)
        #expect(code(1, nil, .nan) == .valueOutOfRange)
        #expect(code(.nan, 1, nil) == .valueOutOfRange)
        #expect(code(.infinity, .infinity, nil) == .valueOutOfRange)
        #expect(code(1, 2, 3) == .malformedObject)
        #expect(code(1e14, 1e14 + 1, 2) == .malformedObject)
        #expect(code(1, .nan, 3) == .malformedObject)
        #expect(code(1, nil, .infinity) == nil)
        #expect(refusal(DateInterval.self, ["NS.duration": 1], Self.interval) == .missingValue)
        #expect(
            refusal(DateInterval.self, ["NS.startDate": "now"], Self.interval) == .wrongType)
    }

    static let components = Archives.describe("NSDateComponents")

    @Test("date components round-trip, and undefined components are nil")
    func dateComponents() throws {
        let undefined = PropertyListValue(Int.max)
        let components = try roundTrip(
            ArchivedDateComponents.self,
            [
                [
                    "NS.era": 1, "NS.year": 2024, "NS.quarter": undefined, "NS.month": -3,
                    "NS.day": 0, "NS.hour": undefined, "NS.minute": undefined,
                    "NS.second": undefined, "NS.nanosec": 5, "NS.weekOfYear": undefined,
                    "NS.weekOfMonth": undefined, "NS.yearForWOY": undefined,
                    "NS.weekday": undefined, "NS.weekdayOrdinal": 2, "NS.isLeapMonth": true,
                    "NS.calendar": .uid(2), "NS.timezone": .uid(0), "$class": .uid(5),
                ],
                [
                    "NS.identifier": .uid(3), "NS.locale": .uid(0), "NS.timezone": .uid(0),
                    "$class": .uid(4),
                ], "gregorian", Self.calendar, Self.components,
            ])
        var expected = ArchivedDateComponents()
        (expected.era, expected.year, expected.month, expected.day) = (1, 2024, -3, 0)
        (expected.nanosecond, expected.weekdayOrdinal, expected.isLeapMonth) = (5, 2, true)
        expected.calendar = ArchivedCalendar(identifier: "gregorian")
        #expect(components == expected)
        let few = try KeyedUnarchiver.unarchive(
            ArchivedDateComponents.self,
            from: Archives.make([["NS.year": 1, "$class": .uid(2)], Self.components]))
        #expect(few.year == 1 && few.month == nil && !few.isLeapMonth && few.timeZone == nil)
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedDateComponents.self, fields, Self.components)
        }
        #expect(code(["NS.year": "2024"]) == .wrongType)
        #expect(
            code(["NS.day": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
        #expect(code(["NS.isLeapMonth": 1]) == .wrongType)
        #expect(code(["NS.calendar": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.timezone": 0]) == .wrongType)
    }
}

@Suite(
    "Times in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineTimeTests {
    @Test("calendars of genuine archives are read, with the zones and locales of formatters")
    func calendars() throws {
        let folder = "foundation-tests"
        let calendars = try Specimens.compareParts(
            ArchivedCalendar.self, of: ["NSCalendar"], in: folder)
        #expect(calendars.count == 3)
        for calendar in calendars {
            #expect(calendar.identifier == "gregorian" && calendar.timeZone?.name == "GMT")
            #expect(calendar.timeZone?.data?.count == 118 && calendar.locale != nil)
            #expect(calendar.firstWeekday == 1 && calendar.minimumDaysInFirstWeek == 1)
            #expect(
                calendar.gregorianStartDate
                    == Date(timeIntervalSinceReferenceDate: -13_197_600_000))
        }
        let zones = try Specimens.compareParts(
            ArchivedTimeZone.self, of: ["NSTimeZone"], in: folder)
        #expect(zones.contains(ArchivedTimeZone(name: "GMT+0100")) && zones.count >= 5)
        let locales = try Specimens.compareParts(
            ArchivedLocale.self, of: ["NSLocale"], in: folder)
        #expect(Set(locales.map(\.identifier)) == ["", "ja-JP"])
    }

    @Test("dates, zones and locales of interface files are read")
    func interfaces() throws {
        let dates = try Specimens.compareParts(
            ArchivedCalendarDate.self, of: ["NSCalendarDate"], in: "nib")
        #expect(dates.count >= 5)
        #expect(dates.contains { $0.timeZone?.name == "Europe/Prague" && $0.format != nil })
        let zones = try Specimens.compareParts(
            ArchivedTimeZone.self, of: ["NSTimeZone"], in: "nib")
        #expect(zones.contains { $0.name == "Australia/Sydney" && $0.data != nil })
        let locales = try Specimens.compareParts(
            ArchivedLocale.self, of: ["NSLocale"], in: "nib")
        #expect(locales.count >= 10)
    }
}

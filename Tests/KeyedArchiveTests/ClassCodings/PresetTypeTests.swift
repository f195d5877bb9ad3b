// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The types of the Foundation preset")
struct PresetTypeTests {
    @Test("each type decodes under a registry of that type alone", arguments: values)
    func alone(_ value: LoneValue) throws { #expect(try value.isReadAlone()) }

    @Test("every type has a sample value in this test")
    func complete() {
        let missing = LoneValue.missing(.foundation, in: Self.values).sorted()
        #expect(missing.isEmpty, "add a LoneValue(…) of each to a list in this file: \(missing)")
    }

    private static let values = plain + collections + times + texts + numbers + reports + formatters

    private static let plain = [
        LoneValue("text"), LoneValue(Mutable("text")), LoneValue(Data([1])),
        LoneValue(Mutable(Data([1]))), LoneValue(Date(timeIntervalSinceReferenceDate: 1)),
        LoneValue(ArchivedNumber.integer(5)), LoneValue(ArchivedNull()), LoneValue(UUID()),
        LoneValue(url), LoneValue(IndexPath(indexes: [1, 2, 3])),
        LoneValue(ArchivedIndexSet([1, 3, 5])), LoneValue(Mutable(ArchivedIndexSet([1, 3, 5]))),
        LoneValue(ArchivedValue.point(ArchivedPoint(x: 1, y: 2))),
        LoneValue(ArchivedValue.range(ArchivedRange(location: 3, length: 4))),
        LoneValue(
            ArchivedNSAffineTransform(
                ArchivedAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0))),
    ]

    private static let collections = [
        LoneValue([[], []].map { AnyArchived($0 as [AnyArchived]) }),
        LoneValue(Mutable([AnyArchived]())),
        LoneValue(ArchivedPairs<AnyArchived, AnyArchived>([])),
        LoneValue(Mutable(ArchivedPairs<AnyArchived, AnyArchived>([]))),
        LoneValue(ArchivedSet<AnyArchived>([])), LoneValue(Mutable(ArchivedSet<AnyArchived>([]))),
        LoneValue(ArchivedOrderedSet<AnyArchived>([])),
        LoneValue(Mutable(ArchivedOrderedSet<AnyArchived>([]))),
        LoneValue(ArchivedCountedSet<AnyArchived>([])),
        LoneValue(ArchivedHashTable(options: 5, elements: [])),
    ]

    private static let times = [
        LoneValue(zone), LoneValue(ArchivedLocale(identifier: "de_CH")), LoneValue(calendar),
        LoneValue(ArchivedCalendarDate(date: date, timeZone: zone, format: "%Y")),
        LoneValue(DateInterval(start: date, duration: 5)), LoneValue(components),
    ]

    private static let texts = [
        LoneValue(attributed(.immutable)), LoneValue(attributed(.textStorage)),
        LoneValue(ArchivedAttributedString("text", attributes: ArchivedPairs([]))),
        LoneValue(ArchivedCharacterSet(.members("abc"), isStoredAsObject: true)),
        LoneValue(Mutable(ArchivedCharacterSet(.bitmap(Data([1])), isStoredAsObject: true))),
        LoneValue(ArchivedRegularExpression("a+", options: .caseInsensitive)), LoneValue(match(1)),
        LoneValue(match(9)), LoneValue(URLQueryItem(name: "n", value: "v")),
        LoneValue(ArchivedURLResponse(values: loading)),
        LoneValue(ArchivedURLRequest(values: loading, properties: AnyArchived(dictionary))),
        LoneValue(Mutable(ArchivedURLRequest(values: loading, hasKeys: false))),
    ]

    private static let numbers = [
        LoneValue(Decimal(5)), LoneValue(ArchivedDecimalNumberHandler()), LoneValue(unit),
        LoneValue(ArchivedMeasurement(value: 5, unit: unit)),
        LoneValue(ArchivedUnitConverter.linear(coefficient: 2, constant: 1)),
    ]

    private static let reports = [
        LoneValue(ArchivedError(domain: "domain", code: 7, userInfo: dictionary)),
        LoneValue(ArchivedException(name: "name", reason: "reason", userInfo: dictionary)),
        LoneValue(ArchivedNotification(name: "name", userInfo: dictionary)), LoneValue(person),
    ]

    private static let formatters = [
        LoneValue(ArchivedByteCountFormatter()),
        LoneValue(
            ArchivedISO8601DateFormatter(formatOptions: 3, timeZone: AnyArchived(zone))),
        LoneValue(intervalFormatter), LoneValue(dateFormatter), LoneValue(numberFormatter),
    ]

    // MARK: Parts

    private static var url: URL { URL(string: "https://example.com/a") ?? URL(filePath: "/") }
    private static var date: Date { Date(timeIntervalSinceReferenceDate: 5) }
    private static var zone: ArchivedTimeZone {
        ArchivedTimeZone(name: "Europe/Zurich", data: Data([1]))
    }
    private static var dictionary: ArchivedPairs<AnyArchived, AnyArchived> {
        ArchivedPairs([(AnyArchived("key"), AnyArchived("value"))])
    }
    private static var unit: ArchivedUnit {
        ArchivedUnit(
            "NSUnitLength", symbol: "mi",
            converter: .linear(coefficient: 1609.34, constant: 0), specifier: 1287)
    }

    private static var calendar: ArchivedCalendar {
        ArchivedCalendar(
            identifier: "gregorian", locale: ArchivedLocale(identifier: "de_CH"), timeZone: zone,
            firstWeekday: 1, minimumDaysInFirstWeek: 1, gregorianStartDate: date)
    }

    private static var components: ArchivedDateComponents {
        var components = ArchivedDateComponents()
        components.year = 2001
        components.calendar = calendar
        components.timeZone = zone
        return components
    }

    private static func attributed(_ kind: ArchivedAttributedString.Kind)
        -> ArchivedAttributedString
    {
        ArchivedAttributedString(
            "text", kind: kind,
            dictionaries: [
                AnyArchived(ArchivedPairs<AnyArchived, AnyArchived>([])), .init(dictionary),
            ],
            runs: [.init(length: 1, dictionaryIndex: 0), .init(length: 3, dictionaryIndex: 1)])
    }

    private static func match(_ count: Int) -> ArchivedRegularExpressionMatch {
        let range = ArchivedRange(location: 0, length: 1)
        return ArchivedRegularExpressionMatch(
            range: range, ranges: [ArchivedRange](repeating: range, count: count),
            regularExpression: ArchivedRegularExpression("a", options: []))
    }

    private static var loading: [AnyArchived?] {
        [AnyArchived(url), AnyArchived(5.5), AnyArchived(1), AnyArchived("text/plain"), nil]
    }

    private static var person: ArchivedPersonNameComponents {
        var components = ArchivedPersonNameComponents()
        components.name.givenName = "Anna"
        components.phoneticRepresentation = components.name
        return components
    }

    private static var intervalFormatter: ArchivedDateIntervalFormatter {
        var formatter = ArchivedDateIntervalFormatter(dateStyle: 3, timeStyle: 0)
        formatter.dateTemplate = "yy"
        formatter.locale = AnyArchived(ArchivedLocale(identifier: "de_CH"))
        formatter.calendar = AnyArchived(calendar)
        formatter.timeZone = AnyArchived(zone)
        return formatter
    }

    private static var dateFormatter: ArchivedDateFormatter {
        var formatter = ArchivedDateFormatter(format: "yy")
        formatter.attributes = AnyArchived(Mutable(dictionary))
        return formatter
    }

    private static var numberFormatter: ArchivedNumberFormatter {
        var formatter = ArchivedNumberFormatter()
        formatter.attributes = AnyArchived(dictionary)
        formatter.positiveFormat = "0"
        formatter.zero = AnyArchived(attributed(.immutable))
        formatter.maximum = AnyArchived(Decimal(5))
        formatter.minimum = AnyArchived(0)
        formatter.rounding = AnyArchived(ArchivedDecimalNumberHandler())
        return formatter
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Formatters")
struct FormatterTests {
    private static func describe(_ name: String) -> PropertyListValue {
        Archives.describe(name, "NSFormatter")
    }

    // MARK: Byte counts

    @Test("byte count formatters are written with only the fields that differ from the default")
    func byteCounts() throws {
        let plain: [PropertyListValue] = [
            ["$class": .uid(2)], Self.describe("NSByteCountFormatter"),
        ]
        #expect(try read(ArchivedByteCountFormatter.self, plain) == ArchivedByteCountFormatter())
        #expect(try written(ArchivedByteCountFormatter()) == plain)
        let full: [PropertyListValue] = [
            [
                "NSUnits": 3, "NSKBSize": 2, "NSFormattingContext": 4, "NSZeroPad": true,
                "NSActual": true, "NSNoNonnumeric": true, "NSNoUnit": true, "NSNoCount": true,
                "NSNoAdaptive": true, "$class": .uid(2),
            ], Self.describe("NSByteCountFormatter"),
        ]
        let formatter = try read(ArchivedByteCountFormatter.self, full)
        #expect(formatter.allowedUnits == 3 && formatter.countStyle == 2)
        #expect(formatter.formattingContext == 4 && formatter.zeroPadsFractionDigits)
        #expect(formatter.includesActualByteCount && !formatter.allowsNonnumericFormatting)
        #expect(!formatter.includesUnit && !formatter.includesCount && !formatter.isAdaptive)
        #expect(try written(formatter) == full)
    }

    @Test("byte count formatters with fields of the wrong type are refused")
    func hostileByteCounts() {
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            let object: PropertyListValue = ["$class": .uid(2)]
            return refusal(
                ArchivedByteCountFormatter.self,
                [object.with(changes), Self.describe("NSByteCountFormatter")])
        }
        #expect(code(["NSUnits": true]) == .wrongType)
        #expect(
            code(["NSUnits": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
        #expect(code(["NSZeroPad": 1]) == .wrongType)
        #expect(code(["NSNoUnit": .uid(2)]) == .wrongType)
        #expect(code(["NSUnits": .uid(0)]) == nil)
    }

    @Test(
        "byte count formatters archived by Apple's software are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func appleByteCounts() throws {
        let bytes = try Specimens.bytes("ByteCountFormatter-AllFieldsSet")
        let formatter = try KeyedUnarchiver.unarchive(
            ArchivedByteCountFormatter.self, from: bytes)
        #expect(formatter.allowedUnits == 3 && formatter.countStyle == 2)
        #expect(formatter.formattingContext == 4 && formatter.zeroPadsFractionDigits)
        #expect(!formatter.includesActualByteCount && !formatter.isAdaptive)
        #expect(try Specimens.table(KeyedArchiver.archive(formatter)) == Specimens.table(bytes))
        let plain = try Specimens.bytes("ByteCountFormatter-Default")
        let other = try KeyedUnarchiver.unarchive(ArchivedByteCountFormatter.self, from: plain)
        #expect(other == ArchivedByteCountFormatter())
        #expect(try Specimens.table(KeyedArchiver.archive(other)) == Specimens.table(plain))
    }

    // MARK: Dates

    @Test("ISO 8601 date formatters round-trip")
    func iso8601() throws {
        let table: [PropertyListValue] = [
            ["NS.formatOptions": 1907, "NS.timeZone": .uid(0), "$class": .uid(2)],
            Self.describe("NSISO8601DateFormatter"),
        ]
        let formatter = try read(ArchivedISO8601DateFormatter.self, table)
        #expect(formatter.formatOptions == 1907 && formatter.timeZone == nil)
        #expect(try written(formatter) == table)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedISO8601DateFormatter.self, [table[0].with(changes), table[1]])
        }
        #expect(code(["NS.formatOptions": .null]) == .missingValue)
        #expect(code(["NS.formatOptions": "all"]) == .wrongType)
        #expect(code(["NS.timeZone": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.timeZone": .data([])]) == .wrongType)
        let later = [table[0].with(["NS.later": 2.5]), table[1]]
        let kept = try read(ArchivedISO8601DateFormatter.self, later)
        #expect(kept.extraFields.keys == ["NS.later"])
        #expect(try written(kept) == later)
    }

    private static let interval: [PropertyListValue] = [
        [
            "NS.dateTemplate": .uid(2), "NS.dateTemplateFromStyles": .uid(3), "NS.locale": .uid(0),
            "NS.calendar": .uid(0), "NS.timeZone": .uid(0), "NS.dateStyle": 1, "NS.timeStyle": 2,
            "NS.modified": true, "NS.useTemplate": false, "$class": .uid(4),
        ], "y", "M", describe("NSDateIntervalFormatter"),
    ]

    @Test("date interval formatters round-trip")
    func intervals() throws {
        let formatter = try read(ArchivedDateIntervalFormatter.self, Self.interval)
        #expect(formatter.dateTemplate == "y" && formatter.dateTemplateFromStyles == "M")
        #expect(formatter.dateStyle == 1 && formatter.timeStyle == 2)
        #expect(formatter.isModified && !formatter.usesTemplate)
        #expect(try written(formatter) == Self.interval)
        let later = [Self.interval[0].with(["NS.later": 2.5])] + Self.interval.dropFirst()
        let kept = try read(ArchivedDateIntervalFormatter.self, later)
        #expect(kept.extraFields.keys == ["NS.later"])
        #expect(try written(kept) == later)
    }

    @Test(
        "date interval formatters with fields of the wrong type are refused",
        arguments: [
            ("NS.dateStyle", .null, "missingValue"), ("NS.dateStyle", true, "wrongType"),
            ("NS.timeStyle", 1.5, "valueOutOfRange"), ("NS.modified", 1, "wrongType"),
            ("NS.useTemplate", .null, "missingValue"), ("NS.dateTemplate", 3, "wrongType"),
            ("NS.dateTemplateFromStyles", .uid(1), "referenceCycle"),
            ("NS.locale", .uid(1), "referenceCycle"),
        ] as [(String, PropertyListValue, String)])
    func hostileIntervals(key: String, value: PropertyListValue, code: String) {
        let objects = [Self.interval[0].with([key: value])] + Self.interval.dropFirst()
        let found = refusal(ArchivedDateIntervalFormatter.self, objects)?.description
        #expect(found == code)
    }

    @Test(
        "date formatters archived by Apple's software are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func appleDates() throws {
        var (standards, intervals, dates) = (0, 0, 0)
        for archive in try Specimens.collected([
            "NSISO8601DateFormatter", "NSDateIntervalFormatter", "NSDateFormatter",
        ]) {
            let again = try Specimens.rewritten(archive) { value in
                if let formatter = value.value(as: ArchivedISO8601DateFormatter.self) {
                    #expect([1907, 1366].contains(formatter.formatOptions))
                    #expect(formatter.timeZone != nil)
                    standards += 1
                } else if let formatter = value.value(as: ArchivedDateIntervalFormatter.self) {
                    #expect(formatter.locale != nil && formatter.calendar != nil)
                    #expect(formatter.timeZone != nil && formatter.dateTemplate != nil)
                    intervals += 1
                } else {
                    let formatter = try #require(value.value(as: ArchivedDateFormatter.self))
                    #expect(formatter.format != nil && formatter.attributes != nil)
                    #expect(formatter.extraFields.keys.isEmpty)
                    dates += 1
                }
            }
            #expect(try Specimens.difference(again, archive) == nil)
        }
        #expect(standards == 2 && intervals == 3 && dates >= 11)
    }

    @Test(
        "archived ISO 8601 date formatters are written with the object numbers of Apple's software",
        .enabled(if: Corpus.hasExternal))
    func appleNumbers() throws {
        let registry = ClassRegistry.foundation.keepingUnknownClasses()
        for name in ["ISO8601DateFormatter-Default", "ISO8601DateFormatter-OptionsSet"] {
            let bytes = try Specimens.bytes(name)
            let formatter = try KeyedUnarchiver.unarchive(
                ArchivedISO8601DateFormatter.self, from: bytes, allowing: registry)
            let again = try KeyedArchiver.archive(formatter, allowing: registry)
            #expect(try Specimens.table(again) == Specimens.table(bytes))
        }
    }

    // MARK: Date and number formatters with behavior 10.0

    @Test("date formatters round-trip, with unknown fields")
    func dates() throws {
        let table: [PropertyListValue] = [
            [
                "NS.attributes": .uid(2), "NS.format": .uid(4), "NS.natural": true,
                "NS.later": .uid(5), "$class": .uid(6),
            ],
            ["NS.keys": [], "NS.objects": [], "$class": .uid(3)],
            Archives.describe("NSMutableDictionary", "NSDictionary"), "%Y", "kept",
            Self.describe("NSDateFormatter"),
        ]
        let formatter = try read(ArchivedDateFormatter.self, table)
        #expect(formatter.format == "%Y" && formatter.allowsNaturalLanguage)
        #expect(formatter.attributes != nil && formatter.extraFields.keys == ["NS.later"])
        #expect(try written(formatter) == table)
        let old = try written(ArchivedDateFormatter(format: nil))
        #expect(old[0] == ["NS.format": .uid(0), "NS.natural": false, "$class": .uid(2)])
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedDateFormatter.self, [table[0].with(changes)] + table.dropFirst())
        }
        #expect(code(["NS.natural": .null]) == .missingValue)
        #expect(code(["NS.natural": 0]) == .wrongType)
        #expect(code(["NS.format": .uid(2)]) == .wrongType)
        #expect(code(["NS.attributes": .uid(99)]) == .danglingReference)
    }

    @Test("the fields of number formatters are written in Apple's order")
    func numbers() throws {
        var formatter = ArchivedNumberFormatter()
        formatter.positiveFormat = "+"
        formatter.negativeFormat = "-"
        formatter.zero = AnyArchived(ArchivedAttributedString("0"))
        formatter.maximum = AnyArchived(7)
        formatter.decimalSeparator = "."
        formatter.thousandSeparator = ","
        let table: [PropertyListValue] = [
            [
                "NS.negativeformat": .uid(2), "NS.positiveformat": .uid(3),
                "NS.negativeattrs": .uid(0), "NS.positiveattrs": .uid(0), "NS.zero": .uid(4),
                "NS.nil": .uid(0), "NS.nan": .uid(0), "NS.max": .uid(7), "NS.min": .uid(0),
                "NS.rounding": .uid(0), "NS.decimal": .uid(8), "NS.thousand": .uid(9),
                "NS.hasthousands": true, "NS.allowsfloats": true, "NS.localized": false,
                "$class": .uid(10),
            ],
            "-", "+", ["NSString": .uid(5), "$class": .uid(6)], "0",
            Archives.describe("NSAttributedString"), 7, ".", ",",
            Self.describe("NSNumberFormatter"),
        ]
        #expect(try written(formatter) == table)
        let back = try read(ArchivedNumberFormatter.self, table)
        #expect(back.zero?.value(as: ArchivedAttributedString.self)?.text == "0")
        #expect(back.maximum?.value(as: Int.self) == 7 && back.minimum == nil)
        #expect(try written(back) == table)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedNumberFormatter.self, [table[0].with(changes)] + table.dropFirst())
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.positiveformat": .uid(4)]) == .wrongType)
        #expect(code(["NS.decimal": 1]) == .wrongType)
        #expect(code(["NS.localized": .null]) == .missingValue)
        #expect(code(["NS.hasthousands": 1]) == .wrongType)
        #expect(code(["NS.zero": .uid(1)]) == .referenceCycle)
    }

    @Test(
        "number formatters archived by Apple's software are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func appleNumberFormatters() throws {
        var count = 0
        for archive in try Specimens.collected(["NSNumberFormatter"]) {
            // Old decimal numbers have a shorter class chain and other mantissas than the encoder
            // writes.
            let again = try Specimens.rewritten(archive, opaque: "NSDecimalNumberPlaceholder") {
                value in
                let formatter = try #require(value.value(as: ArchivedNumberFormatter.self))
                #expect(formatter.positiveFormat != nil && formatter.decimalSeparator != nil)
                #expect(formatter.notANumber?.value(as: ArchivedAttributedString.self) != nil)
                #expect(formatter.extraFields.keys.isEmpty)
                count += 1
            }
            #expect(try Specimens.difference(again, archive) == nil)
        }
        #expect(count >= 54)
    }
}

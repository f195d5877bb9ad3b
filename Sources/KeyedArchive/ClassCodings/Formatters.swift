// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSByteCountFormatter` | absent if default: `NSUnits`, `NSKBSize`, `NSFormattingContext`: integers; `NSZeroPad`, `NSActual`, `NSNoNonnumeric`, `NSNoUnit`, `NSNoCount`, `NSNoAdaptive`: true |
// | `NSISO8601DateFormatter` | `NS.formatOptions`: integer; `NS.timeZone` |
// | `NSDateIntervalFormatter` | `NS.dateTemplate`, `NS.dateTemplateFromStyles`: strings; `NS.locale`, `NS.calendar`, `NS.timeZone`; `NS.dateStyle`, `NS.timeStyle`: integers; `NS.modified`, `NS.useTemplate`: booleans |
// | `NSNumberFormatter` | `NS.attributes`: a dictionary, absent in old archives; strings, attributed strings and numbers as below; `NS.hasthousands`, `NS.allowsfloats`, `NS.localized`: booleans |
// | `NSDateFormatter` | `NS.attributes`: a dictionary, absent in old archives; `NS.format`: a string; `NS.natural`: boolean |
//
// The class chain of each is the class, `NSFormatter`, `NSObject`.
//
// Source: archives that Apple's software wrote. Time zones, locales and calendars are kept as the
// types that the registry binds to their classes. Nothing is looked up on this system.

extension ClassRegistry {
    static let formatterClasses = ClassRegistry(
        ArchivedByteCountFormatter.self, ArchivedISO8601DateFormatter.self,
        ArchivedDateIntervalFormatter.self, ArchivedNumberFormatter.self,
        ArchivedDateFormatter.self)
}

// MARK: - Byte counts

/// The settings of an `NSByteCountFormatter`.
public struct ArchivedByteCountFormatter: Sendable, Hashable {
    /// The allowed units as bits: 1 for bytes, 2 for kilobytes, 4 for megabytes, and so on; 0 for
    /// the default units.
    public var allowedUnits = 0
    /// The meaning of a kilobyte: 0 as for files, 1 as for memory, 2 for 1,000 bytes, 3 for 1,024.
    public var countStyle = 0
    /// The place of the text in a sentence: a raw value of `Formatter.Context`.
    public var formattingContext = 0
    /// A Boolean value indicating whether fractions are padded with zeros.
    public var zeroPadsFractionDigits = false
    /// A Boolean value indicating whether the exact number of bytes is included.
    public var includesActualByteCount = false
    /// A Boolean value indicating whether text such as “Zero” is allowed.
    public var allowsNonnumericFormatting = true
    /// A Boolean value indicating whether the unit is included.
    public var includesUnit = true
    /// A Boolean value indicating whether the count is included.
    public var includesCount = true
    /// A Boolean value indicating whether the number of digits depends on the size.
    public var isAdaptive = true

    /// Creates the default settings.
    public init() {}
}

extension ArchivedByteCountFormatter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSByteCountFormatter", "NSFormatter")
    }

    public func encode(with coder: KeyedEncoder) {
        for (key, value) in [
            ("NSUnits", allowedUnits), ("NSKBSize", countStyle),
            ("NSFormattingContext", formattingContext),
        ] where value != 0 { coder.encode(value, forKey: key) }
        for (key, value) in [
            ("NSZeroPad", zeroPadsFractionDigits), ("NSActual", includesActualByteCount),
            ("NSNoNonnumeric", !allowsNonnumericFormatting), ("NSNoUnit", !includesUnit),
            ("NSNoCount", !includesCount), ("NSNoAdaptive", !isAdaptive),
        ] where value { coder.encode(true, forKey: key) }
    }

    public init(coder: KeyedDecoder) throws {
        allowedUnits = try coder.decode(forKey: "NSUnits", default: 0)
        countStyle = try coder.decode(forKey: "NSKBSize", default: 0)
        formattingContext = try coder.decode(forKey: "NSFormattingContext", default: 0)
        zeroPadsFractionDigits = try coder.decode(forKey: "NSZeroPad", default: false)
        includesActualByteCount = try coder.decode(forKey: "NSActual", default: false)
        allowsNonnumericFormatting = try !coder.decode(forKey: "NSNoNonnumeric", default: false)
        includesUnit = try !coder.decode(forKey: "NSNoUnit", default: false)
        includesCount = try !coder.decode(forKey: "NSNoCount", default: false)
        isAdaptive = try !coder.decode(forKey: "NSNoAdaptive", default: false)
    }
}

// MARK: - Dates

/// The settings of an `NSISO8601DateFormatter`.
public struct ArchivedISO8601DateFormatter {
    /// The parts of the date in the text: the bits of `ISO8601DateFormatter.Options`.
    public var formatOptions: Int
    /// The time zone: an `NSTimeZone`, or nil.
    public var timeZone: AnyArchived?
    /// The unknown fields.
    public var extraFields = ArchivedExtraFields()

    /// Creates settings.
    public init(formatOptions: Int, timeZone: AnyArchived?) {
        self.formatOptions = formatOptions
        self.timeZone = timeZone
    }
}

extension ArchivedISO8601DateFormatter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSISO8601DateFormatter", "NSFormatter")
    }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedTimeZone.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["NS.formatOptions", "NS.timeZone"]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(formatOptions, forKey: "NS.formatOptions")
        coder.encode(timeZone, forKey: "NS.timeZone")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        formatOptions = try coder.decodeInteger(forKey: "NS.formatOptions")
        timeZone = try coder.decode(forKey: "NS.timeZone")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// The settings of an `NSDateIntervalFormatter`.
public struct ArchivedDateIntervalFormatter {
    /// The pattern that the program has set; nil if there is none.
    public var dateTemplate: String?
    /// The pattern that results from the styles.
    public var dateTemplateFromStyles: String?
    /// The locale: an `NSLocale`, or nil.
    public var locale: AnyArchived?
    /// The calendar: an `NSCalendar`, or nil.
    public var calendar: AnyArchived?
    /// The time zone: an `NSTimeZone`, or nil.
    public var timeZone: AnyArchived?
    /// The style of dates: 0 none, 1 short, up to 4 full.
    public var dateStyle: Int
    /// The style of times: 0 none, 1 short, up to 4 full.
    public var timeStyle: Int
    /// A Boolean value indicating whether settings were changed, according to the archive.
    public var isModified: Bool
    /// A Boolean value indicating whether ``dateTemplate`` is used rather than the styles.
    public var usesTemplate: Bool
    /// The unknown fields.
    public var extraFields = ArchivedExtraFields()

    /// Creates settings with these styles.
    public init(dateStyle: Int, timeStyle: Int) {
        self.dateStyle = dateStyle
        self.timeStyle = timeStyle
        isModified = false
        usesTemplate = false
    }
}

extension ArchivedDateIntervalFormatter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSDateIntervalFormatter", "NSFormatter")
    }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedCalendar.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "NS.dateTemplate", "NS.dateTemplateFromStyles", "NS.locale", "NS.calendar", "NS.timeZone",
        "NS.dateStyle", "NS.timeStyle", "NS.modified", "NS.useTemplate",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(dateTemplate, forKey: "NS.dateTemplate")
        coder.encode(dateTemplateFromStyles, forKey: "NS.dateTemplateFromStyles")
        coder.encode(locale, forKey: "NS.locale")
        coder.encode(calendar, forKey: "NS.calendar")
        coder.encode(timeZone, forKey: "NS.timeZone")
        coder.encode(dateStyle, forKey: "NS.dateStyle")
        coder.encode(timeStyle, forKey: "NS.timeStyle")
        coder.encode(isModified, forKey: "NS.modified")
        coder.encode(usesTemplate, forKey: "NS.useTemplate")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        dateTemplate = try coder.decode(forKey: "NS.dateTemplate")
        dateTemplateFromStyles = try coder.decode(forKey: "NS.dateTemplateFromStyles")
        locale = try coder.decode(forKey: "NS.locale")
        calendar = try coder.decode(forKey: "NS.calendar")
        timeZone = try coder.decode(forKey: "NS.timeZone")
        dateStyle = try coder.decodeInteger(forKey: "NS.dateStyle")
        timeStyle = try coder.decodeInteger(forKey: "NS.timeStyle")
        isModified = try coder.decodeBool(forKey: "NS.modified")
        usesTemplate = try coder.decodeBool(forKey: "NS.useTemplate")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// The settings of an `NSDateFormatter`.
public struct ArchivedDateFormatter {
    /// All settings, as current systems store them: an `NSDictionary`; nil in old archives.
    public var attributes: AnyArchived?
    /// The format: a Unicode date pattern, or conversions such as `%Y`, depending on
    /// ``attributes``.
    public var format: String?
    /// A Boolean value indicating whether words such as “tomorrow” are parsed.
    public var allowsNaturalLanguage: Bool
    /// The unknown fields.
    public var extraFields = ArchivedExtraFields()

    /// Creates settings without attributes.
    public init(format: String?, allowsNaturalLanguage: Bool = false) {
        self.format = format
        self.allowsNaturalLanguage = allowsNaturalLanguage
    }
}

extension ArchivedDateFormatter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSDateFormatter", "NSFormatter")
    }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["NS.attributes", "NS.format", "NS.natural"]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(attributes, forKey: "NS.attributes")
        coder.encode(format, forKey: "NS.format")
        coder.encode(allowsNaturalLanguage, forKey: "NS.natural")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        attributes = try coder.decode(forKey: "NS.attributes")
        format = try coder.decode(forKey: "NS.format")
        allowsNaturalLanguage = try coder.decodeBool(forKey: "NS.natural")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// MARK: - Numbers

/// The settings of an `NSNumberFormatter`.
public struct ArchivedNumberFormatter {
    /// All settings, as current systems store them: an `NSDictionary`; nil in old archives.
    public var attributes: AnyArchived?
    /// The pattern of positive numbers.
    public var positiveFormat: String?
    /// The pattern of negative numbers.
    public var negativeFormat: String?
    /// The attributes of positive numbers: an `NSDictionary`, or nil.
    public var positiveAttributes: AnyArchived?
    /// The attributes of negative numbers: an `NSDictionary`, or nil.
    public var negativeAttributes: AnyArchived?
    /// The text for zero: an `NSAttributedString`, or nil.
    public var zero: AnyArchived?
    /// The text for nil: an `NSAttributedString`, or nil.
    public var null: AnyArchived?
    /// The text for values that are not a number: an `NSAttributedString`, or nil.
    public var notANumber: AnyArchived?
    /// The largest allowed number: an `NSDecimalNumber` or another number, or nil.
    public var maximum: AnyArchived?
    /// The smallest allowed number: an `NSDecimalNumber` or another number, or nil.
    public var minimum: AnyArchived?
    /// The rounding of numbers: an `NSDecimalNumberHandler`, or nil.
    public var rounding: AnyArchived?
    /// The separator before the fraction.
    public var decimalSeparator: String?
    /// The separator between thousands.
    public var thousandSeparator: String?
    /// A Boolean value indicating whether thousands are separated.
    public var hasThousandSeparators = true
    /// A Boolean value indicating whether fractions are allowed.
    public var allowsFloats = true
    /// A Boolean value indicating whether the format follows the user's locale.
    public var isLocalized = false
    /// The unknown fields.
    public var extraFields = ArchivedExtraFields()

    /// Creates the default settings.
    public init() {}
}

extension ArchivedNumberFormatter: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass("NSNumberFormatter", "NSFormatter")
    }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.register(in: &registry)
        ArchivedAttributedString.register(in: &registry)
        ArchivedDecimalNumberHandler.register(in: &registry)
        Decimal.register(in: &registry)
        ArchivedNumber.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "NS.attributes", "NS.positiveformat", "NS.negativeformat", "NS.positiveattrs",
        "NS.negativeattrs", "NS.zero", "NS.nil", "NS.nan", "NS.max", "NS.min", "NS.rounding",
        "NS.decimal", "NS.thousand", "NS.hasthousands", "NS.allowsfloats", "NS.localized",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(attributes, forKey: "NS.attributes")
        coder.encode(negativeFormat, forKey: "NS.negativeformat")
        coder.encode(positiveFormat, forKey: "NS.positiveformat")
        coder.encode(negativeAttributes, forKey: "NS.negativeattrs")
        coder.encode(positiveAttributes, forKey: "NS.positiveattrs")
        coder.encode(zero, forKey: "NS.zero")
        coder.encode(null, forKey: "NS.nil")
        coder.encode(notANumber, forKey: "NS.nan")
        coder.encode(maximum, forKey: "NS.max")
        coder.encode(minimum, forKey: "NS.min")
        coder.encode(rounding, forKey: "NS.rounding")
        coder.encode(decimalSeparator, forKey: "NS.decimal")
        coder.encode(thousandSeparator, forKey: "NS.thousand")
        coder.encode(hasThousandSeparators, forKey: "NS.hasthousands")
        coder.encode(allowsFloats, forKey: "NS.allowsfloats")
        coder.encode(isLocalized, forKey: "NS.localized")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        attributes = try coder.decode(forKey: "NS.attributes")
        negativeFormat = try coder.decode(forKey: "NS.negativeformat")
        positiveFormat = try coder.decode(forKey: "NS.positiveformat")
        negativeAttributes = try coder.decode(forKey: "NS.negativeattrs")
        positiveAttributes = try coder.decode(forKey: "NS.positiveattrs")
        zero = try coder.decode(forKey: "NS.zero")
        null = try coder.decode(forKey: "NS.nil")
        notANumber = try coder.decode(forKey: "NS.nan")
        maximum = try coder.decode(forKey: "NS.max")
        minimum = try coder.decode(forKey: "NS.min")
        rounding = try coder.decode(forKey: "NS.rounding")
        decimalSeparator = try coder.decode(forKey: "NS.decimal")
        thousandSeparator = try coder.decode(forKey: "NS.thousand")
        hasThousandSeparators = try coder.decodeBool(forKey: "NS.hasthousands")
        allowsFloats = try coder.decodeBool(forKey: "NS.allowsfloats")
        isLocalized = try coder.decodeBool(forKey: "NS.localized")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

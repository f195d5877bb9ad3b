// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// An object of a class of Foundation.
struct Sample {
    let make: () -> NSObject
    let isEqual: (NSObject, NSObject) -> Bool

    init(
        isEqual: @escaping (NSObject, NSObject) -> Bool = { $0.isEqual($1) },
        _ make: @escaping () -> NSObject
    ) {
        self.make = make
        self.isEqual = isEqual
    }

    /// All samples, by the name of the class and, if the class has several, a word about the
    /// difference.
    static var all: [String: Sample] {
        collections.merging(values) { $1 }.merging(times) { $1 }.merging(others) { $1 }
            .merging(formatters) { $1 }
    }

    private static var collections: [String: Sample] {
        [
            "NSString": Sample { NSString(string: "Ångström \u{1F600}") },
            "NSMutableString": Sample { NSMutableString(string: "mutable") },
            "NSNumber, integer": Sample { NSNumber(value: Int64.min) },
            "NSNumber, real": Sample { NSNumber(value: 0.1) },
            "NSNumber, boolean": Sample { NSNumber(value: true) },
            "NSData": Sample { NSData(data: Data([0, 1, 254, 255])) },
            "NSMutableData": Sample { NSMutableData(data: Data([1, 2, 3])) },
            "NSArray": Sample { NSArray(array: ["a", 2, 2.5, true]) },
            "NSMutableArray": Sample { NSMutableArray(array: ["a", ["b"]]) },
            "NSDictionary": Sample { NSDictionary(dictionary: ["a": 1, "b": ["c": "d"]]) },
            "NSMutableDictionary": Sample { NSMutableDictionary(dictionary: ["a": "b"]) },
            "NSSet": Sample { NSSet(array: ["a", 1]) },
            "NSMutableSet": Sample { NSMutableSet(array: ["a"]) },
            "NSCountedSet": Sample { NSCountedSet(array: ["a", "a", "b"]) },
            "NSOrderedSet": Sample { NSOrderedSet(array: ["b", "a", 1]) },
            "NSMutableOrderedSet": Sample { NSMutableOrderedSet(array: ["b", "a"]) },
            "NSCharacterSet": Sample { NSCharacterSet(charactersIn: "abc\u{1F600}") },
            "NSCharacterSet, predefined": Sample { CharacterSet.decimalDigits as NSCharacterSet },
            "NSMutableCharacterSet": Sample { NSMutableCharacterSet(charactersIn: "xyz") },
        ]
    }

    private static var values: [String: Sample] {
        [
            "NSNull": Sample { NSNull() },
            "NSUUID": Sample {
                NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? NSUUID()
            },
            "NSURL": Sample {
                NSURL(string: "https://example.com/a?b#c") ?? NSURL(fileURLWithPath: "/")
            },
            "NSURL, with a base": Sample {
                NSURL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                    ?? NSURL(fileURLWithPath: "/")
            },
            "NSURLQueryItem": Sample { NSURLQueryItem(name: "name", value: "value") },
            "NSDecimalNumber": Sample { NSDecimalNumber(string: "-123456789.000000001") },
            "NSIndexSet": Sample {
                let set = NSMutableIndexSet(indexesIn: NSRange(location: 0, length: 50))
                set.add(in: NSRange(location: 1000, length: 5))
                return NSIndexSet(indexSet: set as IndexSet)
            },
            "NSMutableIndexSet": Sample { NSMutableIndexSet(index: 7) },
            "NSIndexPath": Sample { IndexPath(indexes: [1, 200, 3]) as NSIndexPath },
            "NSError": Sample { NSError(domain: "domain", code: 7, userInfo: ["key": "value"]) },
            "NSValue, point": Sample { NSValue(point: NSPoint(x: 1.5, y: 2)) },
            "NSValue, size": Sample { NSValue(size: NSSize(width: 3, height: 4)) },
            "NSValue, rectangle": Sample { NSValue(rect: NSRect(x: 1, y: 2, width: 3, height: 4)) },
            "NSValue, range": Sample { NSValue(range: NSRange(location: 5, length: 6)) },
            "NSValue, edge insets": Sample {
                NSValue(edgeInsets: NSEdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
            },
            "NSAffineTransform": Sample {
                let transform = NSAffineTransform()
                transform.translateX(by: 2, yBy: 3)
                return transform
            },
            "NSMeasurement": Sample {
                NSMeasurement(doubleValue: 2.5, unit: UnitLength.kilometers)
            },
            "NSValue, other": Sample {
                var number: Int32 = 7
                // SAFETY: `objCType` describes the type of `number`, which the initializer copies.
                return unsafe NSValue(bytes: &number, objCType: "i")
            },
            "NSUnit": Sample { Unit(symbol: "x") },
            "NSUnitLength": Sample { UnitLength.miles },
            "NSUnitFuelEfficiency": Sample { UnitFuelEfficiency.milesPerGallon },
            "NSUnitConverterLinear": Sample { UnitConverterLinear(coefficient: 2, constant: 3) },
        ]
    }

    private static var times: [String: Sample] {
        [
            "NSDate": Sample { NSDate(timeIntervalSinceReferenceDate: 1234.5) },
            // `NSDateInterval.isEqual` never finds two intervals equal.
            "NSDateInterval": Sample(isEqual: {
                ($0 as? NSDateInterval)?.startDate == ($1 as? NSDateInterval)?.startDate
                    && ($0 as? NSDateInterval)?.duration == ($1 as? NSDateInterval)?.duration
            }) {
                NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 5)
            },
            "NSLocale": Sample { NSLocale(localeIdentifier: "de_CH") },
            "NSTimeZone": Sample {
                NSTimeZone(name: "Europe/Zurich") ?? NSTimeZone(forSecondsFromGMT: 0)
            },
            "NSCalendar": Sample(isEqual: {
                ($0 as? NSCalendar)?.calendarIdentifier == ($1 as? NSCalendar)?.calendarIdentifier
                    && ($0 as? NSCalendar)?.firstWeekday == ($1 as? NSCalendar)?.firstWeekday
            }) {
                let calendar = NSCalendar(identifier: .hebrew) ?? NSCalendar.current as NSCalendar
                calendar.firstWeekday = 3
                return calendar
            },
            "NSDateComponents": Sample {
                let components = NSDateComponents()
                components.year = 2001
                components.month = 2
                components.nanosecond = 5
                return components
            },
        ]
    }

    private static var others: [String: Sample] {
        [
            "NSPersonNameComponents": Sample {
                let components = NSPersonNameComponents()
                components.givenName = "Ada"
                components.familyName = "Lovelace"
                return components
            },
            "NSAttributedString": Sample {
                NSAttributedString(string: "text", attributes: [NSAttributedString.Key("k"): "v"])
            },
            "NSMutableAttributedString": Sample {
                let text = NSMutableAttributedString(string: "two runs")
                text.addAttribute(
                    NSAttributedString.Key("k"), value: "v", range: NSRange(location: 0, length: 3))
                return text
            },
            "NSRegularExpression": Sample {
                let expression = try? NSRegularExpression(
                    pattern: "a+(b)", options: .caseInsensitive)
                return expression ?? NSNull()
            },
            "NSTextCheckingResult": Sample(isEqual: {
                ($0 as? NSTextCheckingResult)?.range == ($1 as? NSTextCheckingResult)?.range
            }) {
                let expression = try? NSRegularExpression(pattern: "b")
                return expression?.firstMatch(in: "abc", range: NSRange(location: 0, length: 3))
                    ?? NSTextCheckingResult()
            },
            "NSNotification": Sample(isEqual: {
                ($0 as? NSNotification)?.name == ($1 as? NSNotification)?.name
            }) {
                NSNotification(
                    name: Notification.Name("name"), object: NSString(string: "o"), userInfo: nil)
            },
            "NSDecimalNumberHandler": Sample(isEqual: {
                ($0 as? NSDecimalNumberHandler)?.scale() == ($1 as? NSDecimalNumberHandler)?.scale()
            }) {
                NSDecimalNumberHandler(
                    roundingMode: .down, scale: 3, raiseOnExactness: true, raiseOnOverflow: false,
                    raiseOnUnderflow: false, raiseOnDivideByZero: true)
            },
        ]
    }

    private static var formatters: [String: Sample] {
        [
            "NSISO8601DateFormatter": Sample(isEqual: {
                ($0 as? ISO8601DateFormatter)?.formatOptions
                    == ($1 as? ISO8601DateFormatter)?.formatOptions
            }) {
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions = [.withYear, .withMonth]
                return formatter
            },
            "NSDateFormatter": Sample(isEqual: {
                ($0 as? DateFormatter)?.dateFormat == ($1 as? DateFormatter)?.dateFormat
            }) {
                let formatter = DateFormatter()
                formatter.dateFormat = "yyyy"
                return formatter
            },
            "NSNumberFormatter": Sample(isEqual: {
                ($0 as? NumberFormatter)?.maximumFractionDigits
                    == ($1 as? NumberFormatter)?.maximumFractionDigits
            }) {
                let formatter = NumberFormatter()
                formatter.maximumFractionDigits = 7
                return formatter
            },
        ]
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationSamples

extension Sample {
    /// All samples. The key is the name of the class, and a word that describes the sample if the
    /// class has several.
    static var all: [String: Sample] {
        [characterSets, values, times, others, formatters].reduce(common) { $0.merging($1) { $1 } }
    }

    private static var characterSets: [String: Sample] {
        [
            "NSCharacterSet": Sample { NSCharacterSet(charactersIn: "abc\u{1F600}") },
            "NSCharacterSet, predefined": Sample { CharacterSet.decimalDigits as NSCharacterSet },
            "NSMutableCharacterSet": Sample { NSMutableCharacterSet(charactersIn: "xyz") },
        ]
    }

    private static var values: [String: Sample] {
        [
            "NSURL, with a base": Sample {
                NSURL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                    ?? NSURL(fileURLWithPath: "/")
            },
            "NSURLQueryItem": Sample { NSURLQueryItem(name: "name", value: "value") },
            "NSMutableIndexSet": Sample { NSMutableIndexSet(index: 7) },
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
            "NSCalendar": Sample(isEqual: {
                ($0 as? NSCalendar)?.calendarIdentifier == ($1 as? NSCalendar)?.calendarIdentifier
                    && ($0 as? NSCalendar)?.firstWeekday == ($1 as? NSCalendar)?.firstWeekday
            }) {
                let calendar = NSCalendar(identifier: .hebrew) ?? NSCalendar.current as NSCalendar
                calendar.firstWeekday = 3
                return calendar
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

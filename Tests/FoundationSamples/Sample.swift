// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A Foundation object to archive, and a way to compare the result with it.
public struct Sample {
    /// Makes the object.
    public let make: () -> NSObject
    /// Compares two objects.
    public let isEqual: (NSObject, NSObject) -> Bool

    public init(
        isEqual: @escaping (NSObject, NSObject) -> Bool = { $0.isEqual($1) },
        _ make: @escaping () -> NSObject
    ) {
        self.make = make
        self.isEqual = isEqual
    }

    /// The samples that several programs use, by class name. A suffix distinguishes the samples of
    /// one class.
    public static var common: [String: Sample] { collections.merging(values) { $1 } }

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
            "NSDecimalNumber": Sample { NSDecimalNumber(string: "-123456789.000000001") },
            "NSIndexSet": Sample {
                let set = NSMutableIndexSet(indexesIn: NSRange(location: 0, length: 50))
                set.add(in: NSRange(location: 1000, length: 5))
                return NSIndexSet(indexSet: set as IndexSet)
            },
            "NSIndexPath": Sample { IndexPath(indexes: [1, 200, 3]) as NSIndexPath },
            "NSError": Sample { NSError(domain: "domain", code: 7, userInfo: ["key": "value"]) },
            "NSDate": Sample { NSDate(timeIntervalSinceReferenceDate: 1234.5) },
            "NSLocale": Sample { NSLocale(localeIdentifier: "de_CH") },
            "NSTimeZone": Sample {
                NSTimeZone(name: "Europe/Zurich") ?? NSTimeZone(forSecondsFromGMT: 0)
            },
            "NSDateComponents": Sample {
                let components = NSDateComponents()
                components.year = 2001
                components.month = 2
                components.nanosecond = 5
                return components
            },
            "NSAttributedString": Sample {
                NSAttributedString(string: "text", attributes: [NSAttributedString.Key("k"): "v"])
            },
            "NSISO8601DateFormatter": Sample(isEqual: {
                ($0 as? ISO8601DateFormatter)?.formatOptions
                    == ($1 as? ISO8601DateFormatter)?.formatOptions
            }) {
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions = [.withYear, .withMonth]
                return formatter
            },
        ]
    }
}

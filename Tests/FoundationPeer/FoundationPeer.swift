// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs Foundation's archiver and unarchiver in a separate process, because they abort on many
/// inputs:
///
///     FoundationPeer write NAME          writes the archive of a value
///     FoundationPeer read NAME < FILE    prints "equal" if the archive holds that value
///     FoundationPeer canonical FILE …    prints the values of property lists
@main
enum FoundationPeer {
    static func main() {
        let arguments = CommandLine.arguments
        if arguments.count > 1, arguments[1] == "canonical" {
            return arguments.dropFirst(2).forEach(CanonicalText.print)
        }
        guard arguments.count == 3, let sample = Sample.all[arguments[2]] else { exit(2) }
        do {
            if arguments[1] == "write" {
                FileHandle.standardOutput.write(
                    try NSKeyedArchiver.archivedData(
                        withRootObject: sample.object(), requiringSecureCoding: false))
            } else {
                try read(FileHandle.standardInput.readDataToEndOfFile(), sample)
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func read(_ data: Data, _ sample: Sample) throws {
        // No list of classes is given, because some of Foundation's classes do not support secure
        // coding.
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let read = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        let expected = sample.object()
        guard let read = read as? NSObject, sample.isEqual(read, expected) else {
            print("\(String(describing: read)) is not \(expected)")
            exit(1)
        }
        print("equal")
    }
}

/// A value that both this program and the tests define.
struct Sample {
    let object: () -> NSObject
    let isEqual: (NSObject, NSObject) -> Bool

    init(
        isEqual: @escaping (NSObject, NSObject) -> Bool = { $0.isEqual($1) },
        _ object: @escaping () -> NSObject
    ) {
        self.object = object
        self.isEqual = isEqual
    }

    static var all: [String: Sample] { plain.merging(foundation) { $1 } }

    private static var plain: [String: Sample] {
        [
            "NSString": Sample { NSString(string: "Ångström \u{1F600}") },
            "NSMutableString": Sample { NSMutableString(string: "mutable") },
            "NSNumber, integer": Sample { NSNumber(value: Int64.min) },
            "NSNumber, real": Sample { NSNumber(value: 0.1) },
            "NSNumber, boolean": Sample { NSNumber(value: true) },
            "NSData": Sample { NSData(data: Data([0, 1, 254, 255])) },
            "NSMutableData": Sample {
                NSMutableData(data: Data([1, 2, 3]))
            },
            "NSDate": Sample { NSDate(timeIntervalSinceReferenceDate: 1234.5) },
            "NSNull": Sample { NSNull() },
            "NSArray": Sample { NSArray(array: ["a", 2, 2.5, true]) },
            "NSMutableArray": Sample {
                NSMutableArray(array: ["a", ["b"]])
            },
            "NSDictionary": Sample {
                NSDictionary(dictionary: ["a": 1, "b": ["c": "d"]])
            },
            "NSMutableDictionary": Sample {
                NSMutableDictionary(dictionary: ["a": "b"])
            },
            "NSSet": Sample { NSSet(array: ["a", 1]) },
            "NSMutableSet": Sample { NSMutableSet(array: ["a"]) },
            "NSOrderedSet": Sample {
                NSOrderedSet(array: ["b", "a", 1])
            },
            "NSCountedSet": Sample {
                NSCountedSet(array: ["a", "a", "b"])
            },
        ]
    }

    private static var foundation: [String: Sample] {
        [
            "NSUUID": Sample {
                NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? NSUUID()
            },
            "NSURL": Sample {
                NSURL(string: "https://example.com/a?b#c") ?? NSURL(fileURLWithPath: "/")
            },
            "NSURL with a base": Sample {
                NSURL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                    ?? NSURL(fileURLWithPath: "/")
            },
            "NSDecimalNumber": Sample {
                NSDecimalNumber(string: "-123456789.000000001")
            },
            "NSIndexSet": Sample {
                let set = NSMutableIndexSet(indexesIn: NSRange(location: 0, length: 50))
                set.add(in: NSRange(location: 1000, length: 5))
                return NSIndexSet(indexSet: set as IndexSet)
            },
            "NSIndexPath": Sample {
                IndexPath(indexes: [1, 200, 3]) as NSIndexPath
            },
            "NSLocale": Sample {
                NSLocale(localeIdentifier: "de_CH")
            },
            "NSTimeZone": Sample {
                NSTimeZone(name: "Europe/Zurich") ?? NSTimeZone(forSecondsFromGMT: 0)
            },
            "NSCalendar": Sample(
                // The archive contains the time zone of this system.
                isEqual: {
                    ($0 as? NSCalendar)?.calendarIdentifier
                        == ($1 as? NSCalendar)?.calendarIdentifier
                }
            ) { NSCalendar(identifier: .gregorian) ?? NSCalendar.current as NSCalendar },
            "NSDateComponents": Sample {
                let components = NSDateComponents()
                components.year = 2001
                components.month = 2
                components.nanosecond = 5
                return components
            },
            "NSDateInterval": Sample {
                NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 5)
            },
            "NSError": Sample { NSError(domain: "domain", code: 7, userInfo: ["key": "value"]) },
            "NSNotification": Sample {
                NSNotification(name: Notification.Name("name"), object: nil, userInfo: nil)
            },
            "NSAttributedString": Sample {
                NSAttributedString(
                    string: "text", attributes: [NSAttributedString.Key("k"): "v"])
            },
            "NSCharacterSet": Sample {
                NSCharacterSet(charactersIn: "abc")
            },
            "NSMeasurement": Sample { NSMeasurement(doubleValue: 5, unit: UnitLength.miles) },
            "NSPersonNameComponents": Sample {
                let name = NSPersonNameComponents()
                name.givenName = "Anna"
                name.familyName = "Ångström"
                return name
            },
            "NSByteCountFormatter": Sample(
                isEqual: {
                    ($0 as? ByteCountFormatter)?.countStyle
                        == ($1 as? ByteCountFormatter)?.countStyle
                }
            ) {
                let formatter = ByteCountFormatter()
                formatter.countStyle = .binary
                return formatter
            },
            "NSRegularExpression": Sample {
                (try? NSRegularExpression(pattern: "a+", options: .caseInsensitive)) as NSObject?
                    ?? NSNull()
            },
            "NSMutableOrderedSet": Sample { NSMutableOrderedSet(array: ["b", "a"]) },
            "NSMutableIndexSet": Sample {
                NSMutableIndexSet(indexesIn: NSRange(location: 5, length: 2))
            },
            "NSMutableAttributedString": Sample { NSMutableAttributedString(string: "text") },
            "NSAffineTransform": Sample {
                NSAffineTransform(transform: AffineTransform(scaleByX: 2, byY: 4))
            },
            "NSISO8601DateFormatter": Sample(
                isEqual: {
                    ($0 as? ISO8601DateFormatter)?.formatOptions
                        == ($1 as? ISO8601DateFormatter)?.formatOptions
                }
            ) {
                let formatter = ISO8601DateFormatter()
                formatter.formatOptions = [.withYear, .withMonth]
                return formatter
            },
            "NSDateIntervalFormatter": Sample(
                isEqual: {
                    ($0 as? DateIntervalFormatter)?.dateStyle
                        == ($1 as? DateIntervalFormatter)?.dateStyle
                }
            ) {
                let formatter = DateIntervalFormatter()
                formatter.dateStyle = .long
                return formatter
            },
            "NSValue, size": Sample {
                NSValue(size: CGSize(width: 3, height: 4.5))
            },
            "NSValue, rectangle": Sample {
                NSValue(rect: CGRect(x: 1, y: 2, width: 3, height: 4))
            },
            "NSURLQueryItem": Sample {
                NSURLQueryItem(name: "n", value: "v")
            },
            "NSValue, range": Sample {
                NSValue(range: NSRange(location: 3, length: 4))
            },
            "NSValue, point": Sample {
                NSValue(point: CGPoint(x: 1, y: 2.5))
            },
        ]
    }
}

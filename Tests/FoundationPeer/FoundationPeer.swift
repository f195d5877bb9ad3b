// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Foundation's own archiver and unarchiver, as a process of its own, for they abort on much:
///
///     FoundationPeer write NAME          writes the archive of a value
///     FoundationPeer read NAME < FILE    prints "equal" if the archive holds that value
@main
enum FoundationPeer {
    static func main() {
        let arguments = CommandLine.arguments
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
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: sample.classes, from: data)
        let expected = sample.object()
        guard let read = read as? NSObject, sample.isEqual(read, expected) else {
            print("\(String(describing: read)) is not \(expected)")
            exit(1)
        }
        print("equal")
    }
}

/// A value that both sides know.
struct Sample {
    let classes: [AnyClass]
    let object: () -> NSObject
    let isEqual: (NSObject, NSObject) -> Bool

    init(
        _ classes: [AnyClass], isEqual: @escaping (NSObject, NSObject) -> Bool = { $0.isEqual($1) },
        _ object: @escaping () -> NSObject
    ) {
        self.classes = classes
        self.object = object
        self.isEqual = isEqual
    }

    private static let leaves: [AnyClass] = [
        NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self,
        NSMutableString.self, NSMutableData.self, NSNull.self,
    ]

    static var all: [String: Sample] { plain.merging(foundation) { $1 } }

    private static var plain: [String: Sample] {
        [
            "NSString": Sample(leaves) { NSString(string: "Ångström \u{1F600}") },
            "NSMutableString": Sample(leaves) { NSMutableString(string: "mutable") },
            "NSNumber, integer": Sample(leaves) { NSNumber(value: Int64.min) },
            "NSNumber, real": Sample(leaves) { NSNumber(value: 0.1) },
            "NSNumber, boolean": Sample(leaves) { NSNumber(value: true) },
            "NSData": Sample(leaves) { NSData(data: Data([0, 1, 254, 255])) },
            "NSMutableData": Sample(leaves) {
                NSMutableData(data: Data([1, 2, 3]))
            },
            "NSDate": Sample(leaves) { NSDate(timeIntervalSinceReferenceDate: 1234.5) },
            "NSNull": Sample(leaves) { NSNull() },
            "NSArray": Sample(leaves) { NSArray(array: ["a", 2, 2.5, true]) },
            "NSMutableArray": Sample(leaves + [NSMutableArray.self]) {
                NSMutableArray(array: ["a", ["b"]])
            },
            "NSDictionary": Sample(leaves) {
                NSDictionary(dictionary: ["a": 1, "b": ["c": "d"]])
            },
            "NSMutableDictionary": Sample(leaves + [NSMutableDictionary.self]) {
                NSMutableDictionary(dictionary: ["a": "b"])
            },
            "NSSet": Sample(leaves + [NSSet.self]) { NSSet(array: ["a", 1]) },
            "NSMutableSet": Sample(leaves + [NSMutableSet.self]) { NSMutableSet(array: ["a"]) },
            "NSOrderedSet": Sample(leaves + [NSOrderedSet.self]) {
                NSOrderedSet(array: ["b", "a", 1])
            },
            "NSCountedSet": Sample(leaves + [NSCountedSet.self]) {
                NSCountedSet(array: ["a", "a", "b"])
            },
        ]
    }

    private static var foundation: [String: Sample] {
        [
            "NSUUID": Sample([NSUUID.self]) {
                NSUUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? NSUUID()
            },
            "NSURL": Sample([NSURL.self, NSString.self]) {
                NSURL(string: "https://example.com/a?b#c") ?? NSURL(fileURLWithPath: "/")
            },
            "NSURL with a base": Sample([NSURL.self, NSString.self]) {
                NSURL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                    ?? NSURL(fileURLWithPath: "/")
            },
            "NSDecimalNumber": Sample([NSDecimalNumber.self, NSNumber.self]) {
                NSDecimalNumber(string: "-123456789.000000001")
            },
            "NSIndexSet": Sample([NSIndexSet.self, NSData.self]) {
                let set = NSMutableIndexSet(indexesIn: NSRange(location: 0, length: 50))
                set.add(in: NSRange(location: 1000, length: 5))
                return NSIndexSet(indexSet: set as IndexSet)
            },
            "NSIndexPath": Sample([NSIndexPath.self, NSData.self]) {
                IndexPath(indexes: [1, 200, 3]) as NSIndexPath
            },
            "NSLocale": Sample([NSLocale.self, NSString.self]) {
                NSLocale(localeIdentifier: "de_CH")
            },
            "NSTimeZone": Sample([NSTimeZone.self, NSString.self, NSData.self]) {
                NSTimeZone(name: "Europe/Zurich") ?? NSTimeZone(forSecondsFromGMT: 0)
            },
            "NSCalendar": Sample(
                [
                    NSCalendar.self, NSString.self, NSTimeZone.self, NSLocale.self, NSDate.self,
                    NSData.self,
                ],
                // The time zone is this system's own.
                isEqual: {
                    ($0 as? NSCalendar)?.calendarIdentifier
                        == ($1 as? NSCalendar)?.calendarIdentifier
                }
            ) { NSCalendar(identifier: .gregorian) ?? NSCalendar.current as NSCalendar },
            "NSDateComponents": Sample([
                NSDateComponents.self, NSCalendar.self, NSTimeZone.self,
            ]) {
                let components = NSDateComponents()
                components.year = 2001
                components.month = 2
                components.nanosecond = 5
                return components
            },
            "NSDateInterval": Sample([NSDateInterval.self, NSDate.self]) {
                NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 5)
            },
            "NSError": Sample([
                NSError.self, NSString.self, NSDictionary.self, NSNumber.self,
            ]) { NSError(domain: "domain", code: 7, userInfo: ["key": "value"]) },
            "NSNotification": Sample([NSNotification.self, NSString.self, NSDictionary.self]) {
                NSNotification(name: Notification.Name("name"), object: nil, userInfo: nil)
            },
            "NSAttributedString": Sample(leaves + [NSAttributedString.self]) {
                NSAttributedString(
                    string: "text", attributes: [NSAttributedString.Key("k"): "v"])
            },
            "NSCharacterSet": Sample([NSCharacterSet.self, NSString.self, NSData.self]) {
                NSCharacterSet(charactersIn: "abc")
            },
            "NSMeasurement": Sample([
                NSMeasurement.self, Unit.self, UnitLength.self, UnitConverterLinear.self,
                NSString.self,
            ]) { NSMeasurement(doubleValue: 5, unit: UnitLength.miles) },
            "NSPersonNameComponents": Sample([NSPersonNameComponents.self, NSString.self]) {
                let name = NSPersonNameComponents()
                name.givenName = "Anna"
                name.familyName = "Ångström"
                return name
            },
            "NSByteCountFormatter": Sample(
                [ByteCountFormatter.self],
                isEqual: {
                    ($0 as? ByteCountFormatter)?.countStyle
                        == ($1 as? ByteCountFormatter)?.countStyle
                }
            ) {
                let formatter = ByteCountFormatter()
                formatter.countStyle = .binary
                return formatter
            },
            "NSRegularExpression": Sample([NSRegularExpression.self, NSString.self]) {
                (try? NSRegularExpression(pattern: "a+", options: .caseInsensitive)) as NSObject?
                    ?? NSNull()
            },
            "NSURLQueryItem": Sample([NSURLQueryItem.self, NSString.self]) {
                NSURLQueryItem(name: "n", value: "v")
            },
            "NSValue, range": Sample([NSValue.self, NSNumber.self]) {
                NSValue(range: NSRange(location: 3, length: 4))
            },
            "NSValue, point": Sample([NSValue.self, NSString.self]) {
                NSValue(point: CGPoint(x: 1, y: 2.5))
            },
        ]
    }
}

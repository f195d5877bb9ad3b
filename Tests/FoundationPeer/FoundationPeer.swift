// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationSamples

/// Runs Foundation's archiver and unarchiver, which abort on many inputs, in a separate process:
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
                        withRootObject: sample.make(), requiringSecureCoding: false))
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
        let expected = sample.make()
        guard let read = read as? NSObject, sample.isEqual(read, expected) else {
            print("\(String(describing: read)) is not \(expected)")
            exit(1)
        }
        print("equal")
    }
}

extension Sample {
    /// All samples, by the names that the tests use.
    static var all: [String: Sample] { common.merging(others) { $1 } }

    private static var others: [String: Sample] {
        [
            "NSURL with a base": Sample {
                NSURL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                    ?? NSURL(fileURLWithPath: "/")
            },
            "NSCalendar": Sample(
                // The archive contains the time zone of this system.
                isEqual: {
                    ($0 as? NSCalendar)?.calendarIdentifier
                        == ($1 as? NSCalendar)?.calendarIdentifier
                }
            ) { NSCalendar(identifier: .gregorian) ?? NSCalendar.current as NSCalendar },
            "NSDateInterval": Sample {
                NSDateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 5)
            },
            "NSNotification": Sample {
                NSNotification(name: Notification.Name("name"), object: nil, userInfo: nil)
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
            "NSMutableIndexSet": Sample {
                NSMutableIndexSet(indexesIn: NSRange(location: 5, length: 2))
            },
            "NSMutableAttributedString": Sample { NSMutableAttributedString(string: "text") },
            "NSAffineTransform": Sample {
                NSAffineTransform(transform: AffineTransform(scaleByX: 2, byY: 4))
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

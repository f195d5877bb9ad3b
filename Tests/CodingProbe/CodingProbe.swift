// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationCoding
import FoundationSamples
import KeyedArchive
import PropertyList

/// Encodes and decodes objects of Foundation's classes with the library's coders. This is a
/// separate program, because some classes crash the process. Usage:
///
///     CodingProbe names                   prints the names of the samples
///     CodingProbe written NAME            encodes and decodes an object with the library's coders
///     CodingProbe read NAME               decodes an archive from Foundation's archiver
///     CodingProbe agrees NAME             decodes the library's archive with Foundation
///     CodingProbe fields NAME FIRST       decodes a sample with bad fields, from case FIRST on
///     CodingProbe bytes FILE FIRST        decodes all prefixes and changed bytes of a file
///     CodingProbe same FILE               decodes a file with both coders and compares
///
/// `fields` and `bytes` print the number of each case before decoding it.
@main
enum CodingProbe {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let verb = arguments.first else { exit(2) }
        do {
            switch verb {
            case "names": Sample.all.keys.sorted().forEach { print($0) }
            case "bytes": try readChangedBytes(arguments[1], from: Int(arguments[2]) ?? 0)
            case "same": try compare(arguments[1])
            default:
                guard arguments.count > 1, let sample = Sample.all[arguments[1]] else { exit(2) }
                try run(verb, sample, arguments)
            }
        } catch {
            print(error)
            exit(1)
        }
    }

    private static func run(_ verb: String, _ sample: Sample, _ arguments: [String]) throws {
        let object = sample.make()
        switch verb {
        case "written": check(try unarchive(try archive(object), object), sample)
        case "read":
            let data = try NSKeyedArchiver.archivedData(
                withRootObject: object, requiringSecureCoding: false)
            check(try unarchive(data, object), sample)
        case "agrees":
            let unarchiver = try NSKeyedUnarchiver(forReadingFrom: try archive(object))
            let read = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
            if let error = unarchiver.error { throw error }
            check(read, sample)
        case "fields":
            try readBadFields(try archive(object), object, from: Int(arguments[2]) ?? 0)
        default: exit(2)
        }
    }

    private static func archive(_ object: NSObject) throws -> Data {
        try KeyedArchiverCoder.archivedData(withRootObject: object, requiringSecureCoding: false)
    }

    private static func unarchive(_ data: Data, _ object: NSObject) throws -> Any? {
        try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(data, allowing: registry(object))
    }

    /// The default allow-list with the class of an object, and the classes of its known contents.
    private static func registry(_ object: NSObject) -> ClassRegistry {
        .foundationObjects.adding(classes: [
            type(of: object), object.classForCoder, NSValue.self, UnitLength.self,
            NSRegularExpression.self,
        ])
    }

    private static func check(_ found: Any?, _ sample: Sample) {
        let expected = sample.make()
        guard let found = found as? NSObject, sample.isEqual(expected, found) else {
            print("found \(String(describing: found)), expected \(expected)")
            exit(1)
        }
        print("equal")
    }

    /// Prints the number of a case without buffering, because the case may crash the process.
    private static func tell(_ number: Int) {
        tell("\(number)")
    }

    private static func tell(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    // MARK: Bad fields

    /// Decodes an archive with each field of each object missing, nil or of another kind.
    private static func readBadFields(_ data: Data, _ object: NSObject, from first: Int) throws {
        let archive = try PropertyListValue(parsing: data)
        let registry = registry(object)
        for (number, changed) in badArchives(archive).enumerated() where number >= first {
            tell(number)
            let bytes = try PropertyListDocument(changed).serialized(as: .binary)
            let root = try? KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
                Data(bytes), allowing: registry)
            // Sets and dictionaries call `hash` on their elements. The library refuses elements of
            // these three classes, whose `hash` can crash.
            if !(root is NSError || root is NSDecimalNumber || root is NSMeasurement) {
                _ = (root as? NSObject)?.hash
            }
        }
        print("survived")
    }

    /// Returns copies of an archive, each with one field of one object removed or set to a bad
    /// value. An object without fields is replaced as a whole.
    private static func badArchives(_ archive: PropertyListValue) -> [PropertyListValue] {
        guard case .dictionary(let root) = archive, case .array(var objects)? = root["$objects"]
        else { return [] }
        // An `NSNull`, for fields that expect another kind of object.
        let stranger = objects.count
        objects += [
            .dictionary(["$class": .uid(PropertyListUID(UInt32(stranger + 1)))]),
            .dictionary(["$classname": "NSNull", "$classes": ["NSNull", "NSObject"]]),
        ]
        let values: [PropertyListValue?] = [
            nil, .uid(0), .uid(1), .uid(PropertyListUID(UInt32(stranger))), -1, 0, 1, 255, 100_000,
            .integer(PropertyListInteger(Int.max)), .integer(PropertyListInteger(Int.min)),
            .integer(PropertyListInteger(Int.max - 1)), 1.5, -1e300,
            .real(PropertyListReal(Double.nan)),
            .real(PropertyListReal(Double.infinity)), "", "text", "\u{0}\u{fffd}", .data([]),
            .data([0xff, 0xff, 0xff]), .data(Array(repeating: 0xff, count: 64)), true, .array([]),
            .array([.uid(0)]), .array([.uid(1), .uid(2)]),
            .array([.uid(PropertyListUID(UInt32(stranger)))]),
        ]
        var archives: [PropertyListValue] = []
        for (index, entry) in objects.enumerated() {
            for changed in changes(of: entry, values) {
                var changedObjects = objects
                changedObjects[index] = changed
                var changedRoot = root
                changedRoot["$objects"] = .array(changedObjects)
                archives.append(.dictionary(changedRoot))
            }
        }
        return archives
    }

    private static func changes(
        of entry: PropertyListValue, _ values: [PropertyListValue?]
    ) -> [PropertyListValue] {
        guard case .dictionary(let fields) = entry else { return values.compactMap { $0 } }
        if fields["$classname"] != nil { return [] }
        return fields.keys.filter { $0 != "$class" }.flatMap { key in
            values.map { value in
                var changed = fields
                changed[key] = value
                return .dictionary(changed)
            }
        }
    }

    // MARK: Bad bytes

    /// Decodes all prefixes of a file, and the file with each byte changed in two ways.
    private static func readChangedBytes(_ path: String, from first: Int) throws {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        let count = bytes.count
        for number in first..<(count * 3) {
            tell(number)
            var changed = bytes
            switch number / count {
            case 0: changed.removeLast(count - number)
            case 1: changed[number % count] ^= 0xff
            default: changed[number % count] ^= 0x01
            }
            _ = try? KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(Data(changed))
        }
        print("survived")
    }

    // MARK: Comparing

    private static func compare(_ path: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        var ours: Any?
        do {
            ours = try KeyedUnarchiverCoder.unarchiveTopLevelObjectWithData(
                data, allowing: allFoundation)
            tell("read \(ours.map { "\(type(of: $0))" } ?? "nil")")
        } catch { tell("refused \(error)") }
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        let theirs = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error { throw error }
        guard let theirs = theirs as? NSObject, let ours = ours as? NSObject else {
            return print("different")
        }
        let names = (String(describing: type(of: ours)), String(describing: type(of: theirs)))
        let isEqual = names.0 == names.1 && (theirs.isEqual(ours) || isAlike(theirs, ours))
        print(isEqual ? "equal" : "different \(ours) \(theirs)")
    }

    /// Compares objects whose `isEqual` compares identity.
    private static func isAlike(_ left: NSObject, _ right: NSObject) -> Bool {
        switch (left, right) {
        case (let left as NSNotification, let right as NSNotification): left.name == right.name
        case (let left as ISO8601DateFormatter, let right as ISO8601DateFormatter):
            left.formatOptions == right.formatOptions && left.timeZone == right.timeZone
        case (let left as NSTextCheckingResult, let right as NSTextCheckingResult):
            (0..<left.numberOfRanges).map(left.range(at:))
                == (0..<right.numberOfRanges).map(right.range(at:))
        case (let left as ByteCountFormatter, let right as ByteCountFormatter):
            left.allowedUnits == right.allowedUnits && left.countStyle == right.countStyle
                && left.formattingContext == right.formattingContext && flags(left) == flags(right)
        case (let left as DateIntervalFormatter, let right as DateIntervalFormatter):
            settings(left) == settings(right)
        default: false
        }
    }

    private static func flags(_ formatter: ByteCountFormatter) -> [Bool] {
        [
            formatter.allowsNonnumericFormatting, formatter.includesUnit, formatter.includesCount,
            formatter.includesActualByteCount, formatter.isAdaptive,
            formatter.zeroPadsFractionDigits,
        ]
    }

    private static func settings(_ formatter: DateIntervalFormatter) -> [String?] {
        [
            formatter.dateTemplate, "\(formatter.dateStyle)", "\(formatter.timeStyle)",
            formatter.locale.identifier, formatter.timeZone.identifier,
            "\(formatter.calendar.identifier)",
        ]
    }

    private static let allFoundation = ClassRegistry.foundationObjects.adding(classes: [
        NSValue.self, NSAffineTransform.self, NSAttributedString.self,
        NSMutableAttributedString.self, NSRegularExpression.self, NSURLQueryItem.self,
        NSNotification.self, NSDecimalNumberHandler.self, ISO8601DateFormatter.self,
        NSMeasurement.self, NSCalendar.self, ByteCountFormatter.self, DateIntervalFormatter.self,
        NSTextCheckingResult.self,
    ])
    .adding(class: result("a", "a"), as: "NSSimpleRegularExpressionCheckingResult")
    .adding(class: result("(a)(b)(c)(d)", "abcd"), as: "NSExtendedRegularExpressionCheckingResult")
    .adding(
        class: result("(a)(b)(c)(d)(e)(f)(g)(h)", "abcdefgh"),
        as: "NSComplexRegularExpressionCheckingResult")

    /// Returns a private class of the results of Foundation's regular expressions.
    private static func result(_ pattern: String, _ text: String) -> AnyClass {
        let expression = try? NSRegularExpression(pattern: pattern)
        let range = NSRange(location: 0, length: text.utf16.count)
        let result = expression?.firstMatch(in: text, range: range)
        return result.map { type(of: $0) } ?? NSTextCheckingResult.self
    }
}

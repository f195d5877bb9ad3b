// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

/// Compares this library with Foundation's archiver and unarchiver, which run in a separate
/// process.
@Suite("Agreement of KeyedArchive with Foundation")
struct FoundationAgreementTests {
    @Test("Foundation reads archives written by this library", arguments: Row.all)
    func foundationReads(_ row: Row) throws {
        let result = try Peer.run("read", row.name, input: row.archive())
        if row.exceptions.contains(.foundationReads) {
            // Fails when a newer Foundation supports the value, so that the table is updated.
            #expect(
                result.status == Peer.crash || result.output.contains(" is not "),
                "Foundation reads it now, or fails in another way: \(result.output)")
        } else {
            #expect(result.output == "equal\n")
        }
    }

    @Test("this library reads archives written by Foundation", arguments: Row.all)
    func weRead(_ row: Row) throws {
        let result = try Peer.run("write", row.name)
        if row.exceptions.contains(.foundationWrites) {
            #expect(result.status == Peer.crash, "Foundation writes it now")
            return
        }
        try #require(result.status == 0)
        if row.exceptions.contains(.weRead) {
            #expect(throws: (any Error).self) { try row.reads(result.bytes) }
        } else {
            #expect(try row.reads(result.bytes))
        }
    }

    private static let article =
        "Sources/KeyedArchive/KeyedArchive.docc/ClassesOfFoundation.md"

    private static func articleText() throws -> String {
        try String(contentsOf: Corpus.repository.appending(path: article), encoding: .utf8)
    }

    @Test("the documentation lists the type of every class in the preset")
    func documentedTypes() throws {
        let text = try Self.articleText()
        // The dimensions (`NSUnitLength` and so on) have one row together. The two classes whose
        // names begin with `_` are parts of other objects.
        let names = ClassRegistry.foundation.names.filter {
            let isDimension =
                $0.hasPrefix("NSUnit") && $0 != "NSUnit" && !$0.hasPrefix("NSUnitConverter")
            return !$0.hasPrefix("_") && !isDimension
        }
        for name in names {
            let row = "| \(name) | `\(ClassRegistry.foundation.typeName(of: name) ?? "")` |"
            // Computed outside of `#expect`, which would print the whole article on failure.
            let isListed = text.contains(row)
            #expect(isListed, "add to the first table of \(Self.article): \(row)")
        }
    }

    @Test("the table in the documentation agrees with the results of these tests")
    func documentation() throws {
        let text = try Self.articleText()
        let table = try #require(text.firstRange(of: "### Agreement"))
        let lines = text[table.upperBound...].split(separator: "\n")
        for row in Row.all {
            let start = "| \(row.name) |"
            let line = lines.first { $0.hasPrefix(start) }
            let cells = (line ?? "").split(separator: "|").map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            let results = [
                row.exceptions.isDisjoint(with: [.foundationWrites, .weRead]),
                !row.exceptions.contains(.foundationReads),
            ].map { $0 ? "yes" : "no" }
            let agrees =
                cells.count == 3 && zip(cells[1...], results).allSatisfy { $0.hasPrefix($1) }
            #expect(
                agrees,
                "the table under Agreement in \(Self.article) needs: \(start) \(results.joined(separator: " | ")) |"
            )
        }
    }
}

/// Runs the process with Foundation's coders.
private enum Peer {
    /// The status that `run` returns for a process that trapped, aborted or overflowed its stack.
    static let crash: Int32 = -1

    static func run(
        _ verb: String, _ name: String, input: [UInt8] = []
    ) throws -> (status: Int32, bytes: [UInt8], output: String) {
        let process = Process()
        process.executableURL = Program.url("FoundationPeer")
        process.arguments = [verb, name]
        let (standardInput, output) = (Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try standardInput.fileHandleForWriting.close()
        let bytes = [UInt8](output.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let status = process.terminationStatus
        let isCrash =
            process.terminationReason == .uncaughtSignal
            && [SIGILL, SIGTRAP, SIGABRT, SIGSEGV].contains(status)
        return (isCrash ? crash : status, bytes, String(decoding: bytes, as: UTF8.self))
    }
}

/// A value that this test and `FoundationPeer` define under the same name.
struct Row: Sendable, CustomTestStringConvertible {
    /// A direction that does not work: Foundation cannot read or write the value, or this library
    /// cannot read Foundation's archive of it.
    enum Exception: Sendable { case foundationReads, foundationWrites, weRead }

    let name: String
    let archive: @Sendable () throws -> [UInt8]
    let reads: @Sendable ([UInt8]) throws -> Bool
    let exceptions: Set<Exception>

    var testDescription: String { name }

    init<T: KeyedCodable & Equatable & Sendable>(
        _ name: String, _ value: T, except exceptions: Set<Exception> = []
    ) {
        self.init(name, value, except: exceptions, ==)
    }

    init<T: KeyedCodable & Sendable>(
        _ name: String, _ value: T, except exceptions: Set<Exception> = [],
        _ isEqual: @escaping @Sendable (T, T) -> Bool
    ) {
        self.init(name, except: exceptions, make: { value }, isEqual)
    }

    init<T: KeyedCodable>(
        _ name: String, except exceptions: Set<Exception> = [], make: @escaping @Sendable () -> T,
        _ isEqual: @escaping @Sendable (T, T) -> Bool
    ) {
        self.name = name
        self.exceptions = exceptions
        archive = { try KeyedArchiver.archive(make()) }
        reads = { isEqual(try KeyedUnarchiver.unarchive(T.self, from: $0), make()) }
    }

    static let all = [plain, values, times, reports, texts, others, geometry].flatMap { $0 }

    private static let plain: [Row] = [
        Row("NSString", "Ångström \u{1F600}"),
        Row("NSMutableString", Mutable("mutable"), except: [.weRead]),
        Row("NSNumber, integer", Int64.min),
        Row("NSNumber, real", 0.1),
        Row("NSNumber, boolean", true),
        Row("NSData", Data([0, 1, 254, 255])),
        Row("NSMutableData", Mutable(Data([1, 2, 3]))),
        Row("NSDate", Date(timeIntervalSinceReferenceDate: 1234.5)),
        Row("NSNull", ArchivedNull()),
        Row("NSArray", ["a", 2, 2.5, true] as PropertyListValue),
        Row("NSMutableArray", ["a", ["b"]] as PropertyListValue),
        Row("NSDictionary", ["a": 1, "b": ["c": "d"]] as PropertyListValue),
        Row("NSMutableDictionary", Mutable(["a": "b"])),
        Row("NSSet", ArchivedSet<PropertyListValue>(["a", 1])) {
            Set($0.elements) == Set($1.elements)
        },
        Row("NSMutableSet", Mutable(["a"] as Set<String>)),
        Row("NSOrderedSet", ArchivedOrderedSet<PropertyListValue>(["b", "a", 1])) {
            $0.elements == $1.elements
        },
        Row("NSCountedSet", ArchivedCountedSet([("a", 2), ("b", 1)])) {
            Dictionary(uniqueKeysWithValues: $0.elements.map { ($0.element, $0.count) })
                == Dictionary(uniqueKeysWithValues: $1.elements.map { ($0.element, $0.count) })
        },
    ]

    private static let values: [Row] = [
        Row("NSUUID", UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F") ?? UUID()),
        Row("NSURL", URL(string: "https://example.com/a?b#c") ?? URL(filePath: "/")),
        Row(
            "NSURL with a base",
            URL(string: "c/d", relativeTo: URL(string: "https://example.com/a/b"))
                ?? URL(filePath: "/")),
        Row(
            "NSDecimalNumber", Decimal(string: "-123456789.000000001") ?? 0,
            except: [.foundationReads, .foundationWrites]),
        Row("NSIndexSet", ArchivedIndexSet(Array(0..<50) + Array(1000..<1005))),
        Row("NSIndexPath", IndexPath(indexes: [1, 200, 3])),
        Row("NSValue, range", make: { ArchivedValue.range(.init(location: 3, length: 4)) }) {
            guard case .range(let left) = $0, case .range(let right) = $1 else { return false }
            return left == right
        },
        Row("NSValue, point", make: { ArchivedValue.point(ArchivedPoint(x: 1, y: 2.5)) }) {
            guard case .point(let left) = $0, case .point(let right) = $1 else { return false }
            return left == right
        },
    ]

    private static let times: [Row] = [
        Row("NSLocale", ArchivedLocale(identifier: "de_CH")),
        Row("NSTimeZone", ArchivedTimeZone(name: "Europe/Zurich")) { $0.name == $1.name },
        Row(
            "NSCalendar",
            ArchivedCalendar(
                identifier: "gregorian", locale: ArchivedLocale(identifier: ""),
                timeZone: ArchivedTimeZone(name: "GMT"), firstWeekday: 1,
                minimumDaysInFirstWeek: 1)
        ) { $0.identifier == $1.identifier },
        Row(
            "NSDateComponents",
            make: {
                var components = ArchivedDateComponents()
                components.year = 2001
                components.month = 2
                components.nanosecond = 5
                return components
            }, ==),
        Row(
            "NSDateInterval",
            DateInterval(start: Date(timeIntervalSinceReferenceDate: 10), duration: 5),
            except: [.foundationReads]),
    ]

    private static let texts: [Row] = [
        Row(
            "NSAttributedString", except: [.foundationReads],
            make: {
                ArchivedAttributedString(
                    "text", attributes: ArchivedPairs([(AnyArchived("k"), AnyArchived("v"))]))
            }
        ) { $0.content?.value(as: String.self) == $1.content?.value(as: String.self) },
        Row("NSCharacterSet", ArchivedCharacterSet(.members("abc"))),
        Row(
            "NSByteCountFormatter",
            make: {
                var formatter = ArchivedByteCountFormatter()
                formatter.countStyle = 3
                return formatter
            }, ==),
        Row("NSRegularExpression", ArchivedRegularExpression("a+", options: .caseInsensitive)),
        Row("NSURLQueryItem", URLQueryItem(name: "n", value: "v")),
    ]

    private static let others: [Row] = [
        Row("NSMutableOrderedSet", Mutable(ArchivedOrderedSet(["b", "a"]))) {
            $0.value.elements == $1.value.elements
        },
        Row("NSMutableIndexSet", Mutable(ArchivedIndexSet(5..<7))),
        Row(
            "NSMutableAttributedString", except: [.foundationReads],
            make: { ArchivedAttributedString("text", kind: .mutable) }
        ) {
            $0.kind == $1.kind
                && $0.content?.value(as: String.self) == $1.content?.value(as: String.self)
        },
        Row(
            "NSAffineTransform",
            ArchivedNSAffineTransform(
                ArchivedAffineTransform(a: 2, b: 0, c: 0, d: 4, tx: 0, ty: 0)),
            except: [.foundationReads, .weRead]),
        Row(
            "NSISO8601DateFormatter",
            make: {
                let zone = AnyArchived(ArchivedTimeZone(name: "GMT"))
                return ArchivedISO8601DateFormatter(formatOptions: 3, timeZone: zone)
            }
        ) { $0.formatOptions == $1.formatOptions },
        Row(
            "NSDateIntervalFormatter",
            make: {
                var formatter = ArchivedDateIntervalFormatter(dateStyle: 3, timeStyle: 0)
                let locale = ArchivedLocale(identifier: "en_US")
                let zone = ArchivedTimeZone(name: "GMT")
                formatter.dateTemplate = ""
                formatter.dateTemplateFromStyles = ""
                formatter.locale = AnyArchived(locale)
                formatter.timeZone = AnyArchived(zone)
                formatter.calendar = AnyArchived(
                    ArchivedCalendar(
                        identifier: "gregorian", locale: locale, timeZone: zone, firstWeekday: 1,
                        minimumDaysInFirstWeek: 1))
                return formatter
            }
        ) { $0.dateStyle == $1.dateStyle },
    ]

    private static let geometry: [Row] = [
        Row(
            "NSValue, size",
            make: { ArchivedValue.size(ArchivedSize(width: 3, height: 4.5)) }
        ) {
            guard case .size(let left) = $0, case .size(let right) = $1 else { return false }
            return left == right
        },
        Row(
            "NSValue, rectangle",
            make: { ArchivedValue.rect(ArchivedRect(x: 1, y: 2, width: 3, height: 4)) }
        ) {
            guard case .rect(let left) = $0, case .rect(let right) = $1 else { return false }
            return left == right
        },
    ]

    private static let reports: [Row] = [
        Row(
            "NSError", except: [.foundationWrites],
            make: {
                ArchivedError(
                    domain: "domain", code: 7,
                    userInfo: ArchivedPairs([(AnyArchived("key"), AnyArchived("value"))]))
            }
        ) { $0.domain == $1.domain && $0.code == $1.code },
        Row(
            "NSNotification", except: [.foundationReads],
            make: { ArchivedNotification(name: "name") }
        ) {
            $0.name == $1.name
        },
        Row(
            "NSPersonNameComponents", except: [.foundationReads],
            make: {
                var components = ArchivedPersonNameComponents()
                components.name.givenName = "Anna"
                components.name.familyName = "Ångström"
                return components
            }, ==),
        Row(
            "NSMeasurement",
            ArchivedMeasurement(
                value: 5,
                unit: ArchivedUnit(
                    "NSUnitLength", symbol: "mi",
                    converter: .linear(coefficient: 1609.34, constant: 0), specifier: 1287))
        ) { $0.value == $1.value && $0.unit.symbol == $1.unit.symbol },
    ]
}

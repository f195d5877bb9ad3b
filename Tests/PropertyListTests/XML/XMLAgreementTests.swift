// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

/// Replaces values that not all implementations accept: integers beyond signed 64 bits.
private func plain(_ value: PropertyListValue) -> PropertyListValue {
    switch value {
    case .integer(let integer):
        .integer(integer.value(as: Int.self).map { PropertyListInteger($0) } ?? 7)
    case .array(let elements): .array(PropertyListArray(elements.map(plain)))
    case .dictionary(let entries):
        .dictionary(entries.reduce(into: [:]) { $0[$1.key] = plain($1.value) })
    default: value
    }
}

/// Converts the value to Foundation's objects.
private func foundation(_ value: PropertyListValue) -> Any {
    switch value {
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value.value(as: Int.self) ?? 0)
    case .real(let value): NSNumber(value: value.value)
    case .date(let value): Date(timeIntervalSinceReferenceDate: value.secondsSince2001)
    case .data(let value): Data(value)
    case .string(let value): value
    case .array(let elements): elements.map(foundation)
    case .dictionary(let entries):
        entries.reduce(into: NSMutableDictionary()) {
            $0.setObject(foundation($1.value), forKey: $1.key as NSString)
        }
    default: NSNull()
    }
}

private let seeds: [UInt64] = [1, 0x5EED_2001]

@Suite("XML round trips")
struct XMLRoundTripTests {
    @Test("a value round-trips through XML, and the text is stable", arguments: seeds)
    func xmlToXML(_ seed: UInt64) throws {
        var random = RandomPropertyList.forXML(seed: seed)
        for _ in 0..<300 {
            let value = random.value(depth: 4)
            let first = try text(value)
            #expect(try PropertyListValue(parsing: Array(first.utf8)) == value, "seed \(seed)")
            let document = try PropertyListDocument(parsing: Array(first.utf8))
            var options = XMLPropertyList.Options()
            options.realText = .seventeenDigits
            let again = try XMLPropertyList.serialize(document, options: options).bytes
            #expect(again == Array(first.utf8), "seed \(seed)")
        }
    }

    @Test("a binary property list round-trips through XML", arguments: seeds)
    func binary(_ seed: UInt64) throws {
        var random = RandomPropertyList.forXML(seed: seed)
        for _ in 0..<300 {
            let source = try PropertyListDocument(random.value(depth: 4))
            let binary = try BinaryPropertyList.serialize(source)
            let document = try PropertyListDocument(parsing: binary)
            let text = try XMLPropertyList.serialize(document).bytes
            let back = try BinaryPropertyList.serialize(try PropertyListDocument(parsing: text))
            #expect(back == binary, "seed \(seed)")
        }
    }
}

@Suite("XML agreement with other implementations")
struct XMLAgreementTests {
    @Test("Foundation writes the same text, and reads the same values", arguments: seeds)
    func foundationText(_ seed: UInt64) throws {
        var random = RandomPropertyList.forXML(seed: seed)
        for _ in 0..<200 {
            let value = plain(random.value(depth: 3))
            let ours = try text(value, sorted: true)
            let theirs = try PropertyListSerialization.data(
                fromPropertyList: foundation(value), format: .xml, options: 0)
            #expect(ours == String(decoding: theirs, as: UTF8.self), "seed \(seed)")
            let read = try unsafe PropertyListSerialization.propertyList(
                from: Data(ours.utf8), format: nil)
            let again = try PropertyListSerialization.data(
                fromPropertyList: read, format: .xml, options: 0)
            #expect(ours == String(decoding: again, as: UTF8.self), "seed \(seed)")
        }
    }

    @Test("the scanner reads every file that Foundation writes", arguments: seeds)
    func scanner(_ seed: UInt64) throws {
        var random = RandomPropertyList.forXML(seed: seed)
        for _ in 0..<100 {
            let value = plain(random.value(depth: 3))
            let text = try PropertyListSerialization.data(
                fromPropertyList: foundation(value), format: .xml, options: 0)
            let isScanned = XMLScanner.scan(Array(text), options: [], limits: .default) != nil
            #expect(isScanned, "seed \(seed)")
        }
    }

    @Test(
        "plistlib reads files written by this library, and vice versa",
        .enabled(if: Python.isAvailable, "python3 cannot be run here"))
    func plistlib() throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        var random = RandomPropertyList.forXML(seed: 3)
        let values = (0..<200).map { _ in plain(random.value(depth: 3)) }
        for (number, value) in values.enumerated() {
            try Data(try text(value).utf8).write(to: folder.appendingPathComponent("\(number).in"))
        }
        let script = """
            import glob, plistlib
            for name in glob.glob('*.in'):
                with open(name, 'rb') as file: value = plistlib.load(file)
                with open(name[:-2] + 'binary', 'wb') as file: plistlib.dump(value, file, fmt=plistlib.FMT_BINARY)
                with open(name[:-2] + 'xml', 'wb') as file: plistlib.dump(value, file, sort_keys=False)
            """
        try #require(try Python.run(script, in: folder) == 0)
        for (number, value) in values.enumerated() {
            for kind in ["binary", "xml"] {
                let result = try bytes(of: folder.appendingPathComponent("\(number).\(kind)"))
                #expect(
                    try PropertyListValue(parsing: result) == value,
                    "value \(number) through \(kind)")
            }
        }
    }
}

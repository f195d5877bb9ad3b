// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import PropertyList

private let seeds: [UInt64] = [1, 0x5EED_2001]

@Suite("Agreement of the binary reader and writer with other implementations")
struct BinaryAgreementTests {
    /// Returns the value without details that other implementations lose: widths of reals, the sign
    /// of zero, and keys that are canonically equivalent.
    private func plain(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .real(let real):
            .real(PropertyListReal(real.value == 0 ? 0 : real.value))
        case .array(let elements): .array(PropertyListArray(elements.map(plain)))
        case .dictionary(let entries):
            .dictionary(
                entries.enumerated().reduce(into: [:]) { result, entry in
                    result["k\(entry.offset)"] = plain(entry.element.value)
                })
        default: value
        }
    }

    private func values(_ seed: UInt64, _ count: Int, without: [PropertyListKind])
        -> [PropertyListValue]
    {
        let kinds = RandomPropertyList.allKinds.filter { !without.contains($0) }
        var source = RandomPropertyList(seed: seed, kinds: kinds)
        return (0..<count).map { _ in plain(source.value()) }
    }

    @Test(
        "Foundation reads files written by this library, and vice versa",
        arguments: seeds)
    func foundation(_ seed: UInt64) throws {
        // Foundation's property lists have no sets, nulls or UIDs, and some of these crash it.
        for value in values(seed, 200, without: [.null, .set, .uid]) {
            let ours = try BinaryPropertyList.serialize(PropertyListDocument(value))
            let read = try unsafe PropertyListSerialization.propertyList(
                from: Data(ours), format: nil)
            let theirs = try PropertyListSerialization.data(
                fromPropertyList: read, format: .binary, options: 0)
            #expect(try PropertyListValue(parsing: theirs) == value, "seed \(seed)")
            let document = try PropertyListDocument(parsing: theirs)
            #expect(document.coreFoundationLayout() != nil, "seed \(seed)")
        }
    }

    @Test(
        "plistlib reads files written by this library, and vice versa",
        .enabled(if: Python.isAvailable, "python3 cannot be run here"), arguments: seeds)
    func plistlib(_ seed: UInt64) throws {
        let temporary = try TemporaryFolder()
        let folder = temporary.url
        let values = values(seed, 200, without: [.null, .set])
        for (number, value) in values.enumerated() {
            let bytes = try BinaryPropertyList.serialize(PropertyListDocument(value))
            try Data(bytes).write(to: folder.appendingPathComponent("\(number).in"))
        }
        let script = """
            import glob, plistlib
            for name in glob.glob('*.in'):
                with open(name, 'rb') as file: value = plistlib.load(file)
                with open(name[:-2] + 'out', 'wb') as file:
                    plistlib.dump(value, file, fmt=plistlib.FMT_BINARY, sort_keys=False)
            """
        try #require(try Python.run(script, in: folder) == 0)
        for (number, value) in values.enumerated() {
            let bytes = try Data(contentsOf: folder.appendingPathComponent("\(number).out"))
            #expect(try PropertyListValue(parsing: bytes) == value, "seed \(seed), \(number)")
        }
    }
}

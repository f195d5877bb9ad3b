// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Deduplicated leaves of a document")
struct DistinctLeavesTests {
    /// Returns a document of random leaves. Many of them are equal, and some are also keys.
    private func document(
        _ seed: UInt64, sharesLeaves: Bool
    ) throws(PropertyListError) -> PropertyListDocument {
        var random = SplitMix64(seed: seed)
        var assembler = GraphAssembler(sharesLeaves: sharesLeaves)
        var values: [UInt32] = []
        var entries: [(key: UInt32, value: UInt32)] = []
        for number in 0..<400 {
            let value = addLeaf(&assembler, &random)
            values.append(value)
            if number.isMultiple(of: 8) {
                entries.append((assembler.key("text \(number)"), value))
            }
        }
        let dictionary = assembler.dictionary(entries)
        return try assembler.finish(root: assembler.array(values + [dictionary]))
    }

    private func addLeaf(_ assembler: inout GraphAssembler, _ random: inout SplitMix64) -> UInt32 {
        let number = random.below(100)
        switch random.below(9) {
        case 0: return assembler.boolean(number < 50)
        case 1: return assembler.integer(PropertyListInteger(number * 5 - 100))
        case 2: return assembler.real(PropertyListReal(Double(number)))
        case 3: return assembler.real(PropertyListReal(Float(number)))
        case 4: return assembler.date(PropertyListDate(secondsSince2001: Double(number)))
        // Some UIDs are far larger than the number of values.
        case 5: return assembler.uid(UInt32(number < 90 ? number * 30 : number * 1_000_000))
        case 6: return assembler.string("text \(number * 4)")
        case 7: return assembler.data([UInt8](repeating: UInt8(number), count: number * 3))
        default: return assembler.string(String(repeating: "ä", count: number))
        }
    }

    @Test("sharing stores equal leaves once and does not change the binary file", arguments: 0..<10)
    func distinct(_ seed: UInt64) throws {
        let shared = try document(seed, sharesLeaves: true)
        let separate = try document(seed, sharesLeaves: false)
        let bytes = try BinaryPropertyList.serialize(shared)
        #expect(try BinaryPropertyList.serialize(separate) == bytes, "seed \(seed)")
        #expect(
            try shared.root.value() == separate.root.value(),
            "seed \(seed)")
        // The file has each leaf once, and so must the document that shares leaves.
        let file = try PropertyListDocument(parsing: bytes)
        #expect(shared.nodeCount == file.nodeCount, "seed \(seed)")
        #expect(separate.nodeCount > file.nodeCount, "seed \(seed)")
    }

    @Test("a small UID is deduplicated even after larger ones were added")
    func largeUIDs() throws {
        var assembler = GraphAssembler(sharesLeaves: true)
        let first = assembler.uid(7)
        let large = assembler.uid(.max)
        #expect(assembler.uid(7) == first)
        #expect(assembler.uid(.max) == large)
        let other = assembler.uid(8)
        #expect(other != first && assembler.uid(8) == other)
        #expect(assembler.count == 3)
    }

    @Test("references raise the output limit of a document with few values")
    func budget() throws {
        var assembler = GraphAssembler(sharesLeaves: true)
        let text = String(repeating: "text ", count: 12)
        let texts = (0..<10_000).map { _ in assembler.string(text) }
        let document = try assembler.finish(root: assembler.array(texts))
        #expect(document.nodeCount == 2)
        var limits = ParsingLimits.untrusted
        limits.output.base = 0
        #expect(try document.serialized(as: .xml, limits: limits).count > 500_000)
    }
}

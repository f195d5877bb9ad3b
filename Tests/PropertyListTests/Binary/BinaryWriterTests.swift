// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("BinaryPropertyList")
struct BinaryWriterTests {
    /// Returns the bytes of a value in the compact layout.
    private func compact(_ value: PropertyListValue) throws -> [UInt8] {
        try BinaryPropertyList.serialize(PropertyListDocument(value))
    }

    @Test(
        "writes each scalar and empty container as CoreFoundation does",
        arguments: [
            (.null, "00"), (false, "08"), (true, "09"), (0, "1000"), (255, "10ff"),
            (256, "110100"), (65536, "1200010000"), (4_294_967_295, "12ffffffff"),
            (4_294_967_296, "130000000100000000"), (-1, "13ffffffffffffffff"),
            (
                .integer(PropertyListInteger(1 << 63 as UInt64)),
                "1400000000000000008000000000000000"
            ),
            (1.5, "233ff8000000000000"), (.real(PropertyListReal(1.5 as Float)), "223fc00000"),
            (-0.0, "238000000000000000"),
            (.date(PropertyListDate(secondsSince2001: 0)), "330000000000000000"),
            (.data([1, 2]), "420102"), ("", "50"), ("a", "5161"), ("😀", "62d83dde00"),
            ("fifteen letters", "5f100f6669667465656e206c657474657273"),
            (.uid(5), "8005"), (.uid(256), "810100"), (.uid(65536), "8300010000"),
            (.array([]), "a0"), (.set([]), "c0"), (.dictionary([:]), "d0"),
        ] as [(PropertyListValue, String)])
    func scalars(_ value: PropertyListValue, _ object: String) throws {
        let end = UInt8(8 + object.utf8.count / 2)
        let trailer = "08" + "000000000000" + "0101" + "0000000000000001" + "0000000000000000"
        let expected = "62706c6973743030" + object + trailer + "00000000000000" + hex([end])
        #expect(hex(try compact(value)) == expected)
    }

    @Test("writes equal leaves of each type once, and numbers objects depth first")
    func uniquing() throws {
        let value: PropertyListValue = ["a", "a", 1, 1.0, true, true, ["b": "a"], .uid(1), .uid(1)]
        let objects =
            "a9" + "010102030404050707" + "5161" + "1001" + "233ff0000000000000" + "09" + "d10601"
            + "5162" + "8001"
        let bytes = hex(try compact(value))
        #expect(bytes.dropFirst(16).hasPrefix(objects))
        #expect(try PropertyListValue(parsing: compact(value)) == value)
    }

    @Test(
        "distinguishes values that only look equal",
        arguments: [
            [0.0, -0.0], [1, 1.0, true], ["1", .data([0x31])], ["é", "e\u{301}"],
            [.real(PropertyListReal(1 as Float)), .real(PropertyListReal(1.0))],
            [.uid(1), 1], [.null, false],
            [-1, .integer(PropertyListInteger(UInt64.max))],
        ] as [[PropertyListValue]])
    func keptApart(_ values: [PropertyListValue]) throws {
        let value = PropertyListValue.array(PropertyListArray(values))
        let document = try PropertyListDocument(parsing: compact(value))
        #expect(document.nodeCount == values.count + 1)
        #expect(try document.root.value() == value)
    }

    @Test(
        "references are as wide as the number of objects requires",
        arguments: [
            (255, 1), (256, 2), (65_535, 2), (65_536, 4),
        ])
    func referenceWidths(_ count: Int, _ width: UInt8) throws {
        let numbers = (1..<count).map { PropertyListValue.integer(PropertyListInteger($0)) }
        let value = PropertyListValue.array(PropertyListArray(numbers))
        let bytes = try compact(value)
        #expect(bytes[bytes.count - 32 + 7] == width)
        #expect(try PropertyListValue(parsing: bytes) == value)
    }

    @Test(
        "offsets are as wide as the position of the offset table requires",
        arguments: [
            (255, 1), (256, 2), (65_535, 2), (65_536, 4),
        ])
    func offsetWidths(_ table: Int, _ width: UInt8) throws {
        let count = table - 8 - (table > 300 ? 4 : 3)
        let bytes = try compact(.data(zeros(count)))
        #expect(bytes[bytes.count - 32 + 6] == width)
        #expect(bytes.count == table + Int(width) + 32)
        #expect(try PropertyListValue(parsing: bytes) == .data(zeros(count)))
    }

    @Test("the path in an error begins at the root, even if the root is not the first object")
    func pathFromRoot() throws {
        let file = BinaryAssembler([.raw([0x70]), .array([0])], topObject: 1)
        let document = try parsed(file, options: .salvage)
        let storage = document.storage
        let order = storage.store.records.indices.map { UInt32($0) }
        let error = #expect(throws: PropertyListError.self) {
            try BinaryPropertyList.serialize(
                storage.store, order: order, root: storage.root, layout: .compact,
                budget: OperationBudget(limits: .trusted, [document]))
        }
        #expect(error?.code == .unrepresentableValue)
        #expect(error?.path == PropertyListPath([.index(0)]))
    }

    // MARK: CoreFoundation's layouts

    /// An array with two references each to a boolean, a UID and an array.
    private static let shared = BinaryAssembler([
        .array([1, 1, 2, 2, 3, 3]), .boolean(true), .uid(7), .array([4]), .ascii("a"),
    ])

    @Test("the current layout of CoreFoundation repeats booleans, UIDs and containers")
    func repeating() throws {
        let written = BinaryAssembler([
            .array([1, 1, 3, 3, 5, 5]), .boolean(true), .boolean(true), .uid(7), .uid(7),
            .array([6]), .ascii("a"), .array([6]),
        ])
        let bytes = try BinaryPropertyList.serialize(parsed(Self.shared), layout: .coreFoundation)
        #expect(bytes == written.bytes)
        #expect(try parsed(written).coreFoundationLayout() == .coreFoundation)
    }

    @Test("writes equal long leaves once, and distinguishes leaves that differ in any byte")
    func longLeaves() throws {
        let size = 300
        var leaves: [[UInt8]] = [Array(repeating: 0x41, count: size)]
        for place in 0..<size {
            var leaf = leaves[0]
            leaf[place] = 0x42
            leaves.append(leaf)
        }
        leaves += [Array(repeating: 0x41, count: 128), Array(repeating: 0x41, count: 129)]
        for seed in 0..<3 as Range<UInt64> {
            var random = SplitMix64(seed: seed)
            leaves.shuffle(using: &random)
            // Few leaves occur twice, so that the table of leaves has to grow.
            let twice = (leaves + leaves.shuffled(using: &random).prefix(20)).flatMap {
                [PropertyListValue.data($0), .string(String(decoding: $0, as: UTF8.self))]
            }
            let value = PropertyListValue.array(PropertyListArray(twice))
            let bytes = try BinaryPropertyList.serialize(PropertyListDocument(value))
            let read = try PropertyListDocument(parsing: bytes)
            #expect(read.nodeCount == 1 + 2 * leaves.count)
            #expect(try read.root.value() == value)
        }
    }

    @Test("the first layout of CoreFoundation shares every object")
    func uniqued() throws {
        let document = try parsed(Self.shared)
        let bytes = try BinaryPropertyList.serialize(document, layout: .coreFoundationUniqued)
        #expect(bytes == Self.shared.bytes)
        #expect(document.coreFoundationLayout() == .coreFoundationUniqued)

        let strings = BinaryAssembler([.array([1, 2]), .ascii("a"), .ascii("a")])
        #expect(try parsed(strings).coreFoundationLayout() == .coreFoundation)
    }

    @Test("the second layout of CoreFoundation can have offsets of three bytes")
    func tight() throws {
        let file = BinaryAssembler([.array([1]), .data(zeros(70_000))], offsetWidth: 3)
        #expect(try parsed(file).coreFoundationLayout() == .coreFoundationTightOffsets)
    }

    @Test("CoreFoundation's layouts keep the widths of integers and UIDs; the compact one does not")
    func widths() throws {
        let file = BinaryAssembler([
            .array([1, 2, 3]), .integer(1, width: 8), .uid(1, width: 4), .wideInteger(0, 2),
        ])
        #expect(try parsed(file).coreFoundationLayout() == .coreFoundation)
        let compact = BinaryAssembler([.array([1, 2, 3]), .integer(1), .uid(1), .integer(2)])
        #expect(try BinaryPropertyList.serialize(parsed(file)) == compact.bytes)
    }

    @Test(
        "files that Apple's writers cannot have made have no CoreFoundation layout",
        arguments: [
            BinaryAssembler([.array([2, 1]), .null, .boolean(true)]),
            BinaryAssembler([.null], offsetWidth: 2),
            BinaryAssembler([.null, .null], topObject: 1),
            BinaryAssembler([.null]).with { $0.gaps = [0: [0]] },
        ])
    func foreign(_ file: BinaryAssembler) throws {
        #expect(try parsed(file).coreFoundationLayout() == nil)
        let built = try PropertyListDocument([1])
        #expect(built.coreFoundationLayout() == nil)
    }

    @Test(
        "the bits of every NaN are kept",
        arguments: [0x7FC0_0000, 0x7FA0_0000, 0xFF80_0001, 0x7FFF_FFFF] as [UInt32])
    func singleNaN(_ bits: UInt32) throws {
        let file = BinaryAssembler([.raw([0x22] + bigEndian(bits))])
        let document = try parsed(file)
        #expect(try BinaryPropertyList.serialize(document) == file.bytes)
        let real = PropertyListReal(Float(bitPattern: bits))
        #expect(document.root.real == real)
        #expect(try compact(.real(real)) == file.bytes)
        #expect(real.description.contains("nan"))
    }

    private func bigEndian(_ word: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) }
    }

    @Test("output beyond the limit is refused")
    func outputLimit() throws {
        var limits = ParsingLimits.default
        limits.output = .init(factor: 0, base: 8)
        let document = try PropertyListDocument("text")
        let error = failure { _ = try BinaryPropertyList.serialize(document, limits: limits) }
        #expect(error?.code == .sizeLimitExceeded)
    }
}

/// Returns `bytes` in hexadecimal.
func hex(_ bytes: [UInt8]) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

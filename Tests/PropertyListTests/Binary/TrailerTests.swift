// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Trailer of binary property lists")
struct TrailerTests {
    private static let yes = BinaryAssembler([.boolean(true)])

    @Test(
        "refuses an invalid trailer, and locates the problem",
        arguments: [
            Refusal(
                "no object", yes.with { $0.objectCount = 0 }, .invalidTrailer, byte: 10 + 8),
            Refusal(
                "2⁶³ objects", yes.with { $0.objectCount = 1 << 63 }, .invalidTrailer,
                byte: 10 + 8),
            Refusal(
                "2⁶⁰ objects with 8-byte offsets",
                BinaryAssembler([.boolean(true)], offsetWidth: 8, objectCount: 1 << 60),
                .truncated, byte: 9),
            Refusal(
                "two objects, one offset", yes.with { $0.objectCount = 2 }, .truncated, byte: 9),
            Refusal(
                "top object past the end", yes.with { $0.topObject = 1 }, .invalidTrailer,
                byte: 10 + 16),
            Refusal(
                "top object 2⁶³", yes.with { $0.topObject = 1 << 63 }, .invalidTrailer,
                byte: 10 + 16),
            Refusal(
                "table where the first object begins", yes.with { $0.tableOffset = 8 },
                .invalidTrailer, byte: 10 + 24),
            Refusal(
                "table in the trailer", yes.with { $0.tableOffset = 10 }, .invalidTrailer,
                byte: 10 + 24),
            Refusal(
                "table at 2⁶⁴−1", yes.with { $0.tableOffset = .max }, .invalidTrailer,
                byte: 10 + 24),
            Refusal(
                "slack after the table", yes.with { $0.slack = [0] }, .trailingData, byte: 10),
        ])
    func refuses(_ refusal: Refusal) { refusal.check() }

    @Test(
        "refuses files that are shorter than the shortest property list",
        arguments: [6, 7, 8, 31, 40, 41])
    func refusesShort(_ size: Int) {
        #expect(failure(Array(Self.yes.bytes.prefix(size)))?.code == .truncated)
    }

    @Test("reads offsets and references of 1 to 8 bytes", arguments: 1...8, 1...8)
    func widths(_ offsetWidth: Int, _ referenceWidth: Int) throws {
        let file = BinaryAssembler(
            [.array([1, 2]), .ascii("a"), .boolean(false)], offsetWidth: offsetWidth,
            referenceWidth: referenceWidth)
        #expect(try parsed(file).root.value() == ["a", false])
    }

    @Test("refuses widths of 0 and of more than 8 bytes", arguments: [0, 9, 16, 255])
    func refusesWidths(_ width: Int) {
        let offsets = Self.yes.with { $0.declaredOffsetWidth = UInt8(width) }
        Refusal("offsets", offsets, .invalidTrailer, byte: 10 + 6).check()
        let references = Self.yes.with { $0.declaredReferenceWidth = UInt8(width) }
        Refusal("references", references, .invalidTrailer, byte: 10 + 7).check()
    }

    @Test("ignores the unused bytes and the sort version")
    func unusedBytes() throws {
        let file = Self.yes.with { $0.unused = [1, 2, 3, 4, 5, 6] }
        #expect(try parsed(file).root.boolean == true)
    }

    @Test("refuses other versions, unless an option allows another last digit")
    func versions() throws {
        let other = Self.yes.with { $0.header = Array("bplist01".utf8) }
        Refusal("01", other, .unrecognizedFormat, byte: 6, option: .anyMinorVersion).check()
        let document = try parsed(other, options: .anyMinorVersion)
        #expect(document.root.boolean == true)
        #expect(document.leniencies == .anyMinorVersion)

        let newer = Self.yes.with { $0.header = Array("bplist16".utf8) }
        #expect(failure(newer.bytes, options: .forensic)?.code == .unrecognizedFormat)
        #expect(failure(newer.bytes)?.recovery == nil)
        #expect(failure(Array("plist".utf8))?.code == .unrecognizedFormat)
    }

    @Test("salvages an offset table with missing entries")
    func salvage() throws {
        let file = BinaryAssembler([.array([1]), .boolean(true)], objectCount: 3)
        let document = try parsed(file, options: .salvage)
        #expect(document.problems.map(\.code) == [.truncated])
        #expect(document.leniencies == .salvage)
        #expect(try document.root.value() == [true])
    }
}

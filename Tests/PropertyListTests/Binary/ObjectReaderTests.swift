// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import PropertyList

@Suite("Objects of binary property lists")
struct ObjectReaderTests {
    /// A file whose only object is at byte 8.
    private static func one(_ object: BinaryAssembler.Object) -> BinaryAssembler {
        BinaryAssembler([object])
    }

    @Test(
        "refuses markers that begin no object",
        arguments: Array(
            [0x01...0x07, 0x0A...0x0F, 0x15...0x21, 0x24...0x32, 0x34...0x3F].joined())
            + Array([0x70...0x7F, 0x90...0x9F, 0xB0...0xBF, 0xE0...0xFF].joined()))
    func markers(_ marker: UInt8) {
        Refusal("marker", Self.one(.raw([marker] + zeros(20))), .invalidMarker, byte: 8).check()
    }

    @Test(
        "refuses counts and payloads that do not fit in the file",
        arguments: [
            Refusal("integer", one(.raw([0x13, 0, 0])), .invalidLength, byte: 9),
            Refusal("16-byte integer", one(.raw([0x14] + zeros(15))), .invalidLength, byte: 9),
            Refusal("single", one(.raw([0x22, 0])), .invalidLength, byte: 9),
            Refusal("double", one(.raw([0x23] + zeros(7))), .invalidLength, byte: 9),
            Refusal("date", one(.raw([0x33])), .invalidLength, byte: 9),
            Refusal("UID", one(.raw([0x8F] + zeros(15))), .invalidLength, byte: 9),
            Refusal("data", one(.raw([0x42, 0])), .invalidLength, byte: 9),
            Refusal("ASCII", one(.raw([0x52, 0x61])), .invalidLength, byte: 9),
            Refusal("UTF-16", one(.raw([0x61, 0])), .invalidLength, byte: 9),
            Refusal("array", one(.raw([0xA1])), .invalidLength, byte: 9),
            Refusal("set", one(.raw([0xC2, 0])), .invalidLength, byte: 9),
            Refusal("dictionary", one(.raw([0xD1, 0])), .invalidLength, byte: 9),
            Refusal("count missing", one(.raw([0x4F])), .invalidLength, byte: 9),
            Refusal("count cut", one(.raw([0x4F, 0x13, 0])), .invalidLength, byte: 10),
            Refusal(
                "count of 16 bytes", one(.raw([0x4F, 0x14] + zeros(16))), .invalidMarker, byte: 9),
            Refusal("count is a string", one(.raw([0x5F, 0x51, 0x61])), .invalidMarker, byte: 9),
        ])
    func refusesLengths(_ refusal: Refusal) { refusal.check() }

    @Test(
        "refuses counts of 2³¹ and more that do not fit in the file, without reserving anything",
        arguments: [0x40, 0x50, 0x60, 0xA0, 0xC0, 0xD0] as [UInt8],
        [1 << 31, 1 << 60, 1 << 62, 1 << 63 - 1, 1 << 63, .max] as [UInt64])
    func hugeCounts(_ marker: UInt8, _ count: UInt64) {
        let error = failure(Self.one(.counted(marker, count, width: 8, zeros(30))).bytes)
        #expect(error?.code == .invalidLength)
        #expect(error?.location?.byte == (count > Int64.max ? 10 : 18))
    }

    @Test(
        "refuses offsets outside the object area, with the position of the table entry",
        arguments: [0, 7, 10, 11, 255] as [UInt64])
    func offsets(_ offset: UInt64) {
        let file = BinaryAssembler(
            [.array([]), .boolean(true)], entries: [.object(0), .offset(offset)])
        Refusal("offset", file, .invalidOffset, byte: 11).check()
    }

    @Test("refuses an offset of 2⁶⁴−1")
    func hugeOffset() {
        let file = BinaryAssembler([.null], offsetWidth: 8, entries: [.offset(.max)])
        Refusal("offset", file, .invalidOffset, byte: 9).check()
    }

    @Test(
        "refuses references to missing objects, with the position of the reference",
        arguments: [
            Refusal(
                "array", BinaryAssembler([.array([1, 2]), .null]), .invalidReference, byte: 10),
            Refusal("set", BinaryAssembler([.set([9])]), .invalidReference, byte: 9),
            Refusal(
                "key", BinaryAssembler([.dictionary([7], [1]), .null]), .invalidReference, byte: 9),
            Refusal(
                "value", BinaryAssembler([.dictionary([1], [7]), .ascii("a")]), .invalidReference,
                byte: 10),
            Refusal(
                "2⁶⁴−1", BinaryAssembler([.array([.max])], referenceWidth: 8), .invalidReference,
                byte: 9),
        ])
    func refusesReferences(_ refusal: Refusal) { refusal.check() }

    @Test("gives the path to a malformed object")
    func path() {
        let file = BinaryAssembler([
            .dictionary([1], [2]), .ascii("list"), .array([3, 4]), .null, .raw([0xFF]),
        ])
        Refusal("path", file, .invalidMarker, byte: file.offset(of: 4), path: "list[1]").check()
    }

    @Test("accepts gaps, shared and descending offsets, unused objects, and any top object")
    func loose() throws {
        let file = BinaryAssembler(
            [.array([2, 3]), .ascii("unused"), .ascii("a")], topObject: 1,
            entries: [.object(1), .object(0), .object(2), .object(2)]
        ).with { $0.gaps = [0: [0x0F, 0xFF], 2: [0, 0, 0]] }
        let document = try parsed(file)
        #expect(try document.root.value() == ["a", "a"])
        #expect(document.leniencies == [])
        #expect(document.nodeCount == 4)
        #expect(document.root.number == 1)
    }

    @Test("accepts a reference width that CoreFoundation considers too small")
    func narrowReferences() throws {
        // By CoreFoundation's rule, 256 objects need references of two bytes. The parser checks
        // each reference instead.
        let objects = [BinaryAssembler.Object](repeating: .null, count: 255)
        let file = BinaryAssembler([.array([255])] + objects, offsetWidth: 2)
        #expect(try parsed(file).root[0]?.isNull == true)
    }

    // MARK: Numbers

    @Test(
        "reads integers of every width",
        arguments: [
            (.integer(0xFF, width: 1), "255"), (.integer(0xFFFF, width: 2), "65535"),
            (.integer(0xFFFF_FFFF, width: 4), "4294967295"), (.integer(1, width: 8), "1"),
            (.integer(.max, width: 8), "-1"), (.integer(1 << 63, width: 8), "-9223372036854775808"),
            (.wideInteger(0, 5), "5"), (.wideInteger(0, .max), "18446744073709551615"),
            (.wideInteger(.max, .max), "-1"),
            (.wideInteger(.max, 1 << 63), "-9223372036854775808"),
        ] as [(BinaryAssembler.Object, String)])
    func integers(_ object: BinaryAssembler.Object, _ expected: String) throws {
        #expect(try parsed(Self.one(object)).root.integer?.description == expected)
    }

    @Test(
        "refuses 16-byte integers out of range, unless an option ignores the high half",
        arguments: [(1, 0), (.max, 1), (1 << 63, .max)] as [(UInt64, UInt64)])
    func wideIntegers(_ high: UInt64, _ low: UInt64) throws {
        let file = Self.one(.wideInteger(high, low))
        Refusal("wide", file, .invalidNumber, byte: 8, option: .wideIntegers).check()
        let document = try parsed(file, options: .wideIntegers)
        #expect(document.root.integer == PropertyListInteger(low))
        #expect(document.leniencies == .wideIntegers)
    }

    @Test("reads UIDs of 1 to 16 bytes", arguments: 1...16)
    func uids(_ width: Int) throws {
        #expect(try parsed(Self.one(.uid(0xA5, width: width))).root.uid == 0xA5)
    }

    @Test("refuses UIDs above 2³²−1; an option ignores the high half of 16-byte UIDs")
    func largeUIDs() throws {
        let large = Self.one(.uid(1 << 32, width: 5))
        Refusal("large", large, .invalidNumber, byte: 8).check()
        #expect(failure(large.bytes, options: .appleCompatible)?.code == .invalidNumber)

        let wide = Self.one(.raw([0x8F, 1] + zeros(14) + [7]))
        Refusal("wide", wide, .invalidNumber, byte: 8, option: .wideIntegers).check()
        let document = try parsed(wide, options: .wideIntegers)
        #expect(document.root.uid == 7)
        #expect(document.leniencies == .wideIntegers)
    }

    @Test(
        "keeps the width and the bits of reals",
        arguments: [0, -0.0, 1.5, .infinity, .nan] as [Float])
    func reals(_ value: Float) throws {
        let single = try parsed(Self.one(.single(value))).root.real
        #expect(single == PropertyListReal(value) && single?.width == .single)
        let double = try parsed(Self.one(.real(Double(value)))).root.real
        #expect(double == PropertyListReal(Double(value)) && double?.width == .double)
    }

    @Test(
        "reads dates that are not finite, as Apple's coders write them",
        arguments: [Double.nan, .infinity, -.infinity])
    func nonFiniteDates(_ seconds: Double) throws {
        let file = Self.one(.date(seconds))
        let document = try parsed(file)
        #expect(document.root.date == PropertyListDate(secondsSince2001: seconds))
        #expect(document.leniencies == [])
        #expect(document.root.date?.description.isEmpty == false)
    }

    // MARK: Text

    @Test("refuses bytes above 7F in ASCII strings, unless an option reads them as ISO 8859-1")
    func highASCII() throws {
        let file = Self.one(.raw([0x53, 0x61, 0xE9, 0xFF]))
        Refusal("high", file, .invalidString, byte: 8, option: .highASCII).check()
        let document = try parsed(file, options: .highASCII)
        #expect(document.root.isString("aéÿ"))
        #expect(document.leniencies == .highASCII)
    }

    @Test(
        "refuses unpaired surrogates, unless an option replaces them",
        arguments: [
            ([0xD800], "\u{FFFD}"), ([0xDC00, 0x61], "\u{FFFD}a"), ([0x61, 0xD83D], "a\u{FFFD}"),
            ([0xD83D, 0xD83D, 0xDE00], "\u{FFFD}😀"), ([0xDE00, 0xD83D], "\u{FFFD}\u{FFFD}"),
        ] as [([UInt16], String)])
    func surrogates(_ units: [UInt16], _ expected: String) throws {
        let file = Self.one(.utf16(units))
        Refusal("surrogate", file, .invalidString, byte: 8, option: .unpairedSurrogates).check()
        let document = try parsed(file, options: .unpairedSurrogates)
        #expect(document.root.isString(expected))
        #expect(document.leniencies == .unpairedSurrogates)
    }

    @Test("reads text in UTF-16 like the same text in ASCII")
    func utf16ASCII() throws {
        let file = BinaryAssembler([
            .dictionary([1, 2], [3, 3]), .utf16(Array("key".utf16)), .utf16(Array("é😀".utf16)),
            .null,
        ])
        let document = try parsed(file)
        #expect(document.root["key"]?.isNull == true)
        #expect(document.root["é😀"]?.isNull == true)
        #expect(document.root["e\u{301}😀"] == nil)
        #expect(try parsed(Self.one(.utf16([]))).root.isString(""))
    }

    @Test("reads counts in integers that are longer than necessary", arguments: [1, 2, 4, 8])
    func countWidths(_ width: Int) throws {
        let file = Self.one(.counted(0x50, 2, width: width, [0x61, 0x62]))
        #expect(try parsed(file).root.string == "ab")
    }

    @Test("reads sets and null")
    func setsAndNull() throws {
        let document = try parsed(BinaryAssembler([.set([1, 1]), .null]))
        #expect(document.root.set?.count == 2)
        #expect(document.root.array == nil)
        #expect(try document.root.value() == .set([.null, .null]))
    }
}

/// Returns `count` zeros.
func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

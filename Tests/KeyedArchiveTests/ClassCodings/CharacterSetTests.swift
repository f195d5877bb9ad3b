// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Character sets")
struct CharacterSetTests {
    private static let description = Archives.describe("NSCharacterSet")

    private static func set(_ fields: PropertyListDictionary) throws -> ArchivedCharacterSet {
        try read(
            ArchivedCharacterSet.self,
            [PropertyListValue.dictionary(fields).with(["$class": .uid(2)]), description])
    }

    private static let bitmap: [UInt8] = {
        // The character A and the last code point of plane 0, then U+1F600.
        var bytes = [UInt8](repeating: 0, count: 8192 * 2 + 1)
        bytes[0x41 >> 3] = 2
        bytes[8191] = 0x80
        bytes[8192] = 1
        bytes[8193 + (0xF600 >> 3)] = 1
        return bytes
    }()

    @Test("character sets are read and written in their stored form")
    func forms() throws {
        let bitmap = Data(Self.bitmap)
        let cases: [(PropertyListDictionary, ArchivedCharacterSet)] = [
            (["NSBuiltinID": 4], .init(.predefined(4))),
            (["NSBuiltinID": 4, "NSIsInverted": true], .init(.predefined(4), isInverted: true)),
            (["NSRange": 416_611_827_738], .init(.range(first: 0x61, count: 26))),
            (["NSRange": -1], .init(.range(first: .max, count: .max))),
            (["NSString": "abc"], .init(.members("abc"))),
            (["NSBitmap": .data(Self.bitmap)], .init(.bitmap(bitmap))),
            (["NSBitmap": .data([])], .init(.bitmap(Data()))),
            (
                ["NSBuiltinID2": 15, "NSIsInverted2": true, "NSBitmap": .data(Self.bitmap)],
                .init(.predefinedWithBitmap(15, bitmap), isInverted: true)
            ),
        ]
        for (fields, value) in cases {
            #expect(try Self.set(fields) == value)
            let entry = PropertyListValue.dictionary(fields).with(["$class": .uid(2)])
            #expect(try written(value) == [entry, Self.description])
        }
    }

    @Test("character sets whose members or bitmaps are stored as objects round-trip")
    func objects() throws {
        let text: [PropertyListValue] = [
            ["NSStringObject": .uid(2), "NSIsInverted": true, "$class": .uid(3)], "abc",
            Self.description,
        ]
        let set = try read(ArchivedCharacterSet.self, text)
        #expect(set == .init(.members("abc"), isInverted: true, isStoredAsObject: true))
        #expect(try written(set) == text)
        let data: [PropertyListValue] = [
            ["NSBitmapObject": .uid(2), "$class": .uid(3)], .data([1]), Self.description,
        ]
        #expect(try written(read(ArchivedCharacterSet.self, data)) == data)
    }

    @Test("character sets keep their mutable class")
    func mutable() throws {
        let table: [PropertyListValue] = [
            ["NSBuiltinID": 1, "$class": .uid(2)],
            Archives.describe("NSMutableCharacterSet", "NSCharacterSet"),
        ]
        let set = try read(AnyArchived.self, table)
        #expect(set.value is Mutable<ArchivedCharacterSet>)
        #expect(try written(set) == table)
    }

    @Test("`contains` is true for the members of a character set and false for other characters")
    func members() {
        func check(
            _ form: ArchivedCharacterSet.Form, in members: String, not others: String,
            line: Int = #line
        ) {
            for isInverted in [false, true] {
                let set = ArchivedCharacterSet(form, isInverted: isInverted)
                let found = members.unicodeScalars.map { set.contains($0) }
                let lost = others.unicodeScalars.map { set.contains($0) }
                #expect(found.allSatisfy { $0 == !isInverted }, "line \(line)")
                #expect(lost.allSatisfy { $0 == isInverted }, "line \(line)")
            }
        }
        check(.predefined(1), in: "\u{0}\u{7F}\u{200D}", not: "a ")
        check(.predefined(2), in: " \t\u{A0}\u{3000}", not: "\n\ra")
        check(.predefined(3), in: " \t\n\r\u{85}\u{2028}", not: "a")
        check(.predefined(4), in: "09٣", not: "a½")
        check(.predefined(5), in: "aÄ字\u{301}", not: "1-")
        check(.predefined(6), in: "aß", not: "AǅⅣ")
        check(.predefined(7), in: "AÄǅ", not: "aª")
        check(.predefined(8), in: "\u{301}", not: "a")
        check(.predefined(10), in: "a1½\u{301}", not: "-")
        check(.predefined(11), in: "-«_", not: "a+")
        check(.predefined(12), in: "\u{FFFF}", not: "a\u{E000}")
        check(.predefined(13), in: "ǅ", not: "A")
        check(.predefined(14), in: "+€", not: "a-")
        check(.predefined(15), in: "\n\u{2029}\u{85}", not: " \t")
        check(.range(first: 0x61, count: 2), in: "ab", not: "`c")
        check(.range(first: 0x61, count: 0), in: "", not: "a")
        check(.range(first: .max, count: .max), in: "", not: "a\u{10FFFF}")
        check(.members("a\u{1F600}"), in: "a😀", not: "b")
        check(.bitmap(Data(Self.bitmap)), in: "A\u{FFFF}😀", not: "B😁\u{10041}\u{20041}")
        check(.bitmap(Data(Self.bitmap).dropFirst(1)), in: "9", not: "A")
        check(.bitmap(Data([0, 2])), in: "\t", not: "A\u{FFFF}😀")
        check(.bitmap(Data(Self.bitmap.prefix(8193))), in: "A", not: "😀")
        let bitmap = ArchivedCharacterSet(
            .predefinedWithBitmap(15, Data(Self.bitmap)), isInverted: true)
        #expect(bitmap.contains("A") == true)
        for number in [9, 0, -1, 16, .max, .min] {
            #expect(ArchivedCharacterSet(.predefined(number)).contains("a") == nil)
        }
    }

    @Test("character sets with fields of the wrong type are refused")
    func hostile() {
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            archiveError { try Self.set(fields) }?.code
        }
        let huge = PropertyListValue.integer(PropertyListInteger(UInt64.max))
        #expect(code([:]) == .missingValue)
        #expect(code(["NSIsInverted": true]) == .missingValue)
        #expect(code(["NSBuiltinID": "4"]) == .wrongType)
        #expect(code(["NSBuiltinID": 4.5]) == .valueOutOfRange)
        #expect(code(["NSBuiltinID": huge]) == .valueOutOfRange)
        #expect(code(["NSRange": true]) == .wrongType)
        #expect(code(["NSRange": huge]) == .valueOutOfRange)
        #expect(code(["NSString": .data([])]) == .wrongType)
        #expect(code(["NSBitmap": "abc"]) == .wrongType)
        #expect(code(["NSBuiltinID2": 15]) == .missingValue)
        #expect(code(["NSString": "a", "NSIsInverted": 1]) == .wrongType)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Fonts, paragraph styles, shadows, paths")
struct TextStyleTests {
    /// Returns the error code of decoding `table` with `changes` to the fields of its first object;
    /// nil if it decodes.
    private func code<T: KeyedDecodable>(
        _ type: T.Type, _ table: [PropertyListValue], _ changes: PropertyListDictionary
    ) -> KeyedArchiveError.Code? {
        refusal(type, [table[0].with(changes)] + table.dropFirst())
    }

    private static let single = PropertyListValue.real(PropertyListReal(Float(12.5)))

    // MARK: Fonts

    @Test("fonts round-trip")
    func fonts() throws {
        let table: [PropertyListValue] = [
            [
                "NSName": .uid(2), "NSSize": Self.single, "NSfFlags": 16, "NSDescriptor": .uid(3),
                "NSHasWidth": true, "NSNewer": 1, "$class": .uid(7),
            ], "Menlo",
            [
                "NSFontDescriptorAttributes": .uid(4), "NSFontDescriptorOptions": 2_147_581_958,
                "$class": .uid(6),
            ],
            ["NS.keys": [], "NS.objects": [], "$class": .uid(5)], Archives.describe("NSDictionary"),
            Archives.describe("NSFontDescriptor"), Archives.describe("NSFont"),
        ]
        let font = try read(ArchivedFont.self, table)
        #expect(font.name == "Menlo" && font.size.value == 12.5 && font.flags == 16)
        #expect(font.hasWidth == true && font.extraFields.keys == ["NSNewer"])
        let descriptor = font.descriptor?.value(as: ArchivedFontDescriptor.self)
        #expect(descriptor?.options == 2_147_581_958 && descriptor?.attributes != nil)
        #expect(try written(font) == table)
        #expect(
            try written(ArchivedFont(name: "Menlo", size: 11)) == [
                ["NSName": .uid(2), "NSSize": 11.0, "NSfFlags": 16, "$class": .uid(3)], "Menlo",
                Archives.describe("NSFont"),
            ])
        #expect(code(ArchivedFont.self, table, ["NSSize": .null]) == .missingValue)
        #expect(code(ArchivedFont.self, table, ["NSSize": "12"]) == .wrongType)
        #expect(code(ArchivedFont.self, table, ["NSSize": true]) == .wrongType)
        #expect(code(ArchivedFont.self, table, ["NSSize": 12]) == nil)
        #expect(code(ArchivedFont.self, table, ["NSName": .uid(3)]) == .wrongType)
        #expect(code(ArchivedFont.self, table, ["NSfFlags": 1.5]) == .valueOutOfRange)
        #expect(code(ArchivedFont.self, table, ["NSHasWidth": 1]) == .wrongType)
        #expect(code(ArchivedFont.self, table, ["NSDescriptor": .uid(1)]) == .referenceCycle)
        let descriptors: [PropertyListValue] = [
            ["NSFontDescriptorAttributes": .uid(2), "$class": .uid(3)], "no dictionary",
            Archives.describe("NSFontDescriptor"),
        ]
        #expect(code(ArchivedFontDescriptor.self, descriptors, [:]) == .wrongType)
    }

    @Test("UIKit fonts and font descriptors round-trip")
    func uiFonts() throws {
        let table: [PropertyListValue] = [
            [
                "UIFontName": .uid(2), "NSName": .uid(2), "UIFontPointSize": Self.single,
                "NSSize": 12.5, "UIFontTraits": 0, "UISystemFont": true,
                "UIFontDescriptor": .uid(3),
                "UIFontPointSizeForScaling": 0.0, "$class": .uid(9),
            ], "Helvetica", ["UIFontDescriptorAttributes": .uid(4), "$class": .uid(8)],
            ["NS.keys": [.uid(5)], "NS.objects": [.uid(6)], "$class": .uid(7)],
            "NSFontSizeAttribute", 12.5, Archives.describe("NSDictionary"),
            Archives.describe("UIFontDescriptor", "NSFontDescriptor"), Archives.describe("UIFont"),
        ]
        let font = try read(ArchivedUIFont.self, table)
        #expect(font.name == "Helvetica" && font.nsName == "Helvetica")
        #expect(font.pointSize?.value == 12.5 && font.pointSize != font.nsSize)
        #expect(font.traits == 0 && font.isSystemFont == true)
        #expect(font.extraFields.keys == ["UIFontPointSizeForScaling"])
        let descriptor = font.descriptor?.value(as: ArchivedUIFontDescriptor.self)
        #expect(
            descriptor?.attributes?.value(as: ArchivedPairs<AnyArchived, AnyArchived>.self)?
                .entries.count == 1)
        #expect(try written(font) == table)
        #expect(code(ArchivedUIFont.self, table, ["UIFontTraits": "0"]) == .wrongType)
        #expect(code(ArchivedUIFont.self, table, ["UISystemFont": 0]) == .wrongType)
        #expect(code(ArchivedUIFont.self, table, ["UIFontName": .uid(4)]) == .wrongType)
        let descriptors: [PropertyListValue] = [
            ["UIFontDescriptorAttributes": .uid(2), "$class": .uid(3)], "no dictionary",
            Archives.describe("UIFontDescriptor", "NSFontDescriptor"),
        ]
        #expect(code(ArchivedUIFontDescriptor.self, descriptors, [:]) == .wrongType)
        #expect(
            code(
                ArchivedUIFontDescriptor.self, descriptors, ["UIFontDescriptorAttributes": .uid(0)])
                == nil)
    }

    // MARK: Paragraphs

    private static let paragraph: [PropertyListValue] = [
        [
            "NSAlignment": 4, "NSLineBreakMode": 2, "NSWritingDirection": 1, "NSTabStops": .uid(2),
            "NSDefaultTabInterval": 36.0, "NSMinLineHeight": single, "NSMaxLineHeight": 16.0,
            "NSLineSpacing": 1.0, "NSParagraphSpacing": 2.0, "NSHeadIndent": 3.0,
            "NSTailIndent": -4.0, "NSFirstLineHeadIndent": 5.0,
            "NSAllowsTighteningForTruncation": 1, "NSTighteningFactorForTruncation": 0.05,
            "NSTextLists": .uid(6), "$class": .uid(7),
        ],
        ["NS.objects": [.uid(3)], "$class": .uid(5)],
        ["NSLocation": 56.0, "NSTabAlignment": 2, "$class": .uid(4)],
        Archives.describe("NSTextTab"), Archives.describe("NSArray"),
        ["NS.objects": [], "$class": .uid(5)],
        Archives.describe("NSMutableParagraphStyle", "NSParagraphStyle"),
    ]

    @Test("paragraph styles round-trip")
    func paragraphs() throws {
        let value = try read(AnyArchived.self, Self.paragraph)
        let style = try #require(value.value as? Mutable<ArchivedParagraphStyle>).value
        #expect(style.alignment == 4 && style.lineBreakMode == 2 && style.writingDirection == 1)
        #expect(style.defaultTabInterval == 36.0 && style.minimumLineHeight?.value == 12.5)
        #expect(style.maximumLineHeight == 16.0 && style.lineSpacing == 1.0)
        #expect(style.paragraphSpacing == 2.0 && style.headIndent == 3.0)
        #expect(style.tailIndent == -4.0 && style.firstLineHeadIndent == 5.0)
        #expect(style.allowsTighteningForTruncation == 1)
        #expect(style.tighteningFactorForTruncation == 0.05)
        #expect(style.extraFields.keys == ["NSTextLists"])
        let tabs = style.tabStops?.value(as: [AnyArchived].self)
        let tab = try #require(tabs?.first?.value(as: ArchivedTextTab.self))
        #expect(tab.location == 56.0 && tab.extraFields.keys == ["NSTabAlignment"])
        #expect(try written(value) == Self.paragraph)
        #expect(
            try written(ArchivedParagraphStyle()) == [
                ["NSTabStops": .uid(0), "$class": .uid(2)], Archives.describe("NSParagraphStyle"),
            ])
    }

    @Test("paragraph styles with fields of the wrong type are refused")
    func hostileParagraphs() {
        func refused(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            code(ArchivedParagraphStyle.self, Self.paragraph, changes)
        }
        #expect(refused([:]) == nil)
        #expect(refused(["NSTabStops": .null]) == nil)
        #expect(refused(["NSTabStops": .uid(3)]) == .wrongType)
        #expect(refused(["NSTabStops": [.uid(3)]]) == .wrongType)
        #expect(refused(["NSAlignment": true]) == .wrongType)
        #expect(refused(["NSLineBreakMode": 0.5]) == .valueOutOfRange)
        #expect(
            refused(["NSWritingDirection": .integer(PropertyListInteger(UInt64.max))])
                == .valueOutOfRange)
        #expect(refused(["NSMaxLineHeight": "16"]) == .wrongType)
        let tab: [PropertyListValue] = [
            ["NSLocation": 1.0, "$class": .uid(2)], Archives.describe("NSTextTab"),
        ]
        #expect(code(ArchivedTextTab.self, tab, ["NSLocation": .null]) == .missingValue)
        #expect(code(ArchivedTextTab.self, tab, ["NSLocation": true]) == .wrongType)
        #expect(
            code(
                ArchivedTextTab.self, tab,
                ["NSLocation": .integer(PropertyListInteger(Int.max))]) == .valueOutOfRange)
    }

    // MARK: Shadows and paths

    @Test("shadows round-trip")
    func shadows() throws {
        let table: [PropertyListValue] = [
            [
                "NSShadowHoriz": 1.0, "NSShadowVert": -8.0, "NSShadowBlurRadius": Self.single,
                "NSShadowColor": .uid(2), "$class": .uid(4),
            ],
            ["NSColorSpace": 4, "NSWhite": .data([0x30, 0]), "$class": .uid(3)],
            Archives.describe("NSColor"), Archives.describe("NSShadow"),
        ]
        let shadow = try read(ArchivedShadow.self, table)
        #expect(shadow.horizontalOffset == 1.0 && shadow.verticalOffset == -8.0)
        #expect(shadow.blurRadius?.value == 12.5)
        #expect(shadow.color?.value(as: ArchivedColor.self)?.components == [0, 1])
        #expect(try written(shadow) == table)
        #expect(try written(ArchivedShadow())[0] == ["$class": .uid(2)])
        #expect(code(ArchivedShadow.self, table, ["NSShadowVert": false]) == .wrongType)
        #expect(code(ArchivedShadow.self, table, ["NSShadowColor": .uid(1)]) == .referenceCycle)
        #expect(code(ArchivedShadow.self, table, ["NSShadowColor": .data([])]) == .wrongType)
    }

    @Test("paths round-trip")
    func paths() throws {
        let segments: [ArchivedBezierPath.Segment] = [
            .init(.move, x: 0, y: 0), .init(.line, x: 8, y: -0.5), .init(.curve, x: 1, y: 2),
            .init(.curve, x: 3, y: 4), .init(.curve, x: .infinity, y: 5), .init(.close, x: 0, y: 0),
        ]
        var path = ArchivedBezierPath(segments)
        path.lineWidth = 2.0
        path.flatness = PropertyListReal(Float(0.6))
        let bytes: [UInt8] =
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0x41, 0, 0, 0, 0xBF, 0, 0, 0]
            + [2, 0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 2, 0x40, 0x40, 0, 0, 0x40, 0x80, 0, 0]
            + [2, 0x7F, 0x80, 0, 0, 0x40, 0xA0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0]
        let table: [PropertyListValue] = [
            [
                "NSSegments": .data(bytes), "NSLineWidth": 2.0,
                "NSFlatness": .real(PropertyListReal(Float(0.6))), "$class": .uid(2),
            ], Archives.describe("NSBezierPath"),
        ]
        #expect(try written(path) == table)
        let back = try read(ArchivedBezierPath.self, table)
        #expect(back.segments == segments && back.lineWidth == 2.0)
        #expect(try written(ArchivedBezierPath([]))[0] == ["$class": .uid(2)])
        #expect(ArchivedBezierPath([]).segments == [])
        // Data that does not describe a path is kept, but has no segments.
        for bytes in [[0], [UInt8](repeating: 0, count: 10), [4, 0, 0, 0, 0, 0, 0, 0, 0]] {
            let odd = try read(
                ArchivedBezierPath.self, [table[0].with(["NSSegments": .data(bytes)]), table[1]])
            #expect(odd.segments == nil && odd.segmentData == Data(bytes))
        }
        #expect(code(ArchivedBezierPath.self, table, ["NSSegments": "0"]) == .wrongType)
        #expect(code(ArchivedBezierPath.self, table, ["NSSegments": .uid(0)]) == .wrongType)
        #expect(code(ArchivedBezierPath.self, table, ["NSLineWidth": true]) == .wrongType)
    }

    // MARK: External archives

    @Test(
        "text styles of all external archives are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func all() throws {
        var counts: [String: Int] = [:]
        var changed: [String: String] = [:]
        for archive in try Specimens.collected([
            "NSFont", "UIFont", "NSFontDescriptor", "UIFontDescriptor", "NSParagraphStyle",
            "NSMutableParagraphStyle", "NSTextTab", "NSShadow", "NSBezierPath",
        ]) {
            let again = try Specimens.rewritten(archive, allowing: .everything) { value in
                switch value.value {
                case let font as ArchivedFont:
                    #expect(font.name?.isEmpty == false && font.size.value >= 9)
                    #expect(font.flags != nil && font.extraFields.keys.isEmpty)
                case let descriptor as ArchivedFontDescriptor:
                    #expect(descriptor.attributes != nil && descriptor.extraFields.keys.isEmpty)
                case let style as ArchivedParagraphStyle:
                    #expect(style.alignment != nil && style.extraFields.keys.isEmpty)
                case let style as Mutable<ArchivedParagraphStyle>:
                    #expect(style.value.extraFields.keys.isEmpty)
                case let tab as ArchivedTextTab: #expect(tab.location.value >= 0)
                case let shadow as ArchivedShadow: #expect(shadow.verticalOffset != nil)
                case let path as ArchivedBezierPath:
                    #expect(path.segments?.first?.kind == .move)
                default: Issue.record("\(archive): \(type(of: value.value))")
                }
                counts["\(type(of: value.value))", default: 0] += 1
            }
            changed[archive.name] = try Specimens.difference(again, archive)
        }
        // This archive stores a dictionary under `NS.key.0`, …; the encoder writes it under
        // `NS.keys`.
        #expect(
            Array(changed.keys) == [
                "sketch/JackieXie168__skim--Sparkle-Icon.sketch--e0b2dfdc.bplist"
            ], "\(changed)")
        #expect(counts["ArchivedFont", default: 0] >= 394)
        #expect(counts["ArchivedFontDescriptor", default: 0] >= 4)
        #expect(counts["ArchivedParagraphStyle", default: 0] >= 7)
        #expect(counts["Mutable<ArchivedParagraphStyle>", default: 0] >= 13)
        #expect(counts["ArchivedTextTab", default: 0] >= 44)
        #expect(counts["ArchivedShadow", default: 0] >= 70)
        #expect(counts["ArchivedBezierPath", default: 0] >= 110)
    }
}

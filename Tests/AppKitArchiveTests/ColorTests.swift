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

@Suite("Colors")
struct ColorTests {
    private static let description = Archives.describe("NSColor")

    private static func color(_ fields: PropertyListDictionary) throws -> ArchivedColor {
        try read(
            ArchivedColor.self,
            [PropertyListValue.dictionary(fields).with(["$class": .uid(2)]), description])
    }

    @Test("colors have the components of their kind")
    func components() throws {
        func components(_ kind: Int, _ key: String, _ text: String) throws -> [Double]? {
            try Self.color([
                "NSColorSpace": .integer(PropertyListInteger(kind)), key: .data(Array(text.utf8)),
            ]).components
        }
        #expect(try components(1, "NSRGB", "0.25 0 1\0") == [0.25, 0, 1, 1])
        #expect(try components(2, "NSRGB", "0.25 0 1 0.5\0") == [0.25, 0, 1, 0.5])
        #expect(try components(3, "NSWhite", "0.5\0") == [0.5, 1])
        #expect(try components(4, "NSWhite", "1e-3 0") == [0.001, 0])
        #expect(try components(5, "NSCMYK", "0 0 0 1\0") == [0, 0, 0, 1, 1])
        #expect(try components(6, "NSRGB", "0 0 0") == nil)
        #expect(try components(.max, "NSRGB", "0 0 0") == nil)
        for text in [
            "", "\0", "1 2", "1 2 3 4 5", "a b c", "nan 0 0", "1e999 0 0", "1 2 3\0\0", "1,2,3",
            String(repeating: "1 ", count: 1000),
        ] {
            #expect(try components(1, "NSRGB", text) == nil, "\(text)")
        }
        let bytes = try Self.color(["NSColorSpace": 1, "NSRGB": .data([0x31, 0xFF])])
        #expect(bytes.components == nil)
    }

    @Test("a hundred thousand nested colors are released without a deep stack")
    func release() {
        var color = ArchivedColor(white: 0)
        for _ in 0..<100_000 {
            let fallback = AnyArchived(color)
            color = ArchivedColor(.catalog)
            color.fallback = fallback
        }
        #expect(color.fallback != nil)
    }

    @Test("colors are written as Apple's archiver writes them")
    func writing() throws {
        #expect(
            try written(ArchivedColor(red: 1, green: 0.5, blue: 0)) == [
                ["NSColorSpace": 1, "NSRGB": .data(Array("1 0.5 0\0".utf8)), "$class": .uid(2)],
                Self.description,
            ])
        #expect(
            try written(ArchivedColor(white: 0, alpha: 0.25)) == [
                ["NSColorSpace": 3, "NSWhite": .data(Array("0 0.25\0".utf8)), "$class": .uid(2)],
                Self.description,
            ])
    }

    private static let catalog: [PropertyListValue] = [
        [
            "NSColorSpace": 6, "NSCatalogName": .uid(2), "NSColorName": .uid(3), "NSColor": .uid(4),
            "$class": .uid(8),
        ],
        "System", "controlColor",
        [
            "NSColorSpace": 3, "NSWhite": .data(Array("0\0".utf8)),
            "NSComponents": .data(Array("0 1".utf8)), "NSCustomColorSpace": .uid(5),
            "$class": .uid(8),
        ],
        ["NSID": 9, "NSModel": 0, "NSSpaceID": 14, "NSICC": .uid(6), "$class": .uid(7)],
        .data([1, 2]), Archives.describe("NSColorSpace"), description,
    ]

    @Test("colors given by name or in their own color space round-trip")
    func catalogs() throws {
        let color = try read(ArchivedColor.self, Self.catalog)
        #expect(color.kind == .catalog && color.components == nil)
        #expect(color.catalogName == "System" && color.colorName == "controlColor")
        let fallback = try #require(color.fallback?.value(as: ArchivedColor.self))
        #expect(fallback.components == [0, 1])
        #expect(fallback.customComponents == Data("0 1".utf8))
        let space = try #require(fallback.customColorSpace?.value(as: ArchivedColorSpace.self))
        #expect(space.id == 9 && space.model == 0 && space.spaceID == 14)
        #expect(space.profileData == Data([1, 2]))
        #expect(try written(color) == Self.catalog)
    }

    @Test("colors keep unknown fields, but drop references to objects whose class is not allowed")
    func extraFields() throws {
        let objects: [PropertyListValue] = [
            [
                "NSColorSpace": 1, "NSRGB": .data([0x30]), "NSLinearExposure": 2.5,
                "NSList": [.uid(3)],
                "NSLater": .uid(4), "$$x": .uid(0), "$class": .uid(2),
            ],
            Self.description, "kept", ["secret": 1, "$class": .uid(5)], Archives.describe("Evil"),
        ]
        let color = try read(ArchivedColor.self, objects)
        #expect(color.extraFields.keys == ["NSLinearExposure", "NSList", "$x"])
        #expect(color.extraFields.ignoredKeys == ["NSLater"])
        #expect(
            try written(color) == [
                objects[0].with(["NSList": [.uid(2)], "NSLater": .null, "$class": .uid(3)]), "kept",
                Self.description,
            ])
        let all = try read(
            ArchivedColor.self, objects, allowing: .everything.keepingUnknownClasses())
        #expect(all.extraFields.ignoredKeys.isEmpty)
        let bytes = try KeyedArchiver.archive(
            all, allowing: .everything.keepingUnknownClasses())
        #expect(
            try Specimens.graph(bytes)
                == Specimens.graph(Archives.make(objects)))
        // Decoding refuses references in nested containers, which no archiver writes.
        for value: PropertyListValue in [["a": .uid(3)], [[.uid(3)]]] {
            let odd = [objects[0].with(["NSList": value])] + objects.dropFirst()
            #expect(refusal(ArchivedColor.self, odd) == .malformedObject)
        }
    }

    @Test("a color is written once although both typed and untyped objects refer to it")
    func identityOfKept() throws {
        let objects: [PropertyListValue] = [
            ["NS.objects": [.uid(2), .uid(4), .uid(2)], "$class": .uid(6)],
            ["NSColorSpace": 6, "$class": .uid(3)], Self.description,
            ["NSColor": .uid(2), "$class": .uid(5)], Archives.describe("NSImage"),
            Archives.describe("NSArray"),
        ]
        let registry = ClassRegistry.everything.keepingUnknownClasses()
        for order in [objects[0], objects[0].with(["NS.objects": [.uid(4), .uid(2), .uid(4)]])] {
            let bytes = try Archives.make([order] + objects.dropFirst())
            let colors = try KeyedUnarchiver.unarchive(
                [AnyArchived].self, from: bytes, allowing: registry)
            let again = try KeyedArchiver.archive(colors, allowing: registry)
            #expect(try Specimens.graph(again) == Specimens.graph(bytes))
        }
    }

    @Test("colors share one color space")
    func identity() throws {
        let space: PropertyListValue = ["NSID": 7, "$class": .uid(6)]
        let color: PropertyListValue = [
            "NSColorSpace": 1, "NSCustomColorSpace": .uid(5), "$class": .uid(4),
        ]
        let objects: [PropertyListValue] = [
            ["NS.objects": [.uid(2), .uid(3), .uid(2)], "$class": .uid(7)], color, color,
            Self.description, space, Archives.describe("NSColorSpace"),
            Archives.describe("NSArray"),
        ]
        let again = try KeyedArchiver.archive(
            read([AnyArchived].self, objects), allowing: .everything)
        #expect(try Specimens.graph(again) == Specimens.graph(Archives.make(objects)))
    }

    @Test(
        "colors with fields of the wrong type are refused",
        arguments: [
            ("NSColorSpace", .null, "missingValue"), ("NSColorSpace", true, "wrongType"),
            ("NSColorSpace", 1.5, "valueOutOfRange"), ("NSWhite", "0", "wrongType"),
            ("NSRGB", 1, "wrongType"), ("NSComponents", [1], "wrongType"),
            ("NSCustomColorSpace", .uid(2), "wrongType"), ("NSColor", .uid(5), "wrongType"),
            ("NSColor", .uid(1), "referenceCycle"), ("NSCatalogName", .uid(5), "wrongType"),
            ("NSColorName", 5, "wrongType"), ("NSCustomColorSpace", 5, "wrongType"),
        ] as [(String, PropertyListValue, String)])
    func hostile(key: String, value: PropertyListValue, code: String) {
        let objects = [Self.catalog[0].with([key: value])] + Self.catalog.dropFirst()
        #expect(refusal(ArchivedColor.self, objects)?.description == code)
    }

    @Test("color spaces with fields of the wrong type are refused")
    func hostileSpaces() {
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            let objects: [PropertyListValue] = [
                ["NSID": 1, "$class": .uid(2)], Archives.describe("NSColorSpace"), "text",
            ]
            return refusal(
                ArchivedColorSpace.self, [objects[0].with(changes)] + objects.dropFirst())
        }
        #expect(code([:]) == nil)
        #expect(code(["NSID": "1"]) == .wrongType)
        #expect(code(["NSModel": 0.5]) == .valueOutOfRange)
        #expect(
            code(["NSSpaceID": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
        #expect(code(["NSICC": .uid(3)]) == .wrongType)
        #expect(code(["NSICC": .data([1])]) == .wrongType)
        #expect(code(["NSICC": .uid(2)]) == .malformedObject)
    }

    @Test("UIKit colors round-trip, and keep the precision of their numbers")
    func uiColors() throws {
        let table: [PropertyListValue] = [
            [
                "UIColorComponentCount": 4, "UIRed": .real(PropertyListReal(Float(0.1))),
                "UIGreen": 0.5, "UIBlue": .real(PropertyListReal(Float(1))), "UIAlpha": 1.0,
                "UIWhite": 0.25, "NSColorSpace": 2, "NSRGB": .data([0x30]), "NSWhite": .data([]),
                "UISystemColorName": .uid(2), "UIRed-Double": 0.1, "$class": .uid(3),
            ], "systemRedColor", Archives.describe("UIColor"),
        ]
        let color = try read(ArchivedUIColor.self, table)
        #expect(color.red == PropertyListReal(Float(0.1)) && color.green == 0.5)
        #expect(color.componentCount == 4 && color.kind == .deviceRGB)
        #expect(color.systemColorName == "systemRedColor")
        #expect(color.extraFields.keys == ["UIRed-Double"])
        #expect(try written(color) == table)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedUIColor.self, [table[0].with(changes)] + table.dropFirst())
        }
        #expect(code(["UIRed": true]) == .wrongType)
        #expect(code(["UIRed": "1"]) == .wrongType)
        #expect(code(["UIRed": .integer(PropertyListInteger(Int.max))]) == .valueOutOfRange)
        #expect(code(["UIAlpha": 1]) == nil)
        #expect(code(["UISystemColorName": .uid(1)]) != nil)
        #expect(code(["NSColorSpace": false]) == .wrongType)
    }

    @Test(
        "colors of all external archives are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func all() throws {
        var (colors, spaces, others) = (0, 0, 0)
        let archives = try Specimens.collected(["NSColor", "NSColorSpace", "UIColor"])
        for archive in Exhaustive.sample(archives, oneIn: 3) {
            let again = try Specimens.rewritten(archive, allowing: .everything) { value in
                if let color = value.value(as: ArchivedColor.self) {
                    #expect(color.extraFields.keys.isEmpty)
                    #expect((color.components == nil) == [.catalog, .pattern].contains(color.kind))
                    let fallback = color.fallback?.value(as: ArchivedColor.self)
                    #expect((fallback != nil) == (color.kind == .catalog))
                    colors += 1
                } else if let space = value.value(as: ArchivedColorSpace.self) {
                    #expect(space.extraFields.keys.isEmpty)
                    #expect(space.id != nil || space.profileData != nil)
                    spaces += 1
                } else {
                    let color = try #require(value.value(as: ArchivedUIColor.self))
                    #expect(color.red?.value == 1 && color.componentCount == 4)
                    others += 1
                }
            }
            #expect(try Specimens.difference(again, archive) == nil)
        }
        #expect(colors >= Exhaustive.size(1878, inDebug: 400))
        #expect(spaces >= Exhaustive.size(20, inDebug: 0))
        #expect(others >= Exhaustive.size(1, inDebug: 0))
    }
}

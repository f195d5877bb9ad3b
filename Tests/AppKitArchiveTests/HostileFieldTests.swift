// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import TestSupport
import Testing

@Suite("AppKit and UIKit objects with arbitrary field values")
struct HostileFieldTests {
    private static let types: [(any KeyedDecodable.Type, [String])] = [
        (ArchivedColor.self, ["NSColorSpace", "NSRGB", "NSColor", "NSCatalogName", "NSImage"]),
        (ArchivedColorSpace.self, ["NSID", "NSICC", "NSModel"]),
        (ArchivedUIColor.self, ["UIRed", "UIColorComponentCount", "NSColorSpace", "NSRGB"]),
        (ArchivedFont.self, ["NSName", "NSSize", "NSfFlags", "NSDescriptor", "NSHasWidth"]),
        (ArchivedParagraphStyle.self, ["NSTabStops", "NSAlignment", "NSMinLineHeight"]),
        (ArchivedTextTab.self, ["NSLocation"]),
        (ArchivedShadow.self, ["NSShadowVert", "NSShadowColor"]),
        (ArchivedBezierPath.self, ["NSSegments", "NSLineWidth"]),
    ]

    @Test(
        "decoding ends in a value that can be encoded, or in an error",
        arguments: Exhaustive.sample(Self.types.indices, oneIn: 12))
    func anything(index: Int) throws {
        let (type, keys) = Self.types[index]
        let outcomes = try HostileFields.outcomes(type, keys, allowing: .everything)
        #expect(!outcomes.contains("other"), "\(outcomes)")
        #expect(outcomes.contains("wrongType"))
    }
}

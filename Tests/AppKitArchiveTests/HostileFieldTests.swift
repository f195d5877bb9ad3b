// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import Testing

@Suite("Fields of AppKit's and UIKit's classes that hold anything")
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

    @Test("end in a value that can be written, or in an error", arguments: Self.types.indices)
    func anything(index: Int) throws {
        let (type, keys) = Self.types[index]
        let outcomes = try HostileFields.outcomes(type, keys, allowing: .everything)
        #expect(!outcomes.contains("other"), "\(outcomes)")
        #expect(outcomes.contains("wrongType"))
    }
}

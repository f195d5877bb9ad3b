// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The types of the AppKit and UIKit presets")
struct PresetTypeTests {
    @Test("each type decodes under a registry of that type alone", arguments: values)
    func alone(_ value: LoneValue) throws { #expect(try value.isReadAlone()) }

    @Test("every type has a sample value in this test, except Foundation's")
    func complete() {
        let foundation = Set(
            ClassRegistry.foundation.names.compactMap(ClassRegistry.foundation.typeName))
        let missing = LoneValue.missing(.appKit.merging(.uiKit), in: Self.values)
            .subtracting(foundation).sorted()
        #expect(missing.isEmpty, "add a LoneValue(…) of each to `values` in this file: \(missing)")
    }

    private static let values = [
        LoneValue(catalogColor), LoneValue(space), LoneValue(uiColor), LoneValue(font),
        LoneValue(ArchivedFontDescriptor(attributes: attributes)), LoneValue(uiFont),
        LoneValue(ArchivedUIFontDescriptor(attributes: attributes)), LoneValue(style),
        LoneValue(Mutable(style)), LoneValue(ArchivedTextTab(location: 5)), LoneValue(shadow),
        LoneValue(ArchivedBezierPath([.init(.move, x: 0, y: 1)])),
    ]

    private static var attributes: ArchivedPairs<AnyArchived, AnyArchived> { ArchivedPairs([]) }

    private static var space: ArchivedColorSpace {
        var space = ArchivedColorSpace(id: 7)
        space.profile = AnyArchived(Mutable(Data([1])))
        return space
    }

    private static var catalogColor: ArchivedColor {
        var fallback = ArchivedColor(white: 0.5)
        fallback.customColorSpace = AnyArchived(space)
        var color = ArchivedColor(.catalog)
        color.catalogName = "System"
        color.colorName = "controlColor"
        color.fallback = AnyArchived(fallback)
        return color
    }

    private static var uiColor: ArchivedUIColor {
        var color = ArchivedUIColor()
        color.red = 1.0
        color.systemColorName = "systemRedColor"
        return color
    }

    private static var font: ArchivedFont {
        var font = ArchivedFont(name: "Menlo", size: 12)
        font.descriptor = AnyArchived(ArchivedFontDescriptor(attributes: attributes))
        return font
    }

    private static var uiFont: ArchivedUIFont {
        var font = ArchivedUIFont(name: "Menlo", pointSize: 12)
        font.descriptor = AnyArchived(ArchivedUIFontDescriptor(attributes: attributes))
        return font
    }

    private static var style: ArchivedParagraphStyle {
        var style = ArchivedParagraphStyle()
        style.tabStops = AnyArchived([AnyArchived(ArchivedTextTab(location: 5))])
        return style
    }

    private static var shadow: ArchivedShadow {
        var shadow = ArchivedShadow()
        shadow.blurRadius = 1.5
        return shadow
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import ArchiveTestSupport
import Foundation
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("The presets of AppKit and UIKit")
struct PresetTests {
    /// The classes of a preset that are not Foundation's.
    private static func own(_ preset: ClassRegistry) -> [String] {
        preset.names.filter { !ClassRegistry.foundation.allows($0) }
    }

    @Test("each preset allows the classes of one framework; `foundation` allows none of them")
    func names() {
        let shared = [
            "NSMutableParagraphStyle", "NSParagraphStyle", "NSShadow", "NSTextTab",
            "UIFontDescriptor",
        ]
        #expect(
            Self.own(.appKit)
                == (shared + [
                    "NSBezierPath", "NSColor", "NSColorSpace", "NSFont", "NSFontDescriptor",
                ]).sorted())
        #expect(Self.own(.uiKit) == (shared + ["UIColor", "UIFont"]).sorted())
    }

    @Test("merging a preset changes no type of a Foundation class, in either order")
    func merging() {
        for preset in [ClassRegistry.appKit, .uiKit] {
            for merged in [ClassRegistry.foundation.merging(preset), preset.merging(.foundation)] {
                for name in ClassRegistry.foundation.names {
                    #expect(
                        merged.typeName(of: name) == ClassRegistry.foundation.typeName(of: name))
                }
            }
        }
    }

    @Test("the error for a class that is not allowed names the preset that has it")
    func recovery() throws {
        for name in Set(Self.own(.appKit) + Self.own(.uiKit)) {
            let preset = name.hasPrefix("UI") ? "uiKit" : "appKit"
            let objects: [PropertyListValue] = [["$class": .uid(2)], Archives.describe(name)]
            let error = archiveError {
                try read(AnyArchived.self, objects, allowing: .foundation)
            }
            #expect(error?.code == .classNotAllowed)
            #expect(
                error?.recovery
                    == "`.merging(.\(preset))` of the product AppKitArchive would allow it")
        }
    }

    @Test("the error for a class of no preset names no preset")
    func otherClasses() throws {
        for name in ["NSImage", "UIImage", "NSFonts", "ArchivedFont"] {
            let objects: [PropertyListValue] = [["$class": .uid(2)], Archives.describe(name)]
            let error = archiveError { try read(AnyArchived.self, objects) }
            #expect(error?.recovery?.hasPrefix("`.adding(T.self, as: \"\(name)\")`") == true)
        }
    }

    @Test("the documentation lists every class with its type and its preset")
    func documentation() throws {
        let article = Corpus.repository.appending(
            path: "Sources/AppKitArchive/AppKitArchive.docc/AppKitArchive.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        for name in Set(Self.own(.appKit) + Self.own(.uiKit)) {
            let type = ClassRegistry.everything.typeName(of: name) ?? ""
            let preset =
                switch (ClassRegistry.appKit.allows(name), ClassRegistry.uiKit.allows(name)) {
                case (true, true): "both"
                case (true, false): "`appKit`"
                default: "`uiKit`"
                }
            #expect(text.contains("| \(name) | `\(type)` | \(preset) |"), "\(name)")
        }
    }
}

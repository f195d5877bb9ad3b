// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import AppKitArchive
import KeyedArchive
import PropertyList
import Testing

@Suite("Examples of AppKitArchive")
struct AppKitArchiveExamples {
    @Test("read an attributed string with a font")
    func attributedString() throws {
        let attributes = ArchivedPairs([
            (AnyArchived("NSFont"), AnyArchived(ArchivedFont(name: "Menlo", size: 12)))
        ])
        let text = ArchivedAttributedString("note", attributes: attributes)
        let bytes = try KeyedArchiver.archive(text, allowing: .foundation.merging(.appKit))
        let allowed = ClassRegistry.foundation.merging(.appKit)
        let note = try KeyedUnarchiver.unarchive(
            ArchivedAttributedString.self, from: bytes, allowing: allowed)
        let font = note.runs.first.flatMap(note.attributes)?.entries.first?.value.value(
            as: ArchivedFont.self)
        #expect(font?.name == "Menlo")
        let error = #expect(throws: KeyedArchiveError.self) {
            try KeyedArchiver.archive(text)
        }
        #expect(error?.recovery?.contains("`.merging(.appKit)`") == true)
    }

    @Test("read a color of UIKit")
    func color() throws {
        var written = ArchivedUIColor()
        written.red = 0.25
        let bytes = try KeyedArchiver.archive(written, allowing: .foundation.merging(.uiKit))
        let color = try KeyedUnarchiver.unarchive(
            ArchivedUIColor.self, from: bytes, allowing: .foundation.merging(.uiKit))
        let red = color.red?.value ?? 0
        #expect(red == 0.25)
    }
}

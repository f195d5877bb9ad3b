// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The copy of a text that an engine is given where the text has characters that XML changes or
/// forbids, and the reader keeps. Values are always taken from the original.
enum XMLPatch {
    // `&#x0001F;` and the like: more zeros than that are left to the engine, which refuses them.
    private static let longestReference = 12

    /// A copy of the same length: LF for CR, and `%`, which is no part of any markup, for each byte
    /// of a forbidden character and, where `references` says so, of a reference to one. Linear.
    static func patched(_ text: [UInt8], references: Bool) -> [UInt8] {
        var copy = text
        let span = text.span
        for index in span.indices {
            let byte = span[index]
            if byte == 0x0D {
                copy[index] = 0x0A
            } else if byte < 0x20, byte != 0x0A, byte != 0x09 {
                copy[index] = UInt8(ascii: "%")
            } else if let length = forbiddenLength(span, at: index, references) {
                for place in index..<(index + length) { copy[place] = UInt8(ascii: "%") }
            }
        }
        return copy
    }

    private static func forbiddenLength(
        _ text: Span<UInt8>, at index: Int, _ references: Bool
    ) -> Int? {
        if UTF8Text.isNoncharacter(text, at: index) { return 3 }
        return references ? forbiddenReference(text, at: index) : nil
    }

    /// Returns whether there is a reference to a character that XML forbids, other than in comments,
    /// sections and the like, where it is none. Linear.
    static func hasForbiddenReference(_ text: Span<UInt8>) -> Bool {
        var structure = XMLStructure()
        var index = 0
        while let place = text.firstIndex(of: "&#", from: index) {
            if forbiddenReference(text, at: place) != nil, structure.isText(at: place, text) {
                return true
            }
            index = place &+ 2
        }
        return false
    }

    /// Returns whether such a reference ends at `end`, or just before.
    static func hasForbiddenReference(_ text: Span<UInt8>, before end: Int) -> Bool {
        let start = max(0, end &- longestReference)
        guard let place = text.lastIndex(of: UInt8(ascii: "&"), in: start..<end) else {
            return false
        }
        return forbiddenReference(text, at: place) != nil
    }

    /// The length of the reference at `index`, if it is to a character that XML forbids. U+0000 is
    /// none that could be let pass.
    private static func forbiddenReference(_ text: Span<UInt8>, at index: Int) -> Int? {
        guard text.has("&#", at: index) else { return nil }
        let limit = min(index &+ longestReference, text.count)
        let mark = UInt8(ascii: ";")
        guard let close = text.firstIndex(of: mark, in: index..<limit),
            let scalar = XMLText.scalar(text, (index &+ 1)..<close)
        else { return nil }
        let isAllowed =
            scalar >= 0x20 ? scalar & ~1 != 0xFFFE : [0x09, 0x0A, 0x0D].contains(scalar)
        return isAllowed ? nil : close &+ 1 &- index
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A copy of the text for the XML engine. The engine would normalize or reject some characters that
/// the reader keeps, so the copy has substitutes of the same length. Values are always taken from
/// the original text.
enum XMLPatch {
    // The maximum length of a reference that is replaced, such as `&#x0000001F;`. A longer
    // reference to a forbidden character stays in the copy, and the engine refuses it.
    private static let longestReference = 12

    /// Returns a copy of the same length in which LF replaces CR and `%` replaces each byte of a
    /// forbidden character. If `references` is true, `%` also replaces each byte of a reference to
    /// a forbidden character. Outside a document type declaration, `%` is not part of any markup.
    /// Linear.
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

    /// Returns whether the text has a reference to a character that XML forbids. Ignores comments,
    /// CDATA sections and the like, where `&` does not begin a reference. Linear.
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

    /// Returns whether the last `&` in the 12 bytes before `end` begins a reference to a forbidden
    /// character.
    static func hasForbiddenReference(_ text: Span<UInt8>, before end: Int) -> Bool {
        let start = max(0, end &- longestReference)
        guard let place = text.lastIndex(of: UInt8(ascii: "&"), in: start..<end) else {
            return false
        }
        return forbiddenReference(text, at: place) != nil
    }

    /// Returns the length of the reference at `index` if it refers to a forbidden character that a
    /// leniency can accept. U+0000 cannot be accepted.
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

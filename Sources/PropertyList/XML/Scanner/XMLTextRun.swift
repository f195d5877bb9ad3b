// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text from a tag to the next `<`, scanned once.
///
/// The scan checks everything that XML requires of text: valid UTF-8, no forbidden character, no
/// `]]>`. References are only detected.
struct XMLTextRun {
    /// The index of the `<`.
    private(set) var end: Int
    private(set) var isASCII = true
    private(set) var hasReference = false

    /// Scans `text` from `start` on. Returns nil if a check fails or there is no `<`. Linear.
    @inline(__always)
    init?(_ text: Span<UInt8>, from start: Int) {
        end = start
        while let word = text.littleEndian(at: end) {
            let special = XMLCharacters.specialOrWide(word)
            if special == 0 {
                end &+= 8
                continue
            }
            end &+= special.trailingZeroBitCount &>> 3
            if text[end] == UInt8(ascii: "<") { return }
            guard skip(text, from: start) else { return nil }
        }
        // In a complete document, more than seven bytes follow the text of any element.
        return nil
    }

    /// Skips the character at `end`, which is not `<`. Returns false if XML forbids the character
    /// at this position, as it does the `>` of `]]>`.
    private mutating func skip(_ text: Span<UInt8>, from start: Int) -> Bool {
        let byte = text[end]
        if byte >= 0x80 { return skipWide(text) }
        if byte == UInt8(ascii: "&") { hasReference = true }
        if byte == UInt8(ascii: ">"), end &- start >= 2, text.has("]]", at: end &- 2) {
            return false
        }
        end &+= 1
        return byte >= 0x20 || isXMLWhitespace(byte)
    }

    /// Skips a run of non-ASCII characters. Returns false for invalid UTF-8, and if XML forbids one
    /// of the characters.
    private mutating func skipWide(_ text: Span<UInt8>) -> Bool {
        isASCII = false
        while end < text.count, text[end] >= 0x80 {
            let length = UTF8Text.validLength(text, at: end)
            if length == 0 || length == 3 && UTF8Text.isNoncharacter(text, at: end) {
                return false
            }
            end &+= length
        }
        return true
    }
}

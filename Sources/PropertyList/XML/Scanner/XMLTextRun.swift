// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text from a tag to the next `<`, looked through once.
///
/// It makes sure of all that XML asks of text: valid UTF-8, no character that XML forbids, no
/// `]]>`. References are only noticed here.
struct XMLTextRun {
    /// Where the `<` stands.
    private(set) var end: Int
    private(set) var isASCII = true
    private(set) var hasReference = false

    /// Looks through `text` from `start` on; nil where it is not as above, or there is no `<`.
    /// Linear.
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
        // More than seven bytes follow the text of any element.
        return nil
    }

    /// Passes the character at `end`, which is no `<`; false where XML forbids it.
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

    /// Passes characters outside ASCII, up to the first that is not.
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

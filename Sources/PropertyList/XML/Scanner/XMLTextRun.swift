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
            let special = Self.special(word)
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

    /// The high bit of each of eight bytes that needs a closer look: `<`, `>`, `&`, controls other
    /// than white space, bytes from 80 on.
    ///
    /// Where the low seven bits of bytes are added to, no sum carries into the next byte: `80 - n`
    /// sets the high bit where they are `n` or more, `7F` where they are not zero. `<` and `>`
    /// differ in the bit 2.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let bytes: UInt64 = 0x0101_0101_0101_0101
        let low = word & (bytes &* 0x7F)
        let isText = low &+ bytes &* 0x60
        let isBlank = (low &+ bytes &* 0x77) & ~(low &+ bytes &* 0x75)
        let isNoBracket = ((low | bytes &* 0x02) ^ bytes &* 0x3E) &+ bytes &* 0x7F
        let isNoAmpersand = (low ^ bytes &* 0x26) &+ bytes &* 0x7F
        return (word | ~((isText | isBlank) & isNoBracket & isNoAmpersand)) & (bytes &* 0x80)
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

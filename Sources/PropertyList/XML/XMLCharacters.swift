// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds, eight bytes at a time, what text of an XML property list cannot simply hold.
///
/// Where the low seven bits of bytes are added to, no sum carries into the next byte: `80 - n` sets
/// the high bit where they are `n` or more, `7F` where they are not zero.
enum XMLCharacters {
    private static let bytes: UInt64 = 0x0101_0101_0101_0101

    /// The high bit of each byte that needs a closer look: `<`, `>`, `&`, controls other than TAB,
    /// LF and CR, and EF, with which the characters outside ASCII begin that XML forbids.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let low = word & (bytes &* 0x7F)
        let isOtherWide = (low ^ bytes &* 0x6F) &+ bytes &* 0x7F
        // A byte from 80 on is none of the ASCII characters.
        return ~(isText(low) | word) & (bytes &* 0x80)
            | (word & ~isOtherWide) & (bytes &* 0x80)
    }

    /// Likewise, and every byte from 80 on.
    @inline(__always)
    static func specialOrWide(_ word: UInt64) -> UInt64 {
        (word | ~isText(word & (bytes &* 0x7F))) & (bytes &* 0x80)
    }

    /// Returns whether a byte is one of those that ``special(_:)`` finds.
    @inline(__always)
    static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xEF: true
        default: byte < 0x20 && !isXMLWhitespace(byte)
        }
    }

    /// The high bit of each of eight bytes below 80 that is a character of text, and no markup.
    ///
    /// `<` and `>` differ in the bit 2. Of the controls, 09, 0A and 0D are text.
    @inline(__always)
    private static func isText(_ low: UInt64) -> UInt64 {
        let isNoControl = low &+ bytes &* 0x60
        let isBlank = (low &+ bytes &* 0x77) & ~(low &+ bytes &* 0x75)
        let isNoReturn = (low ^ bytes &* 0x0D) &+ bytes &* 0x7F
        let isNoBracket = ((low | bytes &* 0x02) ^ bytes &* 0x3E) &+ bytes &* 0x7F
        let isNoAmpersand = (low ^ bytes &* 0x26) &+ bytes &* 0x7F
        return (isNoControl | isBlank | ~isNoReturn) & isNoBracket & isNoAmpersand
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The search of XML text for bytes that need a closer look, eight bytes at a time.
///
/// Byte values here are hexadecimal. If the high bit of each byte is clear, adding at most `80` to
/// each byte never carries into the next byte. Adding `80 - n` sets the high bit of bytes that are
/// at least `n`, and adding `7F` sets the high bit of non-zero bytes.
enum XMLCharacters {
    private static let bytes: UInt64 = 0x0101_0101_0101_0101

    /// Returns the high bit of each byte that needs a closer look: `<`, `>`, `&`, controls other
    /// than TAB, LF and CR, and EF, the first byte of the non-ASCII characters that XML forbids.
    @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let low = word & (bytes &* 0x7F)
        let isOtherWide = (low ^ bytes &* 0x6F) &+ bytes &* 0x7F
        // A byte of 80 or more is none of the ASCII characters.
        return ~(isText(low) | word) & (bytes &* 0x80)
            | (word & ~isOtherWide) & (bytes &* 0x80)
    }

    /// Returns the same bits as ``special(_:)``, plus the high bit of every byte of 80 or more.
    @inline(__always)
    static func specialOrWide(_ word: UInt64) -> UInt64 {
        (word | ~isText(word & (bytes &* 0x7F))) & (bytes &* 0x80)
    }

    /// Returns whether ``special(_:)`` reports a byte.
    @inline(__always)
    static func isSpecial(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"), 0xEF: true
        default: byte < 0x20 && !isXMLWhitespace(byte)
        }
    }

    /// Returns the high bit of each byte that is a text character and not markup. All eight bytes
    /// must be below 80.
    ///
    /// `<` and `>` differ only in the bit with value 2. Of the controls, 09, 0A and 0D are text.
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

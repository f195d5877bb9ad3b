// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The classes of characters in OpenStep text.
package enum OpenStepCharacter {
    /// Returns whether the character is white space: TAB, LF, VT, FF, CR, space.
    /// ``OpenStepScanner`` handles U+2028 and U+2029, which are also white space.
    @inline(__always)
    package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte &- 0x09 < 5 }

    /// Returns whether the character may occur in an unquoted string: letters, digits and `_$/:.-`.
    @inline(__always)
    static func isBare(_ byte: UInt8) -> Bool { contains(byte, low: 0x07FF_E010_0000_0000) }

    /// Returns whether Apple's writers leave a string with this character unquoted. The characters
    /// are those of ``isBare(_:)`` except `:` and `-`.
    @inline(__always)
    package static func isPlain(_ byte: UInt8) -> Bool {
        contains(byte, low: 0x03FF_C010_0000_0000)
    }

    /// Returns whether the character is an ASCII letter or digit.
    @inline(__always)
    static func isAlphanumeric(_ byte: UInt8) -> Bool {
        byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26
    }

    /// Returns whether the character is a letter, `_`, or a character below 64 in the bit set
    /// `low`.
    @inline(__always)
    private static func contains(_ byte: UInt8, low: UInt64) -> Bool {
        let letters: UInt64 = 0x07FF_FFFE_87FF_FFFE
        let bit = UInt64(1) << UInt64(byte & 0x3F)
        return byte < 0x80 && (byte < 0x40 ? low : letters) & bit != 0
    }
}

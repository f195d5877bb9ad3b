// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The arithmetic of Base64 encoding, eight characters in the bytes of one integer at a time.
enum Base64Encoder {
    /// Writes the characters of `bytes[range]`, padding included, at `position`, and returns the
    /// position after them; O(n).
    @discardableResult
    static func encode(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) -> Int {
        var index = range.lowerBound
        var position = position
        while range.upperBound - index >= 6 {
            let first = group(bytes[index], bytes[index + 1], bytes[index + 2])
            let second = group(bytes[index + 3], bytes[index + 4], bytes[index + 5])
            write(characters(first | second &<< 32), into: &text, at: position)
            index += 6
            position += 8
        }
        while index < range.upperBound {
            encodeGroup(bytes, index..<range.upperBound, into: &text, at: position)
            index += min(3, range.upperBound - index)
            position += 4
        }
        return position
    }

    /// Writes the four characters of the first three bytes in `range`, or of fewer; O(1).
    private static func encodeGroup(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        let index = range.lowerBound
        let second = range.count > 1 ? bytes[index + 1] : 0
        let third = range.count > 2 ? bytes[index + 2] : 0
        let quad = characters(group(bytes[index], second, third))
        text[position] = UInt8(truncatingIfNeeded: quad)
        text[position + 1] = UInt8(truncatingIfNeeded: quad &>> 8)
        text[position + 2] = range.count > 1 ? UInt8(truncatingIfNeeded: quad &>> 16) : 0x3D
        text[position + 3] = range.count > 2 ? UInt8(truncatingIfNeeded: quad &>> 24) : 0x3D
    }

    /// Writes the bytes of `characters`, the lowest first, at `position`; O(1).
    @inline(__always)
    private static func write(
        _ characters: UInt64,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        // There is always room; checking all eight positions at once lets the stores be merged.
        guard position >= 0, position <= text.count &- 8 else { return }
        for index in 0..<8 {
            text[position &+ index] = UInt8(truncatingIfNeeded: characters &>> UInt64(index &* 8))
        }
    }

    /// The 24 bits of three bytes, the first on top; O(1).
    @inline(__always)
    private static func group(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt64 {
        UInt64(first) &<< 16 | UInt64(second) &<< 8 | UInt64(third)
    }

    /// The eight characters of two groups of 24 bits, one in each half of `groups`, with the first
    /// character in the lowest byte; O(1).
    @inline(__always)
    private static func characters(_ groups: UInt64) -> UInt64 {
        let sextets =
            groups &>> 18 & 0x0000_003F_0000_003F
            | groups &>> 4 & 0x0000_3F00_0000_3F00
            | groups &<< 10 & 0x003F_0000_003F_0000
            | groups &<< 24 & 0x3F00_0000_3F00_0000
        // Letters, digits and signs lie apart in ASCII: each step moves what is past the previous
        // range by the distance to the next. No byte leaves 0...255, so none disturbs another.
        return sextets &+ 65 &* ones
            &+ 6 &* atLeast(26, sextets)
            &- 75 &* atLeast(52, sextets)
            &- 15 &* atLeast(62, sextets)
            &+ 3 &* atLeast(63, sextets)
    }

    /// One in each byte.
    private static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// One in each byte of `sextets` (all below 64) that is at least `limit`; O(1).
    @inline(__always)
    private static func atLeast(_ limit: UInt64, _ sextets: UInt64) -> UInt64 {
        (sextets &+ (128 &- limit) &* ones) &>> 7 & ones
    }
}

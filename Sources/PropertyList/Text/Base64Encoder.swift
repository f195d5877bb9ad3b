// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The arithmetic of Base64 encoding. It processes 16 characters at a time, eight in each of the
/// two integers of a vector.
enum Base64Encoder {
    /// Writes the characters of `bytes[range]`, including padding, at `position`. Returns the
    /// position after them.
    @discardableResult
    static func encode(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) -> Int {
        var index = range.lowerBound
        var position = position
        while range.upperBound &- index >= 12, let first = bytes.bigEndian(at: index, width: 8),
            let second = bytes.bigEndian(at: index &+ 6, width: 8)
        {
            let both = characters(groups(SIMD2(first, second)))
            write(both[0], into: &text, at: position)
            write(both[1], into: &text, at: position &+ 8)
            index &+= 12
            position &+= 16
        }
        while index < range.upperBound {
            encodeGroup(bytes, index..<range.upperBound, into: &text, at: position)
            index += min(3, range.upperBound - index)
            position += 4
        }
        return position
    }

    /// Writes the four characters of up to three bytes at the start of `range`.
    private static func encodeGroup(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        let index = range.lowerBound
        let second = range.count > 1 ? bytes[index + 1] : 0
        let third = range.count > 2 ? bytes[index + 2] : 0
        let quad = characters(SIMD2(group(bytes[index], second, third), 0))[0]
        text[position] = UInt8(truncatingIfNeeded: quad)
        text[position + 1] = UInt8(truncatingIfNeeded: quad &>> 8)
        text[position + 2] = range.count > 1 ? UInt8(truncatingIfNeeded: quad &>> 16) : 0x3D
        text[position + 3] = range.count > 2 ? UInt8(truncatingIfNeeded: quad &>> 24) : 0x3D
    }

    /// Writes the bytes of `characters` at `position`, starting with the lowest byte.
    @inline(__always)
    private static func write(
        _ characters: UInt64,
        into text: inout MutableSpan<UInt8>,
        at position: Int
    ) {
        // There is always room. Checking all eight positions together lets the compiler merge the
        // stores.
        guard position >= 0, position <= text.count &- 8 else { return }
        for index in 0..<8 {
            text[position &+ index] = UInt8(truncatingIfNeeded: characters &>> UInt64(index &* 8))
        }
    }

    /// Returns 24 bits made of three bytes, the first byte being the highest.
    @inline(__always)
    private static func group(_ first: UInt8, _ second: UInt8, _ third: UInt8) -> UInt64 {
        UInt64(first) &<< 16 | UInt64(second) &<< 8 | UInt64(third)
    }

    /// Splits the first six bytes of each word into two groups of three bytes, one in each half of
    /// the result.
    @inline(__always)
    private static func groups(_ words: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let second = words &<< 16 & SIMD2(repeating: 0x00FF_FFFF_0000_0000)
        return words &>> 40 | second
    }

    /// Returns the characters of 24-bit groups, four per half of a word. The first character is in
    /// the lowest byte.
    @inline(__always)
    private static func characters(_ groups: SIMD2<UInt64>) -> SIMD2<UInt64> {
        var sextets = groups &>> 18 & halves(0x3F)
        sextets |= groups &>> 4 & halves(0x3F00)
        sextets |= groups &<< 10 & halves(0x3F_0000)
        sextets |= groups &<< 24 & halves(0x3F00_0000)
        // In ASCII, letters, digits and punctuation are separate ranges. Each step moves all values
        // past the previous range by the distance to the next. No byte leaves 0...255, so no carry
        // disturbs its neighbor.
        var text = sextets &+ bytes(65)
        text &+= atLeast(26, sextets) & bytes(6)
        text &-= atLeast(52, sextets) & bytes(75)
        text &-= atLeast(62, sextets) & bytes(15)
        text &+= atLeast(63, sextets) & bytes(3)
        return text
    }

    /// Repeats a value in both halves of both words.
    @inline(__always)
    private static func halves(_ value: UInt64) -> SIMD2<UInt64> {
        SIMD2(repeating: value | value &<< 32)
    }

    /// Repeats a value in every byte.
    @inline(__always)
    private static func bytes(_ value: UInt64) -> SIMD2<UInt64> {
        SIMD2(repeating: value &* 0x0101_0101_0101_0101)
    }

    /// Returns 0x7F for each byte of `sextets` (all below 64) that is at least `limit`, and 0 for
    /// the others.
    @inline(__always)
    private static func atLeast(_ limit: UInt64, _ sextets: SIMD2<UInt64>) -> SIMD2<UInt64> {
        let sums = sextets &+ bytes(128 &- limit)
        let top = sums & bytes(128)
        return top &- top &>> 7
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A Base64 decoder for eight characters at a time, all of them in the alphabet.
///
/// There is one table for each of the four positions in a group. Its entries hold the six bits of a
/// character at their position in the 24 bits of the group. Decoding a group is four lookups and a
/// bitwise OR. `Base64Decoder` decodes the rest.
enum Base64Tables {
    /// The flag in the entries of bytes outside the alphabet.
    private static let other: UInt32 = 1 << 31

    private static let entries: [UInt32] = {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        var entries = [UInt32](repeating: other, count: 4 * 256)
        for (value, character) in alphabet.utf8.enumerated() {
            for place in 0..<4 {
                entries[place * 256 + Int(character)] = UInt32(value) << UInt32(18 - 6 * place)
            }
        }
        return entries
    }()

    /// Decodes `text` from `start` on, while the next eight characters are in the alphabet and the
    /// output has room for eight bytes. Returns the end of the decoded part. Linear.
    ///
    /// Appends six bytes for each eight characters.
    static func decode(
        _ text: Span<UInt8>, from start: Int, to output: inout OutputSpan<UInt8>
    ) -> Int {
        let entries = entries
        let table = entries.span
        // SAFETY: the buffer is the span's own; each step checks that its store ends within the
        // buffer, and `count` grows by no more than the number of bytes stored.
        return unsafe output.withUnsafeMutableBufferPointer { buffer, count in
            var index = start
            let target = UnsafeMutableRawBufferPointer(buffer)
            while let word = text.littleEndian(at: index), target.count &- count >= 8,
                let bits = bits(word, table)
            {
                unsafe target.storeBytes(of: bits.bigEndian, toByteOffset: count, as: UInt64.self)
                count &+= 6
                index &+= 8
            }
            return index
        }
    }

    /// Returns the 48 bits of eight characters in the high bits of a word, or nil if a character is
    /// not in the alphabet.
    @inline(__always)
    private static func bits(_ word: UInt64, _ table: Span<UInt32>) -> UInt64? {
        let first = group(word, table)
        let second = group(word &>> 32, table)
        guard (first | second) & other == 0 else { return nil }
        return UInt64(first) &<< 40 | UInt64(second) &<< 16
    }

    /// Returns the group of the characters in the lower half of a word. The first character is in
    /// the lowest byte.
    @inline(__always)
    private static func group(_ word: UInt64, _ table: Span<UInt32>) -> UInt32 {
        // SAFETY: the table has 1024 entries, and every index is below that.
        unsafe table[unchecked: Int(truncatingIfNeeded: word & 0xFF)]
            | table[unchecked: 256 &+ Int(truncatingIfNeeded: word &>> 8 & 0xFF)]
            | table[unchecked: 512 &+ Int(truncatingIfNeeded: word &>> 16 & 0xFF)]
            | table[unchecked: 768 &+ Int(truncatingIfNeeded: word &>> 24 & 0xFF)]
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Base64 eight characters at a time, where all of them are in the alphabet.
///
/// There is a table for each of the four characters of a group, with the character's six bits where
/// they belong in the 24 bits of the group, so that a group is four look-ups joined.
/// `Base64Decoder` is the plain twin, which takes what is left.
enum Base64Tables {
    /// Set in the entries of what is not in the alphabet.
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

    /// Decodes characters of `text` from `start` on as long as there are eight of the alphabet, and
    /// returns where that ends. Linear.
    ///
    /// Appends six bytes for each eight characters.
    static func decode(
        _ text: Span<UInt8>, from start: Int, to output: inout OutputSpan<UInt8>
    ) -> Int {
        let entries = entries
        let table = entries.span
        // SAFETY: the buffer is the span's own; what is stored ends within it, as each step checks,
        // and `count` grows by no more than what was stored.
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

    /// The 48 bits of eight characters, in the upper bits of a word; nil where one is not in the
    /// alphabet.
    @inline(__always)
    private static func bits(_ word: UInt64, _ table: Span<UInt32>) -> UInt64? {
        let first = group(word, table)
        let second = group(word &>> 32, table)
        guard (first | second) & other == 0 else { return nil }
        return UInt64(first) &<< 40 | UInt64(second) &<< 16
    }

    /// The group of the characters in the lower half of a word, the first the lowest.
    @inline(__always)
    private static func group(_ word: UInt64, _ table: Span<UInt32>) -> UInt32 {
        // SAFETY: the table has 1024 entries, and every index is below.
        unsafe table[unchecked: Int(truncatingIfNeeded: word & 0xFF)]
            | table[unchecked: 256 &+ Int(truncatingIfNeeded: word &>> 8 & 0xFF)]
            | table[unchecked: 512 &+ Int(truncatingIfNeeded: word &>> 16 & 0xFF)]
            | table[unchecked: 768 &+ Int(truncatingIfNeeded: word &>> 24 & 0xFF)]
    }
}

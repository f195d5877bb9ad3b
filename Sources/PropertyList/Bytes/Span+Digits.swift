// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Returns the integer of 1 to 19 decimal digits at `start`, and the index of its end. Returns
    /// nil for any other number of digits. May also return nil if fewer than eight bytes follow the
    /// digits.
    @inline(__always)
    func decimal(at start: Int) -> (value: UInt64, end: Int)? {
        var value: UInt64 = 0
        var end = start
        while end &- start <= 16, let word = littleEndian(at: end) {
            let count = DigitWord.count(word)
            if count == 8 {
                value = value &* 100_000_000 &+ DigitWord.value(word, 8)
                end &+= 8
                continue
            }
            if count > 0 {
                value = value &* DigitWord.power(count) &+ DigitWord.value(word, count)
                end &+= count
            }
            return end == start || end &- start > 19 ? nil : (value, end)
        }
        return nil
    }
}

/// Eight bytes of text as decimal digits, with the first byte in the lowest position.
enum DigitWord {
    /// Returns the number of digits at the beginning of the word.
    @inline(__always)
    static func count(_ word: UInt64) -> Int {
        let bytes: UInt64 = 0x0101_0101_0101_0101
        let low = (word ^ bytes &* 0x30) & (bytes &* 0x7F)
        // Adding 0x76 to a value of 10 or more sets the high bit.
        let other = (low &+ bytes &* 0x76 | word) & (bytes &* 0x80)
        return other.trailingZeroBitCount &>> 3
    }

    /// Returns the number in the first `count` bytes, one to eight digits.
    ///
    /// The shift fills missing leading digits with zeros. Each step then combines neighbors into
    /// numbers of two, four and eight digits.
    @inline(__always)
    static func value(_ word: UInt64, _ count: Int) -> UInt64 {
        let ones = (word &<< UInt64(truncatingIfNeeded: 64 &- count &* 8)) & 0x0F0F_0F0F_0F0F_0F0F
        let twos = (ones &* 10 &+ ones &>> 8) & 0x00FF_00FF_00FF_00FF
        let fours = (twos &* 100 &+ twos &>> 16) & 0x0000_FFFF_0000_FFFF
        return (fours &* 10_000 &+ fours &>> 32) & 0x0000_0000_FFFF_FFFF
    }

    /// Returns 10 to the power of `count`, which is at most eight.
    @inline(__always)
    static func power(_ count: Int) -> UInt64 {
        switch count {
        case 0: 1
        case 1: 10
        case 2: 100
        case 3: 1000
        case 4: 10_000
        case 5: 100_000
        case 6: 1_000_000
        case 7: 10_000_000
        default: 100_000_000
        }
    }
}

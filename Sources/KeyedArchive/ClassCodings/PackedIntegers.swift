// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Integers of 64 bits as some classes pack them into data: unsigned LEB128, seven bits a byte, the
/// lowest first, the highest bit of a byte set where another follows.
enum PackedIntegers {
    /// The integers in `bytes`, all of which they fill; linear.
    ///
    /// - Throws: `valueOutOfRange` for an integer that is cut short or has more than 63 bits.
    static func unpack(
        _ bytes: some Sequence<UInt8>, _ key: String, _ coder: KeyedDecoder
    ) throws(KeyedArchiveError) -> [Int] {
        var integers: [Int] = []
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits == 0, shift < 70 else {
                throw KeyedArchiveError(
                    .valueOutOfRange, what: "an integer in `\(key)` has more than 63 bits",
                    object: coder.uid)
            }
            value |= bits << shift
            shift &+= 7
            if byte & 0x80 == 0 {
                integers.append(Int(truncatingIfNeeded: value))
                (value, shift) = (0, 0)
            }
        }
        guard shift == 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "the last integer in `\(key)` is cut short",
                object: coder.uid)
        }
        return integers
    }

    /// Integers that are not negative, packed.
    static func pack(_ integers: some Sequence<Int>) -> [UInt8] {
        var bytes: [UInt8] = []
        for integer in integers {
            var rest = UInt(bitPattern: integer)
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
        return bytes
    }
}

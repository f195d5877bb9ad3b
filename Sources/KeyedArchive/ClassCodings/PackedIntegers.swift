// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Non-negative integers packed into data as unsigned LEB128, as some classes store them. Each byte
/// has seven bits of an integer, the lowest first. The highest bit of a byte is set if another byte
/// follows.
enum PackedIntegers {
    /// Unpacks the integers in `bytes`. Linear.
    ///
    /// - Throws: `valueOutOfRange` for an integer that is truncated or does not fit in an `Int`.
    static func unpack(
        _ bytes: some Sequence<UInt8>, _ key: String, _ coder: KeyedDecoder
    ) throws(KeyedArchiveError) -> [Int] {
        var integers: [Int] = []
        var value: UInt64 = 0
        var shift: UInt64 = 0
        for byte in bytes {
            let bits = UInt64(byte & 0x7F)
            guard shift < 63 || bits == 0, shift < 70 else { throw tooLarge(key, coder) }
            value |= bits << shift
            shift &+= 7
            if byte & 0x80 == 0 {
                guard let integer = Int(exactly: value) else { throw tooLarge(key, coder) }
                integers.append(integer)
                (value, shift) = (0, 0)
            }
        }
        guard shift == 0 else {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "the last integer in `\(key)` is truncated",
                object: coder.uid)
        }
        return integers
    }

    private static func tooLarge(_ key: String, _ coder: KeyedDecoder) -> KeyedArchiveError {
        KeyedArchiveError(
            .valueOutOfRange,
            what: "an integer in `\(key)` has more than \(Int.bitWidth &- 1) bits",
            object: coder.uid)
    }

    /// Packs non-negative integers.
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

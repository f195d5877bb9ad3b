// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The bytes of an archive, with functions that decode integers in them.
struct ArchiveBytes: Sendable {
    let bytes: [UInt8]

    /// Returns the little-endian integer of `width` bytes at `place`, or nil if the input ends
    /// earlier.
    func number(at place: Int, width: Int) -> UInt64? {
        guard place >= 0, width <= bytes.count &- place else { return nil }
        var number: UInt64 = 0
        for index in (0..<width).reversed() {
            number = number << 8 | UInt64(bytes[place &+ index])
        }
        return number
    }

    /// Returns the variable-length integer at `place`. Each byte holds seven bits, the lowest
    /// first. The last byte has its high bit set.
    ///
    /// - Returns: The value and the offset after it, or nil if the integer does not end before
    ///   `limit`, is 2³¹ or more, or is longer than necessary.
    @inline(__always)
    func variable(at place: Int, limit: Int) -> (value: Int, end: Int)? {
        guard place < limit else { return nil }
        let byte = bytes[place]
        if byte & 0x80 != 0 { return (Int(byte & 0x7f), place &+ 1) }
        return longVariable(at: place, limit: limit)
    }

    private func longVariable(at start: Int, limit: Int) -> (value: Int, end: Int)? {
        var value: UInt64 = 0
        var place = start
        while place < limit, place &- start < 5 {
            let byte = bytes[place]
            value |= UInt64(byte & 0x7f) << (7 &* (place &- start))
            place &+= 1
            if byte & 0x80 != 0 {
                let isShortest = place &- start == 1 || byte & 0x7f != 0
                guard isShortest, value <= UInt64(Int32.max) else { return nil }
                return (Int(truncatingIfNeeded: value), place)
            }
        }
        return nil
    }
}

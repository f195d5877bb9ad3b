// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Returns whether every byte is below 0x80. Tests eight bytes at a time; linear.
    package func isASCII() -> Bool {
        var index = 0
        while let word = bigEndian(at: index, width: 8) {
            if word & 0x8080_8080_8080_8080 != 0 { return false }
            index &+= 8
        }
        while index < count {
            if self[index] >= 0x80 { return false }
            index &+= 1
        }
        return true
    }

    /// Returns whether every byte from `start` to `stop` is below 0x80. For a non-empty range,
    /// returns false if fewer than eight bytes precede `stop`, or if `stop` is beyond the span.
    /// Linear; eight bytes at a time.
    @inline(__always)
    func isASCII(from start: Int, to stop: Int) -> Bool {
        var (place, bits) = (start, UInt64(0))
        while place &+ 8 <= stop {
            guard let word = littleEndian(at: place) else { return false }
            bits |= word
            place &+= 8
        }
        if place < stop {
            guard let rest = bigEndian(before: stop, width: stop &- place) else { return false }
            bits |= rest
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Returns whether the span has the same bytes as `other`. Linear.
    package func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var index = 0
        while let left = bigEndian(at: index, width: 8),
            let right = other.bigEndian(at: index, width: 8)
        {
            if left != right { return false }
            index &+= 8
        }
        while index < count {
            if self[index] != other[index] { return false }
            index &+= 1
        }
        return true
    }
}

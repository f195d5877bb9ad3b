// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension Span<UInt8> {
    /// Returns the unsigned big-endian integer of `width` bytes at `offset`. Returns nil if it is
    /// not within the span or wider than 8 bytes.
    @inline(__always)
    package func bigEndian(at offset: Int, width: Int) -> UInt64? {
        guard width >= 0, width <= 8, offset >= 0, count >= width, offset <= count - width else {
            return nil
        }
        switch width {
        case 1: return UInt64(self[offset])
        case 2: return UInt64(loadUnaligned(at: offset, as: UInt16.self).bigEndian)
        case 4: return UInt64(loadUnaligned(at: offset, as: UInt32.self).bigEndian)
        case 8: return loadUnaligned(at: offset, as: UInt64.self).bigEndian
        default: return (0..<width).reduce(0) { $0 << 8 | UInt64(self[offset &+ $1]) }
        }
    }

    /// Returns the unsigned big-endian integer of `width` bytes, 1 to 8, that ends at `end`.
    /// Returns nil if the eight bytes before `end` are not within the span.
    ///
    /// One load serves all widths. In a file, the eight-byte header guarantees enough bytes.
    @inline(__always)
    func bigEndian(before end: Int, width: Int) -> UInt64? {
        guard end >= 8, end <= count else { return nil }
        let word = loadUnaligned(at: end &- 8, as: UInt64.self).bigEndian
        return word & UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- width &* 8)
    }

    /// Returns the eight bytes at `offset` in little-endian order, or nil if they are not within
    /// the span.
    @inline(__always)
    func littleEndian(at offset: Int) -> UInt64? {
        guard offset >= 0, count >= 8, offset <= count &- 8 else { return nil }
        return loadUnaligned(at: offset, as: UInt64.self).littleEndian
    }

    /// Returns whether the `length` bytes at two offsets are equal, or false for fewer than eight.
    /// Linear.
    @inline(__always)
    func isSame(at left: Int, and right: Int, length: Int) -> Bool {
        guard length >= 8, left >= 0, right >= 0, count >= length, left <= count &- length,
            right <= count &- length
        else { return false }
        // The last word may overlap the one before.
        let last = length &- 8
        var step = 0
        while step < last {
            if isSameWord(left &+ step, right &+ step) { step &+= 8 } else { return false }
        }
        return isSameWord(left &+ last, right &+ last)
    }

    @inline(__always)
    private func isSameWord(_ left: Int, _ right: Int) -> Bool {
        loadUnaligned(at: left, as: UInt64.self) == loadUnaligned(at: right, as: UInt64.self)
    }

    /// Returns the bytes at `offset` as an integer in the machine's byte order.
    ///
    /// - Precondition: the integer is within the span. Every caller in this file checks that before
    ///   the call. The span checks it again unless the build is unchecked (`-Ounchecked`).
    @inline(__always)
    private func loadUnaligned<T: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int, as type: T.Type
    ) -> T {
        // SAFETY: the caller has checked `0 <= offset <= count - MemoryLayout<T>.size`; any bit
        // pattern is a valid integer, and an unaligned load needs no alignment.
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    }
}

extension OutputSpan<UInt32> {
    /// Appends the big-endian integers in `list`, if there is room for all.
    ///
    /// - Returns: The largest of them, or 0 if nothing was appended.
    @inline(__always)
    mutating func append<Word: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
        bigEndian list: Span<UInt8>, as type: Word.Type
    ) -> UInt32 {
        let width = MemoryLayout<Word>.size
        let number = list.count / width
        guard freeCapacity >= number else { return 0 }
        var largest: UInt32 = 0
        // SAFETY: the integers are within the list, and the guard above ensures that there is room
        // for them; any bit pattern is a valid integer.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe list.withUnsafeBytes { bytes in
                for index in 0..<number {
                    let word = unsafe bytes.loadUnaligned(
                        fromByteOffset: index &* width, as: Word.self)
                    let value = UInt32(truncatingIfNeeded: word.bigEndian)
                    largest = Swift.max(largest, value)
                    unsafe buffer.initializeElement(at: count &+ index, to: value)
                }
            }
            count &+= number
        }
        return largest
    }
}

extension OutputSpan<UInt8> {
    /// Appends the object numbers of values as big-endian words, if there is room for all.
    /// `numbers` holds, for each value, its object number plus one.
    @inline(__always)
    mutating func append<Word: FixedWidthInteger & BitwiseCopyable>(
        numbersOf nodes: Span<UInt32>, _ numbers: Span<UInt32>, as type: Word.Type
    ) {
        let width = MemoryLayout<Word>.size
        guard freeCapacity >= nodes.count &* width else { return }
        // SAFETY: the guard above ensures that the words fit; each is stored before its bytes
        // become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            for index in nodes.indices {
                let word = Word(truncatingIfNeeded: numbers[Int(nodes[index])] &- 1)
                unsafe target.storeBytes(of: word.bigEndian, toByteOffset: count, as: Word.self)
                count &+= width
            }
        }
    }
}

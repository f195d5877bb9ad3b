// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Up to sixteen bytes of text, which two stores write.
struct ShortText {
    fileprivate let low: UInt64
    fileprivate let high: UInt64
    let count: Int

    /// The longest text.
    static let capacity = 16

    /// The text, or as much of it as there is room for.
    @inline(__always)
    init(_ text: StaticString) {
        var words: (UInt64, UInt64) = (0, 0)
        count = min(text.utf8CodeUnitCount, Self.capacity)
        for index in 0..<count {
            // SAFETY: a static string holds `utf8CodeUnitCount` bytes from its start for ever.
            let byte = unsafe UInt64(text.utf8Start[index])
            if index < 8 {
                words.0 |= byte << UInt64(index * 8)
            } else {
                words.1 |= byte << UInt64(index * 8 - 64)
            }
        }
        low = words.0.littleEndian
        high = words.1.littleEndian
    }

    /// One text after the other, of which the first has at most seven bytes.
    @inline(__always)
    init(_ first: StaticString, _ second: StaticString) {
        let (start, end) = (ShortText(first), ShortText(second))
        let shift = UInt64(start.count &* 8)
        let (low, high) = (UInt64(littleEndian: end.low), UInt64(littleEndian: end.high))
        count = min(start.count &+ end.count, Self.capacity)
        self.low = (start.low.littleEndian | low &<< shift).littleEndian
        self.high = (high &<< shift | low >> (64 &- shift)).littleEndian
    }
}

/// Appending many bytes at a time. What there is no room for is left out: callers make room for all
/// and sixteen more.
extension OutputSpan<UInt8> {
    /// Appends a short text, if there is room for the longest.
    @inline(__always)
    mutating func append(_ text: ShortText) {
        guard freeCapacity >= ShortText.capacity else { return }
        // SAFETY: both words fit, as was made sure of; of the sixteen bytes stored, `count` become
        // part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            unsafe target.storeBytes(of: text.low, toByteOffset: count, as: UInt64.self)
            unsafe target.storeBytes(of: text.high, toByteOffset: count &+ 8, as: UInt64.self)
            count &+= text.count
        }
    }

    /// Appends all of `bytes`, if there is room.
    @inline(__always)
    mutating func append(contentsOf bytes: Span<UInt8>) {
        let length = bytes.count
        guard freeCapacity >= length else { return }
        // SAFETY: the bytes fit, as was made sure of, and are another's, so that they do not overlap.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            unsafe bytes.withUnsafeBytes { source in
                let free = unsafe UnsafeMutableRawBufferPointer(rebasing: target[count...])
                unsafe free.copyMemory(from: source)
                count &+= length
            }
        }
    }

    /// Appends the low `width` bytes of `value`, 1 to 8, the lowest first, if there is room for
    /// eight.
    @inline(__always)
    mutating func append(littleEndian value: UInt64, width: Int) {
        guard freeCapacity >= 8, width > 0, width <= 8 else { return }
        // SAFETY: the word fits, as was made sure of; of its bytes `width` become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
                of: value.littleEndian, toByteOffset: count, as: UInt64.self)
            count &+= width
        }
    }

    /// Appends the low `width` bytes of `value`, 1 to 8, the highest first, if there is room for
    /// eight.
    @inline(__always)
    mutating func append(bigEndian value: UInt64, width: Int) {
        guard freeCapacity >= 8, width > 0, width <= 8 else { return }
        // SAFETY: the word fits, as was made sure of; of its bytes `width` become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let word = value &<< UInt64(truncatingIfNeeded: 64 &- width &* 8)
            unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
                of: word.bigEndian, toByteOffset: count, as: UInt64.self)
            count &+= width
        }
    }

    /// Appends what a line begins with, if there is room for it and eight bytes more.
    @inline(__always)
    mutating func append(indent: XMLIndent) {
        let number = indent.count
        guard number >= 0, freeCapacity >= number &+ 8 else { return }
        // SAFETY: words are stored up to the one that holds the last character, which ends less than
        // eight bytes after it; `number` bytes become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            var place = count
            count &+= number
            while place < count {
                unsafe target.storeBytes(
                    of: indent.word, toByteOffset: place, as: UInt64.self)
                place &+= 8
            }
        }
    }
}

extension [UInt8] {
    /// Appends a short text.
    mutating func append(_ text: ShortText) {
        append(addingCapacity: ShortText.capacity) { $0.append(text) }
    }
}

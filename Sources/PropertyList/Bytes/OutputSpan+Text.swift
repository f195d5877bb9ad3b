// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A string of up to sixteen bytes that is written with two word stores.
struct ShortText {
    fileprivate let low: UInt64
    fileprivate let high: UInt64
    let count: Int

    /// The maximum length in bytes.
    static let capacity = 16

    /// Creates the string, truncated to ``capacity``.
    @inline(__always)
    init(_ text: StaticString) {
        var words: (UInt64, UInt64) = (0, 0)
        count = min(text.utf8CodeUnitCount, Self.capacity)
        for index in 0..<count {
            // SAFETY: a static string holds `utf8CodeUnitCount` bytes from its start forever.
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

    /// Creates the concatenation of two strings. The first has at most seven bytes.
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

/// Functions that append several bytes at a time. They do nothing if there is not enough room, so
/// callers make room for all bytes plus sixteen.
extension OutputSpan<UInt8> {
    /// Appends a short string if there is room for ``ShortText/capacity`` bytes.
    @inline(__always)
    mutating func append(_ text: ShortText) {
        guard freeCapacity >= ShortText.capacity else { return }
        // SAFETY: the guard above ensures that both words fit; of the sixteen bytes stored, `count`
        // become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            unsafe target.storeBytes(of: text.low, toByteOffset: count, as: UInt64.self)
            unsafe target.storeBytes(of: text.high, toByteOffset: count &+ 8, as: UInt64.self)
            count &+= text.count
        }
    }

    /// Appends all of `bytes` if there is room.
    @inline(__always)
    mutating func append(contentsOf bytes: Span<UInt8>) {
        let length = bytes.count
        guard freeCapacity >= length else { return }
        // SAFETY: the guard above ensures that the bytes fit; they belong to another buffer, so the
        // two do not overlap.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            unsafe bytes.withUnsafeBytes { source in
                let free = unsafe UnsafeMutableRawBufferPointer(rebasing: target[count...])
                unsafe free.copyMemory(from: source)
                count &+= length
            }
        }
    }

    /// Appends the low `width` bytes (1 to 8) of `value` in little-endian order, if there is room
    /// for eight bytes.
    @inline(__always)
    mutating func append(littleEndian value: UInt64, width: Int) {
        guard freeCapacity >= 8, width > 0, width <= 8 else { return }
        // SAFETY: the guard above ensures that the word fits; `width` of its bytes become part of
        // the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
                of: value.littleEndian, toByteOffset: count, as: UInt64.self)
            count &+= width
        }
    }

    /// Appends a marker and the low `width` bytes (1 to 8) of `value` in big-endian order, if there
    /// is room for nine bytes.
    @inline(__always)
    mutating func append(_ marker: UInt8, bigEndian value: UInt64, width: Int) {
        guard freeCapacity >= 9, width > 0, width <= 8 else { return }
        // SAFETY: the guard above ensures that marker and word fit; the marker and `width` bytes of
        // the word become part of the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let target = UnsafeMutableRawBufferPointer(buffer)
            let word = value &<< UInt64(truncatingIfNeeded: 64 &- width &* 8)
            unsafe target.storeBytes(of: marker, toByteOffset: count, as: UInt8.self)
            unsafe target.storeBytes(
                of: word.bigEndian, toByteOffset: count &+ 1, as: UInt64.self)
            count &+= width &+ 1
        }
    }

    /// Appends the low `width` bytes (1 to 8) of `value` in big-endian order, if there is room for
    /// eight bytes.
    @inline(__always)
    mutating func append(bigEndian value: UInt64, width: Int) {
        guard freeCapacity >= 8, width > 0, width <= 8 else { return }
        // SAFETY: the guard above ensures that the word fits; `width` of its bytes become part of
        // the span.
        unsafe withUnsafeMutableBufferPointer { buffer, count in
            let word = value &<< UInt64(truncatingIfNeeded: 64 &- width &* 8)
            unsafe UnsafeMutableRawBufferPointer(buffer).storeBytes(
                of: word.bigEndian, toByteOffset: count, as: UInt64.self)
            count &+= width
        }
    }

    /// Appends the indentation of a line, if there is room for it and eight more bytes.
    @inline(__always)
    mutating func append(indent: XMLIndent) {
        let number = indent.count
        guard number >= 0, freeCapacity >= number &+ 8 else { return }
        // SAFETY: the last word begins within the indentation and ends less than eight bytes after
        // the indentation, so the guard above ensures that the word fits; `number` bytes become
        // part of the span.
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
    /// Appends a short string.
    mutating func append(_ text: ShortText) {
        append(addingCapacity: ShortText.capacity) { $0.append(text) }
    }
}

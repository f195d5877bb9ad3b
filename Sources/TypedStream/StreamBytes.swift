// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The tags that begin items, and the bounds of integers that need no tag.
enum Tag {
    /// An integer of 2 bytes follows.
    static let int16: UInt8 = 0x81
    /// An integer of 4 bytes follows.
    static let int32: UInt8 = 0x82
    /// An IEEE 754 number follows, as wide as its type.
    static let real: UInt8 = 0x83
    /// A literal string, class, object or C string follows.
    static let new: UInt8 = 0x84
    /// A nil value, or the end of a chain of classes.
    static let null: UInt8 = 0x85
    /// The end of an object.
    static let end: UInt8 = 0x86
    /// An integer of 8 bytes follows. Only Foundation on 64-bit systems writes it.
    static let int64: UInt8 = 0x87
    /// The lowest byte that encodes a negative integer without a tag. It encodes -110.
    static let lowestInteger: UInt8 = 0x92
    /// The integer that refers to the first entry of a table. Each later entry adds 1.
    static let firstNumber: Int64 = -110
}

/// A byte order.
public enum TypedStreamByteOrder: Sendable, Hashable {
    /// The least significant byte first: `streamtyped`.
    case littleEndian
    /// The most significant byte first: `typedstream`.
    case bigEndian
}

/// The bytes of a stream and their byte order.
struct StreamBytes: Sendable {
    let bytes: [UInt8]
    let order: TypedStreamByteOrder

    /// Returns the byte at `place`, or nil at the end.
    @inline(__always)
    func byte(at place: Int) -> UInt8? { place < bytes.count ? bytes[place] : nil }

    /// Returns the integer at `place` and the offset after it, or nil if there is no complete
    /// integer.
    @inline(__always)
    func integer(at place: Int) -> (value: Int64, end: Int)? {
        guard place < bytes.count else { return nil }
        let head = bytes[place]
        if head < 0x80 || head >= Tag.lowestInteger {
            return (Int64(Int8(bitPattern: head)), place &+ 1)
        }
        return wideInteger(head, at: place &+ 1)
    }

    @inline(never)
    private func wideInteger(_ head: UInt8, at place: Int) -> (value: Int64, end: Int)? {
        switch head {
        case Tag.int16:
            guard let bits = bits(at: place, width: 2) else { return nil }
            return (Int64(Int16(truncatingIfNeeded: bits)), place &+ 2)
        case Tag.int32:
            guard let bits = bits(at: place, width: 4) else { return nil }
            return (Int64(Int32(truncatingIfNeeded: bits)), place &+ 4)
        case Tag.int64:
            guard let bits = bits(at: place, width: 8) else { return nil }
            return (Int64(bitPattern: bits), place &+ 8)
        default: return nil
        }
    }

    /// Returns the `width` bytes at `place` as a number in the byte order of the stream, or nil if
    /// there are fewer.
    func bits(at place: Int, width: Int) -> UInt64? {
        guard width <= bytes.count &- place else { return nil }
        var bits: UInt64 = 0
        for step in 0..<width {
            let index = order == .bigEndian ? step : width &- 1 &- step
            bits = bits << 8 | UInt64(bytes[place &+ index])
        }
        return bits
    }

    /// Returns the index in the reference at `place` and the offset after it, or nil if there is no
    /// complete integer of at most 4 bytes.
    @inline(__always)
    func reference(at place: Int) -> (index: Int, end: Int)? {
        guard let (value, end) = integer(at: place), end &- place <= 5 else { return nil }
        return (Int(truncatingIfNeeded: value &- Tag.firstNumber), end)
    }

    /// Returns the value of type `f` at `place` and the offset after it, or nil if there is no
    /// complete value.
    func float(at place: Int) -> (value: Float, end: Int)? {
        guard byte(at: place) == Tag.real else {
            return integer(at: place).map { (Float($0.value), $0.end) }
        }
        return bits(at: place &+ 1, width: 4).map {
            (Float(bitPattern: UInt32(truncatingIfNeeded: $0)), place &+ 5)
        }
    }

    /// Returns the value of type `d` at `place` and the offset after it, or nil if there is no
    /// complete value.
    func double(at place: Int) -> (value: Double, end: Int)? {
        guard byte(at: place) == Tag.real else {
            return integer(at: place).map { (Double($0.value), $0.end) }
        }
        return bits(at: place &+ 1, width: 8).map { (Double(bitPattern: $0), place &+ 9) }
    }
}

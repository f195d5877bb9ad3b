// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The checksum of a property list, which includes every value, key and byte.
///
/// All implementations and both formats give the same checksum. It depends on the order of arrays,
/// not on that of dictionaries, and treats `{CF$UID: n}`, the form of UIDs in XML, as UID n.
/// `Tools/plistlib_row.py` is the implementation in Python.
///
///     scalar      mix(bits + tag · p)
///     text, data  mix(fold(bytes) + length · q + tag · p), text as UTF-8; fold: the bytes as one
///                 little-endian number modulo 2⁶⁴ − 1
///     array       fold from the left: sum = sum · 31 + element, then mix with the count
///     dictionary  the sum of mix(3 · key + value), then mix with the count
public enum Checksum {
    enum Tag: UInt64 {
        case boolean = 1
        case integer, real, date, data, string, uid, array, dictionary, failure
    }

    private static let p: UInt64 = 0x9E37_79B9_7F4A_7C15
    private static let q: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    @inline(__always)
    static func mix(_ bits: UInt64) -> UInt64 {
        let folded = (bits ^ bits >> 32) &* 0x9FB2_1C65_1E98_DF25
        return folded ^ folded >> 29
    }

    @inline(__always)
    static func scalar(_ tag: Tag, _ bits: UInt64) -> UInt64 { mix(bits &+ tag.rawValue &* p) }

    static func boolean(_ value: Bool) -> UInt64 { scalar(.boolean, value ? 1 : 0) }
    static func integer(_ value: Int) -> UInt64 {
        scalar(.integer, UInt64(bitPattern: Int64(value)))
    }
    static func integer(bits: UInt64) -> UInt64 { scalar(.integer, bits) }
    static func real(_ value: Double) -> UInt64 { scalar(.real, value.bitPattern) }
    static func date(secondsSince2001 value: Double) -> UInt64 { scalar(.date, value.bitPattern) }
    static func uid(_ value: UInt64) -> UInt64 { scalar(.uid, value) }

    @inline(__always)
    static func string(_ value: String) -> UInt64 {
        var value = value
        return value.withUTF8 { content(.string, UnsafeRawBufferPointer($0)) }
    }

    @inline(__always)
    static func string(_ bytes: UnsafeRawBufferPointer) -> UInt64 { content(.string, bytes) }

    @inline(__always)
    static func data(_ bytes: UnsafeRawBufferPointer) -> UInt64 { content(.data, bytes) }

    @inline(__always)
    static func dictionary(sum: UInt64, count: Int) -> UInt64 {
        scalar(.dictionary, sum &+ UInt64(count))
    }

    @inline(__always)
    static func entry(_ key: UInt64, _ value: UInt64) -> UInt64 { mix(key &* 3 &+ value) }

    @inline(__always)
    static func array(sum: UInt64, count: Int) -> UInt64 { scalar(.array, sum &+ UInt64(count)) }

    /// Returns the sum of an array after one more element.
    @inline(__always)
    static func appending(_ element: UInt64, to sum: UInt64) -> UInt64 { sum &* 31 &+ element }

    private static func content(_ tag: Tag, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        mix(fold(bytes) &+ UInt64(bytes.count) &* q &+ tag.rawValue &* p)
    }

    private static func fold(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0
        var place = 0
        while place &+ 8 <= bytes.count {
            add(
                UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)),
                &sum)
            place &+= 8
        }
        add(tail(bytes, from: place), &sum)
        // 2⁶⁴ − 1 is congruent to 0.
        return sum == .max ? 0 : sum
    }

    /// Returns the last bytes, fewer than eight, as a little-endian number.
    @inline(__always)
    private static func tail(_ bytes: UnsafeRawBufferPointer, from place: Int) -> UInt64 {
        let missing = UInt64(truncatingIfNeeded: 8 &- (bytes.count &- place)) &* 8
        if bytes.count >= 8 {
            let last = bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
            return missing == 64 ? 0 : UInt64(littleEndian: last) &>> missing
        }
        var tail: UInt64 = 0
        for byte in bytes[place...].reversed() { tail = tail << 8 | UInt64(byte) }
        return tail
    }

    @inline(__always)
    private static func add(_ word: UInt64, _ sum: inout UInt64) {
        let (partial, carried) = sum.addingReportingOverflow(word)
        sum = partial &+ (carried ? 1 : 0)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The first byte of an object of a binary property list.
///
/// | byte | object | bytes that follow |
/// |---|---|---|
/// | `00` | null | – |
/// | `08` `09` | false, true | – |
/// | `1n` | integer | 2ⁿ, n = 0 … 4; 1, 2, 4 bytes unsigned, 8 and 16 in two's complement |
/// | `22` `23` | real | 4 or 8, IEEE 754 |
/// | `33` | date | 8, IEEE 754: seconds since 2001-01-01T00:00:00Z |
/// | `4n` | data | n |
/// | `5n` | ASCII string | n |
/// | `6n` | UTF-16 string | 2n |
/// | `8n` | UID | n + 1 |
/// | `an` | array | n references |
/// | `cn` | set | n references |
/// | `dn` | dictionary | n references to keys, then n to values |
///
/// If n is 15 and is a count of bytes, UTF-16 code units, references or pairs, an integer object
/// with the actual count follows. Source: the comment at the head of `CFBinaryPList.c`. The markers
/// of later versions of the format (URL, UUID, UTF-8, ordered set: `0c` … `0e`, `7n`, `bn`) are not
/// part of `bplist00`.
enum ObjectMarker {
    static let null: UInt8 = 0x00
    static let no: UInt8 = 0x08
    static let yes: UInt8 = 0x09
    static let integer: UInt8 = 0x10
    static let single: UInt8 = 0x22
    static let double: UInt8 = 0x23
    static let date: UInt8 = 0x33
    static let data: UInt8 = 0x40
    static let asciiString: UInt8 = 0x50
    static let utf16String: UInt8 = 0x60
    static let uid: UInt8 = 0x80
    static let array: UInt8 = 0xA0
    static let set: UInt8 = 0xC0
    static let dictionary: UInt8 = 0xD0

    /// The low four bits of a marker whose count follows as an integer.
    static let countFollows: UInt8 = 0x0F
}

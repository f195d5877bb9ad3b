// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A version of the format.
public enum InlinePropertyListVersion: UInt8, Sendable, Hashable {
    /// An older format of CoreFoundation.
    case fifteen = 15
    /// A message of `NSXPCConnection`.
    case sixteen = 16
    /// A message of `NSXPCConnection` on later systems.
    case seventeen = 17

    /// The first eight bytes of a file.
    var magic: [UInt8] { Array("bplist\(rawValue)".utf8) }
}

/// One value of a document. The children of a container follow it.
struct ListNode: BitwiseCopyable, Sendable {
    enum Kind: UInt8 {
        case null, `false`, `true`, integer, unsigned, float, double, date, data
        /// ASCII text that ends with NUL, as in versions 16 and 17.
        case terminated
        case ascii, utf8, utf16, array, orderedSet, set, dictionary, reference

        var isContainer: Bool {
            self == .array || self == .orderedSet || self == .set || self == .dictionary
        }

        var isString: Bool {
            self == .terminated || self == .ascii || self == .utf8 || self == .utf16
        }
    }

    let kind: Kind
    /// The number of bytes before the content.
    let header: UInt8
    /// The byte offset of the marker.
    let offset: UInt32
    /// The byte offset after the value.
    var end: UInt32
    /// For a container: the index of the node after its children, or 0 while it is being read. For
    /// a reference: the index of its target.
    var other: UInt32 = 0

    init(_ kind: Kind, at offset: Int, header: Int, end: Int) {
        self.kind = kind
        self.header = UInt8(truncatingIfNeeded: header)
        self.offset = UInt32(truncatingIfNeeded: offset)
        self.end = UInt32(truncatingIfNeeded: end)
    }

    /// The byte range of the content.
    var content: Range<Int> { Int(offset) &+ Int(header)..<Int(end) }
}

/// Functions that decode numbers from bytes.
enum NumberBytes {
    /// Returns the little-endian number in `range`, which must be within the bytes.
    static func little(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
        range.reversed().reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// Returns the big-endian number in `range`, which must be within the bytes.
    static func big(_ bytes: [UInt8], _ range: Range<Int>) -> UInt64 {
        range.reduce(0) { $0 << 8 | UInt64(bytes[$1]) }
    }

    /// Returns the number in `range` in the encoding of version 15: little-endian, with the sign
    /// bit inverted.
    static func biased(_ bytes: [UInt8], _ range: Range<Int>) -> Int64 {
        guard !range.isEmpty else { return 0 }
        let shift = UInt64(64 &- 8 &* range.count)
        let flipped = (little(bytes, range) << shift) ^ (1 << 63)
        return Int64(bitPattern: flipped) >> Int64(shift)
    }
}

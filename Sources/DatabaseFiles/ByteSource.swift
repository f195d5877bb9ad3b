// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A source of bytes that is read in portions: a file, or memory.
package protocol ByteSource {
    /// The number of bytes.
    var size: Int { get }

    /// Returns `count` bytes at `offset`, or fewer if the source ends earlier.
    func read(at offset: Int, count: Int) throws(DatabaseFileError) -> [UInt8]
}

/// Bytes in memory.
package struct MemorySource: ByteSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package var size: Int { bytes.count }

    package func read(at offset: Int, count: Int) -> [UInt8] {
        guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
        return Array(bytes[offset..<offset + min(count, bytes.count - offset)])
    }
}

extension [UInt8] {
    /// Returns the big-endian integer of `width` bytes, at most 4, at `offset`, or nil if it is out
    /// of bounds.
    func bigEndian(at offset: Int, width: Int) -> Int? {
        guard offset >= 0, width <= 4, offset <= count - width else { return nil }
        return self[offset..<offset + width].reduce(0) { $0 << 8 | Int($1) }
    }

    /// Returns the big-endian 32-bit integer at `offset`, or nil if it is out of bounds.
    func word(at offset: Int) -> UInt32? {
        bigEndian(at: offset, width: 4).map { UInt32(truncatingIfNeeded: $0) }
    }

    /// Returns the variable-length integer at `offset` and its length, or nil if it is out of
    /// bounds.
    ///
    /// Each of the first eight bytes holds seven bits, the highest first, and its high bit is set
    /// if another byte follows. A ninth byte holds eight bits.
    func variableInteger(at offset: Int) -> (value: UInt64, length: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard offset >= 0, offset < count - index else { return nil }
            let byte = UInt64(self[offset + index])
            if index == 8 { return (value << 8 | byte, 9) }
            value = value << 7 | byte & 0x7F
            if byte < 0x80 { return (value, index + 1) }
        }
        return nil
    }
}

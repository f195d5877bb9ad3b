// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The bytes that tell the encoding of a text by standing before it: U+FEFF.
package struct ByteOrderMark {
    /// The encoding's name.
    package let encoding: String
    /// The number of bytes of the mark.
    package let length: Int
    /// The number of bytes of a code unit.
    let unitWidth: Int
    let isBigEndian: Bool

    /// The mark at the beginning of `bytes`, or nil.
    package init?(_ bytes: [UInt8]) {
        guard let known = Self.known.first(where: { bytes.starts(with: $0.bytes) }) else {
            return nil
        }
        encoding = known.encoding
        length = known.bytes.count
        unitWidth = known.unitWidth
        isBigEndian = known.bytes.first != 0xFF
    }

    // The four bytes of UTF-32 before the two of UTF-16 that they begin with.
    private static let known: [(bytes: [UInt8], encoding: String, unitWidth: Int)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8", 1),
        ([0x00, 0x00, 0xFE, 0xFF], "UTF-32BE", 4), ([0xFF, 0xFE, 0x00, 0x00], "UTF-32LE", 4),
        ([0xFE, 0xFF], "UTF-16BE", 2), ([0xFF, 0xFE], "UTF-16LE", 2),
    ]
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A byte order mark: U+FEFF at the beginning of text, which reveals its encoding.
package struct ByteOrderMark {
    /// The name of the encoding.
    package let encoding: String
    /// The length of the mark in bytes.
    package let length: Int
    /// The size of a code unit in bytes.
    let unitWidth: Int
    let isBigEndian: Bool

    /// Creates the mark at the beginning of `bytes`, or returns nil if there is none.
    package init?(_ bytes: [UInt8]) {
        guard let known = Self.known.first(where: { bytes.starts(with: $0.bytes) }) else {
            return nil
        }
        encoding = known.encoding
        length = known.bytes.count
        unitWidth = known.unitWidth
        isBigEndian = known.bytes.first != 0xFF
    }

    /// Returns whether `name`, in upper case, names the encoding, with or without its byte order.
    func matches(_ name: String) -> Bool {
        name == encoding || name == "UTF-\(8 &* unitWidth)"
    }

    // UTF-32 comes before UTF-16, because the UTF-32LE mark begins with the UTF-16LE mark.
    private static let known: [(bytes: [UInt8], encoding: String, unitWidth: Int)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8", 1),
        ([0x00, 0x00, 0xFE, 0xFF], "UTF-32BE", 4), ([0xFF, 0xFE, 0x00, 0x00], "UTF-32LE", 4),
        ([0xFE, 0xFF], "UTF-16BE", 2), ([0xFF, 0xFE], "UTF-16LE", 2),
    ]
}

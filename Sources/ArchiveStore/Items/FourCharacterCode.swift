// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A code of four characters in 32 bits, such as `"keyd"`. Keychains use such codes for the creator
/// and the type of an item.
public struct FourCharacterCode: RawRepresentable, Sendable, Hashable {
    /// The characters as a number. The first character is in the highest byte.
    public let rawValue: UInt32

    /// Creates a code from its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Creates a code from a string of four ASCII characters. The result is nil for any other
    /// string.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The four characters, or the number if they are not printable ASCII.
    public var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "\(rawValue)" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Four characters in 32 bits, as the keychain has the creator and the type of an item: `"keyd"`.
public struct FourCharacterCode: RawRepresentable, Sendable, Hashable {
    /// The characters, the first in the highest byte.
    public let rawValue: UInt32

    /// The code of a number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The code of a text of four ASCII characters; nil for another.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 4, bytes.allSatisfy({ $0 < 0x80 }) else { return nil }
        rawValue = bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}

extension FourCharacterCode: CustomStringConvertible {
    /// The four characters, or the number where they are not printable ASCII.
    public var description: String {
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "\(rawValue)" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

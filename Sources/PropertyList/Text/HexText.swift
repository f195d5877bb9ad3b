// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text, parsed in either case and written in lower case.
enum HexText {
    /// Returns the value of a digit, or nil.
    @inline(__always)
    static func value(_ digit: UInt8) -> UInt8? {
        let decimal = digit &- 0x30
        if decimal < 10 { return decimal }
        let letter = (digit | 0x20) &- 0x61
        return letter < 6 ? letter &+ 10 : nil
    }

    /// Parses the whole of `text`, at most 16 digits, as a number. Returns nil for other text.
    static func number(_ text: Span<UInt8>) -> UInt64? {
        guard text.count > 0, text.count <= 16 else { return nil }
        var number: UInt64 = 0
        for index in text.indices {
            guard let value = value(text[index]) else { return nil }
            number = number << 4 | UInt64(value)
        }
        return number
    }

    /// Returns the digit of a number below 16.
    @inline(__always)
    static func digit(_ value: UInt8) -> UInt8 { value < 10 ? value &+ 0x30 : value &+ 0x57 }

    /// Appends the low `count` digits of a number.
    static func append(_ number: UInt64, digits count: Int, to output: inout [UInt8]) {
        for place in (0..<count).reversed() {
            output.append(digit(UInt8(truncatingIfNeeded: number >> UInt64(place * 4)) & 0xF))
        }
    }
}

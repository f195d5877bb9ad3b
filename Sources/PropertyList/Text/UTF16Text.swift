// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Big-endian UTF-16, the encoding of non-ASCII strings in binary property lists.
enum UTF16Text {
    /// What a run of code units contains.
    struct Survey {
        var isASCII = true
        /// The first unpaired surrogate, in bytes from the start.
        var unpairedSurrogate: Int?
    }

    /// Looks at every code unit once; an odd last byte is not looked at.
    static func survey(_ text: Span<UInt8>) -> Survey {
        var result = Survey()
        var bits: UInt16 = 0
        var index = 0
        while index &+ 1 < text.count {
            let unit = self.unit(text, at: index)
            bits |= unit
            if unit & 0xF800 == 0xD800 {
                guard isPair(text, at: index) else {
                    result.unpairedSurrogate = index
                    result.isASCII = false
                    return result
                }
                index &+= 2
            }
            index &+= 2
        }
        result.isASCII = bits < 0x80
        return result
    }

    /// Appends the text as UTF-8; an unpaired surrogate becomes U+FFFD. Linear.
    static func appendUTF8(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index &+ 1 < text.count {
            let unit = self.unit(text, at: index)
            index &+= 2
            if unit & 0xF800 != 0xD800 {
                append(UInt32(unit), to: &output)
            } else if isPair(text, at: index &- 2) {
                append(scalar(high: unit, low: self.unit(text, at: index)), to: &output)
                index &+= 2
            } else {
                append(0xFFFD, to: &output)
            }
        }
    }

    /// Appends valid UTF-8 as big-endian UTF-16. Linear.
    static func appendUTF16(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var index = 0
        while index < text.count {
            let (scalar, length) = UTF8Text.scalar(text, at: index)
            index &+= length
            if scalar < 0x10000 {
                append(unit: UInt16(truncatingIfNeeded: scalar), to: &output)
            } else {
                let offset = scalar &- 0x10000
                append(unit: UInt16(truncatingIfNeeded: 0xD800 | offset >> 10), to: &output)
                append(unit: UInt16(truncatingIfNeeded: 0xDC00 | offset & 0x3FF), to: &output)
            }
        }
    }

    /// Appends big-endian UTF-16 with U+FFFD for every unpaired surrogate.
    static func appendRepaired(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var utf8: [UInt8] = []
        appendUTF8(text, to: &utf8)
        appendUTF16(utf8.span, to: &output)
    }

    @inline(__always)
    private static func unit(_ text: Span<UInt8>, at index: Int) -> UInt16 {
        UInt16(text[index]) << 8 | UInt16(text[index &+ 1])
    }

    private static func append(unit: UInt16, to output: inout [UInt8]) {
        output.append(UInt8(truncatingIfNeeded: unit >> 8))
        output.append(UInt8(truncatingIfNeeded: unit))
    }

    /// Whether a high surrogate stands at `index` and a low one follows.
    private static func isPair(_ text: Span<UInt8>, at index: Int) -> Bool {
        guard index &+ 3 < text.count else { return false }
        return unit(text, at: index) & 0xFC00 == 0xD800
            && unit(text, at: index &+ 2) & 0xFC00 == 0xDC00
    }

    private static func scalar(high: UInt16, low: UInt16) -> UInt32 {
        0x10000 &+ (UInt32(high & 0x3FF) << 10 | UInt32(low & 0x3FF))
    }

    private static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        UTF8Text.append(scalar, to: &output)
    }
}

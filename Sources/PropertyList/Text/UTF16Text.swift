// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Big-endian UTF-16, the encoding of non-ASCII strings in binary property lists.
enum UTF16Text {
    /// The result of scanning code units.
    struct Survey {
        var isASCII = true
        /// The offset of the first unpaired surrogate, in bytes.
        var unpairedSurrogate: Int?
    }

    /// Scans code units up to the first unpaired surrogate, four at a time. Ignores an odd last
    /// byte.
    static func survey(_ text: Span<UInt8>) -> Survey {
        var result = Survey()
        var bits: UInt64 = 0
        var index = 0
        while index &+ 1 < text.count {
            if let word = text.bigEndian(at: index, width: 8), !UnitWord.hasSurrogate(word) {
                bits |= word
                index &+= 8
                continue
            }
            let unit = self.unit(text, at: index)
            bits |= UInt64(unit)
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
        result.isASCII = UnitWord.isASCII(bits)
        return result
    }

    /// Returns the text of code units, with U+FFFD for unpaired surrogates. Linear.
    static func string(_ units: ArraySlice<UInt8>) -> String {
        var text: [UInt8] = []
        appendUTF8(units.span, to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the text as UTF-8, with U+FFFD for unpaired surrogates. Linear.
    static func appendUTF8(_ text: Span<UInt8>, to output: inout [UInt8]) {
        // A unit takes at most three bytes in UTF-8, and a surrogate pair takes four.
        output.append(addingCapacity: text.count / 2 &* 3) { appendUTF8(text, to: &$0) }
    }

    private static func appendUTF8(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        var index = 0
        while index &+ 1 < text.count {
            if let word = text.bigEndian(at: index, width: 8), UnitWord.isASCII(word) {
                output.append(bigEndian: UnitWord.lowBytes(of: word), width: 4)
                index &+= 8
                continue
            }
            let unit = self.unit(text, at: index)
            index &+= 2
            if unit & 0xF800 != 0xD800 {
                UTF8Text.append(UInt32(unit), to: &output)
            } else if isPair(text, at: index &- 2) {
                let low = self.unit(text, at: index)
                UTF8Text.append(scalar(high: unit, low: low), to: &output)
                index &+= 2
            } else {
                UTF8Text.append(0xFFFD, to: &output)
            }
        }
    }

    /// Appends valid UTF-8 as big-endian UTF-16. Linear.
    static func appendUTF16(_ text: Span<UInt8>, to output: inout [UInt8]) {
        output.append(addingCapacity: text.count &* 2) { appendUTF16(text, to: &$0) }
    }

    private static func appendUTF16(_ text: Span<UInt8>, to output: inout OutputSpan<UInt8>) {
        var index = 0
        while index < text.count {
            if let word = text.bigEndian(at: index, width: 4), word & 0x8080_8080 == 0 {
                output.append(bigEndian: UnitWord.units(ofASCII: word), width: 8)
                index &+= 4
                continue
            }
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

    /// Appends big-endian UTF-16, with U+FFFD for unpaired surrogates.
    static func appendRepaired(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var utf8: [UInt8] = []
        appendUTF8(text, to: &utf8)
        appendUTF16(utf8.span, to: &output)
    }

    @inline(__always)
    private static func unit(_ text: Span<UInt8>, at index: Int) -> UInt16 {
        UInt16(text[index]) << 8 | UInt16(text[index &+ 1])
    }

    @inline(__always)
    private static func append(unit: UInt16, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: unit >> 8))
        output.append(UInt8(truncatingIfNeeded: unit))
    }

    /// Returns whether a high surrogate at `index` is followed by a low one.
    private static func isPair(_ text: Span<UInt8>, at index: Int) -> Bool {
        guard index &+ 3 < text.count else { return false }
        return unit(text, at: index) & 0xFC00 == 0xD800
            && unit(text, at: index &+ 2) & 0xFC00 == 0xDC00
    }

    private static func scalar(high: UInt16, low: UInt16) -> UInt32 {
        0x10000 &+ (UInt32(high & 0x3FF) << 10 | UInt32(low & 0x3FF))
    }
}

/// Four code units of UTF-16. The first is in the highest position.
private enum UnitWord {
    private static let units: UInt64 = 0x0001_0001_0001_0001

    @inline(__always)
    static func isASCII(_ word: UInt64) -> Bool { word & (units &* 0xFF80) == 0 }

    /// Returns the low bytes of four units whose high bytes are zero. The first is in the highest
    /// position.
    @inline(__always)
    static func lowBytes(of word: UInt64) -> UInt64 {
        let pairs = (word | word &>> 8) & 0x0000_FFFF_0000_FFFF
        return (pairs | pairs &>> 16) & 0xFFFF_FFFF
    }

    /// Returns four bytes of ASCII as UTF-16 code units.
    @inline(__always)
    static func units(ofASCII word: UInt64) -> UInt64 {
        let pairs = (word | word &<< 16) & 0x0000_FFFF_0000_FFFF
        return (pairs | pairs &<< 8) & 0x00FF_00FF_00FF_00FF
    }

    /// Returns whether any unit is a surrogate. The units of `difference` that are zero are the
    /// surrogates, and subtracting one from a zero unit sets its high bit.
    @inline(__always)
    static func hasSurrogate(_ word: UInt64) -> Bool {
        let difference = word & (units &* 0xF800) ^ units &* 0xD800
        return (difference &- units) & ~difference & (units &* 0x8000) != 0
    }
}

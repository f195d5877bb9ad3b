// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Encoding, decoding and validation of UTF-8.
enum UTF8Text {
    /// Appends one Unicode scalar, which takes up to four bytes.
    static func append(_ scalar: UInt32, to output: inout [UInt8]) {
        if scalar < 0x80 { return output.append(UInt8(truncatingIfNeeded: scalar)) }
        output.append(addingCapacity: 4) { append(scalar, to: &$0) }
    }

    /// Appends one Unicode scalar to `output`, which must have room for it.
    @inline(__always)
    static func append(_ scalar: UInt32, to output: inout OutputSpan<UInt8>) {
        switch scalar {
        case 0..<0x80:
            output.append(UInt8(truncatingIfNeeded: scalar))
        case 0x80..<0x800:
            output.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
            appendTail(scalar, to: &output)
        case 0x800..<0x10000:
            output.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
            appendTail(scalar >> 6, to: &output)
            appendTail(scalar, to: &output)
        default:
            output.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
            appendTail(scalar >> 12, to: &output)
            appendTail(scalar >> 6, to: &output)
            appendTail(scalar, to: &output)
        }
    }

    @inline(__always)
    private static func appendTail(_ bits: UInt32, to output: inout OutputSpan<UInt8>) {
        output.append(UInt8(truncatingIfNeeded: 0x80 | bits & 0x3F))
    }

    /// Returns the scalar at `index` and its length in bytes. For invalid UTF-8, returns U+FFFD
    /// with length 1.
    @inline(__always)
    static func scalar(_ text: Span<UInt8>, at index: Int) -> (value: UInt32, length: Int) {
        let length = validLength(text, at: index)
        guard length > 0 else { return (0xFFFD, 1) }
        let first = UInt32(text[index])
        if length == 1 { return (first, 1) }
        var value = first & (0x7F >> UInt32(truncatingIfNeeded: length))
        for step in 1..<length { value = value << 6 | UInt32(text[index &+ step] & 0x3F) }
        return (value, length)
    }

    /// Returns the number of Unicode scalars in valid UTF-8. Linear.
    static func scalarCount(_ text: Span<UInt8>) -> Int { unitCounts(text).utf32 }

    /// Returns the number of code units of valid UTF-8 text in UTF-32 and in UTF-16. Linear; eight
    /// bytes at a time.
    static func unitCounts(_ text: Span<UInt8>) -> (utf32: Int, utf16: Int) {
        var (tails, pairs) = (0, 0)
        func count(_ word: UInt64) {
            // Continuation bytes begin with the bits 10. The first byte of a four-byte character
            // begins with 1111.
            let isTail = word & ~(word << 1) & 0x8080_8080_8080_8080
            let isPair = word & word << 1 & word << 2 & word << 3 & 0x8080_8080_8080_8080
            tails &+= isTail.nonzeroBitCount
            pairs &+= isPair.nonzeroBitCount
        }
        var index = 0
        while let word = text.bigEndian(at: index, width: 8) {
            // ASCII has nothing to count.
            if word & 0x8080_8080_8080_8080 != 0 { count(word) }
            index &+= 8
        }
        while index < text.count {
            count(UInt64(text[index]))
            index &+= 1
        }
        let characters = text.count &- tails
        return (characters, characters &+ pairs)
    }

    /// Returns the index of the first byte of invalid UTF-8, or nil. Linear; eight bytes of ASCII
    /// at a time.
    static func firstInvalid(_ text: Span<UInt8>) -> Int? {
        var index = 0
        while index < text.count {
            if let word = text.bigEndian(at: index, width: 8), word & 0x8080_8080_8080_8080 == 0 {
                index &+= 8
                continue
            }
            let length = validLength(text, at: index)
            if length == 0 { return index }
            index &+= length
        }
        return nil
    }

    /// Returns the length in bytes of the well-formed sequence at `index`, or 0 if there is none
    /// (Unicode 15, table 3-7: no overlong forms, no surrogates, nothing above 10FFFF).
    @inline(__always)
    static func validLength(_ text: Span<UInt8>, at index: Int) -> Int {
        let first = text[index]
        switch first {
        case 0..<0x80: return 1
        case 0xC2..<0xE0: return isTail(text, index &+ 1, 0x80...0xBF) ? 2 : 0
        case 0xE0..<0xF0: return isTriple(text, index, first) ? 3 : 0
        case 0xF0..<0xF5: return isQuadruple(text, index, first) ? 4 : 0
        default: return 0
        }
    }

    /// Returns whether U+FFFE or U+FFFF, which XML forbids, is at `index` of valid text.
    @inline(__always)
    static func isNoncharacter(_ text: Span<UInt8>, at index: Int) -> Bool {
        index &+ 2 < text.count && text[index] == 0xEF && text[index &+ 1] == 0xBF
            && text[index &+ 2] >= 0xBE
    }

    @inline(__always)
    private static func isTriple(_ text: Span<UInt8>, _ index: Int, _ first: UInt8) -> Bool {
        let second: ClosedRange<UInt8> =
            first == 0xE0 ? 0xA0...0xBF : first == 0xED ? 0x80...0x9F : 0x80...0xBF
        return isTail(text, index &+ 1, second) && isTail(text, index &+ 2, 0x80...0xBF)
    }

    private static func isQuadruple(_ text: Span<UInt8>, _ index: Int, _ first: UInt8) -> Bool {
        let second: ClosedRange<UInt8> =
            first == 0xF0 ? 0x90...0xBF : first == 0xF4 ? 0x80...0x8F : 0x80...0xBF
        return isTail(text, index &+ 1, second) && isTail(text, index &+ 2, 0x80...0xBF)
            && isTail(text, index &+ 3, 0x80...0xBF)
    }

    @inline(__always)
    private static func isTail(
        _ text: Span<UInt8>, _ index: Int, _ range: ClosedRange<UInt8>
    ) -> Bool {
        index < text.count && range.contains(text[index])
    }
}

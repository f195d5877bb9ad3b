// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Names as defined by XML 1.0 (fifth edition) in productions 4, 4a and 5:
///
///     name = start { start | digit | "-" | "." | … }
///     start = letter | "_" | ":" | …
///
/// Names of elements and attributes may have a prefix (Namespaces in XML 1.0).
enum XMLName {
    /// Returns the end of the name at `start`, or nil if there is none. Linear.
    static func end(_ text: Span<UInt8>, from start: Int) -> Int? {
        end(text, from: start, allowsColon: true)
    }

    /// Returns the end of the name of an element or attribute at `start`, or nil if there is none.
    /// Linear.
    ///
    /// A name with more than one colon is well-formed. The part after the second colon is included
    /// only if it begins like a name: for `a:b:1`, the result is the index of `1`.
    static func endOfQualified(_ text: Span<UInt8>, from start: Int) -> Int? {
        if let end = endOfSmallLetters(text, from: start) { return end }
        guard let prefix = end(text, from: start, allowsColon: false) else {
            return end(text, from: start)
        }
        guard text.has(":", at: prefix) else { return prefix }
        guard let local = end(text, from: prefix &+ 1, allowsColon: false) else {
            return endOfParts(text, from: prefix &+ 1, allowsColon: true)
        }
        guard text.has(":", at: local) else { return local }
        return end(text, from: local &+ 1) ?? local &+ 1
    }

    /// Returns the end of the name at `start` if it has only lowercase letters and is followed by
    /// `>`, `/`, `=` or white space. Otherwise returns nil. Element names of property lists have
    /// only lowercase letters.
    private static func endOfSmallLetters(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.count, text[index] &- 0x61 < 26 { index &+= 1 }
        guard index > start, index < text.count else { return nil }
        switch text[index] {
        case UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="): return index
        case let byte: return isXMLWhitespace(byte) ? index : nil
        }
    }

    private static func end(
        _ text: Span<UInt8>, from start: Int, allowsColon: Bool
    ) -> Int? {
        guard start < text.count else { return nil }
        let (scalar, length) = UTF8Text.scalar(text, at: start)
        guard isStart(scalar), allowsColon || scalar != 0x3A else { return nil }
        return endOfParts(text, from: start &+ length, allowsColon: allowsColon)
    }

    private static func endOfParts(
        _ text: Span<UInt8>, from start: Int, allowsColon: Bool
    ) -> Int {
        var index = start
        while index < text.count {
            // Most characters of names are lowercase letters.
            if text[index] &- 0x61 < 26 {
                index &+= 1
                continue
            }
            let (scalar, length) = UTF8Text.scalar(text, at: index)
            guard isPart(scalar), allowsColon || scalar != 0x3A else { return index }
            index &+= length
        }
        return index
    }

    /// Returns whether a name may begin with the character.
    static func isStart(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x61...0x7A, 0x41...0x5A, 0x5F, 0x3A: true
        case 0..<0xC0: false
        case 0xD7, 0xF7, 0x300...0x36F, 0x37E: false
        case 0xC0...0x1FFF, 0x200C...0x200D, 0x2070...0x218F, 0x2C00...0x2FEF: true
        case 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF: true
        default: false
        }
    }

    /// Returns whether the character may occur in a name after the first character.
    static func isPart(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x30...0x39, 0x2D, 0x2E, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: isStart(scalar)
        }
    }
}

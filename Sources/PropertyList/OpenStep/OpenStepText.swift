// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A decoder of the escapes in quoted strings.
///
/// | escape | character |
/// |---|---|
/// | `\a \b \f \n \r \t \v` | 07 08 0C 0A 0D 09 0B |
/// | `\` before a character other than an ASCII letter or digit | that character |
/// | `\ooo`, one to three octal digits | ASCII up to 177, NeXTSTEP above it |
/// | `\Uhhhh`, four hexadecimal digits | a UTF-16 code unit; two escapes form a surrogate pair |
///
/// Source: CoreFoundation's `CFOldStylePList.c`. Escapes that other parsers resolve differently
/// need an option: ``ParsingOptions/nextStepEscapes``, ``ParsingOptions/looseEscapes``.
struct OpenStepText {
    let options: ParsingOptions
    var used: ParsingOptions = []

    /// Appends the text in `range` with escapes resolved. Linear.
    ///
    /// - Throws: `invalidString`.
    mutating func append(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) throws(PropertyListError) {
        var index = range.lowerBound
        while index < range.upperBound {
            let escape =
                text.firstIndex(
                    of: UInt8(ascii: "\\"), or: UInt8(ascii: "\\"), in: index..<range.upperBound)
                ?? range.upperBound
            for place in index..<escape { output.append(text[place]) }
            index = escape
            guard escape < range.upperBound else { return }
            let (scalar, length) = try scalar(text.extracting(escape..<range.upperBound), escape)
            UTF8Text.append(scalar, to: &output)
            index = escape &+ length
        }
    }

    /// Returns the character of the escape at the start of `text`, and the length of the escape in
    /// bytes.
    private mutating func scalar(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        guard text.count > 1 else {
            throw Self.error("expected a character after `\\`, found the end of the string", place)
        }
        switch text[1] {
        case UInt8(ascii: "a"): return (0x07, 2)
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0C, 2)
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "v"): return (0x0B, 2)
        case UInt8(ascii: "0")...UInt8(ascii: "7"): return try octal(text, place)
        case UInt8(ascii: "U"): return try unicode(text, place)
        default: return try literalCharacter(text, place)
        }
    }

    private mutating func literalCharacter(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        let (scalar, length) = UTF8Text.scalar(text, at: 1)
        let isMeaningless = scalar < 0x80 && OpenStepCharacter.isAlphanumeric(text[1])
        if isMeaningless {
            let name = TerminalText.escaped(String(UnicodeScalar(text[1])))
            try allow(.looseEscapes, "unknown escape `\\\(name)`", place)
        }
        return (scalar, length &+ 1)
    }

    private mutating func octal(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        var value: UInt32 = 0
        var length = 1
        while length < min(text.count, 4), text[length] &- 0x30 < 8 {
            value = value &* 8 &+ UInt32(text[length] &- 0x30)
            length &+= 1
        }
        if value < 0x80 { return (value, length) }
        try allow(
            .nextStepEscapes,
            "the octal escape `\\\(String(value, radix: 8))` is ambiguous: its meaning "
                + "depends on the encoding", place)
        // Like CoreFoundation, this function uses only the low eight bits.
        return (NextStepEncoding.scalar(UInt8(truncatingIfNeeded: value)) ?? 0xFFFD, length)
    }

    // MARK: Unicode

    private mutating func unicode(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        let (unit, digits) = Self.unit(text)
        if digits < 4 {
            try allow(
                .looseEscapes, "expected 4 hexadecimal digits after `\\U`, found \(digits)", place)
        }
        let length = digits &+ 2
        if unit & 0xF800 != 0xD800 { return (unit, length) }
        if unit < 0xDC00, text.has("\\U", at: length) {
            let (second, digits) = Self.unit(text.extracting(length...))
            if digits == 4, second & 0xFC00 == 0xDC00 {
                let offset = (unit & 0x3FF) << 10 | second & 0x3FF
                return (0x10000 &+ offset, length &+ 6)
            }
        }
        try allow(.unpairedSurrogates, "an escape is an unpaired surrogate", place)
        return (0xFFFD, length)
    }

    /// Returns the value of up to four digits after `\U`, or 0 without digits, and the number of
    /// digits.
    private static func unit(_ text: Span<UInt8>) -> (UInt32, digits: Int) {
        var value: UInt32 = 0
        var digits = 0
        while digits < 4, digits &+ 2 < text.count,
            let digit = HexText.value(text[digits &+ 2])
        {
            value = value << 4 | UInt32(digit)
            digits &+= 1
        }
        return (value, digits)
    }

    // MARK: Errors

    private mutating func allow(
        _ option: ParsingOptions, _ what: String, _ place: Int
    ) throws(PropertyListError) {
        guard options.contains(option) else { throw Self.error(what, place, option) }
        used.insert(option)
    }

    private static func error(
        _ what: String, _ place: Int, _ option: ParsingOptions? = nil
    ) -> PropertyListError {
        OpenStepScanner.error(.invalidString, what, at: place, option)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The range and kind of a JSON number:
///
///     number   = [ "-" ] ( "0" | digit 1 … 9 { digit } ) [ "." digits ] [ exponent ]
///     exponent = ( "e" | "E" ) [ "+" | "-" ] digits
struct JSONNumber {
    /// The index after the number.
    private(set) var end: Int
    /// A Boolean value that is true if the number has a point or an exponent.
    private(set) var isReal = false

    /// Scans the number at `start`, or returns nil if it does not match the grammar.
    init?(_ text: Span<UInt8>, at start: Int) {
        end = start
        if text[start] == UInt8(ascii: "-") { end &+= 1 }
        let first = end
        guard skipDigits(text) else { return nil }
        if text[first] == UInt8(ascii: "0"), end > first &+ 1 { return nil }
        if end < text.count, text[end] == UInt8(ascii: ".") {
            end &+= 1
            isReal = true
            guard skipDigits(text) else { return nil }
        }
        if end < text.count, text[end] | 0x20 == UInt8(ascii: "e") {
            end &+= 1
            isReal = true
            let hasSign = end < text.count && (text[end] == 0x2B || text[end] == 0x2D)
            if hasSign { end &+= 1 }
            guard skipDigits(text) else { return nil }
        }
    }

    /// Skips digits. Returns false if there are none.
    private mutating func skipDigits(_ text: Span<UInt8>) -> Bool {
        let start = end
        while end < text.count, text[end] &- 0x30 < 10 { end &+= 1 }
        return end > start
    }
}

/// A JSON string: text in double quotes, with control characters only as escapes.
///
///     escape = "\" ( '"' | "\" | "/" | "b" | "f" | "n" | "r" | "t" | "u" four hexadecimal digits )
struct JSONString {
    private let start: Int
    private(set) var end = 0
    private(set) var hasEscapes = false

    init(at start: Int) { self.start = start }

    /// Finds the end of the string. Linear.
    ///
    /// - Returns: the range between the quotes.
    /// - Throws: `truncated`, `invalidString`.
    mutating func skip(_ text: Span<UInt8>) throws(PropertyListError) -> Range<Int> {
        var index = start &+ 1
        while index < text.count {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                end = index &+ 1
                return (start &+ 1)..<index
            }
            if byte < 0x20 {
                throw Self.error(
                    .invalidString, "a control character in a string is not escaped", index)
            }
            let isEscape = byte == UInt8(ascii: "\\")
            hasEscapes = hasEscapes || isEscape
            index &+= isEscape ? 2 : 1
        }
        throw Self.error(.truncated, "a string has no closing quote", start)
    }

    /// Appends the text of the content, with escapes decoded. Linear.
    ///
    /// - Throws: `invalidString`.
    mutating func append(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) throws(PropertyListError) {
        var index = range.lowerBound
        while index < range.upperBound {
            if text[index] != UInt8(ascii: "\\") {
                output.append(text[index])
                index &+= 1
            } else {
                let escape = text.extracting(index..<range.upperBound)
                let (scalar, length) = try scalar(escape, index)
                UTF8Text.append(scalar, to: &output)
                index &+= length
            }
        }
    }

    private mutating func scalar(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        guard text.count > 1 else {
            throw Self.error(
                .invalidString, "expected a character after `\\`, found the end of the string",
                place)
        }
        switch text[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"):
            return (UInt32(text[1]), 2)
        case UInt8(ascii: "b"): return (0x08, 2)
        case UInt8(ascii: "f"): return (0x0C, 2)
        case UInt8(ascii: "n"): return (0x0A, 2)
        case UInt8(ascii: "r"): return (0x0D, 2)
        case UInt8(ascii: "t"): return (0x09, 2)
        case UInt8(ascii: "u"): return try unicode(text, place)
        default:
            let character = Unicode.Scalar(UTF8Text.scalar(text, at: 1).value)
            let found = character.map { TerminalText.escaped(String($0)) } ?? ""
            throw Self.error(
                .invalidString,
                "expected one of `\"\\/bfnrtu` after `\\`, found `\(found)`", place)
        }
    }

    private mutating func unicode(
        _ text: Span<UInt8>, _ place: Int
    ) throws(PropertyListError) -> (UInt32, length: Int) {
        guard let unit = Self.unit(text, at: 0) else {
            throw Self.error(
                .invalidString, "expected 4 hexadecimal digits after `\\u`, found fewer", place)
        }
        if unit & 0xF800 != 0xD800 { return (unit, 6) }
        if unit < 0xDC00, let second = Self.unit(text, at: 6), second & 0xFC00 == 0xDC00 {
            return (0x10000 &+ ((unit & 0x3FF) << 10 | second & 0x3FF), 12)
        }
        throw Self.error(.invalidString, "an escape is an unpaired surrogate", place)
    }

    /// Returns the code unit of the `\uhhhh` at `index`, or nil if there is none.
    private static func unit(_ text: Span<UInt8>, at index: Int) -> UInt32? {
        guard text.count >= index &+ 6, text.has("\\u", at: index) else { return nil }
        var value: UInt32 = 0
        for place in (index &+ 2)..<(index &+ 6) {
            guard let digit = HexText.value(text[place]) else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    private static func error(
        _ code: PropertyListError.Code, _ what: String, _ place: Int,
        _ recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .json, what: what, location: .byte(place), recovery: recovery)
    }
}

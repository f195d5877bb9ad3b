// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The text between two tags, with references and CDATA sections resolved.
///
///     text      = { character | reference | "<![CDATA[" … "]]>" }
///     reference = "&" ("lt" | "gt" | "amp" | "apos" | "quot") ";"
///               | "&#" digits ";" | "&#x" hex ";"
///
/// The engine has already checked that the text is well-formed, but not that each entity is one of
/// the five predefined ones. XML allows a document that names an external DTD to use any entity.
enum XMLText {
    /// The reason for an error, and its offset.
    struct Failure: Error {
        let offset: Int
        let what: String
    }

    /// Appends the text in `range` with references and CDATA sections resolved. Linear.
    static func append(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) throws(Failure) {
        var index = range.lowerBound
        while index < range.upperBound {
            // References may be adjacent.
            if text[index] != UInt8(ascii: "&") {
                let special =
                    text.firstIndex(
                        of: UInt8(ascii: "&"), or: UInt8(ascii: "<"), in: index..<range.upperBound)
                    ?? range.upperBound
                appendRaw(text, index..<special, to: &output)
                index = special
            }
            guard index < range.upperBound else { return }
            index =
                text[index] == UInt8(ascii: "&")
                ? try appendReference(text, at: index, range.upperBound, to: &output)
                : try appendSection(text, at: index, range.upperBound, to: &output)
        }
    }

    private static func appendRaw(
        _ text: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8]
    ) {
        output.append(addingCapacity: range.count) {
            $0.append(contentsOf: text.extracting(range))
        }
    }

    private static func appendSection(
        _ text: Span<UInt8>, at index: Int, _ end: Int, to output: inout [UInt8]
    ) throws(Failure) -> Int {
        guard text.has("<![CDATA[", at: index) else {
            let what = text.has("<!--", at: index) ? "a comment" : "a processing instruction"
            throw Failure(offset: index, what: "expected text, found \(what)")
        }
        guard let close = text.firstIndex(of: "]]>", from: index &+ 9), close < end else {
            throw Failure(offset: index, what: "a CDATA section has no closing `]]>`")
        }
        appendRaw(text, (index &+ 9)..<close, to: &output)
        return close &+ 3
    }

    private static func appendReference(
        _ text: Span<UInt8>, at index: Int, _ end: Int, to output: inout [UInt8]
    ) throws(Failure) -> Int {
        if let entity = entity(text, at: index &+ 1), entity.end <= end {
            output.append(entity.character)
            return entity.end
        }
        guard
            let close = text.firstIndex(of: UInt8(ascii: ";"), in: index..<end)
        else { throw Failure(offset: index, what: "a reference has no `;`") }
        guard let scalar = scalar(text, (index &+ 1)..<close) else {
            throw Failure(
                offset: index,
                what: "expected `&lt;`, `&gt;`, `&amp;`, `&apos;`, `&quot;` or a numeric character "
                    + "reference, found another reference")
        }
        UTF8Text.append(scalar, to: &output)
        return close &+ 1
    }

    /// Returns the character of the predefined entity whose name and `;` are at `index`, and the
    /// index after it. Returns nil for other references, and for references in the last seven bytes
    /// of the text.
    @inline(__always)
    private static func entity(
        _ text: Span<UInt8>, at index: Int
    ) -> (character: UInt8, end: Int)? {
        guard let word = text.littleEndian(at: index) else { return nil }
        if XMLTagWord.ampersand.begins(word) { return (0x26, index &+ 4) }
        if XMLTagWord.lessThan.begins(word) { return (0x3C, index &+ 3) }
        if XMLTagWord.greaterThan.begins(word) { return (0x3E, index &+ 3) }
        if XMLTagWord.quote.begins(word) { return (0x22, index &+ 5) }
        return XMLTagWord.apostrophe.begins(word) ? (0x27, index &+ 5) : nil
    }

    /// Returns the character of the reference with this name, which excludes `&` and `;`. Returns
    /// nil for other names, for U+0000, and for numbers that are not Unicode scalars.
    static func scalar(_ text: Span<UInt8>, _ name: Range<Int>) -> UInt32? {
        if text.has("lt;", at: name.lowerBound) { return 0x3C }
        if text.has("gt;", at: name.lowerBound) { return 0x3E }
        if text.has("amp;", at: name.lowerBound) { return 0x26 }
        if text.has("apos;", at: name.lowerBound) { return 0x27 }
        if text.has("quot;", at: name.lowerBound) { return 0x22 }
        guard text.has("#", at: name.lowerBound) else { return nil }
        let isHex = text.has("#x", at: name.lowerBound)
        return number(
            text, (name.lowerBound &+ (isHex ? 2 : 1))..<name.upperBound, radix: isHex ? 16 : 10)
    }

    private static func number(_ text: Span<UInt8>, _ range: Range<Int>, radix: UInt32) -> UInt32? {
        if range.isEmpty { return nil }
        var value: UInt32 = 0
        for index in range {
            guard let digit = digit(text[index]), digit < radix, value < 0x110000 else {
                return nil
            }
            value = value &* radix &+ digit
        }
        return Unicode.Scalar(value) == nil || value == 0 ? nil : value
    }

    /// Returns the value of a hexadecimal digit, or nil for other bytes.
    static func digit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte &- 0x30)
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte &- 0x57)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte &- 0x37)
        default: nil
        }
    }
}

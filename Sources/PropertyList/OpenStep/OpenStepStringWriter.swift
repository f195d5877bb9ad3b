// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A writer of OpenStep strings, with the same quotes and escapes as Apple's writers.
package struct OpenStepStringWriter {
    /// A Boolean value that is true to escape non-ASCII characters and DEL.
    package let escapesNonASCII: Bool
    /// A Boolean value that is true to write LF and TAB unchanged instead of as escapes.
    var keepsLines = false

    package init(escapesNonASCII: Bool, keepsLines: Bool = false) {
        self.escapesNonASCII = escapesNonASCII
        self.keepsLines = keepsLines
    }

    /// Appends UTF-8 text, in quotes if `isQuoted` is true or the text needs quotes. Linear.
    package func append(_ text: ArraySlice<UInt8>, isQuoted: Bool = false, to output: inout [UInt8])
    {
        if !isQuoted, Self.isBare(text) { return output.append(contentsOf: text) }
        output.append(UInt8(ascii: "\""))
        appendEscaped(text, to: &output)
        output.append(UInt8(ascii: "\""))
    }

    /// Returns whether text needs no quotes. Such text is not empty, and consists of letters,
    /// digits and `_$/.` without `//`, which begins a comment. Text with three underscores in a row
    /// needs quotes, as in Xcode.
    private static func isBare(_ text: ArraySlice<UInt8>) -> Bool {
        if text.isEmpty || !text.allSatisfy(OpenStepCharacter.isPlain) { return false }
        var run = 0
        var last: UInt8 = 0
        for byte in text {
            run = byte == last ? run &+ 1 : 1
            if byte == UInt8(ascii: "/"), run == 2 { return false }
            if byte == UInt8(ascii: "_"), run == 3 { return false }
            last = byte
        }
        return true
    }

    private func appendEscaped(_ text: ArraySlice<UInt8>, to output: inout [UInt8]) {
        var start = text.startIndex
        for index in text.indices where needsEscape(text[index]) {
            output.append(contentsOf: text[start..<index])
            start = index &+ 1
            if text[index] < 0x80 {
                appendEscape(text[index], to: &output)
            } else if text[index] >= 0xC0 {
                // The loop then skips the continuation bytes of the character, which match neither
                // condition.
                appendUnits(text[index...].prefix(4), to: &output)
            }
        }
        output.append(contentsOf: text[start...])
    }

    @inline(__always)
    private func needsEscape(_ byte: UInt8) -> Bool {
        if byte < 0x20 { return !keepsLines || (byte != 0x0A && byte != 0x09) }
        return byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
            || (escapesNonASCII && byte >= 0x7F)
    }

    private func appendEscape(_ byte: UInt8, to output: inout [UInt8]) {
        let letter: StaticString? =
            switch byte {
            case 0x07: "\\a"
            case 0x08: "\\b"
            case 0x09: "\\t"
            case 0x0A: "\\n"
            case 0x0B: "\\v"
            case 0x0C: "\\f"
            case 0x0D: "\\r"
            case UInt8(ascii: "\""): "\\\""
            case UInt8(ascii: "\\"): "\\\\"
            default: nil
            }
        if let letter { return output.append(contentsOf: letter) }
        append(unit: UInt16(byte), to: &output)
    }

    /// Appends the first character of `bytes` as one or two escapes.
    private func appendUnits(_ bytes: ArraySlice<UInt8>, to output: inout [UInt8]) {
        let (scalar, _) = UTF8Text.scalar(Array(bytes).span, at: 0)
        guard let scalar = Unicode.Scalar(scalar) else { return }
        for unit in String(scalar).utf16 { append(unit: unit, to: &output) }
    }

    private func append(unit: UInt16, to output: inout [UInt8]) {
        output.append(contentsOf: "\\U" as StaticString)
        HexText.append(UInt64(unit), digits: 4, to: &output)
    }
}

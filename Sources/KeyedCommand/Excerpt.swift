// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// An excerpt of the line with an error, with a caret under the error.
enum Excerpt {
    private static let width = 72
    private static let lead = 48

    /// Returns the line and the caret, as two lines. A location without a line number is in a key
    /// path, which is one line. A tab appears as a space, other control characters as `·`. Returns
    /// nil for a location in binary data, and for UTF-16 and UTF-32 text, whose lines are counted
    /// after conversion.
    static func text(at location: PropertyListError.Location, in source: [UInt8]) -> String? {
        guard let column = location.column, !isWide(source),
            let text = self.line(location.line ?? 1, in: source)
        else { return nil }
        let scalars = Array(text.unicodeScalars)
        let start = max(column - 1 - lead, 0)
        let shown = scalars.dropFirst(start).prefix(width)
        let mark = start > 0 ? "…" : ""
        let caret = String(repeating: " ", count: column - 1 - start + mark.count) + "^"
        return "    \(mark)\(printable(shown))\n    \(caret)"
    }

    /// Returns whether the text is UTF-16 or UTF-32. No text format begins with U+0000, so a zero
    /// byte among the first four indicates a wider encoding.
    private static func isWide(_ source: [UInt8]) -> Bool {
        source.starts(with: [0xFE, 0xFF]) || source.starts(with: [0xFF, 0xFE])
            || source.prefix(4).contains(0)
    }

    private static func printable(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var result = ""
        for scalar in scalars {
            let text = String(scalar)
            result += TerminalText.escaped(text) == text ? text : scalar == "\t" ? " " : "·"
        }
        return result
    }

    /// Returns a line of UTF-8 text without its line ending, or nil if the text has fewer lines.
    private static func line(_ number: Int, in source: [UInt8]) -> String? {
        var rest = source[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        for _ in 1..<max(number, 1) {
            guard let end = rest.firstIndex(where: { $0 == 0x0A || $0 == 0x0D }) else { return nil }
            let isPair = rest[end] == 0x0D && end + 1 < rest.endIndex && rest[end + 1] == 0x0A
            rest = rest[(end + (isPair ? 2 : 1))...]
        }
        return String(decoding: rest.prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
    }
}

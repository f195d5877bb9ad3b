// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Text from a file, escaped for safe output.
package enum TerminalText {
    /// Returns `text` with control characters, bidirectional overrides and similar characters
    /// escaped as `\n`, `\r`, `\t` or `\u{…}`. Without the escapes, a file could move the cursor or
    /// reverse a message. Linear in the text.
    ///
    /// If `quoting` is true, quotes and backslashes are escaped too, so that quoted text is
    /// unambiguous.
    package static func escaped(_ text: String, quoting: Bool = false) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            isUnsafe(scalar) || quoting && (scalar == "\"" || scalar == "\\")
        }
        return escaped(text, where: isEscaped, escape)
    }

    /// Returns lines of text, each escaped as in ``escaped(_:quoting:)``.
    package static func escapedLines(_ text: String) -> String {
        escaped(text, where: { $0 != "\n" && isUnsafe($0) }, escape)
    }

    /// Returns JSON with the same characters escaped as `\uXXXX`, which does not change its
    /// meaning. Linear in the text.
    ///
    /// - Parameter text: JSON without white space between tokens.
    /// - Returns: The text with escapes.
    static func escapedInJSON(_ text: String) -> String {
        escaped(text, where: isUnsafe) { scalar in
            scalar.utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    private static func escaped(
        _ text: String, where isEscaped: (Unicode.Scalar) -> Bool,
        _ escape: (Unicode.Scalar) -> String
    ) -> String {
        guard text.unicodeScalars.contains(where: isEscaped) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isEscaped(scalar) {
                result += escape(scalar)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        case "\"", "\\": "\\\(scalar)"
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Bidirectional formatting, line separators, the byte order mark.
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFEFF: true
        // Interlinear annotations and tags, which are invisible.
        case 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}

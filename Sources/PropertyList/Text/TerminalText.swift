// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Text from a file, made safe to print.
package enum TerminalText {
    /// `text` with control characters, bidirectional overrides and the like as `\u{…}`: a file must
    /// not be able to move the cursor or turn a message round. Linear in the text.
    ///
    /// `quoting` says whether quotes and backslashes are escaped too, so that text in quotes can be read in
    /// one way only.
    package static func escaped(_ text: String, quoting: Bool = false) -> String {
        func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
            isUnsafe(scalar) || quoting && (scalar == "\"" || scalar == "\\")
        }
        return escaped(text, where: isEscaped, escape)
    }

    /// Lines of text, each as ``escaped(_:quoting:)`` has it.
    package static func escapedLines(_ text: String) -> String {
        escaped(text, where: { $0 != "\n" && isUnsafe($0) }, escape)
    }

    /// JSON with the same characters as `\uXXXX`, which says the same. Linear in the text.
    ///
    /// - Parameter text: JSON without white space between its parts.
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
        // Interlinear annotations, and tags, which nothing shows.
        case 0xFFF9...0xFFFB, 0xE0000...0xE007F: true
        default: false
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// A writer for the JSON that an HTML page contains in an element. A static function escapes text
/// for the HTML itself.
///
/// `<` is escaped in strings and occurs nowhere else in the JSON. The JSON therefore cannot end its
/// element, or begin a comment or a script.
struct PageText {
    private(set) var bytes: [UInt8] = []
    // Whether the next item needs a comma before it.
    private var needsComma = false

    /// Appends `"name":`.
    mutating func key(_ name: StaticString) {
        string("\(name)")
        colon()
    }

    /// Appends the colon between a key and its value.
    mutating func colon() {
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    mutating func object(_ body: (inout PageText) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    mutating func array<Elements: Sequence>(
        _ elements: Elements, _ body: (inout PageText, Elements.Element) -> Void
    ) {
        open(UInt8(ascii: "["))
        for element in elements { body(&self, element) }
        close(UInt8(ascii: "]"))
    }

    mutating func strings(_ texts: some Sequence<String>) { array(texts) { $0.string($1) } }
    mutating func numbers(_ numbers: some Sequence<Int>) { array(numbers) { $0.number($1) } }

    mutating func number(_ number: Int) {
        separate()
        bytes += "\(number)".utf8
    }

    mutating func word(_ word: StaticString) {
        separate()
        bytes += "\(word)".utf8
    }

    mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20, UInt8(ascii: "<"), 0x7F: bytes += "\\u00\(ValueText.hex(byte))".utf8
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends bytes as a Base64 string.
    mutating func base64(_ data: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        Base64.append(data.span, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Returns text as HTML, with control characters escaped as for a terminal.
    static func html(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.escaped(text).unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The escaping of text in XML property lists, as in Apple's writer: only `<`, `>` and `&` are
/// escaped, not quotes, white space or carriage returns.
enum XMLEscaping {
    /// Appends UTF-8 text, escaped. Linear. Runs without special characters are copied whole.
    static func append(_ text: Span<UInt8>, to output: inout [UInt8]) {
        var start = 0
        while start < text.count {
            let end = endOfPlain(text, from: start)
            output.append(addingCapacity: end &- start) {
                $0.append(contentsOf: text.extracting(start..<end))
            }
            guard end < text.count else { return }
            if let replacement = replacement(of: text[end]) {
                output.append(contentsOf: replacement.utf8)
            } else {
                output.append(text[end])
            }
            start = end &+ 1
        }
    }

    /// Returns whether UTF-8 text needs no escaping and has no character that XML forbids. The test
    /// is conservative: it may return false for such text. Linear.
    @inline(__always)
    static func isPlain(_ text: Span<UInt8>) -> Bool { endOfPlain(text, from: 0) == text.count }

    /// Returns the index of the first byte from `start` on that may need escaping or may belong to
    /// a forbidden character.
    @inline(__always)
    private static func endOfPlain(_ text: Span<UInt8>, from start: Int) -> Int {
        var index = start
        while let word = text.littleEndian(at: index) {
            let special = XMLCharacters.special(word)
            if special != 0 { return index &+ special.trailingZeroBitCount &>> 3 }
            index &+= 8
        }
        while index < text.count, !XMLCharacters.isSpecial(text[index]) { index &+= 1 }
        return index
    }

    @inline(__always)
    private static func replacement(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "&"): "&amp;"
        default: nil
        }
    }

    /// Returns whether UTF-8 text has a character that XML 1.0 forbids: controls other than TAB, LF
    /// and CR, U+FFFE, U+FFFF. Linear.
    static func hasForbiddenCharacter(_ text: Span<UInt8>) -> Bool {
        var index = 0
        while index < text.count {
            index = endOfPlain(text, from: index)
            guard index < text.count else { return false }
            let byte = text[index]
            if byte < 0x20 || byte == 0xEF && UTF8Text.isNoncharacter(text, at: index) {
                return true
            }
            index &+= 1
        }
        return false
    }
}

extension PropertyListDocument {
    /// Returns the style in which to write reals.
    package func realStyle(_ text: XMLPropertyList.RealText) -> RealText.Style {
        switch text {
        case .seventeenDigits: .seventeenDigits
        case .shortest: .shortest
        case .asInSource: hasShortestReals ? .shortest : .seventeenDigits
        }
    }

    /// A Boolean value that is true if the source is XML with every real in its shortest form. At
    /// least one real must differ from its form with seventeen digits. Linear in the number of
    /// values.
    private var hasShortestReals: Bool {
        guard format == .xml else { return false }
        var differs = false
        for record in storage.store.records where record.kind == .real {
            let value = Double(bitPattern: record.payload)
            if !isWritten(value, .shortest, record) { return false }
            if !isWritten(value, .seventeenDigits, record) { differs = true }
        }
        return differs
    }

    /// Returns whether the source has `value` in the given style as the content of its element.
    private func isWritten(_ value: Double, _ style: RealText.Style, _ record: NodeRecord) -> Bool {
        var text = Array("<real>".utf8)
        RealText.append(value, style: style, to: &text)
        text.append(UInt8(ascii: "<"))
        return storage.store.bytes[Int(record.offset)...].starts(with: text)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Parsing of the prolog, which precedes the root element.
extension XMLTokenizer {
    /// Parses everything up to the root element.
    mutating func prolog(_ text: Span<UInt8>) throws(Stop) {
        // libxml2 looks for a byte order mark only if there are at least four bytes.
        if text.count >= 4 { _ = take("\u{FEFF}", text) }
        if text.hasXMLDeclaration(at: index) { try declaration(text) }
        try misc(text)
        if take("<!DOCTYPE", text) {
            try documentType(text)
            try misc(text)
        }
    }

    // MARK: XML declaration

    /// Parses the XML declaration. ``XMLEncoding`` has already handled the encoding.
    private mutating func declaration(_ text: Span<UInt8>) throws(Stop) {
        index &+= 5
        _ = skipBlank(text)
        try version(text)
        if !skipBlank(text) {
            if take("?>", text) { return }
            throw expected("white space or `?>`", text)
        }
        if take("encoding", text) { try encoding(text) }
        _ = skipBlank(text)
        if take("standalone", text) { try standalone(text) }
        _ = skipBlank(text)
        guard take("?>", text) else { throw expected("`?>`", text) }
    }

    /// Parses the version: `1.` and digits.
    private mutating func version(_ text: Span<UInt8>) throws(Stop) {
        guard take("version", text) else { throw expected("`version`", text) }
        let quote = try openingQuote(text)
        let start = index
        let isFirst = text.has("1.", at: index)
        if isDigit(text) {
            index &+= 1
            if take(".", text) {
                while isDigit(text) { index &+= 1 }
            }
        }
        try closingQuote(quote, text)
        if !isFirst {
            let found = excerpt(text, start..<(index &- 1))
            throw .malformed("expected XML version 1.0, found version `\(found)`")
        }
    }

    private func isDigit(_ text: Span<UInt8>) -> Bool { byte(text) &- 0x30 < 10 }

    private mutating func encoding(_ text: Span<UInt8>) throws(Stop) {
        let quote = try openingQuote(text)
        guard let end = Self.endOfEncoding(text, from: index) else {
            throw expected("the name of an encoding", text)
        }
        index = end
        try closingQuote(quote, text)
    }

    /// Returns the end of the name of an encoding: a letter, then letters, digits, `.`, `_` and
    /// `-`. Returns nil if no name begins at `start`.
    static func endOfEncoding(_ text: Span<UInt8>, from start: Int) -> Int? {
        guard start < text.count, text[start] < 0x80, (text[start] | 0x20) &- 0x61 < 26 else {
            return nil
        }
        var end = start &+ 1
        while end < text.count, isEncodingPart(text[end]) { end &+= 1 }
        return end
    }

    private static func isEncodingPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func standalone(_ text: Span<UInt8>) throws(Stop) {
        let quote = try openingQuote(text)
        if take("yes", text) {
            isStandalone = true
        } else if !take("no", text) {
            throw expected("`yes` or `no`", text)
        }
        try closingQuote(quote, text)
    }

    // MARK: Document type

    /// Parses a document type declaration. The resources that it names are never opened.
    private mutating func documentType(_ text: Span<UInt8>) throws(Stop) {
        _ = skipBlank(text)
        guard let end = XMLName.end(text, from: index) else {
            throw expected("the name of a document type", text)
        }
        index = end
        _ = skipBlank(text)
        if take("SYSTEM", text) {
            outcome.systemIdentifier = try systemIdentifier(text)
            hasExternalSubset = true
        } else if take("PUBLIC", text) {
            let formal = try publicIdentifier(text)
            outcome.systemIdentifier = try systemIdentifier(text)
            outcome.publicIdentifier = formal
            hasExternalSubset = true
        }
        _ = skipBlank(text)
        if text.has("[", at: index) { throw .internalSubset }
        guard take(">", text) else { throw expected("`>`", text) }
    }

    /// Parses white space and a literal with any characters.
    private mutating func systemIdentifier(_ text: Span<UInt8>) throws(Stop) -> String? {
        let quote = try quoteAfterBlank(text)
        let start = index
        guard let end = text.firstIndex(of: quote, in: start..<text.count) else {
            index = text.count
            throw expected("a closing quotation mark", text)
        }
        index = end &+ 1
        return identifier(text, start..<end)
    }

    /// Parses white space and a literal with the characters allowed in public identifiers.
    private mutating func publicIdentifier(_ text: Span<UInt8>) throws(Stop) -> String? {
        let quote = try quoteAfterBlank(text)
        let start = index
        while byte(text) != quote, Self.isPublic(byte(text)) { index &+= 1 }
        let end = index
        try closingQuote(quote, text)
        return identifier(text, start..<end)
    }

    private mutating func quoteAfterBlank(_ text: Span<UInt8>) throws(Stop) -> UInt8 {
        guard skipBlank(text) else { throw expected("white space", text) }
        return try quote(text)
    }

    /// Returns the text in `range`, unless it is empty or too long to keep.
    private func identifier(_ text: Span<UInt8>, _ range: Range<Int>) -> String? {
        guard 1...XMLHeader.longestIdentifier ~= range.count else { return nil }
        return String(decoding: range.map { text[$0] }, as: UTF8.self)
    }

    /// Returns whether the character is allowed in a public identifier (production 13).
    private static func isPublic(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "?")...UInt8(ascii: "Z"),
            UInt8(ascii: "'")...UInt8(ascii: ";"), UInt8(ascii: "#")...UInt8(ascii: "%"),
            UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "!"),
            UInt8(ascii: "="), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Parsing of the parts that elements and the prolog share.
extension XMLTokenizer {
    /// Parses white space, comments and processing instructions.
    mutating func misc(_ text: Span<UInt8>) throws(Stop) {
        while true {
            _ = skipBlank(text)
            guard byte(text) == UInt8(ascii: "<") else { return }
            if byte(text, after: 1) == UInt8(ascii: "?") {
                try instruction(text)
            } else if text.has("<!--", at: index) {
                try comment(text)
            } else {
                return
            }
        }
    }

    /// Parses a comment. `--` may occur only at its end.
    mutating func comment(_ text: Span<UInt8>) throws(Stop) {
        index &+= 4
        let start = index
        let mark = UInt8(ascii: "-")
        var place = start
        while let hyphen = text.firstIndex(of: mark, in: place..<text.count) {
            if text.has("-->", at: hyphen) {
                index = hyphen &+ 3
                return
            }
            if text.has("--", at: hyphen) {
                // libxml2 reports a later offset if the comment has non-ASCII characters before the
                // hyphens.
                let isASCII = text.extracting(start..<hyphen).isASCII()
                index = isASCII ? hyphen : hyphen &+ 2
                throw .malformed("expected `-->`, found `--` within a comment")
            }
            place = hyphen &+ 1
        }
        index = text.count
        throw expected("the end of a comment", text)
    }

    /// Parses a processing instruction. The target `xml`, in upper or lower case, is reserved.
    mutating func instruction(_ text: Span<UInt8>) throws(Stop) {
        index &+= 2
        let start = index
        guard let end = XMLName.end(text, from: start) else {
            throw expected("the target of a processing instruction", text)
        }
        index = end
        if isReserved(start..<end, text) {
            throw .malformed(
                "the target `\(excerpt(text, start..<end))` is reserved for an XML declaration "
                    + "with a version at the start of the text")
        }
        if take("?>", text) { return }
        guard skipBlank(text) else { throw expected("white space or `?>`", text) }
        index = try self.end(of: "?>", from: index, text)
    }

    private func isReserved(_ name: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard name.count == 3 else { return false }
        let word = name.map { text[$0] | 0x20 }
        return word == [UInt8(ascii: "x"), UInt8(ascii: "m"), UInt8(ascii: "l")]
    }

    // MARK: Parts

    /// Parses `=` and an opening quotation mark, each after optional white space. Returns the mark.
    mutating func openingQuote(_ text: Span<UInt8>) throws(Stop) -> UInt8 {
        _ = skipBlank(text)
        guard take("=", text) else { throw expected("`=`", text) }
        _ = skipBlank(text)
        return try quote(text)
    }

    /// Parses a quotation mark and returns it.
    mutating func quote(_ text: Span<UInt8>) throws(Stop) -> UInt8 {
        let quote = byte(text)
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            throw expected("a quotation mark", text)
        }
        index &+= 1
        return quote
    }

    /// Parses the second of two quotation marks.
    mutating func closingQuote(_ quote: UInt8, _ text: Span<UInt8>) throws(Stop) {
        guard byte(text) == quote else { throw expected("a closing quotation mark", text) }
        index &+= 1
    }

    /// Skips white space. Returns false if there is none.
    mutating func skipBlank(_ text: Span<UInt8>) -> Bool {
        let start = index
        while index < text.count, isXMLWhitespace(text[index]) { index &+= 1 }
        return index > start
    }

    /// Skips `mark`. Returns false if it is not next.
    mutating func take(_ mark: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.has(mark, at: index) else { return false }
        index &+= mark.utf8CodeUnitCount
        return true
    }

    /// Returns the byte `distance` bytes ahead, or zero at the end. Zero never occurs in the text.
    @inline(__always)
    func byte(_ text: Span<UInt8>, after distance: Int = 0) -> UInt8 {
        index &+ distance < text.count ? text[index &+ distance] : 0
    }

    /// Returns the index after the next `mark`.
    ///
    /// - Throws: an error at the end of the text if there is no `mark`.
    mutating func end(
        of mark: StaticString, from start: Int, _ text: Span<UInt8>
    ) throws(Stop) -> Int {
        if let place = text.firstIndex(of: mark, from: start) {
            return place &+ mark.utf8CodeUnitCount
        }
        index = text.count
        throw expected("`\(mark)`", text)
    }

    // MARK: Errors

    /// Returns an error at this position that names the character found.
    func expected(_ what: String, _ text: Span<UInt8>) -> Stop {
        guard index < text.count else {
            return .malformed("expected \(what), found the end of the text")
        }
        let length = UTF8Text.scalar(text, at: index).length
        return .malformed(
            "expected \(what), found `\(excerpt(text, index..<(index &+ length)))`")
    }

    /// Returns the beginning of a part of the text, for a message.
    func excerpt(_ text: Span<UInt8>, _ range: Range<Int>) -> String {
        String(decoding: range.prefix(32).map { text[$0] }, as: UTF8.self)
    }
}

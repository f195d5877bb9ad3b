// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A scanner for the common form of the text before the values:
///
///     declaration = `<?xml version="1.0"` [ ` encoding="` name `"` ] `?>`
///     doctype     = `<!DOCTYPE plist ` ( `PUBLIC "` id `" "` id `"` | `SYSTEM "` id `"` ) `>`
///     version     = ` version="` id `"`
///
/// ``XMLEncoding`` has already handled the encoding.
struct XMLPrologScanner {
    private(set) var header = XMLHeader()
    private var index = 0

    /// Scans the prolog and the start tag of `<plist>`. Returns the end of the tag, or nil for
    /// another form.
    mutating func scan(_ text: Span<UInt8>) -> Int? {
        guard declaration(text), skipBlank(text), doctype(text), skipBlank(text),
            take("<plist", text)
        else { return nil }
        if take(" version=\"", text) {
            guard let version = literal(text, limit: XMLHeader.longestVersion) else { return nil }
            header.version = version
        }
        return take(">", text) ? index : nil
    }

    private mutating func declaration(_ text: Span<UInt8>) -> Bool {
        guard take("<?xml version=\"1.0\"", text) else { return !text.has("<?", at: index) }
        guard take(" encoding=\"", text) else { return take("?>", text) }
        guard let end = XMLTokenizer.endOfEncoding(text, from: index) else { return false }
        index = end
        return take("\"?>", text)
    }

    private mutating func doctype(_ text: Span<UInt8>) -> Bool {
        guard take("<!DOCTYPE plist ", text) else { return true }
        if take("PUBLIC \"", text) {
            header.publicIdentifier = literal(text, limit: XMLHeader.longestIdentifier)
            guard header.publicIdentifier != nil, take(" \"", text) else { return false }
        } else if !take("SYSTEM \"", text) {
            return false
        }
        header.systemIdentifier = literal(text, limit: XMLHeader.longestIdentifier)
        return header.systemIdentifier != nil && take(">", text)
    }

    private mutating func skipBlank(_ text: Span<UInt8>) -> Bool {
        guard let end = XMLBlank.end(text, from: index) else { return false }
        index = end
        return true
    }

    private mutating func take(_ mark: StaticString, _ text: Span<UInt8>) -> Bool {
        guard text.has(mark, at: index) else { return false }
        index &+= mark.utf8CodeUnitCount
        return true
    }

    /// Scans a literal and its closing quotation mark. Returns nil unless the literal has one to
    /// `limit` characters, all of them allowed in every kind of literal.
    private mutating func literal(_ text: Span<UInt8>, limit: Int) -> String? {
        var result = ""
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            guard result.utf8.count < limit, Self.isPlain(text[index]) else { return nil }
            result.unicodeScalars.append(Unicode.Scalar(text[index]))
            index &+= 1
        }
        index &+= 1
        return result.isEmpty || index > text.count ? nil : result
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: " "), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A scanner that finds the ends of white space, comments and strings in OpenStep text.
/// ``OpenStepText`` resolves the escapes in strings.
///
///     blank   = TAB | LF | VT | FF | CR | SP | U+2028 | U+2029 | comment
///     comment = "//" … end of line | "/*" … "*/"
///     string  = bare | '"' … '"' | "'" … "'"
///     bare    = one or more of A-Z a-z 0-9 _ $ / : . -
///
/// `/` may occur in a bare string, so `//` and `/*` begin a comment only where blanks are allowed:
/// `a//b` is one string.
package struct OpenStepScanner {
    package let options: ParsingOptions
    var used: ParsingOptions = []
    /// The index of the next byte to read.
    package var position: Int

    /// Creates a scanner at the beginning of `text`, after any byte order mark.
    package init(_ text: Span<UInt8>, options: ParsingOptions) {
        self.options = options
        position = text.lengthOfUTF8Mark
    }

    /// Returns the byte at the position, or nil at the end.
    @inline(__always)
    package func peek(_ text: Span<UInt8>) -> UInt8? {
        position < text.count ? text[position] : nil
    }

    // MARK: Blanks

    /// Skips white space and comments. Linear.
    ///
    /// - Throws: `truncated` for a comment without an end.
    package mutating func skipBlanks(_ text: Span<UInt8>) throws(PropertyListError) {
        while position < text.count {
            let byte = text[position]
            if OpenStepCharacter.isBlank(byte) {
                position &+= 1
            } else if byte == UInt8(ascii: "/") {
                if try !skipComment(text) { return }
            } else if text.has("\u{2028}", at: position) || text.has("\u{2029}", at: position) {
                position &+= 3
            } else {
                return
            }
        }
    }

    /// Skips a comment. Returns false if there is none.
    private mutating func skipComment(_ text: Span<UInt8>) throws(PropertyListError) -> Bool {
        if text.has("//", at: position) {
            skipLine(text)
        } else if text.has("/*", at: position) {
            try skipBlock(text)
        } else {
            return false
        }
        return true
    }

    private mutating func skipLine(_ text: Span<UInt8>) {
        position = text.firstIndex(of: 0x0A, or: 0x0D, in: position..<text.count) ?? text.count
    }

    private mutating func skipBlock(_ text: Span<UInt8>) throws(PropertyListError) {
        if let end = text.firstIndex(of: "*/", from: position &+ 2) {
            return position = end &+ 2
        }
        guard options.contains(.unterminatedComment) else {
            throw Self.error(
                .truncated, "a comment has no closing `*/`", at: position, .unterminatedComment)
        }
        used.insert(.unterminatedComment)
        position = text.count
    }

    // MARK: Strings

    /// Returns whether a string begins at the position.
    @inline(__always)
    package func isAtString(_ text: Span<UInt8>) -> Bool {
        guard let byte = peek(text) else { return false }
        return OpenStepCharacter.isBare(byte) || Self.isQuote(byte)
    }

    @inline(__always)
    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    /// Skips the string at the position. Linear.
    ///
    /// - Returns: the range between the quotes, or that of the whole bare string, and whether the
    ///   string has escapes.
    /// - Throws: `truncated` for a string without an end.
    package mutating func skipString(
        _ text: Span<UInt8>
    ) throws(PropertyListError) -> (content: Range<Int>, hasEscapes: Bool) {
        let quote = text[position]
        guard Self.isQuote(quote) else { return (skipBare(text), false) }
        let start = position &+ 1
        var index = start
        var hasEscapes = false
        while let stop = text.firstIndex(
            of: quote, or: UInt8(ascii: "\\"), in: min(index, text.count)..<text.count)
        {
            if text[stop] == quote {
                position = stop &+ 1
                return (start..<stop, hasEscapes)
            }
            hasEscapes = true
            index = stop &+ 2
        }
        throw Self.error(.truncated, "a string has no closing quote", at: position)
    }

    private mutating func skipBare(_ text: Span<UInt8>) -> Range<Int> {
        let start = position
        while position < text.count, OpenStepCharacter.isBare(text[position]) { position &+= 1 }
        return start..<position
    }

    // MARK: Errors

    /// Returns an error at a byte offset of the text. ``OpenStepReader`` adds the line.
    package static func error(
        _ code: PropertyListError.Code, _ what: String, at place: Int,
        _ option: ParsingOptions? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .openStep, what: what, location: .byte(place),
            recovery: option.map(\.advice))
    }
}

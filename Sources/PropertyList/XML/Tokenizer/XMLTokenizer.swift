// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parser that finds the tags of any XML 1.0 document without an internal subset, and checks that
/// the document is well-formed.
///
///     document = [ declaration ] { misc } [ doctype { misc } ] element { misc }
///     misc     = white space | comment | instruction
///     doctype  = "<!DOCTYPE" name [ "SYSTEM" literal | "PUBLIC" literal literal ] ">"
///     element  = "<" name { attribute } ( "/>" | ">" content "</" name ">" )
///     content  = { element | text | reference | section | comment | instruction }
///
/// ``XMLPreflight`` runs first. It ensures that the text is valid UTF-8 without characters that XML
/// forbids, and that no tag has too many attributes. ``XMLPatch`` has replaced each CR with LF.
///
/// libxml2 is the reference for the positions of errors. A test and a fuzz target compare both
/// parsers. They account for these differences in what XML 1.0, libxml2 and this tokenizer accept:
///
/// | text | XML 1.0 | libxml2 | here | reason |
/// |---|---|---|---|---|
/// | `version='1.'`, without another digit | no | yes | yes | there is only one way to read it |
/// | `encoding='UTF-8'standalone='no'` | no | yes | yes | there is only one way to read it |
/// | `<!DOCTYPEplist>` | no | yes | yes | there is only one way to read it |
/// | two attributes of one name | no | some: `xmlns:a=''` twice | no | one of them would be lost |
/// | `&#x…;` with 11 or more digits | yes | if no 11th, 22nd, … digit is a letter | yes | clear meaning |
///
/// End tags need no support for prefixes: ``XMLGrammar`` refuses the start tag of any element with
/// a colon in its name, so no such element is ever open.
struct XMLTokenizer {
    /// The reason why parsing stops.
    enum Stop: Error {
        case malformed(String)
        /// The document type declaration has an internal subset.
        case internalSubset
        /// The receiver refused a tag.
        case refused
    }

    /// The index of the next byte to parse. After an error, the index of the error.
    var index = 0
    var outcome = XMLOutcome()
    // These two determine whether an entity must be declared in the document.
    var isStandalone = false
    var hasExternalSubset = false
    // The names of the open elements.
    private var openNames: [Range<Int>] = []

    private init() {}

    /// Parses UTF-8 text and passes every tag to `receive`. Linear.
    static func parse(_ text: [UInt8], receive: (XMLTag) -> Bool) -> XMLOutcome {
        // libxml2 has the same limit, so both engines accept the same documents. Records of values
        // store offsets in 32 bits.
        guard text.count <= Int(Int32.max) else {
            return XMLOutcome(
                message: "expected at most \(Int32.max) bytes of text, found \(text.count)")
        }
        var tokenizer = XMLTokenizer()
        do throws(Stop) {
            try tokenizer.document(text.span, receive)
            tokenizer.outcome.isWellFormed = true
        } catch {
            tokenizer.stop(error)
        }
        return tokenizer.outcome
    }

    private mutating func stop(_ reason: Stop) {
        switch reason {
        case .malformed(let message):
            outcome.message = message
            outcome.errorOffset = index
        case .internalSubset:
            outcome.hasInternalSubset = true
            outcome.errorOffset = index
        case .refused: break
        }
    }

    private mutating func document(
        _ text: Span<UInt8>, _ receive: (XMLTag) -> Bool
    ) throws(Stop) {
        try prolog(text)
        guard text.has("<", at: index) else { throw expected("the root element", text) }
        try startTag(text, receive)
        while !openNames.isEmpty { try content(text, receive) }
        try misc(text)
        if index < text.count { throw expected("the end of the text", text) }
    }

    // MARK: Content

    /// Parses the next part of the content of an element.
    private mutating func content(
        _ text: Span<UInt8>, _ receive: (XMLTag) -> Bool
    ) throws(Stop) {
        switch byte(text) {
        case UInt8(ascii: "<"): try markup(text, receive)
        case UInt8(ascii: "&"): try reference(text)
        default: try characters(text)
        }
    }

    private mutating func markup(
        _ text: Span<UInt8>, _ receive: (XMLTag) -> Bool
    ) throws(Stop) {
        switch byte(text, after: 1) {
        case UInt8(ascii: "/"): try endTag(text, receive)
        case UInt8(ascii: "?"): try instruction(text)
        case UInt8(ascii: "!") where text.has("<!--", at: index): try comment(text)
        case UInt8(ascii: "!") where text.has("<![CDATA[", at: index): try section(text)
        default: try startTag(text, receive)
        }
    }

    /// Parses text up to the next `<` or `&`.
    private mutating func characters(_ text: Span<UInt8>) throws(Stop) {
        let start = index
        let end = text.firstIndex(
            of: UInt8(ascii: "<"), or: UInt8(ascii: "&"), in: start..<text.count)
        index = end ?? text.count
        if let bracket = text.firstIndex(of: UInt8(ascii: "]"), in: start..<index) {
            try checkBrackets(text, from: bracket, in: start..<index)
        }
        if end == nil, let name = openNames.last {
            throw .malformed("expected `</\(excerpt(text, name))>`, found the end of the text")
        }
    }

    /// Checks that the text in `range` does not contain `]]>`. Its first `]` is at `bracket`.
    private mutating func checkBrackets(
        _ text: Span<UInt8>, from bracket: Int, in range: Range<Int>
    ) throws(Stop) {
        let run = text.extracting(range)
        guard let place = run.firstIndex(of: "]]>", from: bracket &- range.lowerBound) else {
            return
        }
        // libxml2 reports the beginning of the text if all characters before `]]>` are ASCII.
        let isASCII = run.extracting(0..<place).isASCII()
        index = isASCII ? range.lowerBound : range.lowerBound &+ place
        throw .malformed("expected text, found `]]>`")
    }

    private mutating func section(_ text: Span<UInt8>) throws(Stop) {
        index = try end(of: "]]>", from: index &+ 9, text)
    }

    // MARK: Tags

    private mutating func startTag(
        _ text: Span<UInt8>, _ receive: (XMLTag) -> Bool
    ) throws(Stop) {
        index &+= 1
        let start = index
        guard let end = XMLName.endOfQualified(text, from: start) else {
            throw expected("the name of an element", text)
        }
        index = end
        if byte(text) != UInt8(ascii: ">") {
            _ = skipBlank(text)
            if !isAtEndOfTag(text) { try attributes(text) }
        }
        try send(XMLTag(offset: index, isEnd: false), receive)
        if byte(text) == UInt8(ascii: ">") {
            index &+= 1
            openNames.append(start..<end)
        } else if take("/>", text) {
            try send(XMLTag(offset: index, isEnd: true), receive)
        } else {
            throw expected("`>`", text)
        }
    }

    private mutating func endTag(
        _ text: Span<UInt8>, _ receive: (XMLTag) -> Bool
    ) throws(Stop) {
        index &+= 2
        let start = index
        guard let name = openNames.popLast() else { throw expected("the end of the text", text) }
        // Most end tags name the open element and have no white space.
        let usualEnd = start &+ name.count
        if usualEnd < text.count, text[usualEnd] == UInt8(ascii: ">"),
            Self.isSame(name, start..<usualEnd, text)
        {
            index = usualEnd &+ 1
            return try send(XMLTag(offset: index, isEnd: true), receive)
        }
        let end = XMLName.end(text, from: start) ?? start
        index = end
        _ = skipBlank(text)
        guard take(">", text) else { throw expected("`>`", text) }
        guard Self.isSame(name, start..<end, text) else {
            throw .malformed(
                "expected `</\(excerpt(text, name))>`, found `</\(excerpt(text, start..<end))>`"
            )
        }
        try send(XMLTag(offset: index, isEnd: true), receive)
    }

    private func send(_ tag: XMLTag, _ receive: (XMLTag) -> Bool) throws(Stop) {
        if !receive(tag) { throw .refused }
    }

    private func isAtEndOfTag(_ text: Span<UInt8>) -> Bool {
        byte(text) == UInt8(ascii: ">")
            || byte(text) == UInt8(ascii: "/") && byte(text, after: 1) == UInt8(ascii: ">")
    }

    // MARK: Attributes

    /// Parses attributes up to the end of the tag or of the text.
    private mutating func attributes(_ text: Span<UInt8>) throws(Stop) {
        var names: [Range<Int>] = []
        var repeated: Range<Int>?
        while index < text.count, !isAtEndOfTag(text) {
            let name = try attribute(text)
            // The preflight limits the number of attributes per tag.
            if names.contains(where: { Self.isSame($0, name, text) }) {
                // libxml2 stops immediately at a repeated namespace declaration.
                if Self.isNamespace(name, text) {
                    repeated = name
                    break
                }
                repeated = repeated ?? name
            }
            names.append(name)
            if isAtEndOfTag(text) { break }
            guard skipBlank(text) else { throw expected("white space or `>`", text) }
        }
        if let repeated {
            throw .malformed(
                "the attribute `\(excerpt(text, repeated))` occurs twice in a tag")
        }
    }

    private mutating func attribute(_ text: Span<UInt8>) throws(Stop) -> Range<Int> {
        let start = index
        guard let end = XMLName.endOfQualified(text, from: start) else {
            throw expected("the name of an attribute", text)
        }
        index = end
        let quote = try openingQuote(text)
        while index < text.count, byte(text) != quote {
            switch byte(text) {
            case UInt8(ascii: "&"): try reference(text)
            case UInt8(ascii: "<"): throw expected("`&lt;` in an attribute", text)
            default: index &+= 1
            }
        }
        guard index < text.count else { throw expected("a closing quotation mark", text) }
        index &+= 1
        return start..<end
    }

    private static func isNamespace(_ name: Range<Int>, _ text: Span<UInt8>) -> Bool {
        guard text.has("xmlns", at: name.lowerBound) else { return false }
        return name.count == 5 || text.has(":", at: name.lowerBound &+ 5)
    }

    private static func isSame(
        _ first: Range<Int>, _ second: Range<Int>, _ text: Span<UInt8>
    ) -> Bool {
        guard first.count == second.count else { return false }
        let distance = second.lowerBound &- first.lowerBound
        for index in first where text[index] != text[index &+ distance] { return false }
        return true
    }

    // MARK: References

    /// Parses a reference to a character or an entity. ``XMLText`` resolves it later.
    private mutating func reference(_ text: Span<UInt8>) throws(Stop) {
        if take("&#x", text) {
            try number(text, radix: 16)
        } else if take("&#", text) {
            try number(text, radix: 10)
        } else {
            try entity(text)
        }
    }

    private mutating func number(_ text: Span<UInt8>, radix: UInt32) throws(Stop) {
        var value: UInt32 = 0
        let start = index
        while !text.has(";", at: index) {
            guard let digit = XMLText.digit(byte(text)), digit < radix else {
                throw expected("a digit or `;`", text)
            }
            value = min(value &* radix &+ digit, 0x110000)
            index &+= 1
        }
        let isEmpty = index == start
        index &+= 1
        if isEmpty { throw .malformed("a numeric reference has no digits") }
        guard Self.isCharacter(value) else {
            throw .malformed(
                "a numeric reference names a character that XML does not allow")
        }
    }

    /// Returns whether XML allows the character (production 2).
    private static func isCharacter(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }

    /// Parses a reference to an entity. The reference is also well-formed if an external subset may
    /// declare the entity.
    private mutating func entity(_ text: Span<UInt8>) throws(Stop) {
        index &+= 1
        let start = index
        guard let end = XMLName.end(text, from: start) else {
            throw expected("the name of an entity", text)
        }
        index = end
        guard take(";", text) else { throw expected("`;`", text) }
        let isPredefined = XMLText.scalar(text, start..<end) != nil
        if isPredefined || hasExternalSubset && !isStandalone { return }
        // The message does not quote the name. If the `&` should have been `&amp;`, the name is
        // part of the text, and no error quotes text.
        throw .malformed(
            "expected `lt`, `gt`, `amp`, `apos` or `quot` after `&`, found another name")
    }
}

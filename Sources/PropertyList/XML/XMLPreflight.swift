// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A scan of every byte of an XML document before an engine parses it.
///
/// The engines rely on these checks, or would take longer to make them:
/// - The text is valid UTF-8.
/// - Characters that XML forbids are refused, or recorded if a leniency accepts them.
/// - Carriage returns are recorded: XML converts them to line feeds, but Apple's parsers keep them.
/// - The number of attributes in a tag is limited, because the engines compare every pair. So is
///   the number of namespace declarations in a document, because libxml2 searches them for each
///   element.
struct XMLPreflight {
    private static let attributeLimit = 64

    let options: ParsingOptions
    /// A Boolean value that is true if the engine needs a copy in which raw CRs and forbidden
    /// characters are replaced.
    private(set) var needsPatch = false
    private(set) var used: ParsingOptions = []
    // Every `=` before this offset has been processed.
    private var attributesChecked = 0
    private var namespaces = 0
    private var structure = XMLStructure()

    init(options: ParsingOptions) { self.options = options }

    /// Checks the whole text. Linear.
    ///
    /// - Throws: `invalidEncoding`, `malformedXML`.
    mutating func run(_ text: Span<UInt8>) throws(PropertyListError) {
        var index = text.lengthOfUTF8Mark
        while index < text.count {
            if let word = text.bigEndian(at: index, width: 8), Self.isPlain(word) {
                index &+= 8
                continue
            }
            let end = min(index &+ 8, text.count)
            while index < end { index &+= try check(text, at: index) }
        }
        if options.contains(.rawControlCharacters), XMLPatch.hasForbiddenReference(text) {
            needsPatch = true
            used.insert(.rawControlCharacters)
        }
    }

    /// Returns whether none of eight bytes needs a closer look: all are below 0x80, none is `=`,
    /// and none is a control other than TAB and LF.
    ///
    /// For bytes below 0x80, adding `0x80 - n` to each sets its high bit if it is at least `n`, and
    /// never carries into the next byte.
    @inline(__always)
    private static func isPlain(_ word: UInt64) -> Bool {
        let bytes: UInt64 = 0x0101_0101_0101_0101
        let isText = word &+ bytes &* 0x60
        let isSpace = (word &+ bytes &* 0x77) & ~(word &+ bytes &* 0x75)
        let isNoEqualsSign = (word ^ bytes &* 0x3D) &+ bytes &* 0x7F
        return (word | ~((isText | isSpace) & isNoEqualsSign)) & (bytes &* 0x80) == 0
    }

    /// Checks the character at `index`, and returns its length.
    @inline(__always)
    private mutating func check(
        _ text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) -> Int {
        let byte = text[index]
        if byte >= 0x80 { return try checkWide(text, at: index) }
        if byte == UInt8(ascii: "=") {
            try checkAttributes(text, at: index)
        } else if byte < 0x20, byte != 0x0A, byte != 0x09 {
            try checkControl(byte, text, at: index)
        }
        return 1
    }

    @inline(__always)
    private mutating func checkWide(
        _ text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) -> Int {
        let length = UTF8Text.validLength(text, at: index)
        if length == 0 {
            throw Self.error(.invalidEncoding, "the text is not valid UTF-8", index, text)
        }
        if length == 3, UTF8Text.isNoncharacter(text, at: index) {
            try allowControl(UTF8Text.scalar(text, at: index).value, text, at: index)
        }
        return length
    }

    private mutating func checkControl(
        _ byte: UInt8, _ text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) {
        if byte == 0x0D {
            needsPatch = true
        } else if byte == 0 {
            throw Self.error(
                .malformedXML, "the character U+0000 is not allowed in XML", index, text)
        } else {
            try allowControl(UInt32(byte), text, at: index)
        }
    }

    private mutating func allowControl(
        _ scalar: UInt32, _ text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) {
        guard options.contains(.rawControlCharacters) else {
            throw Self.error(
                .malformedXML, "the character U+\(Self.hex(scalar)) is not allowed in XML", index,
                text, ParsingOptions.rawControlCharacters.advice)
        }
        needsPatch = true
        used.insert(.rawControlCharacters)
    }

    private static func hex(_ scalar: UInt32) -> String {
        String(String(0x10000 + scalar, radix: 16, uppercase: true).suffix(4))
    }

    // MARK: Attributes

    /// Counts the attributes of the tag that contains the `=` at `index`, if there is such a tag,
    /// and checks the limits.
    ///
    /// Only names and white space can precede the first `=` of a tag. A backward search for the
    /// nearest angle bracket therefore finds the start of the tag. The function then marks the
    /// whole tag as processed. It does not do so for text that only looks like a tag, because a
    /// quoted value there could span a real tag and hide its attributes.
    private mutating func checkAttributes(
        _ text: Span<UInt8>, at index: Int
    ) throws(PropertyListError) {
        guard index >= attributesChecked else { return }
        let start = attributesChecked
        attributesChecked = index &+ 1
        guard let place = Self.lastBracket(text, in: start..<index),
            text[place] == UInt8(ascii: "<"), Self.startsName(text, at: place &+ 1),
            structure.isText(at: place, text)
        else { return }
        var number = 0
        var end = index
        while let next = Self.endOfAttribute(text, at: end) {
            number &+= 1
            end = next
        }
        attributesChecked = max(attributesChecked, end)
        namespaces &+= Self.number(of: "xmlns", text.extracting(place..<end))
        try limit(number, "attributes in a tag", place, text)
        try limit(namespaces, "namespace declarations", place, text)
    }

    private func limit(
        _ number: Int, _ what: String, _ place: Int, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        if number <= Self.attributeLimit { return }
        throw Self.error(
            .malformedXML, "expected at most \(Self.attributeLimit) \(what), found \(number)",
            place, text)
    }

    private static func number(of mark: StaticString, _ text: Span<UInt8>) -> Int {
        var number = 0
        var index = 0
        while let place = text.firstIndex(of: mark, from: index) {
            number &+= 1
            index = place &+ 1
        }
        return number
    }

    private static func lastBracket(_ text: Span<UInt8>, in range: Range<Int>) -> Int? {
        var index = range.upperBound &- 1
        while index >= range.lowerBound {
            let byte = text[index]
            if byte == UInt8(ascii: "<") || byte == UInt8(ascii: ">") { return index }
            index &-= 1
        }
        return nil
    }

    private static func startsName(_ text: Span<UInt8>, at index: Int) -> Bool {
        guard index < text.count else { return false }
        return ![UInt8(ascii: "!"), UInt8(ascii: "?"), UInt8(ascii: "/")].contains(text[index])
    }

    /// Returns the end of the quoted value of the next attribute of the tag from `index` on, or nil
    /// if there is none.
    private static func endOfAttribute(_ text: Span<UInt8>, at index: Int) -> Int? {
        var place = index
        while place < text.count, text[place] != UInt8(ascii: "=") {
            if text[place] == UInt8(ascii: ">") || text[place] == UInt8(ascii: "<") { return nil }
            place &+= 1
        }
        place &+= 1
        while place < text.count, isXMLWhitespace(text[place]) { place &+= 1 }
        guard place < text.count, text[place] == 0x22 || text[place] == 0x27 else { return nil }
        let quote = text[place]
        return text.firstIndex(of: quote, in: (place &+ 1)..<text.count).map { $0 &+ 1 }
    }

    private static func error(
        _ code: PropertyListError.Code, _ what: String, _ index: Int, _ text: Span<UInt8>,
        _ recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        let head = (0..<min(index, text.count)).map { text[$0] }
        return PropertyListError(
            code, format: .xml, what: what, location: SourceText.location(index, in: head),
            recovery: recovery)
    }
}

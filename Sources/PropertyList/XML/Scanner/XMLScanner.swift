// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A scanner that reads XML property lists of the common form in one pass. Apple's writer and most
/// others produce this form.
///
///     document = [ declaration ] [ doctype ] "<plist" [ version ] ">" value "</plist>"
///     value    = "<dict>" { "<key>" text "</key>" value } "</dict>" | "<dict/>"
///              | "<array>" { value } "</array>" | "<array/>"
///              | "<string>" text "</string>" | "<string/>" | … | "<true/>" | "<false/>"
///
/// White space and comments may occur between tags. Inside a tag, only `<plist>` may have white
/// space, before its version.
///
/// The scanner accepts only documents that ``XMLTokenizer`` and ``XMLGrammar`` read in the same
/// way. The scanner reports no errors of its own. It gives up at the first unexpected byte, and the
/// tokenizer and the grammar read the whole text from the start. The loops of the scanner therefore
/// need no branches for these rare forms:
///
/// - white space in a tag, attributes other than a plain version, Booleans in the long form
///   `<true></true>`, and empty keys in the short form `<key/>`;
/// - processing instructions, and comments that are not ASCII or begin with `-` or `>`;
/// - CDATA sections, and references in numbers, dates and data;
/// - references to characters that XML forbids, and characters that only a leniency accepts;
/// - a byte order mark, `standalone`, other quotes or white space in the declaration, or another
///   version;
/// - identifiers of document types with rare characters, in other quotes or of more than 127 bytes,
///   a document type without an identifier, and an internal subset;
/// - structures that need an option: keys as values, a missing `<plist>`, content after the root;
/// - excessive nesting and all other errors, which the tokenizer and the grammar report.
struct XMLScanner {
    private struct Frame {
        let isDictionary: Bool
        var lastKey: UInt32 = 0
    }

    let options: ParsingOptions
    private let limits: ParsingLimits
    var tree: TreeAssembler
    var used: ParsingOptions = []
    private var header = XMLHeader()
    private var memory = XMLKeyMemory()
    private var frames: [Frame] = []
    // The innermost open container, kept outside `frames`.
    private var frame = Frame(isDictionary: false)
    private var expectsKey = false

    private init(_ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits) {
        tree = TreeAssembler(bytes: bytes)
        self.options = options
        self.limits = limits
    }

    /// Scans a whole document. Returns nil if it does not have the common form. Linear.
    static func scan(
        _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits
    ) -> XMLReader.Contents? {
        // Larger texts are left to the tokenizer, which reports the limit.
        guard bytes.count < Int(Int32.max) else { return nil }
        var scanner = XMLScanner(bytes, options: options, limits: limits)
        scanner.reserve(bytes.span)
        guard scanner.run(bytes.span) else { return nil }
        return XMLReader.Contents(
            store: scanner.tree.store, keys: scanner.memory.keys, header: scanner.header,
            used: scanner.used)
    }

    /// Reserves capacity, assuming that tags are as frequent in the whole text as at its beginning.
    private mutating func reserve(_ text: Span<UInt8>) {
        let sample = 1 << 14
        guard text.count > 4 &* sample else { return }
        let mark = UInt8(ascii: "<")
        let tags = text.count(of: mark, in: 0..<sample)
        // Most values have two tags.
        tree.reserve((tags / 2 &+ 1) &* (text.count / sample &+ 1))
    }

    private mutating func run(_ text: Span<UInt8>) -> Bool {
        var prolog = XMLPrologScanner()
        guard let start = prolog.scan(text), let end = root(text, from: start) else { return false }
        header = prolog.header
        let close = XMLBlank.end(text, from: end)
        guard let close, text.has("</plist>", at: close) else { return false }
        return XMLBlank.end(text, from: close &+ 8) == text.count
    }

    // MARK: Containers

    /// Scans the value after `start`, and returns its end.
    private mutating func root(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        repeat {
            guard let place = XMLBlank.end(text, from: index), let end = step(text, at: place)
            else { return nil }
            index = end
        } while !frames.isEmpty
        return index
    }

    /// Scans the tag at `index`, and for a key or a leaf also the text and the end tag.
    @inline(__always)
    private mutating func step(_ text: Span<UInt8>, at index: Int) -> Int? {
        guard let word = text.littleEndian(at: index &+ 1), text[index] == UInt8(ascii: "<") else {
            return nil
        }
        if expectsKey, XMLTagWord.key.begins(word) { return key(text, at: index) }
        let end = expectsKey ? scanEndTag(text, word, at: index) : value(text, word, at: index)
        expectsKey = frame.isDictionary
        return end
    }

    @inline(__always)
    private mutating func value(_ text: Span<UInt8>, _ word: UInt64, at index: Int) -> Int? {
        switch UInt8(truncatingIfNeeded: word) {
        case UInt8(ascii: "s"): string(text, word, at: index)
        case UInt8(ascii: "i"): integer(text, word, at: index)
        case UInt8(ascii: "t"), UInt8(ascii: "f"): boolean(word, at: index)
        case UInt8(ascii: "r"): real(text, word, at: index)
        case UInt8(ascii: "d"): dictionaryDateOrData(text, word, at: index)
        case UInt8(ascii: "a"): array(word, at: index)
        case UInt8(ascii: "/"): scanEndTag(text, word, at: index)
        default: nil
        }
    }

    @inline(__always)
    private mutating func dictionaryDateOrData(
        _ text: Span<UInt8>, _ word: UInt64, at index: Int
    ) -> Int? {
        if XMLTagWord.dict.begins(word) { return open(.dictionary, at: index, length: 6) }
        if XMLTagWord.date.begins(word) { return date(text, at: index) }
        if XMLTagWord.data.begins(word) { return data(text, at: index) }
        if XMLTagWord.emptyData.begins(word) { return emptyData(at: index) }
        return XMLTagWord.emptyDict.begins(word)
            ? openAndClose(.dictionary, at: index, length: 7) : nil
    }

    private mutating func array(_ word: UInt64, at index: Int) -> Int? {
        if XMLTagWord.array.begins(word) { return open(.array, at: index, length: 7) }
        return XMLTagWord.emptyArray.begins(word)
            ? openAndClose(.array, at: index, length: 8) : nil
    }

    private mutating func open(_ kind: PropertyListKind, at index: Int, length: Int) -> Int? {
        tree.open(NodeRecord(kind: kind, offset: UInt32(truncatingIfNeeded: index)))
        guard tree.depth <= limits.depth else { return nil }
        frames.append(frame)
        frame = Frame(isDictionary: kind == .dictionary)
        return index &+ length
    }

    private mutating func openAndClose(
        _ kind: PropertyListKind, at index: Int, length: Int
    ) -> Int? {
        guard let end = open(kind, at: index, length: length) else { return nil }
        close()
        return end
    }

    /// Scans the end tag of the open container.
    private mutating func scanEndTag(_ text: Span<UInt8>, _ word: UInt64, at index: Int) -> Int? {
        let tag = frame.isDictionary ? XMLTagWord.dict : XMLTagWord.array
        // A dictionary can end only where a key is expected.
        guard expectsKey == frame.isDictionary, !frames.isEmpty,
            UInt8(truncatingIfNeeded: word) == UInt8(ascii: "/"),
            hasEndTag(text, tag, at: index)
        else { return nil }
        close()
        return index &+ 2 &+ tag.length
    }

    private mutating func close() {
        tree.close()
        frame = frames.popLast() ?? Frame(isDictionary: false)
    }

    /// Returns whether the end tag `tag` is at `index`. The caller checks the `<`.
    @inline(__always)
    func hasEndTag(_ text: Span<UInt8>, _ tag: XMLTagWord, at index: Int) -> Bool {
        guard let word = text.littleEndian(at: index &+ 2), tag.begins(word) else { return false }
        return text[index &+ 1] == UInt8(ascii: "/")
    }

    // MARK: Keys

    @inline(__always)
    private mutating func key(_ text: Span<UInt8>, at index: Int) -> Int? {
        expectsKey = false
        if let known = memory.successor(of: frame.lastKey, text, at: index) {
            frame.lastKey = known.number
            tree.add(known.record)
            return index &+ known.length
        }
        return newKey(text, at: index)
    }

    private mutating func newKey(_ text: Span<UInt8>, at index: Int) -> Int? {
        guard let end = string(text, from: index &+ 5, tag: index),
            hasEndTag(text, .key, at: end)
        else { return nil }
        let node = tree.store.records.count &- 1
        frame.lastKey = memory.add(node, after: frame.lastKey, end &+ 6 &- index, &tree.store)
        return end &+ 6
    }
}

/// White space and comments between tags.
enum XMLBlank {
    /// Returns the end of the white space and comments at `start`, or nil if only the tokenizer can
    /// read one of the comments.
    @inline(__always)
    static func end(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.count, isXMLWhitespace(text[index]) { index &+= 1 }
        // The second byte distinguishes nearly every tag from a comment without a call.
        guard index &+ 1 < text.count, text[index &+ 1] == UInt8(ascii: "!"),
            text.has("<!--", at: index)
        else { return index }
        return endOfComments(text, from: index)
    }

    private static func endOfComments(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while text.has("<!--", at: index) {
            guard let end = endOfComment(text, from: index &+ 4) else { return nil }
            index = end
            while index < text.count, isXMLWhitespace(text[index]) { index &+= 1 }
        }
        return index
    }

    /// Returns the end of an ASCII comment whose text begins at `start`. Returns nil for other
    /// comments, and for those that begin with `-` or `>`, because ``XMLInterlude`` has to check
    /// them.
    private static func endOfComment(_ text: Span<UInt8>, from start: Int) -> Int? {
        var index = start
        while index < text.count {
            let byte = text[index]
            if text.has("--", at: index) {
                return index > start && text.has(">", at: index &+ 2) ? index &+ 3 : nil
            }
            guard byte < 0x80, byte >= 0x20 || isXMLWhitespace(byte) else { return nil }
            if index == start, byte == UInt8(ascii: ">") || byte == UInt8(ascii: "-") { return nil }
            index &+= 1
        }
        return nil
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The parser that builds a document from the tags of an XML property list. It checks that each
/// element is allowed at its position, and parses its text with ``XMLScalars``.
///
/// An engine reports only the offset of each tag. This type reads names, attributes and text from
/// the source itself, so a string without references is a range of the source. The grammar is that
/// of ``XMLElement``. The tokenizer and libxml2 both use this parser.
struct XMLGrammar {
    /// A start tag and its range in the source: from `<` to the end of the name and attributes,
    /// where `>` or `/>` follows.
    private struct OpenTag {
        let element: XMLElement
        let start: Int
        let end: Int
        let isEmpty: Bool
    }

    private enum Progress { case before, inside, after }

    let options: ParsingOptions
    var tree: TreeAssembler
    var used: ParsingOptions = []
    /// The version of `<plist>`, as in ``XMLHeader``.
    private(set) var version: String?
    private let limits: ParsingLimits
    private var progress = Progress.before
    private var isInPlist = false
    private var hasRoot = false
    // The start tag of the open leaf element.
    private var leaf: OpenTag?
    // True after the start of an empty container such as `<dict/>`, whose end is reported next.
    private var isEmptyContainer = false
    /// The offset of the end of the last tag.
    private(set) var position = 0

    init(bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits) {
        tree = TreeAssembler(bytes: bytes)
        self.options = options
        self.limits = limits
    }

    /// A Boolean value that is true if the whole root element has been read.
    var isComplete: Bool { progress == .after }

    // MARK: Start tags

    /// Processes a start tag whose `>` or `/>` is at `end`.
    ///
    /// - Throws: `unexpectedElement`, `malformedXML`, `invalidKey`, `depthLimitExceeded`.
    mutating func start(
        tagEndingAt end: Int, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        // Both engines report a start tag before they check for its `>`.
        guard text.has(">", at: end) || text.has("/>", at: end) else { throw unclosed(end, text) }
        guard let start = text.lastIndex(of: UInt8(ascii: "<"), in: position..<end) else {
            throw error(
                .malformedXML, "expected `<` at the beginning of a tag, found none", at: end, text)
        }
        let isEmpty = text[end] == UInt8(ascii: "/")
        try checkBlank(text, position..<start, isProlog: progress == .before)
        let element = try element(text, start, end)
        if let leaf {
            throw error(
                .unexpectedElement, "expected `</\(leaf.element.name)>`, found `<\(element.name)>`",
                at: start, text)
        }
        position = end &+ (isEmpty ? 2 : 1)
        let tag = OpenTag(element: element, start: start, end: end, isEmpty: isEmpty)
        progress = .inside
        if element.isContainer { try open(tag, text) } else { leaf = tag }
    }

    private mutating func element(
        _ text: Span<UInt8>, _ start: Int, _ end: Int
    ) throws(PropertyListError) -> XMLElement {
        var nameEnd = start &+ 1
        while nameEnd < end, !isXMLWhitespace(text[nameEnd]) { nameEnd &+= 1 }
        guard nameEnd > start &+ 1, let element = XMLElement(text, (start &+ 1)..<nameEnd) else {
            throw unknownElement(text, start, nameEnd)
        }
        if nameEnd < end { try checkAttributes(of: element, nameEnd..<end, start, text) }
        return element
    }

    private func unknownElement(
        _ text: Span<UInt8>, _ start: Int, _ end: Int
    ) -> PropertyListError {
        let name = (start + 1..<min(end, start + 33)).map { text[$0] }
        let printable = TerminalText.escaped(String(decoding: name, as: UTF8.self))
        return error(
            .unexpectedElement, "`<\(printable)>` is not an element of a property list", at: start,
            text
        )
    }

    /// Checks attributes. The DTD has only one: `version` of `<plist>`. A `>` within an attribute
    /// is always refused, because parsers that ignore quotes would end the tag there.
    private mutating func checkAttributes(
        of element: XMLElement, _ range: Range<Int>, _ start: Int, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        var first = range.lowerBound
        while first < range.upperBound, isXMLWhitespace(text[first]) { first &+= 1 }
        if first == range.upperBound { return }
        if let place = text.firstIndex(of: UInt8(ascii: ">"), in: range) {
            throw error(
                .malformedXML, "expected `&gt;` in an attribute, found `>`", at: place, text)
        }
        if element == .plist, let value = Self.versionValue(text, first..<range.upperBound) {
            if value.count <= XMLHeader.longestVersion {
                version = String(decoding: value.map { text[$0] }, as: UTF8.self)
            }
            return
        }
        guard options.contains(.attributes) else {
            throw error(
                .unexpectedElement,
                "`<\(element.name)>` has an attribute that property lists do not allow",
                at: start, text, ParsingOptions.attributes.advice)
        }
        used.insert(.attributes)
    }

    /// Returns the range between the quotes of `version` if `range` contains only this attribute.
    private static func versionValue(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        let name: StaticString = "version"
        guard text.has(name, at: range.lowerBound),
            let equals = text.firstIndex(of: UInt8(ascii: "="), in: range),
            (range.lowerBound &+ name.utf8CodeUnitCount..<equals)
                .allSatisfy({ isXMLWhitespace(text[$0]) })
        else { return nil }
        var (start, end) = (equals &+ 1, range.upperBound)
        while start < end, isXMLWhitespace(text[start]) { start &+= 1 }
        while start < end, isXMLWhitespace(text[end &- 1]) { end &-= 1 }
        // If another attribute follows, the closing quote is not the last character.
        guard start < end, text.firstIndex(of: text[start], in: start &+ 1..<end) == end &- 1
        else { return nil }
        return start &+ 1..<end &- 1
    }

    private mutating func open(_ tag: OpenTag, _ text: Span<UInt8>) throws(PropertyListError) {
        isEmptyContainer = tag.isEmpty
        if tag.element == .plist { return try openPlist(tag, text) }
        try admit(tag, text)
        let kind: PropertyListKind = tag.element == .dict ? .dictionary : .array
        tree.open(NodeRecord(kind: kind, offset: UInt32(truncatingIfNeeded: tag.start)))
        if tree.depth > limits.depth {
            throw OperationBudget.depthExceeded(
                tree.depth, limit: limits.depth, format: .xml,
                location: location(tag.start, text))
        }
    }

    private mutating func openPlist(
        _ tag: OpenTag, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        if isInPlist || tree.depth > 0 || hasRoot {
            throw error(
                .unexpectedElement, "expected one `<plist>`, found a second", at: tag.start, text)
        }
        isInPlist = true
    }

    /// Checks that a value or a key is allowed at the position of `tag`.
    private mutating func admit(_ tag: OpenTag, _ text: Span<UInt8>) throws(PropertyListError) {
        guard let kind = tree.openKind else { return try admitRoot(tag, text) }
        let expectsKey = kind == .dictionary && tree.openCount % 2 == 0
        if expectsKey == (tag.element == .key) { return }
        if expectsKey {
            throw error(
                .invalidKey, "expected `<key>`, found `<\(tag.element.name)>`",
                at: tag.start, text)
        }
        try admitKeyAsValue(tag, text)
    }

    private mutating func admitRoot(
        _ tag: OpenTag, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        if hasRoot {
            throw error(
                .unexpectedElement, "expected one root value, found a second", at: tag.start, text)
        }
        if !isInPlist {
            try allow(
                .missingPlistElement, .unexpectedElement,
                "expected the root element `<plist>`, found `<\(tag.element.name)>`", at: tag.start,
                text)
        }
        if tag.element == .key { try admitKeyAsValue(tag, text) }
        hasRoot = true
    }

    private mutating func admitKeyAsValue(
        _ tag: OpenTag, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        try allow(
            .keyAsValue, .unexpectedElement, "expected a value, found `<key>`",
            at: tag.start, text)
    }

    // MARK: End tags

    /// Processes an end tag, or the end of an empty element. The tag ends before `end`.
    ///
    /// - Throws: an error for a violation of the grammar or for malformed text of a value.
    mutating func end(tagEndingAt end: Int, _ text: Span<UInt8>) throws(PropertyListError) {
        guard text.has(">", at: end &- 1) else {
            throw error(
                .malformedXML, "expected `>` at the end of a tag, found none", at: end, text)
        }
        if let leaf {
            self.leaf = nil
            try finish(leaf, endingAt: end, text)
        } else if isEmptyContainer {
            isEmptyContainer = false
            try close(text, at: position)
        } else {
            let start = text.lastIndex(of: UInt8(ascii: "<"), in: position..<max(end, position))
            try checkBlank(text, position..<(start ?? position))
            try close(text, at: start ?? position)
        }
        if hasRoot, !isInPlist, tree.depth == 0 { progress = .after }
        position = end
    }

    private mutating func close(_ text: Span<UInt8>, at place: Int) throws(PropertyListError) {
        if tree.openKind == .dictionary, tree.openCount % 2 == 1 {
            throw error(
                .unexpectedElement, "the last key of a dictionary has no value", at: place, text)
        }
        if tree.depth > 0 { return tree.close() }
        if !hasRoot {
            throw error(
                .unexpectedElement, "expected a value in `<plist>`, found none", at: place, text)
        }
        progress = .after
    }

    private mutating func finish(
        _ tag: OpenTag, endingAt end: Int, _ text: Span<UInt8>
    ) throws(PropertyListError) {
        try admit(tag, text)
        let start = position
        let close =
            tag.isEmpty
            ? start : text.lastIndex(of: UInt8(ascii: "<"), in: start..<max(end, start)) ?? start
        var scalars = XMLScalars(options: options, element: tag.element, tagStart: tag.start)
        do {
            tree.add(try scalars.read(text, start..<close, &tree.store))
        } catch {
            throw error.at(location: location(error.location?.byte ?? tag.start, text))
                .at(path: tree.path())
        }
        used.formUnion(scalars.used)
    }

    // MARK: Between tags

    private func checkBlank(
        _ text: Span<UInt8>, _ range: Range<Int>, isProlog: Bool = false
    ) throws(PropertyListError) {
        do {
            try XMLInterlude.check(text, range, isProlog: isProlog)
        } catch {
            throw self.error(error.code, error.what, at: error.offset, text)
        }
    }

    /// Checks the content after the root, once the engine has found it well-formed.
    ///
    /// - Throws: `malformedXML`.
    func checkEpilogue(_ text: Span<UInt8>) throws(PropertyListError) {
        try checkBlank(text, position..<text.count)
    }

    // MARK: Errors

    private mutating func allow(
        _ option: ParsingOptions, _ code: PropertyListError.Code, _ what: String, at place: Int,
        _ text: Span<UInt8>
    ) throws(PropertyListError) {
        guard options.contains(option) else {
            throw error(code, what, at: place, text, option.advice)
        }
        used.insert(option)
    }

    /// Returns an error at an offset of the source, with the path of the current value.
    func error(
        _ code: PropertyListError.Code, _ what: String, at place: Int, _ text: Span<UInt8>,
        _ recovery: PropertyListError.Recovery? = nil
    ) -> PropertyListError {
        PropertyListError(
            code, format: .xml, what: what, location: location(place, text), path: tree.path(),
            recovery: recovery)
    }

    /// Returns the error for a start tag without a `>` at `end`.
    private func unclosed(_ end: Int, _ text: Span<UInt8>) -> PropertyListError {
        let found = end < text.count ? "another character" : "the end of the text"
        return error(
            .malformedXML, "expected `>`, found \(found)", at: end, text,
            Self.recovery(at: end, in: text))
    }

    /// Returns the recovery for malformed XML at `place`: the advice about truncation if the text
    /// ends there, or within the tag, the comment or the declaration there, otherwise nil. Linear.
    static func recovery(at place: Int, in text: Span<UInt8>) -> PropertyListError.Recovery? {
        if place >= text.count { return .cutOff }
        guard let tag = text.lastIndex(of: UInt8(ascii: "<"), in: 0..<text.count), tag <= place,
            text.firstIndex(of: UInt8(ascii: ">"), in: tag..<text.count) == nil
        else { return nil }
        return .cutOff
    }

    private func location(_ place: Int, _ text: Span<UInt8>) -> PropertyListError.Location {
        SourceText.location(place, in: tree.store.bytes)
    }
}

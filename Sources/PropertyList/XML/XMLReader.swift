// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The steps that turn an XML property list into the tables of a document.
///
///     bytes → XMLEncoding ─┬─────────────────── XMLScanner ──────────────────┬→ UIDPass → DictionaryPass
///                          └→ XMLPreflight → XMLTokenizer → XMLGrammar ──────┘
///
/// The scanner reads documents of the common form completely and gives up on all others. For the
/// others, the tokenizer checks that the XML is well-formed and finds the tags, and the grammar
/// checks that they form a property list. A document that is not well-formed is refused, because
/// two parsers might read it differently.
///
/// libxml2 can replace the tokenizer (``XMLEngine/libxml2``) for a comparison of the two.
enum XMLReader {
    /// The values and the header of a document, read by any engine.
    struct Contents {
        var store: NodeStore
        var keys = KeyTable()
        var header: XMLHeader
        var used: ParsingOptions
        var problems: [PropertyListError] = []
    }

    /// Parses a whole document. Linear.
    static func parse(
        _ bytes: [UInt8], options: ParsingOptions, limits: ParsingLimits,
        engine: XMLEngine = .fastest
    ) throws(PropertyListError) -> PropertyListDocument {
        let text = try XMLEncoding.utf8(bytes)
        let encoding = XMLEncoding.sourceEncoding(bytes)
        let scanned =
            engine == .fastest ? XMLScanner.scan(text, options: options, limits: limits) : nil
        if let scanned { return try document(scanned, encoding, options) }
        return try document(contents(text, options, limits, engine), encoding, options)
    }

    private static func document(
        _ contents: consuming Contents, _ encoding: SourceEncoding, _ options: ParsingOptions
    ) throws(PropertyListError) -> PropertyListDocument {
        var used = contents.used
        used.formUnion(UIDPass.run(&contents.store, options: options))
        var pass = DictionaryPass(options: options, format: .xml, keys: contents.keys)
        try pass.run(&contents.store)
        return PropertyListDocument(
            .init(
                store: contents.store, keys: pass.keys, format: .xml,
                xmlHeader: contents.header, encoding: encoding,
                leniencies: used.union(pass.used), problems: contents.problems))
    }

    private static func contents(
        _ bytes: [UInt8], _ options: ParsingOptions, _ limits: ParsingLimits, _ engine: XMLEngine
    ) throws(PropertyListError) -> Contents {
        var text = bytes
        var used = try blankLateDeclaration(&text, options)
        var preflight = XMLPreflight(options: options)
        try preflight.run(text.span)
        used.formUnion(preflight.used)
        var run = EngineRun(text, options: options, limits: limits)
        let source = preflight.needsPatch ? patched(text, options) : text
        let outcome: XMLOutcome
        if engine == .libxml2 {
            outcome = try LibXML2.parse(source) { run.take($0) }
        } else {
            outcome = XMLTokenizer.parse(source) { run.take($0) }
        }
        let problems = try run.finish(outcome)
        let header = XMLHeader(
            publicIdentifier: outcome.publicIdentifier,
            systemIdentifier: outcome.systemIdentifier, version: run.grammar.version)
        var store = run.grammar.tree.store
        store.bytes = bytes
        return Contents(
            store: store, header: header, used: used.union(run.grammar.used),
            problems: problems)
    }

    private static func patched(_ text: [UInt8], _ options: ParsingOptions) -> [UInt8] {
        XMLPatch.patched(text, references: options.contains(.rawControlCharacters))
    }

    /// Overwrites an XML declaration with spaces if white space precedes it and the options accept
    /// that. White space may precede a document, but not its declaration.
    ///
    /// - Returns: The leniency, if the text has such a declaration.
    private static func blankLateDeclaration(
        _ text: inout [UInt8], _ options: ParsingOptions
    ) throws(PropertyListError) -> ParsingOptions {
        let mark = text.span.lengthOfUTF8Mark
        guard let start = text[mark...].firstIndex(where: { !isXMLWhitespace($0) }), start > mark,
            text.span.hasXMLDeclaration(at: start)
        else { return [] }
        guard options.contains(.leadingWhitespace) else {
            throw PropertyListError(
                .malformedXML, format: .xml, what: "white space precedes the XML declaration",
                location: SourceText.location(start, in: text),
                recovery: ParsingOptions.leadingWhitespace.advice)
        }
        // The text has already been converted to UTF-8, so the declaration adds no information.
        // Blanking it keeps the offsets of everything that follows.
        guard let end = text.span.firstIndex(of: "?>", from: start) else { return [] }
        for index in start..<(end + 2) where !isXMLWhitespace(text[index]) {
            text[index] = UInt8(ascii: " ")
        }
        return .leadingWhitespace
    }
}

extension PropertyListDocument {
    /// Parses XML with a given engine. All engines give the same result for every document, apart
    /// from the differences of libxml2 that ``XMLTokenizer`` lists.
    ///
    /// - Throws: as ``init(parsing:format:options:limits:)``; `unrecognizedFormat` if the package
    ///   was built without the engine.
    package init(
        parsingXML bytes: [UInt8], engine: XMLEngine, options: ParsingOptions,
        limits: ParsingLimits
    ) throws(PropertyListError) {
        self = try XMLReader.parse(bytes, options: options, limits: limits, engine: engine)
    }
}

/// The receiver of an engine's tags. It passes them to the grammar and records the first error.
private struct EngineRun {
    let source: [UInt8]
    let options: ParsingOptions
    var grammar: XMLGrammar
    private var failure: PropertyListError?

    init(_ text: [UInt8], options: ParsingOptions, limits: ParsingLimits) {
        source = text
        self.options = options
        grammar = XMLGrammar(bytes: text, options: options, limits: limits)
    }

    /// Processes a tag. Returns false if the grammar refuses it.
    mutating func take(_ tag: XMLTag) -> Bool {
        let text = source
        do {
            if tag.isEnd {
                try grammar.end(tagEndingAt: tag.offset, text.span)
            } else {
                try grammar.start(tagEndingAt: tag.offset, text.span)
            }
            return true
        } catch {
            failure = error
            return false
        }
    }

    /// Determines the result at the end of the parse.
    ///
    /// - Returns: the problems of a document that is kept despite them.
    mutating func finish(
        _ outcome: XMLOutcome
    ) throws(PropertyListError) -> [PropertyListError] {
        guard let error = failure ?? problem(outcome) else { return [] }
        if isTrailing(outcome), options.contains(.trailingContent) {
            grammar.used.insert(.trailingContent)
            return []
        }
        guard grammar.tree.salvage(error, options) else { throw error }
        grammar.used.insert(.salvage)
        return [error]
    }

    /// Returns whether the root element is complete and any problem comes after it.
    private func isTrailing(_ outcome: XMLOutcome) -> Bool {
        failure == nil && grammar.isComplete
            && (outcome.isWellFormed || outcome.errorOffset >= grammar.position)
    }

    private func problem(_ outcome: XMLOutcome) -> PropertyListError? {
        if outcome.hasInternalSubset {
            return grammar.error(
                .malformedXML,
                "the document type declaration has an internal subset, which is not supported",
                at: outcome.errorOffset, source.span)
        }
        if outcome.isWellFormed, grammar.isComplete { return epilogueProblem() }
        return grammar.error(
            isTrailing(outcome) ? .trailingData : .malformedXML, description(of: outcome),
            at: outcome.errorOffset, source.span, recovery(from: outcome))
    }

    private func recovery(from outcome: XMLOutcome) -> PropertyListError.Recovery? {
        if isTrailing(outcome) { return ParsingOptions.trailingContent.advice }
        let isForbidden = XMLPatch.hasForbiddenReference(source.span, before: outcome.errorOffset)
        if isForbidden { return ParsingOptions.rawControlCharacters.advice }
        return XMLGrammar.recovery(at: outcome.errorOffset, in: source.span)
    }

    private func epilogueProblem() -> PropertyListError? {
        do {
            try grammar.checkEpilogue(source.span)
            return nil
        } catch {
            return error
        }
    }

    /// Returns the message of an engine as a phrase. A message of libxml2 may begin with the name
    /// of a function and a colon. It may end in an exclamation mark.
    private func description(of outcome: XMLOutcome) -> String {
        var message = Substring(TerminalText.escaped(outcome.message))
        if message.hasPrefix("xml"), let colon = message.firstIndex(of: ":") {
            message = message[message.index(after: colon)...]
        }
        while message.first == " " { message.removeFirst() }
        while let last = message.last, " !\n".contains(last) { message.removeLast() }
        if message.isEmpty { return "the document is not well-formed" }
        let isWord = message.dropFirst().first?.isLowercase == true
        return isWord ? message.prefix(1).lowercased() + message.dropFirst() : String(message)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The steps that turn JSON into the tables of a document.
///
///     bytes → JSONGrammar → JSONFormPass → DictionaryPass
enum JSONReader {
    /// Parses a whole document. Linear.
    static func parse(
        _ bytes: [UInt8], mapping: JSONPropertyList.Mapping = .strict, options: ParsingOptions,
        limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        try checkEncoding(bytes)
        var grammar = JSONGrammar(bytes, limits: limits)
        var problems: [PropertyListError] = []
        var used: ParsingOptions = []
        do { try grammar.run(bytes.span) } catch {
            let error = error.located(in: bytes, path: grammar.tree.path())
            guard grammar.tree.salvage(error, options) else { throw error }
            problems.append(error)
            used.insert(.salvage)
        }
        var store = grammar.tree.store
        if mapping == .typed,
            let problem = try JSONFormPass.run(&store, salvages: !problems.isEmpty)
        {
            problems.append(problem)
        }
        var pass = DictionaryPass(options: options, format: .json)
        try pass.run(&store)
        return PropertyListDocument(
            .init(
                store: store, keys: pass.keys, format: .json, mapping: mapping,
                leniencies: used.union(pass.used), problems: problems))
    }

    /// Checks that the text is UTF-8 (RFC 8259 §8.1). A UTF-8 byte order mark is ignored.
    private static func checkEncoding(_ bytes: [UInt8]) throws(PropertyListError) {
        if let mark = ByteOrderMark(bytes), mark.unitWidth > 1 {
            throw PropertyListError(
                .invalidEncoding, format: .json, what: "the text is \(mark.encoding), not UTF-8",
                location: .byte(0))
        }
        guard let place = UTF8Text.firstInvalid(bytes.span) else { return }
        throw PropertyListError(
            .invalidEncoding, format: .json, what: "the text is not valid UTF-8",
            location: SourceText.location(place, in: bytes))
    }
}

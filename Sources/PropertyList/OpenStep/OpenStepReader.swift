// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The steps that turn an OpenStep property list into the tables of a document.
///
///     bytes → OpenStepEncoding → OpenStepGrammar → DictionaryPass
enum OpenStepReader {
    /// Parses a whole document. Linear.
    ///
    /// `isDetected` is true if the format was detected and not requested. Only then is blank text
    /// recorded as a leniency.
    static func parse(
        _ bytes: [UInt8], encoding: String? = nil, isDetected: Bool = false,
        options: ParsingOptions, limits: ParsingLimits
    ) throws(PropertyListError) -> PropertyListDocument {
        let text = try OpenStepEncoding.utf8(bytes, named: encoding)
        var grammar = OpenStepGrammar(text, options: options, limits: limits)
        var problems: [PropertyListError] = []
        var used: ParsingOptions = []
        if isDetected, OpenStepGrammar.isBlank(text.span) { used.insert(.blankText) }
        do { try grammar.run(text.span) } catch {
            let error = error.located(in: text, path: grammar.tree.path())
            guard grammar.tree.salvage(error, options) else { throw error }
            problems.append(error)
            used.insert(.salvage)
        }
        var pass = DictionaryPass(options: options, format: .openStep)
        try pass.run(&grammar.tree.store)
        return PropertyListDocument(
            .init(
                store: grammar.tree.store, keys: pass.keys, format: .openStep,
                encoding: OpenStepEncoding.sourceEncoding(bytes, named: encoding),
                leniencies: used.union(grammar.used).union(pass.used), problems: problems))
    }
}

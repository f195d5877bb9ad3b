// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) public import PropertyList

/// Applies edits to a document one after the other, and then writes the result.
///
/// ```swift
/// var editor = try PropertyListEditor(document)
/// try editor.apply(PropertyListEdit([.key("CFBundleVersion")], .set("42")))
/// let edited = try editor.finish()
/// ```
public struct PropertyListEditor: Sendable {
    /// The document before the edits.
    public let document: PropertyListDocument
    let options: ParsingOptions
    let limits: ParsingLimits
    var tree: EditTree
    /// The number of property lists around this one.
    private let nesting: Int

    /// Creates an editor for a parsed document.
    ///
    /// - Parameters:
    ///   - document: The document to edit.
    ///   - options: The leniencies for nested property lists and for the result, which is parsed
    ///     again.
    ///   - limits: The limits for the result.
    /// - Throws: `unrepresentableValue` for a document that was only partly readable or has no
    ///   format, for OpenStep text that needed leniencies for separators, trailing content or an
    ///   unterminated comment, and for a binary file with integers or text that a leniency changed.
    ///   `duplicateKey` for text in which a key occurs twice, and for a binary file if the parser
    ///   kept only the first entry of such a key.
    public init(
        _ document: PropertyListDocument, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(document, options: options, limits: limits, nesting: 0)
    }

    private init(
        _ document: PropertyListDocument, options: ParsingOptions, limits: ParsingLimits,
        nesting: Int
    ) throws(PropertyListError) {
        try Self.checkEditable(document)
        self.document = document
        self.options = options.union(document.leniencies)
        self.limits = limits
        self.nesting = nesting
        tree = EditTree(document, limits)
    }

    private static func checkEditable(
        _ document: PropertyListDocument
    ) throws(PropertyListError) {
        guard let format = document.format else {
            throw PropertyListError(
                .unrepresentableValue,
                what: "expected a document that was parsed from a file, found one without a format",
                recovery: .init(.changeValue, "change a `PropertyListValue` instead"))
        }
        if let problem = document.problems.first {
            throw PropertyListError(
                .unrepresentableValue, format: format,
                what: "cannot edit a file that is only partly readable: \(problem.what)")
        }
        let unclear = document.leniencies.intersection(Self.unclear(format))
        guard unclear.isEmpty else {
            throw PropertyListError(
                .unrepresentableValue, format: format,
                what: "cannot edit a file that needs leniencies: \(unclear)",
                recovery: .init(.rewrite, "rewrite the property list first"))
        }
        // In a binary file, an edit keeps all entries of a duplicate key that the parser kept.
        let repeated: ParsingOptions =
            format == .binary ? .duplicateKeys : [.duplicateKeys, .allDuplicateKeys]
        guard document.leniencies.isDisjoint(with: repeated) else {
            throw PropertyListError(
                .duplicateKey, format: format,
                what: "cannot edit a file with duplicate keys: \(Self.ambiguity(format))",
                recovery: .init(.rewrite, "rewrite the property list first"))
        }
    }

    /// Returns the leniencies under which an edit could change more than the edited value. An edit
    /// of XML keeps all other bytes. Binary files and JSON are written anew, and no leniency
    /// changes a value of JSON.
    private static func unclear(_ format: PropertyListFormat) -> ParsingOptions {
        switch format {
        case .openStep: [.looseSeparators, .trailingContent, .unterminatedComment]
        case .binary: [.wideIntegers, .unpairedSurrogates]
        default: []
        }
    }

    private static func ambiguity(_ format: PropertyListFormat) -> String {
        format == .binary
            ? "the edit would remove all entries of a key but the first"
            : "the edit would be ambiguous"
    }

    /// Applies an edit to the result of the previous edits.
    ///
    /// - Throws: `noSuchValue` if the path leads to no value, `duplicateKey` if a new key exists
    ///   already, `wrongKind` if the value does not support the operation. `depthLimitExceeded`,
    ///   `expansionLimitExceeded` or `sizeLimitExceeded` if all edits together exceed the limits,
    ///   and the errors of parsing a nested property list. After an error, the edit may have been
    ///   applied in part. Do not call ``finish()`` afterwards.
    public mutating func apply(_ edit: PropertyListEdit) throws(PropertyListError) {
        guard let inside = edit.path.steps.firstIndex(of: .content) else {
            return try tree.apply(edit)
        }
        let slot = try tree.place(of: edit.path, upTo: inside)
        let number = try openContent(at: slot, edit.path, inside)
        let rest = PropertyListEdit(edit.path.dropFirst(inside + 1), edit.operation)
        try tree.apply(rest, toNested: number)
    }

    /// Applies an edit as a part of an operation that has already read and counted the new values.
    ///
    /// - Throws: The errors of ``apply(_:)``.
    package mutating func apply(
        _ edit: PropertyListEdit, within budget: inout OperationBudget
    ) throws(PropertyListError) {
        tree.join(budget.account)
        defer { budget = OperationBudget(limits: limits, continuing: tree.account) }
        try apply(edit)
    }

    /// Returns the index in ``EditTree/nested`` of the property list inside a value.
    private mutating func openContent(
        at slot: EditTree.Slot, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> Int {
        if case .nested(let number) = tree[slot] { return Int(number) }
        let document = try content(of: slot, path, position)
        try tree.chargeEditor()
        let editor = try PropertyListEditor(
            document, options: options, limits: limits, nesting: nesting + 1)
        tree.nested.append(
            .init(
                editor: editor, original: tree[slot], isText: tree.kind(of: tree[slot]) == .string))
        tree[slot] = .nested(EditTree.number(tree.nested.count - 1))
        return tree.nested.count - 1
    }

    /// Returns the property list inside a value. A value with several occurrences is parsed once
    /// and charged for each occurrence.
    private mutating func content(
        of slot: EditTree.Slot, _ path: PropertyListKeyPath, _ position: Int
    ) throws(PropertyListError) -> PropertyListDocument {
        var place: UInt32?
        if case .source(let node) = tree[slot] { place = document.node(node).record.offset }
        if let place, let known = tree.contents[place] {
            try tree.charge(known)
            return known
        }
        let value = try tree.scalar(at: slot, path, position)
        let content = try path.content(
            value.data ?? value.string.map { Array($0.utf8) }, value.kind, position,
            nesting: nesting + 1, options: options, limits: limits)
        try tree.admit(content)
        if let place { tree.contents[place] = content }
        return content
    }

    /// Returns the property list with all edits. The result is parsed again. Edited XML and
    /// OpenStep text is also compared with the expected content.
    ///
    /// - Throws: `unrepresentableValue` for a value that the format cannot represent, and for JSON
    ///   with a key that is not a string. `depthLimitExceeded`, `sizeLimitExceeded`, and the errors
    ///   of parsing the result.
    public func finish() throws(PropertyListError) -> EditedPropertyList {
        var budget = tree.budget()
        return try finish(within: &budget)
    }

    /// Returns the property list with all edits, and charges its bytes to a budget.
    ///
    /// - Parameter budget: The budget that this property list shares with the property lists inside
    ///   it and around it.
    /// - Returns: The property list as a file, and its changes.
    /// - Throws: The errors of ``finish()``.
    func finish(
        within budget: inout OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList {
        let edits = try FinishedEdits(tree, within: &budget)
        switch document.format {
        case .binary:
            var writer = BinaryEditWriter(document, edits, limits)
            let bytes = try writer.write(within: budget)
            try budget.charge(bytes: bytes.count)
            return try result(bytes, nil)
        case .openStep: return try openStep(edits, &budget)
        case .json:
            let bytes = try json(edits, budget)
            try budget.charge(bytes: bytes.count)
            return try result(bytes, nil)
        default: return try result(edits, XMLEditSyntax(document, options, limits), &budget)
        }
    }

    /// Writes OpenStep text. In a project file, comments contain the names that objects have in the
    /// result.
    private func openStep(
        _ edits: FinishedEdits, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList {
        var names = document
        if OpenStepEditSyntax.isProject(document.source) {
            names = try PropertyListDocument(try edits.wholeValue(), limits: limits)
        }
        return try result(
            edits, OpenStepEditSyntax(document, names: names.root), &budget)
    }

    /// Writes JSON from scratch, with the mapping and the formatting of the source.
    private func json(
        _ edits: FinishedEdits, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let formatting = JSONFormatting(of: document.source)
        var writing = JSONPropertyList.Options()
        writing.mapping = document.storage.mapping
        writing.layout = formatting.layout
        let text = try JSONPropertyList.serialize(
            PropertyListDocument(try edits.wholeValue(), limits: limits), options: writing,
            limits: budget.outputLimits)
        try budget.checkRoom(for: formatting.size(of: text))
        return formatting.applied(to: text)
    }

    private func result(
        _ edits: FinishedEdits, _ syntax: some TextEditSyntax, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList {
        let (text, changes) = try text(edits, syntax, budget)
        try budget.charge(bytes: text.count)
        let encoding = document.sourceEncoding
        // The text, its encoded form and the text decoded from that are in memory at the same time.
        if encoding != .utf8 {
            try budget.charge(bytes: TreeExtent.sum(encoding.size(of: text), text.count))
        }
        let encoded = try encoding.encoded(text)
        let edited = try result(encoded, changes)
        if !changes.isEmpty { try require(edited.document, matches: edits) }
        return edited
    }

    /// Checks that an edited text has the expected content. For example, a new value that ended up
    /// in a comment would be lost without a parse error.
    ///
    /// - Throws: `unrepresentableValue` if the content differs.
    func require(
        _ edited: PropertyListDocument, matches edits: FinishedEdits
    ) throws(PropertyListError) {
        var comparison = EditComparison(edits, edited, limits)
        if try comparison.isSame() { return }
        throw PropertyListError(
            .unrepresentableValue, format: document.format,
            what: "cannot make the edits in this text: the result would parse as other values",
            recovery: .init(.rewrite, "convert the file, which rewrites it"))
    }

    /// Returns the text with the edits, and the changes in it.
    private func text(
        _ edits: FinishedEdits, _ syntax: some TextEditSyntax,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> (text: [UInt8], changes: [EditedPropertyList.Change]) {
        var writer = TextEditWriter(document, edits, syntax, budget.continued())
        let changes = try writer.changes()
        let source = document.source
        var text: [UInt8] = []
        text.reserveCapacity(changes.reduce(source.count) { $0 + $1.replacement.count })
        var index = 0
        var places: [Range<Int>] = []
        for change in changes {
            text += source[index..<change.range.lowerBound]
            let start = text.count
            text += change.replacement
            places.append(start..<text.count)
            index = change.range.upperBound
        }
        text += source[index...]
        // From here on the replacements are slices of the text, so their bytes are in memory only
        // once.
        return (
            text, zip(changes, places).map { .init(range: $0.range, replacement: text[$1]) }
        )
    }

    /// Parses the written bytes with the encoding and the mapping of the source.
    private func parsed(_ bytes: [UInt8]) throws(PropertyListError) -> PropertyListDocument {
        switch document.format {
        case .json:
            try JSONPropertyList.parse(
                bytes, mapping: document.storage.mapping, options: options, limits: limits)
        case .openStep:
            try OpenStepPropertyList.parse(
                bytes, encoding: document.sourceEncoding.undeclaredName, options: options,
                limits: limits)
        default:
            try PropertyListDocument(
                parsing: bytes, format: document.format, options: options, limits: limits)
        }
    }

    /// Rejects a result whose format cannot be detected, such as JSON that consists of a number
    /// alone. Accepts it if the format of the source could not be detected either.
    private func checkDetection(of bytes: [UInt8]) throws(PropertyListError) {
        func isDetected(_ bytes: [UInt8]) -> Bool {
            (try? PropertyListFormat.detect(bytes, options)) == document.format
        }
        if isDetected(bytes) || !isDetected(document.source) { return }
        throw PropertyListError(
            .unrepresentableValue, format: document.format,
            what: "the edited text has no recognizable format",
            recovery: .init(
                .convertToBinary,
                "keep a container as the root, or convert the file to the XML or binary format"))
    }

    /// Parses the written bytes and returns the result. Rejects bytes in no recognizable format,
    /// and text in which UIDs have become indistinguishable from dictionaries.
    private func result(
        _ bytes: [UInt8], _ changes: [EditedPropertyList.Change]?
    ) throws(PropertyListError) -> EditedPropertyList {
        try checkDetection(of: bytes)
        let edited = try parsed(bytes)
        if changes != nil, edited.looksLikeKeyedArchive != document.looksLikeKeyedArchive,
            document.hasUIDs || edited.hasUIDs
        {
            throw PropertyListError(
                .unrepresentableValue, format: document.format,
                what:
                    "an edit of a file with UIDs cannot change whether the file is a keyed archive: "
                    + "in other text files, `{CF$UID: n}` is a dictionary",
                recovery: .init(.convertToBinary, "convert the file to the binary format first"))
        }
        return EditedPropertyList(bytes: bytes, document: edited, changes: changes)
    }
}

extension PropertyListDocument {
    fileprivate var hasUIDs: Bool { storage.store.records.contains { $0.kind == .uid } }
}

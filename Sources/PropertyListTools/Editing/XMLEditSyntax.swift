// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The editing syntax of XML property lists: each value and each key is an element, and elements
/// have no separators.
struct XMLEditSyntax: TextEditSyntax {
    let layout: TextLayout
    private let store: NodeStore
    private let map: XMLSourceMap
    private let fragment: XMLFragment

    init(_ document: PropertyListDocument, _ options: ParsingOptions, _ limits: ParsingLimits) {
        store = document.storage.store
        map = XMLSourceMap(store)
        layout = TextLayout(store)
        var writing = XMLPropertyList.Options()
        writing.realText =
            document.realStyle(.asInSource) == .shortest ? .shortest : .seventeenDigits
        if options.contains(.rawControlCharacters) {
            writing.allowedLosses.insert(.controlCharacters)
        }
        if options.contains(.uidDictionaries) { writing.allowedLosses.insert(.uidDictionaries) }
        fragment = XMLFragment(
            options: writing, isInArchive: document.looksLikeKeyedArchive, limits: limits)
    }

    // MARK: Places

    func range(of record: UInt32) -> Range<Int> { map.range(of: record) }

    func contentRange(of container: UInt32) -> Range<Int>? { map.contentRange(of: container) }

    func end(ofChild value: UInt32) -> (place: Int, hasSeparator: Bool) {
        (map.range(of: value).upperBound, true)
    }

    func endOfComment(at place: Int) -> Int? {
        let text = store.bytes.span
        return text.has("<!--", at: place) ? XMLStructure.end(ofMarkupAt: place, text) : nil
    }

    func removed(from start: Int, to end: Int) -> Range<Int> {
        layout.lineBreak(before: start)..<end
    }

    // MARK: Text

    func terminator(inDictionary: Bool) -> [UInt8] { [] }

    func leadOnSameLine(_ neighbor: TextNeighbor) -> [UInt8] { [] }

    func formatting(_ style: TextStyle, _ lead: [UInt8], like neighbor: TextNeighbor?)
        -> TextFormatting
    {
        TextFormatting(style: style, lead: lead, separator: separator(like: neighbor, style))
    }

    func text(
        of children: NewTextChildren, _ formatting: TextFormatting,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try fragment.text(of: children, formatting, budget)
    }

    /// Returns the text between a key and its value.
    private func separator(like neighbor: TextNeighbor?, _ style: TextStyle) -> [UInt8] {
        guard let neighbor, let key = neighbor.key else {
            return style.newline.isEmpty ? [] : style.newline + style.prefix
        }
        return layout.blank(
            before: range(of: neighbor.value).lowerBound, notBefore: range(of: key).upperBound)
    }

    func renamed(
        _ key: UInt32, to text: String, keeping value: UInt32?, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change {
        .init(range: range(of: key), replacement: try fragment.key(text, budget))
    }

    func replaced(
        _ value: UInt32, with new: PropertyListValue, key: UInt32?, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> EditedPropertyList.Change {
        .init(range: range(of: value), replacement: try fragment.text(of: new, style, budget))
    }

    func container(
        _ value: PropertyListValue, _ record: UInt32, _ style: TextStyle,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try fragment.text(of: value, style, budget)
    }
}

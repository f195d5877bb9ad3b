// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Writes values as XML to be inserted into an existing text, in the formatting of that text.
struct XMLFragment {
    /// The writing options of the surrounding document: the form of reals and the permitted losses.
    let options: XMLPropertyList.Options
    /// A Boolean value that says whether the surrounding document is a keyed archive.
    let isInArchive: Bool
    let limits: ParsingLimits

    private static let tab: UInt8 = 0x09
    private static let tabWidth = 8
    // The writer makes base64 lines shorter with each level of nesting, up to this level.
    private static let deepestLevel = 8

    init(options: XMLPropertyList.Options, isInArchive: Bool, limits: ParsingLimits) {
        var options = options
        // In an archive, a dictionary that looks like a UID is read as a UID under all options.
        if isInArchive { options.allowedLosses.remove(.uidDictionaries) }
        self.options = options
        self.isInArchive = isInArchive
        self.limits = limits
    }

    /// Returns the XML of a value, from its first `<` to its last `>`. Linear.
    ///
    /// - Throws: The errors of `XMLPropertyList.serialize(_:options:limits:)`.
    func text(
        of value: PropertyListValue, _ style: TextStyle, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try text(of: NewTextChildren(values: [value]), TextFormatting(style: style), budget)
    }

    /// Returns the XML of children of a container. Linear.
    ///
    /// - Throws: The errors of `XMLPropertyList.serialize(_:options:limits:)`.
    func text(
        of children: NewTextChildren, _ formatting: TextFormatting,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        var style = XMLFragmentStyle()
        style.lead = formatting.lead
        style.separator = formatting.separator
        style.newline = formatting.style.newline
        style.prefix = formatting.style.prefix
        style.unit = formatting.style.unit
        style.level = formatting.style.newline.isEmpty ? 0 : Self.level(of: formatting.style)
        let document = try PropertyListDocument(children.container, limits: limits.inContainer)
        do {
            return try XMLPropertyList.fragment(
                of: document, style, options: options, isInArchive: isInArchive,
                limits: budget.limits.inContainer, within: budget)
        } catch {
            throw children.keys.isEmpty ? error.withinElement : error
        }
    }

    /// Returns the XML of a key, from its first `<` to its last `>`.
    ///
    /// - Throws: `unrepresentableValue` for a control character that is not allowed.
    func key(
        _ text: String, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        // A key is written like a string, except for the name of the element.
        let element = try self.text(of: .string(text), .oneLine, budget)
        let content = element.dropFirst("<string>".utf8.count).dropLast("</string>".utf8.count)
        return Array("<key>".utf8) + content + Array("</key>".utf8)
    }

    /// Returns the indentation of a text in whole TABs, rounded down and at most `deepestLevel`.
    private static func level(of style: TextStyle) -> Int {
        let columns = style.prefix.reduce(0) { $0 + ($1 == tab ? tabWidth : 1) }
        return min(columns / tabWidth, deepestLevel)
    }
}

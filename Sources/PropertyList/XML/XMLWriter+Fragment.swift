// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The layout of elements that are inserted into an existing text.
package struct XMLFragmentStyle {
    /// The text before each child, including the indentation of its line.
    package var lead: [UInt8] = []
    /// The text between a key and its value.
    package var separator: [UInt8] = []
    /// The line terminator; empty if everything is on one line.
    package var newline: [UInt8] = []
    /// The text at the beginning of the line of a child. Deeper lines continue with ``unit``, once
    /// for each level.
    package var prefix: [UInt8] = []
    /// The indentation that each container adds.
    package var unit: [UInt8] = []
    /// The number of containers around the children. Deeper nesting shortens the lines of data.
    package var level = 0

    /// Creates the style for everything on one line.
    package init() {}
}

extension XMLPropertyList {
    /// Serializes the children of the root without their container. Linear.
    ///
    /// - Parameters:
    ///   - document: An array or a dictionary with the children.
    ///   - style: The layout of the surrounding text.
    ///   - options: The options for writing values.
    ///   - isInArchive: True if the surrounding text is a keyed archive.
    ///   - limits: The limits on the depth and expansion of the document.
    ///   - budget: The budget of the operation, which must have room for the text.
    /// - Returns: The text, from the first child's lead on.
    /// - Throws: The errors of `serialize(_:options:limits:)`.
    package static func fragment(
        of document: PropertyListDocument, _ style: XMLFragmentStyle, options: Options,
        isInArchive: Bool, limits: ParsingLimits, within budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        var writer = XMLWriter(document, options, limits, isInArchive: isInArchive)
        return try writer.writeFragment(style, within: budget)
    }
}

extension XMLWriter {
    mutating func writeFragment(
        _ style: XMLFragmentStyle, within outer: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        var output: [UInt8] = []
        while let step = try walk.next(&budget) {
            do { try append(step, style, within: outer, to: &output) } catch {
                throw error.at(path: walk.path())
            }
            try outer.checkRoom(for: output.count)
        }
        return output
    }

    private mutating func append(
        _ step: DocumentWalk.Step, _ style: XMLFragmentStyle,
        within outer: borrowing OperationBudget, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            let record = store.records[Int(node)]
            // The root is not written. Its children are at depth 0.
            let depth = walk.depth &- (record.isContainer ? 2 : 1)
            if depth < 0 { return }
            try begin(style.lead, depth, style, within: outer, to: &output)
            if let key {
                let place = try keyElement(key)
                output.append(contentsOf: keys.elements[place].dropLast())
                try begin(style.separator, depth, style, within: outer, to: &output)
            }
            try append(record, depth, style, within: outer, to: &output)
        case .leave(let node):
            let record = store.records[Int(node)]
            guard walk.depth > 0, !record.isEmpty else { return }
            try beginLine(walk.depth &- 1, style, within: outer, to: &output)
            append(
                record.kind == .dictionary ? lines.closeDict : lines.closeArray, to: &output)
        }
    }

    /// Begins a key or a value. `text` precedes a child of the root, and a line break precedes
    /// deeper keys and values.
    private func begin(
        _ text: [UInt8], _ depth: Int, _ style: XMLFragmentStyle,
        within outer: borrowing OperationBudget, to output: inout [UInt8]
    ) throws(PropertyListError) {
        if depth == 0 {
            output.append(contentsOf: text)
        } else {
            try beginLine(depth, style, within: outer, to: &output)
        }
    }

    /// Begins a line. Its indentation comes from the surrounding text and may be long, so each part
    /// of it is checked against the budget.
    private func beginLine(
        _ depth: Int, _ style: XMLFragmentStyle, within outer: borrowing OperationBudget,
        to output: inout [UInt8]
    ) throws(PropertyListError) {
        output.append(contentsOf: style.newline)
        output.append(contentsOf: style.prefix)
        try outer.checkRoom(for: output.count)
        for _ in 0..<depth {
            output.append(contentsOf: style.unit)
            try outer.checkRoom(for: output.count)
        }
    }

    /// Appends a tag without the end of its line.
    private func append(_ line: ShortText, to output: inout [UInt8]) {
        lines.append(line, .none, to: &output)
        output.removeLast()
    }

    /// Appends a leaf, or the beginning of a container, starting with its `<`.
    private mutating func append(
        _ record: NodeRecord, _ depth: Int, _ style: XMLFragmentStyle,
        within outer: borrowing OperationBudget, to output: inout [UInt8]
    ) throws(PropertyListError) {
        guard record.kind == .uid || record.kind == .data else {
            // Line ends inside a string are part of the value.
            try append(record, key: nil, .none, to: &output)
            output.removeLast()
            return
        }
        var text: [UInt8] = []
        let indent = margin.at(style.level &+ depth)
        try append(record, key: nil, indent, to: &text)
        for line in text.split(separator: 0x0A) {
            let content = line.drop { $0 == 0x09 }
            // The key and the value in a UID's dictionary are one level deeper. Lines of data are
            // not.
            let isDeeper = record.kind == .uid && line.count &- content.count > indent.count
            if line.startIndex > 0 {
                try beginLine(
                    isDeeper ? depth &+ 1 : depth, style, within: outer, to: &output)
            }
            output.append(contentsOf: content)
        }
    }
}

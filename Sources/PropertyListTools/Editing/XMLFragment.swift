// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Values as XML that is put into a text which is there already, in the manner of that text.
///
/// The writer of whole documents writes an array or a dictionary of the values, with each element on lines
/// of its own. The lines of the container are left out; the others get the indentation and the ends
/// of those around them.
struct XMLFragment {
    /// What is written in the document that the text goes into: reals, losses.
    let options: XMLPropertyList.Options
    /// Whether that document is a keyed archive.
    let isInArchive: Bool
    let limits: ParsingLimits

    private static let tab: UInt8 = 0x09
    private static let tabWidth = 8
    // The writer shortens lines of base 64 up to that depth.
    private static let deepestLevel = 8

    /// A value, from its first `<` to its last `>`. Linear.
    ///
    /// - Throws: as ``XMLPropertyList/serialize(_:options:limits:)``.
    func text(
        of value: PropertyListValue, _ style: TextStyle, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try text(of: NewTextChildren(values: [value]), TextManner(style: style), budget)
    }

    /// Children of a container. Linear.
    ///
    /// - Throws: as ``XMLPropertyList/serialize(_:options:limits:)``.
    func text(
        of children: NewTextChildren, _ manner: TextManner, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let level = manner.style.newline.isEmpty ? 0 : Self.level(of: manner.style)
        let written = try written(children, level: level, budget)
        var text = Indenter(
            manner: manner, level: level, hasKeys: !children.keys.isEmpty)
        // Without the lines of the container.
        var start = (written.firstIndex(of: 0x0A) ?? 0) + 1
        let last = written.dropLast().lastIndex(of: 0x0A) ?? 0
        while start <= last, let end = written[start...].firstIndex(of: 0x0A) {
            text.append(written[start..<end])
            // The indentation may be long.
            try budget.checkRoom(for: text.output.count)
            start = end + 1
        }
        return text.output
    }

    /// A key, from its first `<` to its last `>`.
    ///
    /// - Throws: `unrepresentableValue` for a control character that is not allowed.
    func key(
        _ text: String, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        // A key is written as a string is, but for the name of the element.
        let element = try self.text(of: .string(text), .oneLine, budget)
        let content = element.dropFirst("<string>".utf8.count).dropLast("</string>".utf8.count)
        return Array("<key>".utf8) + content + Array("</key>".utf8)
    }

    /// How many levels of the writer's own indentation come near to that of the text.
    private static func level(of style: TextStyle) -> Int {
        let columns = style.prefix.reduce(0) { $0 + ($1 == tab ? tabWidth : 1) }
        return min(columns / tabWidth, deepestLevel)
    }

    /// A container of the children as the writer of documents has it.
    private func written(
        _ children: NewTextChildren, level: Int, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        var options = options
        options.hasDeclarations = false
        options.hasPlistElement = false
        // The children are one level deeper than their container.
        options.level = level - 1
        if isInArchive {
            for value in children.values { try checkUIDs(value) }
            options.allowedLosses.insert(.uidDictionaries)
        }
        let document = try PropertyListDocument(children.container, limits: limits.inContainer)
        do {
            return try XMLPropertyList.serialize(
                document, options: options, limits: budget.outputLimits.inContainer
            ).bytes
        } catch {
            throw children.keys.isEmpty ? error.withinElement : error
        }
    }

    /// Refuses a dictionary that would be read as a UID. Linear; not recursive.
    private func checkUIDs(_ value: PropertyListValue) throws(PropertyListError) {
        for value in value.walk {
            guard let storage = value.storage else { continue }
            if storage.keys.texts == ["CF$UID"], storage.values.first?.integer != nil {
                throw PropertyListError(
                    .unrepresentableValue, format: .xml,
                    what: "a dictionary `{CF$UID: n}` would be read as a UID")
            }
        }
    }
}

/// Gives lines of the writer's the indentation and the ends of another style. Lines within the text of a
/// string stay as they are.
private struct Indenter {
    let manner: TextManner
    /// How many TABs a child has.
    let level: Int
    let hasKeys: Bool
    private(set) var output: [UInt8] = []
    // The end of the element that goes on in the next line.
    private var end: [UInt8]?
    // The indentation of the data that go on in the next line.
    private var dataDepth: Int?
    // Whether the next element of a child is its value, not its key.
    private var isValue = false

    init(manner: TextManner, level: Int, hasKeys: Bool) {
        self.manner = manner
        self.level = level
        self.hasKeys = hasKeys
    }

    mutating func append(_ line: ArraySlice<UInt8>) {
        if let end {
            output.append(0x0A)
            output += line
            if line.ends(with: end) { self.end = nil }
            return
        }
        let content = line.drop { $0 == 0x09 }
        let depth = dataDepth ?? (line.count - content.count - level)
        if depth == 0, dataDepth == nil, !content.starts(with: "</".utf8) {
            beginElement()
        } else {
            beginLine(depth)
        }
        output += content
        if content.elementsEqual("<data>".utf8) {
            dataDepth = depth
        } else if content.elementsEqual("</data>".utf8) {
            dataDepth = nil
        } else if dataDepth == nil {
            end = Self.missingEnd(of: content)
        }
    }

    /// Begins the key or the value of a child.
    private mutating func beginElement() {
        output += isValue ? manner.separator : manner.lead
        isValue = hasKeys && !isValue
    }

    private mutating func beginLine(_ depth: Int) {
        output += manner.style.newline
        output += manner.style.prefix
        for _ in 0..<max(depth, 0) { output += manner.style.unit }
    }

    /// The tag that ends a text which does not end on its first line. Nothing in a text looks like it,
    /// because `<` is written as a reference.
    private static func missingEnd(of content: ArraySlice<UInt8>) -> [UInt8]? {
        for name in ["string", "key"] where content.starts(with: "<\(name)>".utf8) {
            let end = Array("</\(name)>".utf8)
            return content.ends(with: end) ? nil : end
        }
        return nil
    }
}

extension ArraySlice<UInt8> {
    fileprivate func ends(with end: [UInt8]) -> Bool { suffix(end.count).elementsEqual(end) }
}

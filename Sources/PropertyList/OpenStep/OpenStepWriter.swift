// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The writer of OpenStep text. It traverses a document and writes each value in the requested
/// layout.
///
/// | style | dictionary | array |
/// |---|---|---|
/// | line | `{a = b; c = d;}` | `(a, b)` |
/// | block | each entry on a line, four spaces deeper | each element on a line, commas between |
/// | project | each entry on a line, one TAB deeper | each element on a line with a comma |
/// | project line | `{a = b; c = d; }` | `(a, b, )` |
/// | strings | one entry per line, no braces | |
struct OpenStepWriter: ~Copyable {
    /// The style of a container's children.
    enum Style { case line, block, project, projectLine, strings }

    private struct Frame {
        let style: Style
        let isDictionary: Bool
        /// A Boolean value that is true if the children are the objects of a project file.
        let holdsObjects: Bool
        var count = 0
    }

    private let document: PropertyListDocument
    private let store: NodeStore
    private let options: OpenStepPropertyList.Options
    private let strings: OpenStepStringWriter
    private var budget: OperationBudget
    private var project: ProjectFile?
    private var walk: DocumentWalk
    private var frames: [Frame] = []
    private var output: [UInt8] = []

    init(
        _ document: PropertyListDocument, _ options: OpenStepPropertyList.Options,
        _ limits: ParsingLimits
    ) {
        self.document = document
        self.options = options
        store = document.storage.store
        strings = OpenStepStringWriter(escapesNonASCII: options.escapesNonASCII)
        budget = document.budget(limits)
        if case .projectFile(let name) = options.layout {
            let project = ProjectFile(document, projectName: name)
            let order = project.order(sortsKeys: options.sortsKeys)
            walk = DocumentWalk(document.root, arrangement: { order.arrangement(of: $0) })
            self.project = project
        } else {
            walk = DocumentWalk(document.root, sortsKeys: options.sortsKeys)
        }
        output.reserveCapacity(store.bytes.count)
    }

    mutating func write() throws(PropertyListError) -> [UInt8] {
        if options.layout == .strings, document.root.kind != .dictionary {
            throw OpenStepScalarWriter.error(
                "expected a dictionary as the root of a strings file, found a value of kind "
                    + "\(document.root.kind)")
        }
        if let project { append(project.header) }
        while let step = try walk.next(&budget) {
            do { try append(step) } catch { throw error.at(path: walk.path()) }
            try budget.checkOutput(size: output.count)
        }
        if output.last != 0x0A { output.append(0x0A) }
        return output
    }

    // MARK: Steps

    private mutating func append(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key): try enter(document.node(node), key.map(document.node))
        case .leave: leave()
        }
    }

    private mutating func enter(
        _ node: PropertyListNode, _ key: PropertyListNode?
    ) throws(PropertyListError) {
        beginChild(node, key)
        if let key { try append(key: key) }
        if node.kind.isContainer {
            try open(node, key)
        } else {
            if node.kind == .string {
                append(string: node, comment: project?.comment(forValue: node, of: key))
            } else {
                try OpenStepScalarWriter(options: options).append(node, to: &output)
            }
            endChild()
        }
    }

    private mutating func append(key: PropertyListNode) throws(PropertyListError) {
        guard key.kind == .string else {
            throw OpenStepScalarWriter.error(key.kind.keyMismatch)
        }
        let isObject = frames.last?.holdsObjects == true
        append(string: key, comment: isObject ? project?.comment(forObject: key) : nil)
        append(" = ")
    }

    private mutating func append(string node: PropertyListNode, comment: String?) {
        var writer = strings
        writer.keepsLines = project?.keepsLines(of: node) == true
        let isQuoted = frames.last?.style == .strings
        if node.record.encoding == .utf16 {
            var text: [UInt8] = []
            store.appendText(of: node.record, to: &text)
            writer.append(text[...], isQuoted: isQuoted, to: &output)
        } else {
            writer.append(store.content(of: node.record), isQuoted: isQuoted, to: &output)
        }
        if let comment { output.append(contentsOf: " /* \(comment) */".utf8) }
    }

    // MARK: Containers

    private mutating func open(
        _ node: PropertyListNode, _ key: PropertyListNode?
    ) throws(PropertyListError) {
        if node.kind == .set, options.scalars != .text {
            throw OpenStepScalarWriter.refusal(of: node.kind)
        }
        let frame = Frame(
            style: style(of: node), isDictionary: node.kind == .dictionary,
            holdsObjects: project != nil && frames.count == 1 && key?.isString("objects") == true
                && node.kind == .dictionary)
        if frame.style != .strings { append(frame.isDictionary ? "{" : "(") }
        if frame.style == .project { output.append(0x0A) }
        frames.append(frame)
    }

    private func style(of node: PropertyListNode) -> Style {
        guard let parent = frames.last else {
            switch options.layout {
            case .compact: return .line
            case .indented: return .block
            case .strings: return .strings
            case .projectFile: return .project
            }
        }
        switch parent.style {
        case .strings: return .block
        case .project:
            return parent.holdsObjects && project?.isOneLine(node) == true
                ? .projectLine : .project
        default: return parent.style
        }
    }

    private mutating func leave() {
        guard let frame = frames.popLast() else { return }
        switch frame.style {
        case .block where frame.count > 0: appendLineStart(frames.count)
        case .project:
            if frame.holdsObjects { append(project?.endOfSections()) }
            appendTabs(frames.count)
        default: break
        }
        if frame.style == .strings { return }
        append(frame.isDictionary ? "}" : ")")
        endChild()
    }

    // MARK: Children

    /// Writes the separator after the previous child, and the beginning of the child's line.
    private mutating func beginChild(_ node: PropertyListNode, _ key: PropertyListNode?) {
        guard let frame = frames.last else { return }
        let isFirst = frame.count == 0
        frames[frames.count - 1].count += 1
        switch frame.style {
        case .line: if !isFirst { append(frame.isDictionary ? " " : ", ") }
        case .block:
            if !isFirst, !frame.isDictionary { append(",") }
            appendLineStart(frames.count)
        case .project:
            if frame.holdsObjects, let key { append(project?.separator(before: node, key)) }
            appendTabs(frames.count)
        case .projectLine, .strings: break
        }
    }

    /// Writes the terminator of a child.
    private mutating func endChild() {
        guard let frame = frames.last else { return }
        let isProject = frame.style == .project || frame.style == .projectLine
        if frame.isDictionary { append(";") } else if isProject { append(",") }
        switch frame.style {
        case .project, .strings: output.append(0x0A)
        case .projectLine: output.append(0x20)
        case .line, .block: break
        }
    }

    // MARK: Text

    private mutating func append(_ text: StaticString) { output.append(contentsOf: text) }

    private mutating func append(_ text: String?) {
        if let text { output.append(contentsOf: text.utf8) }
    }

    private mutating func appendTabs(_ depth: Int) { for _ in 0..<depth { output.append(0x09) } }

    private mutating func appendLineStart(_ depth: Int) {
        output.append(0x0A)
        let isInStringsFile = options.layout == .strings
        for _ in 0..<(isInStringsFile ? max(depth - 1, 0) : depth) { append("    ") }
    }
}

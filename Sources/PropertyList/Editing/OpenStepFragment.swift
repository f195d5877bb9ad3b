// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Values as OpenStep text that is put into a text which is there already, in the manner of that text.
struct OpenStepFragment {
    /// The names of the objects of a project file, for comments after their numbers; nil for other
    /// files.
    let names: ProjectNames?
    let limits: ParsingLimits
    private let strings = OpenStepStringWriter(escapesNonASCII: false)

    init(names: ProjectNames?, limits: ParsingLimits) {
        self.names = names
        self.limits = limits
    }

    /// A value, from its first character to its last. Linear; not recursive.
    ///
    /// - Throws: `unrepresentableValue` for numbers, booleans and dates, `depthLimitExceeded`.
    func text(
        of value: PropertyListValue, _ style: TextStyle, isQuoted: Bool = false
    ) throws(PropertyListError) -> [UInt8] {
        let document = try PropertyListDocument(value, limits: limits)
        var walk = DocumentWalk(document.root, budget: document.budget(limits))
        var output: [UInt8] = []
        while let step = try walk.next() {
            switch step {
            case .enter(let number, let key):
                let node = document.node(number)
                let depth = walk.depth - (node.kind.isContainer ? 1 : 0)
                if depth > 0 { beginLine(depth, isFirst(output), style, &output) }
                if let key {
                    output += self.key(document.node(key).string ?? "")
                    output += " = ".utf8
                }
                do { try append(node, isQuoted: isQuoted && depth == 0, to: &output) } catch {
                    throw error.at(path: walk.path())
                }
                if !node.kind.isContainer, depth > 0 { output += [end(of: key)] }
            case .leave(let number):
                let node = document.node(number)
                if !node.childNodes.isEmpty {
                    beginLine(walk.depth, style.newline.isEmpty, style, &output)
                }
                output.append(UInt8(ascii: node.kind == .dictionary ? "}" : ")"))
                if walk.depth > 0 { output += [end(of: walk.isInDictionary ? 0 : nil)] }
            }
        }
        return output
    }

    /// A key, in quotes where it needs them or `isQuoted` says so.
    func key(_ text: String, isQuoted: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
        appendName(of: text, to: &output)
        return output
    }

    private func end(of key: UInt32?) -> UInt8 { UInt8(ascii: key == nil ? "," : ";") }

    /// Whether nothing stands before a child but its container's bracket.
    private func isFirst(_ output: [UInt8]) -> Bool {
        output.last == UInt8(ascii: "{") || output.last == UInt8(ascii: "(")
    }

    private func beginLine(
        _ depth: Int, _ isFirst: Bool, _ style: TextStyle, _ output: inout [UInt8]
    ) {
        guard !style.newline.isEmpty else {
            if !isFirst || output.last == UInt8(ascii: ";") { output.append(0x20) }
            return
        }
        output += style.newline + style.prefix
        for _ in 0..<depth { output += style.unit }
    }

    private func append(
        _ node: PropertyListNode, isQuoted: Bool, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch node.kind {
        case .dictionary: output.append(UInt8(ascii: "{"))
        case .array: output.append(UInt8(ascii: "("))
        case .set: throw OpenStepScalarWriter.refusal(of: node)
        case .string:
            let text = node.string ?? ""
            strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
            appendName(of: text, to: &output)
        default: try OpenStepScalarWriter(options: .init()).append(node, to: &output)
        }
    }

    private func appendName(of number: String, to output: inout [UInt8]) {
        if let name = names?.name(of: number) { output += " /* \(name) */".utf8 }
    }
}

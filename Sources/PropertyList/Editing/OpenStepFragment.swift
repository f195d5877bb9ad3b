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
    /// - Parameters:
    ///   - isQuoted: whether a string is in quotes even where it needs none.
    ///   - key: the key that the value is for.
    /// - Throws: `unrepresentableValue` for numbers, booleans and dates, `depthLimitExceeded`.
    func text(
        of value: PropertyListValue, _ style: TextStyle, isQuoted: Bool = false,
        for key: String? = nil
    ) throws(PropertyListError) -> [UInt8] {
        let document = try PropertyListDocument(value, limits: limits)
        var budget = document.budget(limits)
        var walk = DocumentWalk(document.root)
        var output: [UInt8] = []
        while let step = try walk.next(&budget) {
            switch step {
            case .enter(let number, let record):
                let node = document.node(number)
                let depth = walk.depth - (node.kind.isContainer ? 1 : 0)
                if depth > 0 { beginLine(depth, isFirst(output), style, &output) }
                let key = depth == 0 ? key : record.map { document.node($0).string ?? "" }
                if let key, depth > 0 {
                    output += self.key(key, isOfObject: node["isa"] != nil) + " = ".utf8
                }
                do { try append(node, key, isQuoted: isQuoted && depth == 0, to: &output) } catch {
                    throw error.at(path: walk.path())
                }
                if !node.kind.isContainer, depth > 0 { output += [end(of: record)] }
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

    /// A key, in quotes where it needs them or `isQuoted` says so; that of an object of a project file
    /// with the object's name.
    func key(_ text: String, isQuoted: Bool = false, isOfObject: Bool) -> [UInt8] {
        var output: [UInt8] = []
        strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
        if isOfObject { appendName(of: text, to: &output) }
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
        _ node: PropertyListNode, _ key: String?, isQuoted: Bool, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch node.kind {
        case .dictionary: output.append(UInt8(ascii: "{"))
        case .array: output.append(UInt8(ascii: "("))
        case .set: throw OpenStepScalarWriter.refusal(of: node)
        case .string:
            let text = node.string ?? ""
            strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
            let isNamed = key.map { !ProjectFile.keysWithoutNames.contains($0) } ?? true
            if isNamed { appendName(of: text, to: &output) }
        default: try OpenStepScalarWriter(options: .init()).append(node, to: &output)
        }
    }

    private func appendName(of number: String, to output: inout [UInt8]) {
        if let name = names?.name(of: number) { output += " /* \(name) */".utf8 }
    }
}

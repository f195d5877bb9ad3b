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
        for key: String? = nil, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try text(
            of: NewTextChildren(values: [value]),
            TextManner(style: style, isQuoted: isQuoted, hasTerminators: false), for: key, budget)
    }

    /// Children of a container. Linear; not recursive.
    ///
    /// - Parameter key: the key of the one child that is written without it.
    /// - Throws: `unrepresentableValue` for numbers, booleans and dates, `depthLimitExceeded`.
    func text(
        of children: NewTextChildren, _ manner: TextManner, for key: String? = nil,
        _ outer: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let limits = limits.inContainer
        let document = try PropertyListDocument(children.container, limits: limits)
        var budget = document.budget(limits)
        var walk = DocumentWalk(document.root)
        var output: [UInt8] = []
        while let step = try walk.next(&budget) {
            // The indentation, or the name of an object, may be long.
            try outer.checkRoom(for: output.count)
            switch step {
            case .enter(let number, let record):
                let node = document.node(number)
                let depth = walk.depth - (node.kind.isContainer ? 2 : 1)
                if depth < 0 { continue }
                begin(depth, manner, &output)
                let key = record.map { document.node($0).string ?? "" } ?? (depth == 0 ? key : nil)
                if record != nil, let key {
                    output += self.key(
                        key, isQuoted: manner.isQuoted && depth == 0, isOfObject: node["isa"] != nil
                    )
                    output += depth == 0 ? manner.separator : Self.equals
                }
                do {
                    try append(node, key, isQuoted: manner.isQuoted && depth == 0, to: &output)
                } catch {
                    let error = error.at(path: walk.path())
                    throw children.keys.isEmpty ? error.withinElement : error
                }
                if !node.kind.isContainer {
                    end(depth, isEntry: record != nil, manner, &output)
                }
            case .leave(let number):
                let node = document.node(number)
                let depth = walk.depth - 1
                if depth < 0 { continue }
                if !node.childNodes.isEmpty {
                    beginLine(depth, manner.style.newline.isEmpty, manner.style, &output)
                }
                output.append(UInt8(ascii: node.kind == .dictionary ? "}" : ")"))
                end(depth, isEntry: walk.isInDictionary, manner, &output)
            }
        }
        return output
    }

    private static let equals = Array(" = ".utf8)

    /// A key, in quotes where it needs them or `isQuoted` says so; that of an object of a project file
    /// with the object's name.
    func key(_ text: String, isQuoted: Bool = false, isOfObject: Bool) -> [UInt8] {
        var output: [UInt8] = []
        strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
        if isOfObject { appendName(of: text, to: &output) }
        return output
    }

    /// Writes what stands before a child, or before what it holds.
    private func begin(_ depth: Int, _ manner: TextManner, _ output: inout [UInt8]) {
        if depth == 0 {
            output += manner.lead
        } else {
            beginLine(depth, isFirst(output), manner.style, &output)
        }
    }

    /// Writes what separates a value from the next.
    private func end(_ depth: Int, isEntry: Bool, _ manner: TextManner, _ output: inout [UInt8]) {
        if depth == 0, !manner.hasTerminators { return }
        output.append(UInt8(ascii: isEntry ? ";" : ","))
    }

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

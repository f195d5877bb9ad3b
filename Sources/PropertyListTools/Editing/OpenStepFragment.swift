// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Writes values as OpenStep text to be inserted into an existing text, in the formatting of that
/// text.
struct OpenStepFragment {
    /// The names of the objects of a project file, for comments after their identifiers; nil for
    /// other files.
    let names: ProjectNames?
    private let strings = OpenStepStringWriter(escapesNonASCII: false)

    init(names: ProjectNames?) { self.names = names }

    /// Returns the text of a value, from its first character to its last. Linear; not recursive.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - style: The line breaks and the indentation in its containers.
    ///   - budget: The budget of the operation, which must have room for the text.
    /// - Returns: The text as UTF-8.
    /// - Throws: The errors of ``text(of:_:for:_:)``.
    func text(
        of value: PropertyListValue, _ style: TextStyle, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try text(of: NewTextChildren(values: [value]), .replacement(style), budget)
    }

    /// Writes children of a container. Linear; not recursive.
    ///
    /// - Parameters:
    ///   - children: The children.
    ///   - formatting: The text around each child.
    ///   - key: The key, if a single child replaces the value of an existing key; nil for new
    ///     entries and for elements.
    ///   - budget: The budget of the operation, which must have room for the text.
    /// - Returns: The text as UTF-8.
    /// - Throws: `unrepresentableValue` for anything but strings, data, arrays and dictionaries,
    ///   `depthLimitExceeded`, `sizeLimitExceeded`.
    func text(
        of children: NewTextChildren, _ formatting: TextFormatting, for key: String? = nil,
        _ budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        var writer = ChildWriter(fragment: self, formatting: formatting)
        for (place, value) in children.values.enumerated() {
            let own = children.keys.isEmpty ? nil : children.keys[place]
            try writer.append(NewChild(value: value, writtenKey: own, key: own ?? key), budget)
        }
        return writer.output
    }

    /// Returns the text of a key.
    ///
    /// - Parameters:
    ///   - text: The key.
    ///   - isQuoted: Whether to quote the key even if it needs no quotes.
    ///   - isOfObject: Whether the key is the identifier of an object in a project file. The name
    ///     of the object then follows in a comment.
    /// - Returns: The text as UTF-8.
    func key(_ text: String, isQuoted: Bool = false, isOfObject: Bool) -> [UInt8] {
        var output: [UInt8] = []
        strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
        if isOfObject { appendName(of: text, to: &output) }
        return output
    }

    /// Writes a scalar, or the opening bracket of a container.
    fileprivate func begin(
        _ child: NewChild, isQuoted: Bool, to output: inout [UInt8]
    ) throws(PropertyListError) {
        switch child.value {
        case .dictionary: output.append(UInt8(ascii: "{"))
        case .array: output.append(UInt8(ascii: "("))
        case .set: throw OpenStepScalarWriter.refusal(of: .set)
        case .string(let text):
            strings.append(Array(text.utf8)[...], isQuoted: isQuoted, to: &output)
            let isNamed = child.key.map { !ProjectFile.keysWithoutNames.contains($0) } ?? true
            if isNamed { appendName(of: text, to: &output) }
        default:
            let scalar = try PropertyListDocument(child.value, limits: .trusted).root
            try OpenStepScalarWriter(options: .init()).append(scalar, to: &output)
        }
    }

    private func appendName(of number: String, to output: inout [UInt8]) {
        if let name = names?.name(of: number) { output += " /* \(name) */".utf8 }
    }
}

/// A value to be written, with its keys.
private struct NewChild {
    let value: PropertyListValue
    /// The key to write before the value; nil for an element, and if the text already contains the
    /// key.
    let writtenKey: String?
    /// The key of the value; nil for an element.
    let key: String?
}

/// Writes children of a container one after the other, directly from their values. Building a
/// document from them would need more memory than the values themselves.
private struct ChildWriter {
    let fragment: OpenStepFragment
    let formatting: TextFormatting
    private(set) var output: [UInt8] = []
    // The open containers, from the child inwards.
    private var open: [OpenContainer] = []

    private static let equals = Array(" = ".utf8)

    /// A container whose children are being written.
    private struct OpenContainer {
        let storage: ContainerStorage
        let isDictionary: Bool
        /// A Boolean value that says whether the container is itself the value of a dictionary
        /// entry.
        let isEntry: Bool
        /// The index of the next child.
        var next = 0
    }

    init(fragment: OpenStepFragment, formatting: TextFormatting) {
        self.fragment = fragment
        self.formatting = formatting
    }

    /// Writes a child and everything below it.
    mutating func append(
        _ child: NewChild, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) {
        do {
            try enter(child, budget)
            while let last = open.indices.last {
                // Check before each child, because the indentation or an object's name may be long.
                try budget.checkRoom(for: output.count)
                let place = open[last].next
                let storage = open[last].storage
                guard place < storage.values.count else {
                    leave()
                    continue
                }
                open[last].next = place + 1
                let key = open[last].isDictionary ? storage.keys.texts[place] : nil
                try enter(
                    NewChild(value: storage.values[place], writtenKey: key, key: key), budget)
            }
            try budget.checkRoom(for: output.count)
        } catch {
            throw error.at(path: path(child.writtenKey))
        }
    }

    /// Writes a scalar, or opens a container.
    private mutating func enter(
        _ child: NewChild, _ budget: borrowing OperationBudget
    ) throws(PropertyListError) {
        let isQuoted = formatting.isQuoted && open.isEmpty
        if open.isEmpty { output += formatting.lead } else { beginLine(omitsSpace: isFirst) }
        if let key = child.writtenKey {
            output += fragment.key(key, isQuoted: isQuoted, isOfObject: child.value["isa"] != nil)
            output += open.isEmpty ? formatting.separator : Self.equals
        }
        try fragment.begin(child, isQuoted: isQuoted, to: &output)
        let isEntry = child.writtenKey != nil
        guard let storage = child.value.storage else { return end(isEntry: isEntry) }
        try budget.enter(depth: open.count + 1)
        open.append(
            OpenContainer(
                storage: storage, isDictionary: child.value.kind == .dictionary,
                isEntry: isEntry))
    }

    /// Writes the end of the innermost container.
    private mutating func leave() {
        let container = open.removeLast()
        if !container.storage.values.isEmpty {
            beginLine(omitsSpace: formatting.style.newline.isEmpty)
        }
        output.append(UInt8(ascii: container.isDictionary ? "}" : ")"))
        end(isEntry: container.isEntry)
    }

    /// Writes the separator after a value.
    private mutating func end(isEntry: Bool) {
        if open.isEmpty, !formatting.hasTerminators { return }
        output.append(UInt8(ascii: isEntry ? ";" : ","))
    }

    /// A Boolean value that says whether the next value directly follows the opening bracket of its
    /// container.
    private var isFirst: Bool {
        output.last == UInt8(ascii: "{") || output.last == UInt8(ascii: "(")
    }

    /// Begins a line, indented for the open containers. If all text is on one line, appends a space
    /// instead; `omitsSpace` suppresses the space, except after `;`.
    private mutating func beginLine(omitsSpace: Bool) {
        guard !formatting.style.newline.isEmpty else {
            if !omitsSpace || output.last == UInt8(ascii: ";") { output.append(0x20) }
            return
        }
        output += formatting.style.newline
        output += formatting.style.prefix
        for _ in open { output += formatting.style.unit }
    }

    /// Returns the path from the container to the value that could not be written.
    private func path(_ ownKey: String?) -> PropertyListPath {
        var steps = ownKey.map { [PropertyListPath.Component.key($0)] } ?? []
        for container in open where container.next > 0 {
            let place = container.next - 1
            steps.append(
                container.isDictionary
                    ? .key(container.storage.keys.texts[place]) : .index(place))
        }
        return PropertyListPath(steps)
    }
}

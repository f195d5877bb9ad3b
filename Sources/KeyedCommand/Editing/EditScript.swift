// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools

/// A parser for edits, one per line of text. `keyed edit` accepts such lines, and
/// `keyed diff --as-commands` prints them:
///
///     set PATH TYPE VALUE
///     insert PATH [after "KEY"] TYPE VALUE
///     append PATH TYPE VALUE
///     merge PATH plist VALUE
///     remove PATH
///     rename PATH KEY
///
/// Words are separated by spaces or tabs. A path may contain spaces inside quotes. The value is
/// the rest of the line, or quoted text with the escapes of a key path. The TYPE is optional:
/// without it, the value is a string. Empty lines and lines that begin with `#` are skipped.
enum EditScript {
    private enum Verb: String, CaseIterable { case set, insert, append, merge, remove, rename }

    /// Returns the edits in a text.
    ///
    /// - Throws: A failure that names the line. Its status is `usage`, or `limit` for a property
    ///   list that exceeds a limit.
    static func edits(
        _ text: String, name: String, _ console: Console
    ) throws(Failure) -> [PropertyListEdit] {
        var edits: [PropertyListEdit] = []
        let lines = text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            var words = Words(line.last == 0x0D ? line.dropLast() : line)
            if words.rest.isEmpty || words.rest.first == UInt8(ascii: "#") { continue }
            do { edits.append(try edit(&words, console)) } catch {
                let place = lines.count > 1 ? "\(name), line \(number + 1)" : name
                throw Failure(error.status, "\(place): \(error.message)")
            }
        }
        return edits
    }

    private static func edit(
        _ words: inout Words, _ console: Console
    ) throws(Failure) -> PropertyListEdit {
        let verb = words.next() ?? ""
        guard let verb = Verb(literally: verb) else {
            let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(
                .usage, "expected one of \(verbs), found `\(ValueText.shortened(verb))`")
        }
        guard let place = words.next() else {
            throw Failure(.usage, "`\(verb)` needs a key path")
        }
        let path = try KeyPathArgument.path(place)
        switch verb {
        case .set: return PropertyListEdit(path, .set(try value(&words, console)))
        case .append: return PropertyListEdit(path, .append(try value(&words, console)))
        case .merge: return PropertyListEdit(path, .merge(try value(&words, console)))
        case .insert:
            let key = words.peek()?.isLiterally("after") == true ? try keyAfter(&words) : nil
            return PropertyListEdit(path, .insert(try value(&words, console), afterKey: key))
        case .remove:
            if !words.rest.isEmpty { throw Failure(.usage, "`remove` takes only a key path") }
            return PropertyListEdit(path, .remove)
        case .rename:
            try require(words, "the new key")
            return PropertyListEdit(path, .rename(try text(words.restText)))
        }
    }

    private static func require(_ words: Words, _ what: String) throws(Failure) {
        guard words.rest.isEmpty else { return }
        throw Failure(.usage, "\(what) is missing; write an empty one as \"\"")
    }

    private static func keyAfter(_ words: inout Words) throws(Failure) -> String {
        _ = words.next()
        return try text(words.next() ?? "")
    }

    private static func value(
        _ words: inout Words, _ console: Console
    ) throws(Failure) -> PropertyListValue {
        var type = ValueType.string
        if let named = words.peek().flatMap(ValueType.init(literally:)) {
            _ = words.next()
            type = named
        }
        if type == .string { try require(words, "the value") }
        let text = try text(words.restText)
        if type == .plist { return try ValueArgument.propertyList(text, nil, console) }
        guard let value = type.value(text) else {
            throw Failure(.usage, ValueArgument.mismatch(text, type))
        }
        return value
    }

    /// Returns a text without its quotes, if it has any.
    private static func text(_ text: String) throws(Failure) -> String {
        guard text.utf8.first == UInt8(ascii: "\"") else { return text }
        guard let path = try? PropertyListKeyPath(parsing: text), path.steps.count == 1,
            case .key(let unquoted) = path.steps[0]
        else {
            throw Failure(
                .usage,
                "expected one quoted string: the closing quote is missing, an escape is unknown, or "
                    + "text follows the quote")
        }
        return unquoted
    }
}

/// The words of a line. The line is split by bytes, because a combining mark after a quote or a
/// space belongs to the following text.
private struct Words {
    private static let blanks: [UInt8] = [0x20, 0x09]

    private(set) var rest: Substring.UTF8View

    init(_ line: Substring.UTF8View) {
        rest = line.drop { Self.blanks.contains($0) }
        while let last = rest.last, Self.blanks.contains(last) { rest.removeLast() }
    }

    /// The text of the rest of the line.
    var restText: String { String(Substring(rest)) }

    /// Returns the next word without consuming it.
    func peek() -> String? {
        var copy = self
        return copy.next()
    }

    /// Returns the next word with its quotes, which may enclose spaces.
    mutating func next() -> String? {
        var end = rest.startIndex
        var isQuoted = false
        var isEscaped = false
        while end < rest.endIndex {
            let byte = rest[end]
            if !isQuoted, Self.blanks.contains(byte) { break }
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            end = rest.index(after: end)
        }
        if end == rest.startIndex { return nil }
        let word = String(Substring(rest[..<end]))
        rest = rest[end...].drop { Self.blanks.contains($0) }
        return word
    }
}

// MARK: - Writing

/// A printer for the edits that turn the first document of a comparison into the second. A new
/// container becomes one edit for the empty container and one for each value in it. Linear in the
/// size of the output, and not recursive.
struct EditScriptPrinter {
    private let console: Console
    /// The lines so far. They are printed at the end, because a reader could not tell that a script
    /// is incomplete.
    private var script: [UInt8] = []

    init(_ console: Console) { self.console = console }

    private mutating func add(_ line: String) throws(PropertyListError) {
        try console.budget.charge(bytes: line.utf8.count + 1)
        script += line.utf8
        script.append(0x0A)
    }

    /// Prints the edits, within the console's budget. Prints nothing if it throws.
    ///
    /// - Throws: `expansionLimitExceeded`, `depthLimitExceeded`, `sizeLimitExceeded`;
    ///   `unrepresentableValue` for a value or a key that no edit line can express.
    mutating func print(_ comparison: PropertyListComparison) throws(PropertyListError) {
        for position in comparison.editingOrder {
            let difference = comparison.differences[position]
            let path = try difference.editPath(within: &console.budget)
            guard let new = difference.new else {
                try add("remove \(Self.word(KeyPathText(path, quotesBlanks: true)))")
                continue
            }
            var head = difference.old == nil ? "insert" : "set"
            let text = KeyPathText(path, quotesBlanks: true)
            head += " " + Self.word(text)
            if difference.old == nil, let key = difference.previousKeyNode {
                try console.budget.charge(bytes: key.contentSize)
                head += " after " + Self.quoted(key.string ?? "")
            }
            try print(head, new, text)
        }
        console.write(script)
    }

    /// Prints the line of a value, and then the lines of its descendants.
    private mutating func print(
        _ head: String, _ root: PropertyListNode, _ place: KeyPathText
    ) throws(PropertyListError) {
        let document = root.document
        var place = place
        // For each open container: the number of elements so far, or nil for a dictionary.
        var positions: [Int?] = []
        var walk = DocumentWalk(root)
        while let step = try walk.next(&console.budget) {
            guard case .enter(let number, let key) = step else {
                positions.removeLast()
                place.removeLast()
                continue
            }
            let node = document.node(number)
            let size = node.contentSize + (key.map(document.node)?.contentSize ?? 0)
            try console.budget.charge(bytes: size)
            guard let last = positions.indices.last else {
                try add("\(head) \(try Self.text(of: node))")
                if node.kind.isContainer { place.appendEmptyStep() }
                positions += Self.opened(node)
                continue
            }
            if let index = positions[last] {
                positions[last] = index + 1
                try add("append \(Self.word(place)) \(try Self.text(of: node))")
                place.append(.index(index))
            } else {
                guard let name = key.map(document.node)?.string else {
                    throw PropertyListError(
                        .unrepresentableValue,
                        what: "no edit command can write a key that is not a string")
                }
                place.append(.key(name))
                try add("set \(Self.word(place)) \(try Self.text(of: node))")
            }
            if !node.kind.isContainer { place.removeLast() }
            positions += Self.opened(node)
        }
    }

    private static func opened(_ node: PropertyListNode) -> [Int?] {
        guard node.kind.isContainer else { return [] }
        return node.kind == .dictionary ? [nil] : [.some(0)]
    }

    private static func text(of node: PropertyListNode) throws(PropertyListError) -> String {
        let value: PropertyListValue =
            switch node.kind {
            case .array: []
            case .set: .set([])
            case .dictionary: [:]
            default: try node.value()
            }
        guard let type = ValueType(value) else { return "" }
        if type.needsNoText { return type.rawValue }
        let text = value.plainText
        if type != .string, type.value(text) != value {
            throw PropertyListError(
                .unrepresentableValue,
                what: "no edit command can write the value \(text) of kind \(node.kind)")
        }
        return "\(type.rawValue) \(type == .string ? quoted(text) : text)"
    }

    private static func quoted(_ text: String) -> String {
        "\"\(TerminalText.escaped(text, quoting: true))\""
    }

    /// Returns a path as one word.
    private static func word(_ path: KeyPathText) -> String {
        let text = path.text
        return text.isEmpty ? ":" : text
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// Edits as lines of text, as `keyed edit` takes and `keyed diff --as-commands` prints them:
///
///     set PATH TYPE VALUE
///     insert PATH [after "KEY"] TYPE VALUE
///     append PATH TYPE VALUE
///     merge PATH plist VALUE
///     remove PATH
///     rename PATH KEY
///
/// Words are separated by blanks; a path may have blanks within its quotes. The value is the rest of
/// the line, or a text in quotes with the escapes of a key path; without a TYPE it is a string. Empty
/// lines and those that begin with `#` are skipped.
enum EditScript {
    private enum Verb: String, CaseIterable { case set, insert, append, merge, remove, rename }

    /// The edits in a text.
    ///
    /// - Throws: `usage`, with the line.
    static func edits(_ text: String, name: String) throws(Failure) -> [PropertyListEdit] {
        var edits: [PropertyListEdit] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        for (number, line) in lines.enumerated() {
            let content = line.drop { $0 == " " || $0 == "\t" }
            if content.isEmpty || content.first == "#" { continue }
            var words = Words(content)
            do { edits.append(try edit(&words)) } catch {
                let place = lines.count > 1 ? "\(name), line \(number + 1)" : name
                throw Failure(.usage, "\(place): \(error.message)")
            }
        }
        return edits
    }

    private static func edit(_ words: inout Words) throws(Failure) -> PropertyListEdit {
        let verb = words.next() ?? ""
        guard let verb = Verb(rawValue: verb) else {
            let verbs = Verb.allCases.map(\.rawValue).joined(separator: ", ")
            throw Failure(.usage, "`\(TerminalText.escaped(verb))` is none of \(verbs)")
        }
        guard let place = words.next() else {
            throw Failure(.usage, "`\(verb)` needs a key path")
        }
        let path = try KeyPathArgument.path(place)
        switch verb {
        case .set: return PropertyListEdit(path, .set(try value(&words)))
        case .append: return PropertyListEdit(path, .append(try value(&words)))
        case .merge: return PropertyListEdit(path, .merge(try value(&words)))
        case .insert:
            let key = words.peek() == "after" ? try keyAfter(&words) : nil
            return PropertyListEdit(path, .insert(try value(&words), afterKey: key))
        case .remove:
            if !words.rest.isEmpty { throw Failure(.usage, "`remove` takes a key path alone") }
            return PropertyListEdit(path, .remove)
        case .rename:
            try require(words, "the new key")
            return PropertyListEdit(path, .rename(try text(words.rest)))
        }
    }

    private static func require(_ words: Words, _ what: String) throws(Failure) {
        guard words.rest.isEmpty else { return }
        throw Failure(.usage, "\(what) is missing; an empty one is written \"\"")
    }

    private static func keyAfter(_ words: inout Words) throws(Failure) -> String {
        _ = words.next()
        return try text(words.next().map { $0[...] } ?? "")
    }

    private static func value(_ words: inout Words) throws(Failure) -> PropertyListValue {
        var type = ValueType.string
        if let named = words.peek().flatMap(ValueType.init(rawValue:)) {
            _ = words.next()
            type = named
        }
        if type == .string { try require(words, "the value") }
        let text = try text(words.rest)
        guard let value = type.value(text) else {
            throw Failure(.usage, ValueArgument.mismatch(text, type))
        }
        return value
    }

    /// A text that may be in quotes.
    private static func text(_ text: Substring) throws(Failure) -> String {
        guard text.hasPrefix("\"") else { return String(text) }
        guard let path = try? PropertyListKeyPath(parsing: String(text)), path.steps.count == 1,
            case .key(let unquoted) = path.steps[0]
        else { throw Failure(.usage, "the quotes of a text do not close, or an escape is unknown") }
        return unquoted
    }
}

/// The words of a line.
private struct Words {
    private(set) var rest: Substring

    init(_ line: Substring) {
        rest = line
        while rest.last == " " || rest.last == "\t" { rest.removeLast() }
    }

    /// The next word, without taking it.
    func peek() -> String? {
        var copy = self
        return copy.next()
    }

    /// The next word, with its quotes, in which there may be blanks.
    mutating func next() -> String? {
        var end = rest.startIndex
        var isQuoted = false
        var isEscaped = false
        while end < rest.endIndex {
            let character = rest[end]
            if !isQuoted, character == " " || character == "\t" { break }
            if character == "\"", !isEscaped { isQuoted.toggle() }
            isEscaped = character == "\\" && !isEscaped
            end = rest.index(after: end)
        }
        if end == rest.startIndex { return nil }
        let word = String(rest[..<end])
        rest = rest[end...].drop { $0 == " " || $0 == "\t" }
        return word
    }
}

// MARK: - Writing

extension EditScript {
    /// The lines of edits, containers taken apart. Linear in what they hold; not recursive.
    static func lines(_ edits: [PropertyListEdit]) -> [String] { edits.flatMap(lines) }

    private static func lines(_ edit: PropertyListEdit) -> [String] {
        let path = word(edit.path)
        switch edit.operation {
        case .set(let value): return lines("set \(path)", value, edit.path)
        case .append(let value): return ["append \(path) " + text(of: value)]
        case .merge(let value): return ["merge \(path) " + text(of: value)]
        case .remove: return ["remove \(path)"]
        case .rename(let key): return ["rename \(path) \(quoted(key))"]
        case .insert(let value, let key):
            let after = key.map { " after \(quoted($0))" } ?? ""
            return lines("insert \(path)\(after)", value, edit.path)
        }
    }

    /// The line of a value, and then those of what it holds.
    private static func lines(
        _ head: String, _ value: PropertyListValue, _ path: PropertyListKeyPath
    ) -> [String] {
        var lines: [String] = []
        var pending = [(head, value, path)]
        while let (head, value, path) = pending.popLast() {
            lines.append("\(head) \(text(of: value))")
            var inner: [(String, PropertyListValue, PropertyListKeyPath)] = []
            switch value {
            case .array(let elements), .set(let elements):
                for (index, element) in elements.enumerated() {
                    let place = PropertyListKeyPath(path.steps + [.index(index)])
                    inner.append(("append \(word(path))", element, place))
                }
            case .dictionary(let entries):
                for (key, value) in entries {
                    let place = PropertyListKeyPath(path.steps + [.key(key)])
                    inner.append(("set \(word(place))", value, place))
                }
            default: break
            }
            pending += inner.reversed()
        }
        return lines
    }

    private static func text(of value: PropertyListValue) -> String {
        guard let type = ValueType(value) else { return "" }
        if type.needsNoText { return type.rawValue }
        let text = value.plainText
        return "\(type.rawValue) \(type == .string ? quoted(text) : text)"
    }

    private static func quoted(_ text: String) -> String {
        "\"\(TerminalText.escaped(text, quoting: true))\""
    }

    /// A path as one word: with quotes around a key that has blanks in it.
    private static func word(_ path: PropertyListKeyPath) -> String {
        let text = path.description
        if text.isEmpty { return ":" }
        guard text.contains(" ") else { return text }
        return path.steps.map { step -> (String, Bool) in
            switch step {
            case .key(let key), .name(let key): (quoted(key), true)
            default: (PropertyListKeyPath([step]).description, false)
            }
        }
        .reduce("") { $0 + ($1.1 && !$0.isEmpty && !$0.hasSuffix("!") ? "." : "") + $1.0 }
    }
}

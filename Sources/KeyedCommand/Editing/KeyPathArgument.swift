// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import PropertyListTools
import ValidText

/// Key paths on the command line, and errors about them.
enum KeyPathArgument {
    static let help = ArgumentHelp(
        "The key path: a.b[0].\"x.y\", /a/b/0 or :a:b:0.",
        discussion: """
            ! enters data that holds a property list, @12 is object 12 of a keyed archive, and . \
            or an empty path is the root.
            """)

    /// Parses a key path. `.` is the root, like the current directory in a shell.
    static func path(_ text: String) throws(Failure) -> PropertyListKeyPath {
        do { return try PropertyListKeyPath(parsing: text.isLiterally(".") ? "" : text) } catch {
            throw Failure(.usage, message(error, path: text))
        }
    }

    /// Returns the failure for an error about a path or its value, with a caret under the step.
    static func failure(
        _ error: PropertyListError, _ path: PropertyListKeyPath, in file: String
    ) -> Failure {
        // Errors in the path itself have a column, but no line.
        guard let location = error.location, location.column != nil, location.line == nil else {
            return Failure(error, in: file, source: nil)
        }
        return Failure(
            error.isLimit ? .limit : .invalid,
            "\(TerminalText.escaped(file)): \(message(error, path: path.text))")
    }

    private static func message(_ error: PropertyListError, path: String) -> String {
        var text = error.what
        if let recovery = error.recovery { text += " (\(recovery))" }
        guard !path.isEmpty, let location = error.location,
            let excerpt = Excerpt.text(at: location, in: Array(path.utf8))
        else { return text }
        return text + "\n" + excerpt
    }
}

/// A value on the command line: its text or a file that contains it, and its type.
struct ValueArgument: ParsableArguments {
    // A negative number looks like an option, so unrecognized options are captured as values.
    // `validate()` rejects those that are not numbers.
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "The value. Omit it with --from, or for a type that needs none.", valueName: "value"))
    var values: [String] = []

    @Option(name: [.short, .long], help: ValueType.help)
    var type: ValueType?

    @Option(
        help: ArgumentHelp(
            "Read the value from this file: a property list, or the file's contents with -t string "
                + "or -t data.")
    )
    var from: String?

    private static let terminator = "--"

    /// The values, without the `--` that ends the options.
    private var texts: [String] {
        guard let place = values.firstIndex(of: Self.terminator) else { return values }
        return Array(values[..<place] + values[(place + 1)...])
    }

    private var value: String? { texts.first }

    func validate() throws {
        if texts.count > 1 { throw ValidationError("Expected one value, found \(texts.count).") }
        guard let value, Main.isOption(value) else { return }
        // The parser drops the terminator if it comes before the file or the path.
        let operands = Main.parsing.drop { $0 != Self.terminator }.dropFirst()
        if !operands.contains(where: { $0.isLiterally(value) }),
            ValueType.real.value(value) == nil, ValueType.integer.value(value) == nil
        {
            throw ValidationError(
                "Unknown option \(value). Put -- before a value that begins with a dash, as in "
                    + "-- \(value)."
            )
        }
    }

    /// Returns the value. Without `-t`, a value from a file is a property list. A value on the
    /// command line then has the kind of the value that it replaces, or is a string.
    func parsed(
        replacing node: PropertyListNode?, _ reading: ReadingOptions, _ console: Console
    ) throws(Failure) -> PropertyListValue {
        if let from { return try contents(of: from, reading, console) }
        let type = type ?? node.map { ValueType($0.kind) } ?? .string
        if value == nil, !type.needsNoText {
            throw Failure(.usage, "keyed: expected a VALUE of type \(type.rawValue)")
        }
        let text = value ?? ""
        let hint = self.type == nil ? "; name another type with -t" : ""
        if type == .plist {
            do { return try Self.propertyList(text, reading, console) } catch {
                throw Failure(error.status, "keyed: \(error.message)\(hint)")
            }
        }
        if let value = type.value(text) { return value }
        throw Failure(.usage, "keyed: " + Self.mismatch(text, type, hint))
    }

    /// Returns the message for a text that is not a value of a type, followed by `hint`.
    static func mismatch(_ text: String, _ type: ValueType, _ hint: String = "") -> String {
        if type.needsNoText { return "the type \(type.rawValue) takes no value" + hint }
        let shown = TerminalText.escaped(String(text.prefix(40)), quoting: true)
        return "expected a value of type \(type.rawValue), found \"\(shown)\"" + hint
    }

    /// Parses a property list given as text, within the budget of the run. The budget was already
    /// raised for the text: for an argument when the run began, for a script of `keyed edit` when
    /// it was read. Without `reading`, the text is parsed strictly.
    static func propertyList(
        _ text: String, _ reading: ReadingOptions?, _ console: Console
    ) throws(Failure) -> PropertyListValue {
        let bytes = Array(text.utf8)
        do throws(PropertyListError) {
            // Only text is accepted. A binary property list may share values, so the size of the
            // argument does not bound the size of its tree.
            guard try PropertyListFormat.detect(bytes) != .binary else {
                throw PropertyListError(
                    .unrecognizedFormat,
                    what: "expected text, found a binary property list; read it from a file with "
                        + "--from")
            }
            let document = try PropertyListDocument(
                parsing: bytes, mapping: reading?.text.mapping ?? .strict,
                options: reading?.options ?? .strict, limits: console.limits)
            var contents = LongContents()
            return try document.root.value(within: &console.budget, &contents, isKept: true)
        } catch {
            throw Failure(
                error.isLimit ? .limit : .usage,
                "the value cannot be read as a property list: \(error.whatAndWhere)")
        }
    }

    private func contents(
        of file: String, _ reading: ReadingOptions, _ console: Console
    ) throws(Failure) -> PropertyListValue {
        if value != nil { throw Failure(.usage, "keyed: VALUE and --from cannot be combined") }
        switch type {
        case nil, .plist: return try propertyList(in: file, reading, console)
        case .data: return .data(try admitted(file, console))
        case .string:
            guard let text = String(validUTF8: try admitted(file, console)) else {
                throw Failure(.invalid, "\(TerminalText.escaped(file)): expected UTF-8 text")
            }
            return .string(text)
        case let type?:
            throw Failure(
                .usage, "keyed: --from reads a plist, a string or data, not \(type.rawValue)")
        }
    }

    /// Returns the bytes of a file, and raises the console's budget for them.
    private func admitted(_ file: String, _ console: Console) throws(Failure) -> [UInt8] {
        let bytes = try Input.bytes(file, console.limits)
        console.admit(size: bytes.count)
        return bytes
    }

    private func propertyList(
        in file: String, _ reading: ReadingOptions, _ console: Console
    ) throws(Failure) -> PropertyListValue {
        let input = try Input(
            file, options: reading.options, limits: console.limits, text: reading.text, console)
        var contents = LongContents()
        do {
            return try input.document.root.value(within: &console.budget, &contents, isKept: true)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }
}

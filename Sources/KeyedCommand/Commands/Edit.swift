// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import PropertyListTools
import ValidText

/// A verb that changes one file.
protocol EditingCommand: ConsoleCommand {
    var file: String { get }
    var options: EditingOptions { get }
    var reading: ReadingOptions { get }

    /// Applies the edits of the verb.
    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure)
}

extension EditingCommand {
    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            var edited = try EditedFile(file, options, reading, console)
            try edit(&edited, console)
            try edited.finish(console)
            return .fine
        } catch {
            return console.report(error)
        }
    }
}

/// The verb `keyed set`.
struct SetValue: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the value at a key path, or add a key.",
        discussion: """
            Without -t, VALUE has the kind of the value that it replaces. If it replaces none, it is \
            a string. --from reads a property list.

            """ + EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var path: String

    @OptionGroup var value: ValueArgument

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        try Input.checkStandardInput(file, value.from, cannotBe: "both the file and the value")
    }

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        let path = try KeyPathArgument.path(path)
        let new = try value.parsed(
            replacing: edited.value(at: path), reading, console)
        try edited.apply(PropertyListEdit(path, .set(new)), console)
    }
}

/// The verb `keyed insert`.
struct Insert: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Insert a new key, or an element before the one at a key path.",
        discussion: EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var path: String

    @OptionGroup var value: ValueArgument

    @Option(help: "Put a new key after this one.")
    var after: String?

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        try Input.checkStandardInput(file, value.from, cannotBe: "both the file and the value")
    }

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        let path = try KeyPathArgument.path(path)
        let new = try value.parsed(replacing: nil, reading, console)
        try edited.apply(PropertyListEdit(path, .insert(new, afterKey: after)), console)
    }
}

/// The verb `keyed append`.
struct Append: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Append an element to the array at a key path.",
        discussion: EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var path: String

    @OptionGroup var value: ValueArgument

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        try Input.checkStandardInput(file, value.from, cannotBe: "both the file and the value")
    }

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        let path = try KeyPathArgument.path(path)
        let new = try value.parsed(replacing: nil, reading, console)
        try edited.apply(PropertyListEdit(path, .append(new)), console)
    }
}

/// The verb `keyed remove`.
struct Remove: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Remove the values at key paths, one after the other.",
        discussion: EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var paths: [String]

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        for path in paths {
            try edited.apply(
                PropertyListEdit(try KeyPathArgument.path(path), .remove), console)
        }
    }
}

/// The verb `keyed rename`.
struct Rename: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Rename a key without moving it.", discussion: EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: KeyPathArgument.help)
    var path: String

    @Argument(help: "The new key.")
    var key: String

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        try edited.apply(
            PropertyListEdit(try KeyPathArgument.path(path), .rename(key)), console)
    }
}

/// The verb `keyed edit`.
struct Edit: ParsableCommand, EditingCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make several edits at once.",
        discussion: """
            An edit is one of

                set PATH [TYPE] VALUE
                insert PATH [after "KEY"] [TYPE] VALUE
                append PATH [TYPE] VALUE
                merge PATH plist VALUE
                remove PATH
                rename PATH KEY

            The value is the rest of the edit, or text in quotes; without a type it is a string. \
            Either all edits are made or none. "keyed diff --as-commands" prints such edits.

            """ + EditingOptions.discussion)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Argument(help: "The edits, in order.")
    var edits: [String] = []

    @Option(help: "A file of edits, one per line, to make first; - for standard input.")
    var script: String?

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        if edits.isEmpty, script == nil { throw ValidationError("Expected at least one edit.") }
        try Input.checkStandardInput(file, script, cannotBe: "both the file and the script")
    }

    func edit(_ edited: inout EditedFile, _ console: Console) throws(Failure) {
        var all: [PropertyListEdit] = []
        if let script {
            let bytes = try Input.bytes(script, reading.limits.limits)
            guard let text = String(validUTF8: bytes) else {
                throw Failure(.invalid, "\(TerminalText.escaped(script)): expected UTF-8 text")
            }
            console.admit(size: bytes.count)
            all += try EditScript.edits(text, name: TerminalText.escaped(script), console)
        }
        for (number, edit) in edits.enumerated() {
            let name = edits.count > 1 ? "keyed: edit \(number + 1)" : "keyed"
            all += try EditScript.edits(edit, name: name, console)
        }
        for edit in all { try edited.apply(edit, console) }
    }
}

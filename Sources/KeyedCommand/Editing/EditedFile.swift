// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import PropertyListTools
import SystemFiles

/// The options of all verbs that change a property list.
struct EditingOptions: ParsableArguments {
    @Option(name: [.short, .long], help: "Write the result to this file.")
    var output: String?

    @Flag(name: [.short, .long], help: "Replace the file atomically.")
    var inPlace = false

    @Flag(name: [.customShort("n"), .long], help: "Print the changes without writing them.")
    var dryRun = false

    static let discussion = """
        The result is written to standard output, to the file given with -o, or with --in-place to \
        the file itself. Edits are minimal: in XML and OpenStep text, all other bytes stay the \
        same, including comments and white space; in a binary file, the objects keep their order. \
        JSON is rewritten, under the mapping given with --json.
        """

    func validate() throws {
        let number = (output == nil ? 0 : 1) + (inPlace ? 1 : 0) + (dryRun ? 1 : 0)
        if number > 1 {
            throw ValidationError("--in-place, --dry-run and -o cannot be combined.")
        }
    }
}

/// A file that is being edited.
struct EditedFile {
    let input: Input
    private let options: EditingOptions
    private let reading: ReadingOptions
    private let file: String
    /// The state of the file before it was read, if it will be replaced.
    private let known: FileMode?
    private var editor: PropertyListEditor

    /// Reads a file to edit.
    init(
        _ file: String, _ options: EditingOptions, _ reading: ReadingOptions, _ console: Console
    ) throws(Failure) {
        if options.inPlace, file == FileAccess.standardInput {
            throw Failure(.usage, "keyed: standard input cannot be replaced")
        }
        self.file = file
        self.options = options
        self.reading = reading
        let limits = reading.limits.limits
        known = try FileOutput.state(
            of: file, replacedBy: options.inPlace ? file : options.output)
        input = try Input(
            file, options: reading.options, limits: limits,
            text: reading.text, console)
        do {
            editor = try PropertyListEditor(
                input.document, options: reading.options, limits: limits)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }

    /// Returns the original value at a path, or nil if there is none.
    func value(at path: PropertyListKeyPath) -> PropertyListNode? {
        try? input.document.value(
            at: path, options: reading.options, limits: reading.limits.limits)
    }

    /// Applies an edit within the budget of the run. The budget was raised for the new values when
    /// they were read.
    mutating func apply(_ edit: PropertyListEdit, _ console: Console) throws(Failure) {
        do { try editor.apply(edit, within: &console.budget) } catch {
            throw KeyPathArgument.failure(error, edit.path, in: file)
        }
    }

    /// Writes the result of the edits, or prints the changes of a dry run.
    func finish(_ console: Console) throws(Failure) {
        let edited: EditedPropertyList
        do { edited = try editor.finish() } catch { throw Failure(error, in: file, source: nil) }
        if options.dryRun { return try printChanges(edited, console) }
        guard let target = options.inPlace ? file : options.output,
            target != FileAccess.standardInput
        else {
            if edited.document.format == .binary { try console.requireNoTerminal() }
            return console.write(edited.bytes)
        }
        // An unchanged file is not rewritten, so it keeps its date.
        if options.inPlace, edited.bytes == input.bytes { return }
        try FileOutput.replace(target, with: edited.bytes, ifStill: known, console)
    }

    private func printChanges(
        _ edited: EditedPropertyList, _ console: Console
    ) throws(Failure) {
        if let changes = edited.changes {
            let difference = UnifiedDiff(source: editor.document.source, changes: changes)
            do { try difference.print(name: file, to: console) } catch {
                throw Failure(error, in: file, source: nil)
            }
            return
        }
        console.budget.admitValues(of: edited.document)
        let printer = DifferencePrinter()
        do {
            let comparison = try PropertyListComparison(
                from: editor.document, to: edited.document, within: &console.budget)
            try printer.print(comparison.differences, to: console)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }
}

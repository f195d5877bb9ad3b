// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyedArchive
import PropertyList

/// The verb `keyed show`.
struct Show: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Print a keyed archive as a tree of objects, or a property list as it is.",
        discussion: """
            An object with several references is shown at the first one, with the anchor @n, where \
            n is its number in the archive. Later references are shown as "→ @n".

            With --allow, objects of other classes are only named, and the exit code is 3.

            Data that is itself a property list or an archive is shown as a tree below its line, \
            down to --depth.

            With --json, each value is a JSON object on a line of its own, for tools such as jq:

                keyed show --json app.plist | jq -r 'select(.kind == "date") | [.path, .value] | @tsv'

            A damaged file is shown as far as it is readable. Problems are reported on standard \
            error, and the exit code is 3.
            """)

    @Argument(help: "The file, or - for standard input.", completion: .file())
    var file: String

    @Option(help: "The number of levels to show.")
    var depth: Int?

    @Flag(help: "Show the property list itself, with UIDs, object numbers and byte offsets.")
    var raw = false

    @Flag(help: "Also show objects that are unreachable from the roots.")
    var all = false

    @Option(help: AllowList.help)
    var allow: AllowList?

    @Flag(help: "Reject a file that is damaged or not strictly valid.")
    var strict = false

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    @OptionGroup var tree: TreeOptions

    @Option(help: TextReading.encodingHelp)
    var encoding: String?

    @Flag(help: TextReading.typedHelp)
    var typed = false

    func validate() throws {
        if raw, allow != nil {
            throw ValidationError(
                "--raw and --allow cannot be combined: --raw shows everything.")
        }
        if let depth, depth < 0 { throw ValidationError("Expected a --depth of at least 0.") }
    }

    var parsingLimits: ParsingLimits { limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try show(console)
        } catch {
            return console.report(error)
        }
    }

    private func show(_ console: Console) throws(Failure) -> ExitStatus {
        let input = try read(console)
        var problems = Problems(input.document.problems)
        try checkArchive(input, &problems)
        let style = tree.style(console, isRaw: raw) { Provenance.of(file, input.bytes) }
        var printer = TreePrinter(
            input.document,
            TreePrinter.Options(
                text: tree.text, style: style, depth: depth ?? .max, isRaw: raw,
                allowed: allow?.registry, limits: limits.limits))
        do {
            try printer.printHeading(to: console)
            try printer.printAll(to: console)
            try showUnreached(&printer, input, console)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
        problems.add(printer.problems)
        for problem in problems.first {
            console.complain("\(input.printableName): \(TerminalText.escaped(problem))")
        }
        if problems.isEmpty { return .fine }
        let number = TreeForm.count(problems.count, "problem", "problems")
        console.complain("\(input.printableName): shown in part, \(number)")
        return .partial
    }

    private func showUnreached(
        _ printer: inout TreePrinter, _ input: Input, _ console: Console
    ) throws(PropertyListError) {
        let (starts, count) = try printer.unreached(console)
        if count == 0 { return }
        let number = TreeForm.count(count, "object", "objects")
        guard all else {
            let notice = "\(number) unreachable from the roots; --all shows them"
            // In JSON, each line of the output is a value.
            if tree.json { return console.complain("\(input.printableName): \(notice)") }
            return try console.print("(\(notice))")
        }
        if !tree.json { try console.print("\(number) unreachable from the roots:") }
        try printer.printUnreached(starts, to: console)
    }

    private func read(_ console: Console) throws(Failure) -> Input {
        var text = TextReading(encoding: encoding)
        if typed { text.mapping = .typed }
        return try Input(
            forShowing: file, text: text, isStrict: strict, limits: limits.limits, console)
    }

    /// Checks a keyed archive. A malformed archive is shown as a property list, unless `--strict`
    /// rejects it.
    private func checkArchive(_ input: Input, _ problems: inout Problems) throws(Failure) {
        guard input.document.looksLikeKeyedArchive else { return }
        do {
            _ = try ArchiveContents(input.document)
        } catch {
            if strict { throw Failure(error, in: input.name) }
            problems.append(error.descriptionWithoutRecovery)
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyedArchive
import PropertyList
import PropertyListTools

/// The verb `keyed diff`.
struct Diff: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Compare two property lists by their values, whatever their formats.",
        discussion: """
            Prints a line for each value that differs: "- path: value" for the first file, \
            "+ path: value" for the second. The order of keys and the widths of numbers are ignored. \
            Two keyed archives are compared as graphs, from their roots and without regard to \
            object numbers.

            Exit codes: 0 equal, 1 different or invalid input, otherwise as for all verbs.
            """)

    @Argument(help: "The first file, or - for standard input.", completion: .file())
    var first: String

    @Argument(help: "The second file.", completion: .file())
    var second: String

    @Flag(help: "Print the edits that turn the first into the second, for keyed edit --script.")
    var asCommands = false

    @Flag(help: "Compare the order of keys, too.")
    var ordered = false

    @Flag(help: "Compare archives as plain property lists.")
    var raw = false

    @Flag(name: [.short, .long], help: "Print nothing, and only return the exit code.")
    var quiet = false

    @Flag(inversion: .prefixedNo, exclusivity: .chooseLast, help: Palette.help)
    var color: Bool?

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        try Input.checkStandardInput(first, second, cannotBe: "both files")
        if ordered, asCommands {
            throw ValidationError(
                "--ordered and --as-commands cannot be combined: no edit moves a key.")
        }
    }

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try compare(console) ? .fine : .invalid
        } catch {
            return console.report(error)
        }
    }

    /// Returns whether the files have equal contents.
    private func compare(_ console: Console) throws(Failure) -> Bool {
        let limits = reading.limits.limits
        let old = try Input(
            first, options: reading.options, limits: limits, text: reading.text,
            console)
        let new = try Input(
            second, options: reading.options, limits: limits, text: reading.text,
            console)
        do {
            return try compare(old.document, new.document, console)
        } catch {
            throw Failure(error, in: second, source: nil)
        }
    }

    private func compare(
        _ old: PropertyListDocument, _ new: PropertyListDocument, _ console: Console
    ) throws(PropertyListError) -> Bool {
        let isGraph =
            !raw && !asCommands && old.looksLikeKeyedArchive && new.looksLikeKeyedArchive
        var options = PropertyListComparison.Options()
        options.isOrdered = ordered
        options.followsReferences = isGraph
        let comparison = try PropertyListComparison(
            from: old, to: new, options: options, within: &console.budget)
        if quiet { return comparison.isEmpty }
        if asCommands {
            var printer = EditScriptPrinter(console)
            try printer.print(comparison)
        } else {
            let printer = DifferencePrinter(
                old: isGraph ? try? ArchiveContents(old) : nil,
                new: isGraph ? try? ArchiveContents(new) : nil,
                palette: Palette(option: color, console))
            try printer.print(comparison.differences, to: console)
        }
        return comparison.isEmpty
    }
}

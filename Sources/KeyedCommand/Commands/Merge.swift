// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import PropertyListTools

/// The verb `keyed merge`.
struct Merge: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Merge another property list into a file; with --base, merge the changes of "
            + "both.",
        discussion: """
            Without --base, the entries of OTHER are set in FILE. Dictionaries in both are merged \
            key by key; other values in them, including arrays, are replaced. If the two values to \
            merge are themselves arrays, OTHER's elements are appended to FILE's. Two keyed \
            archives cannot be merged without --base, and with it only if at most one of them \
            changed references.

            --base names the common ancestor of both files. The changes that OTHER made to it are \
            then applied to FILE. Reports call FILE ours and OTHER theirs. In a conflict, FILE's \
            value is kept (OTHER's with --favor other), the conflict is reported on standard \
            error, and the exit code is 1. For git:

                git config merge.plist.driver "keyed merge --in-place --base %O --name %P %A %B"
                echo "*.plist merge=plist" >> .gitattributes

            """ + EditingOptions.discussion)

    /// The side whose value is used in a conflict.
    enum Favored: String, ExpressibleByArgument, CaseIterable {
        case file, other
    }

    @Argument(help: "The file to merge into.", completion: .file())
    var file: String

    @Argument(help: "The file whose changes or entries are merged.", completion: .file())
    var other: String

    @Option(help: "The common ancestor of both files.")
    var base: String?

    @Option(help: "The key path in FILE at which to merge, without --base.")
    var at: String?

    @Option(help: "The side whose value is used in a conflict: file or other.")
    var favor = Favored.file

    @Option(help: "The name of FILE in messages; in git, %P.")
    var name: String?

    @OptionGroup var options: EditingOptions

    @OptionGroup var reading: ReadingOptions

    func validate() throws {
        if base != nil, at != nil { throw ValidationError("--base and --at cannot be combined.") }
        try Input.checkStandardInput(file, other, base, cannotBe: "more than one of the files")
    }

    var parsingLimits: ParsingLimits { reading.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            var edited = try EditedFile(file, options, reading, console)
            let conflicts = try merge(&edited, console)
            try edited.finish(console)
            return conflicts == 0 ? .fine : .invalid
        } catch {
            return console.report(error)
        }
    }

    /// Applies the changes or the entries of the other file, and returns the number of conflicts.
    private func merge(_ edited: inout EditedFile, _ console: Console) throws(Failure) -> Int {
        let limits = reading.limits.limits
        let theirs = try Input(
            other, options: reading.options, limits: limits,
            text: reading.text, console)
        guard let base else {
            if theirs.document.looksLikeKeyedArchive, edited.input.document.looksLikeKeyedArchive {
                throw Failure(
                    .invalid,
                    "\(theirs.printableName): cannot merge two keyed archives without --base, "
                        + "because the numbers of their objects differ")
            }
            let path = try KeyPathArgument.path(at ?? "")
            let value: PropertyListValue
            var contents = LongContents()
            do {
                value = try theirs.document.root.value(
                    within: &console.budget, &contents, isKept: true)
            } catch {
                throw Failure(error, in: other, source: nil)
            }
            try edited.apply(PropertyListEdit(path, .merge(value)), console)
            return 0
        }
        let old = try Input(
            base, options: reading.options, limits: limits,
            text: reading.text, console)
        let merge: PropertyListMerge
        do {
            merge = try PropertyListMerge(
                base: old.document, ours: edited.input.document, theirs: theirs.document,
                favoring: favor == .file ? .ours : .theirs, within: &console.budget)
        } catch {
            throw Failure(error, in: other, source: nil)
        }
        for edit in merge.edits { try edited.apply(edit, console) }
        report(merge, name.map { TerminalText.escaped($0) } ?? edited.input.printableName, console)
        return merge.conflicts.count
    }

    private func report(_ merge: PropertyListMerge, _ name: String, _ console: Console) {
        for path in merge.joined.prefix(Self.mostReports) {
            console.complain(
                "\(name): both sides added elements to \(Self.text(path)); all are kept")
        }
        for conflict in merge.conflicts.prefix(Self.mostReports) {
            console.complain("\(name): conflict at \(Self.text(conflict.path)): \(conflict.what)")
        }
        complainOfRest(
            merge.joined.count, "more array with elements from both sides",
            "more arrays with elements from both sides", name, console)
        complainOfRest(merge.conflicts.count, "more conflict", "more conflicts", name, console)
    }

    private func complainOfRest(
        _ count: Int, _ one: String, _ many: String, _ name: String, _ console: Console
    ) {
        let rest = count - Self.mostReports
        if rest > 0 { console.complain("\(name): \(TreeForm.count(rest, one, many))") }
    }

    // The maximum number of reported conflicts, and of reported arrays with elements from
    // both sides.
    private static let mostReports = 20

    private static func text(_ path: PropertyListKeyPath) -> String {
        path.steps.isEmpty ? "the root" : ValueText.shortened(path.description)
    }
}

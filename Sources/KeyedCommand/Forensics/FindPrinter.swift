// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The options for property lists found inside other files.
struct FindOptions: ParsableArguments {
    @Option(help: "Show each find as a tree of this many levels, including nested property lists.")
    var depth: Int?

    @Option(
        help: ArgumentHelp(
            "Write each find to a new file in this folder. Existing files are not replaced.",
            valueName: "folder"),
        completion: .directory)
    var extract: String?

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    func validate() throws {
        if let depth, depth < 0 { throw ValidationError("Expected a --depth of at least 0.") }
    }
}

/// Prints and extracts finds one after the other, within the budget of the whole file.
struct FindPrinter {
    let options: FindOptions
    let tree: TreeOptions
    let console: Console
    let file: String
    /// The problems of values that could not be shown.
    private(set) var problems = Problems()

    init(
        _ options: FindOptions, _ tree: TreeOptions, _ console: Console, file: String, size: Int
    ) {
        self.options = options
        self.tree = tree
        self.console = console
        self.file = file
        console.budget.admit(extent: size, size: size)
    }

    /// A Boolean value that says whether each find has a line of its own.
    var showsEach: Bool {
        options.depth != nil || tree.json || options.extract != nil
    }

    /// Creates the folder for extracted files.
    func prepare() throws(Failure) {
        guard let folder = options.extract else { return }
        do { try createFolders(folder) } catch { throw failure(folder, error) }
    }

    /// Prints the title of a find, and the tree below it.
    ///
    /// `offset` is the start of the find in the file, or nil if the file does not contain it
    /// contiguously. `provenance` returns the entries that end each line of JSON.
    mutating func print(
        _ found: NestedPropertyList, title: String, offset: Int?,
        provenance: @autoclosure () -> PropertyListDictionary
    ) throws(Failure) {
        do {
            let style = tree.style(console, provenance: provenance)
            guard case .document(let document) = found else {
                return try printOther(found, title, style, offset)
            }
            var printer = TreePrinter(
                document,
                TreePrinter.Options(
                    text: tree.text, style: style, depth: (options.depth ?? 0) + 1,
                    limits: options.limits.limits),
                at: TreePlace(offset: offset, level: 1))
            if tree.json {
                try printer.printHeading(to: console)
            } else {
                try printTitle(title + found.detail)
            }
            if options.depth != nil { try printer.printAll(to: console) }
            problems.add(printer.problems)
        } catch {
            throw Failure(error, in: file, source: nil)
        }
    }

    private func printOther(
        _ found: NestedPropertyList, _ title: String, _ style: any TreeStyle, _ offset: Int?
    ) throws(PropertyListError) {
        guard let style = style as? JSONStyle else { return try printTitle(title + found.detail) }
        var entries: JSONStyle.Entries = [("kind", .string(found.name))]
        if case .damaged(let error, _) = found { entries.append(("problem", .string(error.what))) }
        if let offset { entries.append(("offset", PropertyListValue(offset))) }
        try printLine(JSONStyle.text(entries, style.provenance))
    }

    private func printTitle(_ title: String) throws(PropertyListError) {
        try printLine(Palette(option: tree.color, console).title(title))
    }

    private func printLine(_ line: String) throws(PropertyListError) {
        try console.print(line)
    }

    /// Writes the bytes of a find to a new file. An existing file is an error: it may be the
    /// searched file, or a find of another search.
    func extract(_ bytes: [UInt8], named name: String) throws(Failure) {
        guard let folder = options.extract else { return }
        let path = folder + "/" + name
        do { try console.chargeFile(isNew: true) } catch {
            throw Failure(error, in: file, source: nil)
        }
        do { try FileAccess.create(path, with: bytes, mode: nil) } catch {
            guard error.isExisting else { throw failure(path, error) }
            throw Failure(
                .invalid,
                "\(TerminalText.escaped(path)): expected a new file, found an existing one "
                    + "(--extract never replaces a file: name another folder)")
        }
    }

    private func failure(_ path: String, _ error: SystemError) -> Failure {
        Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)")
    }

    /// Reports the problems and returns the exit code.
    func finish() -> ExitStatus {
        for problem in problems.first {
            console.complain("\(TerminalText.escaped(file)): \(TerminalText.escaped(problem))")
        }
        return problems.isEmpty ? .fine : .partial
    }
}

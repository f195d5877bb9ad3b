// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// The verb `keyed explore`.
struct Explore: CommandOnFiles, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "Write a page that shows a file in a browser: objects, references, bytes.",
        discussion: """
            The page is one HTML file that needs no network access and runs only its own code. It \
            shows the tree of the objects, the references between them, their bytes, and all \
            classes, dates, images and colors. You can add a note in its Report view and save the \
            page.

                keyed explore app.plist -o app.html
                keyed explore --dir pages *.plist

            The page contains the whole file. --redact keeps only field keys, classes, sizes, and \
            the name and SHA-256 of the file. It omits strings, numbers, Booleans, dates, data and \
            the keys of archived dictionaries. Contents beyond --limits are left out. The page \
            lists them, and the exit code is 4. A damaged file is shown as far as it is readable, \
            and the exit code is 3.
            """)

    @Argument(help: "The file, or - for standard input; several with --dir.", completion: .file())
    var files: [String]

    @Option(name: [.short, .long], help: "Write the page to this file.", completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Write a page for each file, and index.html, to this folder.", valueName: "folder"),
        completion: .directory)
    var dir: String?

    @Flag(
        help: "Leave out strings, numbers, Booleans, dates, data and keys of archived dictionaries."
    )
    var redact = false

    @Option(help: "The limits for a file: untrusted, default or trusted.")
    var limits = LimitsName.default

    @Option(help: TextReading.encodingHelp)
    var encoding: String?

    @Flag(help: TextReading.typedHelp)
    var typed = false

    func validate() throws {
        guard (output == nil) != (dir == nil) else {
            throw ValidationError("Name the page with -o, or a folder for many with --dir.")
        }
        if output != nil, files.count != 1 {
            throw ValidationError(
                "Expected one file with -o, found \(files.count); --dir writes many pages.")
        }
    }

    var parsingLimits: ParsingLimits { limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        let inputs = files.compactMap { file in
            file == FileAccess.standardInput
                ? try? FileMode(of: FileDescriptor.standardInput) : try? FileMode(of: file)
        }
        guard let dir else {
            return console.forEachFile(files, "exploring") { file throws(Failure) in
                let (page, status) = try page(of: file, console)
                try write(
                    page.html(), to: output ?? FileAccess.standardInput, besides: inputs, console)
                return status
            }
        }
        return explore(into: dir, besides: inputs, console)
    }

    /// Writes a page to a file or to standard output. Fails if the page would replace one of the
    /// explored files.
    private func write(
        _ bytes: [UInt8], to path: String, besides inputs: [FileMode], _ console: Console
    ) throws(Failure) {
        do {
            try console.budget.charge(bytes: bytes.count)
            if path != FileAccess.standardInput { try console.chargeFile() }
        } catch {
            throw Failure(error, in: path, source: nil)
        }
        if path == FileAccess.standardInput { return console.write(bytes) }
        if let existing = try? FileMode(of: path), inputs.contains(where: existing.isSameFile) {
            throw Failure(
                .invalid,
                "\(TerminalText.escaped(path)): a page cannot replace an explored file; choose "
                    + "another name")
        }
        try FileOutput.replace(path, with: bytes, console)
    }

    // MARK: Many files

    private func explore(
        into folder: String, besides inputs: [FileMode], _ console: Console
    ) -> ExitStatus {
        var index = ExplorerIndex()
        var status = ExitStatus.fine
        do throws(Failure) {
            try Self.makeFolder(folder)
            status = console.forEachFile(files, "exploring") { file throws(Failure) in
                try add(file, to: &index, in: folder, besides: inputs, console)
            }
            try write(index.html(), to: folder + "/index.html", besides: inputs, console)
        } catch {
            return status.combined(with: console.report(error))
        }
        return status
    }

    private static func makeFolder(_ folder: String) throws(Failure) {
        do { try createFolders(folder) } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(folder)): \(error.message)")
        }
    }

    private func add(
        _ file: String, to index: inout ExplorerIndex, in folder: String,
        besides inputs: [FileMode], _ console: Console
    ) throws(Failure) -> ExitStatus {
        let name = ExplorerIndex.pageName(of: lastName(of: file), index.entries.count + 1)
        do throws(Failure) {
            let (page, status) = try page(of: file, console)
            try write(page.html(), to: folder + "/" + name, besides: inputs, console)
            index.append(Self.entry(page, file: file, named: name))
            return status
        } catch {
            // The later lines of the message quote the file, and the first line may quote it too.
            let remark =
                redact
                ? "no page; standard error says why"
                : String(error.message.prefix { $0 != "\n" })
            index.append(ExplorerIndex.Entry(file: file, remark: remark))
            throw error
        }
    }

    private static func entry(
        _ page: ExplorerPage, file: String, named name: String
    ) -> ExplorerIndex.Entry {
        var entry = ExplorerIndex.Entry(file: file, page: name)
        let table = page.collector.table
        if let document = table.documents.first {
            let kind = document.archive == nil ? "property list" : "keyed archive"
            entry.kind = "\(kind), \(document.format)"
            entry.objects = document.archive?.entries.count ?? 0
        }
        entry.size = page.size
        entry.classes = table.classes.count
        entry.hash = page.hash
        let problems = table.documents.reduce(0) { $0 + $1.problems.count }
        let remarks =
            (problems == 0 ? [] : [TreeForm.count(problems, "problem", "problems")])
            + (page.omissions.isEmpty ? [] : ["incomplete"])
        entry.remark = remarks.joined(separator: ", ")
        return entry
    }

    // MARK: One file

    /// Returns the page of a file, and the exit code for it.
    private func page(
        of file: String, _ console: Console
    ) throws(Failure) -> (ExplorerPage, ExitStatus) {
        var text = TextReading(encoding: encoding)
        if typed { text.mapping = .typed }
        let input = try Input(forShowing: file, text: text, limits: limits.limits, console)
        let bounds = ExplorerBounds(limits)
        var collector = ExplorerCollector(
            bounds: bounds, limits: limits.limits, isRedacted: redact, bytes: input.bytes)
        do { try collector.collect(input.document, of: input.bytes, console) } catch {
            throw Failure(error, in: file, source: nil)
        }
        let page = ExplorerPage(
            name: lastName(of: file), size: input.bytes.count,
            hash: SHA256.hexadecimal(of: input.bytes), limits: limits, isRedacted: redact,
            collector: collector, bounds: bounds)
        return (page, status(of: page, input, console))
    }

    /// Reports unreadable and omitted parts on standard error, and returns the exit code.
    private func status(
        of page: ExplorerPage, _ input: Input, _ console: Console
    ) -> ExitStatus {
        var problems = Problems()
        for document in page.collector.table.documents {
            for problem in document.problems { problems.append(problem) }
        }
        for problem in problems.first {
            console.complain("\(input.printableName): \(TerminalText.escaped(problem))")
        }
        for sentence in page.omissions {
            console.complain(
                "\(input.printableName): left out: \(sentence) (--limits trusted allows more, if you trust the file)"
            )
        }
        let read: ExitStatus = problems.isEmpty ? .fine : .partial
        return read.combined(with: page.omissions.isEmpty ? .fine : .limit)
    }
}

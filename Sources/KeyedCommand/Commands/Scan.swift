// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DatabaseFiles
import PropertyList

/// The verb `keyed scan`.
struct Scan: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the columns of an SQLite database that hold property lists or archives.",
        discussion: """
            With --depth, each value is shown as a tree; with --extract, it is written to a file. \
            The database and its folder are not changed. Committed changes in a write-ahead log \
            (-wal) are read. A rollback journal (-journal) is reported but not applied.

                keyed scan app.db
                keyed scan app.db --column items.payload --row 7 --depth 99
                keyed scan app.db --json --depth 99 | jq 'select(.kind == "date")'
            """)

    @Argument(help: "The database, or - for standard input.", completion: .file())
    var database: String

    @Option(help: ArgumentHelp("Only this column, or this table.", valueName: "table.column"))
    var column: String?

    @Option(help: "Only the row with this number.")
    var row: Int?

    @OptionGroup var options: FindOptions

    @OptionGroup var tree: TreeOptions

    var parsingLimits: ParsingLimits { options.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try scan(console)
        } catch {
            return console.report(error)
        }
    }

    private func scan(_ console: Console) throws(Failure) -> ExitStatus {
        let input = try DatabaseInput(database, limits: options.limits.limits)
        for note in input.notes { console.complain(note) }
        var scan = DatabaseScan(
            FindPrinter(options, tree, console, file: database, size: input.size), console, input,
            row: row, provenance: try provenance(input))
        try scan.printer.prepare()
        try scanTables(&scan)
        if scan.isEmpty, !tree.json {
            console.complain("\(TerminalText.escaped(database)): nothing found")
        }
        let status = scan.printer.finish()
        report(scan, console)
        return input.isPartial || scan.problemCount > 0 ? .partial : status
    }

    private func provenance(_ input: DatabaseInput) throws(Failure) -> PropertyListDictionary {
        guard tree.json else { return [:] }
        var provenance = Provenance.of(database, hash: try hash(of: input.main, database))
        if let log = input.log {
            provenance["wal"] = .string(log.path)
            provenance["walSha256"] = .string(try hash(of: log.source, log.path))
        }
        return provenance
    }

    /// Returns the hash of a file, in hexadecimal.
    private func hash(of source: any ByteSource, _ path: String) throws(Failure) -> String {
        let limits = options.limits.limits
        if source.size > limits.inputSize { throw Input.tooLarge(path, limits) }
        do throws(DatabaseFileError) { return try SHA256.hexadecimal(of: source) } catch {
            throw Failure(.invalid, "\(TerminalText.escaped(path)): \(error.what)")
        }
    }

    private func scanTables(_ scan: inout DatabaseScan) throws(Failure) {
        let tables = scan.tables()
        var isKnown = column == nil
        for table in tables where try scan.scan(table, ColumnChoice(argument: column)) {
            isKnown = true
        }
        guard !isKnown, let column else { return }
        let names =
            tables.prefix(Self.mostNames).map { ScannedColumns.printable($0.name) }
            + (tables.count > Self.mostNames ? ["…"] : [])
        throw failure(
            "missing column or table `\(TerminalText.escaped(column))`; the tables are: "
                + names.joined(separator: ", "))
    }

    // The maximum number of table names in a message.
    private static let mostNames = 100

    /// Reports the parts that were unreadable.
    private func report(_ scan: DatabaseScan, _ console: Console) {
        let file = TerminalText.escaped(database)
        for problem in scan.problems { console.complain("\(file): \(problem)") }
        let rest = scan.problemCount - scan.problems.count
        if rest > 0 {
            let parts = rest == 1 ? "1 more part is" : "\(rest) more parts are"
            console.complain("\(file): \(parts) not fully readable")
        }
    }

    private func failure(_ message: String) -> Failure {
        Failure(.invalid, "\(TerminalText.escaped(database)): \(message)")
    }
}

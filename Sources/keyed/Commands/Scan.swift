// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PropertyList
import SystemFiles

/// `keyed scan`
struct Scan: ParsableCommand, ConsoleCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the columns of a SQLite database that hold property lists or archives.",
        discussion: """
            With --depth each value is shown as a tree, with --extract it becomes a file. The \
            database and the folder it is in are not changed: where there is a journal beside it, a \
            copy is read.

                keyed scan app.db
                keyed scan app.db --column items.payload --row 7 --depth 99
                keyed scan app.db --json --depth 99 | jq 'select(.kind == "date")'
            """)

    @Argument(help: "The database, or - for standard input.", completion: .file())
    var database: String

    @Option(help: ArgumentHelp("Only this column, or this table.", valueName: "table.column"))
    var column: String?

    @Option(help: "Only the row of this number.")
    var row: Int?

    @OptionGroup var options: FindOptions

    var parsingLimits: ParsingLimits { options.limits.limits }

    func execute(_ console: Console) -> ExitStatus {
        do {
            return try scan(console)
        } catch {
            return console.report(error)
        }
    }

    private func scan(_ console: Console) throws(Failure) -> ExitStatus {
        let copy = try DatabaseCopy(database, limits: options.limits.limits)
        defer { copy.remove() }
        try checkHead(of: copy.path)
        var provenance: PropertyListDictionary = [:]
        if options.tree.json {
            provenance = Provenance.of(database, try Input.bytes(copy.path, options.limits.limits))
        }
        var scan = DatabaseScan(
            FindPrinter(options, console, file: database, size: copy.size), console,
            size: copy.size, row: row, provenance: provenance)
        try scan.printer.prepare()
        do {
            let database = try Database(copy.path, isOurs: copy.isCopy)
            try scanTables(database, &scan)
        } catch let error as DatabaseError {
            throw failure(error.message)
        } catch let error as Failure {
            throw error
        } catch {
            throw failure("\(error)")
        }
        if scan.isEmpty, !options.tree.json {
            console.complain("\(TerminalText.escaped(database)): nothing found")
        }
        return scan.printer.finish()
    }

    /// Says in our words what SQLite would say in its.
    private func checkHead(of path: String) throws(Failure) {
        let head: [UInt8]
        do {
            let file = try FileDescriptor.open(path)
            defer { file.close() }
            head = try file.readAll(limit: 1)
        } catch {
            throw failure(error.message)
        }
        if head.isEmpty { throw failure("is empty") }
        if head.starts(with: "SQLite format 3\0".utf8) { return }
        let isPropertyList = (try? PropertyListFormat.detect(head)) != nil
        throw failure(
            "is no SQLite database"
                + (isPropertyList ? "; keyed show looks into property lists" : "")
                + "; keyed carve looks into any file")
    }

    private func failure(_ message: String) -> Failure {
        Failure(.invalid, "\(TerminalText.escaped(database)): \(message)")
    }

    private func scanTables(_ database: Database, _ scan: inout DatabaseScan) throws {
        let tables = try database.tables()
        var isKnown = column == nil
        for table in tables {
            let columns = try database.columns(of: table).filter { name in
                column == nil || column == table || column == "\(table).\(name)"
            }
            if columns.isEmpty { continue }
            isKnown = true
            try scan.scan(table, columns, database)
        }
        if !isKnown, let column {
            let names = tables.map { TerminalText.escaped($0) }.joined(separator: ", ")
            throw failure(
                "there is no column or table `\(TerminalText.escaped(column))`; the tables are: "
                    + names)
        }
    }
}

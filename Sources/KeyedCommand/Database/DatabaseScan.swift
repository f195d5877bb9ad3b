// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import DatabaseFiles
import PropertyList

/// The search of a database for property lists, table by table and row by row.
struct DatabaseScan {
    var printer: FindPrinter
    /// A Boolean value that says whether nothing has been found so far.
    private(set) var isEmpty = true
    /// The descriptions of the first ``mostProblems`` unreadable parts. ``problemCount`` counts all
    /// unreadable parts.
    private(set) var problems: [String] = []
    private(set) var problemCount = 0
    private static let mostProblems = 20
    private let row: Int?
    private let input: DatabaseInput
    private let usage: PageUsage
    private let console: Console
    private let provenance: PropertyListDictionary
    private var progress: Progress
    private var extracted = 0

    /// A Boolean value that says whether each value is shown, rather than a summary of each column.
    private var showsEach: Bool { printer.showsEach || row != nil }

    /// Creates a scan. `row` is the number of the only row to read, or nil for all rows.
    init(
        _ printer: FindPrinter, _ console: Console, _ input: DatabaseInput, row: Int?,
        provenance: PropertyListDictionary
    ) {
        self.printer = printer
        self.console = console
        self.input = input
        self.row = row
        self.provenance = provenance
        usage = PageUsage(input.pages)
        progress = Progress("scanning \(TerminalText.escaped(printer.file))", console)
    }

    /// Reads the tables of the schema.
    mutating func tables() -> [StoredTable] {
        let (tables, problem) = StoredTable.all(input.pages, usage)
        if let problem { note("the schema", problem) }
        return tables
    }

    /// Searches the chosen columns of a table. Prints each property list found, or a summary of the
    /// columns.
    ///
    /// - Returns: false if the table is not the chosen one, or has no such column.
    mutating func scan(_ table: StoredTable, _ choice: ColumnChoice) throws(Failure) -> Bool {
        var walk = TableWalk(input.pages, usage, root: table.root)
        guard
            var columns = ScannedColumns(table, hasRowIDs: walk.hasRowIDs ?? true, choice)
        else { return false }
        var rows = 0
        while var stored = walk.next() {
            rows += 1
            let number = stored.rowID.map { Int(clamping: $0) } ?? rows
            progress.report("table \(columns.title), row \(number)")
            if let row, row != number { continue }
            do {
                try scan(&stored.payload, &columns, number)
            } catch let error as DatabaseFileError {
                note(columns.title, "row \(number): \(error.what)")
            } catch let error as Failure {
                throw error
            } catch {
                throw Failure(.invalid, "\(error)")
            }
        }
        if let problem = walk.problem { note(columns.title, problem) }
        if !showsEach {
            for line in columns.lines(rows: rows) { try print(line) }
        }
        return true
    }

    private func print(_ line: String) throws(Failure) {
        do { try console.print(line) } catch {
            throw Failure(error, in: printer.file, source: nil)
        }
    }

    private func charge(_ size: Int) throws(Failure) {
        do { try console.budget.charge(bytes: size) } catch {
            throw Failure(error, in: printer.file, source: nil)
        }
    }

    private mutating func note(
        _ part: @autoclosure () -> String, _ problem: @autoclosure () -> String
    ) {
        problemCount += 1
        if problems.count >= Self.mostProblems { return }
        problems.append("\(part()) is not fully readable: \(problem())")
    }

    private mutating func scan(
        _ payload: inout RowPayload, _ columns: inout ScannedColumns, _ number: Int
    ) throws {
        let values = try payload.values(limit: columns.limit)
        for (index, value) in values.enumerated() where columns.includes(index) {
            guard let found = try find(value, &payload) else { continue }
            isEmpty = false
            columns.add(found.list.name, at: index)
            if showsEach { try show(found, columns, index, number) }
        }
    }

    /// Returns the property list in a value, even a damaged one, and the bytes of the value.
    /// Returns nil for a value that is not a property list.
    private func find(
        _ value: StoredValue, _ payload: inout RowPayload
    ) throws -> (list: NestedPropertyList, bytes: [UInt8])? {
        guard value.kind != .other, !value.range.isEmpty else { return nil }
        let head = try bytes(of: value, &payload, limit: NestedPropertyList.headSize)
        guard NestedPropertyList.begins(head[...]) else { return nil }
        let bytes = try whole(value, &payload)
        let list = NestedPropertyList(bytes[...], limits: printer.options.limits.limits)
        return list.map { ($0, bytes) }
    }

    private func whole(_ value: StoredValue, _ payload: inout RowPayload) throws -> [UInt8] {
        try charge(value.range.count)
        return try bytes(of: value, &payload, limit: .max)
    }

    /// Returns at least the first `limit` bytes of a value, or the whole value if it is shorter,
    /// with text as UTF-8.
    private func bytes(
        of value: StoredValue, _ payload: inout RowPayload, limit: Int
    ) throws(DatabaseFileError) -> [UInt8] {
        let header = input.pages.header
        let isConverted = value.kind == .text && header.textEncoding != .utf8
        let limit = isConverted && limit < .max / 2 ? limit * 2 : limit
        let bytes = try payload.bytes(in: value.range.prefix(limit))
        return isConverted ? header.convertedText(bytes) : bytes
    }

    private mutating func show(
        _ found: (list: NestedPropertyList, bytes: [UInt8]), _ columns: ScannedColumns,
        _ index: Int, _ number: Int
    ) throws(Failure) {
        extracted += 1
        let name = [columns.table, columns.name(index), "\(number)"].map(Self.fileName)
            .joined(separator: "-")
        try printer.extract(found.bytes, named: "\(extracted)-\(name).plist")
        var provenance = provenance
        provenance["table"] = .string(columns.table)
        provenance["column"] = .string(columns.name(index))
        provenance["row"] = PropertyListValue(number)
        let size = TreeForm.count(found.bytes.count, "byte", "bytes")
        try printer.print(
            found.list, title: "\(columns.title(index)), row \(number): \(size), ",
            offset: nil, provenance: provenance)
    }

    /// Returns the beginning of a name for use in a file name. Letters and digits are kept. Each
    /// other character becomes `_`.
    private static func fileName(_ text: String) -> String {
        // On most systems a file name has at most 255 bytes. A table name can be much longer, and
        // this function is called for each property list in the table.
        let length = 57
        var result = ""
        for scalar in text.unicodeScalars.prefix(length) where result.utf8.count < length {
            let isKept = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            result.unicodeScalars.append(isKept ? scalar : "_")
        }
        return result
    }
}

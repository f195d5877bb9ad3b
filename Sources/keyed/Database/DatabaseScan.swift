// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// The search of a database for property lists, table by table and row by row.
struct DatabaseScan {
    var printer: FindPrinter
    /// Whether nothing was found.
    private(set) var isEmpty = true
    private let console: Console
    private let row: Int?
    private let provenance: PropertyListDictionary
    private var progress: Progress
    // A row takes more than a byte; more rows mean that pages of a malformed file are shared.
    private var rowsLeft: Int
    private var extracted = 0

    /// Whether each value is shown, rather than what a column holds.
    private var showsEach: Bool { printer.showsEach || row != nil }

    /// What a column holds.
    private struct Tally {
        var values = 0
        var finds: [(name: String, count: Int)] = []

        mutating func add(_ name: String) {
            if let index = finds.firstIndex(where: { $0.name == name }) {
                finds[index].count += 1
            } else {
                finds.append((name, 1))
            }
        }

        /// `3 of 5 values: 2 keyed archives, 1 bplist17`
        var text: String {
            let total = finds.reduce(0) { $0 + $1.count }
            let parts = finds.map { Shape.count($0.count, $0.name, $0.name + "s") }
            return "\(total) of \(Shape.count(values, "value", "values")): "
                + parts.joined(separator: ", ")
        }
    }

    init(
        _ printer: FindPrinter, _ console: Console, size: Int, row: Int?,
        provenance: PropertyListDictionary
    ) {
        self.printer = printer
        self.console = console
        self.row = row
        self.provenance = provenance
        progress = Progress("scanning \(TerminalText.escaped(printer.file))", console)
        rowsLeft = size
    }

    /// Looks at all values of columns of a table; prints each that is found, or what the columns hold.
    mutating func scan(_ table: String, _ columns: [String], _ database: Database) throws {
        let (statement, isNumbered) = try database.rows(of: table, columns)
        var tallies = columns.map { _ in Tally() }
        var number: Int = 0
        while try statement.step() {
            rowsLeft -= 1
            if rowsLeft < 0 { throw DatabaseError(message: "it has more rows than bytes") }
            number = isNumbered ? statement.integer(0) : number + 1
            progress.report("table \(TerminalText.escaped(table)), row \(number)")
            if let row, row != number { continue }
            for (index, column) in columns.enumerated() {
                let position = isNumbered ? index + 1 : index
                tallies[index].values += 1
                guard let found = try find(statement, position) else { continue }
                isEmpty = false
                tallies[index].add(found.list.name)
                try show(found, table, column, number)
            }
        }
        if showsEach { return }
        for (column, tally) in zip(columns, tallies) where !tally.finds.isEmpty {
            try console.print("\(Self.name(table, column)): \(tally.text)")
        }
    }

    /// What a value is, with its bytes; nil for what is nothing near a property list.
    private func find(
        _ statement: Statement, _ column: Int
    ) throws -> (list: NestedPropertyList, bytes: [UInt8])? {
        guard statement.hasBytes(column) else { return nil }
        let head = statement.bytes(column, limit: NestedPropertyList.headSize)
        if let name = NestedPropertyList.neighbour(head[...]) {
            return (.neighbour(name), statement.bytes(column))
        }
        guard NestedPropertyList.begins(head[...]) else { return nil }
        let bytes = statement.bytes(column)
        do {
            try console.budget.charge(bytes: bytes.count)
        } catch {
            throw Failure(error, in: printer.file, source: nil)
        }
        let list = NestedPropertyList(bytes[...], limits: printer.options.limits.limits)
        return list.map { ($0, bytes) }
    }

    private mutating func show(
        _ found: (list: NestedPropertyList, bytes: [UInt8]), _ table: String, _ column: String,
        _ number: Int
    ) throws {
        guard showsEach else { return }
        extracted += 1
        let name = [table, column, "\(number)"].map(Self.fileName).joined(separator: "-")
        try printer.extract(found.bytes, named: "\(extracted)-\(name).plist")
        var provenance = provenance
        provenance["table"] = .string(table)
        provenance["column"] = .string(column)
        provenance["row"] = PropertyListValue(Int(number))
        let size = Shape.count(found.bytes.count, "byte", "bytes")
        try printer.print(
            found.list, title: "\(Self.name(table, column)), row \(number): \(size), ",
            offset: nil, provenance: provenance)
    }

    private static func name(_ table: String, _ column: String) -> String {
        TerminalText.escaped("\(table).\(column)")
    }

    /// Letters and digits of a name, and `_` for others.
    private static func fileName(_ text: String) -> String {
        String(
            text.unicodeScalars.prefix(60).map { scalar in
                scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                    ? Character(scalar) : "_"
            })
    }
}

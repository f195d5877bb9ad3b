// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import DatabaseFiles
import PropertyList

/// The columns selected by `--column`: all, those of a table, or one.
///
/// Names are compared as bytes. As characters, a combining mark at the start of a column name would
/// merge with the dot before it.
struct ColumnChoice {
    /// The argument of `--column`; nil for all columns.
    let argument: String?

    /// The selected part of a table: all columns, or the one with this name.
    enum Part {
        case all
        case column(Substring.UTF8View)
    }

    /// Returns the selected part of a table, or nil if no part is selected.
    func part(of table: String) -> Part? {
        guard let argument = argument?.utf8 else { return .all }
        guard argument.starts(with: table.utf8) else { return nil }
        let rest = argument.dropFirst(table.utf8.count)
        if rest.isEmpty { return .all }
        return rest.first == UInt8(ascii: ".") ? .column(rest.dropFirst()) : nil
    }
}

/// The scanned columns of a table and their finds.
struct ScannedColumns {
    let table: String
    /// The number of values to examine in each row.
    let limit: Int
    private let names: [String]?
    // For each column: whether it is selected. Computed once, because names may be long and rows
    // many.
    private let chosen: [Bool]
    private var tallies: [Int: Tally] = [:]

    /// The finds in a column.
    private struct Tally {
        private var finds: [(name: String, count: Int)] = []

        mutating func add(_ name: String) {
            if let index = finds.firstIndex(where: { $0.name == name }) {
                finds[index].count += 1
            } else {
                finds.append((name, 1))
            }
        }

        /// Returns a summary such as `3 of 5 values: 2 keyed archives, 1 bplist17`.
        func text(of values: Int) -> String {
            let total = finds.reduce(0) { $0 + $1.count }
            let parts = finds.map { TreeForm.count($0.count, $0.name, $0.name + "s") }
            return "\(total) of \(TreeForm.count(values, "value", "values")): "
                + parts.joined(separator: ", ")
        }
    }

    /// Creates the columns of a table.
    ///
    /// - Returns: nil if no column of the table is selected.
    init?(_ table: StoredTable, hasRowIDs: Bool, _ choice: ColumnChoice) {
        guard let part = choice.part(of: table.name) else { return nil }
        self.table = table.name
        let names = table.columns(hasRowIDs: hasRowIDs)
        self.names = names
        limit = table.columnLimit(names)
        // The number N in `column N`, the name of a column without a name in the schema.
        let number = Self.number(in: part)
        chosen = (0..<limit).map { index in
            switch part {
            case .all: true
            case .column(let chosen):
                if let names, names.indices.contains(index) {
                    names[index].utf8.elementsEqual(chosen)
                } else {
                    index + 1 == number
                }
            }
        }
        if !chosen.contains(true) { return nil }
    }

    /// Returns whether a column is chosen.
    func includes(_ index: Int) -> Bool { index < chosen.count && chosen[index] }

    private static func number(in part: ColumnChoice.Part) -> Int? {
        guard case .column(let chosen) = part, chosen.starts(with: "column ".utf8) else {
            return nil
        }
        return Int(String(decoding: chosen.dropFirst("column ".utf8.count), as: UTF8.self))
    }

    /// Returns the name of a column, or `column` with its position if the schema is unreadable.
    func name(_ index: Int) -> String {
        guard let names, names.indices.contains(index) else { return "column \(index + 1)" }
        return names[index]
    }

    mutating func add(_ find: String, at index: Int) {
        tallies[index, default: Tally()].add(find)
    }

    /// Returns a line for each column that holds property lists.
    func lines(rows: Int) -> [String] {
        tallies.sorted { $0.key < $1.key }
            .map { "\(title($0.key)): \($0.value.text(of: rows))" }
    }

    // MARK: For terminals

    // Long enough for genuine names, but short enough for one line.
    private static let longestTitle = 200

    /// The printable name of the table.
    var title: String { Self.printable(table) }

    /// Returns the printable name of a column.
    func title(_ index: Int) -> String { "\(title).\(Self.printable(name(index)))" }

    /// Returns a name that is safe to print, truncated if it is very long.
    static func printable(_ name: String) -> String {
        let end =
            name.unicodeScalars.index(
                name.startIndex, offsetBy: longestTitle, limitedBy: name.endIndex) ?? name.endIndex
        return TerminalText.escaped(String(name[..<end])) + (end < name.endIndex ? "…" : "")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A table that the schema describes.
package struct StoredTable: Sendable {
    package let name: String
    /// The number of the tree's root page.
    package let root: UInt32
    private let definition: TableDefinition?

    // The maximum number of columns of a table: the largest limit with which SQLite can be
    // compiled.
    static let mostColumns = 32_767
    // The maximum number of columns shown for a table with an unreadable definition. This is
    // SQLite's default limit.
    private static let columnLimitWithoutDefinition = 2000

    /// Reads the tables of a database, in the order of the schema.
    ///
    /// The schema is the table whose root is page 1. It has the columns `type`, `name`, `tbl_name`,
    /// `rootpage` and `sql`. The type is `table`, `index`, `view` or `trigger`. Virtual tables have
    /// no root.
    ///
    /// - Returns: The tables, and the first defect found in the schema.
    package static func all(
        _ pages: DatabasePages, _ usage: PageUsage
    ) -> (tables: [StoredTable], problem: String?) {
        var walk = TableWalk(pages, usage, root: 1)
        var problem: String?
        var tables: [StoredTable] = []
        while var row = walk.next() {
            do {
                if let table = try StoredTable(&row.payload, pages.header) { tables.append(table) }
            } catch {
                let place = row.rowID.map { "row \($0): " } ?? ""
                if problem == nil { problem = walk.problem ?? place + error.what }
            }
        }
        return (tables, problem ?? walk.problem)
    }

    /// Parses a row of the schema. The result is nil for anything but a table, and for a virtual
    /// table.
    private init?(
        _ payload: inout RowPayload, _ header: DatabaseHeader
    ) throws(DatabaseFileError) {
        let values = try payload.values(limit: 5)
        guard values.count == 5 else {
            throw DatabaseFileError("expected 5 values, found \(values.count)")
        }
        let type = header.text(try payload.bytes(in: values[0].range)).utf8
        if ["index", "view", "trigger"].contains(where: { type.elementsEqual($0.utf8) }) {
            return nil
        }
        guard type.elementsEqual("table".utf8) else {
            throw DatabaseFileError(
                "expected the type table, index, view or trigger, found another")
        }
        let sql = header.text(try payload.bytes(in: values[4].range))
        guard let root = try Self.root(values[3], &payload) else {
            // SQLite writes these words for every virtual table.
            if sql.utf8.starts(with: "CREATE VIRTUAL TABLE ".utf8) { return nil }
            throw DatabaseFileError("expected the number of a root page for a table, found none")
        }
        self.root = root
        name = header.text(try payload.bytes(in: values[1].range))
        definition = TableDefinition(Array(sql.utf8))
    }

    /// Returns the number of a root page, or nil for 0, NULL, a text or a blob.
    ///
    /// - Throws: an error for a number of more than 4 bytes.
    private static func root(
        _ value: StoredValue, _ payload: inout RowPayload
    ) throws(DatabaseFileError) -> UInt32? {
        guard value.kind == .other else { return nil }
        let number = try payload.bytes(in: value.range)
        // SQLite stores page numbers of 2³¹ or more in 6 bytes.
        guard number.count <= 4 else {
            throw DatabaseFileError(
                "expected a root page number of at most 4 bytes for a table, found one of "
                    + "\(number.count) bytes")
        }
        let root = number.bigEndian(at: 0, width: number.count).map {
            UInt32(truncatingIfNeeded: $0)
        }
        return root == 0 ? nil : root
    }

    /// Returns the names of the columns, in the order in which rows store them.
    ///
    /// - Parameter hasRowIDs: A Boolean value indicating whether the table has rowids. Rows of
    ///   other tables begin with the columns of the primary key.
    /// - Returns: The names, or nil if the schema does not contain them. The number of columns must
    ///   then be taken from the rows.
    package func columns(hasRowIDs: Bool) -> [String]? {
        definition?.storedColumns(hasRowIDs: hasRowIDs)
    }

    /// Returns the maximum number of values in a row.
    package func columnLimit(_ columns: [String]?) -> Int {
        columns?.count ?? Self.columnLimitWithoutDefinition
    }
}

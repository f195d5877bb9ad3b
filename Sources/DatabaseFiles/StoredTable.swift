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
    /// `rootpage` and `sql`. Views and virtual tables have no root.
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
                if problem == nil { problem = walk.problem ?? error.what }
            }
        }
        return (tables, problem ?? walk.problem)
    }

    private init?(
        _ payload: inout RowPayload, _ header: DatabaseHeader
    ) throws(DatabaseFileError) {
        let values = try payload.values(limit: 5)
        guard values.count == 5 else { return nil }
        guard header.text(try payload.bytes(in: values[0].range)).utf8.elementsEqual("table".utf8)
        else { return nil }
        guard values[3].kind == .other else { return nil }
        let number = try payload.bytes(in: values[3].range)
        // SQLite stores page numbers of 2³¹ or more in 6 bytes.
        guard number.count <= 4 else {
            throw DatabaseFileError(
                "expected a root page number of at most 4 bytes for a table, found one of "
                    + "\(number.count) bytes")
        }
        guard let root = number.bigEndian(at: 0, width: number.count), root > 0 else { return nil }
        self.root = UInt32(truncatingIfNeeded: root)
        name = header.text(try payload.bytes(in: values[1].range))
        let sql = header.text(try payload.bytes(in: values[4].range))
        definition = TableDefinition(Array(sql.utf8))
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

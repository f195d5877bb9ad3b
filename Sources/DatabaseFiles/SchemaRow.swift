// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A row of the schema: a table, an index, a view or a trigger.
///
/// The schema is the table whose root is page 1. It has the columns `type`, `name`, `tbl_name`,
/// `rootpage` and `sql`.
package struct SchemaRow {
    package let type: [UInt8]
    package let name: [UInt8]
    package let tableName: [UInt8]
    /// The number of the tree's root page.
    package let root: UInt32
    package let definition: [UInt8]

    /// Parses a row. The result is nil for a row that is not exactly four texts and a root page.
    fileprivate init?(_ payload: inout RowPayload) throws(DatabaseFileError) {
        let values = try payload.values(limit: 6)
        guard values.count == 5 else { return nil }
        var contents: [[UInt8]] = []
        for (index, value) in values.enumerated() {
            guard value.kind == (index == 3 ? .other : .text) else { return nil }
            contents.append(try payload.bytes(in: value.range))
        }
        guard let root = contents[3].bigEndian(at: 0, width: contents[3].count), root > 0 else {
            return nil
        }
        type = contents[0]
        name = contents[1]
        tableName = contents[2]
        self.root = UInt32(clamping: root)
        definition = contents[4]
    }
}

extension DatabasePages {
    // Longer than any schema row of an item store, the database that `ArchiveStore` creates.
    private static let longestSchemaRow = 4096

    /// Reads a schema of tables and indexes with short definitions, in the order of their rows.
    ///
    /// - Parameter limit: The maximum number of rows.
    /// - Returns: The rows, or nil for a schema with more rows, with long rows, or with rows of
    ///   other kinds.
    /// - Throws: An error if the schema is malformed.
    /// - Complexity: Linear in the number of pages of the schema, each of which is read once.
    package func schemaRows(limit: Int) throws(DatabaseFileError) -> [SchemaRow]? {
        var walk = TableWalk(self, PageUsage(self), root: 1)
        guard walk.hasRowIDs != false else { return nil }
        var rows: [SchemaRow] = []
        while var row = walk.next() {
            guard rows.count < limit, row.payload.size <= Self.longestSchemaRow,
                let parsed = try SchemaRow(&row.payload)
            else { return nil }
            rows.append(parsed)
        }
        if let problem = walk.problem { throw DatabaseFileError(problem) }
        return rows
    }
}

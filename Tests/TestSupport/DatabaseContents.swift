// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import DatabaseFiles

/// A source in memory that counts the bytes read from it.
package final class CountingSource: ByteSource {
    private let source: MemorySource
    /// The number of bytes that were read.
    package private(set) var bytesRead = 0

    package init(_ bytes: [UInt8]) { source = MemorySource(bytes) }

    package var size: Int { source.size }

    package func read(at offset: Int, count: Int) -> [UInt8] {
        let bytes = source.read(at: offset, count: count)
        bytesRead += bytes.count
        return bytes
    }
}

/// A text or blob in a database, with its position. Text is in UTF-8.
package struct PlacedValue: Hashable {
    package let table: String
    /// The rowid or, in a table without rowids, the number of preceding rows.
    package let row: Int
    package let column: String
    package let bytes: [UInt8]

    package init(table: String, row: Int, column: String, bytes: [UInt8]) {
        self.table = table
        self.row = row
        self.column = column
        self.bytes = bytes
    }
}

/// All texts and blobs in a database.
package struct DatabaseContents: Equatable {
    package private(set) var values: [PlacedValue] = []
    package private(set) var rows = 0
    package private(set) var problems: [String] = []

    package init(_ pages: DatabasePages) {
        let usage = PageUsage(pages)
        let (tables, problem) = StoredTable.all(pages, usage)
        problems += problem.map { [$0] } ?? []
        for table in tables { read(table, pages, usage) }
    }

    /// Reads a database with its write-ahead log, if that contains a complete transaction.
    package init(_ bytes: [UInt8], log: [UInt8]? = nil) throws {
        let source = log.map { MemorySource($0) }
        if let source, let offsets = try? WriteAheadLog(source), offsets.pageCount > 0 {
            self.init(try DatabasePages(MemorySource(bytes), log: (offsets, source)))
        } else {
            self.init(try DatabasePages(MemorySource(bytes)))
        }
    }

    private mutating func read(
        _ table: StoredTable, _ pages: DatabasePages, _ usage: PageUsage
    ) {
        var walk = TableWalk(pages, usage, root: table.root)
        let columns = table.columns(hasRowIDs: walk.hasRowIDs ?? true)
        var index = 0
        while var row = walk.next() {
            rows += 1
            do {
                for (column, value) in try row.payload.values(
                    limit: table.columnLimit(columns)
                ).enumerated() where value.kind != .other {
                    var bytes = try row.payload.bytes(in: value.range)
                    if value.kind == .text { bytes = Array(pages.header.text(bytes).utf8) }
                    values.append(
                        PlacedValue(
                            table: table.name, row: row.rowID.map { Int(clamping: $0) } ?? index,
                            column: columns?[column] ?? "column \(column + 1)", bytes: bytes))
                }
            } catch {
                problems.append("\(error)")
            }
            index += 1
        }
        if let problem = walk.problem { problems.append(problem) }
    }
}

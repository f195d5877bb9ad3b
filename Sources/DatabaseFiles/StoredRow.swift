// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A row as it is stored.
package struct StoredRow {
    /// The rowid, or nil in a table without rowids.
    package let rowID: Int64?
    package var payload: RowPayload
}

/// A value of a row.
package struct StoredValue {
    package enum Kind: Sendable {
        case text, blob, other
    }

    package let kind: Kind
    /// The range of the value's bytes within the row.
    package let range: Range<Int>
}

extension RowPayload {
    // The maximum size of a variable-length integer, in bytes.
    private static let longestType = 9

    /// Parses the positions of the first `limit` values of the row.
    ///
    /// A row begins with the size of its header and the type of each value, all as variable-length
    /// integers. The values follow the header in the same order.
    ///
    /// | type | value |
    /// |---|---|
    /// | 0, 8, 9 | NULL, 0, 1: no bytes |
    /// | 1, 2, 3, 4, 5, 6 | integer of 1, 2, 3, 4, 6, 8 bytes |
    /// | 7 | real of 8 bytes |
    /// | n ≥ 12, even | blob of (n − 12) / 2 bytes |
    /// | n ≥ 13, odd | text of (n − 13) / 2 bytes |
    package mutating func values(limit: Int) throws(DatabaseFileError) -> [StoredValue] {
        let start = try bytes(in: 0..<min(9, size))
        guard let (header, length) = start.variableInteger(at: 0), header >= length,
            header <= size
        else {
            throw DatabaseFileError("the header of a row is invalid or exceeds its \(size) bytes")
        }
        let headerSize = Int(clamping: header)
        let limit = min(limit, StoredTable.mostColumns)
        let longest = limit * Self.longestType
        let types = try bytes(in: length..<min(headerSize, length + longest))
        var values: [StoredValue] = []
        var (index, position) = (0, headerSize)
        while index < types.count, values.count < limit {
            guard let (type, width) = types.variableInteger(at: index) else {
                throw DatabaseFileError(
                    "expected complete types in the header of a row, found a truncated one at byte "
                        + "\(length + index)")
            }
            index += width
            let (kind, count) = Self.layout(of: type)
            guard count <= size - position else {
                throw DatabaseFileError(
                    "expected values within a row of \(size) bytes, found one of \(count) bytes "
                        + "at byte \(position)")
            }
            values.append(StoredValue(kind: kind, range: position..<position + count))
            position += count
        }
        return values
    }

    private static func layout(of type: UInt64) -> (StoredValue.Kind, size: Int) {
        if type < 12 { return (.other, [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0][Int(type)]) }
        return (type % 2 == 0 ? .blob : .text, Int(clamping: (type - 12) / 2))
    }
}

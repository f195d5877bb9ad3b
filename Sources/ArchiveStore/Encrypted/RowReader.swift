// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import GRDB
internal import ValidText

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A reader for the columns of a row, by their positions in the table. A damaged file may have
/// values of unexpected types. These are errors and are never converted.
struct RowReader<Column: RawRepresentable<Int>> {
    private let row: Row

    init(_ row: Row) { self.row = row }

    func integer(_ column: Column) throws(StoreError) -> Int {
        guard let value = try optionalInteger(column) else { throw Self.malformed(column) }
        return value
    }

    func optionalInteger(_ column: Column) throws(StoreError) -> Int? {
        switch try storage(column) {
        case .int64(let value):
            guard let result = Int(exactly: value) else { throw Self.malformed(column) }
            return result
        case .null: return nil
        default: throw Self.malformed(column)
        }
    }

    func boolean(_ column: Column) throws(StoreError) -> Bool {
        switch try integer(column) {
        case 0: return false
        case 1: return true
        default: throw Self.malformed(column)
        }
    }

    func real(_ column: Column) throws(StoreError) -> Double {
        switch try storage(column) {
        case .double(let value): return value
        default: throw Self.malformed(column)
        }
    }

    func bytes(_ column: Column) throws(StoreError) -> [UInt8] {
        guard let value = try optionalBytes(column) else { throw Self.malformed(column) }
        return value
    }

    func optionalBytes(_ column: Column) throws(StoreError) -> [UInt8]? {
        switch try storage(column) {
        case .blob(let data): return Array(data)
        case .null: return nil
        default: throw Self.malformed(column)
        }
    }

    func text(_ column: Column) throws(StoreError) -> String {
        guard let value = try optionalText(column) else { throw Self.malformed(column) }
        return value
    }

    func optionalText(_ column: Column) throws(StoreError) -> String? {
        guard let bytes = try optionalBytes(column) else { return nil }
        guard let text = String(validUTF8: bytes) else {
            throw Self.malformed(column)
        }
        return text
    }

    private func storage(_ column: Column) throws(StoreError) -> DatabaseValue.Storage {
        guard column.rawValue < row.count else { throw Self.malformed(column) }
        return (row[column.rawValue] as DatabaseValue).storage
    }

    static func malformed(_ column: Column) -> StoreError {
        StoreError(
            .invalidDatabase,
            what: "the column `\(column)` has a value that no store writes",
            recovery: "restore a backup")
    }
}

#endif

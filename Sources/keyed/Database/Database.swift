// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import CSQLite
import SystemFiles

/// What SQLite says of a file, or of a statement.
struct DatabaseError: Error {
    let message: String
}

/// A SQLite database that is only read, and not believed.
///
/// Nothing is written beside the file: it is opened as one that never changes, without locks and
/// without a look at its journals (``DatabaseCopy`` sees to those). Its schema may call no functions,
/// and its pages are checked before they are used.
@safe final class Database {
    // No longer value or row is taken, in bytes.
    private static let longestValue: Int32 = 1 << 30

    fileprivate let connection: OpaquePointer

    /// Opens the file at `path`.
    ///
    /// - Parameter isOurs: whether the file is a copy of our own, whose journals are to be read.
    init(_ path: String, isOurs: Bool) throws(DatabaseError) {
        let flags = SQLITE_OPEN_URI | (isOurs ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY)
        let name = Self.uri(path) + (isOurs ? "" : "?immutable=1")
        var opened: OpaquePointer?
        // SAFETY: the name is NUL-terminated for the call, and the variable is ours. SQLite gives a
        // connection also where it fails, which is closed then.
        let status = unsafe sqlite3_open_v2(name, &opened, flags, nil)
        guard let opened = unsafe opened, status == SQLITE_OK else {
            let message = unsafe Self.message(opened, status)
            unsafe sqlite3_close(opened)
            throw DatabaseError(message: message)
        }
        unsafe connection = opened
        // SAFETY: the connection is open.
        let distrust = unsafe keyed_sqlite_distrust(opened, Self.longestValue)
        if distrust != SQLITE_OK { throw error(distrust) }
        if isOurs { try run("PRAGMA locking_mode=EXCLUSIVE") }
    }

    deinit {
        // SAFETY: opened in `init`, closed once; statements keep the database.
        unsafe sqlite3_close(connection)
    }

    /// The ordinary tables, in the order of the schema; views and virtual tables are made by others.
    func tables() throws(DatabaseError) -> [String] {
        try texts(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
    }

    /// The columns of a table that are stored, in order.
    func columns(of table: String) throws(DatabaseError) -> [String] {
        try texts("SELECT name FROM pragma_table_info(\(Self.quoted(table, "'"))) ORDER BY cid")
    }

    /// The rows of a table: first the row's number, where the table has such, then the columns.
    func rows(
        of table: String, _ columns: [String]
    ) throws(DatabaseError) -> (statement: Statement, isNumbered: Bool) {
        let names = columns.map { Self.quoted($0, "\"") }
        let source = " FROM " + Self.quoted(table, "\"")
        if let number = Self.rowNumber(columns),
            let statement = try? Statement(
                "SELECT " + ([number] + names).joined(separator: ", ") + source, self)
        {
            return (statement, true)
        }
        return (
            try Statement("SELECT " + names.joined(separator: ", ") + source, self), false
        )
    }

    /// A name of the row's number that no column has taken.
    private static func rowNumber(_ columns: [String]) -> String? {
        let taken = columns.map { $0.lowercased() }
        return ["rowid", "_rowid_", "oid"].first { !taken.contains($0) }
    }

    private func texts(_ sql: String) throws(DatabaseError) -> [String] {
        let statement = try Statement(sql, self)
        var result: [String] = []
        while try statement.step() {
            result.append(String(decoding: statement.bytes(0), as: UTF8.self))
        }
        return result
    }

    private func run(_ sql: String) throws(DatabaseError) {
        let statement = try Statement(sql, self)
        while try statement.step() {}
    }

    private static func quoted(_ name: String, _ quote: Character) -> String {
        "\(quote)" + name.reduce(into: "") { $0 += $1 == quote ? "\($1)\($1)" : "\($1)" }
            + "\(quote)"
    }

    /// A path as SQLite takes it with parameters: as an URI.
    private static func uri(_ path: String) -> String {
        path.utf8.reduce(into: "file:") { text, byte in
            let isPlain =
                (0x61...0x7A).contains(byte) || (0x40...0x5A).contains(byte)
                || (0x2D...0x39).contains(byte) || byte == UInt8(ascii: "_")
            text += isPlain ? String(Unicode.Scalar(byte)) : "%" + ValueText.hex(byte)
        }
    }

    fileprivate func error(_ status: Int32) -> DatabaseError {
        // SAFETY: the connection is open.
        unsafe DatabaseError(message: Self.message(connection, status))
    }

    @unsafe private static func message(_ connection: OpaquePointer?, _ status: Int32) -> String {
        // SAFETY: both functions return NUL-terminated text that is copied at once.
        guard let connection = unsafe connection else {
            return unsafe String(cString: sqlite3_errstr(status))
        }
        return unsafe String(cString: sqlite3_errmsg(connection))
    }
}

/// A statement that gives rows.
@safe final class Statement {
    private let handle: OpaquePointer
    private let database: Database

    init(_ sql: String, _ database: Database) throws(DatabaseError) {
        var prepared: OpaquePointer?
        // SAFETY: the connection is open, the text NUL-terminated for the call, the variable ours.
        let status = unsafe sqlite3_prepare_v2(database.connection, sql, -1, &prepared, nil)
        guard let prepared = unsafe prepared, status == SQLITE_OK else {
            throw database.error(status)
        }
        unsafe handle = prepared
        self.database = database
    }

    deinit {
        // SAFETY: prepared in `init`, finalized once, before the connection is closed.
        unsafe sqlite3_finalize(handle)
    }

    /// Goes to the next row; false after the last.
    func step() throws(DatabaseError) -> Bool {
        // SAFETY: the statement is prepared.
        let status = unsafe sqlite3_step(handle)
        if status != SQLITE_ROW && status != SQLITE_DONE { throw database.error(status) }
        return status == SQLITE_ROW
    }

    /// An integer, as SQLite converts the value to one.
    func integer(_ column: Int) -> Int {
        // SAFETY: the statement is at a row; a column that it does not have is null.
        unsafe Int(sqlite3_column_int64(handle, Int32(truncatingIfNeeded: column)))
    }

    /// Whether the value is text or a blob.
    func hasBytes(_ column: Int) -> Bool {
        // SAFETY: as above.
        let type = unsafe sqlite3_column_type(handle, Int32(truncatingIfNeeded: column))
        return type == SQLITE_BLOB || type == SQLITE_TEXT
    }

    /// The bytes of a blob, or of a text in UTF-8; at most `limit`.
    func bytes(_ column: Int, limit: Int = .max) -> [UInt8] {
        let column = Int32(truncatingIfNeeded: column)
        // SAFETY: the statement is at a row; the first call converts a text to UTF-8. The pointer
        // belongs to as many bytes as the third says, until another conversion or the next row, and
        // they are copied at once.
        if unsafe sqlite3_column_type(handle, column) == SQLITE_TEXT {
            _ = unsafe sqlite3_column_text(handle, column)
        }
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: min(count, limit)))
    }
}

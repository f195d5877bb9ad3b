// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import GRDB
internal import SystemFiles

extension StoreError {
    /// Creates the error of a database operation. A `StoreError` is kept and gets the path of the
    /// file if it has none.
    init(sqlite error: any Error, file: String) {
        if let error = error as? StoreError {
            self = error.file == nil ? error.at(file: file) : error
            return
        }
        if let error = error as? SystemError {
            self.init(error, file: file)
            return
        }
        guard let error = error as? DatabaseError else {
            self.init(.fileAccess, what: "\(error)", file: file, underlying: error)
            return
        }
        if let refusal = StoreJournal.Refusal(error) {
            self = refusal.error(file)
            return
        }
        let code = Self.code(of: error)
        // On a file system without locks, SQLite reports that another program holds a lock.
        if code == .busy, let failure = FileLock.failureOfRecordLocks(beside: file) {
            self.init(failure, file: file)
            return
        }
        // Use only SQLite's message, because the description of the error would show the values to
        // be stored.
        let message = error.message ?? "error \(error.extendedResultCode.rawValue)"
        // The message may quote contents of the file, so it is escaped.
        self.init(
            code, what: "SQLite: \(Self.printable(message))", file: file,
            recovery: Self.recovery(of: error))
    }

    private static func recovery(of error: DatabaseError) -> String? {
        switch error.resultCode {
        case .SQLITE_NOTADB: "check the path: this is not an item store"
        case .SQLITE_CANTOPEN:
            "give the user of this program read and write access to the file and its folder"
        default: code(of: error) == .busy ? "another program is using it; try again" : nil
        }
    }

    private static func code(of error: DatabaseError) -> Code {
        switch error.resultCode {
        case .SQLITE_FULL: .outOfSpace
        case .SQLITE_BUSY, .SQLITE_LOCKED: .busy
        case .SQLITE_CORRUPT, .SQLITE_NOTADB, .SQLITE_ERROR, .SQLITE_CONSTRAINT,
            .SQLITE_SCHEMA, .SQLITE_FORMAT, .SQLITE_MISMATCH:
            .invalidDatabase
        default: .fileAccess
        }
    }
}

#endif

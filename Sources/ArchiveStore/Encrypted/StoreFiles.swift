// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import CSQLite
internal import DatabaseFiles
internal import SystemFiles

/// The files of a store, and what SQLite may do with the ones beside it.
///
/// A folder may come from somebody else. SQLite deletes the file that a rollback journal names as its
/// super-journal, before anything in the database is checked. So the journal is inspected first, which
/// gives a clear error. For a journal that appears later, connections open the store through a VFS that
/// opens no super-journal and no write-ahead log, and deletes nothing but journals.
enum StoreFiles {
    // MARK: Before SQLite opens a store

    /// Checks the header of a store and the files beside it, where SQLite would find them.
    ///
    /// - Throws: `invalidDatabase` for a journal that is not of this database or names a
    ///   super-journal, and for a write-ahead log.
    static func require(_ file: String) throws {
        // SQLite puts journals beside the file that a symbolic link leads to.
        let place = try resolved(file)
        // What is no database is left to SQLite, and to the check of the schema.
        guard let header = try header(of: place) else { return }
        if header.usesWriteAheadLog {
            throw StoreError(
                .invalidDatabase,
                what: "expected a store with a rollback journal, found one with a write-ahead log",
                file: place,
                recovery: "SQLite converts it by `PRAGMA journal_mode = DELETE`")
        }
        try requireNoLog(place)
        try requireOwnJournal(place + RollbackJournal.suffix, pageSize: header.pageSize)
    }

    private static func header(of place: String) throws -> DatabaseHeader? {
        let head = try FileSource(place).read(at: 0, count: DatabaseHeader.size)
        return try? DatabaseHeader(head)
    }

    private static func requireNoLog(_ place: String) throws {
        let log = place + WriteAheadLog.suffix
        guard try FileMode.existing(at: log) != nil else { return }
        throw StoreError(
            .invalidDatabase, what: "a write-ahead log lies beside the store, which has none",
            file: log,
            recovery: "if it is of no use, move it away; else let SQLite merge it into the store")
    }

    private static func requireOwnJournal(_ name: String, pageSize: Int) throws {
        guard let source = try companion(name), let journal = try RollbackJournal(source) else {
            return
        }
        if journal.namesSuperJournal {
            throw StoreError(
                .invalidDatabase,
                what: "the journal beside the store names a file that SQLite would delete",
                file: name, recovery: journalAdvice)
        }
        guard let header = journal.header, header.pageSize == pageSize else {
            let found = journal.header.map { "pages of \($0.pageSize) bytes" } ?? "none"
            throw StoreError(
                .invalidDatabase,
                what: "expected a journal with pages of \(pageSize) bytes, found \(found)",
                file: name, recovery: journalAdvice)
        }
    }

    private static let journalAdvice =
        "no store makes such a journal; move it away if you know where it is from"

    /// A file beside a store; nil where there is none.
    private static func companion(_ name: String) throws -> FileSource? {
        do throws(SystemError) {
            return try FileSource(name)
        } catch {
            if error.isMissing { return nil }
            throw StoreError(error, file: name)
        }
    }

    // MARK: Before a store is made

    /// Checks that nothing beside the name of a new store would be taken for a part of it.
    ///
    /// - Throws: `invalidDatabase`, with the name of the file.
    static func requireNone(beside file: String) throws {
        for name in [RollbackJournal.suffix, WriteAheadLog.suffix].map({ file + $0 }) {
            guard let found = try FileMode.existing(at: name) else { continue }
            // An empty journal restores nothing, and SQLite removes it.
            if found.isRegular, found.size == 0, name.hasSuffix(RollbackJournal.suffix) { continue }
            throw StoreError(
                .invalidDatabase,
                what: "there is no store, but a journal of one, which would become part of a new "
                    + "one",
                file: name,
                recovery: "put the store back that it belongs to, or move it away")
        }
    }

    // MARK: While SQLite has a store open

    // Once in a process, as the function asks for.
    private static let isGuarded = keyed_sqlite_register_guard() == SQLITE_OK

    /// The name by which SQLite opens a file through the guarding VFS.
    ///
    /// Where SQLite takes no parameters in names, this is the path itself, and only ``require(_:)``
    /// stands in the way of a journal.
    static func path(of file: String) throws(SystemError) -> String {
        let place = try resolved(file)
        if !isGuarded { return place }
        return "file:" + place.utf8.map(encoded).joined() + "?vfs=" + KEYED_SQLITE_GUARD
    }

    /// A byte of a path as it stands in a URI.
    private static func encoded(_ byte: UInt8) -> String {
        switch byte {
        case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: String(Unicode.Scalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

#endif

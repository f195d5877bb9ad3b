// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import CSQLite
internal import DatabaseFiles
internal import GRDB
internal import SystemFiles

/// The files of a store, and the restrictions on what SQLite may do with them.
///
/// The folder of a store may be untrusted. SQLite deletes the file that a rollback journal names as
/// its super-journal, and does so before anything in the database is checked. So ``StoreJournal``
/// inspects the journal first. Connections open the store through a VFS, which repeats the
/// inspection for every journal that appears later. The VFS opens no super-journals and no
/// write-ahead logs, and deletes nothing but journals.
enum StoreFiles {
    // MARK: Before SQLite reads a store

    // The maximum number of attempts. While another program changes the store, the header and the
    // journal may be read in different states.
    private static let attempts = 50
    // The pause between attempts, in milliseconds.
    private static let pause: Int32 = 10

    /// Checks the header of a store and the files beside it, before SQLite interprets any of them.
    ///
    /// The header is read as bytes from the open file of the connection, because opening and closing
    /// the file again would release this process's locks on it. A failed check is ignored while a
    /// transaction is running, because its journal is in use and the files change between the reads.
    ///
    /// - Throws: `invalidDatabase` for versions other than 1 in the header, for a write-ahead log,
    ///   or for a journal that ``StoreJournal`` refuses.
    static func require(_ file: String, _ connection: Database) throws {
        // SQLite puts journals beside the target of a symbolic link.
        let place = try resolved(file)
        var last: State?
        for attempt in 1...attempts {
            do {
                return try requireOwnFiles(place, connection)
            } catch {
                if attempt == attempts { throw error }
                if try isReserved(connection) { return }
                let state = try State(of: place, connection)
                // Checking the same files again would give the same result.
                if state == last { throw error }
                last = state
                sqlite3_sleep(pause)
            }
        }
    }

    /// The properties of a store's files that change when another program runs a transaction.
    private struct State: Equatable {
        let changeCounter: UInt32?
        let pageCount: UInt32?
        let journalSize: Int?

        init(of place: String, _ connection: Database) throws {
            let header = try header(of: connection)
            changeCounter = header?.changeCounter
            pageCount = header?.pageCount
            journalSize = try mode(ofCompanion: place + RollbackJournal.suffix)?.size
        }
    }

    private static func requireOwnFiles(_ place: String, _ connection: Database) throws {
        let header = try header(of: connection)
        // A file without a valid header is refused here only if it has a journal or a write-ahead
        // log. Otherwise SQLite and the schema check refuse it later.
        if let header { try requireVersions(header, place) }
        try requireNoLog(place)
        try requireOwnJournal(place, header)
    }

    private static func requireVersions(_ header: DatabaseHeader, _ place: String) throws {
        if header.usesWriteAheadLog {
            throw StoreError(
                .invalidDatabase,
                what: "expected a store with a rollback journal, found one with a write-ahead log",
                file: place,
                recovery: "convert it with SQLite's `PRAGMA journal_mode = DELETE`")
        }
        guard header.versions == [1, 1] else {
            throw StoreError(
                .invalidDatabase,
                what: "expected version 1 for writing and for reading in the header of the store, "
                    + "found \(header.versions[0]) and \(header.versions[1])", file: place,
                recovery: "restore it from a backup: it was altered outside of the store")
        }
    }

    private static func header(of connection: Database) throws -> DatabaseHeader? {
        let head = try bytes(of: connection, at: 0, count: DatabaseHeader.size)
        return try? DatabaseHeader(head)
    }

    /// Returns a part of the file of a connection. Bytes beyond its end are zero.
    fileprivate static func bytes(
        of connection: Database, at offset: Int, count: Int
    ) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        // SAFETY: the connection is open; the buffer belongs to the array and has the size passed.
        let status = unsafe bytes.withUnsafeMutableBytes { buffer in
            unsafe keyed_sqlite_read(
                connection.sqliteConnection, buffer.baseAddress, Int32(clamping: buffer.count),
                Int64(offset))
        }
        guard status == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status))
        }
        return bytes
    }

    /// Returns the size of a connection's file in bytes, even if the file was renamed.
    static func size(of connection: Database) throws -> Int {
        var size: Int64 = 0
        // SAFETY: the connection is open, and the variable is ours for the call.
        let status = unsafe keyed_sqlite_size(connection.sqliteConnection, &size)
        guard status == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status))
        }
        return Int(clamping: size)
    }

    /// Returns whether a connection of any program is about to write.
    private static func isReserved(_ connection: Database) throws -> Bool {
        var isReserved: Int32 = 0
        // SAFETY: the connection is open, and the variable is ours for the call.
        let status = unsafe keyed_sqlite_is_reserved(connection.sqliteConnection, &isReserved)
        guard status == SQLITE_OK else {
            throw DatabaseError(resultCode: ResultCode(rawValue: status))
        }
        return isReserved != 0
    }

    private static func requireNoLog(_ place: String) throws {
        let log = place + WriteAheadLog.suffix
        guard try mode(ofCompanion: log) != nil else { return }
        throw StoreError(
            .invalidDatabase, what: "expected no write-ahead log beside the store, found one",
            file: log,
            recovery: "merge it into the store with SQLite, or move it away if you do not need it")
    }

    private static func requireOwnJournal(_ place: String, _ header: DatabaseHeader?) throws {
        do {
            let journal = try StoreJournal.openChecked(
                place + RollbackJournal.suffix,
                of: FileMode(of: place).withoutMask(at: place), header, for: .reading)
            journal?.close()
        } catch let refusal as StoreJournal.Refusal {
            throw refusal.error(place)
        } catch let error as SystemError {
            throw StoreError(error, file: place + RollbackJournal.suffix)
        }
    }

    /// Returns the mode of a file beside a store, or nil if there is none. A symbolic link is
    /// refused: no store creates one, and SQLite would write through it.
    ///
    /// - Throws: `invalidDatabase` for a symbolic link.
    private static func mode(ofCompanion name: String) throws(StoreError) -> FileMode? {
        do throws(SystemError) {
            return try FileMode.existing(at: FilePlace(name, followingLinks: false))
        } catch {
            guard error.isLink else { throw StoreError(error, file: name) }
            throw StoreError(
                .invalidDatabase, what: "expected no symbolic link beside the store, found one",
                file: name,
                recovery:
                    "stores never create such a file; move it away if you know where it came from")
        }
    }

    // These two limits exceed what the statements and tables of this module need.
    private static let longestStatement: Int32 = 1 << 16
    private static let mostColumns: Int32 = 64

    /// Limits the length and the number of columns of the definitions in the schema. If another
    /// program changes the schema later, SQLite parses it without the checks of ``StoreSchema``.
    static func limitSchema(_ connection: Database) {
        // SAFETY: the connection is open.
        unsafe sqlite3_limit(
            connection.sqliteConnection, SQLITE_LIMIT_SQL_LENGTH, longestStatement)
        // SAFETY: the connection is open.
        unsafe sqlite3_limit(connection.sqliteConnection, SQLITE_LIMIT_COLUMN, mostColumns)
    }

    // MARK: Before a store is created

    /// Checks that no file beside the path of a new store would become a part of it.
    ///
    /// - Throws: `invalidDatabase`, with the path of the file.
    static func requireNone(beside file: String) throws {
        for isJournal in [true, false] {
            let name = file + (isJournal ? RollbackJournal.suffix : WriteAheadLog.suffix)
            guard let found = try mode(ofCompanion: name) else { continue }
            // An empty journal restores nothing, and SQLite removes it.
            if isJournal, found.isRegular, found.size == 0, found.isOwn, found.mode & 0o022 == 0 {
                continue
            }
            throw StoreError(
                .invalidDatabase,
                what: "expected no journal or write-ahead log beside a new store, found one that "
                    + "would change it",
                file: name,
                recovery: "restore the store that it belongs to, or move it away")
        }
    }

    // MARK: The contents of a new store

    /// Serializes the database of a connection, in SQLite's file format.
    static func contents(of connection: Database) throws -> [UInt8] {
        var size: Int64 = 0
        // SAFETY: the connection is open. SQLite returns memory of `size` bytes or NULL, which is
        // copied and freed once.
        guard let bytes = unsafe sqlite3_serialize(connection.sqliteConnection, "main", &size, 0)
        else { throw DatabaseError(resultCode: .SQLITE_NOMEM) }
        defer { unsafe sqlite3_free(bytes) }
        return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    // MARK: While SQLite has a store open

    // SQLite's limit is 512 bytes, and the journal has the longest suffix.
    private static let longestPath = 512 - RollbackJournal.suffix.utf8.count

    // The functions are registered once per process, as required.
    // SAFETY: both functions exist as long as the process.
    private static let isGuarded =
        unsafe keyed_sqlite_register_guard(StoreJournal.opener, StoreJournal.flusher) == SQLITE_OK

    /// Returns the name by which SQLite opens an existing file through the guarding VFS.
    ///
    /// If URI filenames are not enabled in SQLite by default, the result is the path itself. Then
    /// only ``require(_:_:)`` protects against foreign journals.
    ///
    /// - Throws: A system error, or an error for a path that is too long for SQLite.
    static func path(of file: String) throws(SystemError) -> String {
        let place = try resolved(file)
        try requireLength(of: place)
        if !isGuarded { return place }
        return "file:" + place.utf8.map(encoded).joined() + "?vfs=" + KEYED_SQLITE_GUARD
            + "&mode=rw"
    }

    /// Checks that SQLite can open a store that is about to be created.
    static func requirePath(ofNew file: String) throws(SystemError) {
        let folder = try resolved((parentFolder(of: absolutePath(file)) ?? "") + "/")
        try requireLength(of: folder + "/" + lastName(of: file))
    }

    private static func requireLength(of place: String) throws(SystemError) {
        guard place.utf8.count <= longestPath else {
            throw SystemError(
                message: "expected a path of at most \(longestPath) bytes for SQLite, found "
                    + "\(place.utf8.count)")
        }
    }

    /// Percent-encodes a byte of a path for a URI, if necessary.
    private static func encoded(_ byte: UInt8) -> String {
        switch byte {
        case 0x2D...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: String(Unicode.Scalar(byte))
        default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

/// The file of a connection, read through SQLite's own descriptor.
struct ConnectionSource: ByteSource {
    let size: Int
    private let connection: Database

    init(_ connection: Database, size: Int) {
        self.connection = connection
        self.size = size
    }

    func read(at offset: Int, count: Int) throws(DatabaseFileError) -> [UInt8] {
        guard offset >= 0, offset < size, count > 0 else { return [] }
        do {
            return try StoreFiles.bytes(
                of: connection, at: offset, count: min(count, size - offset))
        } catch {
            throw DatabaseFileError("\(error)")
        }
    }
}

#endif

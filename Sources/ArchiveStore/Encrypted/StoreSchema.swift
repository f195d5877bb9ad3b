// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import DatabaseFiles
internal import GRDB
internal import SystemFiles

/// The marks that make an SQLite file a store: its application identifier, and exactly these
/// tables.
enum StoreSchema {
    /// `keyd`, in the header of the file.
    static let applicationIdentifier = 0x6B65_7964

    private static let entries = [
        Entry(type: "table", name: "store", table: "store", sql: StoreHeader.tableDefinition),
        Entry(type: "table", name: "item", table: "item", sql: ItemRows.tableDefinition),
        Entry(type: "index", name: "itemIdentity", table: "item", sql: ItemRows.indexDefinition),
    ]

    /// A table or an index of a store, as the schema has it.
    private struct Entry {
        let type: String
        let name: String
        let table: String
        let sql: String

        func matches(_ row: SchemaRow) -> Bool {
            row.type.elementsEqual(type.utf8) && row.name.elementsEqual(name.utf8)
                && row.tableName.elementsEqual(table.utf8)
                && row.definition.elementsEqual(sql.utf8)
        }
    }

    static func create(_ database: Database) throws {
        try database.execute(sql: "PRAGMA application_id = \(applicationIdentifier)")
        for entry in entries { try database.execute(sql: entry.sql) }
    }

    /// Checks that a file is a store and that it is sound: every page, every row, the index against the
    /// rows. Linear in its size but for a logarithm.
    ///
    /// - Throws: `invalidDatabase`, what SQLite says.
    ///
    /// `mode` returns the mode of the file, which is asked for once SQLite has locked it.
    static func require(_ database: Database, mode: () throws -> FileMode) throws {
        let (mode, roots) = try requireTables(database, mode)
        try requireSize(database)
        try requireTrees(database, mode.size, roots)
        let findings = try DatabaseValue.fetchAll(database, sql: "PRAGMA integrity_check(1)")
        guard findings == ["ok".databaseValue] else {
            throw StoreError(
                .invalidDatabase, what: "the file is damaged", recovery: "restore a backup")
        }
    }
}

extension StoreSchema {
    /// Checks the schema of a file before SQLite parses it, and lets SQLite parse it under the same lock.
    ///
    /// SQLite reads a page as often as others refer to it, and its time grows with the square of some
    /// definitions. A small file could keep it busy for ever.
    ///
    /// `mode` returns the mode of the file, which is asked for once SQLite has locked it.
    static func requireBeforeParsing(_ database: Database, mode: () throws -> FileMode) throws {
        try database.beginTransaction(.deferred)
        do {
            try requireTables(database, mode)
            _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
            try database.commit()
        } catch {
            try? database.rollback()
            throw error
        }
    }

    /// Checks that a file has the tables and the index of a store and nothing else. A trigger or a view that
    /// somebody put there is not to run.
    ///
    /// `mode` returns the mode of the file, which is asked for once SQLite has locked it. Before that another
    /// program may be changing its size.
    ///
    /// - Returns: the mode of the file, and the roots of the trees.
    @discardableResult
    private static func requireTables(
        _ database: Database, _ mode: () throws -> FileMode
    ) throws -> (mode: FileMode, roots: [UInt32]) {
        // SQLite locks the file for it, and applies its journal, but does not parse the schema.
        guard
            try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationIdentifier
        else {
            throw StoreError(
                .invalidDatabase, what: "the file is no store of items", recovery: "check the path")
        }
        let mode = try mode()
        try requireBlocks(mode)
        let (vacuumsItself, rows) = try readPages(database, mode.size) {
            pages throws(DatabaseFileError) in
            let isUTF8 = pages.header.textEncoding == .utf8
            return (
                pages.header.vacuumsItself,
                isUTF8 ? try pages.schemaRows(limit: entries.count) : nil
            )
        }
        if vacuumsItself { throw automaticVacuum }
        guard let rows, rows.count == entries.count,
            zip(entries, rows).allSatisfy({ $0.matches($1) })
        else {
            throw StoreError(
                .invalidDatabase, what: "the file has other tables than a store of items",
                recovery: "check the path, or restore a backup")
        }
        return (mode, rows.map(\.root))
    }

    /// A store is cut within a transaction then. Where the program is killed in between, the file is longer than its
    /// header says.
    private static let automaticVacuum = StoreError(
        .invalidDatabase,
        what: "the file has SQLite's `auto_vacuum`, which a store does not have",
        recovery: "turn it off with `PRAGMA auto_vacuum = NONE; VACUUM`")

    private static func readPages<Result>(
        _ database: Database, _ size: Int,
        _ body: (DatabasePages) throws(DatabaseFileError) -> Result
    ) throws(StoreError) -> Result {
        do throws(DatabaseFileError) {
            return try body(DatabasePages(ConnectionSource(database, size: size)))
        } catch {
            throw StoreError(
                .invalidDatabase, what: "the file is damaged: \(error.what)",
                recovery: "restore a backup")
        }
    }

    /// Checks that the file is as long as its header says. SQLite lets go that unused pages are missing.
    ///
    /// A file is longer where another program has compacted it and was killed before it cut the file. What is behind
    /// the end is overwritten by no change of the key, and a journal does not tell how much of it belongs to the store.
    static func requireSize(_ database: Database) throws {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        let size = try StoreFiles.size(of: database)
        let (counted, isOverflow) = pages.multipliedReportingOverflow(by: pageSize)
        guard !isOverflow, counted == size else {
            throw StoreError(
                .invalidDatabase,
                what: "the file has \(size) bytes, its header says \(pages) pages of \(pageSize)",
                recovery: counted < size
                    ? "if another program has compacted the store, complete that with SQLite's `VACUUM`"
                    : "restore a backup")
        }
    }

    /// Checks that a large file has blocks for its pages, as one that a store has written. A few bytes of a schema
    /// refer to a page, and the integrity check takes memory for each page.
    private static func requireBlocks(_ mode: FileMode) throws(StoreError) {
        guard
            mode.size <= largestSparseSize || mode.size / largestRatio <= mode.allocatedSize
        else {
            throw StoreError(
                .invalidDatabase,
                what:
                    "the file has \(mode.size) bytes, but only \(mode.allocatedSize) of them on "
                    + "the disk",
                recovery: "restore a backup")
        }
    }

    // The header of a record, the flag and the row number take less than 64 bytes.
    private static let largestEntry = ItemIdentity.largestSize + 64

    private static let largestSparseSize = 1 << 32
    // File systems may compress files.
    private static let largestRatio = 64

    /// Checks that no tree of the file is so deep that the integrity check, which calls itself for each level, would
    /// overflow the stack, and that the index has no larger entries than a store writes. The integrity check looks
    /// for each row in the index. Linear in the number of pages.
    private static func requireTrees(
        _ database: Database, _ size: Int, _ roots: [UInt32]
    ) throws {
        try readPages(database, size) { pages throws(DatabaseFileError) in
            try pages.requireTrees(at: [1] + roots, largestEntry: largestEntry)
        }
    }
}

/// Makes the file of a new store.
enum NewStore {
    /// Makes an empty store where there is no file. It gets its name when it is complete, so that no other
    /// program finds half of one, and a program that is killed leaves nothing.
    ///
    /// - Throws: `fileAccess`, `outOfSpace`, `wrongKey` for the cost of a passphrase,
    ///   `invalidDatabase` where there is a journal of an earlier store of that name.
    static func create(
        _ file: String, _ accessGroup: String, _ key: MasterKey
    ) throws(StoreError) {
        do {
            if let existing = try FileMode.existing(at: file) {
                // A program was killed after it had created the file under a temporary name too.
                if existing.linkCount > 1 {
                    FileAccess.removeDeadTemporaries(beside: file)
                }
                return
            }
            try StoreFiles.requirePath(ofNew: file)
            do { try StoreFiles.requireNone(beside: file) } catch {
                // Another program has made the store meanwhile, and is writing to it.
                if try FileMode.existing(at: file) != nil { return }
                throw error
            }
            let bytes = try contents(accessGroup, key)
            do throws(SystemError) {
                try FileAccess.create(file, with: bytes, mode: FileMode.ownerOnly)
            } catch  where error.isExisting {
                // Another program was faster; its store is the one.
            }
        } catch let error as SystemError {
            throw StoreError(error, file: file)
        } catch {
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// The bytes of an empty store. SQLite makes them in memory.
    private static func contents(_ accessGroup: String, _ key: MasterKey) throws -> [UInt8] {
        let (header, _) = try StoreHeader.make(
            identifier: StoreHeader.randomBytes(StoreHeader.randomSize), accessGroup: accessGroup,
            master: key)
        let queue = try DatabaseQueue(configuration: .items(timeout: 0))
        try queue.write { database in
            try StoreSchema.create(database)
            try header.write(database)
        }
        return try queue.unsafeRead { try StoreFiles.contents(of: $0) }
    }
}

extension Configuration {
    // The longest time that SQLite can wait, in seconds.
    private static let longestTimeout = 2_147_483.0

    /// Returns the configuration of connections to stores.
    ///
    /// - Parameters:
    ///   - timeout: how long to wait for other programs, in seconds; not a number is no time.
    ///   - file: the store whose files are checked before the first of them is read.
    /// - Returns: The configuration.
    static func items(timeout: Double, checking file: String? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(
            timeout.isNaN ? 0 : min(max(timeout, 0), longestTimeout))
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            // First, because most pragmas read the file, upon which SQLite applies its journal.
            if let file {
                try StoreFiles.require(file, database)
                StoreFiles.limitSchema(database)
                try StoreSchema.requireBeforeParsing(database) { try FileMode(of: file) }
            }
            // A transaction is on the disk when it returns, the removal of its journal too.
            try database.execute(sql: "PRAGMA synchronous = EXTRA")
            // On Apple's systems the cache of the drive is flushed too; elsewhere it is anyway.
            try database.execute(sql: "PRAGMA fullfsync = ON")
            // What is removed or replaced is not left in free pages, nor a key that was rotated.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // A file is not trusted: no functions from its schema, every cell checked, no memory map.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            try database.execute(sql: "PRAGMA mmap_size = 0")
            // Parts of a store are in no other folder.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }
}

#endif

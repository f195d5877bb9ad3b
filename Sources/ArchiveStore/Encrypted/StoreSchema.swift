// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import DatabaseFiles
internal import GRDB
internal import SystemFiles

/// The properties that identify an SQLite file as a store: its application identifier and its exact
/// schema.
enum StoreSchema {
    /// `keyd`, the application identifier in the header of the file.
    static let applicationIdentifier = 0x6B65_7964

    private static let entries = [
        Entry(type: "table", name: "store", table: "store", sql: StoreHeader.tableDefinition),
        Entry(type: "table", name: "item", table: "item", sql: ItemRows.tableDefinition),
        Entry(type: "index", name: "itemIdentity", table: "item", sql: ItemRows.indexDefinition),
    ]

    /// A table or an index of a store, as the schema describes it.
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

    /// Checks that a file is an intact store: every page, every row, and the index against the
    /// rows.
    ///
    /// `mode` returns the mode of the file. It is called after SQLite has locked the file.
    ///
    /// - Throws: `invalidDatabase`, or an SQLite error.
    /// - Complexity: O(*n* log *n*) in the size of the file.
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
    /// Checks the schema of a file before SQLite parses it, and lets SQLite parse it under the same
    /// lock.
    ///
    /// SQLite reads a page once for each reference to it, and parses some definitions in quadratic
    /// time. A small malicious file could keep it busy forever.
    ///
    /// `mode` returns the mode of the file. It is called after SQLite has locked the file.
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

    /// Checks that a file has exactly the tables and the index of a store. A trigger or a view that
    /// somebody added must not run.
    ///
    /// `mode` returns the mode of the file. It is called after SQLite has locked the file, because
    /// before that another program may be changing its size.
    ///
    /// - Returns: The mode of the file, and the roots of the trees.
    @discardableResult
    private static func requireTables(
        _ database: Database, _ mode: () throws -> FileMode
    ) throws -> (mode: FileMode, roots: [UInt32]) {
        // The pragma makes SQLite lock the file and apply its journal, but not parse the schema.
        guard
            try Int.fetchOne(database, sql: "PRAGMA application_id") == applicationIdentifier
        else {
            throw StoreError(
                .invalidDatabase, what: "the file is not an item store", recovery: "check the path")
        }
        let mode = try mode()
        try requireBlocks(mode)
        let (usesAutoVacuum, rows) = try readPages(database, mode.size) {
            pages throws(DatabaseFileError) in
            let isUTF8 = pages.header.textEncoding == .utf8
            return (
                pages.header.usesAutoVacuum,
                isUTF8 ? try pages.schemaRows(limit: entries.count) : nil
            )
        }
        if usesAutoVacuum { throw automaticVacuum }
        guard let rows, rows.count == entries.count,
            zip(entries, rows).allSatisfy({ $0.matches($1) })
        else {
            throw StoreError(
                .invalidDatabase, what: "expected the tables of an item store, found other tables",
                recovery: "check the path, or restore a backup")
        }
        return (mode, rows.map(\.root))
    }

    /// The error for a file in auto-vacuum mode, in which SQLite truncates the file when a
    /// transaction commits. A program that is killed before that leaves a file longer than its
    /// header says.
    private static let automaticVacuum = StoreError(
        .invalidDatabase,
        what: "the file uses SQLite's `auto_vacuum`, which stores do not support",
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

    /// Checks that the file is as long as its header says. SQLite accepts an incomplete last page
    /// if it is unused.
    ///
    /// A file is too long if another program compacted it and was killed before truncating it.
    /// Rotating the key would not overwrite the extra bytes, and a journal does not distinguish
    /// them from the store's pages.
    static func requireSize(_ database: Database) throws {
        let pages = try Int.fetchOne(database, sql: "PRAGMA page_count") ?? 0
        let pageSize = try Int.fetchOne(database, sql: "PRAGMA page_size") ?? 0
        let size = try StoreFiles.size(of: database)
        let (counted, isOverflow) = pages.multipliedReportingOverflow(by: pageSize)
        guard !isOverflow, counted == size else {
            throw StoreError(
                .invalidDatabase,
                what: "expected \(pages) pages of \(pageSize) bytes, as in the header, found "
                    + "\(size) bytes",
                recovery: counted < size
                    ? "if another program was compacting the store, finish with SQLite's `VACUUM`"
                    : "restore a backup")
        }
    }

    /// Checks that a large file has blocks on disk for its pages, as every file written by a store
    /// does. A sparse file can claim any number of pages, and the integrity check allocates memory
    /// for each.
    private static func requireBlocks(_ mode: FileMode) throws(StoreError) {
        guard
            mode.size <= largestSparseSize || mode.size / largestRatio <= mode.allocatedSize
        else {
            throw StoreError(
                .invalidDatabase,
                what:
                    "expected disk space for a file of \(mode.size) bytes, found \(mode.allocatedSize) "
                    + "bytes allocated",
                recovery: "restore a backup")
        }
    }

    // The header of a record, the synchronizable flag and the rowid take less than 64 bytes.
    private static let largestEntry = ItemIdentity.largestSize + 64

    private static let largestSparseSize: Int64 = 1 << 32
    // File systems may compress files.
    private static let largestRatio = 64

    /// Checks the depth of the trees and the size of index entries. The integrity check calls
    /// itself for each level, so a deep tree would overflow the stack. It also looks up each row in
    /// the index, so large entries would slow it down.
    ///
    /// - Complexity: Linear in the number of pages.
    private static func requireTrees(
        _ database: Database, _ size: Int, _ roots: [UInt32]
    ) throws {
        try readPages(database, size) { pages throws(DatabaseFileError) in
            try pages.requireTrees(at: [1] + roots, largestEntry: largestEntry)
        }
    }
}

/// Functions that create the file of a new store.
enum NewStore {
    /// Creates an empty store if there is no file. The file gets its name only when it is complete,
    /// so no other program finds an incomplete store, and a program that is killed leaves none
    /// behind.
    ///
    /// - Throws: `fileAccess`, `outOfSpace`, `invalidName`, `weakPassphrase`, `wrongKey` for a cost
    ///   of the passphrase that is out of bounds, or `invalidDatabase` if there is a journal or a
    ///   write-ahead log of an earlier store with that name.
    static func create(
        _ file: String, _ accessGroup: String, _ key: MasterKey
    ) throws(StoreError) {
        do {
            if let existing = try FileMode.existing(at: file) {
                // A program that was killed while creating the file may have left a temporary hard
                // link.
                if existing.linkCount > 1 {
                    FileAccess.removeDeadTemporaries(beside: file)
                }
                return
            }
            try StoreFiles.requirePath(ofNew: file)
            do { try StoreFiles.requireNone(beside: file) } catch {
                // If the store exists now, another program has created it in the meantime and is
                // writing to it.
                if try FileMode.existing(at: file) != nil { return }
                throw error
            }
            FileAccess.removeDeadTemporaries(beside: file)
            let bytes = try contents(accessGroup, key)
            do throws(SystemError) {
                try FileAccess.create(file, with: bytes, mode: FileMode.ownerOnly)
            } catch  where error.isExisting {
                // Another program was faster, and its store is used.
            }
        } catch let error as SystemError {
            throw StoreError(error, file: file)
        } catch {
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// Returns the bytes of an empty store, which SQLite creates in memory.
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
    // The longest timeout that SQLite supports, in seconds.
    private static let longestTimeout = 2_147_483.0

    /// Returns the configuration of connections to stores.
    ///
    /// - Parameters:
    ///   - timeout: The number of seconds to wait for other programs. A value that is not a number
    ///     counts as 0.
    ///   - file: The store whose files are checked before SQLite reads any of them, or nil for a
    ///     database in memory.
    /// - Returns: The configuration.
    static func items(timeout: Double, checking file: String? = nil) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(
            timeout.isNaN ? 0 : min(max(timeout, 0), longestTimeout))
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { database in
            // The checks come first, because most pragmas read the file, and SQLite then applies
            // its journal.
            if let file {
                try StoreFiles.require(file, database)
                StoreFiles.limitSchema(database)
                try StoreSchema.requireBeforeParsing(database) { try FileMode(of: file) }
            }
            // When a transaction returns, its changes and the removal of its journal are on disk.
            try database.execute(sql: "PRAGMA synchronous = EXTRA")
            // On Apple's systems, flush the cache of the drive too. Elsewhere this is the default.
            try database.execute(sql: "PRAGMA fullfsync = ON")
            // Removed or replaced contents, such as a rotated key, do not remain in free pages.
            try database.execute(sql: "PRAGMA secure_delete = ON")
            // The file is untrusted: run no functions from its schema, check every cell, and do not
            // map it into memory.
            try database.execute(sql: "PRAGMA trusted_schema = OFF")
            try database.execute(sql: "PRAGMA cell_size_check = ON")
            try database.execute(sql: "PRAGMA mmap_size = 0")
            // Temporary data of a store stays in memory and is never written to another folder.
            try database.execute(sql: "PRAGMA temp_store = MEMORY")
        }
        return configuration
    }
}

#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if Stores

internal import Crypto
internal import GRDB
internal import PropertyList
internal import SystemFiles

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A database of the items of an access group in an encrypted SQLite file. Several programs may
/// have the file open.
///
/// ```swift
/// let key = try MasterKey(file: keyPath, creatingIfMissing: true)
/// let database = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
/// ```
///
/// The data of items is encrypted with AES-256-GCM, with a fresh nonce for each write. Attributes
/// are authenticated together with the data, but readable by anyone who may read the file.
///
/// Once a transaction returns, its changes are on disk. If the power fails or a program is killed,
/// the file has either all changes of the transaction or none.
///
/// The database does not protect against somebody who restores an older copy of the file or removes
/// items from it.
public final class EncryptedItemDatabase: ItemDatabase {
    /// The access group of the items.
    public let accessGroup: String
    /// The path of the database.
    public let file: String
    let queue: DatabaseQueue
    private let unlocked: Guarded<Unlocked>
    private let owner = TransactionOwner()

    /// The keys that open the items. Rotation changes them, in this program or in another one.
    private struct Unlocked: Sendable {
        let master: MasterKey
        let header: StoreHeader
        let dataKey: SymmetricKey

        func rows(_ database: Database) -> ItemRows {
            ItemRows(database: database, header: header, dataKey: dataKey)
        }
    }

    /// Opens the database of an access group.
    ///
    /// The whole file is checked, which takes time proportional to its size.
    ///
    /// - Parameters:
    ///   - file: The path of the database. SQLite keeps a journal beside it while writing.
    ///   - accessGroup: The access group of the items.
    ///   - key: The key that opens the database.
    ///   - creatingIfMissing: A Boolean value indicating whether a missing file is created as an
    ///     empty database, which only its owner may use.
    ///   - timeout: The number of seconds to wait for other programs that are writing. Threads that
    ///     use the same database wait for each other without a limit.
    /// - Throws: ``StoreError`` with `fileMissing`, `fileAccess`, `outOfSpace`, `busy`, `wrongKey`,
    ///   `unknownAccessGroup` for the database of another group, `unsupportedVersion`, or
    ///   `invalidName` for a path that contains NUL. For a new database also `weakPassphrase`, or
    ///   `invalidName` for a long access group.
    ///   `invalidDatabase` if the file is damaged or not a database of this kind, or if a file
    ///   beside it is not a journal of this store; the error names that file. All files are left
    ///   unchanged.
    public init(
        file: String, accessGroup: String, key: MasterKey, creatingIfMissing: Bool = true,
        timeout: Double = 30
    ) throws(StoreError) {
        self.accessGroup = accessGroup
        self.file = file
        if creatingIfMissing { try NewStore.create(file, accessGroup, key) }
        try Self.requireDatabase(file)
        do {
            queue = try DatabaseQueue(
                path: StoreFiles.path(of: file),
                configuration: .items(timeout: timeout, checking: file))
            let header = try queue.read { database in
                try StoreSchema.require(database) { try FileMode(of: file) }
                return try StoreHeader.read(database)
            }
            try Self.require(header, accessGroup)
            let dataKey = try header.openDataKey(key)
            unlocked = Guarded(Unlocked(master: key, header: header, dataKey: dataKey))
        } catch {
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// Checks that a file is a regular file with contents and only one name. SQLite would turn an
    /// empty file into a new database.
    private static func requireDatabase(_ file: String) throws(StoreError) {
        do {
            var found = try FileMode(of: file)
            guard found.isRegular else {
                throw StoreError(
                    .invalidDatabase, what: "expected a regular file, found another kind of file",
                    file: file,
                    recovery: "check the path")
            }
            if found.size == 0 {
                throw StoreError(
                    .invalidDatabase, what: "the file is empty", file: file,
                    recovery: "restore a backup, or remove the file to create a new store")
            }
            if found.linkCount > 1 {
                // A program that was killed while creating the store may have left a temporary hard
                // link.
                FileAccess.removeDeadTemporaries(beside: file)
                found = try FileMode(of: file)
            }
            // SQLite derives the journal's name from the store's, so it misses a journal that was
            // created under another name.
            guard found.linkCount <= 1 else {
                throw StoreError(
                    .invalidDatabase,
                    what:
                        "expected a store with one name, found a file with \(found.linkCount) "
                        + "names (hard links)", file: file,
                    recovery:
                        "keep only one name: the one with a journal beside it, if there is one")
            }
        } catch let error as SystemError {
            throw StoreError(error, file: file)
        } catch {
            throw StoreError(sqlite: error, file: file)
        }
    }

    private static func require(
        _ header: StoreHeader, _ accessGroup: String
    ) throws(StoreError) {
        guard ExactText(header.accessGroup) == ExactText(accessGroup) else {
            throw StoreError(
                .unknownAccessGroup,
                what:
                    "expected a store of the access group `\(StoreError.printable(accessGroup))`, "
                    + "found one of `\(StoreError.printable(header.accessGroup))`",
                recovery: "open each file with its own access group")
        }
    }

    // MARK: Items

    public func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        try owner.requireNone()
        do {
            return try read { try rows($0).items(matching: query, limit: limit) }
        } catch {
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// Reads in a transaction. `DatabaseQueue.read` would disable writing with a pragma, after
    /// which SQLite recompiles every statement. Recompiling takes half the time of a lookup.
    private func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try queue.unsafeRead { database in
            try database.beginTransaction(.deferred)
            do {
                let result = try body(database)
                try database.commit()
                return result
            } catch {
                try? database.rollback()
                throw error
            }
        }
    }

    public func transaction<Result>(
        _ body: (any ItemTransaction) throws -> Result
    ) throws -> Result {
        try owner.requireNone()
        // Errors from `body` are passed on unchanged: they are the caller's own, or the transaction
        // has already converted them.
        var thrown: (any Error)?
        do {
            return try queue.write { database in
                try StoreSchema.requireSize(database)
                let transaction = EncryptedTransaction(
                    accessGroup, file, try rows(database), owner)
                defer { owner.end() }
                do { return try body(transaction) } catch {
                    thrown = error
                    throw error
                }
            }
        } catch {
            if let thrown { throw thrown }
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// Returns the table of items, with the current key of the store.
    private func rows(_ database: Database) throws -> ItemRows {
        let known = unlocked.withLock { $0 }
        if try known.header.isCurrent(database) { return known.rows(database) }
        let header = try StoreHeader.read(database)
        guard header.isOfSameStore(as: known.header) else {
            throw StoreError(
                .invalidDatabase,
                what: "another store replaced this one while it was open",
                recovery: "restore the original file, or open the new store")
        }
        let dataKey = try header.openDataKey(known.master)
        let new = Unlocked(master: known.master, header: header, dataKey: dataKey)
        unlocked.withLock { $0 = new }
        return new.rows(database)
    }

    // MARK: Keys

    /// Encrypts all items again in one transaction, with a new random key that only `master` can
    /// decrypt.
    ///
    /// Other programs that have the store open need `master` afterwards. With the old master key
    /// they get `wrongKey`.
    ///
    /// Keep both master keys until this method has returned. If the disk fails at the very end, the
    /// store may already have the new key.
    ///
    /// - Throws: `alteredItem` for an item that cannot be read, `weakPassphrase`, `wrongKey` if the
    ///   cost of `master` is out of bounds or another program has changed the key, `outOfSpace`,
    ///   `invalidDatabase` if the store is damaged or has been replaced, `unsupportedVersion`,
    ///   `busy`, or `misuse` within a transaction of the same thread. In these cases nothing has
    ///   changed. After `fileAccess`, the store may have either key.
    public func rotateKey(to master: MasterKey) throws {
        try owner.requireNone()
        var new: Unlocked?
        do {
            // Store the new key in this object before another thread can read the new header.
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    try StoreSchema.requireSize(database)
                    new = try rotate(database, to: master)
                    return .commit
                }
                if let new { unlocked.withLock { $0 = new } }
            }
        } catch {
            if let new, try hasCommitted(new) { return }
            throw StoreError(sqlite: error, file: file)
        }
    }

    /// Returns whether the store has the new key although its transaction failed, which happens if
    /// the last flush of the folder fails. In this case the new key is used, and the folder is
    /// flushed again.
    private func hasCommitted(_ new: Unlocked) throws(StoreError) -> Bool {
        guard (try? queue.read({ try new.header.isCurrent($0) })) == true else { return false }
        unlocked.withLock { $0 = new }
        do throws(SystemError) {
            try FileAccess.synchronizeName(of: file)
            return true
        } catch {
            throw StoreError(
                .fileAccess,
                what: "the key was changed, but could not be flushed to the disk: "
                    + error.message,
                file: file, recovery: "keep both keys, and open the store with either")
        }
    }

    private func rotate(_ database: Database, to master: MasterKey) throws -> Unlocked {
        let old = try rows(database)
        // Another program may have changed the version since the header was read.
        let version = try StoreHeader.read(database).version
        let (header, dataKey) = try StoreHeader.make(
            version: version, identifier: old.header.identifier, accessGroup: accessGroup,
            master: master)
        let new = Unlocked(master: master, header: header, dataKey: dataKey)
        let items = try old.items(matching: ItemQuery(), limit: .max)
        // Removing all rows frees their pages, and SQLite overwrites free pages. Replacing a row
        // instead could leave the old one readable in a gap of its page.
        try old.remove(matching: ItemQuery())
        for item in items { try new.rows(database).insert(item) }
        try header.write(database)
        return new
    }
}

/// An item transaction within an SQLite transaction. Each call first checks that it runs on the
/// thread of the transaction: using the connection on another thread would crash the process.
private struct EncryptedTransaction: ItemTransaction, CustomReflectable {
    let accessGroup: String
    private let file: String
    private let table: ItemRows
    private let owner: TransactionOwner
    private let token: TransactionOwner.Token

    /// Begins a transaction on the calling thread.
    init(_ accessGroup: String, _ file: String, _ table: ItemRows, _ owner: TransactionOwner) {
        self.accessGroup = accessGroup
        self.file = file
        self.table = table
        self.owner = owner
        token = owner.begin()
    }

    /// The access group and the file. The table is left out because it contains the keys of the
    /// store.
    var customMirror: Mirror {
        Mirror(
            self, children: ["accessGroup": accessGroup, "file": file], displayStyle: .struct)
    }

    /// Calls `body` with the table, or throws if this is not the thread of the open transaction.
    private func withRows<Result>(
        _ body: (ItemRows) throws -> Result
    ) throws(StoreError) -> Result {
        try owner.require(token)
        do { return try body(table) } catch { throw StoreError(sqlite: error, file: file) }
    }

    func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        try withRows { try $0.items(matching: query, limit: limit) }
    }

    func insert(_ item: Item) throws { try withRows { try $0.insert(item) } }

    func replace(_ identity: ItemIdentity, with item: Item) throws {
        try withRows { try $0.replace(identity, with: item) }
    }

    func remove(_ identity: ItemIdentity) throws {
        _ = try withRows { try $0.remove(matching: ItemQuery(identity)) }
    }

    func delete(matching query: ItemQuery) throws -> Int {
        try withRows { try $0.remove(matching: query) }
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // Errors from `body` are passed on unchanged.
        var thrown: (any Error)?
        var result: Result?
        do {
            try withRows { rows in
                try rows.database.inSavepoint {
                    do { result = try body() } catch {
                        thrown = error
                        throw error
                    }
                    return .commit
                }
            }
        } catch {
            throw thrown ?? error
        }
        guard let result else { throw StoreError(.misuse, what: "a savepoint has no result") }
        return result
    }
}

#endif

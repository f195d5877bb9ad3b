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

/// The items of an access group in an encrypted SQLite file, which several programs may have open.
///
/// ```swift
/// let key = try MasterKey(file: keyPath, creatingIfMissing: true)
/// let database = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
/// ```
///
/// The data of items are encrypted with AES-256-GCM, with a fresh nonce each time they are written; the
/// attributes are legible to who may read the file, and authenticated with them. A transaction that has
/// returned is on the disk. After a power cut, or when a program is killed, each item is what it was
/// before or after the transaction. What is not protected: that somebody puts back an older copy of the
/// file, or takes items out of it.
public final class EncryptedItemDatabase: ItemDatabase {
    public let accessGroup: String
    /// The database.
    public let file: String
    let queue: DatabaseQueue
    private let unlocked: Guarded<Unlocked>
    private let owner = TransactionOwner()

    /// The keys that open the items: changed by rotation, by this program or by another.
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
    /// The whole file is checked, which takes time in proportion to its size.
    ///
    /// - Parameters:
    ///   - file: the database. SQLite keeps a journal beside it while it is written.
    ///   - accessGroup: the group whose items it has.
    ///   - key: what opens it.
    ///   - creatingIfMissing: whether an empty one is made, for its owner alone, where there is no file.
    ///   - timeout: how long to wait for other programs that are writing, in seconds. Threads that use the same
    ///     database wait for each other as long as it takes.
    /// - Throws: ``StoreError`` with `fileMissing`, `fileAccess`, `outOfSpace`; `wrongKey`;
    ///   `unknownAccessGroup` where it is the database of another group; `unsupportedVersion`;
    ///   `invalidDatabase` where it is damaged, none of this kind, or where a file beside it is no
    ///   journal of this store; the error names that file. All files are left as they are.
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

    /// SQLite would make an empty file a new database.
    private static func requireDatabase(_ file: String) throws(StoreError) {
        do {
            var found = try FileMode(of: file)
            guard found.isRegular else {
                throw StoreError(
                    .invalidDatabase, what: "it is no regular file", file: file,
                    recovery: "check the path")
            }
            if found.size == 0 {
                throw StoreError(
                    .invalidDatabase, what: "the file is empty", file: file,
                    recovery: "restore a backup, or remove the file to create a new store")
            }
            if found.linkCount > 1 {
                // A program that was killed after it had created the store left a temporary name.
                FileAccess.removeDeadTemporaries(beside: file)
                found = try FileMode(of: file)
            }
            // SQLite finds the journal by the name of the store.
            guard found.linkCount <= 1 else {
                throw StoreError(
                    .invalidDatabase,
                    what:
                        "expected a store with one name, found a file with \(found.linkCount) names "
                        + "(hard links)", file: file,
                    recovery: "copy the file, and use the copy, if no journal lies beside any name")
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
                    "the file is of the access group `\(StoreError.printable(header.accessGroup))`"
                    + ", not of `\(StoreError.printable(accessGroup))`",
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

    /// Reads in a transaction. `DatabaseQueue.read` would forbid writing meanwhile, by a pragma upon
    /// which SQLite compiles every statement anew: half the time of a look-up.
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
        // What `body` throws is the caller's, or was converted by the transaction.
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

    /// The table of items, with the key that the store has now.
    private func rows(_ database: Database) throws -> ItemRows {
        let known = unlocked.withLock { $0 }
        if try known.header.isCurrent(database) { return known.rows(database) }
        let header = try StoreHeader.read(database)
        guard header.isOfSameStore(as: known.header) else {
            throw StoreError(
                .invalidDatabase,
                what: "another store was put in the place of this one while it was open",
                recovery: "put it back, or open the other one anew")
        }
        let dataKey = try header.openDataKey(known.master)
        let new = Unlocked(master: known.master, header: header, dataKey: dataKey)
        unlocked.withLock { $0 = new }
        return new.rows(database)
    }

    // MARK: Keys

    /// Encrypts all items anew, with a new key that `master` opens, in one transaction.
    ///
    /// Other programs that have the store open need the new key from then on: they get `wrongKey`.
    ///
    /// Keep both keys until it has returned: after a failure of the disk at the very end the store may have
    /// the new one.
    ///
    /// - Throws: `alteredItem` for an item that cannot be read; `outOfSpace`, `busy`. The store is then
    ///   what it was, with the old key. `fileAccess` where it has the new key, and the disk has not
    ///   confirmed that.
    public func rotateKey(to master: MasterKey) throws {
        try owner.requireNone()
        var new: Unlocked?
        do {
            // The new key is known here before another thread reads the new header.
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

    /// Returns whether the store has a new key although its transaction failed, which a last flush of the
    /// folder may do. The key is then used, and the folder flushed once more.
    private func hasCommitted(_ new: Unlocked) throws(StoreError) -> Bool {
        guard (try? queue.read({ try new.header.isCurrent($0) })) == true else { return false }
        unlocked.withLock { $0 = new }
        do throws(SystemError) {
            try FileAccess.synchronizeName(of: file)
            return true
        } catch {
            throw StoreError(
                .fileAccess,
                what: "the key was changed, but the disk has not confirmed it: \(error.message)",
                file: file, recovery: "keep both keys, and open the store with either")
        }
    }

    private func rotate(_ database: Database, to master: MasterKey) throws -> Unlocked {
        let old = try rows(database)
        // Another program may have changed the version since this one read the header.
        let version = try StoreHeader.read(database).version
        let (header, dataKey) = try StoreHeader.make(
            version: version, identifier: old.header.identifier, accessGroup: accessGroup,
            master: master)
        let new = Unlocked(master: master, header: header, dataKey: dataKey)
        let items = try old.items(matching: ItemQuery(), limit: .max)
        // All pages become free, and SQLite overwrites free pages. A row that is replaced may stay legible in a
        // gap of its page.
        try old.remove(matching: ItemQuery())
        for item in items { try new.rows(database).insert(item) }
        try header.write(database)
        return new
    }
}

/// Changes within a transaction of SQLite. A connection that is used on another thread than the one
/// that has it would end the process.
private struct EncryptedTransaction: ItemTransaction, CustomReflectable {
    let accessGroup: String
    private let file: String
    private let table: ItemRows
    private let owner: TransactionOwner
    private let token: TransactionOwner.Token

    /// A transaction on this thread.
    init(_ accessGroup: String, _ file: String, _ table: ItemRows, _ owner: TransactionOwner) {
        self.accessGroup = accessGroup
        self.file = file
        self.table = table
        self.owner = owner
        token = owner.begin()
    }

    /// The access group and the file: the table has the keys of the store.
    var customMirror: Mirror {
        Mirror(
            self, children: ["accessGroup": accessGroup, "file": file], displayStyle: .struct)
    }

    /// Calls `body` with the table, on the thread that has the transaction.
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
        // What `body` throws is the caller's.
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

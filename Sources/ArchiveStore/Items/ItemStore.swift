// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A store of small secrets by service or server and account, like a keychain.
///
/// ```swift
/// let key = try MasterKey(file: keyPath, creatingIfMissing: true)
/// let shared = try EncryptedItemDatabase(file: path, accessGroup: "group.example", key: key)
/// let store = ItemStore(shared)
///
/// try store.save(Item(service: "example.com", account: "anna", password: "secret"))
/// let password = try store.password(service: "example.com", account: "anna")
/// ```
///
/// Each access group is a database of its own. A program can only use the groups whose databases it
/// opened. Programs that share a group see each other's items. The changes of one call in one group
/// are one transaction.
public struct ItemStore: Sendable {
    private let databases: [any ItemDatabase]

    /// Creates a store with the access groups of the databases. Items without a group go into the
    /// first one.
    public init(_ first: any ItemDatabase, _ others: any ItemDatabase...) {
        self.init(first, others: others)
    }

    /// Creates a store with the access groups of `first` and `others`. Items without a group go
    /// into the first one.
    public init(_ first: any ItemDatabase, others: [any ItemDatabase]) {
        databases = [first] + others
    }

    /// The access groups.
    public var accessGroups: [String] { databases.map(\.accessGroup) }

    /// Returns the databases for the access group of a query or an item.
    private func databases(_ group: String?) throws(StoreError) -> [any ItemDatabase] {
        guard let group else { return databases }
        return [try database(group)]
    }

    private func database(_ group: String?) throws(StoreError) -> any ItemDatabase {
        guard let group else { return databases[0] }
        for database in databases where ExactText(database.accessGroup) == ExactText(group) {
            return database
        }
        let known = accessGroups.map { "`\(StoreError.printable($0))`" }.joined(separator: ", ")
        throw StoreError(
            .unknownAccessGroup,
            what: "the store has no access group `\(StoreError.printable(group))`",
            recovery: "its access groups are \(known)")
    }
}

// MARK: - Reading

extension ItemStore {
    /// Returns the items that match, group by group, in the order in which they were added. If none
    /// match, the result is empty.
    ///
    /// - Throws: `unknownAccessGroup`, or `misuse` within a transaction of the same thread. For an
    ///   encrypted database also `wrongKey`, `invalidDatabase`, `alteredItem`, `busy` and
    ///   `fileAccess`.
    public func items(
        matching query: ItemQuery = ItemQuery(), limit: Int = .max
    ) throws -> [Item] {
        var found: [Item] = []
        for database in try databases(query.accessGroup) where found.count < limit {
            found += try database.items(matching: query, limit: limit - found.count)
        }
        return found
    }

    /// Returns the first item that matches.
    ///
    /// - Throws: `itemNotFound`, and the errors of ``items(matching:limit:)``.
    public func item(matching query: ItemQuery) throws -> Item {
        guard let item = try items(matching: query, limit: 1).first else {
            throw StoreError.notFound(query)
        }
        return item
    }

    /// Returns the attributes of the items that match, without the secrets.
    ///
    /// - Throws: The errors of ``items(matching:limit:)``.
    public func attributes(
        matching query: ItemQuery = ItemQuery(), limit: Int = .max
    ) throws -> [ItemAttributes] {
        try items(matching: query, limit: limit).map(\.attributes)
    }

    /// Returns the secret of the first item that matches.
    ///
    /// - Throws: The errors of ``item(matching:)``.
    public func data(matching query: ItemQuery) throws -> [UInt8] {
        try item(matching: query).data
    }
}

extension ItemStore {
    /// Returns the password of a service and an account, or nil if there is none.
    ///
    /// - Throws: `unsupportedValue` for a secret that is not valid UTF-8, and the errors of
    ///   ``items(matching:limit:)``.
    public func password(
        service: String, account: String, accessGroup: String? = nil
    ) throws -> String? {
        let query = ItemQuery(service: service, account: account, accessGroup: accessGroup)
        return try items(matching: query, limit: 1).first?.text()
    }

    /// Returns the internet password of a server and an account, or nil if there is none. If
    /// several match, for example with different ports, returns the one that was added first.
    ///
    /// - Throws: The errors of ``password(service:account:accessGroup:)``.
    public func password(
        server: String, protocol: InternetProtocol? = nil, port: UInt16? = nil,
        path: String? = nil, account: String, accessGroup: String? = nil
    ) throws -> String? {
        let query = ItemQuery(
            server: server, protocol: `protocol`, port: port, path: path, account: account,
            accessGroup: accessGroup)
        return try items(matching: query, limit: 1).first?.text()
    }

    /// Returns the items of a service, by account.
    public func items(service: String, accessGroup: String? = nil) -> ServiceItems {
        ServiceItems(self, service, accessGroup)
    }
}

// MARK: - Changing

extension ItemStore {
    /// Adds an item.
    ///
    /// - Throws: `duplicateItem` if an item with the same identity exists, `invalidName` for more
    ///   than ``ItemIdentity/largestSize`` bytes of service and account, `outOfSpace`, and the
    ///   errors of ``items(matching:limit:)``.
    public func add(_ item: Item) throws {
        try transaction(in: item.attributes.accessGroup) { try $0.add(item) }
    }

    /// Adds an item, or replaces the item with the same identity, even if the existing item cannot
    /// be read. The creation date of the replaced item is kept if it can be read.
    ///
    /// - Throws: The errors of ``add(_:)``, except `duplicateItem` and `alteredItem`.
    public func save(_ item: Item) throws {
        try transaction(in: item.attributes.accessGroup) { try $0.save(item) }
    }

    /// Changes all items that match.
    ///
    /// - Returns: The number of items changed.
    /// - Throws: `itemNotFound` if no item matches, `duplicateItem` if an item would get the
    ///   identity of another one, `unsupportedChange` for a change of the access group, the errors
    ///   of `change`, and the other errors of ``add(_:)``.
    @discardableResult
    public func update(
        matching query: ItemQuery, _ change: (inout Item) throws -> Void
    ) throws -> Int {
        try inEach(query) { try $0.update(matching: query, change) }
    }

    /// Removes all items that match, including those that cannot be read because they were altered
    /// outside of the store. If the address of an internet password cannot be read, a query for
    /// parts of an address compares only the server.
    ///
    /// - Returns: The number of items removed.
    /// - Throws: `itemNotFound` if no item matches, `outOfSpace`, and the errors of
    ///   ``items(matching:limit:)``, except `alteredItem`.
    @discardableResult
    public func delete(matching query: ItemQuery) throws -> Int {
        try inEach(query) { try $0.delete(matching: query) }
    }

    /// Performs changes in one access group: either all of them, or none. Many changes in one
    /// transaction need only one flush to disk.
    ///
    /// ```swift
    /// try store.transaction { for item in items { try $0.save(item) } }
    /// ```
    ///
    /// - Parameters:
    ///   - group: The access group, or nil for the first one of the store.
    ///   - body: A function that makes the changes with the transaction passed to it.
    /// - Returns: The result of `body`.
    /// - Throws: `outOfSpace`, the errors of `body`, and those of ``items(matching:limit:)``. After
    ///   `fileAccess`, either all changes were made or none: the last flush to disk may have
    ///   failed.
    public func transaction<Result>(
        in group: String? = nil, _ body: (any ItemTransaction) throws -> Result
    ) throws -> Result {
        try database(group).transaction(body)
    }

    /// Returns whether a database has an item that matches, even one that cannot be read.
    private func has(_ query: ItemQuery, _ database: any ItemDatabase) throws -> Bool {
        do {
            return try !database.items(matching: query, limit: 1).isEmpty
        } catch let error as StoreError where error.code == .alteredItem {
            return true
        }
    }

    private func inEach(
        _ query: ItemQuery, _ body: (any ItemTransaction) throws -> Int
    ) throws -> Int {
        var count = 0
        for database in try databases(query.accessGroup) {
            // Databases without a match are not locked.
            if try !has(query, database) { continue }
            count += try database.transaction(body)
        }
        if count == 0 { throw StoreError.notFound(query) }
        return count
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Small secrets by service or server and account, as a keychain keeps them: add, update, copy, delete.
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
/// Each access group is a database of its own. A program reaches the groups that it was given, and no
/// other; programs that share one see each other's items. What one call changes in one group is one
/// transaction.
public struct ItemStore: Sendable {
    private let databases: [any ItemDatabase]

    /// A store of the groups of `databases`; the first is where items go that name none.
    public init(_ first: any ItemDatabase, _ others: any ItemDatabase...) {
        self.init(first, others: others)
    }

    /// A store of the groups of `first` and of `others`.
    public init(_ first: any ItemDatabase, others: [any ItemDatabase]) {
        databases = [first] + others
    }

    /// The access groups.
    public var accessGroups: [String] { databases.map(\.accessGroup) }

    /// The databases that a query or an item is about.
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
            what: "the access group `\(StoreError.printable(group))` was not given to the store",
            recovery: "it has \(known)")
    }
}

// MARK: - Copying

extension ItemStore {
    /// The items that match, group by group, in the order in which they were added; none is no error.
    ///
    /// - Throws: `unknownAccessGroup`; `misuse` within a transaction of the same thread; for an encrypted
    ///   database `wrongKey`, `invalidDatabase`, `alteredItem`, `busy`, `fileAccess`.
    public func items(
        matching query: ItemQuery = ItemQuery(), limit: Int = .max
    ) throws -> [Item] {
        var found: [Item] = []
        for database in try databases(query.accessGroup) where found.count < limit {
            found += try database.items(matching: query, limit: limit - found.count)
        }
        return found
    }

    /// The first item that matches.
    ///
    /// - Throws: `itemNotFound`, and as ``items(matching:limit:)``.
    public func item(matching query: ItemQuery) throws -> Item {
        guard let item = try items(matching: query, limit: 1).first else {
            throw StoreError.notFound(query)
        }
        return item
    }

    /// Returns the attributes of the items that match, without the secrets.
    ///
    /// - Throws: as ``items(matching:limit:)``.
    public func attributes(
        matching query: ItemQuery = ItemQuery(), limit: Int = .max
    ) throws -> [ItemAttributes] {
        try items(matching: query, limit: limit).map(\.attributes)
    }

    /// The secret of the first item that matches.
    ///
    /// - Throws: as ``item(matching:)``.
    public func data(matching query: ItemQuery) throws -> [UInt8] {
        try item(matching: query).data
    }
}

extension ItemStore {
    /// The password of a service and an account; nil where there is none.
    ///
    /// - Throws: `unsupportedValue` for a secret that is no text in UTF-8; as ``items(matching:limit:)``.
    public func password(
        service: String, account: String, accessGroup: String? = nil
    ) throws -> String? {
        let query = ItemQuery(service: service, account: account, accessGroup: accessGroup)
        return try items(matching: query, limit: 1).first?.text()
    }

    /// The internet password of a server and an account; nil where there is none. Of several, on other ports say, it is
    /// the one that was added first.
    ///
    /// - Throws: as ``password(service:account:accessGroup:)``.
    public func password(
        server: String, protocol: InternetProtocol? = nil, port: UInt16? = nil,
        path: String? = nil, account: String, accessGroup: String? = nil
    ) throws -> String? {
        let query = ItemQuery(
            server: server, protocol: `protocol`, port: port, path: path, account: account,
            accessGroup: accessGroup)
        return try items(matching: query, limit: 1).first?.text()
    }

    /// The items of a service, by their accounts.
    public func items(service: String, accessGroup: String? = nil) -> ServiceItems {
        ServiceItems(self, service, accessGroup)
    }
}

// MARK: - Changing

extension ItemStore {
    /// Adds an item.
    ///
    /// - Throws: `duplicateItem` where there is one with its service, account and synchronizability;
    ///   `outOfSpace`, and as ``items(matching:limit:)``.
    public func add(_ item: Item) throws {
        try transaction(in: item.attributes.accessGroup) { try $0.add(item) }
    }

    /// Adds an item, or replaces the one that has its identity, whatever that holds. The date of its
    /// creation stays, where it can be read.
    ///
    /// - Throws: as ``add(_:)``, but never `duplicateItem` or `alteredItem`.
    public func save(_ item: Item) throws {
        try transaction(in: item.attributes.accessGroup) { try $0.save(item) }
    }

    /// Changes all items that match.
    ///
    /// - Returns: how many.
    /// - Throws: `itemNotFound` where none does; `duplicateItem` where an item would get the identity
    ///   of another; `unsupportedChange` for a change of group; what `change` throws.
    @discardableResult
    public func update(
        matching query: ItemQuery, _ change: (inout Item) throws -> Void
    ) throws -> Int {
        try inEach(query) { try $0.update(matching: query, change) }
    }

    /// Removes all items that match, also those that cannot be read because something else than the
    /// store changed them.
    ///
    /// - Returns: how many.
    /// - Throws: `itemNotFound` where none does.
    @discardableResult
    public func delete(matching query: ItemQuery) throws -> Int {
        try inEach(query) { try $0.delete(matching: query) }
    }

    /// Carries out changes in one access group, all or none: many of them cost one flush to the disk.
    ///
    /// ```swift
    /// try store.transaction { for item in items { try $0.save(item) } }
    /// ```
    ///
    /// - Parameters:
    ///   - group: the access group; the first of the store's, if it is not said.
    ///   - body: makes the changes, by the transaction that it is given.
    /// - Returns: The result of the work.
    /// - Throws: `outOfSpace`, what `body` throws, and as ``items(matching:limit:)``. After `fileAccess` the
    ///   changes may be there, all or none: the last flush to the disk may have failed.
    public func transaction<Result>(
        in group: String? = nil, _ body: (any ItemTransaction) throws -> Result
    ) throws -> Result {
        try database(group).transaction(body)
    }

    /// Returns whether a database has an item that matches, be it one that cannot be read.
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
            // A database without a match is not locked.
            if try !has(query, database) { continue }
            count += try database.transaction(body)
        }
        if count == 0 { throw StoreError.notFound(query) }
        return count
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A database with the items of one access group: a ``MemoryItemDatabase``, an
/// `EncryptedItemDatabase`, or a `KeychainItemDatabase`. An ``ItemStore`` combines several
/// databases.
public protocol ItemDatabase: Sendable {
    /// The access group of the items.
    var accessGroup: String { get }

    /// Returns the items that match, at most `limit`, in the order in which they were added.
    ///
    /// - Throws: ``StoreError``.
    func items(matching query: ItemQuery, limit: Int) throws -> [Item]

    /// Performs changes in a transaction: all of them or, if `body` throws, none. No other change
    /// happens in between.
    ///
    /// If making the transaction durable fails, it is unknown whether the transaction was carried
    /// out. Either all of it was, or none.
    ///
    /// A `KeychainItemDatabase` has no transactions: changes before an error remain.
    ///
    /// - Throws: The errors of `body`, and ``StoreError``. For example, `misuse` if `body` calls
    ///   the database instead of the transaction, or passes the transaction to another thread.
    func transaction<Result>(_ body: (any ItemTransaction) throws -> Result) throws -> Result
}

/// A set of changes that are performed together.
public protocol ItemTransaction {
    /// The access group of the items.
    var accessGroup: String { get }

    /// Returns the items that match, at most `limit`, including the changes of the transaction.
    func items(matching query: ItemQuery, limit: Int) throws -> [Item]

    /// Adds an item without changing its dates. The access group of the item becomes that of the
    /// transaction.
    ///
    /// - Throws: `duplicateItem`, or `invalidName` for more than ``ItemIdentity/largestSize`` bytes
    ///   of service and account.
    func insert(_ item: Item) throws

    /// Replaces an item with another one, whose access group becomes that of the transaction.
    ///
    /// - Throws: `itemNotFound` if there is no item with that identity, `duplicateItem` if a third
    ///   item already has the new identity, or `invalidName` like ``insert(_:)``.
    func replace(_ identity: ItemIdentity, with item: Item) throws

    /// Removes an item if it exists.
    func remove(_ identity: ItemIdentity) throws

    /// Removes all items that match, including those that cannot be read because they were altered
    /// outside of the store. If the address of an internet password cannot be read, a query for
    /// parts of an address compares only the server.
    ///
    /// - Returns: The number of items removed.
    @discardableResult
    func delete(matching query: ItemQuery) throws -> Int

    /// Performs a part of the transaction's changes: all of them or, if `body` throws, none.
    ///
    /// The default implementation keeps the changes made before an error, for databases that cannot
    /// undo them.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
}

// MARK: - Rules for items, shared by all databases

extension ItemTransaction {
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    /// Adds an item.
    ///
    /// - Throws: `duplicateItem` if an item with the same identity exists, `unsupportedChange` for
    ///   an item of another access group, or `invalidName` like ``insert(_:)``.
    public func add(_ item: Item) throws {
        try insert(prepared(item, created: nil))
    }

    /// Adds an item, or replaces the item with the same identity, even if the existing item cannot
    /// be read.
    ///
    /// - Throws: The errors of ``add(_:)``, except `duplicateItem`.
    public func save(_ item: Item) throws { try savepoint { try replaceOrAdd(item) } }

    private func replaceOrAdd(_ item: Item) throws {
        let identity = item.attributes.identity
        let old: Item?
        do {
            old = try items(matching: ItemQuery(identity), limit: 1).first
        } catch let error as StoreError where error.code == .alteredItem {
            try remove(identity)
            old = nil
        }
        guard let old else { return try add(item) }
        try replace(identity, with: prepared(item, created: old.attributes.created))
    }

    /// Changes all items that match: all of them or, if an error is thrown, none.
    ///
    /// - Returns: The number of items changed.
    /// - Throws: `duplicateItem` if an item would get the identity of another one,
    ///   `unsupportedChange` for a change of the access group, `invalidName` like ``insert(_:)``,
    ///   and the errors of `change`.
    @discardableResult
    public func update(
        matching query: ItemQuery, _ change: (inout Item) throws -> Void
    ) throws -> Int {
        try savepoint {
            let found = try items(matching: query, limit: .max)
            for old in found {
                var new = old
                try change(&new)
                try replace(
                    old.attributes.identity,
                    with: prepared(new, created: old.attributes.created))
            }
            return found.count
        }
    }

    public func delete(matching query: ItemQuery) throws -> Int {
        try savepoint {
            let found = try items(matching: query, limit: .max)
            for item in found { try remove(item.attributes.identity) }
            return found.count
        }
    }

    /// Returns an item with the access group and the dates to store.
    private func prepared(_ item: Item, created: Date?) throws(StoreError) -> Item {
        var item = item
        if let group = item.attributes.accessGroup, ExactText(group) != ExactText(accessGroup) {
            throw StoreError(
                .unsupportedChange,
                what: "an item of another access group cannot be stored in this one",
                recovery: "add it to the database of its group; to move it there, delete it here"
            )
        }
        item.attributes.accessGroup = accessGroup
        let now = Date()
        item.attributes.created = created ?? now
        item.attributes.modified = now
        return item
    }
}

extension StoreError {
    static func duplicate(_ identity: ItemIdentity, in group: String) -> StoreError {
        StoreError(
            .duplicateItem,
            what:
                "the access group `\(printable(group))` already has an item with this account for "
                + "the " + identity.subject.printable,
            recovery: "use `save` to replace it")
    }

    static func notFound(_ query: ItemQuery) -> StoreError {
        let subject: String
        if let service = query.service {
            subject = " of the service `\(printable(service))`"
        } else if let server = query.server ?? query.address?.server {
            subject = " of the server `\(printable(server))`"
        } else if let label = query.label {
            subject = " with the label `\(printable(label))`"
        } else {
            subject = ""
        }
        let group = query.accessGroup.map { " in the access group `\(printable($0))`" } ?? ""
        return StoreError(
            .itemNotFound, what: "no item\(subject)\(group) matches",
            recovery: "`items(matching:)` returns an empty result instead of an error")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The items of one access group: a ``MemoryItemDatabase``, an `EncryptedItemDatabase`, a
/// `KeychainItemDatabase`. An ``ItemStore`` puts several together.
public protocol ItemDatabase: Sendable {
    /// The access group whose items these are.
    var accessGroup: String { get }

    /// The items that match, at most `limit`, in the order in which they were added.
    ///
    /// - Throws: ``StoreError``.
    func items(matching query: ItemQuery, limit: Int) throws -> [Item]

    /// Carries out changes: all of them or, where `body` throws, none. No other change comes between.
    ///
    /// An error while the transaction is made durable leaves it open whether it was carried out: all of
    /// it, or none.
    ///
    /// - Throws: ``StoreError``, among others `misuse` where `body` asks the database instead of the
    ///   transaction, or hands the transaction to another thread; what `body` throws.
    func transaction<Result>(_ body: (any ItemTransaction) throws -> Result) throws -> Result
}

/// Changes that are carried out together.
public protocol ItemTransaction {
    /// The access group whose items are changed.
    var accessGroup: String { get }

    /// The items that match, at most `limit`, as they are within the transaction.
    func items(matching query: ItemQuery, limit: Int) throws -> [Item]

    /// Adds an item as it is, dates included. Its access group becomes that of the transaction.
    ///
    /// - Throws: `duplicateItem`; `invalidName` for more than ``ItemIdentity/largestSize`` bytes of service and
    ///   account.
    func insert(_ item: Item) throws

    /// Puts an item in the place of another. Its access group becomes that of the transaction.
    ///
    /// - Throws: `itemNotFound` where there is no item of that identity; `duplicateItem` where the new
    ///   identity is that of a third; `invalidName` as ``insert(_:)``.
    func replace(_ identity: ItemIdentity, with item: Item) throws

    /// Removes an item, if it is there.
    func remove(_ identity: ItemIdentity) throws

    /// Removes all items that match, also those that cannot be read because something else than the
    /// store changed them.
    ///
    /// - Returns: how many.
    @discardableResult
    func delete(matching query: ItemQuery) throws -> Int

    /// Carries out some of the changes of the transaction: all of them or, where `body` throws, none.
    ///
    /// By default changes before an error stay, for databases that cannot take them back.
    func savepoint<Result>(_ body: () throws -> Result) throws -> Result
}

// MARK: - The rules of items, the same for every database

extension ItemTransaction {
    public func savepoint<Result>(_ body: () throws -> Result) throws -> Result { try body() }

    /// Adds an item.
    ///
    /// - Throws: `duplicateItem` where there is one with its service, account and synchronizability.
    public func add(_ item: Item) throws {
        try insert(prepared(item, created: nil))
    }

    /// Adds an item, or replaces the one that has its identity, whatever that holds.
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

    /// Changes all items that match: all of them or, where it throws, none.
    ///
    /// - Returns: how many.
    /// - Throws: `duplicateItem`, `unsupportedChange`, and what `change` throws.
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

    /// An item with the group and the dates that it is stored with.
    private func prepared(_ item: Item, created: Date?) throws(StoreError) -> Item {
        var item = item
        if let group = item.attributes.accessGroup, ExactText(group) != ExactText(accessGroup) {
            throw StoreError(
                .unsupportedChange, what: "an item of one access group cannot be put into another",
                recovery: "add it there, and delete it here")
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
            what: "the access group `\(printable(group))` has an item of this account for the "
                + identity.subject.printable,
            recovery: "`save` replaces it")
    }

    static func notFound(_ query: ItemQuery) -> StoreError {
        let subject =
            query.service.map { " of the service `\(printable($0))`" }
            ?? (query.server ?? query.address?.server)
            .map { " of the server `\(printable($0))`" }
            ?? query.label.map { " with the label `\(printable($0))`" } ?? ""
        let group = query.accessGroup.map { " in the access group `\(printable($0))`" } ?? ""
        return StoreError(
            .itemNotFound, what: "no item\(subject)\(group) matches",
            recovery: "`items(matching:)` returns none without an error")
    }
}

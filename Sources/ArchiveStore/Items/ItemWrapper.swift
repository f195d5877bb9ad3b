// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A single item that always exists from the program's point of view. Reading returns default
/// attributes until the item is stored, and the first change adds it.
///
/// The item is identified by its ``ItemAttributes/generic``, so its account can change. An example
/// is the name and the password that a user entered last.
///
/// ```swift
/// let login = ItemWrapper("login", in: store)
/// try login.update { item in
///     item.attributes.account = name
///     item.data = Array(password.utf8)
/// }
/// let account = try login.item().attributes.account
/// try login.reset()
/// ```
public struct ItemWrapper: Sendable {
    private let store: ItemStore
    private let query: ItemQuery
    private let defaultItem: Item

    /// Creates a wrapper for the item with an identifier.
    ///
    /// - Parameters:
    ///   - identifier: A string whose UTF-8 bytes identify the item.
    ///   - store: The store that contains the item.
    ///   - attributes: The attributes of the item until it is changed. By default, they have the
    ///     identifier as the service and an empty account.
    public init(
        _ identifier: String, in store: ItemStore, default attributes: ItemAttributes? = nil
    ) {
        var attributes = attributes ?? ItemAttributes(service: identifier, account: "")
        attributes.generic = Array(identifier.utf8)
        attributes.accessGroup = attributes.accessGroup ?? store.accessGroups.first
        query = {
            var query = ItemQuery(accessGroup: attributes.accessGroup)
            query.generic = attributes.generic
            return query
        }()
        self.store = store
        defaultItem = Item(attributes, data: [])
    }

    /// Returns the item. If none is stored, the result has the default attributes and no data.
    ///
    /// - Throws: `duplicateItem` if several items have the identifier, for example for different
    ///   services, and the errors of ``ItemStore/items(matching:limit:)``.
    public func item() throws -> Item {
        try Self.only(store.items(matching: query, limit: 2)) ?? defaultItem
    }

    /// Returns the only item, or nil if there are none.
    private static func only(_ items: [Item]) throws(StoreError) -> Item? {
        guard items.count > 1 else { return items.first }
        throw StoreError(
            .duplicateItem,
            what: "expected one item with this identifier, found one of the "
                + "\(items[0].attributes.subject.printable) and one of the "
                + "\(items[1].attributes.subject.printable)",
            recovery: "use another identifier, or change the items with `ItemStore`")
    }

    /// Changes the item, or adds it if none is stored, in one transaction.
    ///
    /// - Throws: `duplicateItem` like ``item()``, and the errors of
    ///   ``ItemStore/update(matching:_:)``, except `itemNotFound`.
    public func update(_ change: (inout Item) throws -> Void) throws {
        let generic = defaultItem.attributes.generic
        try store.transaction(in: query.accessGroup) { transaction in
            _ = try Self.only(transaction.items(matching: query, limit: 2))
            let count = try transaction.update(matching: query) { item in
                try change(&item)
                item.attributes.generic = generic
            }
            if count > 0 { return }
            var item = defaultItem
            try change(&item)
            item.attributes.generic = generic
            try transaction.add(item)
        }
    }

    /// Removes the item, which then has its default attributes again.
    ///
    /// - Throws: `duplicateItem` like ``item()``, `outOfSpace`, and the errors of
    ///   ``ItemStore/items(matching:limit:)``.
    public func reset() throws {
        try store.transaction(in: query.accessGroup) { transaction in
            _ = try Self.only(transaction.items(matching: query, limit: 2))
            _ = try transaction.delete(matching: query)
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// One item that a program always has: read with default attributes while it is not stored, added or
/// updated when it is changed.
///
/// It is known by its ``ItemAttributes/generic``, so that the account may change: the name and the
/// password that a user last entered, say.
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

    /// The item of an identifier.
    ///
    /// - Parameters:
    ///   - identifier: what the item is known by.
    ///   - store: where it is.
    ///   - attributes: those it has until they are changed; by default those of a service called like
    ///     the identifier, with an empty account.
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

    /// The item; with default attributes and without data where none is stored.
    ///
    /// - Throws: as ``ItemStore/items(matching:limit:)``.
    public func item() throws -> Item {
        try store.items(matching: query, limit: 1).first ?? defaultItem
    }

    /// Changes the item, and adds it where none is stored, in one transaction.
    ///
    /// - Throws: as ``ItemStore/update(matching:_:)``, but never `itemNotFound`.
    public func update(_ change: (inout Item) throws -> Void) throws {
        let generic = defaultItem.attributes.generic
        try store.transaction(in: query.accessGroup) { transaction in
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

    /// Removes the item, so that it has its default attributes again.
    ///
    /// - Throws: as ``ItemStore/items(matching:limit:)``.
    public func reset() throws {
        try store.transaction(in: query.accessGroup) { _ = try $0.delete(matching: query) }
    }
}

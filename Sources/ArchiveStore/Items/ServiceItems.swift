// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The items of one service in an ``ItemStore``, keyed by account.
///
/// ```swift
/// let items = store.items(service: "example.com")
/// try items.setPassword("secret", account: "anna")
/// let password = try items["anna"]?.password
/// ```
///
/// Nothing is cached: each call queries the store.
public struct ServiceItems: Sendable {
    private let store: ItemStore
    private let service: String
    private let accessGroup: String?

    init(_ store: ItemStore, _ service: String, _ accessGroup: String?) {
        self.store = store
        self.service = service
        self.accessGroup = accessGroup
    }

    private func query(_ account: String? = nil) -> ItemQuery {
        ItemQuery(service: service, account: account, accessGroup: accessGroup)
    }

    /// The item of an account, or nil if there is none.
    ///
    /// - Throws: The errors of ``ItemStore/items(matching:limit:)``.
    public subscript(account: String) -> Item? {
        get throws { try store.items(matching: query(account), limit: 1).first }
    }

    /// The accounts, group by group, in the order in which their items were added.
    ///
    /// - Throws: The errors of ``ItemStore/items(matching:limit:)``.
    public var accounts: [String] {
        get throws { try store.attributes(matching: query()).map(\.account) }
    }

    /// Sets the password of an account, or removes its items if the password is nil. Unlike
    /// ``ItemStore/save(_:)``, this method keeps the attributes of an existing item.
    ///
    /// A new item goes into the access group of these items, or into the first one of the store.
    ///
    /// - Throws: The errors of ``ItemStore/update(matching:_:)``, except `itemNotFound`.
    public func setPassword(_ password: String?, account: String) throws {
        let query = query(account)
        guard let password else {
            do { try store.delete(matching: query) } catch let error as StoreError
                where error.code == .itemNotFound
            {}
            return
        }
        let found = try store.items(matching: query, limit: 1).first
        let group = found?.attributes.accessGroup ?? accessGroup
        try store.transaction(in: group) { transaction in
            let count = try transaction.update(matching: query) { $0.data = Array(password.utf8) }
            if count > 0 { return }
            try transaction.add(Item(service: service, account: account, password: password))
        }
    }
}

extension Item {
    /// Returns the secret as text.
    ///
    /// - Throws: `unsupportedValue` for a secret that is not valid UTF-8.
    func text() throws(StoreError) -> String {
        if let password { return password }
        throw StoreError(
            .unsupportedValue,
            what:
                "the secret of the item of the \(attributes.subject.printable) is not UTF-8 text",
            recovery: "read its bytes with `item(matching:).data`")
    }
}

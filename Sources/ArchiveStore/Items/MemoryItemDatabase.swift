// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A database of items in memory, for tests and for secrets that must not be stored on a disk.
public final class MemoryItemDatabase: ItemDatabase {
    /// The access group of the items.
    public let accessGroup: String
    private let table = Guarded(ItemTable())
    private let owner = TransactionOwner()

    /// Creates an empty database for an access group.
    public init(accessGroup: String) { self.accessGroup = accessGroup }

    public func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        try owner.requireNone()
        return table.withLock { $0.items(matching: query, limit: limit) }
    }

    public func transaction<Result>(
        _ body: (any ItemTransaction) throws -> Result
    ) throws -> Result {
        try owner.requireNone()
        return try table.withLock { table in
            let transaction = MemoryTransaction(accessGroup, table, owner)
            // Empty the variable, so that the transaction has the only copy of the table and
            // changes it in place.
            table = ItemTable()
            defer {
                table = transaction.table
                owner.end()
            }
            do { return try body(transaction) } catch {
                transaction.rollBack(to: 0)
                throw error
            }
        }
    }
}

/// Items by identity, numbered in the order in which they were added.
private struct ItemTable {
    typealias Entry = (number: UInt64, item: Item)

    private var entries: [ItemIdentity: Entry] = [:]
    private var count: UInt64 = 0

    subscript(identity: ItemIdentity) -> Entry? {
        get { entries[identity] }
        set { entries[identity] = newValue }
    }

    func items(matching query: ItemQuery, limit: Int) -> [Item] {
        if let identity = query.identity {
            let item = entries[identity]?.item
            return item.map { query.matches($0.attributes) && limit > 0 ? [$0] : [] } ?? []
        }
        let found = entries.values.filter { query.matches($0.item.attributes) }
        return found.sorted { $0.number < $1.number }.prefix(max(0, limit)).map(\.item)
    }

    /// Returns the number for an item that is added.
    mutating func nextNumber() -> UInt64 {
        count &+= 1
        return count
    }
}

/// A transaction that changes a table and records how to undo the changes.
private final class MemoryTransaction: ItemTransaction {
    let accessGroup: String
    private let owner: TransactionOwner
    private let token: TransactionOwner.Token
    private(set) var table: ItemTable
    private var undo: [(identity: ItemIdentity, entry: ItemTable.Entry?)] = []

    /// Begins a transaction on the calling thread.
    init(_ accessGroup: String, _ table: ItemTable, _ owner: TransactionOwner) {
        self.accessGroup = accessGroup
        self.table = table
        self.owner = owner
        token = owner.begin()
    }

    func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        try owner.require(token)
        let start = undo.count
        do { return try body() } catch {
            rollBack(to: start)
            throw error
        }
    }

    /// Undoes all but the first `count` changes.
    func rollBack(to count: Int) {
        while undo.count > count, let last = undo.popLast() { table[last.identity] = last.entry }
    }

    private func set(_ entry: ItemTable.Entry?, _ identity: ItemIdentity) {
        undo.append((identity, table[identity]))
        table[identity] = entry
    }

    func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        try owner.require(token)
        return table.items(matching: query, limit: limit)
    }

    func insert(_ item: Item) throws {
        try owner.require(token)
        let identity = item.attributes.identity
        try identity.requireSize()
        if table[identity] != nil { throw StoreError.duplicate(identity, in: accessGroup) }
        set((table.nextNumber(), ofGroup(item)), identity)
    }

    func replace(_ identity: ItemIdentity, with item: Item) throws {
        try owner.require(token)
        guard let number = table[identity]?.number else {
            throw StoreError.notFound(ItemQuery(identity, accessGroup: accessGroup))
        }
        let new = item.attributes.identity
        try new.requireSize()
        if new != identity, table[new] != nil {
            throw StoreError.duplicate(new, in: accessGroup)
        }
        set(nil, identity)
        set((number, ofGroup(item)), new)
    }

    private func ofGroup(_ item: Item) -> Item {
        var item = item
        item.attributes.accessGroup = accessGroup
        return item
    }

    func remove(_ identity: ItemIdentity) throws {
        try owner.require(token)
        set(nil, identity)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

/// A dictionary of archived values in one item: the keychain wrapper that many programs carry.
///
/// ```swift
/// let settings = ArchivedDictionary(in: store, service: "com.example.app", account: "settings")
/// try settings.set("Anna", forKey: "name")
/// let name = try settings.value(String.self, forKey: "name")
/// try settings.update { $0["age"] = AnyArchived(36); $0["name"] = nil }
/// ```
///
/// The item holds a keyed archive with an NSMutableDictionary under a named key. All values, at every
/// depth, are held against the list of allowed classes: before anything is written, and when it is read.
/// Every change reads the item, changes it and writes it in one transaction, so that programs that share
/// it lose nothing to each other.
public struct ArchivedDictionary: Sendable {
    /// What is done about an item whose data are no archive of allowed classes, or that something else
    /// than its store changed.
    public enum CorruptionPolicy: Sendable {
        /// The error is thrown, the item stays as it is.
        case `throw`
        /// The error is handed over, the item is removed, and the dictionary is empty.
        case reset(report: @Sendable (any Error) -> Void)
    }

    private let store: ItemStore
    private let attributes: ItemAttributes
    private let key: String
    private let registry: ClassRegistry
    private let limits: ParsingLimits
    private let corruption: CorruptionPolicy

    /// The key of the archive's root, if another is not said.
    public static let defaultKey = "values"

    /// The dictionary in an item.
    ///
    /// - Parameters:
    ///   - store: where the item is.
    ///   - attributes: those of the item: by its service, its account and its group it is found, with
    ///     all of them it is added.
    ///   - key: the key of the archive's root.
    ///   - registry: the classes that values may be of.
    ///   - limits: how much the archive may ask for.
    ///   - corruption: what is done about data that are no such archive.
    public init(
        in store: ItemStore, item attributes: ItemAttributes, key: String = defaultKey,
        allowing registry: ClassRegistry = .commonClasses, limits: ParsingLimits = .untrusted,
        onCorruption corruption: CorruptionPolicy = .throw
    ) {
        self.store = store
        self.attributes = attributes
        self.key = key
        self.registry = registry
        self.limits = limits
        self.corruption = corruption
    }

    /// The dictionary in the item of a service and an account, in the store's first group.
    public init(
        in store: ItemStore, service: String, account: String, key: String = defaultKey,
        allowing registry: ClassRegistry = .commonClasses,
        onCorruption corruption: CorruptionPolicy = .throw
    ) {
        self.init(
            in: store, item: ItemAttributes(service: service, account: account), key: key,
            allowing: registry, onCorruption: corruption)
    }
}

// MARK: - Reading

extension ArchivedDictionary {
    /// The value of a key; nil where there is none.
    public subscript(key: String) -> AnyArchived? {
        get throws { try dictionary()[key] }
    }

    /// The value of a key as `type`; nil where there is none.
    ///
    /// - Throws: ``StoreError`` with `unsupportedValue` where it is of another type; as
    ///   ``dictionary()``.
    public func value<Value>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let entry = try self[key] else { return nil }
        if let value = entry.value(as: type) { return value }
        throw StoreError(
            .unsupportedValue,
            what: "a value of type \(Swift.type(of: entry.value)), not \(type)",
            path: PropertyListPath([.key(self.key), .key(key)]))
    }

    /// All entries; none where there is no item.
    ///
    /// - Throws: under ``CorruptionPolicy/throw`` `KeyedArchiveError` for data that are no archive of
    ///   allowed classes, and `alteredItem`; as ``ItemStore/items(matching:limit:)``.
    public func dictionary() throws -> [String: AnyArchived] {
        do {
            return try entries(of: store.items(matching: query, limit: 1))
        } catch  where Self.isCorruption(error) {
            guard case .reset = corruption else { throw error }
            // Again in a transaction, for the item may have been put right meanwhile.
            return try store.transaction(in: attributes.accessGroup, entriesOrReset)
        }
    }

    private var query: ItemQuery {
        ItemQuery(attributes.identity, accessGroup: attributes.accessGroup ?? store.accessGroups[0])
    }

    /// The entries in the one item that was found, or in none.
    private func entries(of found: [Item]) throws -> [String: AnyArchived] {
        guard let item = found.first else { return [:] }
        return try KeyedUnarchiver(parsing: item.data, allowing: registry, limits: limits)
            .unarchive([String: AnyArchived].self, forKey: key)
    }

    private static func isCorruption(_ error: any Error) -> Bool {
        error is KeyedArchiveError || (error as? StoreError)?.code == .alteredItem
    }

    /// The entries; where the data are no archive of them, what the policy says.
    private func entriesOrReset(
        _ transaction: any ItemTransaction
    ) throws -> [String: AnyArchived] {
        do {
            return try entries(of: transaction.items(matching: query, limit: 1))
        } catch  where Self.isCorruption(error) {
            guard case .reset(let report) = corruption else { throw error }
            report(error)
            try transaction.remove(attributes.identity)
            return [:]
        }
    }
}

// MARK: - Changing

extension ArchivedDictionary {
    /// Sets the value of a key; nil removes it.
    ///
    /// - Throws: as ``update(_:)``.
    public func set(_ value: (some KeyedCodable)?, forKey key: String) throws {
        let value = value.map { AnyArchived($0) }
        try update { $0[key] = value }
    }

    /// Removes the value of a key.
    ///
    /// - Throws: as ``update(_:)``.
    public func removeValue(forKey key: String) throws {
        try update { $0[key] = nil }
    }

    /// Changes entries, all or none.
    ///
    /// - Throws: `KeyedArchiveError` with `classNotAllowed` and the path for a value that is not allowed,
    ///   or what reading would throw for one that could not be read again, before anything is written;
    ///   for data that are no archive as ``dictionary()``; what `change`
    ///   throws; as ``ItemStore/save(_:)``.
    public func update(_ change: (inout [String: AnyArchived]) throws -> Void) throws {
        try store.transaction(in: attributes.accessGroup) { transaction in
            var entries = try entriesOrReset(transaction)
            try change(&entries)
            let item = Item(attributes, data: try archive(entries))
            // What could not be read again is not written.
            _ = try self.entries(of: [item])
            try transaction.write(item, query)
        }
    }

    /// Removes the item with all its entries, whatever it holds.
    ///
    /// - Throws: as ``ItemStore/delete(matching:)``, but never `itemNotFound`.
    public func reset() throws {
        try store.transaction(in: attributes.accessGroup) { try $0.remove(attributes.identity) }
    }

    private func archive(_ entries: [String: AnyArchived]) throws -> [UInt8] {
        let archiver = KeyedArchiver(allowing: registry, limits: limits)
        try archiver.roots.encode(Mutable(entries), forKey: key)
        return try archiver.finish()
    }
}

extension ItemTransaction {
    /// Gives an item other data, and adds it where it is not there.
    fileprivate func write(_ item: Item, _ query: ItemQuery) throws {
        if try update(matching: query, { $0.data = item.data }) > 0 { return }
        try add(item)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

/// A dictionary of archived values in one item, as in the keychain wrappers of many programs.
///
/// ```swift
/// let settings = ArchivedDictionary(in: store, service: "com.example.app", account: "settings")
/// settings["name"] = "Anna"
/// let name = try settings.value(String.self, forKey: "name")
/// try settings.update { $0["age"] = 36; $0["name"] = nil }
/// ```
///
/// The item holds a keyed archive with an NSMutableDictionary under a named key. The classes of all
/// values, at every depth, are checked against the allow-list before writing and while reading.
/// Each change reads, changes and writes the item in one transaction, so programs that share the
/// item do not overwrite each other's entries.
public struct ArchivedDictionary: Sendable {
    /// A policy for corrupt items: items whose data cannot be parsed, and items that were altered
    /// outside of their store.
    ///
    /// Data counts as corrupt if `ArchiveGraph`, which needs no classes, cannot parse it: it is not
    /// a property list, or an object in it is broken. Every policy throws all other errors, because
    /// the item may be valid for another version of the program. Examples are a class that is not
    /// allowed, a value that a Swift type cannot hold, a root under another key, a property list
    /// that is not an archive, and an exceeded limit.
    public enum CorruptionPolicy: Sendable {
        /// Throws the error and leaves the item unchanged.
        case `throw`
        /// Reports the error and the item's data, and treats the dictionary as empty.
        ///
        /// Reading leaves the item unchanged. A change replaces the item after `report` has
        /// returned, so `report` should save the data if it may still be useful. It cannot save it
        /// in the same database: a change calls `report` within its transaction, in which using the
        /// database throws `misuse`. `data` is nil if it cannot be decrypted. If `report` throws,
        /// its error is passed on and the item stays unchanged.
        case reset(report: @Sendable (_ error: any Error, _ data: [UInt8]?) throws -> Void)
    }

    private let store: ItemStore
    private let attributes: ItemAttributes
    private let key: String
    private let registry: ClassRegistry
    private let limits: ParsingLimits
    private let corruption: CorruptionPolicy
    /// The handler for failures of setting values by the subscript.
    public let onFailure: FailureHandler

    /// The default key of the archive's root.
    public static let defaultKey = "values"

    /// Creates a dictionary that is stored in an item.
    ///
    /// - Parameters:
    ///   - store: The store that contains the item.
    ///   - attributes: The attributes of the item. Their identity and the access group select the
    ///     item (``ItemAttributes/identity``). A new item gets all attributes.
    ///   - key: The key of the archive's root.
    ///   - registry: The allowed classes of values.
    ///   - limits: The limits on parsing the archive.
    ///   - corruption: The policy for corrupt items.
    ///   - onFailure: The handler for failures of setting values by the subscript. By default,
    ///     failures are written to standard error.
    public init(
        in store: ItemStore, item attributes: ItemAttributes, key: String = defaultKey,
        allowing registry: ClassRegistry = .commonClasses, limits: ParsingLimits = .untrusted,
        onCorruption corruption: CorruptionPolicy = .throw,
        onFailure: FailureHandler = .standardError
    ) {
        self.store = store
        self.attributes = attributes
        self.key = key
        self.registry = registry
        self.limits = limits
        self.corruption = corruption
        self.onFailure = onFailure
    }

    /// Creates a dictionary in the item of a service and an account, in the store's first access
    /// group.
    public init(
        in store: ItemStore, service: String, account: String, key: String = defaultKey,
        allowing registry: ClassRegistry = .commonClasses,
        onCorruption corruption: CorruptionPolicy = .throw,
        onFailure: FailureHandler = .standardError
    ) {
        self.init(
            in: store, item: ItemAttributes(service: service, account: account), key: key,
            allowing: registry, onCorruption: corruption, onFailure: onFailure)
    }
}

// MARK: - Reading

extension ArchivedDictionary {
    /// The value for a key, or nil if there is none. Throws the errors of ``dictionary()``.
    public subscript(key: String) -> AnyArchived? {
        get throws { try dictionary()[key] }
    }

    /// Returns the value for a key as `type`, or nil if there is none.
    ///
    /// - Throws: ``StoreError`` with `unsupportedValue` if the value has another type, and the
    ///   errors of ``dictionary()``.
    public func value<Value>(_ type: Value.Type = Value.self, forKey key: String) throws -> Value? {
        guard let entry = try self[key] else { return nil }
        if let value = entry.value(as: type) { return value }
        throw StoreError(
            .unsupportedValue,
            what: "expected \(type), found \(Swift.type(of: entry.value)), \(source)",
            path: PropertyListPath([.key(self.key), .entry(key)]),
            recovery: "request the value as `\(Swift.type(of: entry.value))`")
    }

    /// Returns all entries. The result is empty if there is no item.
    ///
    /// - Throws: `KeyedArchiveError` if the data is not an archive of allowed classes.
    ///   ``StoreError`` with `invalidContents` for a key that occurs twice, and the errors of
    ///   ``ItemStore/items(matching:limit:)``. Under ``CorruptionPolicy/throw``, also the errors
    ///   for data that cannot be parsed, and `alteredItem`.
    public func dictionary() throws -> ArchivedEntries {
        try contentsOrReport { try store.items(matching: query, limit: 1) }.entries
    }

    private var query: ItemQuery {
        ItemQuery(attributes.identity, accessGroup: attributes.accessGroup ?? store.accessGroups[0])
    }

    /// The description of the item in messages.
    private var source: String {
        "item of the \(attributes.subject.printable) for the account "
            + "`\(StoreError.printable(attributes.account))`"
    }

    /// The contents of an item. A missing or corrupt item has neither entries nor roots.
    private struct Contents {
        var entries = ArchivedEntries()
        /// The keys of all roots of the archive.
        var roots: [String] = []
        var isMissing = false
        var isCorrupt = false
    }

    /// Decodes an archive.
    private func contents(of data: [UInt8]) throws -> Contents {
        try withErrors(about: source) {
            let unarchiver = try KeyedUnarchiver(
                parsing: data, allowing: registry, limits: limits)
            let pairs = try unarchiver.unarchive(
                ArchivedPairs<String, AnyArchived>.self, forKey: key)
            return Contents(entries: try ArchivedEntries(pairs), roots: unarchiver.roots.keys)
        }
    }

    /// Returns the contents of the item that `find` returns. For a corrupt item, returns no entries
    /// if the policy allows it.
    private func contentsOrReport(_ find: () throws -> [Item]) throws -> Contents {
        var data: [UInt8]?
        do {
            data = try find().first?.data
            return try data.map(contents) ?? Contents(isMissing: true)
        } catch  where isCorruption(error, data) {
            guard case .reset(let report) = corruption else { throw error }
            try report(error, data)
            return Contents(isCorrupt: true)
        }
    }

    /// Returns whether an error means that the item is corrupt: it was altered outside of its
    /// store, or its data cannot be parsed, regardless of the requested types.
    ///
    /// The error code is not enough: types report values that they cannot hold with the same codes
    /// as broken objects. So the data is parsed again without any type.
    private func isCorruption(_ error: any Error, _ data: [UInt8]?) -> Bool {
        if (error as? StoreError)?.code == .alteredItem { return true }
        guard error is KeyedArchiveError, let data else { return false }
        do {
            _ = try ArchiveGraph(parsing: data, limits: limits)
            return false
        } catch {
            switch error.code {
            case .invalidPropertyList: return !error.isLimit
            case .danglingReference, .duplicateKey, .malformedObject, .malformedClass: return true
            default: return false
            }
        }
    }
}

// MARK: - Changing

extension ArchivedDictionary {
    /// Sets the value for a key in a transaction of its own, or removes it if the value is nil.
    ///
    /// A subscript setter cannot throw. A failure is reported to ``onFailure``, and the item stays
    /// unchanged; ``set(_:forKey:)`` throws the error instead. This subscript cannot be read, so
    /// that a failure to read is never mistaken for a missing value. Read with
    /// ``value(_:forKey:)``, or as `AnyArchived` with the other subscript.
    public subscript<Value: KeyedCodable>(key: String) -> Value? {
        @available(*, unavailable, message: "read with `try value(Value.self, forKey: key)`")
        get { nil }
        nonmutating set { do { try set(newValue, forKey: key) } catch { onFailure(error) } }
    }

    /// Sets the value for a key, or removes it if the value is nil.
    ///
    /// - Throws: The errors of ``update(_:)``.
    public func set(_ value: (some KeyedCodable)?, forKey key: String) throws {
        let value = value.map { AnyArchived($0) }
        try update { $0[key] = value }
    }

    /// Removes the value for a key.
    ///
    /// - Throws: The errors of ``update(_:)``.
    public func removeValue(forKey key: String) throws {
        try update { $0[key] = nil }
    }

    /// Changes entries in one transaction: either all changes are stored, or none. A missing item
    /// is created for the first entry.
    ///
    /// - Throws: `KeyedArchiveError` with `classNotAllowed` and the path of a value whose class is
    ///   not allowed, or the error of an entry that cannot be read back. Both occur before anything
    ///   is written. ``StoreError`` with `unsupportedChange` if the archive has other roots, which
    ///   would be lost. Also the errors of ``dictionary()``, of `change`, and of
    ///   ``ItemStore/save(_:)``.
    public func update(_ change: (inout ArchivedEntries) throws -> Void) throws {
        try store.transaction(in: attributes.accessGroup) { transaction in
            var contents = try contentsOrReport {
                try transaction.items(matching: query, limit: 1)
            }
            try requireOneRoot(contents.roots)
            try change(&contents.entries)
            if contents.isMissing, contents.entries.isEmpty { return }
            let item = Item(attributes, data: try archive(contents.entries))
            // Archives that cannot be read back are not written.
            _ = try self.contents(of: item.data)
            if contents.isCorrupt { try transaction.remove(attributes.identity) }
            try transaction.write(item, query)
        }
    }

    /// Checks that the archive to be replaced has no root except that of the dictionary. Another
    /// program, or another version of this one, may keep values in other roots.
    private func requireOneRoot(_ roots: [String]) throws(StoreError) {
        guard let other = roots.first(where: { !$0.isLiterally(key) }) else { return }
        throw StoreError(
            .unsupportedChange,
            what:
                "expected only the root `\(StoreError.printable(key))`, found \(roots.count) roots, "
                + "among them `\(StoreError.printable(other))`, \(source)",
            recovery:
                "change the archive with `KeyedUnarchiver` and `KeyedArchiver`, which keep all "
                + "roots")
    }

    /// Removes the item with all its entries, even if the item is corrupt.
    ///
    /// - Throws: The errors of ``ItemStore/delete(matching:)``, except `itemNotFound`.
    public func reset() throws {
        try store.transaction(in: attributes.accessGroup) { try $0.remove(attributes.identity) }
    }

    private func archive(_ entries: ArchivedEntries) throws -> [UInt8] {
        try withErrors(about: source) {
            let archiver = KeyedArchiver(allowing: registry, limits: limits)
            archiver.roots.encode(Mutable(entries.pairs), forKey: key)
            return try archiver.finish()
        }
    }
}

extension ItemTransaction {
    /// Replaces the data of an item, or adds the item if it does not exist.
    fileprivate func write(_ item: Item, _ query: ItemQuery) throws {
        if try update(matching: query, { $0.data = item.data }) > 0 { return }
        try add(item)
    }
}

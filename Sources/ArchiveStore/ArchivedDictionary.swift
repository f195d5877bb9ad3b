// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

/// A dictionary of archived values in one item: the keychain wrapper that many programs carry.
///
/// ```swift
/// let settings = ArchivedDictionary(in: store, service: "com.example.app", account: "settings")
/// settings["name"] = "Anna"
/// let name = try settings.value(String.self, forKey: "name")
/// try settings.update { $0["age"] = 36; $0["name"] = nil }
/// ```
///
/// The item holds a keyed archive with an NSMutableDictionary under a named key. The classes of all
/// values, at every depth, are checked against the allowed ones before anything is written, and when it
/// is read. Each change reads, changes and writes the item in one transaction, so programs that share it
/// do not overwrite each other's entries.
public struct ArchivedDictionary: Sendable {
    /// The way to deal with a corrupt item: its data cannot be parsed, or something else than its store
    /// changed it.
    ///
    /// Data cannot be parsed if `ArchiveGraph` cannot, which needs no class: they are no property list,
    /// or an object in them is broken. An item that was read in vain for another reason is not corrupt,
    /// and every policy throws the error: a class that is not allowed, a value that a Swift type cannot
    /// hold, a root under another key, a property list that is no archive, a limit that is exceeded. It
    /// may be the good item of another version of the program.
    public enum CorruptionPolicy: Sendable {
        /// Throws the error. The item stays as it is.
        case `throw`
        /// Hands over the error and the item's data, and takes the dictionary for empty.
        ///
        /// Reading leaves the item as it is. A change replaces it, after `report` has returned: keep the
        /// data there if they may still be of use. They are nil where they cannot be decrypted. What
        /// `report` throws is thrown on, and the item stays.
        case reset(report: @Sendable (_ error: any Error, _ data: [UInt8]?) throws -> Void)
    }

    private let store: ItemStore
    private let attributes: ItemAttributes
    private let key: String
    private let registry: ClassRegistry
    private let limits: ParsingLimits
    private let corruption: CorruptionPolicy
    /// Takes the failures of setting values by the subscript.
    public let onFailure: FailureHandler

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
    ///   - corruption: the way to deal with data that cannot be parsed.
    ///   - onFailure: gets the failures of setting values by the subscript; by default they are written to standard
    ///     error.
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

    /// The dictionary in the item of a service and an account, in the store's first group.
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
            what: "a value of type \(Swift.type(of: entry.value)), not \(type), \(source)",
            path: PropertyListPath([.key(self.key), .entry(key)]),
            recovery: "`\(Swift.type(of: entry.value)).self` reads it")
    }

    /// All entries; none where there is no item.
    ///
    /// - Throws: `KeyedArchiveError` for data that are no archive of allowed classes; under
    ///   ``CorruptionPolicy/throw`` also where they cannot be parsed, and `alteredItem`;
    ///   `invalidContents` for a key that occurs twice; as ``ItemStore/items(matching:limit:)``.
    public func dictionary() throws -> ArchivedEntries {
        try entriesOrReport { try store.items(matching: query, limit: 1) }.entries
    }

    private var query: ItemQuery {
        ItemQuery(attributes.identity, accessGroup: attributes.accessGroup ?? store.accessGroups[0])
    }

    /// The item in messages.
    private var source: String {
        "item of the \(attributes.subject.printable) for the account "
            + "`\(StoreError.printable(attributes.account))`"
    }

    /// The entries of an archive.
    private func entries(in data: [UInt8]) throws -> ArchivedEntries {
        try withErrors(about: source) {
            let pairs = try KeyedUnarchiver(parsing: data, allowing: registry, limits: limits)
                .unarchive(ArchivedPairs<String, AnyArchived>.self, forKey: key)
            return try ArchivedEntries(pairs)
        }
    }

    /// The entries of the item that `find` returns; none for a corrupt item, where the policy says so.
    private func entriesOrReport(
        _ find: () throws -> [Item]
    ) throws -> (entries: ArchivedEntries, isCorrupt: Bool) {
        var data: [UInt8]?
        do {
            data = try find().first?.data
            return (try data.map(entries) ?? ArchivedEntries(), false)
        } catch  where isCorruption(error, data) {
            guard case .reset(let report) = corruption else { throw error }
            try report(error, data)
            return (ArchivedEntries(), true)
        }
    }

    /// Returns whether an error is about data that cannot be parsed, whatever is asked of them.
    ///
    /// The code of the error does not tell: types report values that they cannot hold in the same way as
    /// broken objects. So the data are parsed again, without any type.
    private func isCorruption(_ error: any Error, _ data: [UInt8]?) -> Bool {
        if (error as? StoreError)?.code == .alteredItem { return true }
        guard error is KeyedArchiveError, let data else { return false }
        do {
            _ = try ArchiveGraph(parsing: data, limits: limits)
            return false
        } catch {
            switch error.code {
            case .invalidPropertyList: return error.propertyListError?.code.isLimit != true
            case .danglingReference, .malformedObject, .malformedClass: return true
            default: return false
            }
        }
    }
}

// MARK: - Changing

extension ArchivedDictionary {
    /// Sets the value of a key at once, in a transaction of its own; nil removes it.
    ///
    /// A subscript that sets cannot throw. A failure is reported to ``onFailure``, and the item stays as it is;
    /// ``set(_:forKey:)`` throws the error instead. Values are read by ``value(_:forKey:)``, or as `AnyArchived`
    /// by the other subscript: a failure to read is never taken for a value that is not there.
    public subscript<Value: KeyedCodable>(key: String) -> Value? {
        @available(*, unavailable, message: "read with `try value(Value.self, forKey: key)`")
        get { nil }
        nonmutating set { do { try set(newValue, forKey: key) } catch { onFailure(error) } }
    }

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
    public func update(_ change: (inout ArchivedEntries) throws -> Void) throws {
        try store.transaction(in: attributes.accessGroup) { transaction in
            var (entries, isCorrupt) = try entriesOrReport {
                try transaction.items(matching: query, limit: 1)
            }
            try change(&entries)
            let item = Item(attributes, data: try archive(entries))
            // Entries that could not be read again are not written.
            _ = try self.entries(in: item.data)
            if isCorrupt { try transaction.remove(attributes.identity) }
            try transaction.write(item, query)
        }
    }

    /// Removes the item with all its entries, whatever it holds.
    ///
    /// - Throws: as ``ItemStore/delete(matching:)``, but never `itemNotFound`.
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
    /// Gives an item other data, and adds it where it is not there.
    fileprivate func write(_ item: Item, _ query: ItemQuery) throws {
        if try update(matching: query, { $0.data = item.data }) > 0 { return }
        try add(item)
    }
}

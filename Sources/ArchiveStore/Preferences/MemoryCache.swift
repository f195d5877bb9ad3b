// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A key-value store that does not outlive the process. Otherwise it behaves like ``Preferences``.
///
/// For objects of any type, with limits on their number or cost, use ``ObjectCache``.
public final class MemoryCache: KeyValueStore {
    /// The handler for failures that no call can throw.
    public let onFailure: FailureHandler
    private let table = KeyValueTable(hasFile: false)

    /// Creates an empty cache. `onFailure` handles the failures that no call can throw.
    public init(onFailure: FailureHandler = .standardError) { self.onFailure = onFailure }

    // `Preferences` repeats these methods, because the table that both call is not public.

    public func value(forKey key: String) -> PropertyListValue? { table.value(key) }

    public func set(_ value: PropertyListValue?, forKey key: String) throws(StoreError) {
        if let value { try PlainKinds.require(value) }
        table.set(value, key)
    }

    public func set<Value: PropertyListConvertible>(_ value: Value?, forKey key: String) {
        table.set(value?.propertyListValue, key)
    }

    public func register(defaults: PropertyListDictionary) { table.register(defaults) }

    public var storedValues: PropertyListDictionary { table.stored }

    public var changes: KeyChanges { table.changes() }

    /// Does nothing, because there is no file.
    public func synchronize() {}
}

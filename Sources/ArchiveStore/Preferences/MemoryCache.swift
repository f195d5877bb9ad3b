// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// Values by their keys that do not outlive the process; like ``Preferences`` otherwise.
///
/// For objects of any type, within a limit of count or cost, there is ``ObjectCache``.
public final class MemoryCache: KeyValueStore {
    public let onFailure: FailureHandler
    private let table = KeyValueTable(hasFile: false)

    /// An empty cache. `onFailure` gets the failures that no call can throw.
    public init(onFailure: FailureHandler = .standardError) { self.onFailure = onFailure }

    // `Preferences` has the same calls. Both go on to a table, which is not public.

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

    /// Does nothing: there is no file.
    public func synchronize() {}
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A key-value store: ``Preferences``, which are kept in a file, or a ``MemoryCache``.
///
/// ```swift
/// preferences.register(defaults: ["volume": 0.8])
/// preferences["name"] = "Anna"
/// let volume: Double? = preferences["volume"]
/// ```
public protocol KeyValueStore: Sendable {
    /// Returns the value that is stored for a key, or its registered default.
    func value(forKey key: String) -> PropertyListValue?

    /// Stores a property list value for a key, or removes the stored value if `value` is nil.
    /// Removing takes time linear in the number of keys.
    ///
    /// - Throws: ``StoreError`` with `unsupportedValue` and the path for null, UIDs, sets, and
    ///   dates that are infinite or not a number.
    func set(_ value: PropertyListValue?, forKey key: String) throws(StoreError)

    /// Stores a value for a key, or removes the stored value if `value` is nil. A value that the
    /// file cannot hold, such as a date that is infinite or not a number, is kept in memory.
    /// ``synchronize()`` then throws an error about it.
    func set<Value: PropertyListConvertible>(_ value: Value?, forKey key: String)

    /// Registers default values for keys without a stored value. The defaults themselves are not
    /// stored.
    func register(defaults: PropertyListDictionary)

    /// All stored values, without defaults.
    var storedValues: PropertyListDictionary { get }

    /// A sequence of the keys whose values change from now on. The sequence includes changes by
    /// other programs once ``synchronize()`` finds them, but not registered defaults. Each access
    /// returns a new sequence.
    var changes: KeyChanges { get }

    /// Saves the values that were set, and loads the values that other programs have saved.
    func synchronize() throws

    /// The handler for failures that no call can throw: those of assignments through a subscript,
    /// and those of automatic saves.
    var onFailure: FailureHandler { get }
}

extension KeyValueStore {
    /// The default handler, which writes failures to standard error.
    public var onFailure: FailureHandler { .standardError }
}

extension KeyValueStore {
    /// The stored value for a key, or its registered default. The result is nil if there is neither
    /// or if the value has another type. Setting nil removes the stored value.
    public subscript<Value: PropertyListConvertible>(key: String) -> Value? {
        get { value(Value.self, forKey: key) }
        nonmutating set { set(newValue, forKey: key) }
    }

    /// The stored value for a key as a property list value, or its registered default. The result
    /// is nil if there is neither. Setting nil removes the stored value.
    ///
    /// Null, UIDs, sets, and dates that are infinite or not a number cannot be stored. They are
    /// reported to ``onFailure``, and the old value stays.
    public subscript(key: String) -> PropertyListValue? {
        get { value(forKey: key) }
        nonmutating set { do { try set(newValue, forKey: key) } catch { onFailure(error) } }
    }

    /// Returns the value for a key, or nil if there is none of `type`.
    public func value<Value: PropertyListConvertible>(
        _ type: Value.Type, forKey key: String
    ) -> Value? {
        value(forKey: key).flatMap { Value(propertyListValue: $0) }
    }

    /// Removes the stored value for a key, so that its default applies again.
    public func removeValue(forKey key: String) { set(String?.none, forKey: key) }

    /// Returns the string for a key.
    public func string(forKey key: String) -> String? { value(String.self, forKey: key) }
    /// Returns the strings for a key.
    public func strings(forKey key: String) -> [String]? { value([String].self, forKey: key) }
    /// Returns the integer for a key, or nil (not 0) if there is none.
    public func integer(forKey key: String) -> Int? { value(Int.self, forKey: key) }
    /// Returns the number for a key, or nil (not 0) if there is none.
    public func double(forKey key: String) -> Double? { value(Double.self, forKey: key) }
    /// Returns the Boolean for a key, or nil (not false) if there is none.
    public func bool(forKey key: String) -> Bool? { value(Bool.self, forKey: key) }
    /// Returns the data for a key.
    public func data(forKey key: String) -> Data? { value(Data.self, forKey: key) }
    /// Returns the date for a key.
    public func date(forKey key: String) -> Date? { value(Date.self, forKey: key) }
    /// Returns the URL for a key.
    public func url(forKey key: String) -> URL? { value(URL.self, forKey: key) }
    /// Returns the array for a key.
    public func array(forKey key: String) -> PropertyListArray? { value(forKey: key)?.array }
    /// Returns the dictionary for a key.
    public func dictionary(forKey key: String) -> PropertyListDictionary? {
        value(forKey: key)?.dictionary
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Values by their keys: ``Preferences``, which are kept in a file, or a ``MemoryCache``.
///
/// ```swift
/// preferences.register(defaults: ["volume": 0.8])
/// preferences["name"] = "Anna"
/// let volume: Double? = preferences["volume"]
/// ```
public protocol KeyValueStore: Sendable {
    /// The value that is stored for a key, or else its registered default.
    func value(forKey key: String) -> PropertyListValue?

    /// Stores a value for a key, of whatever kind; nil removes it, in time linear in the number of keys.
    ///
    /// - Throws: ``StoreError`` with `unsupportedValue` and the path for null, UIDs, sets, and dates that
    ///   are infinite or not a number.
    func set(_ value: PropertyListValue?, forKey key: String) throws(StoreError)

    /// Stores a value for a key; nil removes it. A value that the file cannot hold, such as a date that is
    /// infinite or not a number, is kept in memory, and ``synchronize()`` throws an error about it.
    func set<Value: PropertyListConvertible>(_ value: Value?, forKey key: String)

    /// Adds defaults, which count where nothing is stored. They are not stored themselves.
    func register(defaults: PropertyListDictionary)

    /// All that is stored, without defaults.
    var storedValues: PropertyListDictionary { get }

    /// The keys whose values change from now on, by this program or, as far as ``synchronize()`` finds
    /// it, by another. Each call makes a sequence of its own.
    var changes: KeyChanges { get }

    /// Makes what was set durable, and takes over what others have set.
    func synchronize() throws

    /// Takes the failures that no call can throw: of the subscript by ``Preferences/Key``, and of saving without a
    /// call.
    var onFailure: FailureHandler { get }
}

extension KeyValueStore {
    public var onFailure: FailureHandler { .standardError }
}

extension KeyValueStore {
    /// The value of a key, if it is of the type asked for. Setting nil removes it.
    public subscript<Value: PropertyListConvertible>(key: String) -> Value? {
        get { value(Value.self, forKey: key) }
        nonmutating set { set(newValue, forKey: key) }
    }

    /// The value of a key, if it is of `type`.
    public func value<Value: PropertyListConvertible>(
        _ type: Value.Type, forKey key: String
    ) -> Value? {
        value(forKey: key).flatMap { Value(propertyListValue: $0) }
    }

    /// Removes what is stored for a key; its default counts again.
    public func removeValue(forKey key: String) { set(String?.none, forKey: key) }

    /// The text of a key.
    public func string(forKey key: String) -> String? { value(String.self, forKey: key) }
    /// The texts of a key.
    public func strings(forKey key: String) -> [String]? { value([String].self, forKey: key) }
    /// The integer of a key; nil, not 0, where there is none.
    public func integer(forKey key: String) -> Int? { value(Int.self, forKey: key) }
    /// The number of a key; nil, not 0, where there is none.
    public func double(forKey key: String) -> Double? { value(Double.self, forKey: key) }
    /// The boolean of a key; nil, not false, where there is none.
    public func bool(forKey key: String) -> Bool? { value(Bool.self, forKey: key) }
    /// The data of a key.
    public func data(forKey key: String) -> Data? { value(Data.self, forKey: key) }
    /// The date of a key.
    public func date(forKey key: String) -> Date? { value(Date.self, forKey: key) }
    /// The URL of a key.
    public func url(forKey key: String) -> URL? { value(URL.self, forKey: key) }
    /// The elements of the array of a key.
    public func array(forKey key: String) -> PropertyListArray? { value(forKey: key)?.array }
    /// The entries of the dictionary of a key.
    public func dictionary(forKey key: String) -> PropertyListDictionary? {
        value(forKey: key)?.dictionary
    }
}

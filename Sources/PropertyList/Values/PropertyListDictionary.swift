// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The entries of a dictionary in the value tree, in order; a copy-on-write value type.
///
/// Keys are compared scalar by scalar. A lookup takes time linear in the length of the key,
/// regardless of the number of entries. Removal is linear in the number of entries. Equality
/// ignores the order.
public struct PropertyListDictionary: Sendable {
    private(set) var storage: ContainerStorage

    /// The object that unchanged copies share.
    package var identity: AnyObject { storage }

    /// Creates an empty dictionary.
    public init() { storage = .empty }

    /// Creates a dictionary of keys and the same number of values.
    package init(keys: DictionaryKeys, values: [PropertyListValue]) {
        storage = values.isEmpty ? .empty : ContainerStorage(keys: keys, values: values)
    }

    /// The keys, in order.
    public var keys: [String] { storage.keys.texts }

    /// The values, in the order of their keys.
    public var values: [PropertyListValue] { storage.values }

    /// The value of `key`. Setting nil removes the entry. A new key is appended, and an existing
    /// key keeps its position.
    public subscript(key: String) -> PropertyListValue? {
        get { storage.keys.place(of: key).map { storage.values[$0] } }
        set {
            if let newValue { update(newValue, forKey: key) } else { removeValue(forKey: key) }
        }
    }

    private mutating func update(_ value: PropertyListValue, forKey key: String) {
        makeUnique()
        if let place = storage.keys.place(of: key) {
            storage.values[place] = value
        } else {
            storage.append(key: key, value)
        }
    }

    /// Removes the entry of `key` and returns its value, or nil if there was none. Linear.
    @discardableResult
    public mutating func removeValue(forKey key: String) -> PropertyListValue? {
        guard let place = storage.keys.place(of: key) else { return nil }
        makeUnique()
        return storage.remove(at: place)
    }

    private mutating func makeUnique() {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
    }
}

extension PropertyListDictionary: RandomAccessCollection, ExpressibleByDictionaryLiteral {
    /// An entry.
    public typealias Element = (key: String, value: PropertyListValue)

    /// Creates a dictionary from a literal. For a duplicate key, the last value is used.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }

    /// Creates a dictionary of pairs, in order. For a duplicate key, the last value is used.
    public init(_ pairs: some Sequence<(key: String, value: PropertyListValue)>) {
        self.init()
        for (key, value) in pairs { self[key] = value }
    }

    /// The position of the first entry, 0.
    public var startIndex: Int { 0 }
    /// The number of entries.
    public var endIndex: Int { storage.values.count }

    /// The entry at `position`.
    ///
    /// - Precondition: `position` is a valid index.
    public subscript(position: Int) -> Element {
        (storage.keys.texts[position], storage.values[position])
    }
}

extension PropertyListDictionary: Hashable {
    /// Returns whether both dictionaries have the same keys with equal values, in any order. Not
    /// recursive.
    public static func == (left: PropertyListDictionary, right: PropertyListDictionary) -> Bool {
        PropertyListValue.dictionary(left) == .dictionary(right)
    }

    /// Hashes the entries regardless of their order. Not recursive.
    public func hash(into hasher: inout Hasher) {
        PropertyListValue.dictionary(self).hash(into: &hasher)
    }
}

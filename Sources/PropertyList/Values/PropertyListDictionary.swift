// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The entries of a dictionary in the value tree, in order; a value type that copies on writing.
///
/// Keys are compared scalar by scalar. A look-up takes constant time beside the key's length,
/// removing is linear. Equality does not depend on the order.
public struct PropertyListDictionary: Sendable {
    private(set) var storage: ContainerStorage

    /// The same object for copies that nothing has changed since.
    package var identity: AnyObject { storage }

    /// An empty dictionary.
    public init() { storage = .empty }

    /// A dictionary of as many values as there are keys.
    package init(keys: DictionaryKeys, values: [PropertyListValue]) {
        storage = values.isEmpty ? .empty : ContainerStorage(keys: keys, values: values)
    }

    /// The keys, in order.
    public var keys: [String] { storage.keys.texts }

    /// The values, in the order of their keys.
    public var values: [PropertyListValue] { storage.values }

    /// The value of `key`. Setting nil removes the entry; a new key is added at the end, a known
    /// one keeps its place.
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
    public typealias Element = (key: String, value: PropertyListValue)

    /// A dictionary of the pairs given; of a key that occurs twice the last value counts.
    public init(dictionaryLiteral elements: (String, PropertyListValue)...) {
        self.init()
        for (key, value) in elements { self[key] = value }
    }

    /// A dictionary of pairs in their order; of a key that occurs twice the last value counts.
    public init(_ pairs: some Sequence<(key: String, value: PropertyListValue)>) {
        self.init()
        for (key, value) in pairs { self[key] = value }
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { storage.values.count }

    /// The entry at `position`.
    ///
    /// - Precondition: `position` is a valid index.
    public subscript(position: Int) -> Element {
        (storage.keys.texts[position], storage.values[position])
    }
}

extension PropertyListDictionary: Hashable {
    /// Returns whether both hold the same keys with equal values, in whatever order. Not recursive.
    public static func == (left: PropertyListDictionary, right: PropertyListDictionary) -> Bool {
        PropertyListValue.dictionary(left) == .dictionary(right)
    }

    public func hash(into hasher: inout Hasher) {
        PropertyListValue.dictionary(self).hash(into: &hasher)
    }
}

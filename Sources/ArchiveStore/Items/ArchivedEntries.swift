// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
internal import PropertyList

/// The entries of an ``ArchivedDictionary``: archived values by key.
///
/// Keys are compared and hashed by their UTF-8 bytes. Two strings that are only canonically
/// equivalent are different keys, and hashing a key takes time proportional to its length. A
/// `[String: …]` guarantees neither.
public struct ArchivedEntries {
    private var values: [ExactText: AnyArchived]

    /// Creates an empty collection of entries.
    public init() { values = [:] }

    /// The value for a key, or nil if there is none. Setting nil removes the entry.
    public subscript(key: String) -> AnyArchived? {
        get { values[ExactText(key)] }
        set { values[ExactText(key)] = newValue }
    }

    /// The value for a key as `Value`, or nil if there is none or it has another type. Setting nil
    /// removes the entry.
    public subscript<Value: KeyedCodable>(key: String) -> Value? {
        get { values[ExactText(key)]?.value(as: Value.self) }
        set { values[ExactText(key)] = newValue.map { AnyArchived($0) } }
    }

    /// The number of entries.
    public var count: Int { values.count }

    /// A Boolean value indicating whether there are no entries.
    public var isEmpty: Bool { values.isEmpty }

    /// The keys, sorted by their bytes.
    public var keys: [String] { values.keys.sorted().map(\.text) }
}

extension ArchivedEntries: Sequence {
    /// Returns an iterator over the entries, sorted by the bytes of their keys.
    public func makeIterator() -> IndexingIterator<[(key: String, value: AnyArchived)]> {
        values.sorted { $0.key < $1.key }.map { (key: $0.key.text, value: $0.value) }
            .makeIterator()
    }
}

extension ArchivedEntries {
    /// Creates the entries of an archived dictionary.
    ///
    /// - Throws: `invalidContents` for a key that occurs twice.
    init(_ pairs: ArchivedPairs<String, AnyArchived>) throws(StoreError) {
        values = Dictionary(minimumCapacity: pairs.entries.count)
        for (key, value) in pairs.entries
        where values.updateValue(value, forKey: ExactText(key)) != nil {
            throw StoreError(
                .invalidContents,
                what: "the key `\(StoreError.printable(key))` occurs twice in a dictionary")
        }
    }

    /// The entries in the form that is archived.
    var pairs: ArchivedPairs<String, AnyArchived> { ArchivedPairs(Array(self)) }
}

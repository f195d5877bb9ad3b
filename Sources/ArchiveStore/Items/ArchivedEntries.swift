// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
internal import PropertyList

/// The entries of an ``ArchivedDictionary``: archived values by their keys.
///
/// Keys are compared and hashed by their bytes in UTF-8. Two texts that are only canonically equivalent
/// are two keys, and a key costs time in proportion to its length. A `[String: …]` promises neither.
public struct ArchivedEntries {
    private var values: [ExactText: AnyArchived]

    /// Creates entries without any key.
    public init() { values = [:] }

    /// The value of a key; nil where there is none. Setting nil removes the entry.
    public subscript(key: String) -> AnyArchived? {
        get { values[ExactText(key)] }
        set { values[ExactText(key)] = newValue }
    }

    /// The value of a key as `Value`; nil where there is none, or one of another type. Setting nil removes the entry.
    public subscript<Value: KeyedCodable>(key: String) -> Value? {
        get { values[ExactText(key)]?.value(as: Value.self) }
        set { values[ExactText(key)] = newValue.map { AnyArchived($0) } }
    }

    /// The number of entries.
    public var count: Int { values.count }

    /// A Boolean value that says whether there are no entries.
    public var isEmpty: Bool { values.isEmpty }

    /// The keys, in the order of their bytes.
    public var keys: [String] { values.keys.sorted().map(\.text) }
}

extension ArchivedEntries: Sequence {
    /// Returns an iterator over the entries, in the order of the bytes of their keys.
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

    /// The entries as a dictionary to be archived.
    var pairs: ArchivedPairs<String, AnyArchived> { ArchivedPairs(Array(self)) }
}

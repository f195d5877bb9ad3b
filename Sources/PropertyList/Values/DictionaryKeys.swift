// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The distinct keys of a dictionary in the value tree, in order, with an index for lookups.
///
/// A copy-on-write value, separate from the values of the dictionary. Most dictionaries of a file
/// have the same keys and share one instance.
package struct DictionaryKeys: Sendable {
    /// The keys, in order.
    package private(set) var texts: [String]
    // Maps keys to their indices in `texts`. Has no slots while there are few keys.
    private var table = ProbingTable()

    /// The maximum number of keys for linear search.
    static let indexThreshold = 8

    /// Creates an empty sequence of keys.
    package init() { texts = [] }

    /// Creates a sequence of distinct keys.
    ///
    /// An edit of a file may add a duplicate key. The check of the edit refuses it later. Until
    /// then, a lookup finds the first occurrence by linear search, or the last one in the index.
    package init(distinct texts: [String]) {
        self.init(distinct: texts) { Self.hash(texts[$0]) }
    }

    /// Creates a sequence of distinct keys. `hash` returns the ``hash(_:)`` of the key at an index.
    /// It is not called if there are at most ``indexThreshold`` keys.
    package init(distinct texts: [String], hash: (Int) -> UInt32) {
        self.texts = texts
        if texts.count > Self.indexThreshold { rebuildIndex(hash) }
    }

    /// The number of keys.
    package var count: Int { texts.count }

    /// Returns the hash of a key. Linear.
    package static func hash(_ key: String) -> UInt32 {
        ProbingTable.stored(key.withUTF8Span { SeededHash().hash($0, salt: 0) })
    }

    /// Returns the position of `key`, or nil.
    package func place(of key: String) -> Int? {
        if table.isEmpty { return texts.firstIndex { $0.isLiterally(key) } }
        return table[slot(Self.hash(key), key)]
    }

    /// Returns the slot that contains the key with this hash, or the free slot for it.
    private func slot(_ hash: UInt32, _ key: String) -> Int {
        table.slot(hash) { texts[$0].isLiterally(key) }
    }

    /// Appends a new key.
    package mutating func append(_ key: String) {
        texts.append(key)
        if texts.count <= Self.indexThreshold { return }
        if table.isEmpty { return rebuildIndex() }
        insert(Self.hash(key), texts.count &- 1)
    }

    /// Removes the key at a position. Linear.
    package mutating func remove(at place: Int) {
        texts.remove(at: place)
        table = ProbingTable()
        if texts.count > Self.indexThreshold { rebuildIndex() }
    }

    private mutating func rebuildIndex() {
        let texts = texts
        rebuildIndex { Self.hash(texts[$0]) }
    }

    private mutating func rebuildIndex(_ hash: (Int) -> UInt32) {
        table = ProbingTable(leastSlots: 4 &* Self.indexThreshold, slots: texts.count &* 2)
        for place in texts.indices { insert(hash(place), place) }
    }

    private mutating func insert(_ hash: UInt32, _ place: Int) {
        table.insert(place, hash, at: slot(hash, texts[place]))
    }
}

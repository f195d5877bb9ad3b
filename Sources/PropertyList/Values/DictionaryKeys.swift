// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys of a dictionary in the value tree, all different, in order, and where each of them is.
///
/// A value that copies on writing, apart from the values of the dictionary: the dictionaries of a file
/// mostly have the same keys, and then share one.
package struct DictionaryKeys: Sendable {
    /// The keys in order.
    package private(set) var texts: [String]
    // Places in `texts`; without slots while there are few keys. The hashes are not kept, because most keys
    // are never looked up.
    private var table = ProbingTable()

    /// The greatest number of keys that are searched one after the other.
    static let indexThreshold = 8

    /// No keys.
    package init() { texts = [] }

    /// Keys that are known to be distinct, and the ``hash(_:)`` of each where that is known.
    ///
    /// Edits of a file with a key twice have it twice here, until they are refused: the last is found.
    package init(distinct texts: [String], hashes: [UInt32]? = nil) {
        self.texts = texts
        if texts.count > Self.indexThreshold { rebuildIndex(hashes) }
    }

    /// The number of keys.
    package var count: Int { texts.count }

    /// The hash of a key. Linear.
    package static func hash(_ key: String) -> UInt32 {
        UInt32(truncatingIfNeeded: key.withUTF8Span { SeededHash().hash($0, salt: 0) } >> 16)
    }

    /// The place of `key`, or nil.
    package func place(of key: String) -> Int? {
        if table.isEmpty { return texts.firstIndex { $0.isLiterally(key) } }
        return table[slot(Self.hash(key), key)]
    }

    /// The slot where a key with this hash is, or belongs.
    private func slot(_ hash: UInt32, _ key: String) -> Int {
        table.slot(hash) { texts[$0].isLiterally(key) }
    }

    /// Adds a key that is not there yet.
    package mutating func append(_ key: String) {
        texts.append(key)
        if texts.count <= Self.indexThreshold { return }
        if texts.count > table.capacity {
            rebuildIndex(nil)
        } else {
            insert(Self.hash(key), texts.count &- 1)
        }
    }

    /// Removes the key at a place. Linear.
    package mutating func remove(at place: Int) {
        texts.remove(at: place)
        table = ProbingTable()
        if texts.count > Self.indexThreshold { rebuildIndex(nil) }
    }

    private mutating func rebuildIndex(_ hashes: [UInt32]?) {
        table = ProbingTable(leastSlots: 4 &* Self.indexThreshold, capacity: texts.count &* 2)
        for (place, key) in texts.enumerated() {
            insert(hashes?[place] ?? Self.hash(key), place)
        }
    }

    private mutating func insert(_ hash: UInt32, _ place: Int) {
        table.insert(place, at: slot(hash, texts[place]))
    }
}

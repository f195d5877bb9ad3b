// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds keys in dictionaries by their numbers.
///
/// Most keys need no table at all. A key stands where it was first seen in the document, or, in
/// another dictionary of the same shape, as far from the beginning as there; two comparisons tell.
/// Where neither is so, a small dictionary is searched, and of a large one those keys are in an
/// open-addressing table, at most half full. A look-up takes constant time.
package struct DictionaryIndex: Sendable {
    /// The number of pairs above which keys that need it are in the table.
    static let threshold = 32

    private let hash = SeededHash()
    private let homes: [KeyHome]
    /// Whether a dictionary may have a key twice, of which the first is to be found.
    private let hasDuplicates: Bool
    // A place in `NodeStore.children`, plus one; 0 is free.
    private var slots: [UInt32] = []

    /// Where a key was seen first.
    struct KeyHome: BitwiseCopyable, Sendable {
        /// The place in `NodeStore.children`.
        var place: UInt32
        /// Its distance from the first key of its dictionary.
        var offset: UInt32
    }

    /// Indexes the large dictionaries among the records of `store`; `homes` are by key number.
    ///
    /// Linear in their size.
    init(_ store: NodeStore, homes: [KeyHome], hasDuplicates: Bool) {
        self.homes = homes
        self.hasDuplicates = hasDuplicates
        var strays: [(place: UInt32, first: UInt32)] = []
        for record in store.records where Self.isLarge(record) {
            for place in record.low..<(record.low &+ record.high) {
                let key = Self.key(at: place, store)
                // Keys that are no strings have no number and are not looked up.
                if key != 0, home(of: key, in: record, store) != place {
                    strays.append((place, record.low))
                }
            }
        }
        if strays.isEmpty { return }
        var capacity = 64
        while capacity < strays.count &* 2 { capacity &*= 2 }
        slots = [UInt32](repeating: 0, count: capacity)
        for stray in strays { insert(stray.place, first: stray.first, store) }
    }

    /// The place in `store.children` of the key number `key` of a dictionary, or nil.
    package func place(of key: UInt32, in record: NodeRecord, _ store: NodeStore) -> Int? {
        if let home = home(of: key, in: record, store) { return Int(home) }
        let keys = record.low..<(record.low &+ record.high)
        guard Self.isLarge(record) else {
            return keys.first { Self.key(at: $0, store) == key }.map(Int.init)
        }
        if slots.isEmpty { return nil }
        var slot = slot(key, record.low)
        while slots[slot] != 0 {
            let place = slots[slot] &- 1
            if keys.contains(place), Self.key(at: place, store) == key { return Int(place) }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    /// The place of the key if it is where it was seen first, or as far from the beginning.
    private func home(of key: UInt32, in record: NodeRecord, _ store: NodeStore) -> UInt32? {
        let home = homes[Int(key)]
        let keys = record.low..<(record.low &+ record.high)
        if keys.contains(home.place), Self.key(at: home.place, store) == key { return home.place }
        // There may be the second of two, where a look-up is to find the first.
        guard !hasDuplicates, home.offset < record.high else { return nil }
        let place = record.low &+ home.offset
        return Self.key(at: place, store) == key ? place : nil
    }

    private static func isLarge(_ record: NodeRecord) -> Bool {
        record.kind == .dictionary && record.high > threshold
    }

    /// Puts a key of the dictionary whose first key is at `first` in the table, unless the same key
    /// is there already: a thousand equal keys would make a run of a thousand slots.
    private mutating func insert(_ place: UInt32, first: UInt32, _ store: NodeStore) {
        let key = Self.key(at: place, store)
        var slot = slot(key, first)
        while slots[slot] != 0 {
            // Places rise, so that an earlier one from `first` on is of the same dictionary.
            let other = slots[slot] &- 1
            if other >= first, other < place, Self.key(at: other, store) == key { return }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        slots[slot] = place &+ 1
    }

    private func slot(_ key: UInt32, _ dictionary: UInt32) -> Int {
        let word = UInt64(key) << 32 | UInt64(dictionary)
        return Int(truncatingIfNeeded: hash.hash(word, salt: 0) >> 8) & (slots.count &- 1)
    }

    private static func key(at place: UInt32, _ store: NodeStore) -> UInt32 {
        let record = store.records[Int(store.children[Int(place)])]
        return record.kind == .string ? record.high : 0
    }
}

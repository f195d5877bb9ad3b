// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An index for looking up keys in dictionaries by key number.
///
/// Dictionaries of one shape have each key at the same position. A lookup therefore searches the
/// first dictionary of the shape, its model. Most lookups need no hash table: the key is at the
/// index of its first occurrence in the document, or at the same position relative to the start of
/// the dictionary. Two comparisons confirm it. Other keys are found by linear search in small
/// dictionaries and by an open-addressing hash table in large ones. A lookup takes constant time.
package struct DictionaryIndex: Sendable {
    /// The maximum number of pairs for linear search. In a larger dictionary, the keys that are not
    /// at their home position are in the hash table.
    static let threshold = 32

    private let hasher = SeededHash()
    private let homes: [KeyHome]
    private let shapes: [ShapeTable.Shape]
    /// A Boolean value that is true if a dictionary may contain a key twice. A lookup then has to
    /// find the first occurrence.
    private let hasDuplicates: Bool
    // Indices in `NodeStore.children`.
    private var table = ProbingTable()

    /// The position of the first occurrence of a key.
    struct KeyHome: BitwiseCopyable, Sendable {
        /// The index in `NodeStore.children`.
        var place: UInt32
        /// The distance of that index from the first key of the dictionary.
        var offset: UInt32

        /// The home of a key that has not occurred yet.
        static var none: Self { .init(place: .max, offset: .max) }
    }

    /// The keys of a dictionary and of its model.
    private struct Keys {
        /// The indices of the dictionary's own keys.
        let own: Range<UInt32>
        /// The index of the first key of the model.
        let first: UInt32
        let hasShape: Bool

        /// The indices of the keys of the model.
        var model: Range<UInt32> { first..<(first &+ UInt32(truncatingIfNeeded: own.count)) }

        var isLarge: Bool { own.count > DictionaryIndex.threshold }
    }

    /// Indexes the large dictionaries among the records of `store`.
    ///
    /// Linear in the size of the shapes. If a dictionary has no shape, linear in the document.
    init(_ store: NodeStore, _ keys: NumberedKeys, hasDuplicates: Bool) {
        homes = keys.homes
        shapes = keys.shapes.all
        self.hasDuplicates = hasDuplicates
        var strays: [(place: UInt32, keys: Keys)] = []
        for shape in shapes where shape.count > Self.threshold {
            let keys = Keys(own: shape.keyRange, first: shape.first, hasShape: true)
            appendStrays(keys, to: &strays, store)
        }
        if keys.hasShapeless {
            for record in store.records where record.kind == .dictionary && record.shape == 0 {
                let keys = self.keys(of: record)
                if keys.isLarge { appendStrays(keys, to: &strays, store) }
            }
        }
        if strays.isEmpty { return }
        table = ProbingTable(slots: strays.count &* 2)
        for stray in strays { insert(stray.place, stray.keys, store) }
    }

    /// Appends the keys of a large dictionary that only the hash table can find.
    private func appendStrays(
        _ keys: Keys, to strays: inout [(place: UInt32, keys: Keys)], _ store: NodeStore
    ) {
        for place in keys.own {
            let key = Self.key(at: place, store)
            // Keys that are not strings have no number and are never looked up.
            if key != 0, position(of: key, atHomeIn: keys, store) != place &- keys.own.lowerBound {
                strays.append((place, keys))
            }
        }
    }

    /// Returns the index in `store.children` of the key with number `key` in a dictionary, or nil.
    package func place(of key: UInt32, in record: NodeRecord, _ store: NodeStore) -> Int? {
        let keys = keys(of: record)
        let position =
            position(of: key, atHomeIn: keys, store) ?? position(of: key, strayIn: keys, store)
        return position.map { Int(keys.own.lowerBound &+ $0) }
    }

    private func keys(of record: NodeRecord) -> Keys {
        let own = record.keyPlaces
        if record.shape == 0 { return Keys(own: own, first: own.lowerBound, hasShape: false) }
        let first = shapes[Int(record.shape) &- 1].first
        return Keys(own: own, first: first, hasShape: true)
    }

    /// Returns the position of the key if the key is at its home position: at the index of its
    /// first occurrence, or at the same distance from the first key. Otherwise returns nil.
    private func position(
        of key: UInt32, atHomeIn keys: Keys, _ store: NodeStore
    ) -> UInt32? {
        let home = homes[Int(key)]
        if keys.model.contains(home.place), Self.key(at: home.place, store) == key {
            return home.place &- keys.first
        }
        // With duplicates, this may be the second occurrence, but a lookup has to find the first.
        guard keys.hasShape || !hasDuplicates, home.offset < keys.own.count else { return nil }
        return Self.key(at: keys.own.lowerBound &+ home.offset, store) == key ? home.offset : nil
    }

    /// Returns the position of a key that is not at its home position, or nil.
    private func position(of key: UInt32, strayIn keys: Keys, _ store: NodeStore) -> UInt32? {
        guard keys.isLarge else {
            let place = keys.own.first { Self.key(at: $0, store) == key }
            return place.map { $0 &- keys.own.lowerBound }
        }
        if table.isEmpty { return nil }
        return table[slot(of: key, hash(key, keys), keys, store)].map {
            UInt32(truncatingIfNeeded: $0) &- keys.first
        }
    }

    /// Inserts a key of a dictionary in the hash table, unless the table already contains it.
    /// Inserting a thousand equal keys would occupy a run of a thousand slots.
    private mutating func insert(_ place: UInt32, _ keys: Keys, _ store: NodeStore) {
        let key = Self.key(at: place, store)
        let hash = hash(key, keys)
        let slot = slot(of: key, hash, keys, store)
        if table[slot] == nil { table.insert(Int(place), hash, at: slot) }
    }

    private func hash(_ key: UInt32, _ keys: Keys) -> UInt32 {
        let word = UInt64(key) << 32 | UInt64(keys.first)
        return ProbingTable.stored(hasher.hash(word, salt: 0))
    }

    /// Returns the slot that contains a key of a large dictionary, or the free slot for it.
    private func slot(
        of key: UInt32, _ hash: UInt32, _ keys: Keys, _ store: NodeStore
    ) -> Int {
        table.slot(hash) { place in
            let place = UInt32(truncatingIfNeeded: place)
            return keys.model.contains(place) && Self.key(at: place, store) == key
        }
    }

    private static func key(at place: UInt32, _ store: NodeStore) -> UInt32 {
        store.records[Int(store.children[Int(place)])].keyNumber
    }
}

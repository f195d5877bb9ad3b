// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Where each key of the large dictionaries stands, for look-ups in constant time. Small ones are
/// searched: comparing a few numbers is faster than a table.
struct DictionaryIndex: Sendable {
    /// The number of pairs above which a dictionary is in the index.
    static let threshold = 16

    // A place in `NodeStore.children`, plus one; 0 is free. At most half full.
    private var slots: [UInt32] = []

    /// Indexes the dictionaries among the records of `store` that have more pairs than the
    /// threshold. Linear in their size.
    init(_ store: NodeStore) {
        var pairs = 0
        for record in store.records where Self.isIndexed(record) { pairs &+= Int(record.high) }
        if pairs == 0 { return }
        slots = [UInt32](repeating: 0, count: Self.capacity(for: pairs))
        for record in store.records where Self.isIndexed(record) { insert(record, store) }
    }

    /// The place in `store.children` of the key number `key` of an indexed dictionary.
    func place(of key: UInt32, in record: NodeRecord, _ store: NodeStore) -> Int? {
        let keys = record.low..<(record.low &+ record.high)
        var slot = slot(key, record.low)
        while slots[slot] != 0 {
            let place = slots[slot] &- 1
            if keys.contains(place), Self.key(at: place, store) == key { return Int(place) }
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return nil
    }

    static func isIndexed(_ record: NodeRecord) -> Bool {
        record.kind == .dictionary && record.high > threshold
    }

    private static func capacity(for pairs: Int) -> Int {
        var capacity = 64
        while capacity < pairs &* 2 { capacity &*= 2 }
        return capacity
    }

    private mutating func insert(_ record: NodeRecord, _ store: NodeStore) {
        for place in record.low..<(record.low &+ record.high) {
            let key = Self.key(at: place, store)
            // Keys that are no strings have no number and are not looked up. Of a key that occurs
            // twice the first stays.
            if key == 0 || self.place(of: key, in: record, store) != nil { continue }
            var slot = slot(key, record.low)
            while slots[slot] != 0 { slot = (slot &+ 1) & (slots.count &- 1) }
            slots[slot] = place &+ 1
        }
    }

    private func slot(_ key: UInt32, _ dictionary: UInt32) -> Int {
        let word = UInt64(key) << 32 | UInt64(dictionary)
        return Int(truncatingIfNeeded: SeededHash.hash(word, salt: 0) >> 8) & (slots.count &- 1)
    }

    private static func key(at place: UInt32, _ store: NodeStore) -> UInt32 {
        let record = store.records[Int(store.children[Int(place)])]
        return record.kind == .string ? record.high : 0
    }
}

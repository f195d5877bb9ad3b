// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Values by type, with a fast lookup for each written object.
///
/// An open-addressing table, at most half full. The types are the program's own, so their addresses
/// need no seeded hash.
struct TypeTable<Value> {
    private var entries: [(id: ObjectIdentifier, value: Value)] = []
    // The index of an entry plus one; 0 is free.
    private var slots: [UInt32] = []

    /// The value of a type; nil if it has none.
    subscript(id: ObjectIdentifier) -> Value? {
        if slots.isEmpty { return nil }
        let place = Int(truncatingIfNeeded: slots[slot(of: id)])
        return place == 0 ? nil : entries[place &- 1].value
    }

    /// Adds the value of a type that has none.
    mutating func insert(_ value: Value, for id: ObjectIdentifier) {
        if (entries.count &+ 1) &* 2 > slots.count { grow() }
        entries.append((id, value))
        slots[slot(of: id)] = UInt32(truncatingIfNeeded: entries.count)
    }

    /// Removes all values, and keeps the capacity.
    mutating func removeAll() {
        for place in slots.indices { slots[place] = 0 }
        entries.removeAll(keepingCapacity: true)
    }

    /// Returns the slot of a type, or the free slot for it.
    private func slot(of id: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        let hash = (address &* 0x9E37_79B9_7F4A_7C15) >> 32
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0, entries[Int(truncatingIfNeeded: slots[slot]) &- 1].id != id {
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = Array(repeating: 0, count: max(16, slots.count &* 2))
        for (place, entry) in entries.enumerated() {
            slots[slot(of: entry.id)] = UInt32(truncatingIfNeeded: place &+ 1)
        }
    }
}

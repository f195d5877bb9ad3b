// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// Values by type. The lookup must be fast: the writer makes one for each object.
struct TypeTable<Value> {
    private var values: [Value] = []
    private var numbers = TypeNumbers()

    /// The value of a type; nil if it has none.
    subscript(id: ObjectIdentifier) -> Value? { numbers[id].map { values[$0] } }

    /// Adds the value of a type that has none.
    mutating func insert(_ value: Value, for id: ObjectIdentifier) {
        numbers.add(id)
        values.append(value)
    }

    /// Removes all values, but keeps the capacity.
    mutating func removeAll() {
        numbers.removeAll()
        values.removeAll(keepingCapacity: true)
    }
}

/// Types, numbered from 0 in the order in which they were added. The table is not generic, so other
/// modules can use it without specializing a copy of its code.
///
/// An open-addressing table, at most half full. Archives cannot choose the types, so their
/// addresses need no seeded hash.
package struct TypeNumbers {
    private var types: [ObjectIdentifier] = []
    // The number of a type plus one; 0 is free.
    private var slots: [UInt32] = []

    /// Creates an empty table.
    package init() {}

    /// The number of a type; nil if it has none.
    package subscript(id: ObjectIdentifier) -> Int? {
        if slots.isEmpty { return nil }
        let number = Int(truncatingIfNeeded: slots[slot(of: id)])
        return number == 0 ? nil : number &- 1
    }

    /// Assigns the next number to a type that has none.
    package mutating func add(_ id: ObjectIdentifier) {
        if (types.count &+ 1) &* 2 > slots.count { grow() }
        types.append(id)
        slots[slot(of: id)] = UInt32(truncatingIfNeeded: types.count)
    }

    /// Removes all types, but keeps the capacity.
    package mutating func removeAll() {
        for place in slots.indices { slots[place] = 0 }
        types.removeAll(keepingCapacity: true)
    }

    /// Returns the slot of a type, or the free slot for it.
    private func slot(of id: ObjectIdentifier) -> Int {
        let address = UInt64(UInt(bitPattern: id))
        let hash = (address &* 0x9E37_79B9_7F4A_7C15) >> 32
        var slot = Int(truncatingIfNeeded: hash) & (slots.count &- 1)
        while slots[slot] != 0, types[Int(truncatingIfNeeded: slots[slot]) &- 1] != id {
            slot = (slot &+ 1) & (slots.count &- 1)
        }
        return slot
    }

    private mutating func grow() {
        slots = .repeated(0, count: max(16, slots.count &* 2))
        for (place, type) in types.enumerated() {
            slots[slot(of: type)] = UInt32(truncatingIfNeeded: place &+ 1)
        }
    }
}

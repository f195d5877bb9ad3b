// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An open-addressing hash table of array indices, at most half full.
///
/// Each index refers to an array of the owner, and is stored with the hash of its element. The
/// owner compares elements only where the hashes are equal, so most lookups touch one slot and one
/// element. Hashes come from ``SeededHash``, so an attacker cannot prepare elements that collide.
///
/// Collisions are resolved by linear probing: an index goes to the first free slot from
/// ``start(_:)`` on.
struct ProbingTable: Sendable {
    // The hash in the high half, and the index plus one in the low half; 0 for a free slot.
    private var slots: [UInt64]
    /// The number of entries.
    private(set) var count = 0

    /// Creates a table without slots. Nothing can be looked up in it.
    init() { slots = [] }

    /// Creates a table with at least `slots` slots, and at least `leastSlots`, a power of two. The
    /// table has room for half as many entries as slots.
    init(leastSlots: Int = 64, slots neededSlots: Int) {
        var size = leastSlots
        while size < neededSlots { size &*= 2 }
        slots = .repeated(0, count: size)
    }

    /// A Boolean value that is true if the table has no slots.
    var isEmpty: Bool { slots.isEmpty }

    /// The number of entries for which the table has room.
    var capacity: Int { slots.count / 2 }

    /// Returns the part of a hash that the table stores with an index.
    @inline(__always)
    static func stored(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 16) }

    /// Returns the slot at which the search for a hash begins.
    @inline(__always)
    func start(_ hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (slots.count &- 1) }

    /// Returns the next slot of a search.
    @inline(__always)
    func slot(after slot: Int) -> Int { (slot &+ 1) & (slots.count &- 1) }

    /// The index in a slot, or nil for a free slot.
    @inline(__always)
    subscript(slot: Int) -> Int? {
        let entry = slots[slot]
        return entry == 0 ? nil : Int(UInt32(truncatingIfNeeded: entry) &- 1)
    }

    /// Returns the index in a slot if it is stored with this hash, or nil.
    @inline(__always)
    func number(at slot: Int, _ hash: UInt32) -> Int? {
        let entry = slots[slot]
        guard UInt32(truncatingIfNeeded: entry >> 32) == hash, entry != 0 else { return nil }
        return Int(UInt32(truncatingIfNeeded: entry) &- 1)
    }

    /// Returns the slot of the index with this hash for which `isRight` is true, or the free slot
    /// for such an index.
    @inline(__always)
    func slot(_ hash: UInt32, where isRight: (Int) -> Bool) -> Int {
        var slot = start(hash)
        while slots[slot] != 0 {
            if let number = number(at: slot, hash), isRight(number) { return slot }
            slot = self.slot(after: slot)
        }
        return slot
    }

    /// Stores an index in the free slot for its hash. If the table is then more than half full, it
    /// grows, which moves all entries.
    @inline(__always)
    mutating func insert(_ number: Int, _ hash: UInt32, at slot: Int) {
        slots[slot] = UInt64(hash) << 32 | UInt64(UInt32(truncatingIfNeeded: number &+ 1))
        count &+= 1
        if count > capacity { makeRoom(for: count) }
    }

    /// Makes room for `total` entries.
    @inline(never)
    mutating func makeRoom(for total: Int) {
        if total <= capacity { return }
        var size = max(slots.count, 32)
        while size < total &* 2 { size &*= 2 }
        let old = slots
        slots = []
        slots.reserveLargeCapacity(size)
        slots.append(addingCapacity: size) { output in
            output.append(repeating: 0, count: size)
            // Writing through a span avoids a uniqueness check for each entry.
            var slots = output.mutableSpan
            for entry in old where entry != 0 {
                var slot = Int(truncatingIfNeeded: entry >> 32) & (size &- 1)
                while slots[slot] != 0 { slot = (slot &+ 1) & (size &- 1) }
                slots[slot] = entry
            }
        }
    }
}

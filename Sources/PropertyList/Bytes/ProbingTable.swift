// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An open-addressing hash table of numbers, at most half full.
///
/// The table holds only non-negative integers, which are indices in an array of its owner, each with
/// its hash. The owner compares the entries of that array, but only where the hashes are equal, so
/// that most lookups touch one slot and one entry. Hashes come from ``SeededHash``, so an attacker
/// cannot prepare entries that collide.
///
/// Collisions are resolved by linear probing: an entry is in the first free slot from its hash on.
struct ProbingTable: Sendable {
    // The hash, and in the low half the number plus one; 0 for a free slot.
    private var slots: [UInt64]
    /// The number of entries.
    private(set) var count = 0

    /// Creates a table without slots. Nothing can be looked up in it.
    init() { slots = [] }

    /// Creates a table with at least `capacity` and at least `leastSlots` slots; `leastSlots` is a
    /// power of two. The table has room for half as many numbers.
    init(leastSlots: Int = 64, capacity: Int) {
        var size = leastSlots
        while size < capacity { size &*= 2 }
        slots = .repeated(0, count: size)
    }

    /// A Boolean value that is true if the table has no slots.
    var isEmpty: Bool { slots.isEmpty }

    /// The number of entries for which the table has room.
    var capacity: Int { slots.count / 2 }

    /// Returns the part of a hash that the table stores with a number.
    @inline(__always)
    static func stored(_ hash: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: hash >> 16) }

    /// Returns the slot at which the search for a hash begins.
    @inline(__always)
    func start(_ hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (slots.count &- 1) }

    /// Returns the next slot of a search.
    @inline(__always)
    func slot(after slot: Int) -> Int { (slot &+ 1) & (slots.count &- 1) }

    /// The number in a slot, or nil for a free slot.
    @inline(__always)
    subscript(slot: Int) -> Int? {
        let entry = slots[slot]
        return entry == 0 ? nil : Int(UInt32(truncatingIfNeeded: entry) &- 1)
    }

    /// Returns the number in a slot if it has this hash; nil otherwise.
    @inline(__always)
    func number(at slot: Int, _ hash: UInt32) -> Int? {
        let entry = slots[slot]
        guard UInt32(truncatingIfNeeded: entry >> 32) == hash, entry != 0 else { return nil }
        return Int(UInt32(truncatingIfNeeded: entry) &- 1)
    }

    /// Returns the slot of the number with this hash for which `isRight` is true, or the free slot
    /// for it.
    @inline(__always)
    func slot(_ hash: UInt32, where isRight: (Int) -> Bool) -> Int {
        var slot = start(hash)
        while slots[slot] != 0 {
            if let number = number(at: slot, hash), isRight(number) { return slot }
            slot = self.slot(after: slot)
        }
        return slot
    }

    /// Stores a number in the free slot for its hash. The table grows when it is half full, which
    /// moves all slots.
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
            // A span needs no check for other owners at each change.
            var slots = output.mutableSpan
            for entry in old where entry != 0 {
                var slot = Int(truncatingIfNeeded: entry >> 32) & (size &- 1)
                while slots[slot] != 0 { slot = (slot &+ 1) & (size &- 1) }
                slots[slot] = entry
            }
        }
    }
}

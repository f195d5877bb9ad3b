// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An open-addressing hash table of numbers, at most half full.
///
/// The table holds only non-negative integers, which are indices in an array of its owner. The
/// owner compares the entries of that array, and supplies their hashes when the table grows. Hashes
/// come from ``SeededHash``, so an attacker cannot prepare entries that collide.
///
/// Collisions are resolved by linear probing: an entry is in the first free slot from its hash on.
struct ProbingTable: Sendable {
    // An index plus one; 0 for a free slot.
    private var slots: [UInt32]

    /// Creates a table without slots. Nothing can be looked up in it.
    init() { slots = [] }

    /// Creates a table with at least `capacity` and at least `leastSlots` slots; `leastSlots` is a
    /// power of two. The table has room for half as many numbers.
    init(leastSlots: Int = 64, capacity: Int) {
        var size = leastSlots
        while size < capacity { size &*= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// A Boolean value that is true if the table has no slots.
    var isEmpty: Bool { slots.isEmpty }

    /// The maximum number of entries.
    var capacity: Int { slots.count / 2 }

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
        return entry == 0 ? nil : Int(truncatingIfNeeded: entry &- 1)
    }

    /// Returns the slot of the number with this hash for which `isRight` is true, or the free slot
    /// for it.
    @inline(__always)
    func slot(_ hash: UInt32, where isRight: (Int) -> Bool) -> Int {
        var slot = start(hash)
        while let number = self[slot], !isRight(number) { slot = self.slot(after: slot) }
        return slot
    }

    /// Stores a number in a free slot.
    @inline(__always)
    mutating func insert(_ number: Int, at slot: Int) {
        slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
    }

    /// Makes room for the numbers below `count`, and reinserts those below `present`, which the
    /// table already contains.
    mutating func grow(for count: Int, present: Int, hash: (Int) -> UInt32) {
        var size = max(slots.count, 32)
        while size < count &* 2 { size &*= 2 }
        slots = []
        slots.reserveLargeCapacity(size)
        slots.append(contentsOf: repeatElement(0, count: size))
        for number in 0..<present { insert(number, at: slot(hash(number)) { _ in false }) }
    }
}

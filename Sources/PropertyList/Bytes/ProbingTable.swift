// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An open-addressing hash table of numbers, at most half full.
///
/// The table holds nothing but numbers from 0 on: the places of entries in an array of its owner. The owner
/// compares entries, and knows their hashes when the table grows. The hashes come from ``SeededHash``,
/// so nobody can prepare entries that collide.
///
/// Linear probing: an entry is in the first free slot from the one that its hash names.
struct ProbingTable: Sendable {
    // A number plus one; 0 is free.
    private var slots: [UInt32]

    /// A table without slots, to look nothing up in.
    init() { slots = [] }

    /// A table with at least `capacity` slots, and with `leastSlots`, a power of two: room for half as many
    /// numbers.
    init(leastSlots: Int = 64, capacity: Int) {
        var size = leastSlots
        while size < capacity { size &*= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// A Boolean value that says whether the table has no slots.
    var isEmpty: Bool { slots.isEmpty }

    /// The number of numbers that there is room for.
    var capacity: Int { slots.count / 2 }

    /// The slot in which the search for a hash begins.
    @inline(__always)
    func start(_ hash: UInt32) -> Int { Int(truncatingIfNeeded: hash) & (slots.count &- 1) }

    /// The slot in which the search goes on.
    @inline(__always)
    func slot(after slot: Int) -> Int { (slot &+ 1) & (slots.count &- 1) }

    /// The number in a slot; nil for a free one.
    @inline(__always)
    subscript(slot: Int) -> Int? {
        let entry = slots[slot]
        return entry == 0 ? nil : Int(truncatingIfNeeded: entry &- 1)
    }

    /// The slot of the number with this hash that is the right one, or the free slot where it belongs.
    @inline(__always)
    func slot(_ hash: UInt32, where isRight: (Int) -> Bool) -> Int {
        var slot = start(hash)
        while let number = self[slot], !isRight(number) { slot = self.slot(after: slot) }
        return slot
    }

    /// Puts a number in a free slot.
    @inline(__always)
    mutating func insert(_ number: Int, at slot: Int) {
        slots[slot] = UInt32(truncatingIfNeeded: number &+ 1)
    }

    /// Makes room for the numbers below `count`, and puts those below `present` in their new slots, all of which
    /// the table has.
    mutating func grow(for count: Int, present: Int, hash: (Int) -> UInt32) {
        var size = max(slots.count, 32)
        while size < count &* 2 { size &*= 2 }
        slots = []
        slots.reserveLargeCapacity(size)
        slots.append(contentsOf: repeatElement(0, count: size))
        for number in 0..<present { insert(number, at: slot(hash(number)) { _ in false }) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The objects that instances have become, by their addresses, which it keeps from being used again.
///
/// An open-addressing table, at most half full. It differs from the tables of `PropertyList` on purpose: the
/// addresses are the program's own, so they need no seeded hash, and instances that are neighbours in memory, as
/// those are that were made one after the other, are neighbours in the table. The slots hold the addresses, so
/// that a lookup touches one line of memory.
struct IdentityMap {
    private var slots: [(address: UInt, object: UInt32)] = []
    private var instances: [AnyObject] = []

    /// The object that an instance has become.
    func object(of instance: AnyObject) -> UInt32? {
        if slots.isEmpty { return nil }
        let place = place(of: address(of: instance))
        return slots[place].address == 0 ? nil : slots[place].object
    }

    /// Notes what an instance that is not known yet has become.
    mutating func insert(_ instance: AnyObject, _ object: UInt32) {
        if (instances.count &+ 1) &* 2 > slots.count { grow() }
        let address = address(of: instance)
        slots[place(of: address)] = (address, object)
        instances.append(instance)
    }

    private func address(of instance: AnyObject) -> UInt {
        UInt(bitPattern: ObjectIdentifier(instance))
    }

    /// The slot where an address is, or belongs.
    private func place(of address: UInt) -> Int {
        let mask = slots.count &- 1
        // Where the instances of 512 bytes of memory begin in the table is random; within these, each
        // takes at least 16. Longer runs would overlap too often.
        let run = ((address >> 9) &* 0x9E37_79B9_7F4A_7C15) >> 32
        var place = Int(truncatingIfNeeded: run &+ (address >> 4) & 0x1F) & mask
        while slots[place].address != 0, slots[place].address != address {
            place = (place &+ 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: (0, 0), count: max(64, old.count &* 2))
        for slot in old where slot.address != 0 { slots[place(of: slot.address)] = slot }
    }
}

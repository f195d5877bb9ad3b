// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The object numbers of instances, by address. The map retains the instances, so that no address
/// is reused.
///
/// An open-addressing table, at most half full. It differs from the tables of `PropertyList` on
/// purpose. The addresses are the program's own, so the hash needs no seed. Instances that are
/// created one after the other are usually adjacent in memory, and therefore also in the table. The
/// slots contain the addresses, so that a lookup touches one cache line.
struct IdentityMap {
    private var slots: [(address: UInt, object: UInt32)] = []
    private var instances: [AnyObject] = []

    /// Returns the object number of an instance; nil if it has none.
    func object(of instance: AnyObject) -> UInt32? {
        if slots.isEmpty { return nil }
        let place = place(of: address(of: instance))
        return slots[place].address == 0 ? nil : slots[place].object
    }

    /// Adds an instance that has no object number.
    mutating func insert(_ instance: AnyObject, _ object: UInt32) {
        let slot = slot(of: instance)
        insert(instance, object, at: slot)
    }

    /// The slot of an instance. Valid until another instance is added.
    struct Slot {
        fileprivate let place: Int
        fileprivate let address: UInt
        /// The object number of the instance; nil if it has none.
        let object: UInt32?
    }

    /// Returns the slot of an instance, or the free slot for it.
    mutating func slot(of instance: AnyObject) -> Slot {
        makeRoom()
        let address = address(of: instance)
        let place = place(of: address)
        return Slot(
            place: place, address: address,
            object: slots[place].address == 0 ? nil : slots[place].object)
    }

    /// Adds an instance whose slot has no object number.
    mutating func insert(_ instance: AnyObject, _ object: UInt32, at slot: Slot) {
        slots[slot.place] = (slot.address, object)
        instances.append(instance)
    }

    private mutating func makeRoom() {
        if (instances.count &+ 1) &* 2 > slots.count { grow() }
    }

    private func address(of instance: AnyObject) -> UInt {
        UInt(bitPattern: ObjectIdentifier(instance))
    }

    /// Returns the slot of an address, or the free slot for it.
    private func place(of address: UInt) -> Int {
        let mask = slots.count &- 1
        // The hash assigns each block of 512 bytes of memory a run of 32 slots, one for each 16
        // bytes, the least that an instance takes. Longer runs would overlap too often.
        let run = (UInt64(address >> 9) &* 0x9E37_79B9_7F4A_7C15) >> 32
        var place = Int(truncatingIfNeeded: run &+ UInt64(address >> 4) & 0x1F) & mask
        while slots[place].address != 0, slots[place].address != address {
            place = (place &+ 1) & mask
        }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = .repeated((0, 0), count: max(64, old.count &* 2))
        for slot in old where slot.address != 0 { slots[place(of: slot.address)] = slot }
    }
}

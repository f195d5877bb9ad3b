// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds leaves that are equal: the same kind, the same bits, the same text.
///
/// 1, 1.0 and true are three values, and so are 0.0 and −0.0. An open-addressing table of object
/// numbers, at most half full; text is hashed and compared where it lies.
///
/// What is long goes by the hash of its ends: most of it differs there, and is not read at all. Only
/// what finds something else under that hash goes by the hash of the whole, so that the time is linear
/// even where all ends are the same.
package struct ObjectUniquer {
    private struct Entry {
        let hash: UInt32
        let node: UInt32
        let number: UInt32
    }

    private static let longest = 128

    private let hasher = SeededHash()
    // Places in `entries`, plus one; 0 is free.
    private var slots: [UInt32]
    private var entries: [Entry] = []

    /// Prepares for about `capacity` distinct leaves.
    package init(capacity: Int) {
        var size = 64
        while size < capacity { size &*= 2 }
        slots = [UInt32](repeating: 0, count: size)
    }

    /// The number of an equal leaf seen before; otherwise nil, and `node`, whose record is `record`, has
    /// the number `next` from now on.
    package mutating func number(
        of node: UInt32, _ record: NodeRecord, next: UInt32, in store: NodeStore
    ) -> UInt32? {
        var byEnds = isLong(record, store)
        var hash = byEnds ? endsHash(record, store) : leafHash(record, store)
        let mask = slots.count &- 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while slots[slot] != 0 {
            let entry = entries[Int(slots[slot]) &- 1]
            if entry.hash == hash {
                if Self.isSame(store.records[Int(entry.node)], record, store) {
                    return entry.number
                }
                if byEnds {
                    byEnds = false
                    hash = leafHash(record, store)
                    slot = Int(truncatingIfNeeded: hash) & mask
                    continue
                }
            }
            slot = (slot &+ 1) & mask
        }
        entries.append(Entry(hash: hash, node: node, number: next))
        slots[slot] = UInt32(truncatingIfNeeded: entries.count)
        if entries.count &* 2 > slots.count { grow() }
        return nil
    }

    private mutating func grow() {
        slots = [UInt32](repeating: 0, count: slots.count &* 2)
        let mask = slots.count &- 1
        for (place, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & mask
            while slots[slot] != 0 { slot = (slot &+ 1) & mask }
            slots[slot] = UInt32(truncatingIfNeeded: place &+ 1)
        }
    }

    private func isLong(_ record: NodeRecord, _ store: NodeStore) -> Bool {
        guard record.kind == .string || record.kind == .data else { return false }
        return store.contentRange(of: record).count > Self.longest
    }

    private func endsHash(_ record: NodeRecord, _ store: NodeStore) -> UInt32 {
        let hash = store.withContent(of: record) {
            hasher.hash(endsOf: $0, salt: record.kind.rawValue)
        }
        return UInt32(truncatingIfNeeded: hash >> 16)
    }

    private func leafHash(_ record: NodeRecord, _ store: NodeStore) -> UInt32 {
        let salt = record.kind.rawValue
        let hash =
            record.kind == .string || record.kind == .data
            ? store.withContent(of: record) { hasher.hash($0, salt: salt) }
            : hasher.hash(record.payload, salt: salt)
        return UInt32(truncatingIfNeeded: hash >> 16)
    }

    /// Whether two leaves are equal.
    @inline(__always)
    package static func isSame(
        _ left: NodeRecord, _ right: NodeRecord, _ store: NodeStore
    ) -> Bool {
        guard left.kind == right.kind else { return false }
        switch left.kind {
        case .string, .data: return store.hasSameContent(left, right)
        case .integer: return left.payload == right.payload && left.isNegative == right.isNegative
        case .real: return left.payload == right.payload && left.header == right.header
        default: return left.payload == right.payload
        }
    }
}

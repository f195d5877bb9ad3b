// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds leaves that are equal to one that was added lately.
///
/// Not all of them: a slot remembers the last leaf that fell into it and no other, so that a look-up
/// is one comparison, whatever the values are. Numbers and names that come again and again are found.
struct RecentLeaves {
    private static let capacity = 4096
    /// Texts that are longer seldom come again.
    static let longestText = 64

    // By slot: the node plus one; 0 where there is none.
    private var slots: [UInt32] = []

    /// A scalar that is the same as `record`; otherwise nil, and `next` is the last from now on.
    @inline(__always)
    mutating func scalar(_ record: NodeRecord, next: UInt32, in store: NodeStore) -> UInt32? {
        let slot = Self.slot(record.payload, salt: record.kind.rawValue)
        if let node = last(in: slot),
            ObjectUniquer.isSame(store.records[Int(node)], record, store)
        {
            return node
        }
        slots[slot] = next &+ 1
        return nil
    }

    /// A string whose text is what `store.bytes` hold from `start` on; otherwise nil, and `next` is
    /// the last from now on.
    mutating func text(from start: Int, next: UInt32, in store: NodeStore) -> UInt32? {
        let text = store.bytes.span.extracting(start...)
        guard let edges = text.edges else { return nil }
        let slot = Self.slot(edges, salt: UInt8(truncatingIfNeeded: text.count))
        if let node = last(in: slot) {
            let known = store.records[Int(node)]
            if known.kind == .string, known.length == UInt32(truncatingIfNeeded: text.count),
                store.withContent(of: known, { $0.isSame(as: text) })
            {
                return node
            }
        }
        slots[slot] = next &+ 1
        return nil
    }

    @inline(__always)
    private mutating func last(in slot: Int) -> UInt32? {
        if slots.isEmpty { slots = [UInt32](repeating: 0, count: Self.capacity) }
        return slots[slot] == 0 ? nil : slots[slot] &- 1
    }

    @inline(__always)
    private static func slot(_ word: UInt64, salt: UInt8) -> Int {
        let mixed = (word ^ UInt64(salt) &<< 56) &* 0x9e37_79b9_7f4a_7c15
        return Int(truncatingIfNeeded: mixed &>> 52)
    }
}

extension Span<UInt8> {
    /// The first and the last eight bytes in one word; nil for a text that is empty or long.
    fileprivate var edges: UInt64? {
        if isEmpty || count > RecentLeaves.longestText { return nil }
        if count < 8 { return bigEndian(at: 0, width: count) }
        guard let first = littleEndian(at: 0), let last = littleEndian(at: count &- 8) else {
            return nil
        }
        return first ^ last &* 0xff51_afd7_ed55_8ccd
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A table of distinct leaves. ``GraphAssembler`` can deduplicate each leaf when it is added.
/// ``ObjectList`` deduplicates the leaves of any other document for the binary writer.
///
/// Both use the rules of ``ObjectUniquer``, so leaves that the assembler has deduplicated need no
/// second comparison. Small integers, Booleans and the UIDs of archives need no hash.
struct DistinctLeaves {
    private var uniquer: ObjectUniquer
    // By the value of a UID: its node plus one, or 0 for none. UIDs in an archive are small.
    private var uids: [UInt32] = []
    // True after a UID was too large for the array, so that `uniquer` contains UIDs too.
    private var hasLargeUIDs = false
    // By small integer, then by Boolean value: its node plus one, or 0 for none.
    private var smallLeaves: [UInt32] = []

    private static let integerCount: UInt64 = 1024
    /// The largest UID that the array may hold in an empty document. Each value adds four to it.
    private static let leastUIDs: UInt64 = 1024

    /// Creates a table with at least `capacity` slots. It grows when half of them are taken.
    init(capacity: Int = 0) { uniquer = ObjectUniquer(capacity: capacity) }

    /// Returns an equal leaf added earlier, or registers `next` as the node of this leaf and
    /// returns nil.
    @inline(__always)
    mutating func node(
        of record: NodeRecord, next: UInt32, in store: NodeStore
    ) -> UInt32? {
        switch record.kind {
        case .uid: return uid(record, next: next, in: store)
        case .integer where record.payload < Self.integerCount:
            return smallLeaf(Int(truncatingIfNeeded: record.payload), next: next)
        case .boolean:
            return smallLeaf(
                Int(truncatingIfNeeded: Self.integerCount &+ record.payload & 1), next: next)
        default: return uniquer.node(equalTo: next, record, in: store)
        }
    }

    @inline(__always)
    private mutating func smallLeaf(_ place: Int, next: UInt32) -> UInt32? {
        if smallLeaves.isEmpty {
            smallLeaves = .repeated(0, count: Int(Self.integerCount) &+ 2)
        }
        if smallLeaves[place] != 0 { return smallLeaves[place] &- 1 }
        smallLeaves[place] = next &+ 1
        return nil
    }

    @inline(__always)
    private mutating func uid(
        _ record: NodeRecord, next: UInt32, in store: NodeStore
    ) -> UInt32? {
        if record.payload < UInt64(truncatingIfNeeded: uids.count) {
            let known = uids[Int(truncatingIfNeeded: record.payload)]
            if known != 0 { return known &- 1 }
        }
        return newUID(record, next: next, in: store)
    }

    private mutating func newUID(
        _ record: NodeRecord, next: UInt32, in store: NodeStore
    ) -> UInt32? {
        let most = UInt64(truncatingIfNeeded: store.records.count) &* 4 &+ Self.leastUIDs
        if record.payload > most { hasLargeUIDs = true }
        if hasLargeUIDs { return uniquer.node(equalTo: next, record, in: store) }
        let value = Int(truncatingIfNeeded: record.payload)
        if value >= uids.count {
            let count = max(value &+ 1, uids.count &* 2, 32)
            uids.append(contentsOf: repeatElement(0, count: count &- uids.count))
        }
        uids[value] = next &+ 1
        return nil
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A table that finds equal leaves: leaves of the same kind with the same bits or content.
///
/// The values 1, 1.0 and true are distinct, and so are 0.0 and −0.0, and reals of different widths.
/// Text and data are hashed and compared in place.
///
/// A long leaf is first looked up by the hash of its beginning and end, where most long leaves
/// differ. Only if another leaf has that hash does the lookup continue with the hash of the whole
/// leaf. The time is therefore linear even if all beginnings and ends are equal.
package struct ObjectUniquer {
    private static let longest = 128

    private let hasher = SeededHash()
    // The nodes of the leaves.
    private var table: ProbingTable

    /// Creates a table with at least `capacity` slots. It grows when half of them are taken.
    package init(capacity: Int) { table = ProbingTable(slots: capacity) }

    /// Returns an equal leaf seen before. Otherwise registers `node`, whose record is `record`, and
    /// returns nil.
    @inline(__always)
    package mutating func node(
        equalTo node: UInt32, _ record: NodeRecord, in store: NodeStore
    ) -> UInt32? {
        record.kind == .string || record.kind == .data
            ? content(equalTo: node, record, store) : scalar(equalTo: node, record, store)
    }

    private mutating func scalar(
        equalTo node: UInt32, _ record: NodeRecord, _ store: NodeStore
    ) -> UInt32? {
        let hash = ProbingTable.stored(hasher.hash(record.payload, salt: record.kind.rawValue))
        let records = store.records.span
        let slot = table.slot(hash) { Self.isSameScalar(records[$0], record) }
        if let known = table[slot] { return UInt32(truncatingIfNeeded: known) }
        table.insert(Int(node), hash, at: slot)
        return nil
    }

    private mutating func content(
        equalTo node: UInt32, _ record: NodeRecord, _ store: NodeStore
    ) -> UInt32? {
        let salt = record.kind.rawValue
        var byEnds = store.contentRange(of: record).count > Self.longest
        var hash = ProbingTable.stored(
            store.withContent(of: record) {
                byEnds ? hasher.hash(endsOf: $0, salt: salt) : hasher.hash($0, salt: salt)
            })
        var slot = table.start(hash)
        while table[slot] != nil {
            if let known = table.number(at: slot, hash) {
                if Self.isSame(store.records[known], record, store) {
                    return UInt32(truncatingIfNeeded: known)
                }
                if byEnds {
                    byEnds = false
                    hash = ProbingTable.stored(
                        store.withContent(of: record) { hasher.hash($0, salt: salt) })
                    slot = table.start(hash)
                    continue
                }
            }
            slot = table.slot(after: slot)
        }
        table.insert(Int(node), hash, at: slot)
        return nil
    }

    /// Returns whether two leaves are equal.
    @inline(__always)
    package static func isSame(
        _ left: NodeRecord, _ right: NodeRecord, _ store: NodeStore
    ) -> Bool {
        switch left.kind {
        case .string, .data: left.kind == right.kind && store.hasSameContent(left, right)
        default: isSameScalar(left, right)
        }
    }

    @inline(__always)
    private static func isSameScalar(_ left: NodeRecord, _ right: NodeRecord) -> Bool {
        guard left.kind == right.kind, left.payload == right.payload else { return false }
        switch left.kind {
        case .integer: return left.isNegative == right.isNegative
        case .real: return left.header == right.header
        default: return true
        }
    }
}

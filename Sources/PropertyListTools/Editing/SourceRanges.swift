// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The ranges of values and keys in a source of text. A scan of the source, from its beginning, finds their
/// ends.
struct SourceRanges {
    let store: NodeStore
    // By record.
    private var ends: [UInt32]
    // The first record that the scan has not come to.
    private var next = 0

    /// The values and keys of a document that was read, without their ends.
    init(_ store: NodeStore) {
        self.store = store
        ends = [UInt32](repeating: 0, count: store.records.count)
    }

    /// The record that begins at a place; nil where none does. Records are in the order of their places, and
    /// the scan asks in that order.
    mutating func record(at place: Int) -> Int? {
        while next < store.records.count, Int(store.records[next].offset) < place { next &+= 1 }
        guard next < store.records.count, Int(store.records[next].offset) == place else {
            return nil
        }
        next &+= 1
        return next &- 1
    }

    /// Leaves out the first records.
    mutating func skip(to record: Int) { next = record }

    /// Notes the end of a record.
    mutating func end(_ record: Int, at place: Int) {
        ends[record] = UInt32(truncatingIfNeeded: place)
    }

    /// The range of a value or a key, from its first character to its last.
    subscript(record: UInt32) -> Range<Int> {
        let start = Int(store.records[Int(record)].offset)
        return start..<max(start, Int(ends[Int(record)]))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The ranges of values and keys in a text source. A scan from the beginning of the source finds
/// their ends.
struct SourceRanges {
    let store: NodeStore
    // The end of each record.
    private var ends: [UInt32]
    // The first record that the scan has not reached.
    private var next = 0

    /// Creates the ranges for a parsed document, without their ends.
    init(_ store: NodeStore) {
        self.store = store
        ends = [UInt32](repeating: 0, count: store.records.count)
    }

    /// Returns the record that begins at an offset, or nil if none does. Records are sorted by
    /// offset, and the scan must ask in that order.
    mutating func record(at place: Int) -> Int? {
        while next < store.records.count, Int(store.records[next].offset) < place { next &+= 1 }
        guard next < store.records.count, Int(store.records[next].offset) == place else {
            return nil
        }
        next &+= 1
        return next &- 1
    }

    /// Skips all records before `record`.
    mutating func skip(to record: Int) { next = record }

    /// Stores the end of a record.
    mutating func end(_ record: Int, at place: Int) {
        ends[record] = UInt32(truncatingIfNeeded: place)
    }

    /// The range of a value or a key, from its first character to its last.
    subscript(record: UInt32) -> Range<Int> {
        let start = Int(store.records[Int(record)].offset)
        return start..<max(start, Int(ends[Int(record)]))
    }
}

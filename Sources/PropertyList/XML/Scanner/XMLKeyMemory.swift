// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys seen so far, each with the key that followed it last.
///
/// A property list holds many dictionaries of the same shape, so one comparison with the key that came next the
/// last time spares looking for the end of the key, checking its characters and finding its number. The memory is
/// by key and not by shape: the scanner meets one key after the other, and the shape is known after the last.
struct XMLKeyMemory {
    private struct Entry {
        /// The record of the key where it was seen first.
        var record = NodeRecord(kind: .string, offset: 0)
        /// The bytes from `<key>` to the end of `</key>`.
        var length = 0
        /// The number of the key that came next, 0 for none.
        var successor: UInt32 = 0
    }

    private(set) var keys = KeyTable()
    // By key number; the first is for the beginning of a dictionary.
    private var entries = [Entry()]

    /// The key that followed `last` before, if it stands at `index` too.
    @inline(__always)
    func successor(
        of last: UInt32, _ text: Span<UInt8>, at index: Int
    ) -> (number: UInt32, record: NodeRecord, length: Int)? {
        let number = entries[Int(last)].successor
        guard number != 0 else { return nil }
        let entry = entries[Int(number)]
        guard text.isSame(at: index, and: Int(entry.record.offset), length: entry.length) else {
            return nil
        }
        var record = entry.record
        record.offset = UInt32(truncatingIfNeeded: index)
        return (number, record, entry.length)
    }

    /// Numbers the key whose record is `node` of `store`, with its tags `length` bytes long.
    mutating func add(
        _ node: Int, after last: UInt32, _ length: Int, _ store: inout NodeStore
    ) -> UInt32 {
        let number = keys.intern(UInt32(truncatingIfNeeded: node), in: store)
        store.records[node].setKeyNumber(number)
        if Int(number) == entries.count {
            entries.append(Entry(record: store.records[node], length: length))
        }
        // What had to be decoded does not stand at its place in the source.
        let isPlain = !entries[Int(number)].record.isDecoded
        entries[Int(last)].successor = isPlain ? number : 0
        return number
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys seen so far, each with the key that followed it last time.
///
/// Many dictionaries of a property list have the same shape. The scanner therefore compares the
/// text after a key with the key that followed it last time. If they are equal, this one comparison
/// replaces a search for the end of the next key, a check of its characters and a lookup of its
/// number. The memory is organized by key and not by shape, because the scanner knows the shape
/// only after the last key.
struct XMLKeyMemory {
    private struct Entry {
        /// The record of the first occurrence of the key.
        var record = NodeRecord(kind: .string, offset: 0)
        /// The number of bytes from `<key>` to the end of `</key>`.
        var length = 0
        /// The number of the key that followed last time; 0 if no key did, or if that key is
        /// decoded.
        var successor: UInt32 = 0
    }

    private(set) var keys = KeyTable()
    // By key number. The first entry is for the beginning of a dictionary.
    private var entries = [Entry()]

    /// Returns the key that followed `last` before, if it is also at `index`.
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

    /// Assigns a number to the key whose record is `node` of `store`, and remembers the key as the
    /// successor of `last`. `length` includes the tags of the key.
    mutating func add(
        _ node: Int, after last: UInt32, _ length: Int, _ store: inout NodeStore
    ) -> UInt32 {
        let number = keys.intern(UInt32(truncatingIfNeeded: node), in: store)
        store.records[node].setKeyNumber(number)
        if Int(number) == entries.count {
            entries.append(Entry(record: store.records[node], length: length))
        }
        // A decoded key cannot be compared with the source.
        let isPlain = !entries[Int(number)].record.isDecoded
        entries[Int(last)].successor = isPlain ? number : 0
        return number
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys of a document under construction. All dictionaries share one string per distinct key.
///
/// Values arrive one by one, before the shape of their dictionary is known. A key nearly always has
/// the same successor as last time, and one comparison confirms it.
struct BuiltKeys {
    /// The numbers of the keys.
    private(set) var table = KeyTable()
    // By key number, from 1: the node of the string, and the number of the key that last followed
    // it (0 for none).
    private var entries: [(node: UInt32, successor: UInt32)] = []
    /// The number of the last key found or added; 0 for none.
    private(set) var last = 0

    /// Returns the node of the previous successor of the last key, if its text is `text`.
    @inline(__always)
    mutating func successor(_ text: String, in store: NodeStore) -> UInt32? {
        if last == 0 { return nil }
        let successor = Int(entries[last &- 1].successor)
        return successor > 0 && isKey(successor, text, store) ? use(successor) : nil
    }

    /// Returns the place of a key in the table, for finding its node or inserting the key.
    @inline(__always)
    func place(of text: String, in store: NodeStore) -> KeyTable.Place {
        table.place(of: text, in: store)
    }

    /// Returns the node of the key at a place, or nil if the document has no such key.
    @inline(__always)
    mutating func node(at place: KeyTable.Place) -> UInt32? {
        guard let number = place.number else { return nil }
        follow(Int(number))
        return entries[last &- 1].node
    }

    /// Returns the node of the key with the given number.
    @inline(__always)
    mutating func use(_ number: Int) -> UInt32 {
        last = number
        return entries[number &- 1].node
    }

    /// Assigns a number to the string `node`, a new key of the document.
    @inline(__always)
    mutating func insert(_ node: UInt32, at place: KeyTable.Place, _ store: inout NodeStore) {
        // Most small documents have no more keys than this, so the array never grows.
        if entries.isEmpty { entries.reserveCapacity(32) }
        let number = table.insert(node, at: place)
        store.records[Int(node)].setKeyNumber(number)
        entries.append((node, 0))
        follow(Int(number))
    }

    @inline(__always)
    private mutating func follow(_ number: Int) {
        if last > 0 { entries[last &- 1].successor = UInt32(truncatingIfNeeded: number) }
        last = number
    }

    @inline(__always)
    private func isKey(_ number: Int, _ text: String, _ store: NodeStore) -> Bool {
        store.isString(store.records[Int(entries[number &- 1].node)], text)
    }
}

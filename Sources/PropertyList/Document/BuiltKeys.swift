// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The keys of a document that is being built: each text is one string, which all dictionaries share.
///
/// Values arrive one by one, before the shape of their dictionary is known. The key that came after the last one
/// the time before nearly always comes again; one comparison confirms it.
struct BuiltKeys {
    /// The numbers of the keys.
    private(set) var table = KeyTable()
    // By key number, from 1: the string, and the number of the key that came next the last time; 0 is none.
    private var entries: [(node: UInt32, successor: UInt32)] = []
    /// The number of the key that was found or added last; 0 is none.
    private(set) var last = 0

    /// The string of the key that comes after the last one, if it is the one that came there the time before.
    @inline(__always)
    mutating func successor(_ text: String, in store: NodeStore) -> UInt32? {
        if last == 0 { return nil }
        let successor = Int(entries[last &- 1].successor)
        return successor > 0 && isKey(successor, text, store) ? use(successor) : nil
    }

    /// The place of a key, for a look at its string or to insert one.
    @inline(__always)
    func place(of text: String, in store: NodeStore) -> KeyTable.Place {
        table.place(of: text, in: store)
    }

    /// The string of the key at a place; nil for a key that the document does not have.
    @inline(__always)
    mutating func node(at place: KeyTable.Place) -> UInt32? {
        guard let number = place.number else { return nil }
        follow(Int(number))
        return entries[last &- 1].node
    }

    /// The string of a key by its number.
    @inline(__always)
    mutating func use(_ number: Int) -> UInt32 {
        last = number
        return entries[number &- 1].node
    }

    /// Numbers the string `node`, a key that the document did not have.
    @inline(__always)
    mutating func insert(_ node: UInt32, at place: KeyTable.Place, _ store: inout NodeStore) {
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

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

    /// The string of a key that comes after the last one; nil for a key that the document does not have.
    @inline(__always)
    mutating func next(_ text: String, in store: NodeStore) -> UInt32? {
        if last > 0 {
            let successor = Int(entries[last &- 1].successor)
            if successor > 0, isKey(successor, text, store) { return use(successor) }
        }
        guard let number = table.number(of: text, in: store) else { return nil }
        follow(Int(number))
        return entries[last &- 1].node
    }

    /// The string of a key, for a builder that knows better which key is next; nil for a key that the document
    /// does not have.
    @inline(__always)
    func node(of text: String, in store: NodeStore) -> UInt32? {
        table.number(of: text, in: store).map { entries[Int($0) &- 1].node }
    }

    /// The string of a key by its number.
    @inline(__always)
    mutating func use(_ number: Int) -> UInt32 {
        last = number
        return entries[number &- 1].node
    }

    /// Numbers the string `node`, a key that the document did not have.
    @inline(__always)
    mutating func insert(_ node: UInt32, _ store: inout NodeStore) {
        let number = table.intern(node, in: store)
        store.records[Int(node)].setHigh(number)
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

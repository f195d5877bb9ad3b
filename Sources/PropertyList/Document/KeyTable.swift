// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The distinct dictionary keys of a document, numbered from 1.
///
/// A property list uses few distinct keys, many times each. Once each key has a number, lookups and
/// the search for duplicates compare numbers instead of text.
package struct KeyTable: Sendable {
    private let hasher = SeededHash()
    // Entries are key numbers minus one.
    private var table = ProbingTable(slots: 64)
    private var representatives: [UInt32] = []

    /// The number of distinct keys, and thus the largest number assigned.
    var count: Int { representatives.count }

    /// Returns the number of the key with the text of the string `node`, or assigns a new one.
    mutating func intern(_ node: UInt32, in store: NodeStore) -> UInt32 {
        let record = store.records[Int(node)]
        let hash = store.withContent(of: record) { keyHash($0, record.encoding) }
        return intern(node, record, hash, in: store)
    }

    private mutating func intern(
        _ node: UInt32, _ record: NodeRecord, _ hash: UInt32, in store: NodeStore
    ) -> UInt32 {
        let slot = slot(hash) { store.hasSameContent(store.records[Int($0)], record) }
        return table[slot].map(Self.number) ?? insert(node, hash: hash, at: slot)
    }

    /// Returns the number of the key at an index.
    private static func number(_ place: Int) -> UInt32 { UInt32(truncatingIfNeeded: place &+ 1) }

    /// Makes room for `count` more keys.
    mutating func makeRoom(for count: Int) {
        let total = representatives.count &+ count
        if total <= table.capacity { return }
        representatives.reserveLargeCapacity(total)
        table.makeRoom(for: total)
    }

    /// Finds or assigns the number of each key in a block, as ``intern(_:in:)`` does, and stores it
    /// in the record of the key. The nodes must be strings.
    ///
    /// In a table larger than the CPU caches, nearly every lookup waits for memory. Running each
    /// step for a whole block lets those waits overlap.
    mutating func intern(block nodes: [UInt32], in store: inout NodeStore) {
        let hashes = nodes.map { node in
            let record = store.records[Int(node)]
            return store.withContent(of: record) { keyHash($0, record.encoding) }
        }
        let guesses = hashes.map { table.number(at: table.start($0), $0).map(Self.number) ?? 0 }
        for (index, node) in nodes.enumerated() {
            let record = store.records[Int(node)]
            var number = guesses[index]
            // A guessed number stays valid even if an insertion has moved its slot.
            if number == 0 || !isSame(number, record, store) {
                number = intern(node, record, hashes[index], in: store)
            }
            store.records[Int(node)].setKeyNumber(number)
        }
    }

    private func isSame(_ number: UInt32, _ record: NodeRecord, _ store: NodeStore) -> Bool {
        store.hasSameContent(store.records[Int(representatives[Int(number) &- 1])], record)
    }

    /// Returns the number of a key, or nil if no dictionary of the document has it.
    package func number(of key: String, in store: NodeStore) -> UInt32? {
        key.withUTF8Span { text in
            if text.isASCII() { return number(of: text, .ascii, store) }
            if let number = number(of: text, .utf8, store) { return number }
            var utf16: [UInt8] = []
            UTF16Text.appendUTF16(text, to: &utf16)
            return number(of: utf16.span, .utf16, store)
        }
    }

    private func number(
        of text: Span<UInt8>, _ encoding: NodeRecord.TextEncoding, _ store: NodeStore
    ) -> UInt32? {
        let slot = slot(keyHash(text, encoding), of: text, encoding, store)
        return table[slot].map(Self.number)
    }

    private func slot(
        _ hash: UInt32, of text: Span<UInt8>, _ encoding: NodeRecord.TextEncoding,
        _ store: NodeStore
    ) -> Int {
        slot(hash) { node in
            let record = store.records[Int(node)]
            return record.encoding == encoding
                && store.withContent(of: record) { $0.isSame(as: text) }
        }
    }

    /// The slot of a key, or the free slot for it. Valid until the table changes.
    struct Place {
        fileprivate let hash: UInt32
        fileprivate let slot: Int
        /// The number of the key; nil if the table does not contain it.
        let number: UInt32?
    }

    /// Finds a key in a document under construction, in which all text is UTF-8.
    func place(of key: String, in store: NodeStore) -> Place {
        key.withUTF8Span { text in
            let encoding: NodeRecord.TextEncoding = text.isASCII() ? .ascii : .utf8
            let hash = keyHash(text, encoding)
            let slot = slot(hash, of: text, encoding, store)
            return Place(hash: hash, slot: slot, number: table[slot].map(Self.number))
        }
    }

    /// Assigns a number to the key with the text of the string `node`. `place` must be the place of
    /// this key, and must have no number.
    mutating func insert(_ node: UInt32, at place: Place) -> UInt32 {
        insert(node, hash: place.hash, at: place.slot)
    }

    private func keyHash(_ text: Span<UInt8>, _ encoding: NodeRecord.TextEncoding) -> UInt32 {
        ProbingTable.stored(hasher.hash(text, salt: encoding.rawValue))
    }

    /// Returns the slot that contains the key with this hash, or the free slot for it.
    @inline(__always)
    private func slot(_ hash: UInt32, isSame: (UInt32) -> Bool) -> Int {
        table.slot(hash) { isSame(representatives[$0]) }
    }

    private mutating func insert(_ node: UInt32, hash: UInt32, at slot: Int) -> UInt32 {
        // Most small documents have no more keys than this, so the array never grows.
        if representatives.isEmpty { representatives.reserveCapacity(table.capacity) }
        representatives.append(node)
        let place = representatives.count &- 1
        table.insert(place, hash, at: slot)
        return Self.number(place)
    }
}

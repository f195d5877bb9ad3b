// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The pass that replaces each ``UIDDictionary`` with a UID.
enum UIDPass {
    /// Converts the dictionaries of `store`. Linear.
    ///
    /// - Returns: The leniency that was used, if any.
    static func run(_ store: inout NodeStore, options: ParsingOptions) -> ParsingOptions {
        let isArchive = isKeyedArchive(store, keepsAll: options.contains(.allDuplicateKeys))
        guard isArchive || options.contains(.uidDictionaries) else { return [] }
        var isChanged = false
        var key: UInt32?
        for node in store.records.indices {
            let record = store.records[node]
            guard let number = UIDDictionary.number(record, in: store, key: &key) else { continue }
            store.records[node] = NodeRecord(
                kind: .uid, offset: record.offset, payload: UInt64(number))
            isChanged = true
        }
        return isChanged && !isArchive ? .uidDictionaries : []
    }

    /// Returns whether the root is that of a keyed archive. Compares the text of keys, so it can
    /// run before keys have numbers. Linear in the number of keys of the root.
    private static func isKeyedArchive(_ store: NodeStore, keepsAll: Bool) -> Bool {
        guard let root = store.records.first, root.kind == .dictionary else { return false }
        return ArchiveRoot.isArchive { key in
            let keys = store.children[root.keyRange]
            func isKey(_ node: UInt32) -> Bool { store.isString(store.records[Int(node)], key) }
            // Of several equal keys, ``DictionaryPass`` keeps the last. If it keeps all, a lookup
            // finds the first.
            let place = keepsAll ? keys.firstIndex(where: isKey) : keys.lastIndex(where: isKey)
            return place.map {
                store.records[Int(store.children[root.valuePlace(ofKeyAt: $0)])].kind
            }
        }
    }
}

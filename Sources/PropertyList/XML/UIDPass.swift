// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Turns `{CF$UID: n}` into UIDs.
///
/// XML has no element for a UID: Apple's writer makes a dictionary with the one key `CF$UID` and an
/// integer. In a keyed archive, where users' own dictionaries are objects of another shape, the
/// reading is unambiguous; elsewhere it is made only under ``ParsingOptions/uidDictionaries``. What
/// is no integer in 0 … 2³²−1 stays a dictionary.
enum UIDPass {
    /// Converts the dictionaries of `store`. Linear.
    ///
    /// - Returns: the leniency that was used.
    static func run(_ store: inout NodeStore, options: ParsingOptions) -> ParsingOptions {
        let isArchive = isKeyedArchive(store)
        guard isArchive || options.contains(.uidDictionaries) else { return [] }
        var isChanged = false
        for node in store.records.indices {
            guard let value = uid(store.records[node], store) else { continue }
            store.records[node] = NodeRecord(
                kind: .uid, offset: store.records[node].offset, payload: value)
            isChanged = true
        }
        return isChanged && !isArchive ? .uidDictionaries : []
    }

    /// Whether the root has the four keys of a keyed archive.
    static func isKeyedArchive(_ store: NodeStore) -> Bool {
        guard let root = store.records.first, root.kind == .dictionary else { return false }
        return has("$archiver", .string, root, store) && has("$version", .integer, root, store)
            && has("$objects", .array, root, store) && has("$top", .dictionary, root, store)
    }

    private static func has(
        _ key: StaticString, _ kind: PropertyListKind, _ record: NodeRecord, _ store: NodeStore
    ) -> Bool {
        let first = Int(record.low)
        let count = Int(record.high)
        return (first..<(first &+ count)).contains { place in
            store.records[Int(store.children[place &+ count])].kind == kind
                && isString(key, store.records[Int(store.children[place])], store)
        }
    }

    private static func uid(_ record: NodeRecord, _ store: NodeStore) -> UInt64? {
        guard record.kind == .dictionary, record.high == 1 else { return nil }
        let value = store.records[Int(store.children[Int(record.low) &+ 1])]
        guard value.kind == .integer, !value.isNegative, value.payload <= UInt64(UInt32.max),
            isString("CF$UID", store.records[Int(store.children[Int(record.low)])], store)
        else { return nil }
        return value.payload
    }

    private static func isString(
        _ text: StaticString, _ record: NodeRecord, _ store: NodeStore
    ) -> Bool {
        record.kind == .string
            && store.withContent(of: record) {
                $0.count == text.utf8CodeUnitCount && $0.has(text, at: 0)
            }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The dictionary that stands for a UID in formats of text: `{CF$UID: n}`, where n fits 32 bits.
///
/// In a keyed archive, where dictionaries of a program are objects with a class, it always means a UID.
/// Elsewhere it is read as one only under ``ParsingOptions/uidDictionaries``.
enum UIDDictionary {
    /// The one key.
    static let key: StaticString = "CF$UID"
    private static let keyText = key.description

    /// The number of the UID that a record stands for; nil for other values.
    static func number(_ record: NodeRecord, in store: NodeStore) -> UInt32? {
        var known: UInt32?
        return number(record, in: store, key: &known)
    }

    /// The number of the UID that a record stands for; nil for other values.
    ///
    /// - Parameters:
    ///   - record: The record of a value.
    ///   - store: The values of the document.
    ///   - known: The node of a key that is known to be ``key``. Readers of text share the node of equal keys, so
    ///     that a caller who keeps it for the next record saves the comparison of text.
    /// - Returns: The number.
    @inline(__always)
    static func number(
        _ record: NodeRecord, in store: NodeStore, key known: inout UInt32?
    ) -> UInt32? {
        guard record.kind == .dictionary, record.count == 1 else { return nil }
        let value = store.records[Int(store.children[record.valueRange.lowerBound])]
        guard value.kind == .integer, let number = value.integer.value(as: UInt32.self) else {
            return nil
        }
        let key = store.children[record.keyRange.lowerBound]
        if key != known {
            guard store.isString(store.records[Int(key)], keyText) else { return nil }
            known = key
        }
        return number
    }
}

extension DocumentTable {
    /// The number of the UID that a dictionary stands for; nil for other values.
    package func uidNumber(ofDictionary record: NodeRecord) -> UInt32? {
        UIDDictionary.number(record, in: storage.store)
    }
}

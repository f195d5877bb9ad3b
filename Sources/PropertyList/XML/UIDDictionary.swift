// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The dictionary that represents a UID in text formats: `{CF$UID: n}`, where n fits in 32 bits.
///
/// In a keyed archive such a dictionary always means a UID, because a program's own dictionaries
/// are objects with a class. In other documents it is read as a UID only with
/// ``ParsingOptions/uidDictionaries``.
enum UIDDictionary {
    /// The single key.
    static let key: StaticString = "CF$UID"
    private static let keyText = key.description

    /// Returns the value of the UID that a record represents, or nil if it represents none.
    static func number(_ record: NodeRecord, in store: NodeStore) -> UInt32? {
        var known: UInt32?
        return number(record, in: store, key: &known)
    }

    /// Returns the value of the UID that a record represents, or nil if it represents none.
    ///
    /// - Parameters:
    ///   - record: The record of a value.
    ///   - store: The values of the document.
    ///   - known: The key number of ``key`` in the document, or nil until the key has been found.
    ///     If keys have numbers, passing the same variable for each record saves comparing text.
    /// - Returns: The value, or nil.
    @inline(__always)
    static func number(
        _ record: NodeRecord, in store: NodeStore, key known: inout UInt32?
    ) -> UInt32? {
        guard record.kind == .dictionary, record.count == 1 else { return nil }
        let value = store.records[Int(store.children[record.valueRange.lowerBound])]
        guard value.kind == .integer, let number = value.integer.value(as: UInt32.self) else {
            return nil
        }
        let key = store.records[Int(store.children[record.keyRange.lowerBound])]
        if key.keyNumber == 0 || key.keyNumber != known {
            guard store.isString(key, keyText) else { return nil }
            known = key.keyNumber
        }
        return number
    }
}

extension DocumentTable {
    /// Returns the value of the UID that a dictionary represents, or nil if it represents none.
    package func uidNumber(ofDictionary record: NodeRecord) -> UInt32? {
        UIDDictionary.number(record, in: storage.store)
    }
}

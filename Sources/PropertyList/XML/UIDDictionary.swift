// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary

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
        guard record.kind == .dictionary, record.high == 1 else { return nil }
        let value = store.records[Int(store.children[Int(record.low) &+ 1])]
        guard value.kind == .integer, let number = value.integer.value(as: UInt32.self),
            store.isString(store.records[Int(store.children[Int(record.low)])], keyText)
        else { return nil }
        return number
    }
}

/// The rule by which a root is that of a keyed archive: it has four keys, each with a value of its kind.
enum ArchiveRoot {
    /// Applies the rule.
    ///
    /// - Parameter kind: Returns the kind of the value of a key; nil where the root has no such key.
    /// - Returns: Whether the root is that of a keyed archive.
    static func isArchive(_ kind: (String) -> PropertyListKind?) -> Bool {
        kind(ArchiveFormat.archiverKey) == .string && kind(ArchiveFormat.versionKey) == .integer
            && kind(ArchiveFormat.objectsKey) == .array && kind(ArchiveFormat.topKey) == .dictionary
    }
}

extension PropertyListDocument {
    /// Whether the root is that of a keyed archive. Constant time.
    package var looksLikeKeyedArchive: Bool { ArchiveRoot.isArchive { root[$0]?.kind } }
}

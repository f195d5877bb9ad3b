// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary

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
    /// A Boolean value that says whether the root is that of a keyed archive. Constant time.
    package var looksLikeKeyedArchive: Bool { ArchiveRoot.isArchive { root[$0]?.kind } }
}

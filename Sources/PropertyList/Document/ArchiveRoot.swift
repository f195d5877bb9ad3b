// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary

/// The test for the root of a keyed archive, which has four required keys with values of certain
/// kinds.
enum ArchiveRoot {
    /// Returns whether a root is that of a keyed archive.
    ///
    /// - Parameter kind: A function that returns the kind of the value of a key, or nil if the root
    ///   has no such key.
    /// - Returns: True if the root is that of a keyed archive.
    static func isArchive(_ kind: (String) -> PropertyListKind?) -> Bool {
        kind(ArchiveFormat.archiverKey) == .string && kind(ArchiveFormat.versionKey) == .integer
            && kind(ArchiveFormat.objectsKey) == .array && kind(ArchiveFormat.topKey) == .dictionary
    }
}

extension PropertyListDocument {
    /// A Boolean value that is true if the root is that of a keyed archive. Constant time.
    package var looksLikeKeyedArchive: Bool { ArchiveRoot.isArchive { root[$0]?.kind } }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles
internal import ValidText

extension ObjectStore {
    /// The names of the files of an ``ObjectStore``.
    ///
    /// ```swift
    /// let saves = try ObjectStore(folder: path, naming: .plain(extension: "domain"))
    /// let first = try saves.object(Save.self, forKey: "1")
    /// ```
    public struct Naming: Sendable, Hashable {
        // Nil where keys are escaped.
        private let plainExtension: String?

        /// Names that hold any key, on any file system, with the extension `plist`. Lower-case letters, digits, `-`
        /// and `_` stay. All other bytes become `%` and two digits. Long names are cut into folders.
        public static let escaped = Naming(plainExtension: nil)

        /// The key itself with an extension, as programs make names of their own: the file of the key `1` is
        /// `1.domain`. Without an extension the name is the key.
        ///
        /// A key that is no name of a file is refused: the empty one, one with a slash or NUL, one that begins with a
        /// dot, one that makes a name of more than 255 bytes. File systems that ignore case, or compare texts by
        /// canonical equivalence, have one file for several keys, whose last writer wins. Use ``escaped`` for keys
        /// that a user enters.
        public static func plain(extension: String = "") -> Naming {
            Naming(plainExtension: `extension`)
        }
    }
}

extension ObjectStore.Naming {
    private static let longest = 255

    // With its dot; nil where keys are escaped.
    private var suffix: String? { plainExtension.map { $0.isEmpty ? "" : ".\($0)" } }

    /// - Throws: `invalidName` for an extension that no file can have.
    func requireExtension() throws(StoreError) {
        guard let plainExtension else { return }
        if plainExtension.utf8.contains(where: Self.isForbidden)
            || plainExtension.utf8.count >= Self.longest
        {
            throw StoreError(
                .invalidName,
                what: "`\(StoreError.printable(plainExtension))` cannot be the extension of a file",
                recovery: "fewer than \(Self.longest) bytes without a slash")
        }
    }

    /// The names of a key's folders within the folder of a store, and that of its file.
    ///
    /// - Throws: `invalidName` for a key that no file can have.
    func parts(for key: String) throws(StoreError) -> (folders: [String], file: String) {
        guard let suffix else { return try KeyFileName.parts(for: key) }
        let name = key + suffix
        guard Self.isName(key), name.utf8.count <= Self.longest else {
            throw StoreError(
                .invalidName,
                what: "`\(StoreError.printable(name))` cannot be the name of a file",
                recovery: "1 to \(Self.longest) bytes without a slash, not beginning with a dot; "
                    + "`ObjectStore.Naming.escaped` takes any key")
        }
        return ([], name)
    }

    /// The key of a file's path within the folder; nil for a file that no key has.
    func key(ofPath path: String) -> String? {
        guard let suffix else { return KeyFileName.key(ofPath: path) }
        let (name, end) = (Array(path.utf8), Array(suffix.utf8))
        guard name.count > end.count, name.suffix(end.count).elementsEqual(end),
            let key = String(validUTF8: Array(name.dropLast(end.count))), Self.isName(key)
        else { return nil }
        return key
    }

    /// Whether a folder of another program may have the name of a file of the store.
    var mayNameFolders: Bool { suffix != nil }

    /// Whether a folder of this name may hold files of long keys.
    func isFolder(_ name: String) -> Bool { suffix == nil && KeyFileName.isPart(name) }

    private static func isName(_ key: String) -> Bool {
        guard let first = key.utf8.first, first != UInt8(ascii: ".") else { return false }
        return !key.utf8.contains(where: isForbidden)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == 0
    }
}

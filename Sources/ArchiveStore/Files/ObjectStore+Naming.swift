// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles
internal import ValidText

extension ObjectStore {
    /// The file names of an ``ObjectStore``.
    ///
    /// ```swift
    /// let saves = try ObjectStore(folder: path, naming: .plain(extension: "domain"))
    /// let first = try saves.object(Save.self, forKey: "1")
    /// ```
    public struct Naming: Sendable, Hashable {
        // Nil if keys are escaped.
        private let plainExtension: String?

        /// File names for keys of any characters, on any file system, with the extension `plist`.
        /// Lower-case letters, digits, `-` and `_` stay. Every other byte becomes `%` and two
        /// hexadecimal digits. Long names are split into folders. A key whose name would have more
        /// than 3072 characters is refused.
        public static let escaped = Naming(plainExtension: nil)

        /// Returns a naming that uses the key itself as the file name, with an extension. The file
        /// of the key `1` is then `1.domain`, for example. Without an extension, the file name is
        /// the key.
        ///
        /// A key that cannot be a file name is refused: an empty key, a key with a slash or NUL, a
        /// key that begins with a dot, or one whose file name has more than 255 bytes. On file
        /// systems that ignore case or Unicode normalization, several keys may share one file, and
        /// the last writer wins. Use ``escaped`` for keys that a user enters.
        public static func plain(extension: String = "") -> Naming {
            Naming(plainExtension: `extension`)
        }
    }
}

extension ObjectStore.Naming {
    private static let longest = 255

    // The extension with its dot, an empty string without an extension, or nil if keys are escaped.
    private var suffix: String? { plainExtension.map { $0.isEmpty ? "" : ".\($0)" } }

    /// - Throws: `invalidName` for an extension that is not valid in file names.
    func requireExtension() throws(StoreError) {
        guard let plainExtension else { return }
        if plainExtension.utf8.contains(where: Self.isForbidden)
            || plainExtension.utf8.count >= Self.longest
        {
            throw StoreError(
                .invalidName,
                what:
                    "`\(StoreError.printable(plainExtension))` is not a valid file name extension",
                recovery: "use fewer than \(Self.longest) bytes without a slash or NUL")
        }
    }

    /// Returns the names of a key's folders within the folder of a store, and the name of its file.
    ///
    /// - Throws: `invalidName` for a key that is not valid as a file name.
    func parts(for key: String) throws(StoreError) -> (folders: [String], file: String) {
        guard let suffix else { return try KeyFileName.parts(for: key) }
        let name = key + suffix
        guard Self.isName(key), name.utf8.count <= Self.longest else {
            throw StoreError(
                .invalidName,
                what: "`\(StoreError.printable(name))` is not a valid file name",
                recovery:
                    "use 1 to \(Self.longest) bytes without a slash, NUL or a leading dot, or "
                    + "`ObjectStore.Naming.escaped`, which accepts all characters")
        }
        return ([], name)
    }

    /// Returns the key of a path within the folder of a store, or nil if the path belongs to no
    /// key.
    func key(ofPath path: String) -> String? {
        guard let suffix else { return KeyFileName.key(ofPath: path) }
        let (name, end) = (Array(path.utf8), Array(suffix.utf8))
        guard name.count > end.count, name.suffix(end.count).elementsEqual(end),
            let key = String(validUTF8: Array(name.dropLast(end.count))), Self.isName(key)
        else { return nil }
        return key
    }

    /// Returns whether a folder with this name may contain files of long keys.
    func isFolder(_ name: String) -> Bool { suffix == nil && KeyFileName.isPart(name) }

    private static func isName(_ key: String) -> Bool {
        guard let first = key.utf8.first, first != UInt8(ascii: ".") else { return false }
        return !key.utf8.contains(where: isForbidden)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == 0
    }
}

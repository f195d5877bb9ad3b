// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

extension KeyedArchiver {
    /// Archives a root to a file, which is replaced atomically; see ``FileOptions``.
    ///
    /// ```swift
    /// try KeyedArchiver.archive(save, toFile: path)
    /// let again = try KeyedUnarchiver.unarchive(Save.self, fromFile: path)
    /// ```
    ///
    /// The archive is read back before it replaces the file.
    ///
    /// - Throws: The errors of archiving, or the errors of reading the archive, before the file is
    ///   changed. ``StoreError`` with `outOfSpace` or `fileAccess`. The file is then unchanged,
    ///   unless only flushing the folder failed; see ``StoreError/Code/fileAccess``.
    public static func archive(
        _ root: some KeyedEncodable, toFile path: String,
        allowing registry: ClassRegistry = .foundation, options: FileOptions = FileOptions(),
        limits: ParsingLimits = .default
    ) throws {
        let bytes = try withErrors(aboutFile: path) {
            try ReadableArchive.archive(root, registry, options, limits)
        }
        try WholeFile.replace(path, with: bytes, isPrivate: options.isPrivate)
    }
}

extension KeyedUnarchiver {
    /// Reads the root of an archive in a file.
    ///
    /// - Throws: ``StoreError`` with `fileMissing` or `fileAccess`, or with `invalidContents` for a
    ///   file of more bytes than `limits` allow. The errors of unarchiving, with the name of the
    ///   file.
    public static func unarchive<T: KeyedDecodable>(
        _ type: T.Type = T.self, fromFile path: String,
        allowing registry: ClassRegistry = .foundation, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws -> T {
        let bytes = try WholeFile.read(path, limits: limits)
        return try withErrors(aboutFile: path) {
            try unarchive(type, from: bytes, allowing: registry, options: options, limits: limits)
        }
    }
}

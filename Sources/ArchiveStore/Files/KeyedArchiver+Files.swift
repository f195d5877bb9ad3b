// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

extension KeyedArchiver {
    /// Archives a root to a file, which is replaced in one step; see ``FileOptions``.
    ///
    /// ```swift
    /// try KeyedArchiver.archive(save, toFile: path)
    /// let again = try KeyedUnarchiver.unarchive(Save.self, fromFile: path)
    /// ```
    ///
    /// The archive is read again before it replaces the file.
    ///
    /// - Throws: what archiving throws, or what reading the archive would throw, before the file is
    ///   touched; ``StoreError`` with `outOfSpace` or `fileAccess`, and the file is what it was, unless only
    ///   flushing the folder failed, as ``StoreError/Code/fileAccess`` says.
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
    /// - Throws: ``StoreError`` with `fileMissing` or `fileAccess`; what unarchiving throws, with the file's
    ///   name.
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

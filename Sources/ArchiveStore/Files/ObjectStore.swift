// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList
internal import SystemFiles

/// Archived objects in a folder, one file for each key.
///
/// ```swift
/// let saves = try ObjectStore(folder: path, allowing: .commonClasses.adding(Save.self))
/// try saves.set(save, forKey: "level/3 – “Ångström”")
/// let again = try saves.object(Save.self, forKey: "level/3 – “Ångström”")
/// ```
///
/// Keys may be any text. Each file is a keyed archive of its own with the object as its root, replaced
/// in one step, so programs that share a folder see whole objects; the last writer wins.
public struct ObjectStore: Sendable {
    private let folder: String
    private let registry: ClassRegistry
    private let options: FileOptions
    private let limits: ParsingLimits

    /// A store in a folder, which is made if it is missing.
    ///
    /// - Parameters:
    ///   - folder: the folder; what in it is no file of the store's is left alone.
    ///   - registry: the classes that objects may consist of, both ways.
    ///   - options: how files are written.
    ///   - limits: how much an archive may ask for.
    /// - Throws: `fileAccess`, `outOfSpace`.
    public init(
        folder: String, allowing registry: ClassRegistry = .foundation,
        options: FileOptions = FileOptions(), limits: ParsingLimits = .default
    ) throws(StoreError) {
        self.folder = folder
        self.registry = registry
        self.options = options
        self.limits = limits
        do { try createFolders(folder) } catch { throw StoreError(error, file: folder) }
        FileAccess.removeDeadTemporaries(inFolder: folder)
    }

    /// The object of a key; nil where there is none.
    ///
    /// - Throws: what unarchiving throws; `fileAccess`, `invalidName`.
    public func object<T: KeyedDecodable>(
        _ type: T.Type = T.self, forKey key: String
    ) throws -> T? {
        do {
            return try KeyedUnarchiver.unarchive(
                type, fromFile: path(for: key), allowing: registry, limits: limits)
        } catch let error as StoreError where error.code == .fileMissing {
            return nil
        }
    }

    /// Stores an object under a key, instead of the one that is there; nil removes it.
    ///
    /// The archive is read again before it replaces the old one.
    ///
    /// - Throws: what archiving throws, or what reading the archive would throw; `outOfSpace`,
    ///   `fileAccess`, `invalidName`. The object that was there stays.
    public func set(_ object: (some KeyedEncodable)?, forKey key: String) throws {
        guard let object else {
            try removeObject(forKey: key)
            return
        }
        let bytes = try ReadableArchive.archive(object, registry, options, limits)
        try write(bytes, to: path(for: key))
    }

    /// A long key's file lies in folders of its own, which another program may be removing because they
    /// are empty.
    private func write(_ bytes: [UInt8], to path: String) throws(StoreError) {
        for _ in 0..<8 {
            do {
                return try WholeFile.replace(path, with: bytes, isPrivate: options.isPrivate)
            } catch  where error.code == .fileMissing {
                do { try createFolders(Self.parent(of: path)) } catch {
                    throw StoreError(error, file: path)
                }
            }
        }
        throw StoreError(.fileMissing, what: "the folder is removed again and again", file: path)
    }

    /// Removes the object of a key; false where there is none.
    ///
    /// - Throws: `fileAccess`, `invalidName`.
    @discardableResult
    public func removeObject(forKey key: String) throws(StoreError) -> Bool {
        var path = try path(for: key)
        do {
            guard try removeFile(path) else { return false }
        } catch {
            throw StoreError(error, file: path)
        }
        let file = path
        // The folder that is left is flushed, so that the object is not back after a power cut.
        var last: String
        repeat {
            last = path
            path = Self.parent(of: path)
        } while path != folder && removeEmptyFolder(path)
        do { try synchronizeFolder(of: last) } catch  where !error.isMissing {
            throw StoreError(error, file: file)
        } catch {
            // Another program removed the folder; its names are gone with it.
        }
        return true
    }

    /// The keys of all objects, in the order of their bytes. Linear in the number of files, but for sorting; folders of
    /// others and links are not entered.
    ///
    /// - Throws: `fileAccess`.
    public func keys() throws(StoreError) -> [String] {
        var keys: [String] = []
        var pending = [""]
        while let prefix = pending.popLast() {
            for name in try names(in: prefix) {
                if let key = KeyFileName.key(ofPath: prefix + name) {
                    keys.append(key)
                } else if KeyFileName.isPart(name), isFolder("\(folder)/\(prefix)\(name)") {
                    pending.append(prefix + name + "/")
                }
            }
        }
        return keys.map(ExactText.init).sorted().map(\.text)
    }

    /// The names in a folder of the store; none where it is a file, or was just removed.
    private func names(in prefix: String) throws(StoreError) -> [String] {
        let path = "\(folder)/\(prefix)"
        do {
            return try SystemFiles.names(inFolder: path)
        } catch {
            if error.isMissing && !prefix.isEmpty { return [] }
            throw StoreError(error, file: path)
        }
    }

    private func path(for key: String) throws(StoreError) -> String {
        "\(folder)/\(try KeyFileName.path(for: key))"
    }

    private static func parent(of path: String) -> String {
        parentFolder(of: path) ?? "."
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList
internal import SystemFiles

/// A store of archived objects in a folder, with one file per key.
///
/// ```swift
/// let saves = try ObjectStore(folder: path, allowing: .commonClasses.adding(Save.self))
/// try saves.set(save, forKey: "level/3 – “Ångström”")
/// let again = try saves.object(Save.self, forKey: "level/3 – “Ångström”")
/// ```
///
/// Keys may be any string, unless the files have plain names (``Naming``). Each file is a keyed
/// archive with the object as its root, and is replaced atomically. Programs that share a folder
/// see complete objects, and the last writer wins.
///
/// Nothing outside the folder is read or written. A symbolic link in place of a file, or of a
/// folder for a long key, is an error. Only ``removeObject(forKey:)`` accepts a link in place of a
/// file, and removes the link. The folder itself may be a symbolic link.
public struct ObjectStore: Sendable {
    private let folder: String
    private let naming: Naming
    private let registry: ClassRegistry
    private let options: FileOptions
    private let limits: ParsingLimits

    /// Creates a store in a folder. The folder is created if it is missing.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder. Files that do not belong to the store are left alone.
    ///   - naming: The file names.
    ///   - registry: The allowed classes of objects, for reading and for writing.
    ///   - options: The options for writing files.
    ///   - limits: The limits on parsing an archive.
    /// - Throws: `fileAccess`, `outOfSpace`, or `invalidName` for an extension that is not valid in
    ///   file names.
    public init(
        folder: String, naming: Naming = .escaped, allowing registry: ClassRegistry = .foundation,
        options: FileOptions = FileOptions(), limits: ParsingLimits = .default
    ) throws(StoreError) {
        try naming.requireExtension()
        let folder = absolutePath(folder)
        self.folder = folder
        self.naming = naming
        self.registry = registry
        self.options = options
        self.limits = limits
        do { try createFolders(folder) } catch { throw StoreError(error, file: folder) }
        FileAccess.removeDeadTemporaries(inFolder: folder)
    }

    /// Returns the object for a key, or nil if there is none.
    ///
    /// - Throws: The errors of unarchiving. ``StoreError`` with `fileAccess`, `invalidName`, or
    ///   `invalidContents` for a file of more bytes than the limits allow.
    public func object<T: KeyedDecodable>(
        _ type: T.Type = T.self, forKey key: String
    ) throws -> T? {
        let file = try KeyFile(key, in: folder, naming)
        guard
            let bytes = try file.access({ place throws(SystemError) in
                try WholeFile.read(place, limits: limits)
            })
        else { return nil }
        return try withErrors(aboutFile: file.path) {
            try KeyedUnarchiver.unarchive(type, from: bytes, allowing: registry, limits: limits)
        }
    }

    /// Stores an object under a key, replacing the previous one. Removes the object of the key if
    /// the value is nil.
    ///
    /// The archive is read back before it replaces the previous one.
    ///
    /// - Throws: The errors of archiving and of reading the archive, and ``StoreError`` with
    ///   `outOfSpace`, `fileAccess`, `fileMissing` (the folder of the store is missing) or
    ///   `invalidName`. The previous object stays, except after a failure that affected only the
    ///   flush of the folder; see ``StoreError/Code/fileAccess``.
    public func set(_ object: (some KeyedEncodable)?, forKey key: String) throws {
        guard let object else {
            try removeObject(forKey: key)
            return
        }
        let file = try KeyFile(key, in: folder, naming)
        let bytes = try withErrors(aboutFile: file.path) {
            try ReadableArchive.archive(object, registry, options, limits)
        }
        try write(bytes, to: file)
    }

    /// Writes the file for a key, and retries if necessary. The file for a long key is in folders
    /// of its own, which another program may remove while they are empty.
    private func write(_ bytes: [UInt8], to file: KeyFile) throws(StoreError) {
        for attempt in 0..<100 as Range<UInt32> {
            let isWritten: Void? = try file.access(creatingFolders: true) {
                place throws(SystemError) in
                try WholeFile.replace(place, with: bytes, isPrivate: options.isPrivate)
            }
            if isWritten != nil { return }
            try requireFolder()
            // The random delay keeps two programs from colliding again and again.
            Environment.sleep(microseconds: .random(in: 0...200 * attempt))
        }
        throw StoreError(
            .fileMissing, what: "other programs keep removing the folder", file: file.path)
    }

    /// - Throws: `fileMissing` if the folder of the store itself is missing.
    private func requireFolder() throws(StoreError) {
        do { _ = try FileMode(of: folder) } catch { throw StoreError(error, file: folder) }
    }

    /// Removes the object for a key. Returns false if there is none.
    ///
    /// - Throws: `invalidName` or `fileAccess`. If the object was removed but the folder could not
    ///   be flushed, the message says so, and the object may reappear after a power failure.
    ///   Removing it again flushes the folder.
    @discardableResult
    public func removeObject(forKey key: String) throws(StoreError) -> Bool {
        try KeyFile(key, in: folder, naming).remove()
    }

    /// Returns the keys of all objects, sorted by their bytes. Folders of other programs and
    /// symbolic links are not entered.
    ///
    /// - Throws: `fileAccess`; `fileMissing` if the folder of the store is missing.
    /// - Complexity: O(*n* log *n*) in the number of files.
    public func keys() throws(StoreError) -> [String] {
        var keys: [String] = []
        var pending: [[String]] = [[]]
        while let folders = pending.popLast() {
            let prefix = folders.map { $0 + "/" }.joined()
            for name in try names(in: folders) {
                if let key = naming.key(ofPath: prefix + name) {
                    keys.append(key)
                } else if naming.isFolder(name), folders.count < KeyFileName.deepest {
                    pending.append(folders + [name])
                }
            }
        }
        return keys.map(ExactText.init(_:)).sorted().map(\.text)
    }

    /// Returns the names of the regular files in a folder of the store, and all names that have the
    /// form of a folder for long keys. The result is empty for a subfolder that was just removed,
    /// and for a file or a link in its place.
    private func names(in folders: [String]) throws(StoreError) -> [String] {
        do {
            let chain = try FolderChain(folder, folders)
            defer { chain.close() }
            return try chain.last.names().filter { name in
                naming.isFolder(name)
                    || (try? FileMode(of: FilePlace(name, in: chain.last)))?.isRegular == true
            }
        } catch {
            if !folders.isEmpty, error.isMissing || error.isNotFolder { return [] }
            throw StoreError(error, file: ([folder] + folders).joined(separator: "/"))
        }
    }
}

/// The file for a key in the folder of a store. The file for a long key is in subfolders.
private struct KeyFile {
    let path: String
    private let root: String
    private let folders: [String]
    private let name: String

    /// - Throws: `invalidName`.
    init(
        _ key: String, in root: String, _ naming: ObjectStore.Naming
    ) throws(StoreError) {
        (folders, name) = try naming.parts(for: key)
        path = ([root] + folders + [name]).joined(separator: "/")
        self.root = root
    }

    /// Calls `body` with the place of the file, while its folders are held open.
    ///
    /// - Returns: The result of `body`, or nil if the file or a folder is missing.
    func access<Result>(
        creatingFolders: Bool = false, _ body: (FilePlace) throws(SystemError) -> Result
    ) throws(StoreError) -> Result? {
        do {
            let chain = try FolderChain(root, folders, creatingFolders ? .creating : .existing)
            defer { chain.close() }
            return try body(FilePlace(name, in: chain.last))
        } catch {
            if error.isMissing { return nil }
            throw StoreError(error, file: path)
        }
    }

    /// Removes the file, and then the folders around it that are empty.
    ///
    /// If there is no file, an earlier removal may not be on disk yet. In this case the innermost
    /// folder that exists is flushed.
    ///
    /// - Returns: A Boolean value indicating whether there was a file.
    func remove() throws(StoreError) -> Bool {
        do {
            let chain = try FolderChain(root, folders, .upToMissing)
            defer { chain.close() }
            let place = FilePlace(name, in: chain.last)
            guard chain.isWhole, try removeFile(place) else {
                try chain.last.synchronize()
                return false
            }
            FileAccess.removeDeadTemporaries(for: place)
            try chain.removeEmptyFolders()
            return true
        } catch {
            if error.isMissing { return false }
            throw StoreError(error, file: path)
        }
    }
}

/// The open folders around a file, from the folder of the store inwards. Only the first may be a
/// symbolic link. While the folders are open, nobody can redirect them with symbolic links.
private struct FolderChain {
    /// The handling of missing folders.
    enum Mode {
        /// Missing folders are errors.
        case existing
        case creating
        /// The chain ends before the first missing folder.
        case upToMissing
    }

    private var open: [OpenFolder]
    private let names: [String]

    /// The innermost folder.
    let last: OpenFolder

    /// Opens the folder of a store, and then each named folder within the previous one.
    ///
    /// - Throws: Among other errors, an `isMissing` or an `isNotFolder` error.
    init(
        _ root: String, _ names: [String], _ mode: Mode = .existing
    ) throws(SystemError) {
        var folder = try OpenFolder(FilePlace(root))
        open = [folder]
        self.names = names
        do throws(SystemError) {
            for name in names {
                if mode == .creating { try folder.createFolder(name) }
                folder = try OpenFolder(FilePlace(name, in: folder))
                open.append(folder)
            }
        } catch {
            guard mode == .upToMissing, error.isMissing else {
                for folder in open { folder.close() }
                throw error
            }
        }
        last = folder
    }

    /// A Boolean value indicating whether all folders exist.
    var isWhole: Bool { open.count == names.count + 1 }

    /// Removes empty folders, from the innermost outwards. Flushes the innermost folder that
    /// remains, so that the removed ones do not reappear after a power failure.
    func removeEmptyFolders() throws(SystemError) {
        var place = names.count
        while place > 0, open[place - 1].removeEmptyFolder(names[place - 1]) { place -= 1 }
        try open[place].synchronize()
    }

    func close() {
        for folder in open { folder.close() }
    }
}

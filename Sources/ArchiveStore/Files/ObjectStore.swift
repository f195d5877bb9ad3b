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
///
/// Nothing outside the folder is read or written: a symbolic link in the place of a file, or of a folder
/// that a long key needs, is an error. The folder itself may be one.
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
        let folder = absolutePath(folder)
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
        let file = try KeyFile(key, in: folder)
        guard
            let bytes = try file.access({ place throws(SystemError) in
                try WholeFile.read(place, limits: limits)
            })
        else { return nil }
        return try ReadableArchive.named("object `\(StoreError.printable(key))` in \(folder)") {
            try KeyedUnarchiver.unarchive(type, from: bytes, allowing: registry, limits: limits)
        }
    }

    /// Stores an object under a key, instead of the one that is there; nil removes it.
    ///
    /// The archive is read again before it replaces the old one.
    ///
    /// - Throws: what archiving throws, or what reading the archive would throw; `outOfSpace`,
    ///   `fileAccess`, `invalidName`. The object that was there stays, unless only flushing the folder
    ///   failed, as ``StoreError/Code/fileAccess`` says.
    public func set(_ object: (some KeyedEncodable)?, forKey key: String) throws {
        guard let object else {
            try removeObject(forKey: key)
            return
        }
        let bytes = try ReadableArchive.archive(object, registry, options, limits)
        try write(bytes, to: KeyFile(key, in: folder))
    }

    /// A long key's file lies in folders of its own, which another program may be removing because they
    /// are empty.
    private func write(_ bytes: [UInt8], to file: KeyFile) throws(StoreError) {
        for attempt in 0..<100 as Range<UInt32> {
            let isWritten: Void? = try file.access(creatingFolders: true) {
                place throws(SystemError) in
                try WholeFile.replace(place, with: bytes, isPrivate: options.isPrivate)
            }
            if isWritten != nil { return }
            try requireFolder()
            // A random time, so that both programs do not keep in step.
            Environment.sleep(microseconds: .random(in: 0...200 * attempt))
        }
        throw StoreError(
            .fileMissing, what: "the folder is removed again and again", file: file.path)
    }

    /// - Throws: `fileMissing` where the folder of the store itself is gone.
    private func requireFolder() throws(StoreError) {
        do { _ = try FileMode(of: folder) } catch { throw StoreError(error, file: folder) }
    }

    /// Removes the object of a key; false where there is none.
    ///
    /// - Throws: `invalidName`; `fileAccess`. Where only flushing the folder failed, the message says so, and
    ///   the object is gone, but may be back after a power cut. Removing it again flushes the folder.
    @discardableResult
    public func removeObject(forKey key: String) throws(StoreError) -> Bool {
        try KeyFile(key, in: folder).remove()
    }

    /// The keys of all objects, in the order of their bytes. Linear in the number of files, but for sorting; folders of
    /// others and links are not entered.
    ///
    /// - Throws: `fileAccess`.
    public func keys() throws(StoreError) -> [String] {
        var keys: [String] = []
        var pending: [[String]] = [[]]
        while let folders = pending.popLast() {
            let prefix = folders.map { $0 + "/" }.joined()
            for name in try names(in: folders) {
                if let key = KeyFileName.key(ofPath: prefix + name) {
                    keys.append(key)
                } else if KeyFileName.isPart(name), folders.count < KeyFileName.deepest {
                    pending.append(folders + [name])
                }
            }
        }
        return keys.map(ExactText.init(_:)).sorted().map(\.text)
    }

    /// The names in a folder of the store; none where it is a file or a link, or was just removed.
    private func names(in folders: [String]) throws(StoreError) -> [String] {
        do {
            let chain = try FolderChain(folder, folders)
            defer { chain.close() }
            return try chain.last.names()
        } catch {
            if !folders.isEmpty, error.isMissing || error.isNoFolder { return [] }
            throw StoreError(error, file: ([folder] + folders).joined(separator: "/"))
        }
    }
}

/// The file of a key in the folder of a store, with folders around it where the key is long.
private struct KeyFile {
    let path: String
    private let root: String
    private let folders: [String]
    private let name: String

    /// - Throws: `invalidName`.
    init(_ key: String, in root: String) throws(StoreError) {
        (folders, name) = try KeyFileName.parts(for: key)
        path = ([root] + folders + [name]).joined(separator: "/")
        self.root = root
    }

    /// Calls `body` with the place of the file, in folders that are held open.
    ///
    /// - Returns: nil where the file or a folder is missing.
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

    /// Removes the file and the folders around it that are empty then.
    ///
    /// Where there is none, an earlier removal may not be on the disk: the innermost folder is flushed.
    ///
    /// - Returns: whether there was one.
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

/// The open folders around a file, from that of the store inwards. None of them but the first is a symbolic
/// link, and nobody can put one in their place while they are open.
private struct FolderChain {
    /// The treatment of folders that are missing.
    enum Mode {
        /// An error.
        case existing
        case creating
        /// The chain ends before the first of them.
        case upToMissing
    }

    private var open: [OpenFolder]
    private let names: [String]

    /// The innermost folder.
    let last: OpenFolder

    /// Opens the folder of a store, and those in it of the names given, each in the one before.
    ///
    /// - Throws: an error that `isMissing`, or that `isNoFolder`.
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

    /// Whether no folder is missing.
    var isWhole: Bool { open.count == names.count + 1 }

    /// Removes the folders that are empty, from the innermost outwards. The folder that is left is flushed,
    /// so that what was removed is not back after a power cut.
    func removeEmptyFolders() throws(SystemError) {
        var place = names.count
        while place > 0, open[place - 1].removeEmptyFolder(names[place - 1]) { place -= 1 }
        try open[place].synchronize()
    }

    func close() {
        for folder in open { folder.close() }
    }
}

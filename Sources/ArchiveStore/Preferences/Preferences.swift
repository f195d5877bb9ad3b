// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import SystemFiles

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A user's settings, as `NSUserDefaults` keeps them: values by their keys in a domain, which is a
/// property list in a folder.
///
/// ```swift
/// let preferences = try Preferences(domain: "com.example.player")
/// preferences.register(defaults: ["volume": 0.8, "shuffles": false])
/// preferences["volume"] = 0.5
/// try preferences.synchronize()
/// ```
///
/// Values are set and read in memory. ``synchronize()`` writes what was set, and nothing else, into what
/// the file holds by then: of programs that share a domain the last writer of a key wins, and no other
/// key is touched. Changes that were not synchronized are lost when the process ends.
public final class Preferences: KeyValueStore {
    /// The file of the domain.
    public let file: String
    private let options: FileOptions
    private let limits: ParsingLimits
    private let timeout: Double
    private let table = KeyValueTable(hasFile: true)
    private let searchTime: Double
    // One thread of this process at a time reads and writes the file. The keys are those of the changes that the
    // last call had no time to try.
    private let fileTurn = Guarded<[ExactText]>([])

    /// Opens a domain and reads what it holds.
    ///
    /// - Parameters:
    ///   - domain: the name of the file without its extension, in the manner of
    ///     `com.example.player`.
    ///   - folder: where it lies; ``defaultFolder`` if it is not said. Made if it is missing.
    ///   - options: how the file is written.
    ///   - limits: how much the file may ask for.
    ///   - timeout: how long ``synchronize()`` waits for other programs, in seconds. It does not wait
    ///     where this is negative or not a number, and waits for ever where it is infinite.
    /// - Throws: `invalidName`; `invalidContents` for a file that is no property list of a dictionary,
    ///   which is left as it is; `unsupportedValue`, `fileAccess`.
    public convenience init(
        domain: String, folder: String? = nil, options: FileOptions = FileOptions(),
        limits: ParsingLimits = .default, timeout: Double = 30
    ) throws(StoreError) {
        try self.init(domain, folder, options, limits, timeout, searchTime: 2)
    }

    // The time is how long `synchronize()` may search for changes that fit, in seconds. Other programs wait meanwhile.
    init(
        _ domain: String, _ folder: String?, _ options: FileOptions, _ limits: ParsingLimits,
        _ timeout: Double, searchTime: Double
    ) throws(StoreError) {
        try Self.requireName(domain)
        let folder = absolutePath(folder ?? Self.defaultFolder)
        file = "\(folder)/\(domain).plist"
        self.options = options
        self.limits = limits
        self.timeout = timeout
        self.searchTime = searchTime
        do { try createFolders(folder) } catch { throw StoreError(error, file: folder) }
        FileAccess.removeDeadTemporaries(inFolder: folder)
        table.adopt(try contents()?.contents.values ?? [:], saved: [:])
    }

    /// Where domains lie: `~/Library/Preferences` on Apple's systems, elsewhere `XDG_CONFIG_HOME`, if that is an
    /// absolute path, or `~/.config`.
    public static var defaultFolder: String {
        #if canImport(Darwin)
        return "\(NSHomeDirectory())/Library/Preferences"
        #else
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let named = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? ""
        // The specification of the variable says that a relative path is to be ignored.
        return named.utf8.first == UInt8(ascii: "/") ? named : "\(home)/.config"
        #endif
    }

    private static func requireName(_ domain: String) throws(StoreError) {
        let isForbidden = domain.utf8.contains { $0 == UInt8(ascii: "/") || $0 == 0 }
        if domain.isEmpty || domain.utf8.first == UInt8(ascii: ".") || isForbidden
            || domain.utf8.count > 200
        {
            throw StoreError(
                .invalidName, what: "`\(TerminalText.escaped(domain))` cannot be a domain",
                recovery: "1 to 200 bytes without a slash, not beginning with a dot")
        }
    }

    // MARK: Values

    public func value(forKey key: String) -> PropertyListValue? { table.value(key) }

    public func set(_ value: PropertyListValue?, forKey key: String) throws(StoreError) {
        if let value { try PlainKinds.require(value) }
        table.set(value, key)
    }

    public func set<Value: PropertyListConvertible>(_ value: Value?, forKey key: String) {
        table.set(value?.propertyListValue, key)
    }

    public func register(defaults: PropertyListDictionary) { table.register(defaults) }

    public var storedValues: PropertyListDictionary { table.stored }

    public var changes: KeyChanges { table.changes() }

    // MARK: The file

    /// Writes the changes since the last time, reads those of other programs, and returns when all of them
    /// are on the disk.
    ///
    /// A value that the file cannot hold, such as an infinite date or in XML a control character, keeps no other
    /// from being written. Where the file would be larger than the limits allow, the smaller of the new values are
    /// written. The search for them ends after two seconds; the next call begins with what there was no time for.
    ///
    /// A file that holds a value which XML cannot hold exactly, written by another program in another format, is
    /// written in binary until that value is gone. A new file belongs to the user that the process acts for, and an
    /// old one keeps its owner. Without changes nothing is locked and nothing written.
    ///
    /// - Throws: `outOfSpace`, `fileAccess`, `invalidContents`, or `busy` where another program keeps the file
    ///   locked or changes it all the time; the error names another user who owns the lock's file. A file system
    ///   without locks is `fileAccess`. The file is then what it
    ///   was, unless only flushing the folder failed, as ``StoreError/Code/fileAccess`` says; the changes are still
    ///   to be written. `unsupportedValue`, with the path of the first value that the file cannot hold: set it
    ///   anew, or remove it. Without a path the file has no room. All other changes are written but those that the
    ///   error counts as waiting.
    public func synchronize() throws(StoreError) {
        try fileTurn.withLock { waiting throws(StoreError) in try exchange(&waiting) }
    }

    private func exchange(_ waiting: inout [ExactText]) throws(StoreError) {
        let pending = table.pending
        if pending.keys.isEmpty {
            // The file is replaced as a whole, so reading takes no lock: neither the right to make one nor time.
            table.adopt(try contents()?.contents.values ?? [:], saved: [:])
            return
        }
        let deadline = Environment.deadline(after: timeout)
        let lock = try acquireLock(until: deadline)
        defer { lock.release() }
        let searchEnd = Environment.deadline(after: searchTime)
        var merge: PreferencesMerge?
        for round in 0..<Self.mostRounds {
            let contentsLock = lockContents()
            defer { contentsLock?.release() }
            let found = try contents()
            if merge == nil || merge?.found != found?.contents {
                merge = try PreferencesMerge(
                    pending, into: found?.contents, options, limits, first: waiting,
                    until: searchEnd)
            }
            if let merge, try write(merge, over: found?.mode) {
                table.adopt(merge.values, saved: merge.keys)
                waiting = merge.waiting
                if let refusal = merge.refusal { throw refusal }
                return
            }
            if round >= Self.fewestRounds, Environment.uptime >= deadline { break }
        }
        throw StoreError(
            .busy, what: "other programs change the file each time that it has been read",
            file: file, recovery: "synchronize again")
    }

    // Between reading the file and replacing it another program may change it.
    private static let mostRounds = 100
    private static let fewestRounds = 3

    /// - Returns: false where another program has changed the file since it had `mode`, or made it.
    private func write(_ merge: PreferencesMerge, over mode: FileMode?) throws(StoreError) -> Bool {
        guard let bytes = merge.bytes else {
            // The file has the values already, perhaps since it could not be flushed.
            if mode != nil, !merge.keys.isEmpty {
                do { try FileAccess.synchronize(file) } catch {
                    throw StoreError(error, file: file)
                }
            }
            return true
        }
        if try WholeFile.replace(file, ifStill: mode, with: bytes, isPrivate: options.isPrivate) {
            return true
        }
        // A symbolic link that leads to no file is an error, not a file that another program made.
        do { _ = try FileMode.existing(at: file) } catch { throw StoreError(error, file: file) }
        return false
    }

    /// The contents of the file, and the mode it had when they were read; nil where there is none.
    private func contents() throws(StoreError) -> (
        mode: FileMode, contents: PreferencesContents
    )? {
        do throws(StoreError) {
            let mode: FileMode
            do throws(SystemError) { mode = try FileMode(of: file) } catch {
                throw StoreError(error, file: file)
            }
            let (value, format) = try PlainFile.document(file, limits)
            guard let values = value.dictionary else {
                throw PlainFile.wrongRoot(value, "a dictionary", file)
            }
            return (mode, PreferencesContents(values: values, format: format))
        } catch  where error.code == .fileMissing {
            return nil
        }
    }

    /// Waits for other programs that are in ``synchronize()``. The lock is on a file beside the domain's,
    /// which others may only write, and only where the umask lets them. A program that can only read the
    /// preferences cannot hold the lock.
    private func acquireLock(until deadline: Double) throws(StoreError) -> FileLock {
        let path = file + ".lock"
        do {
            return try FileLock(
                creating: path, mode: options.isPrivate ? FileMode.ownerOnly : 0o622, for: file,
                deadline: deadline)
        } catch {
            throw StoreError(error, file: path)
        }
    }

    /// Locks the domain's own file, too. Where somebody has removed the lock's file, another program may
    /// have a lock on a new one at the same time. This lock keeps both apart.
    ///
    /// Every program that can read the preferences can hold this lock. So this waits for a second only, anew
    /// after each program that replaces the file.
    ///
    /// - Returns: nil where there is no file, where the lock is not free in time, and where the file system cannot
    ///   lock it. NFS locks only files that are open for writing.
    private func lockContents() -> FileLock? {
        try? FileLock(
            contents: file, patience: 1, deadline: Environment.deadline(after: timeout))
    }
}

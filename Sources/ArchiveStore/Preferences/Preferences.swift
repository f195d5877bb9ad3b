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
    // One thread of this process at a time reads and writes the file.
    private let fileTurn = Guarded(())

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
    public init(
        domain: String, folder: String? = nil, options: FileOptions = FileOptions(),
        limits: ParsingLimits = .default, timeout: Double = 30
    ) throws(StoreError) {
        try Self.requireName(domain)
        let folder = absolutePath(folder ?? Self.defaultFolder)
        file = "\(folder)/\(domain).plist"
        self.options = options
        self.limits = limits
        self.timeout = timeout
        do { try createFolders(folder) } catch { throw StoreError(error, file: folder) }
        FileAccess.removeDeadTemporaries(inFolder: folder)
        table.adopt(try contents()?.values ?? [:], saved: [:])
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
    /// A value that the file cannot hold keeps no other from being written: in any format a date that is
    /// infinite or not a number and values nested too deep, in XML some control characters. Where the file would
    /// be larger than the limits allow, the smaller of the new values are written. After 200 attempts to find those
    /// that fit, the others wait.
    ///
    /// Another program may have written a value in another format that XML cannot hold exactly, such as a
    /// control character or a fraction of a second. Nothing of it is lost: the file is then written in binary,
    /// whatever the options say, until that value is gone.
    ///
    /// - Throws: `outOfSpace`, `fileAccess`, `invalidContents`, or `busy` where another program keeps the
    ///   file locked; the error names who owns the lock's file, if that is another user. The file is what it
    ///   was, unless only flushing the folder failed, as ``StoreError/Code/fileAccess`` says. What was set is
    ///   still to be written. A file system without locks is `fileAccess`.
    ///   Without changes nothing is locked and nothing written.
    ///   `unsupportedValue` and the path of the first value that the file cannot hold, when all others are
    ///   written. Such values stay in memory, still to be written; set them anew, or remove them.
    public func synchronize() throws(StoreError) {
        try fileTurn.withLock { _ throws(StoreError) in try exchange() }
    }

    private func exchange() throws(StoreError) {
        if table.pending.keys.isEmpty {
            // The file is replaced as a whole, so reading takes no lock: neither the right to make one nor time.
            table.adopt(try contents()?.values ?? [:], saved: [:])
            return
        }
        let lock = try acquireLock()
        defer { lock.release() }
        for _ in 0..<100 {
            let contentsLock = lockContents()
            defer { contentsLock?.release() }
            guard let saved = try save(over: contents()) else { continue }
            table.adopt(saved.values, saved: saved.keys)
            if let refusal = saved.refusal { throw refusal }
            return
        }
        throw StoreError(.busy, what: "the file is created and removed again and again", file: file)
    }

    private typealias Pending = (values: PropertyListDictionary, keys: KeyValueTable.Unsaved)

    /// The values that the file has now, the keys whose changes are among them, and the reason why other
    /// changes are not.
    private struct Saved {
        let values: PropertyListDictionary
        let keys: KeyValueTable.Unsaved
        var refusal: StoreError?
    }

    /// Writes the changes into what the file holds; where it cannot hold some of them, the others.
    ///
    /// - Returns: nil where another program has changed the file since it was read.
    private func save(over found: Contents?) throws(StoreError) -> Saved? {
        let pending = table.pending
        do throws(StoreError) {
            let values = try write(pending, pending.keys, over: found)
            return values.map { Saved(values: $0, keys: pending.keys) }
        } catch {
            guard error.code == .unsupportedValue else { throw error }
            return try saveFitting(pending, over: found, error)
        }
    }

    /// Writes the changes that the file can hold, after `refusal` of all together.
    private func saveFitting(
        _ pending: Pending, over found: Contents?, _ refusal: StoreError
    ) throws(StoreError) -> Saved? {
        func chosen(_ keys: [ExactText]) -> KeyValueTable.Unsaved {
            let keys = Set(keys)
            return pending.keys.filter { keys.contains($0.key) }
        }
        let candidates = candidates(pending, over: found)
        let fitting = try FittingKeys(
            removals: candidates.removals, additions: candidates.additions
        ) { keys throws(StoreError) in
            let keys = chosen(keys)
            _ = try PlainFile.bytes(
                of: .dictionary(merged(pending, keys, over: found)),
                options(over: found, keys), limits)
        }
        let keys = chosen(fitting.chosen)
        guard let values = try write(pending, keys, over: found) else { return nil }
        return Saved(
            values: values, keys: keys, refusal: candidates.refusal ?? fitting.refusal ?? refusal)
    }

    /// The changes that a file could hold by themselves, and the refusal of one of the others.
    private struct Candidates {
        var removals: [ExactText] = []
        /// The keys that get values, those first that make the file grow least.
        var additions: [ExactText] = []
        var refusal: StoreError?
    }

    private func candidates(_ pending: Pending, over found: Contents?) -> Candidates {
        let options = options(over: found, pending.keys)
        var result = Candidates()
        var sized: [(key: ExactText, growth: Int)] = []
        for key in pending.keys.keys {
            guard let value = pending.values[key.text] else {
                result.removals.append(key)
                continue
            }
            do throws(StoreError) {
                let new = try size(of: value, key.text, options)
                let old = found?.values[key.text].flatMap { try? size(of: $0, key.text, options) }
                sized.append((key, new - (old ?? 0)))
            } catch {
                result.refusal = error.path == nil ? error.at(key: key.text) : error
            }
        }
        sized.sort { ($0.growth, $0.key) < ($1.growth, $1.key) }
        result.additions = sized.map(\.key)
        return result
    }

    private func merged(
        _ pending: Pending, _ keys: KeyValueTable.Unsaved, over found: Contents?
    ) -> PropertyListDictionary {
        (found?.values ?? [:]).applying(keys, from: pending.values)
    }

    /// - Returns: all values of the file; nil where another program has changed it since it was read.
    private func write(
        _ pending: Pending, _ keys: KeyValueTable.Unsaved, over found: Contents?
    ) throws(StoreError) -> PropertyListDictionary? {
        let merged = merged(pending, keys, over: found)
        if merged != found?.values, found != nil || !merged.isEmpty {
            let bytes = try PlainFile.bytes(
                of: .dictionary(merged), options(over: found, keys), limits)
            guard
                try WholeFile.replace(
                    file, ifStill: found?.mode, with: bytes, isPrivate: options.isPrivate)
            else {
                // A symbolic link that leads to no file is an error, not a file that another program made.
                do { _ = try FileMode.existing(at: file) } catch {
                    throw StoreError(error, file: file)
                }
                return nil
            }
        } else if !keys.isEmpty, found != nil {
            // The file has the values already, perhaps since it could not be flushed.
            do { try FileAccess.synchronize(file) } catch { throw StoreError(error, file: file) }
        }
        return merged
    }

    /// The options for a file with new values for `keys`, which keeps what else it holds.
    private func options(over found: Contents?, _ keys: KeyValueTable.Unsaved) -> FileOptions {
        guard options.format == .xml, let found, found.format != .xml else { return options }
        var kept = PropertyListDictionary()
        for (key, value) in found.values where keys[ExactText(key)] == nil { kept[key] = value }
        if PlainFile.isExactInXML(.dictionary(kept), limits) { return options }
        return FileOptions(format: .binary, isPrivate: options.isPrivate)
    }

    /// The size of a file with a value alone, in bytes.
    private func size(
        of value: PropertyListValue, _ key: String, _ options: FileOptions
    ) throws(StoreError) -> Int {
        var entry = PropertyListDictionary()
        entry[key] = value
        return try PlainFile.bytes(of: .dictionary(entry), options, limits).count
    }

    /// The values in the file, its format, and the file that they are of.
    private struct Contents {
        let mode: FileMode
        let values: PropertyListDictionary
        let format: PropertyListFormat
    }

    /// The contents of the file; nil where there is none.
    private func contents() throws(StoreError) -> Contents? {
        do throws(StoreError) {
            let mode: FileMode
            do throws(SystemError) { mode = try FileMode(of: file) } catch {
                throw StoreError(error, file: file)
            }
            let (value, format) = try PlainFile.document(file, limits)
            guard let values = value.dictionary else {
                throw PlainFile.wrongRoot(value, "a dictionary", file)
            }
            return Contents(mode: mode, values: values, format: format)
        } catch  where error.code == .fileMissing {
            return nil
        }
    }

    /// Waits for other programs that are in ``synchronize()``. The lock is on a file beside the domain's,
    /// which others may only write, and only where the umask lets them. A program that can only read the
    /// preferences cannot hold the lock.
    private func acquireLock() throws(StoreError) -> FileLock {
        let path = file + ".lock"
        do {
            return try FileLock(
                creating: path, mode: options.isPrivate ? FileMode.ownerOnly : 0o622, for: file,
                deadline: Environment.deadline(after: timeout))
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

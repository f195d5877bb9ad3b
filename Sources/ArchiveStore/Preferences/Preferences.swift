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
/// ```
///
/// Values are set and read in memory. Changes are saved by themselves: a second after the first of them, and
/// when the program ends. ``synchronize()`` saves them at once. Saving writes what was set, and nothing else,
/// into what the file holds by then: of programs that share a domain the last writer of a key wins, and no
/// other key is touched.
///
/// A program that is killed, or that crashes, loses the changes of about the last second. A failure to save is
/// reported to ``onFailure``, and the changes stay in memory to be saved later. <doc:PortingFromUserDefaults>
/// has the details.
public final class Preferences: KeyValueStore {
    public let onFailure: FailureHandler
    let timeout: Double
    private let contentsFile: PreferencesFile
    private let saver: AutomaticSaver?
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
    ///   - saving: when changes are saved without a call of ``synchronize()``.
    ///   - onFailure: gets the failures that no call can throw; by default they are written to standard error.
    /// - Throws: `invalidName`; `invalidContents` for a file that is no property list of a dictionary,
    ///   which is left as it is; `unsupportedValue`, `fileAccess`.
    public convenience init(
        domain: String, folder: String? = nil, options: FileOptions = FileOptions(),
        limits: ParsingLimits = .default, timeout: Double = 30, saving: Saving = .automatic,
        onFailure: FailureHandler = .standardError
    ) throws(StoreError) {
        try self.init(
            domain, folder, options, limits, timeout, searchTime: 2, saving, onFailure)
    }

    // The time is how long `synchronize()` may search for changes that fit, in seconds. Other programs wait meanwhile.
    init(
        _ domain: String, _ folder: String?, _ options: FileOptions, _ limits: ParsingLimits,
        _ timeout: Double, searchTime: Double, _ saving: Saving = .onRequest,
        _ onFailure: FailureHandler = .standardError
    ) throws(StoreError) {
        try Self.requireName(domain)
        let folder = absolutePath(folder ?? Self.defaultFolder)
        contentsFile = PreferencesFile(
            path: "\(folder)/\(domain).plist", options: options, limits: limits)
        self.timeout = timeout
        self.searchTime = searchTime
        self.onFailure = onFailure
        saver = saving.delay.map { AutomaticSaver(delay: $0, onFailure) }
        do { try createFolders(folder) } catch { throw StoreError(error, file: folder) }
        FileAccess.removeDeadTemporaries(inFolder: folder)
        table.adopt(try contentsFile.contents()?.contents.values ?? [:], saved: [:])
    }

    /// The file of the domain.
    public var file: String { contentsFile.path }

    /// Where domains lie: `~/Library/Preferences` on Apple's systems, elsewhere `XDG_CONFIG_HOME`, if that is an
    /// absolute path, or `~/.config`.
    public static var defaultFolder: String {
        #if canImport(Darwin)
        return "\(homeFolder)/Library/Preferences"
        #else
        let named = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? ""
        // The specification of the variable says that a relative path is to be ignored.
        return named.utf8.first == UInt8(ascii: "/") ? named : "\(homeFolder)/.config"
        #endif
    }

    /// The home folder of the user.
    static var homeFolder: String {
        #if canImport(Darwin)
        return NSHomeDirectory()
        #else
        return FileManager.default.homeDirectoryForCurrentUser.path
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
        change(key, value)
    }

    public func set<Value: PropertyListConvertible>(_ value: Value?, forKey key: String) {
        change(key, value?.propertyListValue)
    }

    private func change(_ key: String, _ value: PropertyListValue?) {
        table.set(value, key)
        saver?.noteChange(of: self)
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
        try fileTurn.withLock { waiting throws(StoreError) in
            try exchange(&waiting, within: timeout)
        }
        if saver != nil { UnsavedPreferences.all.removeIfSaved(self) }
    }

    private func exchange(
        _ waiting: inout [ExactText], within timeout: Double
    ) throws(StoreError) {
        let pending = table.pending
        if pending.keys.isEmpty {
            // The file is replaced as a whole, so reading takes no lock: neither the right to make one nor time.
            table.adopt(try contentsFile.contents()?.contents.values ?? [:], saved: [:])
            return
        }
        let deadline = Environment.deadline(after: timeout)
        let lock = try contentsFile.acquireLock(until: deadline)
        defer { lock.release() }
        let searchEnd = Environment.deadline(after: searchTime)
        var merge: PreferencesMerge?
        for round in 0..<Self.mostRounds {
            let contentsLock = contentsFile.lockContents(
                until: Environment.deadline(after: timeout))
            defer { contentsLock?.release() }
            let found = try contentsFile.contents()
            if merge == nil || merge?.found != found?.contents {
                merge = try PreferencesMerge(
                    pending, into: found?.contents, contentsFile.options, contentsFile.limits,
                    first: waiting, until: searchEnd)
            }
            if let merge, try contentsFile.write(merge, over: found?.mode) {
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
}

// MARK: - Saving without a call

extension Preferences {
    /// The time at which changes are saved without a call of ``synchronize()``.
    public struct Saving: Sendable, Hashable {
        /// The seconds from a change until it is saved; nil where only calls save it.
        let delay: Double?

        /// A second after a change, and when the program ends.
        public static let automatic = automatic(after: 1)

        /// Some seconds after a change, and when the program ends. Further changes in the meantime are saved
        /// with it, and do not postpone it. A negative number is 0, and one that is not a number is 1.
        public static func automatic(after seconds: Double) -> Saving {
            Saving(delay: seconds.isNaN ? 1 : min(max(seconds, 0), 86_400))
        }

        /// Only by ``synchronize()``. Changes that were not synchronized are lost when the program ends.
        public static let onRequest = Saving(delay: nil)
    }

    /// Whether there are changes that are not saved.
    var isUnsaved: Bool { table.isUnsaved }

    /// Whether there was no time to try some of the changes.
    var hasUntriedChanges: Bool { fileTurn.withLockIfAvailable { !$0.isEmpty } ?? true }

    /// Saves changes, unless another thread keeps the file for longer than some seconds.
    ///
    /// - Throws: as ``synchronize()``; `busy` for another thread.
    func save(within seconds: Double) throws(StoreError) {
        if !isUnsaved { return }
        let timeout = min(timeout, seconds)
        let deadline = Environment.deadline(after: timeout)
        while true {
            let isDone: Void? = try fileTurn.withLockIfAvailable { waiting throws(StoreError) in
                try exchange(&waiting, within: deadline - Environment.uptime)
            }
            if isDone != nil { return }
            guard Environment.uptime < deadline else { break }
            Environment.sleep(microseconds: 1000)
        }
        throw StoreError(.busy, what: "another thread is saving the preferences", file: file)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList
internal import SystemFiles

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A user's settings, stored like those of `NSUserDefaults`: values by key in a domain, which is a
/// property list file in a folder.
///
/// ```swift
/// let preferences = try Preferences(domain: "com.example.player")
/// preferences.register(defaults: ["volume": 0.8, "shuffles": false])
/// preferences["volume"] = 0.5
/// ```
///
/// Values are set and read in memory. Changes are saved automatically, a second after the first of
/// them and when the program exits. ``synchronize()`` saves them immediately. Saving writes only
/// the changed keys into the current contents of the file. If several programs share a domain, the
/// last writer of a key wins, and other keys are left alone.
///
/// A program that is killed or crashes loses the changes of about the last second. A failure to
/// save is reported to ``onFailure``, and the changes stay in memory for another attempt. See
/// <doc:PortingFromUserDefaults> for the details.
public final class Preferences: KeyValueStore {
    /// The handler for failures that no call can throw.
    public let onFailure: FailureHandler
    let timeout: Double
    private let contentsFile: PreferencesFile
    private let saver: AutomaticSaver?
    private let table = KeyValueTable(hasFile: true)
    private let searchTime: Double
    // Serializes this object's access to the file. The array contains the keys of the changes that
    // the last call had no time to try.
    private let fileTurn = Guarded<[ExactText]>([])

    /// Opens a domain and reads its values.
    ///
    /// - Parameters:
    ///   - domain: The name of the file without its extension, such as `com.example.player`.
    ///   - folder: The folder of the file, or nil for ``defaultFolder``. It is created if it is
    ///     missing.
    ///   - options: The options for writing the file. A file in another format is rewritten in this
    ///     one at the first change, without its comments.
    ///   - limits: The limits on parsing the file.
    ///   - timeout: The number of seconds that ``synchronize()`` waits for other programs. A value
    ///     that is negative or not a number means no waiting, and an infinite value means waiting
    ///     forever.
    ///   - saving: The policy for saving changes: automatic, or on request.
    ///   - onFailure: The handler for failures that no call can throw. By default, failures are
    ///     written to standard error.
    /// - Throws: `invalidName`, `unsupportedValue`, `fileAccess`, `misuse` for options with a
    ///   format other than binary or XML, or `invalidContents` for a file that is not a property
    ///   list with a dictionary. Such a file is left unchanged.
    public convenience init(
        domain: String, folder: String? = nil, options: FileOptions = FileOptions(),
        limits: ParsingLimits = .default, timeout: Double = 30, saving: Saving = .automatic,
        onFailure: FailureHandler = .standardError
    ) throws(StoreError) {
        try self.init(
            domain, folder, options, limits, timeout, searchTime: 2, saving, onFailure)
    }

    // `searchTime` is the maximum number of seconds that `synchronize()` searches for changes that
    // fit. Other programs wait during the search.
    init(
        _ domain: String, _ folder: String?, _ options: FileOptions, _ limits: ParsingLimits,
        _ timeout: Double, searchTime: Double, _ saving: Saving = .onRequest,
        _ onFailure: FailureHandler = .standardError
    ) throws(StoreError) {
        try Self.requireName(domain)
        try options.requireLosslessFormat()
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

    /// The path of the domain's file.
    public var file: String { contentsFile.path }

    /// The default folder of domains. It is `~/Library/Preferences` on Apple's systems. Elsewhere
    /// it is `XDG_CONFIG_HOME`, if that is an absolute path, or `~/.config`.
    public static var defaultFolder: String {
        #if canImport(Darwin)
        return "\(homeFolder)/Library/Preferences"
        #else
        let named = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? ""
        // The specification of this variable requires relative paths to be ignored.
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
                .invalidName, what: "`\(StoreError.printable(domain))` is not a valid domain",
                recovery: "use 1 to 200 bytes without a slash, a NUL or a leading dot")
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

    /// Writes the changes since the last call, reads those of other programs, and returns when all
    /// changes are on disk.
    ///
    /// A value that the file cannot hold does not prevent other values from being written. Examples
    /// are an infinite date, or a control character in XML. If the file would exceed the limits,
    /// the smaller new values are written. The search for values that fit ends after two seconds.
    /// The next call begins with the values that were not tried.
    ///
    /// The options may specify XML while another program has written the file in another format,
    /// with a value that XML cannot represent exactly. The file is then written in the binary
    /// format until that value is gone. In XML, the program's own dates lose their fractions of
    /// seconds, and the next call reads them without fractions.
    ///
    /// A new file belongs to the process's effective user, and an existing file keeps its owner if
    /// the system allows that. Without changes, nothing is locked or written.
    ///
    /// - Throws: `outOfSpace`, `fileAccess`, `invalidContents`, `fileMissing` if the folder was
    ///   removed, or `busy` if another program keeps the file locked or keeps changing it. A `busy`
    ///   error names the owner of the lock file if that is another user. A file system without
    ///   locks causes `fileAccess`. After these errors, the changes remain to be written. The file
    ///   is unchanged, unless only flushing the folder failed; see ``StoreError/Code/fileAccess``.
    ///
    ///   `unsupportedValue` if the file cannot hold a value, with the path of the first such value.
    ///   Set another value, or remove it. An error without a path means that the file has no room
    ///   for some of the changes. All other changes have been written, except those that wait for
    ///   the next call; the message states their number.
    public func synchronize() throws(StoreError) {
        try fileTurn.withLock { waiting throws(StoreError) in
            try exchange(&waiting, within: timeout)
        }
        saver?.unlistIfSaved(self)
    }

    private func exchange(
        _ waiting: inout [ExactText], within timeout: Double
    ) throws(StoreError) {
        let pending = table.pending
        if pending.keys.isEmpty {
            // Reading needs no lock, because the file is always replaced as a whole.
            table.adopt(try contentsFile.contents()?.contents.values ?? [:], saved: [:])
            return
        }
        let deadline = Environment.deadline(after: timeout)
        let lock = try contentsFile.acquireLock(until: deadline)
        defer { lock.release() }
        let searchEnd = Environment.deadline(after: searchTime)
        var merge: PreferencesMerge?
        for round in 0..<Self.mostRounds {
            let found = try contentsFile.contents()
            if merge == nil || merge?.found != found?.contents {
                merge = try PreferencesMerge(
                    pending, into: found?.contents, contentsFile.options, contentsFile.limits,
                    first: waiting, until: searchEnd)
            }
            if let merge, try contentsFile.write(merge, over: found?.mode, until: deadline) {
                table.adopt(merge.values, saved: merge.keys)
                waiting = merge.waiting
                if let refusal = merge.refusal { throw refusal }
                return
            }
            if round >= Self.fewestRounds, Environment.uptime >= deadline { break }
        }
        throw StoreError(
            .busy, what: "other programs keep changing the file",
            file: file, recovery: "synchronize again")
    }

    // Another program may change the file between reading and replacing it.
    private static let mostRounds = 100
    private static let fewestRounds = 3
}

// MARK: - Automatic saving

extension Preferences {
    /// The policy for saving changes: automatic, or on request.
    public struct Saving: Sendable, Hashable {
        /// The seconds between a change and saving it, or nil if only ``synchronize()`` saves
        /// changes.
        let delay: Double?

        /// Saves a second after a change, and when the program exits.
        public static let automatic = automatic(after: 1)

        /// Saves some seconds after a change, and when the program exits. Further changes in the
        /// meantime are saved together with the first and do not postpone saving. Seconds are
        /// limited to 0 through 86,400; a value that is not a number counts as 1.
        public static func automatic(after seconds: Double) -> Saving {
            Saving(delay: seconds.isNaN ? 1 : min(max(seconds, 0), 86_400))
        }

        /// Saves only in ``synchronize()``. Changes since the last call are lost when the program
        /// exits.
        public static let onRequest = Saving(delay: nil)
    }

    /// A Boolean value indicating whether there are unsaved changes.
    var isUnsaved: Bool { table.isUnsaved }

    /// A Boolean value indicating whether some of the changes were not tried for lack of time. It
    /// is also true while another thread uses the file.
    var hasUntriedChanges: Bool { fileTurn.withLockIfAvailable { !$0.isEmpty } ?? true }

    /// Saves the changes. Waits for other threads and programs for `seconds` or ``timeout``,
    /// whichever is shorter.
    ///
    /// - Throws: The errors of ``synchronize()``, and `busy` if another thread uses the file.
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

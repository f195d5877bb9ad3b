// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList
internal import SystemFiles

/// An error from reading or writing a store, with the file and the location of the value.
///
/// Match on ``code``, because the text may change between versions. A message names files, keys,
/// services and groups, and never quotes a value. For a file that is not a property list, the
/// message may quote some characters at the position where parsing stopped. An error in an archive
/// itself is a `KeyedArchiveError`, whose `source` names the file or the item.
public struct StoreError: Error, Sendable {
    /// The kind of a failure. The set of codes is open, so new codes break no `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String
        private init(_ name: String) { description = name }

        /// There is no such file.
        public static let fileMissing = Code("fileMissing")
        /// The system refused to read or write a file. If only flushing to disk failed, the message
        /// says so: the new contents are in place, but may be lost in a power failure.
        public static let fileAccess = Code("fileAccess")
        /// The disk or the user's quota is full. The values that were stored before are unchanged.
        public static let outOfSpace = Code("outOfSpace")
        /// The contents of a file, a backup or an archive are invalid. If they cannot be parsed,
        /// ``StoreError/underlying`` has the reason.
        public static let invalidContents = Code("invalidContents")
        /// A value cannot be stored, or a stored value does not have the requested type.
        public static let unsupportedValue = Code("unsupportedValue")
        /// A key or a domain cannot be a file name, a path contains a NUL, or a service, an account
        /// or an access group is too long.
        public static let invalidName = Code("invalidName")
        /// An item with the same identity already exists; see ``ItemIdentity``.
        public static let duplicateItem = Code("duplicateItem")
        /// No item matches the query.
        public static let itemNotFound = Code("itemNotFound")
        /// An ``ItemStore`` has no database of an access group, or a database belongs to another
        /// group.
        public static let unknownAccessGroup = Code("unknownAccessGroup")
        /// An item cannot be changed in this way. For example, it cannot be moved to another access
        /// group.
        public static let unsupportedChange = Code("unsupportedChange")
        /// The key does not open the store or the backup, or cannot be derived from the passphrase.
        public static let wrongKey = Code("wrongKey")
        /// A passphrase is empty, or the cost of deriving its key is too low to protect anything.
        public static let weakPassphrase = Code("weakPassphrase")
        /// A key does not have 32 bytes, or a key file may be accessed by other users or belongs to
        /// another user.
        public static let invalidKeyFile = Code("invalidKeyFile")
        /// A file is not an item store, is damaged or was moved, or has a foreign journal beside
        /// it.
        public static let invalidDatabase = Code("invalidDatabase")
        /// A later version of this library created or changed the store.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// An item was altered outside of the store.
        public static let alteredItem = Code("alteredItem")
        /// Another program or thread has blocked the store or the file for too long.
        public static let busy = Code("busy")
        /// The program misused the API. Examples are a database that is used within a transaction
        /// of the same thread, and a transaction that is used on another thread or after its end.
        public static let misuse = Code("misuse")
        /// The keychain refused an operation; the message contains its status.
        public static let keychain = Code("keychain")
    }

    // The error is one word wide, like the errors of the lower-level modules.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let file: String?
        let path: PropertyListPath?
        let recovery: String?
        let underlying: (any Error)?

        init(
            _ code: Code, _ what: String, _ file: String?, _ path: PropertyListPath?,
            _ recovery: String?, _ underlying: (any Error)?
        ) {
            self.code = code
            self.what = what
            self.file = file
            self.path = path
            self.recovery = recovery
            self.underlying = underlying
        }
    }

    private let storage: Storage

    @inline(never)
    init(
        _ code: Code, what: String, file: String? = nil, path: PropertyListPath? = nil,
        recovery: String? = nil, underlying: (any Error)? = nil
    ) {
        storage = Storage(code, what, file, path, recovery, underlying)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The problem, with the expected and the actual value where two values are compared.
    public var what: String { storage.what }
    /// The path of the affected file.
    public var file: String? { storage.file }
    /// The property list path of the affected value.
    public var path: PropertyListPath? { storage.path }
    /// The suggested fix.
    public var recovery: String? { storage.recovery }
    /// The underlying error, from a lower-level module.
    public var underlying: (any Error)? { storage.underlying }
}

extension StoreError: CustomStringConvertible {
    /// The full message, in the form `store: what, in path, file (recovery)`.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// The message without the suggested fix, in the form `store: what, in path, file`.
    var descriptionWithoutRecovery: String {
        var text = "store: \(what)"
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        if let file { text += ", file \(TerminalText.escaped(file))" }
        return text
    }
}

extension StoreError {
    /// Creates the error of a system call on a file.
    init(_ error: SystemError, file: String) {
        self.init(
            Self.code(of: error), what: error.message, file: file,
            recovery: Self.recovery(of: error), underlying: error)
    }

    private static func recovery(of error: SystemError) -> String? {
        if let recovery = error.recovery { return recovery }
        if error.isMissing || error.isWrongKind { return "check the path" }
        if error.isTimeout { return "try again, or raise the timeout" }
        if error.isDenied { return "give the user of this program read and write access" }
        return error.isOutOfSpace ? "free some space on the disk" : nil
    }

    private static func code(of error: SystemError) -> Code {
        if error.isMissing { return .fileMissing }
        if error.isTimeout { return .busy }
        if error.isInvalidName { return .invalidName }
        if error.isTooLarge { return .invalidContents }
        return error.isOutOfSpace ? .outOfSpace : .fileAccess
    }

    /// Returns the error for invalid contents of a file, with its underlying error.
    static func invalidContents(_ error: some Error, file: String) -> StoreError {
        let list = error as? PropertyListError
        let recovery =
            switch list?.recoveryCode {
            // Restoring a stored file is better advice than checking that it is the right one.
            case .searchFile: String?.none
            // The stores take no parsing options.
            case .allowLeniency:
                list?.recovery.map { "parse it with `PropertyListDocument`: \($0)" }
            default: list?.recovery
            }
        return StoreError(
            .invalidContents, what: list?.descriptionWithoutRecovery ?? "\(error)", file: file,
            recovery: recovery ?? "restore the file, or move it away", underlying: error)
    }
}

extension StoreError {
    /// Returns a name, escaped and shortened for messages.
    static func printable(_ name: String) -> String {
        TerminalText.escaped(String(name.unicodeScalars.prefix(128)))
    }
}

extension StoreError {
    /// Returns this error with a description of the archive's location.
    fileprivate func from(_ source: String) -> StoreError {
        StoreError(
            code, what: "\(what), \(source)", file: file, path: path, recovery: recovery,
            underlying: underlying)
    }
}

/// Runs code that reads or writes an archive, and adds the name of the archive's file to its
/// errors.
func withErrors<Result>(aboutFile path: String, _ body: () throws -> Result) throws -> Result {
    try withErrors(about: "file \(TerminalText.escaped(path))", body)
}

/// Runs code that reads or writes an archive, and adds a description of the archive's location to
/// its errors.
func withErrors<Result>(about source: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyedArchiveError {
        throw error.from(source)
    } catch let error as StoreError {
        throw error.from(source)
    }
}

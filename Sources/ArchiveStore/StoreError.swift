// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList
internal import SystemFiles

/// Why a store could not be read or written: what, in which file, at which value.
///
/// Match on ``code``; the text may change between versions. A message names files, keys, services and
/// groups, and never quotes a value. About a file that is no property list, it may quote some characters where
/// the parser stopped. The error of an archive itself is a `KeyedArchiveError`, whose `source` names the file or the
/// item.
public struct StoreError: Error, Sendable {
    /// The kind of failure: an open set, so that a new one breaks no `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String
        private init(_ name: String) { description = name }

        /// There is no such file.
        public static let fileMissing = Code("fileMissing")
        /// The system refused to read or write a file. Where only flushing it to the disk failed, the
        /// message says so: the new contents are in place, but may not survive a power cut.
        public static let fileAccess = Code("fileAccess")
        /// The disk is full; the values that were stored before are unchanged.
        public static let outOfSpace = Code("outOfSpace")
        /// A file that is not what it should be; ``StoreError/underlying`` says why.
        public static let invalidContents = Code("invalidContents")
        /// A value of a kind that the file does not take.
        public static let unsupportedValue = Code("unsupportedValue")
        /// A key or a domain that cannot be the name of a file, a path with a NUL, or a service, an account or
        /// an access group that is too long.
        public static let invalidName = Code("invalidName")
        /// There is an item with the same service, account and synchronizability.
        public static let duplicateItem = Code("duplicateItem")
        /// No item matches.
        public static let itemNotFound = Code("itemNotFound")
        /// An access group that the program was not given.
        public static let unknownAccessGroup = Code("unknownAccessGroup")
        /// A change that an item cannot undergo.
        public static let unsupportedChange = Code("unsupportedChange")
        /// A key that is not the one the store was encrypted with.
        public static let wrongKey = Code("wrongKey")
        /// A passphrase that is empty, or so cheap to try that it protects nothing.
        public static let weakPassphrase = Code("weakPassphrase")
        /// A key file that is no key, that others may read, or that belongs to another user.
        public static let invalidKeyFile = Code("invalidKeyFile")
        /// A file that is no store of items, or a damaged one.
        public static let invalidDatabase = Code("invalidDatabase")
        /// A store that a later version of this library made.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// An item that was changed by something else than the store.
        public static let alteredItem = Code("alteredItem")
        /// Another program has kept the store locked for too long.
        public static let busy = Code("busy")
        /// A database that is used within a transaction of the same thread, a transaction that is used
        /// on another thread or after its end, or another mistake of the program.
        public static let misuse = Code("misuse")
        /// The keychain refused; the message has its status.
        public static let keychain = Code("keychain")
    }

    // One word wide, as the errors of the layers below.
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
    /// The problem, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The file it is wrong in.
    public var file: String? { storage.file }
    /// The way to the value it is wrong with.
    public var path: PropertyListPath? { storage.path }
    /// A way to mend it.
    public var recovery: String? { storage.recovery }
    /// The error of the layer below.
    public var underlying: (any Error)? { storage.underlying }
}

extension StoreError: CustomStringConvertible {
    /// `store: what, in path, file (way out)`.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// `store: what, in path, file`.
    var descriptionWithoutRecovery: String {
        var text = "store: \(what)"
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        if let file { text += ", file \(TerminalText.escaped(file))" }
        return text
    }
}

extension StoreError {
    /// The error of a system call about a file.
    init(_ error: SystemError, file: String) {
        self.init(
            Self.code(of: error), what: error.message, file: file,
            recovery: Self.recovery(of: error), underlying: error)
    }

    private static func recovery(of error: SystemError) -> String? {
        if error.isMissing || error.isNoFile { return "check the path" }
        if error.isTimeout { return "try again, or raise the timeout" }
        if error.isDenied { return "let the user of this program read and write it" }
        return error.isOutOfSpace ? "make room on the disk" : nil
    }

    private static func code(of error: SystemError) -> Code {
        if error.isMissing { return .fileMissing }
        if error.isTimeout { return .busy }
        if error.isInvalidName { return .invalidName }
        return error.isOutOfSpace ? .outOfSpace : .fileAccess
    }

    /// The error of the layer below about the contents of a file.
    static func invalidContents(_ error: some Error, file: String) -> StoreError {
        let hasRecovery = (error as? PropertyListError)?.recovery != nil
        return StoreError(
            .invalidContents, what: "\(error)", file: file,
            recovery: hasRecovery ? nil : "restore the file, or move it away", underlying: error)
    }
}

extension StoreError {
    /// A name, escaped and shortened for messages.
    static func printable(_ name: String) -> String {
        TerminalText.escaped(String(name.unicodeScalars.prefix(128)))
    }
}

extension StoreError {
    /// The same error, about what holds the archive.
    fileprivate func from(_ source: String) -> StoreError {
        StoreError(
            code, what: "\(what), \(source)", file: file, path: path, recovery: recovery,
            underlying: underlying)
    }
}

/// Runs what reads or makes an archive. Its errors get the name of the file that holds the archive.
func withErrors<Result>(aboutFile path: String, _ body: () throws -> Result) throws -> Result {
    try withErrors(about: "file \(TerminalText.escaped(path))", body)
}

/// Runs what reads or makes an archive. Its errors get the name of what holds the archive.
func withErrors<Result>(about source: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch let error as KeyedArchiveError {
        throw error.from(source)
    } catch let error as StoreError {
        throw error.from(source)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// Why a keyed archive could not be read or written: what, and in which object.
///
/// Match on ``code``; the text may change between versions. A message names classes, keys and
/// objects, and never quotes a value.
public struct KeyedArchiveError: Error, Sendable {
    /// The kind of failure: an open set, so that a new one breaks no `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String
        private init(_ name: String) { description = name }

        /// The bytes are no readable property list; ``KeyedArchiveError/propertyListError`` says
        /// why.
        public static let invalidPropertyList = Code("invalidPropertyList")
        /// A property list, but not a keyed archive.
        public static let notAnArchive = Code("notAnArchive")
        /// `$version` is another than 100000.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// A reference to an object that does not exist.
        public static let danglingReference = Code("danglingReference")
        /// An entry of `$objects` that is no object: no `$class`, or not of a kind that an archive
        /// holds.
        public static let malformedObject = Code("malformedObject")
        /// A `$class` that names no class description, or a description without a name.
        public static let malformedClass = Code("malformedClass")
        /// A field that an object lacks, or nil where a value is needed.
        public static let missingValue = Code("missingValue")
        /// An object of another class, or a plain value of another kind, than the one asked for.
        public static let wrongType = Code("wrongType")
        /// A number or text that the type asked for cannot hold.
        public static let valueOutOfRange = Code("valueOutOfRange")
        /// A class that is not in the ``ClassRegistry``.
        public static let classNotAllowed = Code("classNotAllowed")
        /// A class that is allowed, but for which there is no Swift type.
        public static let unknownClass = Code("unknownClass")
        /// An object that is needed to make itself.
        public static let referenceCycle = Code("referenceCycle")
        /// More objects within objects than `ParsingLimits.depth`.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More values than `ParsingLimits.expansion`.
        public static let expansionLimitExceeded = Code("expansionLimitExceeded")
        /// A subclass that would be archived as its superclass.
        public static let undeclaredSubclass = Code("undeclaredSubclass")
        /// A key that an object has twice: two types of one hierarchy use it, or one type writes it twice.
        public static let duplicateKey = Code("duplicateKey")
        /// An encoder that is used when its object is complete, or another mistake of the program.
        public static let misuse = Code("misuse")

        /// A Boolean value that says whether the failure is a limit that can be raised, rather than
        /// bad input.
        public var isLimit: Bool {
            [.depthLimitExceeded, .expansionLimitExceeded].contains(self)
        }
    }

    // One word wide, as the error of the layer below.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let object: PropertyListUID?
        let path: PropertyListPath?
        let recovery: String?
        let propertyListError: PropertyListError?
        let source: String?

        init(
            _ code: Code, _ what: String, _ object: PropertyListUID?, _ path: PropertyListPath?,
            _ recovery: String?, _ propertyListError: PropertyListError?, _ source: String? = nil
        ) {
            self.code = code
            self.what = what
            self.object = object
            self.path = path
            self.recovery = recovery
            self.propertyListError = propertyListError
            self.source = source
        }
    }

    private let storage: Storage

    /// Creates an error, for a type that writes or reads itself.
    ///
    /// Thrown from `encode(with:)` or `init(coder:)`, it gets the path to the object on its way to the
    /// caller, like the library's own. ``KeyedDecoder/refusal(_:forKey:code:)`` names a field as well.
    ///
    /// ```swift
    /// guard count < 100 else {
    ///     throw KeyedArchiveError(
    ///         .valueOutOfRange, what: "expected at most 100 levels, found \(count)",
    ///         object: coder.uid, recovery: "update the app")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - what: the fault, as “expected X, found Y”. Errors are logged: do not quote values.
    ///   - object: the number of the object, ``KeyedDecoder/uid``.
    ///   - path: the way from the object that throws the error to the fault; mostly nil.
    ///   - recovery: what the caller can do about it.
    @inline(never)
    public init(
        _ code: Code, what: String, object: PropertyListUID? = nil,
        path: PropertyListPath? = nil, recovery: String? = nil
    ) {
        storage = Storage(code, what, object, path, recovery, nil)
    }

    @inline(never)
    init(_ error: PropertyListError) {
        storage = Storage(
            .invalidPropertyList, error.what, nil, error.path, error.recovery, error)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The description of the failure, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The object it is wrong in: its number in `$objects`.
    public var object: PropertyListUID? { storage.object }
    /// The way to what is wrong: from the root of the property list, or, where typed values are read
    /// or written, from the archive's root through the fields.
    public var path: PropertyListPath? { storage.path }
    /// The change that lets the archive pass, as advice for the caller.
    public var recovery: String? { storage.recovery }
    /// The error of the layer below, for ``Code/invalidPropertyList``.
    public var propertyListError: PropertyListError? { storage.propertyListError }
    /// The file or the item that holds the archive, such as `file /srv/save.plist`; nil for an archive in memory.
    public var source: String? { storage.source }
}

extension KeyedArchiveError: CustomStringConvertible {
    /// `keyed archive: what, in path, source (recovery)`; the error of the property list where that is the
    /// reason.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// `keyed archive: what, in path, source`.
    var descriptionWithoutRecovery: String {
        let origin = source.map { ", \($0)" } ?? ""
        if let error = propertyListError { return error.descriptionWithoutRecovery + origin }
        let place = path.flatMap { $0.components.isEmpty ? nil : ", in \($0)" }
        return "keyed archive: \(what)" + (place ?? "") + origin
    }
}

extension KeyedArchiveError {
    /// The same error, about the archive in a file or an item. `source` is what messages call that, escaped.
    package func from(_ source: String) -> KeyedArchiveError {
        KeyedArchiveError(
            Storage(
                code, what, object, path, recovery, propertyListError, storage.source ?? source))
    }
}

// MARK: - Making errors

extension KeyedArchiveError {
    /// The same error, seen from the object around: the path grows while the error unwinds.
    func inside(_ component: PropertyListPath.Component) -> KeyedArchiveError {
        inside([component])
    }

    /// Any error, with the step if it is one of this type. Generic callers have no code for it of their own.
    @inline(never)
    package static func located(
        _ error: any Error, _ component: PropertyListPath.Component
    ) -> any Error {
        (error as? KeyedArchiveError)?.inside(component) ?? error
    }

    @inline(never)
    func inside(_ components: [PropertyListPath.Component]) -> KeyedArchiveError {
        if components.isEmpty || propertyListError != nil { return self }
        // A path that begins at the object table is whole.
        if path?.components.first == .key(ArchiveFormat.objectsKey) { return self }
        return KeyedArchiveError(
            code, what: what, object: object,
            path: PropertyListPath(components + (path?.components ?? [])), recovery: recovery)
    }

    /// The same error of a value in a dictionary, whose path begins with the value's index: with the key
    /// instead, where that is text.
    func atEntry(_ key: (Int) -> String?) -> KeyedArchiveError {
        guard let path, case .index(let index) = path.components.first, let key = key(index) else {
            return self
        }
        return KeyedArchiveError(
            code, what: what, object: object,
            path: PropertyListPath([.entry(key)] + path.components.dropFirst()), recovery: recovery)
    }

    static func missing(_ what: String, _ object: PropertyListUID?) -> KeyedArchiveError {
        KeyedArchiveError(.missingValue, what: what, object: object)
    }

    /// The error for nesting within the limits where there is no stack for the next call.
    @inline(never)
    static func stackExceeded(_ depth: Int) -> KeyedArchiveError {
        let error = OperationBudget.stackExceeded(depth)
        return KeyedArchiveError(
            .depthLimitExceeded, what: error.what, recovery: error.recovery)
    }

    /// A bounded part of a name, with nothing that moves the cursor.
    package static func printable(_ name: String) -> String {
        TerminalText.escaped(String(name.unicodeScalars.prefix(longestName)))
    }

    /// A bounded part of a name, as a literal of Swift.
    static func quoted(_ name: String) -> String {
        let beginning = String(name.unicodeScalars.prefix(longestName))
        return "\"" + TerminalText.escaped(beginning, quoting: true)
            + (beginning.utf8.count < name.utf8.count ? "…" : "") + "\""
    }

    private static let longestName = 128
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

/// An error in reading or writing a keyed archive, with the object in which it occurred.
///
/// Match on ``code``; the text may change between versions. A message contains classes, keys,
/// objects and numbers, but never text or data.
public struct KeyedArchiveError: Error, Sendable {
    /// The kind of failure. New codes may be added without breaking a `switch`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, as in the source.
        public let description: String
        private init(_ name: String) { description = name }

        /// The bytes are not a valid property list. ``KeyedArchiveError/propertyListError`` has the
        /// cause.
        public static let invalidPropertyList = Code("invalidPropertyList")
        /// A property list, but not a keyed archive.
        public static let notAnArchive = Code("notAnArchive")
        /// A `$version` other than 100000.
        public static let unsupportedVersion = Code("unsupportedVersion")
        /// A reference to an object that does not exist.
        public static let danglingReference = Code("danglingReference")
        /// An object with an invalid structure, such as an entry of `$objects` without a `$class`,
        /// or a dictionary with more keys than values.
        public static let malformedObject = Code("malformedObject")
        /// A `$class` that refers to no class description, or a class description with an invalid
        /// name, chain or hints.
        public static let malformedClass = Code("malformedClass")
        /// A missing field, or nil where a value is required.
        public static let missingValue = Code("missingValue")
        /// An object whose class, or a plain value whose kind, differs from the requested one.
        public static let wrongType = Code("wrongType")
        /// A number, text or data that the requested type cannot represent.
        public static let valueOutOfRange = Code("valueOutOfRange")
        /// A class that is not in the ``ClassRegistry``.
        public static let classNotAllowed = Code("classNotAllowed")
        /// An allowed class that has no Swift type.
        public static let unknownClass = Code("unknownClass")
        /// An object that cannot be decoded without itself.
        public static let referenceCycle = Code("referenceCycle")
        /// Objects that are nested deeper than `ParsingLimits.depth`.
        public static let depthLimitExceeded = Code("depthLimitExceeded")
        /// More values than `ParsingLimits.expansion` allows.
        public static let expansionLimitExceeded = Code("expansionLimitExceeded")
        /// A subclass that would be archived as its superclass.
        public static let undeclaredSubclass = Code("undeclaredSubclass")
        /// A key that an object has twice: two types of one hierarchy use it, or one type writes it
        /// twice.
        public static let duplicateKey = Code("duplicateKey")
        /// An encoder that is used after its object is complete, or another programming error.
        public static let misuse = Code("misuse")
    }

    // The details are behind one reference, so an error is one word wide, like `PropertyListError`.
    private final class Storage: Sendable {
        let code: Code
        let what: String
        let object: PropertyListUID?
        let path: PathSegments?
        let recovery: String?
        let propertyListError: PropertyListError?
        let source: String?

        init(
            _ code: Code, _ what: String, _ object: PropertyListUID?, _ path: PathSegments?,
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

    /// The steps of a path in segments, outermost first. Each segment is longer than the one before
    /// it, so prepending a step in each of *n* nested objects takes time in proportion to
    /// *n* log *n*, where one array would be copied *n* times.
    private struct PathSegments {
        private var segments: [[PropertyListPath.Component]]

        init(_ path: PropertyListPath) { segments = [path.components] }

        var first: PropertyListPath.Component? { segments.first?.first }
        var path: PropertyListPath { PropertyListPath(Array(segments.joined())) }

        func prepending(_ components: [PropertyListPath.Component]) -> PathSegments {
            var result = self
            result.segments.insert(components, at: 0)
            while result.segments.count > 1,
                result.segments[0].count >= result.segments[1].count
            {
                result.segments[0] += result.segments.remove(at: 1)
            }
            return result
        }

        /// Returns the path with another first step. The path must not be empty.
        func replacingFirst(_ component: PropertyListPath.Component) -> PathSegments {
            var result = self
            result.segments[0][0] = component
            return result
        }
    }

    private let storage: Storage

    /// Creates an error, for `encode(with:)` and `init(coder:)` of your own types.
    ///
    /// The library prepends the path to the object while the error propagates, as it does for its
    /// own errors. ``KeyedDecoder/error(_:forKey:code:)`` names a field as well.
    ///
    /// ```swift
    /// guard count <= 100 else {
    ///     throw KeyedArchiveError(
    ///         .valueOutOfRange, what: "expected at most 100 levels, found \(count)",
    ///         object: coder.uid, recovery: "update the app")
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - what: the fault, as “expected X, found Y”. Errors are logged, so do not quote text or
    ///     data.
    ///   - object: the number of the object, ``KeyedDecoder/uid``.
    ///   - path: the path from the object that throws the error to the fault; usually nil.
    ///   - recovery: the suggested fix, as advice for the caller.
    @inline(never)
    public init(
        _ code: Code, what: String, object: PropertyListUID? = nil,
        path: PropertyListPath? = nil, recovery: String? = nil
    ) {
        storage = Storage(code, what, object, path.map { PathSegments($0) }, recovery, nil)
    }

    @inline(never)
    init(_ error: PropertyListError) {
        storage = Storage(
            .invalidPropertyList, error.what, nil, error.path.map { PathSegments($0) },
            error.recovery, error)
    }

    private init(_ storage: Storage) { self.storage = storage }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// The description of the failure, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The number in `$objects` of the object with the fault.
    public var object: PropertyListUID? { storage.object }
    /// The path to the fault. For typed values, it leads from a root of the archive through the
    /// fields; otherwise, it starts at the root of the property list. Linear in its length.
    public var path: PropertyListPath? { storage.path?.path }
    /// The suggested fix, as advice for the caller.
    public var recovery: String? { storage.recovery }
    /// The underlying error, for ``Code/invalidPropertyList``.
    public var propertyListError: PropertyListError? { storage.propertyListError }
    /// A Boolean value indicating whether the failure is an exceeded limit rather than bad input.
    /// The limit applies to the archive, or to the property list that contains the archive. The
    /// program can raise most limits with `ParsingLimits`.
    public var isLimit: Bool {
        [.depthLimitExceeded, .expansionLimitExceeded].contains(code)
            || propertyListError?.isLimit == true
    }
    /// The file or the item that contains the archive, such as `file /srv/save.plist`; nil for an
    /// archive in memory.
    public var source: String? { storage.source }
}

extension KeyedArchiveError: CustomStringConvertible {
    /// `keyed archive: what, in path, source (recovery)`. For an underlying ``propertyListError``,
    /// the first part is the description of that error.
    public var description: String {
        descriptionWithoutRecovery + (recovery.map { " (\($0))" } ?? "")
    }

    /// `keyed archive: what, in path, source`.
    package var descriptionWithoutRecovery: String {
        let origin = source.map { ", \($0)" } ?? ""
        if let error = propertyListError { return error.descriptionWithoutRecovery + origin }
        let place = path.flatMap { $0.components.isEmpty ? nil : ", in \($0)" }
        return "keyed archive: \(what)" + (place ?? "") + origin
    }
}

extension KeyedArchiveError {
    /// Returns the error with the escaped name of the file or item that contains the archive,
    /// unless the error names one already.
    package func from(_ source: String) -> KeyedArchiveError {
        KeyedArchiveError(
            Storage(
                code, what, object, storage.path, recovery, propertyListError,
                storage.source ?? source))
    }
}

// MARK: - Making errors

extension KeyedArchiveError {
    /// Returns the error with a step prepended to its path, which grows while the error propagates.
    func inside(_ component: PropertyListPath.Component) -> KeyedArchiveError {
        inside([component])
    }

    /// Returns an error with a step prepended, if it is a `KeyedArchiveError`. Out of line, so that
    /// specializations of generic callers do not repeat the code.
    @inline(never)
    package static func located(
        _ error: any Error, _ component: PropertyListPath.Component
    ) -> any Error {
        (error as? KeyedArchiveError)?.inside(component) ?? error
    }

    @inline(never)
    func inside(_ components: [PropertyListPath.Component]) -> KeyedArchiveError {
        if components.isEmpty || propertyListError != nil { return self }
        // A path that begins at the object table is complete.
        if storage.path?.first == .key(ArchiveFormat.objectsKey) { return self }
        return with(
            storage.path?.prepending(components) ?? PathSegments(PropertyListPath(components)))
    }

    /// Returns the error of a value in a dictionary, with the index that begins its path replaced
    /// by the value's key. If the key is not text, the index remains.
    func atEntry(_ key: (Int) -> String?) -> KeyedArchiveError {
        guard propertyListError == nil, let path = storage.path,
            case .index(let index)? = path.first, let key = key(index)
        else { return self }
        return with(path.replacingFirst(.entry(key)))
    }

    private func with(_ path: PathSegments) -> KeyedArchiveError {
        KeyedArchiveError(
            Storage(code, what, object, path, recovery, propertyListError, source))
    }

    static func missing(_ what: String, _ object: PropertyListUID?) -> KeyedArchiveError {
        KeyedArchiveError(.missingValue, what: what, object: object)
    }

    /// Returns the error for a dictionary whose keys and values differ in number.
    static func unequalCounts(
        keys: Int, values: Int, _ object: PropertyListUID?
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject, what: "expected as many values as keys (\(keys)), found \(values)",
            object: object)
    }

    /// Returns the error for nesting that is within the limits but does not fit on the stack.
    @inline(never)
    static func stackExceeded(_ depth: Int) -> KeyedArchiveError {
        let error = OperationBudget.stackExceeded(depth)
        return KeyedArchiveError(
            .depthLimitExceeded, what: error.what, recovery: error.recovery)
    }

    /// Returns the error for shared objects that expand to more than `limit` values.
    @inline(never)
    static func expansionExceeded(
        _ limit: Int, _ object: PropertyListUID? = nil
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "expected shared objects to expand to at most \(limit) values, found more",
            object: object,
            recovery: "raise `ParsingLimits.expansion` if the archive is trusted")
    }

    /// Returns a bounded prefix of a name, with control characters escaped.
    package static func printable(_ name: String) -> String {
        TerminalText.escaped(String(name.unicodeScalars.prefix(longestName)))
    }

    /// Returns a bounded prefix of a name as a Swift string literal.
    static func quoted(_ name: String) -> String {
        let beginning = String(name.unicodeScalars.prefix(longestName))
        return "\"" + TerminalText.escaped(beginning, quoting: true)
            + (beginning.utf8.count < name.utf8.count ? "…" : "") + "\""
    }

    private static let longestName = 128
}

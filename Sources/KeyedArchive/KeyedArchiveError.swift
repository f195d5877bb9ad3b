// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

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
    }

    private final class Storage: Sendable {
        let code: Code
        let what: String
        let object: PropertyListUID?
        let path: PropertyListPath?
        let propertyListError: PropertyListError?

        init(
            _ code: Code, _ what: String, _ object: PropertyListUID?, _ path: PropertyListPath?,
            _ propertyListError: PropertyListError?
        ) {
            self.code = code
            self.what = what
            self.object = object
            self.path = path
            self.propertyListError = propertyListError
        }
    }

    private let storage: Storage

    @inline(never)
    init(
        _ code: Code, what: String, object: PropertyListUID? = nil, path: PropertyListPath? = nil
    ) {
        storage = Storage(code, what, object, path, nil)
    }

    @inline(never)
    init(_ error: PropertyListError) {
        storage = Storage(.invalidPropertyList, error.what, nil, error.path, error)
    }

    /// The kind of failure.
    public var code: Code { storage.code }
    /// What is wrong, with both numbers where two are compared.
    public var what: String { storage.what }
    /// The object it is wrong in: its number in `$objects`.
    public var object: PropertyListUID? { storage.object }
    /// The way from the root of the property list to what is wrong.
    public var path: PropertyListPath? { storage.path }
    /// The error of the layer below, for ``Code/invalidPropertyList``.
    public var propertyListError: PropertyListError? { storage.propertyListError }
}

extension KeyedArchiveError: CustomStringConvertible {
    /// `keyed archive: what, in path`; the error of the property list where that is the reason.
    public var description: String {
        if let error = propertyListError { return error.description }
        var text = "keyed archive: \(what)"
        if let path, !path.components.isEmpty { text += ", in \(path)" }
        return text
    }
}

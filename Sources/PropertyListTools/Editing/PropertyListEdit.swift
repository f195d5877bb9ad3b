// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A change to one value of a property list.
///
/// ```swift
/// let edits = [
///     PropertyListEdit([.key("CFBundleVersion")], .set("42")),
///     PropertyListEdit([.key("Tracks"), .key("1000")], .remove),
/// ]
/// ```
public struct PropertyListEdit: Sendable, Hashable {
    /// The operation at a path.
    public enum Operation: Sendable, Hashable {
        /// The value there becomes this one; a key that is not there is added at the end.
        case set(PropertyListValue)
        /// A new key, at the end of its dictionary or after another key, which must be there; in an array
        /// a new element before the one that is there. A new object of a project file goes to the section of its
        /// class, wherever it is put.
        case insert(PropertyListValue, afterKey: String? = nil)
        /// A new element at the end of the array there.
        case append(PropertyListValue)
        /// The value there goes, with its key.
        case remove
        /// The key there gets another text, and keeps its place.
        case rename(String)
        /// The entries of a dictionary are set in the dictionary there, those that are dictionaries
        /// in both key by key; the elements of an array are appended to the array there.
        case merge(PropertyListValue)

        /// The new value, if there is one.
        var value: PropertyListValue? {
            switch self {
            case .set(let value), .insert(let value, _), .append(let value), .merge(let value):
                value
            case .remove, .rename: nil
            }
        }
    }

    /// The path of the value that the edit is about.
    public var path: PropertyListKeyPath
    /// The change at the path.
    public var operation: Operation

    /// The inline size of an edit in bytes, without its path and value.
    static let size = MemoryLayout<PropertyListEdit>.stride

    /// An operation at a path.
    public init(_ path: PropertyListKeyPath, _ operation: Operation) {
        self.path = path
        self.operation = operation
    }
}

/// The result of editing a property list.
public struct EditedPropertyList: Sendable {
    /// A run of the source that is replaced.
    public struct Change: Sendable, Hashable {
        /// Where it stood, in bytes of the source's text as UTF-8; empty where text was added.
        public let range: Range<Int>
        /// The new text, in UTF-8: a part of the text of the result.
        public let replacement: ArraySlice<UInt8>

        init(range: Range<Int>, replacement: ArraySlice<UInt8>) {
            self.range = range
            self.replacement = replacement
        }

        init(range: Range<Int>, replacement: [UInt8]) {
            self.init(range: range, replacement: replacement[...])
        }
    }

    /// The new file, in the format and encoding of the source.
    public let bytes: [UInt8]
    /// The document after the edits.
    public let document: PropertyListDocument
    /// The changes in a source of XML or OpenStep text, in order: all else is the same byte for byte.
    /// Nil for a binary property list, whose objects keep their order, and for JSON, which is written
    /// anew under the mapping that it was read under.
    public let changes: [Change]?
}

extension PropertyListDocument {
    /// The document with edits made one after the other. What they do not touch stays as it is: in XML
    /// every byte outside of what is replaced, in binary the order and the widths of the objects.
    ///
    /// Linear in the document and the new values, and in the length of an array for each element that
    /// is inserted into it or removed from it.
    ///
    /// - Throws: as ``PropertyListEditor``.
    public func applying(
        _ edits: some Sequence<PropertyListEdit>, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> EditedPropertyList {
        var editor = try PropertyListEditor(self, options: options, limits: limits)
        for edit in edits { try editor.apply(edit) }
        return try editor.finish()
    }
}

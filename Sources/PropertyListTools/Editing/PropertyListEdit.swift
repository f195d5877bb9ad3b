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
        /// Sets the value at the path. A missing key is added at the end of its dictionary.
        case set(PropertyListValue)
        /// Inserts a value under a new key, at the end of its dictionary or after the existing key
        /// `afterKey`. In an array, inserts an element before the one at the path. In a project
        /// file, a new object always goes to the section of its class.
        case insert(PropertyListValue, afterKey: String? = nil)
        /// Appends an element to the array at the path.
        case append(PropertyListValue)
        /// Removes the value at the path, with its key.
        case remove
        /// Renames the last key of the path. The entry keeps its place.
        case rename(String)
        /// Merges a container into the one at the path. Dictionary entries are set one by one, and
        /// entries that are dictionaries on both sides are merged the same way. Array elements are
        /// appended.
        case merge(PropertyListValue)

        /// The new value, if the operation has one.
        var value: PropertyListValue? {
            switch self {
            case .set(let value), .insert(let value, _), .append(let value), .merge(let value):
                value
            case .remove, .rename: nil
            }
        }
    }

    /// The path of the value to change.
    public var path: PropertyListKeyPath
    /// The change at the path.
    public var operation: Operation

    /// The inline size of an edit in bytes, without its path and value.
    static let size = MemoryLayout<PropertyListEdit>.stride

    /// Creates an edit from a path and an operation.
    public init(_ path: PropertyListKeyPath, _ operation: Operation) {
        self.path = path
        self.operation = operation
    }
}

/// The result of editing a property list.
public struct EditedPropertyList: Sendable {
    /// A replaced range of the source.
    public struct Change: Sendable, Hashable {
        /// The replaced range, in bytes of the source as UTF-8. Empty for an insertion.
        public let range: Range<Int>
        /// The new text as UTF-8, a slice of the text of the result.
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
    /// The changes to an XML or OpenStep source, in order. All other bytes are unchanged. Nil for a
    /// binary property list, whose objects keep their order. Also nil for JSON, which is written
    /// from scratch with the `JSONPropertyList.Mapping` of the source.
    public let changes: [Change]?
}

extension PropertyListDocument {
    /// Returns the document with edits applied in order. Everything else stays as it is: every
    /// other byte of XML and OpenStep text, and the order of objects in binary. If the offset width
    /// of a binary source is not a power of two, the result uses the smallest width that fits. JSON
    /// is written from scratch, in the formatting of the source.
    ///
    /// Linear in the document and the new values, plus the length of an array for each element
    /// inserted into it or removed from it.
    ///
    /// - Throws: The errors of ``PropertyListEditor``.
    public func applying(
        _ edits: some Sequence<PropertyListEdit>, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> EditedPropertyList {
        var editor = try PropertyListEditor(self, options: options, limits: limits)
        for edit in edits { try editor.apply(edit) }
        return try editor.finish()
    }
}

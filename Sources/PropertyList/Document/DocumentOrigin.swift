// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The file of another format from which a document was converted, and the byte range of each value
/// in that file.
package struct DocumentOrigin: Sendable {
    /// The name of the format, in messages.
    package let format: String
    /// The bytes of the file.
    package let bytes: [UInt8]
    /// Facts about the file as a whole, such as versions.
    package let facts: [(name: String, text: String)]
    /// The byte range of each value in the file, by record number. The range is `0..<0` for values
    /// that are not in the file.
    package let ranges: [Range<UInt32>]

    package init(
        format: String, bytes: [UInt8], facts: [(name: String, text: String)],
        ranges: [Range<UInt32>]
    ) {
        self.format = format
        self.bytes = bytes
        self.facts = facts
        self.ranges = ranges
    }

    /// Returns the byte range of a value in the file, or nil if the value is not in the file.
    /// Constant time.
    package func range(of number: UInt32) -> Range<Int>? {
        guard Int(number) < ranges.count, case let range = ranges[Int(number)], !range.isEmpty
        else { return nil }
        return Int(range.lowerBound)..<Int(range.upperBound)
    }
}

extension PropertyListDocument {
    /// The file of another format from which the document was converted, or nil.
    package var origin: DocumentOrigin? { storage.origin }

    /// The name of the document's source format, for messages; nil for a document that was built.
    package var formatName: String? { format.map { "\($0)" } ?? origin?.format }

    /// Returns whether the source contains `data` unchanged, at the indices of the slice.
    package func hasInPlace(_ data: ArraySlice<UInt8>) -> Bool {
        if let origin { return data.endIndex <= origin.bytes.count }
        return format == .binary
    }
}

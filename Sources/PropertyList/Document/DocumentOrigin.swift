// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The file of another format that a document was made of, with the place of each value in it.
package struct DocumentOrigin: Sendable {
    /// The name of the format, in messages.
    package let format: String
    /// The file.
    package let bytes: [UInt8]
    /// The facts about the file as a whole, such as versions.
    package let facts: [(name: String, text: String)]
    /// The place of each value in the file, by the number of its record; an empty range at 0 for values that are not
    /// in the file.
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

    /// The place of a value in the file; nil for values that are not in the file. Constant time.
    package func range(of number: UInt32) -> Range<Int>? {
        guard Int(number) < ranges.count, case let range = ranges[Int(number)], !range.isEmpty
        else { return nil }
        return Int(range.lowerBound)..<Int(range.upperBound)
    }
}

extension PropertyListDocument {
    /// The file of another format that the document was made of; nil for other documents.
    package var origin: DocumentOrigin? { storage.origin }

    /// The name of the format that the document was read from, in messages; nil for one that was built.
    package var formatName: String? { format.map { "\($0)" } ?? origin?.format }

    /// Whether data are in the source as they are, at the places of their slices.
    package func hasInPlace(_ data: ArraySlice<UInt8>) -> Bool {
        if let origin { return data.endIndex <= origin.bytes.count }
        return format == .binary
    }
}

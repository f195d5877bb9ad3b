// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A find of a ``PropertyListCarver``.
public struct CarvedItem: Sendable {
    /// The content at a place.
    public enum Content: Sendable {
        /// A property list, whole and valid.
        case propertyList(PropertyListDocument)
        /// The beginning of a property list with nothing valid after it, and why.
        case damaged(PropertyListFormat, PropertyListError)
        /// The beginning of a format that `ArchiveImport` reads, by its name: `typedstream`, `NIBArchive`,
        /// `bplist15`, `bplist16`, `bplist17`.
        case neighbour(String)
    }

    /// Where it stands, in bytes; of what is no whole property list, its signature alone.
    public let range: Range<Int>
    /// The content of the find.
    public let content: Content
}

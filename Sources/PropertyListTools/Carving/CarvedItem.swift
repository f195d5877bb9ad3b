// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// An item that a ``PropertyListCarver`` found.
public struct CarvedItem: Sendable {
    /// The content at the position of an item.
    public enum Content: Sendable {
        /// A property list, whole and valid.
        case propertyList(PropertyListDocument)
        /// The signature of a property list that is incomplete or invalid, and the reason.
        case damaged(PropertyListFormat, PropertyListError)
        /// The signature of a format that `ArchiveImport` reads, by the name of the format:
        /// `typedstream`, `NIBArchive`, `bplist15`, `bplist16` or `bplist17`.
        case otherFormat(String)
    }

    /// The byte range of the item. Unless the item is a valid property list, the range covers only
    /// its signature.
    public let range: Range<Int>
    /// The content of the item.
    public let content: Content
}

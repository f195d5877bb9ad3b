// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The object numbering and the integer widths of a binary property list.
public struct BinaryLayout: Sendable, Hashable {
    enum Numbering: Sendable { case byValue, byIdentity, byIdentityRepeating }

    let numbering: Numbering
    /// A Boolean value that is true if offsets have the smallest possible width rather than 1, 2, 4
    /// or 8 bytes.
    let hasTightOffsets: Bool
    /// A Boolean value that is true if integers and UIDs keep the width that they have in their
    /// source.
    let keepsWidths: Bool

    /// The default layout. Equal leaves and shared containers are written once, and unused values
    /// are omitted. Integers and UIDs have the width that CoreFoundation would choose.
    public static let compact = BinaryLayout(
        numbering: .byValue, hasTightOffsets: false, keepsWidths: false)

    /// The layout of Apple's current writer. Strings, numbers, dates and data that are one object
    /// in the source stay one object. Each further occurrence of a container, UID, Boolean or null
    /// adds a copy to the file, but all references point to the first one.
    public static let coreFoundation = BinaryLayout(
        numbering: .byIdentityRepeating, hasTightOffsets: false, keepsWidths: true)

    /// The layout of Apple's writer from about 2009 to 2011: ``coreFoundation`` with offsets of the
    /// smallest possible width, such as 3 bytes.
    public static let coreFoundationTightOffsets = BinaryLayout(
        numbering: .byIdentityRepeating, hasTightOffsets: true, keepsWidths: true)

    /// The layout of Apple's first writer, in which every object is written once.
    public static let coreFoundationUniqued = BinaryLayout(
        numbering: .byIdentity, hasTightOffsets: false, keepsWidths: true)

    /// Apple's layouts, the most frequent one first.
    static let coreFoundationLayouts: [BinaryLayout] = [
        .coreFoundation, .coreFoundationUniqued, .coreFoundationTightOffsets,
    ]
}

extension PropertyListDocument {
    /// Returns the first Apple layout that reproduces the source of a binary document byte for
    /// byte.
    ///
    /// The function writes the document in each layout and compares the result. It returns nil if
    /// no layout gives the same bytes, and for other formats. Linear.
    public func coreFoundationLayout(limits: ParsingLimits = .default) -> BinaryLayout? {
        guard format == .binary else { return nil }
        return BinaryLayout.coreFoundationLayouts.first { layout in
            (try? BinaryPropertyList.serialize(self, layout: layout, limits: limits)) == source
        }
    }
}

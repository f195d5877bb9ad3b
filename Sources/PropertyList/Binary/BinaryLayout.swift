// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The numbering of the objects of a binary property list, and its choice of widths.
public struct BinaryLayout: Sendable, Hashable {
    enum Numbering: Sendable { case byValue, byIdentity, byIdentityRepeating }

    let numbering: Numbering
    /// A Boolean value that says whether the width of offsets is the smallest number of bytes
    /// rather than 1, 2, 4 or 8.
    let hasTightOffsets: Bool
    /// A Boolean value that says whether integers and UIDs keep the width they had in their source.
    let keepsWidths: Bool

    /// The default: equal leaves are written once, shared containers once, nothing unused, every
    /// number as short as CoreFoundation would write it.
    public static let compact = BinaryLayout(
        numbering: .byValue, hasTightOffsets: false, keepsWidths: false)

    /// Apple's current writer. Objects are one where they were one in the source; a container, a
    /// UID or a boolean that is met again is written again, and nothing refers to the second copy.
    public static let coreFoundation = BinaryLayout(
        numbering: .byIdentityRepeating, hasTightOffsets: false, keepsWidths: true)

    /// Apple's writer of about 2009 to 2011: as the current one, with offsets of any width.
    public static let coreFoundationTightOffsets = BinaryLayout(
        numbering: .byIdentityRepeating, hasTightOffsets: true, keepsWidths: true)

    /// Apple's first writer: every object is written once.
    public static let coreFoundationUniqued = BinaryLayout(
        numbering: .byIdentity, hasTightOffsets: false, keepsWidths: true)

    /// Apple's layouts, the most frequent first.
    static let coreFoundationLayouts: [BinaryLayout] = [
        .coreFoundation, .coreFoundationUniqued, .coreFoundationTightOffsets,
    ]
}

extension PropertyListDocument {
    /// The layout of Apple's in which the source of a binary document was written, found by writing
    /// it again in each; nil where none gives the same bytes, and for other formats. Linear.
    public func coreFoundationLayout(limits: ParsingLimits = .default) -> BinaryLayout? {
        guard format == .binary else { return nil }
        return BinaryLayout.coreFoundationLayouts.first { layout in
            (try? BinaryPropertyList.serialize(self, layout: layout, limits: limits)) == source
        }
    }
}

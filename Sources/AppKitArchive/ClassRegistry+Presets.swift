// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// The classes of AppKit and of UIKit, to be merged with those of Foundation:
///
/// ```swift
/// let allowed = ClassRegistry.foundation.merging(.appKit)
/// ```
///
/// They are data: nothing is looked up, opened or drawn when one is read.
extension ClassRegistry {
    /// The classes of AppKit that have a Swift type here: colors, fonts, paragraph styles, text tabs,
    /// shadows and paths.
    ///
    /// Of Foundation's classes the list has those that the types of AppKit name.
    public static let appKit = ClassRegistry(
        ArchivedColor.self, ArchivedColorSpace.self, ArchivedFont.self,
        ArchivedFontDescriptor.self, ArchivedBezierPath.self
    ).merging(textClasses)

    /// The classes of UIKit that have a Swift type here: colors, fonts, paragraph styles, text tabs and
    /// shadows.
    ///
    /// Of Foundation's classes the list has those that the types of UIKit name.
    public static let uiKit = ClassRegistry(
        ArchivedUIColor.self, ArchivedUIFont.self
    ).merging(textClasses)

    /// The classes that archives of both frameworks have under one name. Macs write `UIFontDescriptor` too.
    private static let textClasses = ClassRegistry(
        ArchivedUIFontDescriptor.self, ArchivedParagraphStyle.self,
        Mutable<ArchivedParagraphStyle>.self, ArchivedTextTab.self,
        ArchivedShadow.self)
}

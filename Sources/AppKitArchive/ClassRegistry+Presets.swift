// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// The classes of AppKit and of UIKit, to be merged with those of Foundation:
///
/// ```swift
/// let allowed = ClassRegistry.foundation.merging(.appKit)
/// ```
///
/// All of these classes are plain data: reading an object never loads a resource or draws.
extension ClassRegistry {
    /// The classes of AppKit that have a Swift type in this library: colors, fonts, paragraph
    /// styles, text tabs, shadows and paths.
    ///
    /// The list includes the classes of Foundation that these types need.
    public static let appKit = ClassRegistry(
        ArchivedColor.self, ArchivedColorSpace.self, ArchivedFont.self,
        ArchivedFontDescriptor.self, ArchivedBezierPath.self
    ).merging(textClasses)

    /// The classes of UIKit that have a Swift type in this library: colors, fonts, paragraph
    /// styles, text tabs and shadows.
    ///
    /// The list includes the classes of Foundation that these types need.
    public static let uiKit = ClassRegistry(
        ArchivedUIColor.self, ArchivedUIFont.self
    ).merging(textClasses)

    /// The classes that have the same name in archives of both frameworks. macOS writes
    /// `UIFontDescriptor` too.
    private static let textClasses = ClassRegistry(
        ArchivedUIFontDescriptor.self, ArchivedParagraphStyle.self,
        Mutable<ArchivedParagraphStyle>.self, ArchivedTextTab.self,
        ArchivedShadow.self)
}

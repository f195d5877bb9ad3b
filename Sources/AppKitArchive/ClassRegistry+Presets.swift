// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive

/// Presets with the classes of AppKit and UIKit. Merge one of them with the classes of Foundation:
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
    /// The list includes the Foundation classes of the types' own fields, such as `NSString`. It
    /// lacks classes that occur only in collections, such as the `NSNumber` objects among the
    /// attributes of a font descriptor.
    public static let appKit = ClassRegistry(
        ArchivedColor.self, ArchivedColorSpace.self, ArchivedFont.self,
        ArchivedFontDescriptor.self, ArchivedBezierPath.self
    ).merging(textClasses)

    /// The classes of UIKit that have a Swift type in this library: colors, fonts, paragraph
    /// styles, text tabs and shadows.
    ///
    /// The list includes the Foundation classes of the types' own fields, as ``appKit`` does.
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

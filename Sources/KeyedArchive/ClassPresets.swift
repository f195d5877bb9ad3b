// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Lists of classes for common needs. All of these classes are plain data: reading an object has no
/// side effects.
extension ClassRegistry {
    /// The classes that a property list consists of: NSArray, NSData, NSDate, NSDictionary,
    /// NSNumber, NSString and their mutable counterparts.
    public static let propertyList = ClassRegistry(
        String.self, Mutable<String>.self, ArchivedNumber.self, Data.self, Mutable<Data>.self,
        Date.self, [AnyArchived].self, Mutable<[AnyArchived]>.self,
        ArchivedPairs<AnyArchived, AnyArchived>.self,
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.self)

    /// The classes of single values that keychain wrappers accept: NSData, NSDate, NSMutableData,
    /// NSMutableString, NSNumber, NSString, NSValue.
    public static let commonClasses = ClassRegistry(
        String.self, Mutable<String>.self, ArchivedNumber.self, Data.self, Mutable<Data>.self,
        Date.self, ArchivedValue.self)

    /// The classes of identifiers: NSURL, NSUUID. `.commonClasses.merging(.identifierClasses)`
    /// allows all single values that settings and keychain items usually hold.
    public static let identifierClasses = ClassRegistry(URL.self, UUID.self)

    /// The classes of Foundation that are plain data and have a Swift type in this module: the
    /// default registry.
    ///
    /// The classes of AppKit and UIKit are in the product `AppKitArchive`.
    public static let foundation = propertyList.merging(foundationValues)
        .merging(.identifierClasses)
        .merging(.geometryClasses)
        .merging(.decimalClasses)
        .merging(.indexClasses)
        .merging(.timeClasses)
        .merging(.reportClasses)
        .merging(.personNameClasses)
        .merging(.measurementClasses)
        .merging(.attributedStringClasses)
        .merging(.characterSetClasses)
        .merging(.regularExpressionClasses)
        .merging(.formatterClasses)
        .merging(.urlLoadingClasses)
        .merging(.hashTableClasses)

    private static let foundationValues = ClassRegistry(
        ArchivedNull.self, ArchivedSet<AnyArchived>.self,
        Mutable<ArchivedSet<AnyArchived>>.self, ArchivedOrderedSet<AnyArchived>.self,
        Mutable<ArchivedOrderedSet<AnyArchived>>.self, ArchivedCountedSet<AnyArchived>.self)
}

/// Classes whose Swift types are in other products of the package. Error messages name the product.
/// Being in this list does not allow a class.
enum ClassesElsewhere {
    private static let names = [
        "NSBezierPath", "NSColor", "NSColorSpace", "NSFont", "NSFontDescriptor",
        "NSMutableParagraphStyle", "NSParagraphStyle", "NSShadow", "NSTextTab", "UIColor", "UIFont",
        "UIFontDescriptor",
    ]

    /// Returns the change that would allow a class of another product; nil for other classes.
    static func recovery(for name: String) -> String? {
        guard names.contains(where: name.isLiterally) else { return nil }
        let preset = name.utf8.first == UInt8(ascii: "U") ? "uiKit" : "appKit"
        return "`.merging(.\(preset))` of the product AppKitArchive would allow it"
    }
}

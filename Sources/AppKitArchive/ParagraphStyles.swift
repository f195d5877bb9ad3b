// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

// | class | fields |
// |---|---|
// | `NSParagraphStyle`, `NSMutableParagraphStyle` | `NSTabStops`: an array of NSTextTab, or nil, always present. Absent if default: `NSAlignment`, `NSLineBreakMode`, `NSWritingDirection`, `NSAllowsTighteningForTruncation`: integers; `NSDefaultTabInterval`, `NSMinLineHeight`, `NSMaxLineHeight`, `NSTighteningFactorForTruncation`: reals; known from other implementations: `NSLineSpacing`, `NSParagraphSpacing`, `NSHeadIndent`, `NSTailIndent`, `NSFirstLineHeadIndent`: reals |
// | `NSTextTab` | `NSLocation`: real, points |
// | `NSShadow` | absent if default: `NSShadowHoriz`, `NSShadowVert`, `NSShadowBlurRadius`: reals, points; `NSShadowColor` |
//
// Source: archives that Apple's software wrote, except for the fields known from other
// implementations. Other fields are kept in `extraFields`.

// MARK: - Paragraphs

/// An `NSParagraphStyle`. A field that is nil has its default.
public struct ArchivedParagraphStyle {
    /// The alignment: a raw value of `NSTextAlignment`.
    public var alignment: Int?
    /// The line break mode: a raw value of `NSLineBreakMode`.
    public var lineBreakMode: Int?
    /// The writing direction: a raw value of `NSWritingDirection`.
    public var writingDirection: Int?
    /// The tab stops: an `NSArray` of `NSTextTab`; nil for the default ones.
    public var tabStops: AnyArchived?
    /// The distance between tab stops after the last of ``tabStops``, in points.
    public var defaultTabInterval: PropertyListReal?
    /// The minimum height of a line, in points.
    public var minimumLineHeight: PropertyListReal?
    /// The maximum height of a line, in points.
    public var maximumLineHeight: PropertyListReal?
    /// The space between lines, in points.
    public var lineSpacing: PropertyListReal?
    /// The space after the paragraph, in points.
    public var paragraphSpacing: PropertyListReal?
    /// The indentation of all lines but the first, in points.
    public var headIndent: PropertyListReal?
    /// The end of each line, in points. A positive value is the distance from the leading margin.
    /// Zero or a negative value is relative to the trailing margin.
    public var tailIndent: PropertyListReal?
    /// The indentation of the first line, in points.
    public var firstLineHeadIndent: PropertyListReal?
    /// A flag: 1 if the space between letters may shrink before text is truncated, otherwise 0.
    public var allowsTighteningForTruncation: Int?
    /// The factor by which the space between letters may shrink.
    public var tighteningFactorForTruncation: PropertyListReal?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates the default style.
    public init() {}
}

extension ArchivedParagraphStyle: KeyedCodable, MutableArchivable {
    public static var archivedClass: ArchivedClass { "NSParagraphStyle" }
    public static var archivedAliases: [String] { ["NSMutableParagraphStyle"] }
    public static var mutableClass: ArchivedClass {
        archivedClass.subclass("NSMutableParagraphStyle")
    }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<[AnyArchived]>.register(in: &registry)
        ArchivedTextTab.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "NSAlignment", "NSLineBreakMode", "NSWritingDirection", "NSTabStops",
        "NSDefaultTabInterval", "NSMinLineHeight", "NSMaxLineHeight", "NSLineSpacing",
        "NSParagraphSpacing", "NSHeadIndent", "NSTailIndent", "NSFirstLineHeadIndent",
        "NSAllowsTighteningForTruncation", "NSTighteningFactorForTruncation",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(alignment, forKey: "NSAlignment")
        coder.encodeIfPresent(lineBreakMode, forKey: "NSLineBreakMode")
        coder.encodeIfPresent(writingDirection, forKey: "NSWritingDirection")
        coder.encode(tabStops, forKey: "NSTabStops")
        coder.encodeIfPresent(defaultTabInterval, forKey: "NSDefaultTabInterval")
        coder.encodeIfPresent(minimumLineHeight, forKey: "NSMinLineHeight")
        coder.encodeIfPresent(maximumLineHeight, forKey: "NSMaxLineHeight")
        coder.encodeIfPresent(lineSpacing, forKey: "NSLineSpacing")
        coder.encodeIfPresent(paragraphSpacing, forKey: "NSParagraphSpacing")
        coder.encodeIfPresent(headIndent, forKey: "NSHeadIndent")
        coder.encodeIfPresent(tailIndent, forKey: "NSTailIndent")
        coder.encodeIfPresent(firstLineHeadIndent, forKey: "NSFirstLineHeadIndent")
        coder.encodeIfPresent(
            allowsTighteningForTruncation, forKey: "NSAllowsTighteningForTruncation")
        coder.encodeIfPresent(
            tighteningFactorForTruncation, forKey: "NSTighteningFactorForTruncation")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        alignment = try coder.decode(forKey: "NSAlignment")
        lineBreakMode = try coder.decode(forKey: "NSLineBreakMode")
        writingDirection = try coder.decode(forKey: "NSWritingDirection")
        tabStops = try coder.decodeAnyArchived(of: [AnyArchived].self, forKey: "NSTabStops")
        defaultTabInterval = try coder.decodeRealIfPresent(forKey: "NSDefaultTabInterval")
        minimumLineHeight = try coder.decodeRealIfPresent(forKey: "NSMinLineHeight")
        maximumLineHeight = try coder.decodeRealIfPresent(forKey: "NSMaxLineHeight")
        lineSpacing = try coder.decodeRealIfPresent(forKey: "NSLineSpacing")
        paragraphSpacing = try coder.decodeRealIfPresent(forKey: "NSParagraphSpacing")
        headIndent = try coder.decodeRealIfPresent(forKey: "NSHeadIndent")
        tailIndent = try coder.decodeRealIfPresent(forKey: "NSTailIndent")
        firstLineHeadIndent = try coder.decodeRealIfPresent(forKey: "NSFirstLineHeadIndent")
        allowsTighteningForTruncation = try coder.decode(
            forKey: "NSAllowsTighteningForTruncation")
        tighteningFactorForTruncation = try coder.decodeRealIfPresent(
            forKey: "NSTighteningFactorForTruncation")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// An `NSTextTab`.
public struct ArchivedTextTab {
    /// The distance from the margin, in points.
    public var location: PropertyListReal
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a left-aligned tab stop.
    ///
    /// - Parameter location: the distance from the margin, in points.
    public init(location: Double) { self.location = PropertyListReal(location) }
}

extension ArchivedTextTab: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSTextTab" }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(location, forKey: "NSLocation")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        location = try coder.decodeReal(forKey: "NSLocation")
        extraFields = try coder.extraFields(except: ["NSLocation"])
    }
}

// MARK: - Shadows

/// An `NSShadow`. A field that is nil has its default.
public struct ArchivedShadow {
    /// The horizontal offset, in points.
    public var horizontalOffset: PropertyListReal?
    /// The vertical offset, in points.
    public var verticalOffset: PropertyListReal?
    /// The blur radius, in points.
    public var blurRadius: PropertyListReal?
    /// The color: an `NSColor`, a `UIColor` or another object.
    public var color: AnyArchived?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates the default shadow.
    public init() {}
}

extension ArchivedShadow: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSShadow" }

    private static let keys: Set = [
        "NSShadowHoriz", "NSShadowVert", "NSShadowBlurRadius", "NSShadowColor",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(horizontalOffset, forKey: "NSShadowHoriz")
        coder.encodeIfPresent(verticalOffset, forKey: "NSShadowVert")
        coder.encodeIfPresent(blurRadius, forKey: "NSShadowBlurRadius")
        coder.encodeIfPresent(color, forKey: "NSShadowColor")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        horizontalOffset = try coder.decodeRealIfPresent(forKey: "NSShadowHoriz")
        verticalOffset = try coder.decodeRealIfPresent(forKey: "NSShadowVert")
        blurRadius = try coder.decodeRealIfPresent(forKey: "NSShadowBlurRadius")
        color = try coder.decode(forKey: "NSShadowColor")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

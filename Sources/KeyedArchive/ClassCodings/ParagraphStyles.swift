// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

// | class | fields |
// |---|---|
// | `NSParagraphStyle`, `NSMutableParagraphStyle` | `NSTabStops`: an array of NSTextTab, or nil, always; only where not the default: `NSAlignment`, `NSLineBreakMode`, `NSWritingDirection`, `NSAllowsTighteningForTruncation`: integers; `NSDefaultTabInterval`, `NSMinLineHeight`, `NSMaxLineHeight`, `NSTighteningFactorForTruncation`: reals; by other implementations `NSLineSpacing`, `NSParagraphSpacing`, `NSHeadIndent`, `NSTailIndent`, `NSFirstLineHeadIndent`: reals |
// | `NSTextTab` | `NSLocation`: real, points |
// | `NSShadow` | only where not the default: `NSShadowHoriz`, `NSShadowVert`, `NSShadowBlurRadius`: reals, points; `NSShadowColor` |
//
// Source: archives that Apple's software wrote. What else an object holds is kept, see
// `ArchivedExtraFields`.

extension ClassRegistry {
    static let paragraphStyleClasses = ClassRegistry(
        ArchivedParagraphStyle.self, Mutable<ArchivedParagraphStyle>.self, ArchivedTextTab.self,
        ArchivedShadow.self)
}

// MARK: - Paragraphs

/// An `NSParagraphStyle`. A field that is nil has its default.
public struct ArchivedParagraphStyle {
    /// The alignment, as `NSTextAlignment` numbers it.
    public var alignment: Int?
    /// Where lines break, as `NSLineBreakMode` numbers it.
    public var lineBreakMode: Int?
    /// The direction of writing, as `NSWritingDirection` numbers it.
    public var writingDirection: Int?
    /// The tab stops: an `NSArray` of `NSTextTab`; nil for those of the system.
    public var tabStops: AnyArchived?
    /// The distance of tab stops beyond the last, in points.
    public var defaultTabInterval: PropertyListReal?
    /// The least height of a line, in points.
    public var minimumLineHeight: PropertyListReal?
    /// The greatest height of a line, in points.
    public var maximumLineHeight: PropertyListReal?
    /// The space between lines, in points.
    public var lineSpacing: PropertyListReal?
    /// The space after the paragraph, in points.
    public var paragraphSpacing: PropertyListReal?
    /// The indentation of the lines but the first, in points.
    public var headIndent: PropertyListReal?
    /// Where lines end, in points.
    public var tailIndent: PropertyListReal?
    /// The indentation of the first line, in points.
    public var firstLineHeadIndent: PropertyListReal?
    /// Whether letters may be moved together before text is cut off: 0 or 1.
    public var allowsTighteningForTruncation: Int?
    /// How far they may be moved together.
    public var tighteningFactorForTruncation: PropertyListReal?
    /// Fields that are not known here.
    public var extraFields = ArchivedExtraFields()

    /// The default style.
    public init() {}
}

extension ArchivedParagraphStyle: KeyedCodable, MutableTwin {
    public static var archivedClass: ArchivedClass { "NSParagraphStyle" }
    public static var archivedAliases: [String] { ["NSMutableParagraphStyle"] }
    public static var mutableClass: ArchivedClass {
        archivedClass.subclass("NSMutableParagraphStyle")
    }

    private static let keys: Set = [
        "NSAlignment", "NSLineBreakMode", "NSWritingDirection", "NSTabStops",
        "NSDefaultTabInterval", "NSMinLineHeight", "NSMaxLineHeight", "NSLineSpacing",
        "NSParagraphSpacing", "NSHeadIndent", "NSTailIndent", "NSFirstLineHeadIndent",
        "NSAllowsTighteningForTruncation", "NSTighteningFactorForTruncation",
    ]

    public func encode(with coder: KeyedEncoder) throws {
        coder.encodePresentInteger(alignment, forKey: "NSAlignment")
        coder.encodePresentInteger(lineBreakMode, forKey: "NSLineBreakMode")
        coder.encodePresentInteger(writingDirection, forKey: "NSWritingDirection")
        try coder.encode(tabStops, forKey: "NSTabStops")
        coder.encodePresentReal(defaultTabInterval, forKey: "NSDefaultTabInterval")
        coder.encodePresentReal(minimumLineHeight, forKey: "NSMinLineHeight")
        coder.encodePresentReal(maximumLineHeight, forKey: "NSMaxLineHeight")
        coder.encodePresentReal(lineSpacing, forKey: "NSLineSpacing")
        coder.encodePresentReal(paragraphSpacing, forKey: "NSParagraphSpacing")
        coder.encodePresentReal(headIndent, forKey: "NSHeadIndent")
        coder.encodePresentReal(tailIndent, forKey: "NSTailIndent")
        coder.encodePresentReal(firstLineHeadIndent, forKey: "NSFirstLineHeadIndent")
        coder.encodePresentInteger(
            allowsTighteningForTruncation, forKey: "NSAllowsTighteningForTruncation")
        coder.encodePresentReal(
            tighteningFactorForTruncation, forKey: "NSTighteningFactorForTruncation")
        try coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        alignment = try coder.decode(forKey: "NSAlignment")
        lineBreakMode = try coder.decode(forKey: "NSLineBreakMode")
        writingDirection = try coder.decode(forKey: "NSWritingDirection")
        tabStops = try coder.decodeKept([AnyArchived].self, forKey: "NSTabStops")
        defaultTabInterval = try coder.decodePresentReal(forKey: "NSDefaultTabInterval")
        minimumLineHeight = try coder.decodePresentReal(forKey: "NSMinLineHeight")
        maximumLineHeight = try coder.decodePresentReal(forKey: "NSMaxLineHeight")
        lineSpacing = try coder.decodePresentReal(forKey: "NSLineSpacing")
        paragraphSpacing = try coder.decodePresentReal(forKey: "NSParagraphSpacing")
        headIndent = try coder.decodePresentReal(forKey: "NSHeadIndent")
        tailIndent = try coder.decodePresentReal(forKey: "NSTailIndent")
        firstLineHeadIndent = try coder.decodePresentReal(forKey: "NSFirstLineHeadIndent")
        allowsTighteningForTruncation = try coder.decode(
            forKey: "NSAllowsTighteningForTruncation")
        tighteningFactorForTruncation = try coder.decodePresentReal(
            forKey: "NSTighteningFactorForTruncation")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// An `NSTextTab`.
public struct ArchivedTextTab {
    /// Where it is, in points.
    public var location: PropertyListReal
    /// Fields that are not known here.
    public var extraFields = ArchivedExtraFields()

    /// A tab stop for text that begins there.
    ///
    /// - Parameter location: where it is, in points.
    public init(location: Double) { self.location = PropertyListReal(location) }
}

extension ArchivedTextTab: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSTextTab" }

    public func encode(with coder: KeyedEncoder) throws {
        coder.encodePresentReal(location, forKey: "NSLocation")
        try coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        guard let location = try coder.decodePresentReal(forKey: "NSLocation") else {
            throw coder.missing("NSLocation")
        }
        self.location = location
        extraFields = try coder.extraFields(except: ["NSLocation"])
    }
}

// MARK: - Shadows

/// An `NSShadow`. A field that is nil has its default.
public struct ArchivedShadow {
    /// How far it is to the right, in points.
    public var horizontalOffset: PropertyListReal?
    /// How far it is up, in points.
    public var verticalOffset: PropertyListReal?
    /// How far it is blurred, in points.
    public var blurRadius: PropertyListReal?
    /// The color: an `NSColor` or another.
    public var color: AnyArchived?
    /// Fields that are not known here.
    public var extraFields = ArchivedExtraFields()

    /// The default shadow.
    public init() {}
}

extension ArchivedShadow: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSShadow" }

    private static let keys: Set = [
        "NSShadowHoriz", "NSShadowVert", "NSShadowBlurRadius", "NSShadowColor",
    ]

    public func encode(with coder: KeyedEncoder) throws {
        coder.encodePresentReal(horizontalOffset, forKey: "NSShadowHoriz")
        coder.encodePresentReal(verticalOffset, forKey: "NSShadowVert")
        coder.encodePresentReal(blurRadius, forKey: "NSShadowBlurRadius")
        try coder.encodePresent(color, forKey: "NSShadowColor")
        try coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        horizontalOffset = try coder.decodePresentReal(forKey: "NSShadowHoriz")
        verticalOffset = try coder.decodePresentReal(forKey: "NSShadowVert")
        blurRadius = try coder.decodePresentReal(forKey: "NSShadowBlurRadius")
        color = try coder.decode(forKey: "NSShadowColor")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

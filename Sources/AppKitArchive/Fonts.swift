// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

// | class | fields |
// |---|---|
// | `NSFont` | `NSName`: a string; `NSSize`: real, points; `NSfFlags`: integer; in newer archives `NSDescriptor`: a descriptor, `NSHasWidth`: boolean |
// | `UIFont` | any of `UIFontName`, `NSName`: strings; `UIFontPointSize`, `NSSize`: reals; `UIFontTraits`: integer; `UISystemFont`: boolean; `UIFontDescriptor` (known from other implementations) |
// | `NSFontDescriptor` | `NSFontDescriptorAttributes`: a dictionary; `NSFontDescriptorOptions`: integer |
// | `UIFontDescriptor` (`NSFontDescriptor`) | `UIFontDescriptorAttributes`: a dictionary |
//
// Source: archives that Apple's software wrote, except for `UIFont`. Other fields are kept in
// `extraFields`.

// MARK: - Fonts

/// An `NSFont`: its name and size. No font is looked up.
public struct ArchivedFont {
    /// The PostScript name.
    public var name: String?
    /// The size in points.
    public var size: PropertyListReal
    /// The flags that the system stores.
    public var flags: Int?
    /// The descriptor: an `NSFontDescriptor` or `UIFontDescriptor`, or nil.
    public var descriptor: AnyArchived?
    /// The value of `NSHasWidth`.
    public var hasWidth: Bool?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a font.
    ///
    /// - Parameters:
    ///   - name: the PostScript name.
    ///   - size: the size in points.
    ///   - flags: the flags that the system stores; most archives have 16.
    public init(name: String?, size: Double, flags: Int? = 16) {
        self.name = name
        self.size = PropertyListReal(size)
        self.flags = flags
    }
}

extension ArchivedFont: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSFont" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedFontDescriptor.register(in: &registry)
        ArchivedUIFontDescriptor.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["NSName", "NSSize", "NSfFlags", "NSDescriptor", "NSHasWidth"]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "NSName")
        coder.encode(size, forKey: "NSSize")
        coder.encodeIfPresent(flags, forKey: "NSfFlags")
        coder.encodeIfPresent(descriptor, forKey: "NSDescriptor")
        coder.encodeIfPresent(hasWidth, forKey: "NSHasWidth")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "NSName")
        size = try coder.decodeReal(forKey: "NSSize")
        flags = try coder.decode(forKey: "NSfFlags")
        descriptor = try coder.decode(forKey: "NSDescriptor")
        hasWidth = try coder.decode(forKey: "NSHasWidth")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// A `UIFont`: its name and size. No font is looked up.
public struct ArchivedUIFont {
    /// The PostScript name.
    public var name: String?
    /// The PostScript name in the field `NSName`, which `NSFont` uses.
    public var nsName: String?
    /// The size in points.
    public var pointSize: PropertyListReal?
    /// The size in points in the field `NSSize`, which `NSFont` uses.
    public var nsSize: PropertyListReal?
    /// The symbolic traits.
    public var traits: Int?
    /// A Boolean value indicating whether the font is the system font.
    public var isSystemFont: Bool?
    /// The descriptor: a `UIFontDescriptor`, or nil.
    public var descriptor: AnyArchived?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a font.
    ///
    /// - Parameters:
    ///   - name: the PostScript name.
    ///   - pointSize: the size in points.
    public init(name: String?, pointSize: Double) {
        self.name = name
        self.pointSize = PropertyListReal(pointSize)
    }
}

extension ArchivedUIFont: KeyedCodable {
    public static var archivedClass: ArchivedClass { "UIFont" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedUIFontDescriptor.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "UIFontName", "NSName", "UIFontPointSize", "NSSize", "UIFontTraits", "UISystemFont",
        "UIFontDescriptor",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(name, forKey: "UIFontName")
        coder.encodeIfPresent(nsName, forKey: "NSName")
        coder.encodeIfPresent(pointSize, forKey: "UIFontPointSize")
        coder.encodeIfPresent(nsSize, forKey: "NSSize")
        coder.encodeIfPresent(traits, forKey: "UIFontTraits")
        coder.encodeIfPresent(isSystemFont, forKey: "UISystemFont")
        coder.encodeIfPresent(descriptor, forKey: "UIFontDescriptor")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "UIFontName")
        nsName = try coder.decode(forKey: "NSName")
        pointSize = try coder.decodeRealIfPresent(forKey: "UIFontPointSize")
        nsSize = try coder.decodeRealIfPresent(forKey: "NSSize")
        traits = try coder.decode(forKey: "UIFontTraits")
        isSystemFont = try coder.decode(forKey: "UISystemFont")
        descriptor = try coder.decode(forKey: "UIFontDescriptor")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// MARK: - Descriptors

/// An `NSFontDescriptor`.
public struct ArchivedFontDescriptor {
    /// The attributes: an `NSDictionary`, or nil.
    public var attributes: AnyArchived?
    /// The flags that the system stores.
    public var options: Int?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a descriptor with attributes.
    public init(attributes: ArchivedPairs<AnyArchived, AnyArchived>) {
        self.attributes = AnyArchived(attributes)
    }
}

extension ArchivedFontDescriptor: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSFontDescriptor" }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["NSFontDescriptorAttributes", "NSFontDescriptorOptions"]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(attributes, forKey: "NSFontDescriptorAttributes")
        coder.encodeIfPresent(options, forKey: "NSFontDescriptorOptions")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        attributes = try coder.decodeAnyArchived(
            of: ArchivedPairs<AnyArchived, AnyArchived>.self, forKey: "NSFontDescriptorAttributes")
        options = try coder.decode(forKey: "NSFontDescriptorOptions")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

/// A `UIFontDescriptor`.
public struct ArchivedUIFontDescriptor {
    /// The attributes: an `NSDictionary`, or nil.
    public var attributes: AnyArchived?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a descriptor with attributes.
    public init(attributes: ArchivedPairs<AnyArchived, AnyArchived>) {
        self.attributes = AnyArchived(attributes)
    }
}

extension ArchivedUIFontDescriptor: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedFontDescriptor.archivedClass.subclass("UIFontDescriptor")
    }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<ArchivedPairs<AnyArchived, AnyArchived>>.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["UIFontDescriptorAttributes"]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(attributes, forKey: "UIFontDescriptorAttributes")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        attributes = try coder.decodeAnyArchived(
            of: ArchivedPairs<AnyArchived, AnyArchived>.self, forKey: "UIFontDescriptorAttributes")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSColor` | `NSColorSpace`: integer, and depending on it: |
// | – 1 calibrated, 2 device RGB | `NSRGB`: data, stored inline, “r g b” or “r g b a” as text with a NUL |
// | – 3 calibrated, 4 device white | `NSWhite`: the same, “w” or “w a” |
// | – 5 device CMYK | `NSCMYK`: the same (known from other implementations) |
// | – 6 catalog | `NSCatalogName`, `NSColorName`: strings; `NSColor`: the fallback color |
// | – 10 pattern | `NSImage` |
// | – in a custom color space | also `NSComponents`: data, stored inline, all components as text without a NUL; `NSCustomColorSpace` |
// | `NSColorSpace` | any of `NSID`, `NSSpaceID`, `NSModel`: integers; `NSICC`: data or mutable data |
// | `UIColor` | `UIColorComponentCount`: integer; `UIRed`, `UIGreen`, `UIBlue`, `UIWhite`, `UIAlpha`: reals; `NSColorSpace`, `NSRGB`, `NSWhite`, `UISystemColorName` (known from other implementations) |
//
// Source: archives that Apple's software wrote. Other fields are kept in
// `extraFields`.

// MARK: - NSColor

/// An `NSColor`: the components and names in the archive, without conversion.
public struct ArchivedColor {
    /// The kind of color: the value of the field `NSColorSpace`.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Device-independent red, green and blue.
        public static let calibratedRGB = Kind(rawValue: 1)
        /// Red, green and blue of a device.
        public static let deviceRGB = Kind(rawValue: 2)
        /// Device-independent grayscale.
        public static let calibratedWhite = Kind(rawValue: 3)
        /// Grayscale of a device.
        public static let deviceWhite = Kind(rawValue: 4)
        /// Cyan, magenta, yellow and black of a device.
        public static let deviceCMYK = Kind(rawValue: 5)
        /// A named color of a catalog.
        public static let catalog = Kind(rawValue: 6)
        /// An image.
        public static let pattern = Kind(rawValue: 10)
    }

    /// The kind of color.
    public var kind: Kind
    /// Red, green, blue and optionally alpha, as text: `NSRGB`.
    public var rgbText: Data?
    /// White and optionally alpha, as text: `NSWhite`.
    public var whiteText: Data?
    /// Cyan, magenta, yellow, black and optionally alpha, as text: `NSCMYK`.
    public var cmykText: Data?
    /// The components in ``customColorSpace`` and alpha, as text: `NSComponents`.
    public var customComponents: Data?
    /// The space of ``customComponents``: an `NSColorSpace`.
    public var customColorSpace: AnyArchived?
    /// The catalog of a named color.
    public var catalogName: String?
    /// The name of a named color.
    public var colorName: String?
    /// The color to use if the name is unknown: an `NSColor`.
    public var fallback: AnyArchived?
    /// The image of a pattern.
    public var image: AnyArchived?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a color of a kind, without components.
    public init(_ kind: Kind) { self.kind = kind }

    /// Creates a device-independent color from red, green and blue, each 0 … 1.
    public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
        kind = .calibratedRGB
        rgbText = ColorText.data([red, green, blue], alpha: alpha)
    }

    /// Creates a device-independent gray from a white level of 0 … 1.
    public init(white: Double, alpha: Double = 1) {
        kind = .calibratedWhite
        whiteText = ColorText.data([white], alpha: alpha)
    }

    /// The components and alpha, parsed from the text that belongs to ``kind``. Alpha is 1 if the
    /// text has none.
    ///
    /// The value is nil for kinds without components. It is also nil if the text is missing, is
    /// longer than 256 bytes, or is not a list of finite numbers of the expected length.
    public var components: [Double]? {
        switch kind {
        case .calibratedRGB, .deviceRGB: rgbText.flatMap { ColorText.components($0, count: 3) }
        case .calibratedWhite, .deviceWhite:
            whiteText.flatMap { ColorText.components($0, count: 1) }
        case .deviceCMYK: cmykText.flatMap { ColorText.components($0, count: 4) }
        default: nil
        }
    }
}

/// The conversion between components and their text.
enum ColorText {
    // The maximum length of text to parse, in bytes. A color has at most five numbers.
    private static let limit = 256

    /// Returns the components as text: numbers separated by spaces, and a final NUL. Omits alpha if
    /// alpha is 1.
    static func data(_ components: [Double], alpha: Double) -> Data {
        let numbers = alpha == 1 ? components : components + [alpha]
        return Data(numbers.map(text).joined(separator: " ").utf8 + [0])
    }

    private static func text(_ number: Double) -> String {
        Int(exactly: number).map { "\($0)" } ?? "\(number)"
    }

    /// Parses `count` numbers and alpha, which is 1 if the text has none. Returns nil for other
    /// text.
    static func components(_ data: Data, count: Int) -> [Double]? {
        guard data.count <= limit else { return nil }
        let bytes = data.last == 0 ? data.dropLast() : data
        // Numbers are ASCII.
        guard bytes.allSatisfy({ (1..<0x80).contains($0) }) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.split(separator: " ")
        let numbers = words.compactMap { Double($0) }
        guard numbers.count == words.count, numbers.allSatisfy(\.isFinite) else { return nil }
        if numbers.count == count { return numbers + [1] }
        return numbers.count == count &+ 1 ? numbers : nil
    }
}

extension ArchivedColor: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSColor" }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedColorSpace.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "NSColorSpace", "NSRGB", "NSWhite", "NSCMYK", "NSComponents", "NSCustomColorSpace",
        "NSCatalogName", "NSColorName", "NSColor", "NSImage",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encode(kind.rawValue, forKey: "NSColorSpace")
        coder.encodeIfPresent(catalogName, forKey: "NSCatalogName")
        coder.encodeIfPresent(colorName, forKey: "NSColorName")
        coder.encodeIfPresent(fallback, forKey: "NSColor")
        coder.encodeBytesIfPresent(rgbText, forKey: "NSRGB")
        coder.encodeBytesIfPresent(whiteText, forKey: "NSWhite")
        coder.encodeBytesIfPresent(cmykText, forKey: "NSCMYK")
        coder.encodeBytesIfPresent(customComponents, forKey: "NSComponents")
        coder.encodeIfPresent(customColorSpace, forKey: "NSCustomColorSpace")
        coder.encodeIfPresent(image, forKey: "NSImage")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        kind = Kind(rawValue: try coder.decodeInteger(forKey: "NSColorSpace"))
        catalogName = try coder.decode(forKey: "NSCatalogName")
        colorName = try coder.decode(forKey: "NSColorName")
        fallback = try coder.decodeAnyArchived(of: ArchivedColor.self, forKey: "NSColor")
        rgbText = try coder.decodeBytesIfPresent(forKey: "NSRGB")
        whiteText = try coder.decodeBytesIfPresent(forKey: "NSWhite")
        cmykText = try coder.decodeBytesIfPresent(forKey: "NSCMYK")
        customComponents = try coder.decodeBytesIfPresent(forKey: "NSComponents")
        customColorSpace = try coder.decodeAnyArchived(
            of: ArchivedColorSpace.self, forKey: "NSCustomColorSpace")
        image = try coder.decode(forKey: "NSImage")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// MARK: - NSColorSpace

/// An `NSColorSpace`.
public struct ArchivedColorSpace {
    /// Apple's identifier of the space, such as 7 for sRGB.
    public var id: Int?
    /// Another identifier of the space, found in archives of SceneKit and of newer systems.
    public var spaceID: Int?
    /// The color model: a raw value of `NSColorSpace.Model`.
    public var model: Int?
    /// The ICC profile: data.
    public var profile: AnyArchived?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a color space. `id` is Apple's identifier of the space; nil if the space has none.
    public init(id: Int?) { self.id = id }

    /// The bytes of the ICC profile.
    public var profileData: Data? { profile?.value(as: Data.self) }
}

extension ArchivedColorSpace: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSColorSpace" }

    public static func register(in registry: inout ClassRegistry) {
        Mutable<Data>.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = ["NSID", "NSSpaceID", "NSModel", "NSICC"]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(id, forKey: "NSID")
        coder.encodeIfPresent(spaceID, forKey: "NSSpaceID")
        coder.encodeIfPresent(model, forKey: "NSModel")
        coder.encodeIfPresent(profile, forKey: "NSICC")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        id = try coder.decode(forKey: "NSID")
        spaceID = try coder.decode(forKey: "NSSpaceID")
        model = try coder.decode(forKey: "NSModel")
        profile = try coder.decodeAnyArchived(of: Data.self, forKey: "NSICC")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// MARK: - UIColor

/// A `UIColor`: the components and names in the archive, without conversion.
public struct ArchivedUIColor {
    /// The number of components, including alpha.
    public var componentCount: Int?
    /// Red, usually 0 … 1.
    public var red: PropertyListReal?
    /// Green, usually 0 … 1.
    public var green: PropertyListReal?
    /// Blue, usually 0 … 1.
    public var blue: PropertyListReal?
    /// White, usually 0 … 1.
    public var white: PropertyListReal?
    /// Alpha, 0 … 1.
    public var alpha: PropertyListReal?
    /// The kind of color, as for `NSColor`.
    public var kind: ArchivedColor.Kind?
    /// Red, green, blue and optionally alpha, as text.
    public var rgbText: Data?
    /// White and optionally alpha, as text.
    public var whiteText: Data?
    /// The name of a system color.
    public var systemColorName: String?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a color without any field.
    public init() {}
}

extension ArchivedUIColor: KeyedCodable {
    public static var archivedClass: ArchivedClass { "UIColor" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(Self.self)
    }

    private static let keys: Set = [
        "UIColorComponentCount", "UIRed", "UIGreen", "UIBlue", "UIWhite", "UIAlpha",
        "NSColorSpace", "NSRGB", "NSWhite", "UISystemColorName",
    ]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeIfPresent(componentCount, forKey: "UIColorComponentCount")
        coder.encodeIfPresent(red, forKey: "UIRed")
        coder.encodeIfPresent(green, forKey: "UIGreen")
        coder.encodeIfPresent(blue, forKey: "UIBlue")
        coder.encodeIfPresent(white, forKey: "UIWhite")
        coder.encodeIfPresent(alpha, forKey: "UIAlpha")
        coder.encodeIfPresent(kind?.rawValue, forKey: "NSColorSpace")
        coder.encodeBytesIfPresent(rgbText, forKey: "NSRGB")
        coder.encodeBytesIfPresent(whiteText, forKey: "NSWhite")
        coder.encodeIfPresent(systemColorName, forKey: "UISystemColorName")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        componentCount = try coder.decode(forKey: "UIColorComponentCount")
        red = try coder.decodeRealIfPresent(forKey: "UIRed")
        green = try coder.decodeRealIfPresent(forKey: "UIGreen")
        blue = try coder.decodeRealIfPresent(forKey: "UIBlue")
        white = try coder.decodeRealIfPresent(forKey: "UIWhite")
        alpha = try coder.decodeRealIfPresent(forKey: "UIAlpha")
        kind = try coder.decode(Int?.self, forKey: "NSColorSpace").map(
            ArchivedColor.Kind.init)
        rgbText = try coder.decodeBytesIfPresent(forKey: "NSRGB")
        whiteText = try coder.decodeBytesIfPresent(forKey: "NSWhite")
        systemColorName = try coder.decode(forKey: "UISystemColorName")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSCharacterSet`, `NSMutableCharacterSet` | one of the forms below; for all but a newer predefined set, `NSIsInverted`: true if the set is inverted, otherwise absent |
//
// | form | fields |
// |---|---|
// | a predefined set | `NSBuiltinID`: integer |
// | a newer predefined set | `NSBuiltinID2`: integer, `NSIsInverted2`: true if the set is inverted, otherwise absent; and the bitmap |
// | a range | `NSRange`: integer, the first code point × 2³² + the number of code points |
// | members | `NSString`: string, stored inline; `NSStringObject`: a string |
// | a bitmap | `NSBitmap`: data, stored inline; `NSBitmapObject`: data |
//
// Source: the output of swift-corelibs-foundation; no archive of Apple's was available.

/// An `NSCharacterSet`, in its archived form.
public struct ArchivedCharacterSet: Sendable, Hashable {
    /// The representation of the set.
    public enum Form: Sendable, Hashable {
        /// One of the sets of `CFCharacterSetPredefinedSet`, by its raw value.
        case predefined(Int)
        /// A predefined set that older systems do not know, and its bitmap for them.
        case predefinedWithBitmap(Int, Data)
        /// A range of code points.
        case range(first: UInt32, count: UInt32)
        /// The members.
        case members(String)
        /// A bitmap with one bit for each code point, the lowest bit of a byte first. It begins
        /// with the 8,192 bytes of plane 0. For each further plane with members, the number of the
        /// plane follows in one byte, then its 8,192 bytes.
        case bitmap(Data)
    }

    /// The representation of the set.
    public var form: Form
    /// A Boolean value indicating whether the members are the code points outside ``form``. The
    /// bitmap of a `predefinedWithBitmap` form already includes the inversion.
    public var isInverted: Bool
    /// A Boolean value indicating whether the members or the bitmap are a separate object. Coders
    /// other than `NSKeyedArchiver` store them that way.
    public var isStoredAsObject: Bool

    /// Creates a set in a form.
    public init(_ form: Form, isInverted: Bool = false, isStoredAsObject: Bool = false) {
        self.form = form
        self.isInverted = isInverted
        self.isStoredAsObject = isStoredAsObject
    }
}

extension ClassRegistry {
    static let characterSetClasses = ClassRegistry(
        ArchivedCharacterSet.self, Mutable<ArchivedCharacterSet>.self)
}

extension ArchivedCharacterSet: KeyedCodable, MutableArchivable {
    public static var archivedClass: ArchivedClass { "NSCharacterSet" }
    public static var archivedAliases: [String] { ["NSMutableCharacterSet"] }
    public static var mutableClass: ArchivedClass {
        archivedClass.subclass("NSMutableCharacterSet")
    }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        Data.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        switch form {
        case .predefined(let number): coder.encode(number, forKey: "NSBuiltinID")
        case .range(let first, let count):
            let packed = UInt64(first) << 32 | UInt64(count)
            coder.encode(Int64(bitPattern: packed), forKey: "NSRange")
        case .members(let text):
            if isStoredAsObject {
                coder.encode(text, forKey: "NSStringObject")
            } else {
                coder.encodeInline(.string(text), forKey: "NSString")
            }
        case .bitmap(let bitmap): encode(bitmap, with: coder)
        case .predefinedWithBitmap(let number, let bitmap):
            coder.encode(number, forKey: "NSBuiltinID2")
            if isInverted { coder.encode(true, forKey: "NSIsInverted2") }
            return encode(bitmap, with: coder)
        }
        if isInverted { coder.encode(true, forKey: "NSIsInverted") }
    }

    private func encode(_ bitmap: Data, with coder: KeyedEncoder) {
        if isStoredAsObject {
            coder.encode(bitmap, forKey: "NSBitmapObject")
        } else {
            coder.encodeBytes(bitmap, forKey: "NSBitmap")
        }
    }

    public init(coder: KeyedDecoder) throws {
        isInverted = try coder.decode(forKey: "NSIsInverted", default: false)
        isStoredAsObject = false
        if coder.containsValue(forKey: "NSBuiltinID2") {
            let number = try coder.decodeInteger(forKey: "NSBuiltinID2")
            isInverted = try coder.decode(forKey: "NSIsInverted2", default: false)
            isStoredAsObject = !coder.containsValue(forKey: "NSBitmap")
            form = .predefinedWithBitmap(number, try Self.bitmap(coder))
        } else if coder.containsValue(forKey: "NSBuiltinID") {
            form = .predefined(try coder.decodeInteger(forKey: "NSBuiltinID"))
        } else if coder.containsValue(forKey: "NSRange") {
            let packed = UInt64(bitPattern: try coder.decodeInt64(forKey: "NSRange"))
            form = .range(
                first: UInt32(truncatingIfNeeded: packed >> 32),
                count: UInt32(truncatingIfNeeded: packed))
        } else if coder.containsValue(forKey: "NSString") {
            form = .members(try coder.decode(forKey: "NSString"))
        } else if coder.containsValue(forKey: "NSStringObject") {
            isStoredAsObject = true
            form = .members(try coder.decode(forKey: "NSStringObject"))
        } else {
            isStoredAsObject = !coder.containsValue(forKey: "NSBitmap")
            form = .bitmap(try Self.bitmap(coder))
        }
    }

    private static func bitmap(_ coder: KeyedDecoder) throws -> Data {
        let key = coder.containsValue(forKey: "NSBitmapObject") ? "NSBitmapObject" : "NSBitmap"
        return try coder.containsValue(forKey: "NSBitmap")
            ? coder.reader.data(of: coder.dataNode("NSBitmap"))
            : coder.decode(Data.self, forKey: key)
    }
}

// MARK: - Members

extension ArchivedCharacterSet {
    /// Returns whether a scalar is in the set; nil if that is unknown. The members are unknown for
    /// the predefined set of decomposable characters, 9, and for raw values that name no predefined
    /// set.
    ///
    /// General categories are those of the Unicode version of the Swift library, which differs
    /// between systems.
    ///
    /// - Complexity: Linear in the length of the members or in the size of the bitmap; constant for
    ///   other forms.
    public func contains(_ scalar: Unicode.Scalar) -> Bool? {
        let isMember: Bool
        switch form {
        case .predefined(let number):
            guard let known = Self.predefined(number, contains: scalar) else { return nil }
            isMember = known
        case .range(let first, let count):
            let value = UInt64(scalar.value)
            isMember = value >= first && value < UInt64(first) &+ UInt64(count)
        case .members(let text): isMember = text.unicodeScalars.contains(scalar)
        case .predefinedWithBitmap(_, let bitmap): return Self.bitmap(bitmap, contains: scalar)
        case .bitmap(let bitmap): isMember = Self.bitmap(bitmap, contains: scalar)
        }
        return isMember != isInverted
    }

    private static let planeSize = 8192

    private static func bitmap(_ bitmap: Data, contains scalar: Unicode.Scalar) -> Bool {
        let plane = UInt8(truncatingIfNeeded: scalar.value >> 16)
        let unit = Int(scalar.value & 0xFFFF)
        var start = 0
        if plane > 0 {
            start = planeSize
            while start < bitmap.count, byte(start, bitmap) != plane { start &+= planeSize &+ 1 }
            start &+= 1
        }
        guard let byte = byte(start &+ unit >> 3, bitmap) else { return false }
        return byte & (1 << UInt8(unit & 7)) != 0
    }

    private static func byte(_ place: Int, _ data: Data) -> UInt8? {
        place < data.count ? data[data.startIndex &+ place] : nil
    }

    private static func predefined(_ number: Int, contains scalar: Unicode.Scalar) -> Bool? {
        let category = scalar.properties.generalCategory
        let isNewline = (0x0A...0x0D).contains(scalar.value) || scalar.value == 0x85
        return switch number {
        case 1: [.control, .format].contains(category)
        case 2: category == .spaceSeparator || scalar == "\t"
        case 3: isNewline || scalar == "\t" || separators.contains(category)
        case 4: category == .decimalNumber
        case 5: letters.contains(category) || marks.contains(category)
        case 6: category == .lowercaseLetter
        case 7: [.uppercaseLetter, .titlecaseLetter].contains(category)
        case 8: marks.contains(category)
        case 10:
            letters.contains(category) || marks.contains(category) || numbers.contains(category)
        case 11: punctuation.contains(category)
        case 12: category == .unassigned
        case 13: category == .titlecaseLetter
        case 14: symbols.contains(category)
        case 15: isNewline || [.lineSeparator, .paragraphSeparator].contains(category)
        default: nil
        }
    }

    private typealias Categories = Set<Unicode.GeneralCategory>
    private static let letters: Categories = [
        .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
    ]
    private static let marks: Categories = [.nonspacingMark, .spacingMark, .enclosingMark]
    private static let numbers: Categories = [.decimalNumber, .letterNumber, .otherNumber]
    private static let separators: Categories = [
        .spaceSeparator, .lineSeparator, .paragraphSeparator,
    ]
    private static let punctuation: Categories = [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
        .initialPunctuation, .finalPunctuation, .otherPunctuation,
    ]
    private static let symbols: Categories = [
        .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol,
    ]
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
public import PropertyList

// The values of `NSValue`, by `NS.special`:
//
// | `NS.special` | value | fields |
// |---|---|---|
// | 1 | point | `NS.pointval`: text `{x, y}` |
// | 2 | size | `NS.sizeval`: text `{width, height}` |
// | 3 | rectangle | `NS.rectval`: text `{{x, y}, {width, height}}` |
// | 4 | range | `NS.rangeval.length`, `NS.rangeval.location`: references to numbers, in this order |
// | 12 | edge insets | `NS.edgeval.top`, `.left`, `.bottom`, `.right`: reals, stored inline |
// | absent | any other C type | `$0`: its Objective-C type encoding, as text; `$1`: a number, or an array of numbers |
//
// Source: archives that Apple's software wrote. For affine transforms, the keys `NS.atval.a` …
// `NS.atval.ty` are known, but the value of `NS.special` is not. Such values are read, kept and
// written back, but cannot be created.

/// An `NSRange`: a range of positions, usually of UTF-16 code units in a text. As a field it is an
/// `NSValue`.
public struct ArchivedRange: Sendable, Hashable {
    /// The first position.
    public var location: Int
    /// The number of positions.
    public var length: Int

    /// The location that means “not found”: `NSNotFound`. Archives contain its value on 64-bit
    /// systems, 2⁶³−1.
    public static let notFound = Int.max

    /// Creates a range.
    public init(location: Int, length: Int) {
        self.location = location
        self.length = length
    }

    /// Creates a range from a `Range` with non-negative bounds.
    public init(_ range: Range<Int>) {
        self.init(location: range.lowerBound, length: range.count)
    }

    /// The range as a `Range`; nil if the location or the length is negative, the end overflows, or
    /// the location is ``notFound``.
    public var range: Range<Int>? {
        let (end, overflows) = location.addingReportingOverflow(length)
        guard location >= 0, location != Self.notFound, length >= 0, !overflows else { return nil }
        return location..<end
    }
}

/// An `NSValue`: a C structure as an object.
public enum ArchivedValue: Sendable {
    /// A `CGPoint`.
    case point(ArchivedPoint)
    /// A `CGSize`.
    case size(ArchivedSize)
    /// A `CGRect`.
    case rect(ArchivedRect)
    /// An `NSRange`.
    case range(ArchivedRange)
    /// An `NSEdgeInsets`.
    case edgeInsets(ArchivedEdgeInsets)
    /// Any other value, kept undecoded.
    case other(OpaqueObject)
}

extension ArchivedValue: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSValue" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        ArchivedNumber.register(in: &registry)
        registry.add(Self.self)
    }

    public func archive(in writer: ArchiveWriter) throws -> PropertyListUID {
        if case .other(let object) = self { return try object.archive(in: writer) }
        return try writer.writeObject(self)
    }

    /// Writes the structure.
    ///
    /// - Throws: `valueOutOfRange` for a range with a negative location or length.
    public func encode(with coder: KeyedEncoder) throws {
        switch self {
        case .point(let point): coder.encode(point, special: 1, forKey: "NS.pointval")
        case .size(let size): coder.encode(size, special: 2, forKey: "NS.sizeval")
        case .rect(let rect): coder.encode(rect, special: 3, forKey: "NS.rectval")
        case .range(let range):
            try range.requireNotNegative()
            coder.encode(4, forKey: Self.specialKey)
            let length = ArchivedNumber.integer(PropertyListInteger(range.length))
            coder.encode(length, forKey: "NS.rangeval.length")
            let location = ArchivedNumber.integer(range.archivedLocation)
            coder.encode(location, forKey: "NS.rangeval.location")
        case .edgeInsets(let insets):
            coder.encode(12, forKey: Self.specialKey)
            coder.encode(insets.top, forKey: "NS.edgeval.top")
            coder.encode(insets.left, forKey: "NS.edgeval.left")
            coder.encode(insets.bottom, forKey: "NS.edgeval.bottom")
            coder.encode(insets.right, forKey: "NS.edgeval.right")
        case .other(let object): try object.encode(with: coder)
        }
    }

    public init(coder: KeyedDecoder) throws {
        switch try coder.decodeObject(of: Int.self, forKey: Self.specialKey) {
        case 1: self = .point(try coder.decode(forKey: "NS.pointval"))
        case 2: self = .size(try coder.decode(forKey: "NS.sizeval"))
        case 3: self = .rect(try coder.decode(forKey: "NS.rectval"))
        case 4: self = .range(try ArchivedRange(valueIn: coder))
        case 12: self = .edgeInsets(try ArchivedEdgeInsets(valueIn: coder))
        default:
            let reference = try coder.objectReference()
            self = .other(try OpaqueObject.unarchive(reference))
        }
    }

    fileprivate static let specialKey = "NS.special"

    /// The affine transform; nil for other values.
    public var affineTransform: ArchivedAffineTransform? {
        guard case .other(let object) = self else { return nil }
        let n = ["a", "b", "c", "d", "tx", "ty"].compactMap {
            object["NS.atval.\($0)"]?.real?.value
        }
        if n.count != 6 { return nil }
        return ArchivedAffineTransform(a: n[0], b: n[1], c: n[2], d: n[3], tx: n[4], ty: n[5])
    }

    /// The Objective-C type encoding of a value that is not a known structure, such as `[3i]`; nil
    /// for other values.
    public var objCType: String? {
        guard case .other(let object) = self else { return nil }
        guard let uid = object.node[ArchiveFormat.unkeyedField(0)]?.uid else { return nil }
        let type = OpaqueObject(archive: object.archive, number: uid.value)
        return type.node.string
    }
}

extension KeyedEncoder {
    fileprivate func encode(
        _ value: some ArchivedStringConvertible, special: Int, forKey key: String
    ) {
        encode(special, forKey: ArchivedValue.specialKey)
        encode(value, forKey: key)
    }
}

extension ArchivedRange {
    fileprivate init(valueIn coder: KeyedDecoder) throws {
        try self.init(
            coder, locationKey: "NS.rangeval.location", lengthKey: "NS.rangeval.length")
    }

    /// The location as 64-bit systems archive it.
    var archivedLocation: PropertyListInteger {
        location == Self.notFound
            ? PropertyListInteger(Int64.max) : PropertyListInteger(location)
    }

    /// Reads a range. Its end may overflow, as with ``notFound``.
    init(_ coder: KeyedDecoder, locationKey: String, lengthKey: String) throws {
        location =
            try coder.decodeInt64(forKey: locationKey) == .max
            ? Self.notFound : coder.decodeInteger(forKey: locationKey)
        length = try coder.decodeInteger(forKey: lengthKey)
        try requireNotNegative(in: coder.uid)
    }

    /// Checks that neither the location nor the length is negative.
    func requireNotNegative(in object: PropertyListUID? = nil) throws(KeyedArchiveError) {
        if location >= 0 && length >= 0 { return }
        throw KeyedArchiveError(
            .valueOutOfRange,
            what: "expected a location and a length that are not negative, found "
                + "\(location) and \(length)",
            object: object)
    }
}

/// As a field, a range is an `NSValue`, like `NSValue(range:)`.
extension ArchivedRange: KeyedCodable {
    public static var archivedClass: ArchivedClass { ArchivedValue.archivedClass }

    public static func register(in registry: inout ClassRegistry) {
        ArchivedValue.register(in: &registry)
    }

    /// Writes an `NSValue` with the range.
    ///
    /// - Throws: `valueOutOfRange` for a negative location or length.
    public func encode(with coder: KeyedEncoder) throws {
        try ArchivedValue.range(self).encode(with: coder)
    }

    /// Reads an `NSValue` with a range.
    ///
    /// - Throws: `wrongType` for an `NSValue` with another structure.
    public init(coder: KeyedDecoder) throws {
        guard case .range(let range) = try ArchivedValue(coder: coder) else {
            throw KeyedArchiveError(
                .wrongType, what: "expected an NSValue with a range, found one with another value",
                object: coder.uid, recovery: "`ArchivedValue.self` reads it")
        }
        self = range
    }
}

extension ArchivedEdgeInsets {
    fileprivate init(valueIn coder: KeyedDecoder) throws {
        top = try coder.decodeDouble(forKey: "NS.edgeval.top")
        left = try coder.decodeDouble(forKey: "NS.edgeval.left")
        bottom = try coder.decodeDouble(forKey: "NS.edgeval.bottom")
        right = try coder.decodeDouble(forKey: "NS.edgeval.right")
    }
}

extension ClassRegistry {
    static let geometryClasses = ClassRegistry(
        ArchivedValue.self, ArchivedNSAffineTransform.self
    ).allowing("_NSKeyedCoderOldStyleArray")
}

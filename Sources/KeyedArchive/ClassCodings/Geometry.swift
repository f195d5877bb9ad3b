// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// Geometric structures are archived as references to strings:
//
// | structure | text |
// |---|---|
// | `CGPoint`, `CGSize`, `CGVector`, `UIOffset` | `{x, y}` |
// | `CGRect` | `{{x, y}, {width, height}}` |
// | `UIEdgeInsets` | `{top, left, bottom, right}` |
// | `CGAffineTransform` | `[a, b, c, d, tx, ty]` |
//
// Source: for points, sizes and rectangles, archives that Apple's software wrote; for the others,
// the documentation of UIKit's `NSStringFrom…` functions. Old systems wrote numbers with six digits
// (`1e+07`). Those are read, but numbers are written with up to 17 digits (`10000000`).
//
// | class | fields |
// |---|---|
// | `NSAffineTransform` | `NSTransformStruct`: m11, m12, m21, m22, tX, tY as six big-endian 32-bit floating-point numbers |
//
// Source: an archived rotation by 15.5°.

// MARK: - Structures stored as text

/// A `CGPoint` or `NSPoint`: a position, in points.
public struct ArchivedPoint: ArchivedStringConvertible, Sendable, Hashable {
    /// The horizontal distance from the origin, to the right.
    public var x: Double
    /// The vertical distance from the origin: up on macOS, down on iOS.
    public var y: Double

    /// Creates a point.
    public init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    public init?(archivedString text: String) {
        guard let numbers = GeometryText.numbers(in: text, of: "{n, n}"), numbers.count == 2 else {
            return nil
        }
        self.init(x: numbers[0], y: numbers[1])
    }

    public var archivedString: String { GeometryText.text([x, y], of: "{n, n}") }
}

/// A `CGSize` or `NSSize`, in points.
public struct ArchivedSize: ArchivedStringConvertible, Sendable, Hashable {
    /// The width.
    public var width: Double
    /// The height.
    public var height: Double

    /// Creates a size.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }

    public init?(archivedString text: String) {
        guard let numbers = GeometryText.numbers(in: text, of: "{n, n}"), numbers.count == 2 else {
            return nil
        }
        self.init(width: numbers[0], height: numbers[1])
    }

    public var archivedString: String { GeometryText.text([width, height], of: "{n, n}") }
}

/// A `CGRect` or `NSRect`, in points.
public struct ArchivedRect: ArchivedStringConvertible, Sendable, Hashable {
    /// The corner with the smallest `x` and `y`.
    public var origin: ArchivedPoint
    /// The size.
    public var size: ArchivedSize

    /// Creates a rectangle.
    public init(origin: ArchivedPoint, size: ArchivedSize) {
        self.origin = origin
        self.size = size
    }

    /// Creates a rectangle.
    public init(x: Double, y: Double, width: Double, height: Double) {
        self.init(
            origin: ArchivedPoint(x: x, y: y), size: ArchivedSize(width: width, height: height))
    }

    public init?(archivedString text: String) {
        guard let numbers = GeometryText.numbers(in: text, of: Self.shape), numbers.count == 4
        else { return nil }
        self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
    }

    public var archivedString: String {
        GeometryText.text([origin.x, origin.y, size.width, size.height], of: Self.shape)
    }

    private static let shape = "{{n, n}, {n, n}}"
}

/// A `CGVector` or a `UIOffset`, in points.
public struct ArchivedVector: ArchivedStringConvertible, Sendable, Hashable {
    /// The horizontal component.
    public var dx: Double
    /// The vertical component.
    public var dy: Double

    /// Creates a vector.
    public init(dx: Double, dy: Double) {
        self.dx = dx
        self.dy = dy
    }

    public init?(archivedString text: String) {
        guard let numbers = GeometryText.numbers(in: text, of: "{n, n}"), numbers.count == 2 else {
            return nil
        }
        self.init(dx: numbers[0], dy: numbers[1])
    }

    public var archivedString: String { GeometryText.text([dx, dy], of: "{n, n}") }
}

/// A `UIEdgeInsets` or `NSEdgeInsets`: distances from the edges of a rectangle, in points.
public struct ArchivedEdgeInsets: ArchivedStringConvertible, Sendable, Hashable {
    /// The distance from the upper edge.
    public var top: Double
    /// The distance from the left edge.
    public var left: Double
    /// The distance from the lower edge.
    public var bottom: Double
    /// The distance from the right edge.
    public var right: Double

    /// Creates insets.
    public init(top: Double, left: Double, bottom: Double, right: Double) {
        self.top = top
        self.left = left
        self.bottom = bottom
        self.right = right
    }

    public init?(archivedString text: String) {
        guard let numbers = GeometryText.numbers(in: text, of: Self.shape), numbers.count == 4
        else { return nil }
        self.init(top: numbers[0], left: numbers[1], bottom: numbers[2], right: numbers[3])
    }

    public var archivedString: String {
        GeometryText.text([top, left, bottom, right], of: Self.shape)
    }

    private static let shape = "{n, n, n, n}"
}

/// A `CGAffineTransform`: x′ = a·x + c·y + tx, y′ = b·x + d·y + ty.
public struct ArchivedAffineTransform: ArchivedStringConvertible, Sendable, Hashable {
    /// The coefficient of x in x′.
    public var a: Double
    /// The coefficient of x in y′.
    public var b: Double
    /// The coefficient of y in x′.
    public var c: Double
    /// The coefficient of y in y′.
    public var d: Double
    /// The translation of x, in points.
    public var tx: Double
    /// The translation of y, in points.
    public var ty: Double

    /// Creates a transform.
    public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
        self.a = a
        self.b = b
        self.c = c
        self.d = d
        self.tx = tx
        self.ty = ty
    }

    /// The identity transform.
    public static let identity = ArchivedAffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

    public init?(archivedString text: String) {
        guard let n = GeometryText.numbers(in: text, of: Self.shape), n.count == 6 else {
            return nil
        }
        self.init(a: n[0], b: n[1], c: n[2], d: n[3], tx: n[4], ty: n[5])
    }

    public var archivedString: String {
        GeometryText.text([a, b, c, d, tx, ty], of: Self.shape)
    }

    private static let shape = "[n, n, n, n, n, n]"
}

// MARK: - NSAffineTransform

/// An `NSAffineTransform`, which is archived with 32-bit numbers.
public struct ArchivedNSAffineTransform: KeyedCodable, Sendable, Hashable {
    /// The coefficient of x in x′.
    public var m11: Float
    /// The coefficient of x in y′.
    public var m12: Float
    /// The coefficient of y in x′.
    public var m21: Float
    /// The coefficient of y in y′.
    public var m22: Float
    /// The translation of x, in points.
    public var tX: Float
    /// The translation of y, in points.
    public var tY: Float

    /// Creates a transform, rounding each number to 32 bits.
    public init(_ transform: ArchivedAffineTransform) {
        m11 = Float(transform.a)
        m12 = Float(transform.b)
        m21 = Float(transform.c)
        m22 = Float(transform.d)
        tX = Float(transform.tx)
        tY = Float(transform.ty)
    }

    /// The same transform with 64-bit numbers.
    public var transform: ArchivedAffineTransform {
        ArchivedAffineTransform(
            a: Double(m11), b: Double(m12), c: Double(m21), d: Double(m22), tx: Double(tX),
            ty: Double(tY))
    }

    public static var archivedClass: ArchivedClass { "NSAffineTransform" }

    public func encode(with coder: KeyedEncoder) {
        var bytes: [UInt8] = []
        for number in [m11, m12, m21, m22, tX, tY] {
            for shift: UInt32 in [24, 16, 8, 0] {
                bytes.append(UInt8(truncatingIfNeeded: number.bitPattern >> shift))
            }
        }
        coder.encodeBytes(bytes, forKey: Self.key)
    }

    public init(coder: KeyedDecoder) throws {
        let found = try coder.decodeBytes(forKey: Self.key)
        guard found.count == 24 else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected 24 bytes in `\(Self.key)`, found \(found.count)",
                object: coder.uid)
        }
        let bytes = Array(found)
        m11 = Self.number(0, bytes)
        m12 = Self.number(1, bytes)
        m21 = Self.number(2, bytes)
        m22 = Self.number(3, bytes)
        tX = Self.number(4, bytes)
        tY = Self.number(5, bytes)
    }

    private static let key = "NSTransformStruct"

    private static func number(_ index: Int, _ bytes: [UInt8]) -> Float {
        let bits = bytes.dropFirst(index &* 4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return Float(bitPattern: bits)
    }
}

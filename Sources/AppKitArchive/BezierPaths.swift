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
// | `NSBezierPath` | `NSSegments`: data, stored inline, in records of nine bytes: one for the kind (0 move, 1 line, 2 curve, 3 close), then x and y as big-endian Floats. A curve has three records, and a close has a point too. `NSLineWidth`, `NSFlatness`: reals, absent if default |
//
// Source: archives that Apple's software wrote, with moves, lines and closes. For curves: other
// implementations. Other fields are kept in `extraFields`.

/// An `NSBezierPath`.
public struct ArchivedBezierPath {
    /// A point of a path, and the kind of the element that contains the point.
    public struct Segment: Sendable, Hashable {
        /// The kind of element.
        public enum Kind: UInt8, Sendable, Hashable {
            /// The start of a subpath.
            case move = 0
            /// A line.
            case line = 1
            /// One of the three points of a curve.
            case curve = 2
            /// The end of a closed subpath.
            case close = 3
        }

        /// The kind of element.
        public var kind: Kind
        /// The horizontal coordinate, in points.
        public var x: Float
        /// The vertical coordinate, in points.
        public var y: Float

        /// Creates a point of a path.
        public init(_ kind: Kind, x: Float, y: Float) {
            self.kind = kind
            self.x = x
            self.y = y
        }
    }

    /// The segments in their archived form; nil for an empty path.
    public var segmentData: Data?
    /// The line width, in points; nil for the default.
    public var lineWidth: PropertyListReal?
    /// The accuracy with which curves are rendered; a smaller value gives smoother curves. Nil for
    /// the default.
    public var flatness: PropertyListReal?
    /// The fields that this type does not know.
    public var extraFields = ArchivedExtraFields()

    /// Creates a path.
    public init(_ segments: [Segment]) {
        if !segments.isEmpty { segmentData = Data(segments.flatMap(\.bytes)) }
    }

    /// The segments; nil if the data has an incomplete record or an unknown kind.
    ///
    /// - Complexity: Linear in the size of ``segmentData``.
    public var segments: [Segment]? {
        guard let data = segmentData else { return [] }
        guard data.count % Segment.size == 0 else { return nil }
        var segments: [Segment] = []
        var rest = data[...]
        while !rest.isEmpty {
            guard let segment = Segment(Array(rest.prefix(Segment.size))) else { return nil }
            segments.append(segment)
            rest = rest.dropFirst(Segment.size)
        }
        return segments
    }
}

extension ArchivedBezierPath.Segment {
    // The size of a record in bytes: one for the kind, and four for each coordinate.
    fileprivate static let size = 9

    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, let kind = Kind(rawValue: bytes[0]) else { return nil }
        self.init(kind, x: Self.number(bytes[1..<5]), y: Self.number(bytes[5..<9]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Float {
        Float(bitPattern: bytes.reduce(0) { $0 << 8 | UInt32($1) })
    }

    fileprivate var bytes: [UInt8] {
        [kind.rawValue]
            + [x.bitPattern, y.bitPattern].flatMap { bits in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> UInt32($0)) }
            }
    }
}

extension ArchivedBezierPath: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSBezierPath" }

    private static let keys: Set = ["NSSegments", "NSLineWidth", "NSFlatness"]

    public func encode(with coder: KeyedEncoder) {
        coder.encodeBytesIfPresent(segmentData, forKey: "NSSegments")
        coder.encodeIfPresent(lineWidth, forKey: "NSLineWidth")
        coder.encodeIfPresent(flatness, forKey: "NSFlatness")
        coder.encode(extraFields)
    }

    public init(coder: KeyedDecoder) throws {
        segmentData = try coder.decodeBytesIfPresent(forKey: "NSSegments")
        lineWidth = try coder.decodeRealIfPresent(forKey: "NSLineWidth")
        flatness = try coder.decodeRealIfPresent(forKey: "NSFlatness")
        extraFields = try coder.extraFields(except: Self.keys)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A floating-point number of a property list, with its storage width.
///
/// Apple's archives distinguish `Float` and `Double` by the width in the binary format. Apple's
/// text formats cannot. Two reals are equal if their widths and bits are equal: NaN equals itself,
/// and −0.0 differs from 0.0.
public struct PropertyListReal: Sendable {
    /// The width of the number in a binary property list.
    public enum Width: Sendable, Hashable {
        /// IEEE 754, 32 bits.
        case single
        /// IEEE 754, 64 bits.
        case double
    }

    /// The number. A 32-bit number converts exactly, because every `Float` is a `Double`.
    public let value: Double
    /// The storage width.
    public let width: Width

    init(_ value: Double, width: Width) {
        self.value = value
        self.width = width
    }

    /// Creates a 64-bit number.
    public init(_ value: Double) { self.init(value, width: .double) }

    /// Creates a 32-bit number.
    public init(_ value: Float) {
        self.init(Double(bitPattern: Self.widened(value.bitPattern)), width: .single)
    }
}

extension PropertyListReal: Hashable, ExpressibleByFloatLiteral, CustomStringConvertible {
    /// Creates a 64-bit number from a literal.
    public init(floatLiteral value: Double) { self.init(value) }

    /// Returns whether both numbers have the same width and bits.
    public static func == (left: PropertyListReal, right: PropertyListReal) -> Bool {
        left.value.bitPattern == right.value.bitPattern && left.width == right.width
    }

    /// Hashes the width and bits of the number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(value.bitPattern)
        hasher.combine(width)
    }

    /// The shortest text that parses as the same number.
    public var description: String {
        width == .single ? Float(value).description : value.description
    }
}

// MARK: - Bits of singles

extension PropertyListReal {
    private static let quietBit: UInt32 = 1 << 22
    // The difference in length between the fractions of a double and a single, in bits.
    private static let shift: UInt64 = 29

    /// Returns the bits of a `Float` converted to `Double`. The processor's conversion would make a
    /// signaling NaN quiet; this function keeps its bits.
    static func widened(_ single: UInt32) -> UInt64 {
        let value = Float(bitPattern: single)
        let bits = Double(value).bitPattern
        guard value.isNaN else { return bits }
        return bits & ~(UInt64(quietBit) << shift) | UInt64(single & quietBit) << shift
    }

    /// Returns the bits of the `Float` from which ``widened(_:)`` made a `Double`.
    static func narrowed(_ double: UInt64) -> UInt32 {
        let value = Double(bitPattern: double)
        let bits = Float(value).bitPattern
        let quiet = UInt32(truncatingIfNeeded: double >> shift) & quietBit
        return value.isNaN ? bits & ~quietBit | quiet : bits
    }
}

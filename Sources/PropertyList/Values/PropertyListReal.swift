// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A floating-point number of a property list, with the width it is stored in.
///
/// Apple's archives keep `Float` and `Double` apart by the width of the binary form; text cannot.
/// Two reals are equal where width and bits are: NaN equals itself, and −0.0 is not 0.0.
public struct PropertyListReal: Sendable {
    /// The storage of the number in a binary property list.
    public enum Width: Sendable, Hashable {
        /// IEEE 754, 32 bits.
        case single
        /// IEEE 754, 64 bits.
        case double
    }

    /// The number. That of a single is exact, because every `Float` is a `Double`.
    public let value: Double
    /// The width in which it is stored.
    public let width: Width

    init(_ value: Double, width: Width) {
        self.value = value
        self.width = width
    }

    /// A number of 64 bits.
    public init(_ value: Double) { self.init(value, width: .double) }

    /// A number of 32 bits.
    public init(_ value: Float) {
        self.init(Double(bitPattern: Self.widened(value.bitPattern)), width: .single)
    }
}

extension PropertyListReal: Hashable, ExpressibleByFloatLiteral, CustomStringConvertible {
    /// Creates a number of 64 bits from a literal.
    public init(floatLiteral value: Double) { self.init(value) }

    public static func == (left: PropertyListReal, right: PropertyListReal) -> Bool {
        left.value.bitPattern == right.value.bitPattern && left.width == right.width
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(value.bitPattern)
        hasher.combine(width)
    }

    /// The shortest text that gives the number again.
    public var description: String {
        width == .single ? Float(value).description : value.description
    }
}

// MARK: - Bits of singles

extension PropertyListReal {
    private static let quietBit: UInt32 = 1 << 22
    // How much longer the fraction of a double is.
    private static let shift: UInt64 = 29

    /// The bits of the `Double` of a `Float`. A conversion by the processor makes a signaling NaN
    /// quiet; here its bits are kept.
    static func widened(_ single: UInt32) -> UInt64 {
        let value = Float(bitPattern: single)
        let bits = Double(value).bitPattern
        guard value.isNaN else { return bits }
        return bits & ~(UInt64(quietBit) << shift) | UInt64(single & quietBit) << shift
    }

    /// The bits of the `Float` of a `Double` that ``widened(_:)`` made.
    static func narrowed(_ double: UInt64) -> UInt32 {
        let value = Double(bitPattern: double)
        let bits = Float(value).bitPattern
        let quiet = UInt32(truncatingIfNeeded: double >> shift) & quietBit
        return value.isNaN ? bits & ~quietBit | quiet : bits
    }
}

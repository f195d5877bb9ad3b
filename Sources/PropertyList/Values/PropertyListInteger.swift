// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An integer of a property list: −2⁶³ … 2⁶⁴−1.
public struct PropertyListInteger: Sendable, Hashable {
    /// The low 64 bits of the value in two's complement.
    let bits: UInt64
    /// A Boolean value that is true if ``bits`` represent a negative number.
    let isNegative: Bool

    init(bits: UInt64, isNegative: Bool) {
        self.bits = bits
        self.isNegative = isNegative
    }

    /// Creates an integer with the value of `source`, or returns nil if it is out of range.
    public init?(exactly source: some BinaryInteger) {
        if let value = Int64(exactly: source) {
            self.init(bits: UInt64(bitPattern: value), isNegative: value < 0)
        } else if let value = UInt64(exactly: source) {
            self.init(bits: value, isNegative: false)
        } else {
            return nil
        }
    }

    /// Creates an integer with the value of `source`.
    public init(_ source: Int) { self.init(Int64(source)) }

    /// Creates an integer with the value of `source`.
    package init(_ source: Int64) {
        self.init(bits: UInt64(bitPattern: source), isNegative: source < 0)
    }

    /// Creates an integer with the value of `source`.
    public init(_ source: UInt64) { self.init(bits: source, isNegative: false) }

    /// The absolute value, at most 2⁶⁴−1.
    public var magnitude: UInt64 { isNegative ? ~bits &+ 1 : bits }

    /// Returns the value as another integer type, or nil if it does not fit.
    ///
    /// ```swift
    /// let port = node.integer?.value(as: UInt16.self)
    /// ```
    public func value<Integer: FixedWidthInteger>(as type: Integer.Type = Int.self) -> Integer? {
        isNegative ? Integer(exactly: Int64(bitPattern: bits)) : Integer(exactly: bits)
    }
}

extension PropertyListInteger: ExpressibleByIntegerLiteral, Comparable, CustomStringConvertible {
    /// Creates an integer from a literal within the range of `Int`.
    public init(integerLiteral value: Int) { self.init(value) }

    /// Returns whether `left` is less than `right`.
    public static func < (left: PropertyListInteger, right: PropertyListInteger) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.bits < right.bits
    }

    /// The value in decimal.
    public var description: String {
        isNegative ? String(Int64(bitPattern: bits)) : String(bits)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An integer of a property list: −2⁶³ … 2⁶⁴−1.
public struct PropertyListInteger: Sendable, Hashable {
    /// The value in two's complement, of 64 bits.
    let bits: UInt64
    /// A Boolean value that says whether ``bits`` are to be read as a number below zero.
    let isNegative: Bool

    init(bits: UInt64, isNegative: Bool) {
        self.bits = bits
        self.isNegative = isNegative
    }

    /// The integer with the value of `source`, or nil where it is out of range.
    public init?(exactly source: some BinaryInteger) {
        if let value = Int64(exactly: source) {
            self.init(bits: UInt64(bitPattern: value), isNegative: value < 0)
        } else if let value = UInt64(exactly: source) {
            self.init(bits: value, isNegative: false)
        } else {
            return nil
        }
    }

    /// The integer with the value of `source`.
    public init(_ source: Int) {
        self.init(bits: UInt64(bitPattern: Int64(source)), isNegative: source < 0)
    }

    /// The integer with the value of `source`.
    public init(_ source: UInt64) { self.init(bits: source, isNegative: false) }

    /// The value without its sign, at most 2⁶⁴−1.
    public var magnitude: UInt64 { isNegative ? ~bits &+ 1 : bits }

    /// The value as the type asked for, or nil where it does not fit.
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

    public static func < (left: PropertyListInteger, right: PropertyListInteger) -> Bool {
        if left.isNegative != right.isNegative { return left.isNegative }
        return left.bits < right.bits
    }

    /// The value in decimal.
    public var description: String {
        isNegative ? String(Int64(bitPattern: bits)) : String(bits)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// An `NSDecimalNumber` is archived under the name of its factory class:
//
// | class | fields |
// |---|---|
// | `NSDecimalNumberPlaceholder`, `NSDecimalNumber` | `NS.exponent`: power of ten; `NS.length`: the number of significant units of the mantissa, 0 … 8; `NS.negative`, `NS.compact`: booleans; `NS.mantissa.bo`: byte order of a unit, 1 little-endian, 2 big-endian; `NS.mantissa`: 16 bytes, stored inline, eight units of 16 bits, the least significant first |
// | `NSDecimalNumberHandler` | `NS.roundingmode`, `NS.scale`: integers; `NS.raise.exactness`, `.overflow`, `.underflow`, `.dividebyzero`: booleans; each is absent if it has the default: 0, no scale, or false |
//
// The units after the significant ones may have any value: Apple's software wrote uninitialized
// memory. A length of 0 means NaN if `NS.negative` is true, otherwise zero.
//
// Source: archives that Apple's software wrote on PowerPC and Intel systems. In newer archives, the
// class chain has all superclasses; in older ones, it has only `NSObject` after the class. This
// coding writes the newer form.

extension Decimal: KeyedCodable {
    public static var archivedClass: ArchivedClass {
        ArchivedClass(
            "NSDecimalNumberPlaceholder", "NSDecimalNumber", FoundationClass.number, "NSValue")
    }

    public static var archivedAliases: [String] { ["NSDecimalNumber"] }

    /// Writes the number without trailing zeros in its mantissa.
    public func encode(with coder: KeyedEncoder) throws {
        let parts = try DecimalParts(self)
        coder.encode(parts.exponent, forKey: "NS.exponent")
        coder.encode(parts.length, forKey: "NS.length")
        coder.encode(parts.isNegative, forKey: "NS.negative")
        coder.encode(parts.length > 0, forKey: "NS.compact")
        coder.encode(1, forKey: "NS.mantissa.bo")
        let bytes = parts.units.flatMap { unit in
            [UInt8(truncatingIfNeeded: unit), UInt8(truncatingIfNeeded: unit >> 8)]
        }
        coder.encodeBytes(bytes, forKey: "NS.mantissa")
    }

    public init(coder: KeyedDecoder) throws {
        self = try DecimalParts(coder).value(coder)
    }
}

/// The parts of a decimal number: ± mantissa · 10^exponent, with a mantissa below 2^128.
private struct DecimalParts {
    var exponent: Int
    var isNegative: Bool
    /// The number of significant units.
    var length: Int
    /// Units of 16 bits, the least significant first: all eight, or only the significant ones.
    var units: [UInt16]

    static let exponents = -128...127
    static let unitCount = 8

    init(_ value: Decimal) throws {
        exponent = 0
        isNegative = value.isNaN || value < 0
        length = 0
        units = [UInt16](repeating: 0, count: Self.unitCount)
        if value.isNaN || value.isZero { return }
        exponent = value.exponent
        // The digits of the mantissa, an integer below 2^128. There are at most 39.
        var digits = value.significand.description.utf8.map { $0 &- 0x30 }.filter { $0 < 10 }
        while digits.last == 0, exponent < Self.exponents.upperBound {
            digits.removeLast()
            exponent &+= 1
        }
        for digit in digits {
            var carry = UInt32(digit)
            for place in units.indices {
                let product = UInt32(units[place]) &* 10 &+ carry
                units[place] = UInt16(truncatingIfNeeded: product)
                carry = product >> 16
            }
            if carry != 0 {
                throw KeyedArchiveError(
                    .valueOutOfRange, what: "a decimal number has more than 128 bits")
            }
        }
        length = (units.lastIndex { $0 != 0 } ?? -1) + 1
    }

    init(_ coder: KeyedDecoder) throws {
        exponent = try coder.decodeInteger(forKey: "NS.exponent")
        isNegative = try coder.decodeBool(forKey: "NS.negative")
        length = try coder.decodeInteger(forKey: "NS.length")
        _ = try coder.decodeObject(of: Bool.self, forKey: "NS.compact")
        let order = try coder.decodeInteger(forKey: "NS.mantissa.bo")
        let mantissa = try coder.decodeBytes(forKey: "NS.mantissa")
        guard Self.exponents.contains(exponent) else {
            throw Self.outOfRange("`NS.exponent` is \(exponent)", Self.exponents, coder)
        }
        guard (0...Self.unitCount).contains(length) else {
            throw Self.outOfRange("`NS.length` is \(length)", 0...Self.unitCount, coder)
        }
        guard (1...2).contains(order) else {
            throw Self.outOfRange("`NS.mantissa.bo` is \(order)", 1...2, coder)
        }
        let size = length &* 2
        guard mantissa.count >= size else {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "expected \(size) or more bytes in `NS.mantissa`, found \(mantissa.count)",
                object: coder.uid)
        }
        let bytes = Array(mantissa.prefix(size))
        units = (0..<length).map { place in
            let first = UInt16(bytes[place * 2])
            let second = UInt16(bytes[place * 2 + 1])
            return order == 1 ? second << 8 | first : first << 8 | second
        }
    }

    private static func outOfRange(
        _ what: String, _ range: ClosedRange<Int>, _ coder: KeyedDecoder
    ) -> KeyedArchiveError {
        KeyedArchiveError(
            .valueOutOfRange,
            what: "\(what) (expected \(range.lowerBound) to \(range.upperBound))",
            object: coder.uid)
    }

    /// Returns the exact number.
    func value(_ coder: KeyedDecoder) throws -> Decimal {
        if length == 0 { return isNegative ? .nan : 0 }
        let mantissa = units.reversed().reduce(Decimal(0)) { sum, unit in
            sum * Decimal(65_536) + Decimal(Int(unit))
        }
        // A mantissa of zero is zero, whatever its sign.
        if mantissa.isZero { return 0 }
        let value = Decimal(
            sign: isNegative ? .minus : .plus, exponent: exponent, significand: mantissa)
        // `Decimal` moves trailing zeros of the mantissa to the exponent, which may overflow.
        if value.isNaN {
            throw KeyedArchiveError(
                .valueOutOfRange,
                what: "a decimal number is too large: without trailing zeros in its mantissa, its "
                    + "exponent exceeds \(Self.exponents.upperBound)",
                object: coder.uid)
        }
        return value
    }
}

/// An `NSDecimalNumberHandler`: the rounding and the errors of decimal arithmetic.
public struct ArchivedDecimalNumberHandler: KeyedCodable, Sendable, Hashable {
    /// The rounding of results: `NSRoundPlain` 0, `NSRoundDown` 1, `NSRoundUp` 2, `NSRoundBankers`
    /// 3.
    public var roundingMode = 0
    /// The number of digits kept after the decimal point; nil to keep all of them
    /// (`NSDecimalNoScale`).
    public var scale: Int?
    /// A Boolean value indicating whether a result that is not exact is an error.
    public var raisesOnExactness = false
    /// A Boolean value indicating whether a result that is too large is an error.
    public var raisesOnOverflow = false
    /// A Boolean value indicating whether a result that is too small is an error.
    public var raisesOnUnderflow = false
    /// A Boolean value indicating whether a division by zero is an error.
    public var raisesOnDivideByZero = false

    /// Creates a handler that rounds to the nearest number and ignores all errors.
    public init() {}

    public static var archivedClass: ArchivedClass { "NSDecimalNumberHandler" }

    public func encode(with coder: KeyedEncoder) {
        if roundingMode != 0 { coder.encode(roundingMode, forKey: "NS.roundingmode") }
        if let scale { coder.encode(scale, forKey: "NS.scale") }
        if raisesOnExactness { coder.encode(true, forKey: "NS.raise.exactness") }
        if raisesOnOverflow { coder.encode(true, forKey: "NS.raise.overflow") }
        if raisesOnUnderflow { coder.encode(true, forKey: "NS.raise.underflow") }
        if raisesOnDivideByZero { coder.encode(true, forKey: "NS.raise.dividebyzero") }
    }

    public init(coder: KeyedDecoder) throws {
        roundingMode = try coder.decode(forKey: "NS.roundingmode", default: 0)
        scale = try coder.decodeObject(forKey: "NS.scale")
        raisesOnExactness = try coder.decode(forKey: "NS.raise.exactness", default: false)
        raisesOnOverflow = try coder.decode(forKey: "NS.raise.overflow", default: false)
        raisesOnUnderflow = try coder.decode(forKey: "NS.raise.underflow", default: false)
        raisesOnDivideByZero = try coder.decode(forKey: "NS.raise.dividebyzero", default: false)
    }
}

extension ClassRegistry {
    static let decimalClasses = ClassRegistry(
        Decimal.self, ArchivedDecimalNumberHandler.self)
}

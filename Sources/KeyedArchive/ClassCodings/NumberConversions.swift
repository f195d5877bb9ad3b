// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// Conversions between kinds of numbers, as in `NSNumber` and `NSKeyedUnarchiver`.

extension ArchivedNumber {
    /// The value of a boolean; for a number, true if the number is not 0.
    public var boolValue: Bool {
        switch self {
        case .boolean(let value): value
        case .integer(let value): value != 0
        case .real(let value): value.value != 0
        }
    }

    /// The number truncated to an integer; 1 or 0 for a boolean; nil if it does not fit in an
    /// `Int`.
    public var intValue: Int? {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): value.value(as: Int.self)
        case .real(let value): Int(exactly: value.value.rounded(.towardZero))
        }
    }

    /// The number, rounded to the nearest `Double`; 1 or 0 for a boolean.
    public var doubleValue: Double {
        switch self {
        case .boolean(let value): value ? 1 : 0
        case .integer(let value): Self.nearest(value)
        case .real(let value): value.value
        }
    }

    private static func nearest<Real: BinaryFloatingPoint>(_ value: PropertyListInteger) -> Real {
        if let value = value.value(as: Int64.self) { return Real(value) }
        return Real(value.value(as: UInt64.self) ?? .max)
    }

    /// Converts a number that the initializer of the type rejects. As a `Bool`, a number is true
    /// unless it is 0. As a number, a boolean is 1 or 0. Integer types truncate a real, and
    /// floating-point types round to the nearest value. Returns nil if the result does not fit.
    func converted<T: ArchivedNumberConvertible>(to type: T.Type) -> T? {
        if type == Bool.self { return T(.boolean(boolValue)) }
        if type is any BinaryFloatingPoint.Type { return T(real(for: type)) }
        switch self {
        case .boolean(let value): return T(.integer(value ? 1 : 0))
        case .integer: return nil
        case .real(let value): return T(.real(PropertyListReal(value.value.rounded(.towardZero))))
        }
    }

    private func real(for type: Any.Type) -> ArchivedNumber {
        // An integer is not converted by way of a `Double`, which would round it twice.
        let narrow: Float =
            if case .integer(let value) = self { Self.nearest(value) } else { Float(doubleValue) }
        let fits = narrow.isFinite || !doubleValue.isFinite
        return .real(
            type == Float.self && fits ? PropertyListReal(narrow) : PropertyListReal(doubleValue))
    }
}

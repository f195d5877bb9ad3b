// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A point in time as property lists store it: seconds since 2001-01-01T00:00:00Z.
///
/// Dates are equal if their bits are equal: every difference that a `Double` can represent counts,
/// NaN equals itself, and −0.0 differs from 0.0.
public struct PropertyListDate: Sendable {
    /// The seconds since the beginning of 2001 in UTC, with fractions and without leap seconds.
    public let secondsSince2001: Double

    /// Creates the date that is the given number of seconds after the beginning of 2001.
    public init(secondsSince2001: Double) { self.secondsSince2001 = secondsSince2001 }

    /// The number of seconds from 1970-01-01 to 2001-01-01.
    public static let secondsFrom1970To2001 = 978_307_200.0

    /// The seconds since the beginning of 1970 in UTC.
    public var secondsSince1970: Double { secondsSince2001 + Self.secondsFrom1970To2001 }
}

extension PropertyListDate: Hashable, CustomStringConvertible {
    /// Returns whether both dates have the same bits.
    public static func == (left: PropertyListDate, right: PropertyListDate) -> Bool {
        left.secondsSince2001.bitPattern == right.secondsSince2001.bitPattern
    }

    /// Hashes the bits of the date.
    public func hash(into hasher: inout Hasher) { hasher.combine(secondsSince2001.bitPattern) }

    /// The date in ISO 8601 in UTC, with its fraction if there is one, such as
    /// `2001-01-01T00:00:00.25Z`. For dates outside the range of the calendar, the number of
    /// seconds.
    public var description: String {
        guard let civil = CivilDate(secondsSince2001: secondsSince2001) else {
            return "\(secondsSince2001) s"
        }
        var text: [UInt8] = []
        civil.append(to: &text)
        let fraction = Self.fractionDigits(of: secondsSince2001)
        if !fraction.isEmpty {
            text.removeLast()
            text += ".\(fraction)Z".utf8
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the digits of the fraction of a second, rounded down to nanoseconds, without
    /// trailing zeros.
    private static func fractionDigits(of seconds: Double) -> String {
        let nanoseconds = Int64(fraction(of: seconds) * 1e9)
        if nanoseconds == 0 { return "" }
        var digits = String(String(1_000_000_000 + nanoseconds).dropFirst())
        while digits.hasSuffix("0") { digits.removeLast() }
        return digits
    }

    /// Returns the distance of `seconds` from the whole second below, from 0 to below 1. Returns 0
    /// for magnitudes at which a `Double` has no fraction. Uses integers, because rounding a
    /// `Double` needs a C library.
    static func fraction(of seconds: Double) -> Double {
        guard seconds.magnitude < 0x1p53 else { return 0 }
        let remainder = seconds - Double(Int64(seconds))
        // The sum for a tiny negative remainder would be rounded to 1.
        return remainder < 0 ? min(remainder + 1, 1.0.nextDown) : remainder
    }
}

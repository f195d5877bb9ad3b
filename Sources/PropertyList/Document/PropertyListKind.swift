// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The kind of a value in a property list.
public enum PropertyListKind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// A malformed value. Reachable from the root only with ``ParsingOptions/salvage``.
    case unreadable
    /// The null of a binary property list or of JSON.
    case null
    /// True or false.
    case boolean
    /// An integer, −2⁶³ … 2⁶⁴−1.
    case integer
    /// A floating-point number of 32 or 64 bits.
    case real
    /// A point in time: seconds since 2001-01-01T00:00:00Z.
    case date
    /// Bytes.
    case data
    /// Text.
    case string
    /// A reference into the object table of a keyed archive, 0 … 2³²−1.
    case uid
    /// A sequence of values.
    case array
    /// A set of values. Only binary property lists have sets.
    case set
    /// An ordered sequence of keys and their values.
    case dictionary

    /// A Boolean value that is true if values of this kind hold other values.
    @inlinable
    public var isContainer: Bool { self == .array || self == .set || self == .dictionary }

    /// The error text for writing a value of the kind ``unreadable``.
    static let unreadableValue = "a value that could not be read cannot be written"

    /// The error text for a dictionary key of this kind, which is not a string.
    package var keyMismatch: String {
        "expected a string as a dictionary key, found a value of kind \(self)"
    }
}

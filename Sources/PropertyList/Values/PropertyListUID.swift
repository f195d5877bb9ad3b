// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A reference in a keyed archive: the number of an entry of `$objects`.
public struct PropertyListUID: Sendable, Hashable {
    /// The number, from 0.
    public let value: UInt32

    /// The reference to entry `value`.
    public init(_ value: UInt32) { self.value = value }
}

extension PropertyListUID: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates a reference from a literal.
    public init(integerLiteral value: UInt32) { self.init(value) }

    /// As in `UID 3`.
    public var description: String { "UID \(value)" }
}

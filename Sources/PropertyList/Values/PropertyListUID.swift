// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A UID, which is a reference in a keyed archive: the index of an entry of `$objects`.
public struct PropertyListUID: Sendable, Hashable {
    /// The index, from 0.
    public let value: UInt32

    /// Creates a reference to entry `value`.
    public init(_ value: UInt32) { self.value = value }
}

extension PropertyListUID: ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// Creates a reference from a literal.
    public init(integerLiteral value: UInt32) { self.init(value) }

    /// The reference in the form `UID 3`.
    public var description: String { "UID \(value)" }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension EncodingSession {
    /// The node that represents nil.
    var null: UInt32 {
        if let nullNode { return nullNode }
        let node = assemble { $0.string(ArchiveFormat.null) }
        nullNode = node
        return node
    }

    @inline(__always)
    func boolean(_ value: Bool) -> UInt32 { assemble { $0.boolean(value) } }

    @inline(__always)
    func string(_ value: String) -> UInt32 { assemble { $0.string(value) } }

    @inline(__always)
    func real(_ value: Double) -> UInt32 { assemble { $0.real(PropertyListReal(value)) } }

    @inline(__always)
    func real(_ value: Float) -> UInt32 { assemble { $0.real(PropertyListReal(value)) } }

    @inline(__always)
    func integer(_ value: some FixedWidthInteger & SignedInteger) -> UInt32 {
        assemble { $0.integer(PropertyListInteger(Int64(truncatingIfNeeded: value))) }
    }

    @inline(__always)
    func integer(_ value: some FixedWidthInteger & UnsignedInteger) -> UInt32 {
        assemble { $0.integer(PropertyListInteger(UInt64(truncatingIfNeeded: value))) }
    }

    /// Encodes an integer that may be out of range for property lists.
    func wideInteger(
        _ value: some FixedWidthInteger, _ path: () -> CodingPath?
    ) throws -> UInt32 {
        guard let integer = PropertyListInteger(exactly: value) else {
            throw invalid(value, path(), "Property lists have integers from −2⁶³ to 2⁶⁴−1.")
        }
        return assemble { $0.integer(integer) }
    }

    /// Encodes a value of one of the most common leaf types, a tree or a UID. Returns nil for other
    /// types.
    @inline(__always)
    func leaf<T>(_ value: T, _ path: () -> CodingPath?) throws -> UInt32? {
        // Comparing types compares pointers.
        if T.self == String.self { return assemble { $0.string(same(value, as: String.self)) } }
        if T.self == Int.self { return integer(same(value, as: Int.self)) }
        if T.self == Date.self { return date(same(value, as: Date.self)) }
        if T.self == Data.self { return assemble { $0.data(same(value, as: Data.self)) } }
        if T.self == Double.self {
            return assemble { $0.real(PropertyListReal(same(value, as: Double.self))) }
        }
        if T.self == Bool.self { return assemble { $0.boolean(same(value, as: Bool.self)) } }
        if T.self == PropertyListValue.self {
            return try tree(same(value, as: PropertyListValue.self), path)
        }
        if T.self == PropertyListUID.self {
            return assemble { $0.uid(same(value, as: PropertyListUID.self).value) }
        }
        return nil
    }

    private func date(_ date: Date) -> UInt32 {
        assemble {
            $0.date(PropertyListDate(secondsSince2001: date.timeIntervalSinceReferenceDate))
        }
    }

    /// Encodes a tree of values.
    func tree(_ value: PropertyListValue, _ path: () -> CodingPath?) throws -> UInt32 {
        do throws(PropertyListError) {
            var rest = limits
            rest.depth = max(limits.depth &- (path()?.depth ?? 0), 0)
            return try assemble { assembler throws(PropertyListError) in
                try assembler.value(value, limits: rest)
            }
        } catch {
            let context = EncodingError.Context(
                codingPath: CodingPath.keys(of: path()) + (error.path?.codingKeys ?? []),
                debugDescription: "The tree of values exceeds the limits.", underlyingError: error)
            throw EncodingError.invalidValue(value, context)
        }
    }
}

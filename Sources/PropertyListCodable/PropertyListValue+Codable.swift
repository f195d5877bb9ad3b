// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Trees of values are coded by ``PlistEncoder`` and ``PlistDecoder`` without loss: order, UIDs,
/// sets, null and the widths of reals are kept. Other coders keep what they can represent.
extension PropertyListValue: Codable {
    /// Decodes a tree. A decoder other than ``PlistDecoder`` provides null, booleans, numbers,
    /// strings, arrays and dictionaries.
    ///
    /// - Throws: `DecodingError`.
    public init(from decoder: any Decoder) throws {
        if let decoder = decoder as? NodeDecoder {
            self = try decoder.decode(Self.self)
        } else {
            self = try Self.foreign(decoder)
        }
    }

    /// Encodes the tree. An encoder other than ``PlistEncoder`` receives dates and data as `Date`
    /// and `Data`, sets as arrays, and reals of 32 bits as `Float`.
    ///
    /// - Throws: `EncodingError`. Encoders other than ``PlistEncoder`` also throw it for UIDs.
    public func encode(to encoder: any Encoder) throws {
        if let encoder = encoder as? ValueEncoder {
            try encoder.encode(self)
        } else {
            try encodeForeign(to: encoder)
        }
    }
}

// MARK: - Other coders

extension PropertyListValue {
    // The nesting limit with other coders, which recurse.
    private static let foreignDepth = 512

    private static func foreign(_ decoder: any Decoder) throws -> PropertyListValue {
        if decoder.codingPath.count > foreignDepth {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: [], debugDescription: "More than \(foreignDepth) nested values."))
        }
        if let container = try? decoder.container(keyedBy: PathKey.self) {
            return .dictionary(try entries(container))
        }
        if let container = try? decoder.unkeyedContainer() {
            return .array(try elements(container))
        }
        return try scalar(decoder.singleValueContainer())
    }

    private static func entries(
        _ container: KeyedDecodingContainer<PathKey>
    ) throws -> PropertyListDictionary {
        var entries = PropertyListDictionary()
        for key in container.allKeys {
            entries[key.stringValue] = try container.decode(Self.self, forKey: key)
        }
        return entries
    }

    private static func elements(
        _ container: any UnkeyedDecodingContainer
    ) throws -> PropertyListArray {
        var container = container
        var elements = PropertyListArray()
        while !container.isAtEnd {
            elements.append(try container.decode(Self.self))
        }
        return elements
    }

    private static func scalar(
        _ container: any SingleValueDecodingContainer
    ) throws -> PropertyListValue {
        if container.decodeNil() { return .null }
        if let value = try? container.decode(Bool.self) { return .boolean(value) }
        if let value = try? container.decode(Int64.self) {
            return .integer(PropertyListInteger(value))
        }
        if let value = try? container.decode(UInt64.self) {
            return .integer(PropertyListInteger(value))
        }
        if let value = try? container.decode(Double.self) { return .real(PropertyListReal(value)) }
        return .string(try container.decode(String.self))
    }

    private func encodeForeign(to encoder: any Encoder) throws {
        if encoder.codingPath.count > Self.foreignDepth {
            throw EncodingError.invalidValue(
                kind,
                EncodingError.Context(
                    codingPath: [],
                    debugDescription: "More than \(Self.foreignDepth) nested values."))
        }
        switch self {
        case .array(let elements), .set(let elements):
            var container = encoder.unkeyedContainer()
            for element in elements { try container.encode(element) }
        case .dictionary(let entries):
            var container = encoder.container(keyedBy: PathKey.self)
            for (key, value) in entries { try container.encode(value, forKey: PathKey(key)) }
        case .uid(let uid): try uid.encode(to: encoder)
        default: try encodeForeignScalar(to: encoder.singleValueContainer())
        }
    }

    private func encodeForeignScalar(to container: any SingleValueEncodingContainer) throws {
        var container = container
        switch self {
        case .boolean(let value): try container.encode(value)
        case .integer(let value):
            if let small = value.value(as: Int64.self) {
                try container.encode(small)
            } else {
                try container.encode(value.magnitude)
            }
        case .real(let value):
            if value.width == .single {
                try container.encode(Float(value.value))
            } else {
                try container.encode(value.value)
            }
        case .date(let date):
            try container.encode(Date(timeIntervalSinceReferenceDate: date.secondsSince2001))
        case .data(let bytes): try container.encode(Data(bytes))
        case .string(let text): try container.encode(text)
        default: try container.encodeNil()
        }
    }
}

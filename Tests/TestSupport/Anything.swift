// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A value of any kind. Decoding tries one type after another, in the order that is usual in such
/// enums in client code.
public enum Anything: Codable, Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case natural(UInt64)
    /// The bits of a number, so that NaN equals itself.
    case real(bits: UInt64)
    case string(String)
    case date(Date)
    case data(Data)
    case array([Anything])
    case dictionary([String: Anything])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .natural(value)
        } else if let value = try? container.decode(Double.self) {
            self = .real(bits: value.bitPattern)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode(Date.self) {
            self = .date(value)
        } else if let value = try? container.decode(Data.self) {
            self = .data(value)
        } else if let value = try? container.decode([Anything].self) {
            self = .array(value)
        } else {
            self = .dictionary(try container.decode([String: Anything].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .boolean(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .natural(let value): try container.encode(value)
        case .real(let bits): try container.encode(Double(bitPattern: bits))
        case .string(let value): try container.encode(value)
        case .date(let value): try container.encode(value)
        case .data(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .dictionary(let value):
            // In a fixed order, so that files can be compared.
            var entries = encoder.container(keyedBy: AnyKey.self)
            for (key, value) in value.sorted(by: { $0.key < $1.key }) {
                try entries.encode(value, forKey: AnyKey(stringValue: key))
            }
        }
    }
}

/// A coding key with any name.
public struct AnyKey: CodingKey {
    public let stringValue: String
    public let intValue: Int?
    public init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    public init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}

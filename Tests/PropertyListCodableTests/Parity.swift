// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import PropertyListCodable
import Testing

/// The outcome of a coder: a value, or an error with its kind and coding path.
enum Outcome<Value: Equatable>: Equatable {
    case value(Value)
    case failure(String, path: [String])

    init(_ body: () throws -> Value) {
        do { self = .value(try body()) } catch { self = Self.failure(error) }
    }

    static func failure(_ error: any Error) -> Self {
        switch error {
        case DecodingError.typeMismatch(_, let context): .failure("typeMismatch", context)
        case DecodingError.valueNotFound(_, let context): .failure("valueNotFound", context)
        case DecodingError.dataCorrupted(let context): .failure("dataCorrupted", context)
        case DecodingError.keyNotFound(let key, let context):
            .failure("keyNotFound \(key.stringValue)", context)
        case EncodingError.invalidValue(_, let context):
            // Foundation wraps the specific error in one about the root.
            if let inner = context.underlyingError as? EncodingError {
                failure(inner)
            } else {
                .failure("invalidValue", path: path(context.codingPath))
            }
        default: .failure("\(type(of: error))", path: [])
        }
    }

    private static func failure(_ kind: String, _ context: DecodingError.Context) -> Self {
        .failure(kind, path: path(context.codingPath))
    }

    private static func path(_ keys: [any CodingKey]) -> [String] {
        keys.map { key in key.intValue.map { "[\($0)]" } ?? key.stringValue }
    }

    var isFailure: Bool {
        if case .failure = self { true } else { false }
    }
}

/// One input for both coders.
struct ParityCase: Sendable, CustomTestStringConvertible {
    let name: String
    let check: @Sendable () throws -> Void

    var testDescription: String { name }

    /// Decodes a type with both decoders, from binary and from XML.
    static func decode<T: Decodable & Equatable & Sendable>(
        _ name: String, _ type: T.Type, from value: PropertyListValue
    ) -> ParityCase {
        ParityCase(name: "\(name), \(type) from \(value)") {
            for bytes in try files(of: value) {
                let ours = Outcome { try PlistDecoder().decode(type, from: bytes) }
                let theirs = Outcome { try PropertyListDecoder().decode(type, from: Data(bytes)) }
                #expect(ours == theirs)
            }
        }
    }

    /// Encodes a value with both encoders, as binary and as XML, and compares the parsed results.
    static func encode<T: Encodable & Sendable>(_ name: String, _ value: T) -> ParityCase {
        ParityCase(name: "\(name), \(value)") {
            for isXML in [false, true] {
                let (ours, theirs) = encodings(of: value, isXML: isXML)
                #expect(ours == theirs, "XML: \(isXML)")
            }
        }
    }

    /// Returns the outcomes of both encoders for a value.
    static func encodings(
        of value: some Encodable, isXML: Bool
    ) -> (ours: Outcome<PropertyListValue>, theirs: Outcome<PropertyListValue>) {
        let foundation = PropertyListEncoder()
        foundation.outputFormat = isXML ? .xml : .binary
        let encoder = PlistEncoder(format: isXML ? .xml : .binary)
        return (
            Outcome { try PropertyListValue(parsing: encoder.encode(value)) },
            Outcome { try PropertyListValue(parsing: foundation.encode(value)) }
        )
    }

    /// Returns the value as a binary file and, if XML can represent it, as XML.
    static func files(of value: PropertyListValue) throws -> [[UInt8]] {
        let document = try PropertyListDocument(value)
        let xml = try? XMLPropertyList.serialize(document).bytes
        return try [BinaryPropertyList.serialize(document)] + (xml.map { [$0] } ?? [])
    }
}

/// A row of the documented differences, with the behavior of both coders.
struct Difference: Sendable, CustomTestStringConvertible {
    /// The first cell of the row.
    let title: String
    let check: @Sendable () throws -> Void

    var testDescription: String { title }
}

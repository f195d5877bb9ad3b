// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import PropertyListCodable

// A `Codable` value becomes the property list that a property-list encoder makes of it, and that an
// NSDictionary, an NSArray or a plain value. That Apple's `encodeEncodable` archives the same objects
// is remembered, not evidenced by an archive.

extension KeyedEncoder {
    /// Writes a `Codable` value as the dictionaries, arrays and plain values it consists of.
    ///
    /// The archive may keep an `EncodingError`, or `classNotAllowed`.
    public func encodeEncodable(_ value: some Encodable, forKey key: String) {
        attempt(key) {
            let encoder = PlistEncoder()
            encoder.allowsFragments = true
            let tree = try encoder.encodeValue(value)
            encode(tree, forKey: key)
        }
    }
}

extension KeyedDecoder {
    /// Reads a `Codable` value from dictionaries, arrays and plain values.
    ///
    /// - Throws: `missingValue`, `classNotAllowed`, `wrongType`, `DecodingError`.
    public func decodeDecodable<T: Decodable>(
        _ type: T.Type = T.self, forKey key: String
    ) throws -> T {
        let tree = try decode(PropertyListValue.self, forKey: key)
        return try PlistDecoder().decode(type, from: tree)
    }
}

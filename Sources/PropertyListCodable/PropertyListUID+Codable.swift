// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// UIDs are coded as UIDs by ``PlistEncoder`` and ``PlistDecoder``. Other coders have no
/// representation for a UID and are rejected: their output could not be decoded as a UID again.
extension PropertyListUID: Codable {
    /// Reads a UID from a property list.
    ///
    /// - Throws: `DecodingError.valueNotFound` for null. `DecodingError.typeMismatch` for another
    ///   value that is not a UID, and for a decoder other than ``PlistDecoder``.
    public init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? NodeDecoder else {
            let text =
                "Expected PlistDecoder to decode a UID, found \(type(of: decoder))."
            throw DecodingError.typeMismatch(
                Self.self,
                DecodingError.Context(codingPath: decoder.codingPath, debugDescription: text))
        }
        self = try decoder.decode(Self.self)
    }

    /// Writes the UID to a property list.
    ///
    /// - Throws: `EncodingError` for an encoder other than ``PlistEncoder``.
    public func encode(to encoder: any Encoder) throws {
        guard let encoder = encoder as? ValueEncoder else {
            let text =
                "Expected PlistEncoder to encode a UID, found \(type(of: encoder))."
            throw EncodingError.invalidValue(
                self,
                EncodingError.Context(codingPath: encoder.codingPath, debugDescription: text))
        }
        try encoder.encode(self)
    }
}

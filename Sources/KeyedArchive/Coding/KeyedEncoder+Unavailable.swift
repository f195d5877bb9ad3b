// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Overloads for values that cannot be archived. The compiler chooses one if no other overload fits,
// and shows its message.

extension KeyedEncoder {
    /// Not available: a value with a raw value is archived if its type conforms to
    /// ``KeyedCodable``.
    @available(
        *, unavailable,
        message: "add `KeyedCodable` to the type, which needs nothing else; or encode `rawValue`"
    )
    public func encode<T: RawRepresentable>(_ value: T, forKey key: String) {}

    /// Not available: ``encodeEncodable(_:forKey:)`` writes `Codable` values.
    @available(
        *, unavailable,
        message:
            "`encodeEncodable(_:forKey:)` writes a `Codable` value; or conform to `KeyedCodable`"
    )
    public func encode<T: Encodable>(_ value: T, forKey key: String) {}

    /// Not available: the type of the value is not ``KeyedEncodable``.
    @available(
        *, unavailable,
        message: """
            conform the type to `KeyedEncodable`; `encodeAny(_:forKey:)` writes a `[String: Any]` and \
            other values whose type the compiler does not know
            """
    )
    public func encode(_ value: Any?, forKey key: String) {}
}

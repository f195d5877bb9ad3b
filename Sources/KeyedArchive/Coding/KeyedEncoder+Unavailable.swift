// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Overloads for values that cannot be archived. The compiler chooses one if no other overload fits,
// and shows its message.

extension KeyedEncoder {
    /// Not available: a value with a raw value is archived if its type conforms to
    /// ``KeyedCodable``.
    @available(
        *, unavailable,
        message: "conform the type to `KeyedCodable` (no members are needed), or encode `rawValue`"
    )
    public func encode<T: RawRepresentable>(_ value: T, forKey key: String) {}

    /// Not available: ``encodeEncodable(_:forKey:)`` writes `Codable` values.
    @available(
        *, unavailable,
        message:
            "conform to `KeyedCodable`; or `encodeEncodable(_:forKey:)` writes a `Codable` value as a property list, not as an object of a class"
    )
    public func encode<T: Encodable>(_ value: T, forKey key: String) {}

    /// Not available: ``ArchivedTimeZone`` has the fields of an `NSTimeZone`.
    @available(
        *, unavailable,
        message: "write an `ArchivedTimeZone`, which has the fields of an `NSTimeZone`"
    )
    public func encode(_ value: TimeZone, forKey key: String) {}

    /// Not available: ``ArchivedLocale`` has the fields of an `NSLocale`.
    @available(
        *, unavailable, message: "write an `ArchivedLocale`, which has the fields of an `NSLocale`"
    )
    public func encode(_ value: Locale, forKey key: String) {}

    /// Not available: ``ArchivedCalendar`` has the fields of an `NSCalendar`.
    @available(
        *, unavailable,
        message: "write an `ArchivedCalendar`, which has the fields of an `NSCalendar`"
    )
    public func encode(_ value: Calendar, forKey key: String) {}

    /// Not available: ``ArchivedDateComponents`` has the fields of an `NSDateComponents`.
    @available(
        *, unavailable,
        message: "write an `ArchivedDateComponents`, which has the fields of an `NSDateComponents`"
    )
    public func encode(_ value: DateComponents, forKey key: String) {}

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

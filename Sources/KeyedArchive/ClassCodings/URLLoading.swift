// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// | class | fields |
// |---|---|
// | `NSURLQueryItem` | `NS.name`: a string; `NS.value`: a string or nil |
// | `NSURLResponse` | unkeyed values: 8; 0; 7, which is the number of values that follow; then an NSURL, a number (the time of receipt, seconds since 2001), a number, the MIME type, the text encoding or nil, a number (the expected length), a number |
// | `NSURLRequest`, `NSMutableURLRequest` | unkeyed values: 2, 9 and the number of values; `__nsurlrequest_proto_prop_obj_0`, …: those values; `__nsurlrequest_proto_props`. In old archives the values are unkeyed too |
//
// Source: for NSURLResponse, archives that Apple's software wrote; for the others, other
// implementations. There is no source for NSHTTPURLResponse and NSHTTPCookie, so they are not
// supported.

extension ClassRegistry {
    static let urlLoadingClasses = ClassRegistry(
        URLQueryItem.self, ArchivedURLResponse.self, ArchivedURLRequest.self,
        Mutable<ArchivedURLRequest>.self)
}

// MARK: - Query items

extension URLQueryItem: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSURLQueryItem" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "NS.name")
        coder.encode(value, forKey: "NS.value")
    }

    public init(coder: KeyedDecoder) throws {
        self.init(
            name: try coder.decode(forKey: "NS.name"),
            value: try coder.decode(forKey: "NS.value"))
    }
}

// MARK: - Values without keys

extension KeyedDecoder {
    /// Returns `count` values that were written without keys.
    ///
    /// - Throws: `missingValue` if there are fewer; `valueOutOfRange` for a negative count.
    fileprivate func unkeyedValues(_ count: Int) throws -> [AnyArchived?] {
        try requireCount(count)
        var values: [AnyArchived?] = []
        while values.count < count {
            guard let reference = nextUnkeyed() else {
                throw KeyedArchiveError.missing(
                    "expected \(count) values without keys, found \(values.count)", uid)
            }
            try reader.chargeElement(reference)
            values.append(try AnyArchived?.unarchive(reference))
        }
        return values
    }

    fileprivate func requireCount(_ count: Int) throws {
        if count < 0 {
            throw KeyedArchiveError(
                .valueOutOfRange, what: "expected a non-negative count of values, found \(count)",
                object: uid)
        }
    }
}

extension KeyedEncoder {
    fileprivate func encodeUnkeyed(numbers: Int...) {
        for number in numbers {
            encodeUnkeyed(ArchivedNumber.integer(PropertyListInteger(number)))
        }
    }
}

extension Array where Element == AnyArchived? {
    /// Returns the value at an index, converted to a type; nil if there is none or it cannot be
    /// converted.
    fileprivate func value<T>(_ place: Int, as type: T.Type = T.self) -> T? {
        indices.contains(place) ? self[place]?.value(as: type) : nil
    }
}

// MARK: - Responses

/// An `NSURLResponse`.
public struct ArchivedURLResponse {
    /// The version of the coding: 8.
    public var version: Int
    /// The number after the version: 0.
    public var variant: Int
    /// The values, in the order of the archive.
    public var values: [AnyArchived?]

    /// Creates a response with the values as archived.
    public init(version: Int = 8, variant: Int = 0, values: [AnyArchived?]) {
        self.version = version
        self.variant = variant
        self.values = values
    }

    /// The URL.
    public var url: URL? { values.value(0) }
    /// The time of receipt.
    public var date: Date? {
        values.value(1, as: Double.self).map(Date.init(timeIntervalSinceReferenceDate:))
    }
    /// The MIME type.
    public var mimeType: String? { values.value(3) }
    /// The name of the text encoding.
    public var textEncodingName: String? { values.value(4) }
    /// The expected length in bytes; −1 if unknown.
    public var expectedContentLength: Int64? { values.value(5) }
}

extension ArchivedURLResponse: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSURLResponse" }

    public static func register(in registry: inout ClassRegistry) {
        URL.register(in: &registry)
        ArchivedNumber.register(in: &registry)
        String.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encodeUnkeyed(numbers: version, variant, values.count)
        for value in values { coder.encodeUnkeyed(value) }
    }

    public init(coder: KeyedDecoder) throws {
        version = try coder.decodeUnkeyed()
        variant = try coder.decodeUnkeyed()
        values = try coder.unkeyedValues(coder.decodeUnkeyed())
    }
}

// MARK: - Requests

/// An `NSURLRequest`.
public struct ArchivedURLRequest {
    /// The version of the coding: 2.
    public var version: Int
    /// The number after the version: 9.
    public var variant: Int
    /// The values, in the order of the archive.
    public var values: [AnyArchived?]
    /// The properties that programs have added: an `NSDictionary`, or nil.
    public var properties: AnyArchived?
    /// A Boolean value indicating whether the values have keys, as on current systems.
    public var hasKeys: Bool

    /// Creates a request with the values as archived.
    public init(
        version: Int = 2, variant: Int = 9, values: [AnyArchived?], properties: AnyArchived? = nil,
        hasKeys: Bool = true
    ) {
        self.version = version
        self.variant = variant
        self.values = values
        self.properties = properties
        self.hasKeys = hasKeys
    }

    /// The URL.
    public var url: URL? { values.value(1) }
    /// The timeout, in seconds.
    public var timeout: Double? { values.value(2) }
    /// The cache policy: a raw value of `NSURLRequest.CachePolicy`.
    public var cachePolicy: Int? { values.value(3) }
    /// The method, such as GET.
    public var httpMethod: String? { values.value(18) }
}

extension ArchivedURLRequest: KeyedCodable, MutableArchivable {
    public static var archivedClass: ArchivedClass { "NSURLRequest" }
    public static var archivedAliases: [String] { ["NSMutableURLRequest"] }
    public static var mutableClass: ArchivedClass { archivedClass.subclass("NSMutableURLRequest") }

    public static func register(in registry: inout ClassRegistry) {
        URL.register(in: &registry)
        ArchivedNumber.register(in: &registry)
        String.register(in: &registry)
        ArchivedPairs<AnyArchived, AnyArchived>.register(in: &registry)
        registry.add(Self.self)
    }

    private static let propertiesKey = "__nsurlrequest_proto_props"

    private static func key(_ place: Int) -> String { "__nsurlrequest_proto_prop_obj_\(place)" }

    public func encode(with coder: KeyedEncoder) {
        coder.encodeUnkeyed(numbers: version, variant, values.count)
        for (place, value) in values.enumerated() {
            if hasKeys {
                coder.encode(value, forKey: Self.key(place))
            } else {
                coder.encodeUnkeyed(value)
            }
        }
        if hasKeys {
            coder.encode(properties, forKey: Self.propertiesKey)
        } else {
            coder.encodeUnkeyed(properties)
        }
    }

    public init(coder: KeyedDecoder) throws {
        version = try coder.decodeUnkeyed()
        variant = try coder.decodeUnkeyed()
        let count = try coder.decodeUnkeyed(Int.self)
        // A request without values has only the key of the properties.
        hasKeys =
            coder.containsValue(forKey: Self.key(0))
            || coder.containsValue(forKey: Self.propertiesKey)
        if hasKeys {
            values = try Self.keyedValues(count, coder)
            properties = try coder.decode(forKey: Self.propertiesKey)
        } else {
            values = try coder.unkeyedValues(count)
            properties = try coder.decodeUnkeyed()
        }
    }

    private static func keyedValues(_ count: Int, _ coder: KeyedDecoder) throws -> [AnyArchived?] {
        try coder.requireCount(count)
        var values: [AnyArchived?] = []
        while values.count < count {
            guard let reference = coder.reference(forKey: key(values.count)) else {
                throw coder.missing(key(values.count))
            }
            try coder.reader.chargeElement(reference)
            values.append(try coder.decode(forKey: key(values.count)))
        }
        return values
    }
}

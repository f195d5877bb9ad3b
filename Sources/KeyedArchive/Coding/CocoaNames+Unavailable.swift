// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

// Methods of Foundation's coders that have a different form here. The compiler shows the
// replacement for each call.

extension KeyedArchiver {
    /// Not available: coding is always secure.
    @available(
        *, unavailable, message: "leave `requiringSecureCoding` out: coding is always secure"
    )
    public static func archivedData(withRootObject root: Any, requiringSecureCoding: Bool) throws {}

    /// Not available: ``ClassRegistry/adding(_:writtenAs:)`` sets the class name.
    @available(
        *, unavailable, message: "pass `allowing: .foundation.adding(T.self, writtenAs: name)`"
    )
    public func setClassName(_ name: String?, for type: Any.Type) {}

    /// Not available: ``ClassRegistry/adding(_:writtenAs:)`` sets the class name.
    @available(
        *, unavailable, message: "pass `allowing: .foundation.adding(T.self, writtenAs: name)`"
    )
    public static func setClassName(_ name: String?, for type: Any.Type) {}

    /// Not available: ``finish(as:)`` and ``encodedData(as:)`` finish the archive.
    @available(*, unavailable, message: "`encodedData(as:)` and `finish(as:)` finish the archive")
    public func finishEncoding() {}

    /// Not available: ``roots`` is the encoder of the roots.
    @available(*, unavailable, message: "write roots with `roots.encode(_:forKey:)`")
    public func encode(_ value: Any?, forKey key: String) {}
}

extension KeyedUnarchiver {
    /// Not available: ``ClassRegistry/adding(_:as:)`` binds a class name to a type.
    @available(*, unavailable, message: "pass `allowing: .foundation.adding(T.self, as: name)`")
    public func setClass(_ type: Any.Type, forClassName name: String) {}

    /// Not available: ``ClassRegistry/adding(_:as:)`` binds a class name to a type.
    @available(*, unavailable, message: "pass `allowing: .foundation.adding(T.self, as: name)`")
    public static func setClass(_ type: Any.Type, forClassName name: String) {}

    /// Not available: the caller names the type of the root.
    @available(*, unavailable, message: "name the type: `unarchive(Save.self, from: data)`")
    public static func unarchiveTopLevelObjectWithData(_ data: Any) throws {}

    /// Not available: ``unarchive(ofAny:from:allowing:options:limits:)`` takes several types.
    @available(*, unavailable, renamed: "unarchive(ofAny:from:)")
    public static func unarchivedObject(ofClasses types: [Any.Type], from data: Any) throws {}

    /// Not available: ``unarchive(_:from:allowing:options:limits:)`` reads arrays.
    @available(*, unavailable, message: "write `unarchive([Save].self, from: data)`")
    public static func unarchivedArrayOfObjects(ofClass type: Any.Type, from data: Any) throws {}

    /// Not available: a failed read throws, so nothing is left to finish.
    @available(*, unavailable, message: "remove the call: nothing is left to finish")
    public func finishDecoding() {}
}

extension KeyedDecoder {
    /// Not available: the caller names the type of the object.
    @available(
        *, unavailable, message: "name the type: `try decodeObject(of: String.self, forKey: key)`"
    )
    public func decodeObject(forKey key: String) -> Any? { nil }

    /// Not available: an array of `T` is decoded as `[T]`, and ``decodeObject(ofAny:forKey:)``
    /// reads one of several types.
    @available(
        *, unavailable,
        message:
            "`decode([T].self, forKey: key)` reads an array of `T`; `decodeObject(ofAny:forKey:)` reads one of several types"
    )
    public func decodeObject(of types: [Any.Type], forKey key: String) -> Any? { nil }

    /// Not available: ``decodeDecodable(_:forKey:)`` reads `Codable` values.
    @available(
        *, unavailable,
        message:
            "conform to `KeyedCodable`; `decodeDecodable(_:forKey:)` reads what `encodeEncodable(_:forKey:)` wrote"
    )
    public func decode<T: Decodable>(_ type: T.Type, forKey key: String) throws -> T {
        throw missing(key)
    }

    /// Not available: an initializer throws its own errors.
    @available(*, unavailable, message: "throw the error, or `error(_:forKey:code:)`")
    public func failWithError(_ error: any Error) {}
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// The calls of Foundation's coders that differ from those of this package in what nil is, or in the type of
// bytes. <doc:MethodsOfNSCoder> lists the rest.

// MARK: - Archives as data

extension KeyedArchiver {
    /// An archive of one root, as `NSKeyedArchiver.archivedData(withRootObject:requiringSecureCoding:)`. Coding is
    /// always secure: the classes are those of the registry, and those that the root's type consists of.
    ///
    /// - Throws: as ``finish(as:)``.
    public static func archivedData<T: KeyedEncodable>(
        withRootObject root: T, allowing registry: ClassRegistry = .foundation,
        as format: PropertyListFormat = .binary, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws -> Data {
        Data(try archive(root, allowing: registry, as: format, options: options, limits: limits))
    }

    /// The archive as data; nothing can be written after that. As ``finish(as:)``.
    ///
    /// - Throws: as ``finish(as:)``.
    public func encodedData(as format: PropertyListFormat = .binary) throws -> Data {
        Data(try finish(as: format))
    }
}

// MARK: - Roots that may be nil

extension KeyedUnarchiver {
    /// Parses an archive and reads its root; nil where the root is nil.
    ///
    /// - Throws: as ``unarchive(_:from:allowing:options:limits:)``.
    public static func unarchivedObject<T: KeyedDecodable>(
        ofClass type: T.Type, from bytes: some Sequence<UInt8>,
        allowing registry: ClassRegistry = .foundation, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws -> T? {
        try unarchive(T?.self, from: bytes, allowing: registry, options: options, limits: limits)
    }

    /// Parses an archive and reads its root, as the first of `types` that is read from its class.
    ///
    /// - Throws: as ``init(parsing:allowing:options:limits:)`` and ``unarchive(ofAny:forKey:)``.
    public static func unarchive(
        ofAny types: [any KeyedDecodable.Type], from bytes: some Sequence<UInt8>,
        allowing registry: ClassRegistry = .foundation, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws -> any KeyedDecodable {
        try KeyedUnarchiver(
            parsing: bytes, allowing: registry, options: options, limits: limits
        ).unarchive(ofAny: types)
    }
}

// MARK: - Collections that may be nil

extension KeyedDecoder {
    /// The array of a field; nil where there is none or it is nil.
    ///
    /// - Throws: as ``decodeObject(of:forKey:)``.
    public func decodeArrayOfObjects<T: KeyedDecodable>(
        ofClass type: T.Type = T.self, forKey key: String
    ) throws -> [T]? {
        try decodeObject(of: [T].self, forKey: key)
    }

    /// The dictionary of a field; nil where there is none or it is nil.
    ///
    /// - Throws: as ``decodeObject(of:forKey:)``.
    public func decodeDictionary<Key: KeyedDecodable & Hashable, Value: KeyedDecodable>(
        withKeysOfClass keys: Key.Type = Key.self, objectsOfClass values: Value.Type = Value.self,
        forKey key: String
    ) throws -> [Key: Value]? {
        try decodeObject(of: [Key: Value].self, forKey: key)
    }

    /// The dictionaries, arrays and plain values of a field; nil where there is none or it is nil.
    ///
    /// - Throws: as ``decodeObject(of:forKey:)``.
    public func decodePropertyList(forKey key: String) throws -> PropertyListValue? {
        try decodeObject(of: PropertyListValue.self, forKey: key)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

// Counterparts of methods of Foundation's coders. They differ from this package's own methods in
// the handling of nil, or in the type of bytes. <doc:MethodsOfNSCoder> lists the others.

// MARK: - Archives as data

extension KeyedArchiver {
    /// Returns an archive of one root, like
    /// `NSKeyedArchiver.archivedData(withRootObject:requiringSecureCoding:)`. Coding is always
    /// secure: only classes of the registry and those that the root's type registers are allowed.
    ///
    /// - Throws: the errors of ``finish(as:)``.
    public static func archivedData<T: KeyedEncodable>(
        withRootObject root: T, allowing registry: ClassRegistry = .foundation,
        as format: PropertyListFormat = .binary, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws -> Data {
        Data(try archive(root, allowing: registry, as: format, options: options, limits: limits))
    }

    /// Returns the archive as data, like ``finish(as:)``. Nothing can be written afterwards.
    ///
    /// - Throws: the errors of ``finish(as:)``.
    public func encodedData(as format: PropertyListFormat = .binary) throws -> Data {
        Data(try finish(as: format))
    }
}

// MARK: - Roots

extension KeyedUnarchiver {
    /// Parses an archive and returns its root; nil if the root is nil.
    ///
    /// - Throws: the errors of ``unarchive(_:from:allowing:options:limits:)``.
    public static func unarchivedObject<T: KeyedDecodable>(
        ofClass type: T.Type, from bytes: some Sequence<UInt8>,
        allowing registry: ClassRegistry = .foundation, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) throws -> T? {
        try unarchive(T?.self, from: bytes, allowing: registry, options: options, limits: limits)
    }

    /// Parses an archive and returns its root, as a value of the first of `types` that can be read
    /// from the root's class.
    ///
    /// - Throws: the errors of ``init(parsing:allowing:options:limits:)`` and
    ///   ``unarchive(ofAny:forKey:)``.
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
    /// Returns the array of a field; nil if there is no field or it is nil.
    ///
    /// - Throws: the errors of ``decodeObject(of:forKey:)``.
    public func decodeArrayOfObjects<T: KeyedDecodable>(
        ofClass type: T.Type = T.self, forKey key: String
    ) throws -> [T]? {
        try decodeObject(of: [T].self, forKey: key)
    }

    /// Returns the dictionary of a field; nil if there is no field or it is nil.
    ///
    /// - Throws: the errors of ``decodeObject(of:forKey:)``.
    public func decodeDictionary<Key: KeyedDecodable & Hashable, Value: KeyedDecodable>(
        withKeysOfClass keys: Key.Type = Key.self, objectsOfClass values: Value.Type = Value.self,
        forKey key: String
    ) throws -> [Key: Value]? {
        try decodeObject(of: [Key: Value].self, forKey: key)
    }

    /// Returns the dictionaries, arrays and plain values of a field; nil if there is no field or it
    /// is nil.
    ///
    /// - Throws: the errors of ``decodeObject(of:forKey:)``.
    public func decodePropertyList(forKey key: String) throws -> PropertyListValue? {
        try decodeObject(of: PropertyListValue.self, forKey: key)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The entries of a dictionary, looked up in the document on request.
struct KeyedNodeContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let reader: DictionaryReader

    private var session: DecodingSession {
        @inline(__always) _read { yield reader.session }
    }

    var codingPath: [any CodingKey] { CodingPath.keys(of: reader.path) }

    init(_ session: DecodingSession, _ path: CodingPath?, _ node: UInt32) throws {
        reader = try DictionaryReader(session, path, node, keys: Key.self)
    }

    var allKeys: [Key] {
        reader.rewind()
        reader.chargeKeys()
        var keys: [Key] = []
        keys.reserveCapacity(reader.count)
        for position in 0..<reader.count {
            if let key = Key(stringValue: reader.text(at: position)) { keys.append(key) }
        }
        return keys
    }

    func contains(_ key: Key) -> Bool { reader.find(key.stringValue) != nil }

    /// Returns the value of a required key and counts the value as visited.
    @inline(__always)
    private func require(_ key: Key) throws -> UInt32 {
        let value = try find(key)
        try session.charge { step(key) }
        return value
    }

    /// Returns the value of a required key.
    @inline(__always)
    private func find(_ key: Key) throws -> UInt32 {
        guard let value = reader.find(key.stringValue) else {
            throw session.keyNotFound(key, in: reader.node, reader.path)
        }
        return value
    }

    /// Returns the value of a key and counts the value as visited. Returns nil if the value is
    /// missing or null.
    @inline(__always)
    private func present(_ key: Key) throws -> UInt32? {
        guard let value = reader.find(key.stringValue), !session.isNull(value) else { return nil }
        try session.charge { step(key) }
        return value
    }

    private func step(_ key: Key) -> CodingPath { CodingPath(reader.path, .key(key)) }
}

// MARK: - Values

extension KeyedNodeContainer {
    func decodeNil(forKey key: Key) throws -> Bool { session.isNull(try find(key)) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try session.value(type, require(key)) { step(key) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let value = try present(key) else { return nil }
        return try session.value(type, value) { step(key) }
    }

    @inline(__always)
    private func integer<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T {
        try session.integer(type, require(key)) { step(key) }
    }

    @inline(__always)
    private func integerIfPresent<T: FixedWidthInteger>(_ type: T.Type, _ key: Key) throws -> T? {
        guard let value = try present(key) else { return nil }
        return try session.integer(type, value) { step(key) }
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try session.boolean(require(key)) { step(key) }
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try session.string(require(key)) { step(key) }
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try session.real(type, require(key)) { step(key) }
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try session.real(type, require(key)) { step(key) }
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try integer(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try integer(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try integer(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try integer(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try integer(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try integer(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try integer(type, key) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try integer(type, key) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try integer(type, key)
    }
}

// MARK: - Values that may be missing

extension KeyedNodeContainer {
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        guard let value = try present(key) else { return nil }
        return try session.boolean(value) { step(key) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        guard let value = reader.find(key.stringValue) else { return nil }
        try session.charge { step(key) }
        return try session.stringIfPresent(value) { step(key) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        guard let value = try present(key) else { return nil }
        return try session.real(type, value) { step(key) }
    }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        guard let value = try present(key) else { return nil }
        return try session.real(type, value) { step(key) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try integerIfPresent(type, key)
    }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try integerIfPresent(type, key)
    }
}

// MARK: - Containers

extension KeyedNodeContainer {
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(find(key), key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(find(key), key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        let key = PathKey.super
        return try checked(reader.search(key.stringValue), CodingPath(reader.path, .key(key)))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try checked(reader.find(key.stringValue), step(key))
    }

    private func decoder(_ node: UInt32, _ key: Key) throws -> NodeDecoder {
        try checked(node, step(key))
    }

    /// Returns the decoder of a value, or of null if the value is missing, as Foundation does.
    private func checked(_ node: UInt32?, _ path: CodingPath) throws -> NodeDecoder {
        try session.charge { path }
        return NodeDecoder(session: session, path: path, node: node ?? DecodingSession.missing)
    }
}

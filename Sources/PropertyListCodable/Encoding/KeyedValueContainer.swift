// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The keyed container of a dictionary that is being encoded.
struct KeyedValueContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    private let value: OpenValue

    private var session: EncodingSession {
        @inline(__always) _read { yield value.session }
    }

    var codingPath: [any CodingKey] { CodingPath.keys(of: value.path) }

    /// Creates the container of a value that is a dictionary.
    init(_ value: OpenValue) {
        self.value = value
        value.expectKeys(of: Key.self)
    }

    @inline(__always)
    private func set(_ node: UInt32, _ key: Key) { value.set(node, forKey: key.stringValue) }

    private func step(_ key: Key) -> CodingPath { CodingPath(value.path, .key(key)) }
}

// MARK: - Values

extension KeyedValueContainer {
    func encodeNil(forKey key: Key) throws { set(session.null, key) }

    func encode(_ value: Bool, forKey key: Key) throws {
        set(session.boolean(value), key)
    }
    func encode(_ value: String, forKey key: Key) throws {
        set(session.string(value), key)
    }
    func encode(_ value: Double, forKey key: Key) throws {
        set(session.real(value), key)
    }
    func encode(_ value: Float, forKey key: Key) throws {
        set(session.real(value), key)
    }
    func encode(_ value: Int, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: Int8, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: Int16, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: Int32, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: Int64, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: UInt, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: UInt8, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: UInt16, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: UInt32, forKey key: Key) throws { set(session.integer(value), key) }
    func encode(_ value: UInt64, forKey key: Key) throws { set(session.integer(value), key) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: Int128, forKey key: Key) throws {
        set(try session.wideInteger(value) { step(key) }, key)
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: UInt128, forKey key: Key) throws {
        set(try session.wideInteger(value) { step(key) }, key)
    }

    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        set(try session.node(value) { step(key) } ?? session.emptyDictionary, key)
    }
}

// MARK: - Containers

extension KeyedValueContainer {
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    func superEncoder() -> any Encoder {
        let key = PathKey.super
        return value.encoder(
            session.makeKey(key.stringValue), CodingPath(value.path, .key(key)))
    }

    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: Key) -> ValueEncoder {
        value.encoder(value.node(ofKey: key.stringValue), step(key))
    }
}

extension OpenValue {
    /// Returns the encoder of a nested value. If the key already has a value, the encoder continues
    /// that value.
    fileprivate func encoder(_ key: UInt32, _ path: CodingPath) -> ValueEncoder {
        if let open = nestedValue(forKey: key) { return ValueEncoder(value: open) }
        let open = session.makeNestedValue(path)
        if let node = node(forKey: key) { open.complete(as: node) }
        set(open, forKey: key)
        return ValueEncoder(value: open)
    }
}

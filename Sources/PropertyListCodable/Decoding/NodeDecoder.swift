// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The decoder of one value: the session, the coding path and the index of the node. Its size is
/// three words, so `any Decoder` stores it without an allocation.
struct NodeDecoder: Decoder {
    let session: DecodingSession
    let path: CodingPath?
    let node: UInt32

    var codingPath: [any CodingKey] { CodingPath.keys(of: path) }
    var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try session.enter(path)
        return try KeyedDecodingContainer(KeyedNodeContainer<Key>(session, path, node))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try session.enter(path)
        return try UnkeyedNodeContainer(session, path, node)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }
}

extension NodeDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { session.isNull(node) }

    func decode(_ type: Bool.Type) throws -> Bool { try session.boolean(node) { path } }
    func decode(_ type: String.Type) throws -> String { try session.string(node) { path } }
    func decode(_ type: Double.Type) throws -> Double { try session.real(type, node) { path } }
    func decode(_ type: Float.Type) throws -> Float { try session.real(type, node) { path } }
    func decode(_ type: Int.Type) throws -> Int { try session.integer(type, node) { path } }
    func decode(_ type: Int8.Type) throws -> Int8 { try session.integer(type, node) { path } }
    func decode(_ type: Int16.Type) throws -> Int16 { try session.integer(type, node) { path } }
    func decode(_ type: Int32.Type) throws -> Int32 { try session.integer(type, node) { path } }
    func decode(_ type: Int64.Type) throws -> Int64 { try session.integer(type, node) { path } }
    func decode(_ type: UInt.Type) throws -> UInt { try session.integer(type, node) { path } }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try session.integer(type, node) { path } }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try session.integer(type, node) { path } }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try session.integer(type, node) { path } }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try session.integer(type, node) { path } }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: Int128.Type) throws -> Int128 { try session.integer(type, node) { path } }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func decode(_ type: UInt128.Type) throws -> UInt128 {
        try session.integer(type, node) { path }
    }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try session.value(type, node) { path }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The cost of `Codable` alone: the calls that the compiler generates for the structures, through
/// the standard library's containers, with an empty implementation behind them.
extension Floor {
    @Sendable static func decodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let keys = (0..<Int(20_000 * scale)).map { "\($0)" }
        return Work(size: try input.size(scale: scale)) {
            var tracks: [String: Track] = [:]
            tracks.reserveCapacity(keys.count)
            for key in keys { tracks[key] = try Track(from: ConstantDecoder()) }
            return .checksum(Library(majorVersion: 1, tracks: tracks).checksum)
        }
    }

    @Sendable static func encodeLibrary(_ input: Input, _ scale: Double) throws -> Work {
        let track = try Track(from: ConstantDecoder())
        let tracks = (0..<Int(20_000 * scale)).map { ("\($0)", track) }
        let library = Library(
            majorVersion: 1, tracks: Dictionary(uniqueKeysWithValues: tracks))
        return Work(size: try input.size(scale: scale)) {
            for (_, track) in library.tracks { try track.encode(to: ForgetfulEncoder()) }
            return .checksum(0)
        }
    }
}

// MARK: - Decoding

/// A decoder that returns a constant for each key.
private struct ConstantDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(ConstantContainer())
    }
    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw notPart }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw notPart }
}

private struct ConstantContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode(_ type: Bool.Type, forKey key: Key) -> Bool { true }
    func decode(_ type: String.Type, forKey key: Key) -> String { "text" }
    func decode(_ type: Double.Type, forKey key: Key) -> Double { 1 }
    func decode(_ type: Int.Type, forKey key: Key) -> Int { 1 }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { "text" }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) -> Int? { 1 }
    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let date = Date(timeIntervalSinceReferenceDate: 1) as? T else { throw notPart }
        return date
    }

    func decode(_ type: Float.Type, forKey key: Key) -> Float { 1 }
    func decode(_ type: Int8.Type, forKey key: Key) -> Int8 { 1 }
    func decode(_ type: Int16.Type, forKey key: Key) -> Int16 { 1 }
    func decode(_ type: Int32.Type, forKey key: Key) -> Int32 { 1 }
    func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { 1 }
    func decode(_ type: UInt.Type, forKey key: Key) -> UInt { 1 }
    func decode(_ type: UInt8.Type, forKey key: Key) -> UInt8 { 1 }
    func decode(_ type: UInt16.Type, forKey key: Key) -> UInt16 { 1 }
    func decode(_ type: UInt32.Type, forKey key: Key) -> UInt32 { 1 }
    func decode(_ type: UInt64.Type, forKey key: Key) -> UInt64 { 1 }

    func nestedContainer<Nested>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> { throw notPart }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        throw notPart
    }
    func superDecoder() throws -> any Decoder { throw notPart }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw notPart }
}

private let notPart = BenchmarkError(
    "`ConstantDecoder` supports only the calls of the music library's types")

// MARK: - Encoding

/// An encoder that accepts every value and stores none.
private struct ForgetfulEncoder: Encoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ForgetfulContainer())
    }
    func unkeyedContainer() -> any UnkeyedEncodingContainer { ForgetfulElements() }
    func singleValueContainer() -> any SingleValueEncodingContainer { ForgetfulElements() }
}

private struct ForgetfulContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    var codingPath: [any CodingKey] { [] }
    func encodeNil(forKey key: Key) {}
    func encode(_ value: Bool, forKey key: Key) {}
    func encode(_ value: String, forKey key: Key) {}
    func encode(_ value: Double, forKey key: Key) {}
    func encode(_ value: Float, forKey key: Key) {}
    func encode(_ value: Int, forKey key: Key) {}
    func encode(_ value: Int8, forKey key: Key) {}
    func encode(_ value: Int16, forKey key: Key) {}
    func encode(_ value: Int32, forKey key: Key) {}
    func encode(_ value: Int64, forKey key: Key) {}
    func encode(_ value: UInt, forKey key: Key) {}
    func encode(_ value: UInt8, forKey key: Key) {}
    func encode(_ value: UInt16, forKey key: Key) {}
    func encode(_ value: UInt32, forKey key: Key) {}
    func encode(_ value: UInt64, forKey key: Key) {}
    func encode<T: Encodable>(_ value: T, forKey key: Key) {}
    func encodeIfPresent(_ value: String?, forKey key: Key) {}
    func encodeIfPresent(_ value: Int?, forKey key: Key) {}

    func nestedContainer<Nested>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(ForgetfulContainer<Nested>()) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ForgetfulElements()
    }
    func superEncoder() -> any Encoder { ForgetfulEncoder() }
    func superEncoder(forKey key: Key) -> any Encoder { ForgetfulEncoder() }
}

private struct ForgetfulElements: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }
    func encodeNil() {}
    func encode<T: Encodable>(_ value: T) {}
    func nestedContainer<Nested>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(ForgetfulContainer<Nested>()) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
    func superEncoder() -> any Encoder { ForgetfulEncoder() }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// The elements of an array or a set, read from the document in order.
struct UnkeyedNodeContainer: UnkeyedDecodingContainer {
    let session: DecodingSession
    let path: CodingPath?
    let node: UInt32
    private let first: Int
    private let end: Int
    private(set) var currentIndex = 0

    var codingPath: [any CodingKey] { CodingPath.keys(of: path) }
    var count: Int? { end }
    var isAtEnd: Bool { currentIndex >= end }

    init(_ session: DecodingSession, _ path: CodingPath?, _ node: UInt32) throws {
        let record = session.record(node)
        guard record.kind == .array || record.kind == .set else {
            throw session.containerRefusal([Any].self, node, path)
        }
        self.session = session
        self.path = path
        self.node = node
        first = record.valueRange.lowerBound
        end = record.count
    }

    private var step: CodingPath { CodingPath(path, .index(currentIndex)) }

    /// Decodes the next element. After an error, the container stays at the element.
    @inline(__always)
    private mutating func next<R>(
        _ type: Any.Type, _ read: (Self, UInt32, () -> CodingPath?) throws -> R
    ) throws -> R {
        guard currentIndex < end else { throw session.pastEnd(type, of: node, step) }
        try session.charge { step }
        let value = try read(self, session.children[first &+ currentIndex]) { step }
        currentIndex &+= 1
        return value
    }

    @inline(__always)
    private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
        try next(type) { try $0.session.integer(type, $1, $2) }
    }

    mutating func decodeNil() throws -> Bool {
        guard currentIndex < end else { throw session.pastEnd(Never.self, of: node, step) }
        guard session.isNull(session.children[first &+ currentIndex]) else { return false }
        try session.charge { step }
        currentIndex &+= 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        try next(type) { try $0.session.boolean($1, $2) }
    }
    mutating func decode(_ type: String.Type) throws -> String {
        try next(type) { try $0.session.string($1, $2) }
    }
    mutating func decode(_ type: Double.Type) throws -> Double {
        try next(type) { try $0.session.real(type, $1, $2) }
    }
    mutating func decode(_ type: Float.Type) throws -> Float {
        try next(type) { try $0.session.real(type, $1, $2) }
    }
    mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        try next(type) { try $0.session.value(type, $1, $2) }
    }
}

// MARK: - Containers

extension UnkeyedNodeContainer {
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next(KeyedDecodingContainer<Nested>.self) {
            try $0.decoder($1, $2()).container(keyedBy: type)
        }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next((any UnkeyedDecodingContainer).self) {
            try $0.decoder($1, $2()).unkeyedContainer()
        }
    }

    mutating func superDecoder() throws -> any Decoder {
        try next((any Decoder).self) { $0.decoder($1, $2()) }
    }

    private func decoder(_ node: UInt32, _ path: CodingPath?) -> NodeDecoder {
        NodeDecoder(session: session, path: path, node: node)
    }
}

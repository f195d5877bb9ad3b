// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The unkeyed container of an array that is being encoded.
struct UnkeyedValueContainer: UnkeyedEncodingContainer {
    let value: OpenValue

    private var session: EncodingSession {
        @inline(__always) _read { yield value.session }
    }

    var codingPath: [any CodingKey] { CodingPath.keys(of: value.path) }
    var count: Int { value.elements.count }

    private var step: CodingPath { CodingPath(value.path, .index(count)) }

    func encodeNil() throws { value.append(session.null) }

    func encode(_ value: Bool) throws { self.value.append(session.boolean(value)) }
    func encode(_ value: String) throws { self.value.append(session.string(value)) }
    func encode(_ value: Double) throws {
        self.value.append(session.real(value))
    }
    func encode(_ value: Float) throws {
        self.value.append(session.real(value))
    }
    func encode(_ value: Int) throws { self.value.append(session.integer(value)) }
    func encode(_ value: Int8) throws { self.value.append(session.integer(value)) }
    func encode(_ value: Int16) throws { self.value.append(session.integer(value)) }
    func encode(_ value: Int32) throws { self.value.append(session.integer(value)) }
    func encode(_ value: Int64) throws { self.value.append(session.integer(value)) }
    func encode(_ value: UInt) throws { self.value.append(session.integer(value)) }
    func encode(_ value: UInt8) throws { self.value.append(session.integer(value)) }
    func encode(_ value: UInt16) throws { self.value.append(session.integer(value)) }
    func encode(_ value: UInt32) throws { self.value.append(session.integer(value)) }
    func encode(_ value: UInt64) throws { self.value.append(session.integer(value)) }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: Int128) throws {
        self.value.append(try session.wideInteger(value) { step })
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: UInt128) throws {
        self.value.append(try session.wideInteger(value) { step })
    }

    func encode<T: Encodable>(_ value: T) throws {
        let node = try session.node(value) { step } ?? session.emptyDictionary
        self.value.append(node)
    }
}

// MARK: - Containers

extension UnkeyedValueContainer {
    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        encoder.container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder.unkeyedContainer() }

    func superEncoder() -> any Encoder { encoder }

    /// The encoder of the next element.
    private var encoder: ValueEncoder {
        let open = session.makeNestedValue(step)
        value.append(open)
        return ValueEncoder(value: open)
    }
}

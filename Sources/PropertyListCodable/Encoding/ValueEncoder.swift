// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The encoder of one value. Its size is one word, so `any Encoder` stores it without an
/// allocation.
struct ValueEncoder: Encoder {
    let value: OpenValue

    var session: EncodingSession {
        @inline(__always) _read { yield value.session }
    }

    var codingPath: [any CodingKey] { CodingPath.keys(of: value.path) }
    var userInfo: [CodingUserInfoKey: Any] { session.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedValueContainer<Key>(opened(as: .dictionary)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedValueContainer(value: opened(as: .array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// Opens the value as an array or a dictionary, and returns it. A complete container of that
    /// form is reopened, and further values are merged into it. If the value already has another
    /// form or is nested too deeply, records an error, which is thrown later, and returns an object
    /// that is discarded.
    func opened(as form: OpenValue.Form) -> OpenValue {
        let depth = value.path?.depth ?? 0
        if depth >= session.limits.depth {
            session.fail(
                session.depthExceeded((), depth &+ 1, limit: session.limits.depth, value.path))
        } else if session.isStackExhausted {
            session.fail(session.stackExceeded(value.path))
        } else if value.become(form) || value.reopen(as: form) {
            return value
        }
        session.fail(secondValue(()))
        let stray = OpenValue(session, value.path)
        _ = stray.become(form)
        return stray
    }

    @inline(never)
    private func secondValue(_ second: Any) -> any Error {
        session.invalid(
            second, value.path,
            "Expected one value, found a second one that cannot be merged with the first.")
    }
}

extension ValueEncoder: SingleValueEncodingContainer {
    @inline(__always)
    private func set(_ second: Any, _ node: () throws -> UInt32) throws {
        guard value.form == .nothing else { throw secondValue(second) }
        // Build the node before the value changes its form. If that throws, the type may still
        // encode another value.
        let node = try node()
        guard value.become(.single) else { throw secondValue(second) }
        value.node = node
    }

    func encodeNil() throws { try set(()) { session.null } }

    func encode(_ value: Bool) throws { try set(value) { session.boolean(value) } }
    func encode(_ value: String) throws { try set(value) { session.string(value) } }
    func encode(_ value: Double) throws {
        try set(value) { session.real(value) }
    }
    func encode(_ value: Float) throws {
        try set(value) { session.real(value) }
    }
    func encode(_ value: Int) throws { try set(value) { session.integer(value) } }
    func encode(_ value: Int8) throws { try set(value) { session.integer(value) } }
    func encode(_ value: Int16) throws { try set(value) { session.integer(value) } }
    func encode(_ value: Int32) throws { try set(value) { session.integer(value) } }
    func encode(_ value: Int64) throws { try set(value) { session.integer(value) } }
    func encode(_ value: UInt) throws { try set(value) { session.integer(value) } }
    func encode(_ value: UInt8) throws { try set(value) { session.integer(value) } }
    func encode(_ value: UInt16) throws { try set(value) { session.integer(value) } }
    func encode(_ value: UInt32) throws { try set(value) { session.integer(value) } }
    func encode(_ value: UInt64) throws { try set(value) { session.integer(value) } }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: Int128) throws {
        try set(value) { try session.wideInteger(value) { self.value.path } }
    }

    @available(macOS 15.0, iOS 18.0, watchOS 11.0, tvOS 18.0, visionOS 2.0, *)
    func encode(_ value: UInt128) throws {
        try set(value) { try session.wideInteger(value) { self.value.path } }
    }

    func encode<T: Encodable>(_ value: T) throws {
        guard self.value.form == .nothing else { throw secondValue(value) }
        let node = try session.node(value) { self.value.path } ?? session.emptyDictionary
        try set(value) { node }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
public import PropertyList

/// Encodes `Codable` types as property lists.
///
/// It does what Foundation's `PropertyListEncoder` does, for the same types; the article
/// <doc:PropertyListCodable> lists the differences. An encoder is a value: it may be used again, and
/// by many threads at once.
///
/// ```swift
/// let data = try PlistEncoder(format: .xml).encode(profile)
/// ```
///
/// What fails is an `EncodingError` with the whole coding path; its context's `underlyingError` is a
/// `PropertyListError` where a limit or the format is the reason.
public struct PlistEncoder: Sendable {
    /// The order of keys in dictionaries.
    public enum KeyOrder: Sendable, Hashable {
        /// The order in which the types encode them.
        case asEncoded
        /// By their UTF-16 code units, as Apple's XML writer has them.
        case sorted
    }

    /// The format of files; binary by default.
    public var format: PropertyListFormat

    /// The order of keys.
    public var keyOrder = KeyOrder.asEncoded

    /// How objects of the binary format are numbered; equal ones are written once by default.
    public var layout = BinaryLayout.compact

    /// What XML may lose without an error. By default what Foundation's encoder loses and readers do
    /// not trip over: fractions of seconds, and whether a number was a `Float`.
    public var xmlLosses: XMLPropertyList.Losses = [.fractionsOfSeconds, .realWidths]

    /// Whether a file may consist of a string, a number, a boolean or a date alone. Foundation's
    /// encoder refuses that, and so does this one by default.
    public var allowsFragments = false

    /// How deeply values may be nested, and how much they may expand to.
    public var limits = ParsingLimits.default

    /// What the types that are encoded may ask for.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates an encoder.
    public init(format: PropertyListFormat = .binary) { self.format = format }
}

// MARK: - Files

extension PlistEncoder {
    /// The file that a value becomes. Linear in its size, but for the sorting of keys.
    ///
    /// - Throws: `EncodingError`: for a value that property lists or the format have no form for,
    ///   for a root that encodes nothing or is no container nor data, for more nesting than
    ///   ``limits`` allow. What the types throw.
    public func encode(_ value: some Encodable) throws -> Data { Data(try encodeBytes(value)) }

    /// The file that a value becomes, as bytes.
    ///
    /// - Throws: as ``encode(_:)``.
    public func encodeBytes(_ value: some Encodable) throws -> [UInt8] {
        let document = try encodeDocument(value)
        if !allowsFragments { try refuseFragment(document.root.kind, value) }
        return try serialize(document, value)
    }

    /// The file that a value becomes with a configuration. As in Foundation, it may consist of
    /// anything.
    ///
    /// - Throws: as ``encode(_:)``.
    public func encode<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> Data {
        let document = try encodeDocument(value, configuration: configuration)
        return Data(try serialize(document, value))
    }

    /// The file that a value becomes with the configuration of a provider.
    ///
    /// - Throws: as ``encode(_:)``.
    public func encode<T: EncodableWithConfiguration, C: EncodingConfigurationProviding>(
        _ value: T, configuration: C.Type
    ) throws -> Data where T.EncodingConfiguration == C.EncodingConfiguration {
        try encode(value, configuration: C.encodingConfiguration)
    }

    private func refuseFragment(_ kind: PropertyListKind, _ value: Any) throws {
        if kind.isContainer || kind == .data { return }
        throw rootError(value, "Top-level \(type(of: value)) encoded as \(kind) fragment.")
    }

    private func serialize(_ document: PropertyListDocument, _ value: Any) throws -> [UInt8] {
        do {
            if format == .xml {
                var options = XMLPropertyList.Options()
                options.realText = .shortest
                options.allowedLosses = xmlLosses
                return try XMLPropertyList.serialize(document, options: options, limits: limits)
                    .bytes
            }
            if format == .binary {
                return try BinaryPropertyList.serialize(document, layout: layout, limits: limits)
            }
            return try document.serialized(as: format, limits: limits)
        } catch {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: error.path?.codingKeys ?? [],
                    debugDescription: "The value cannot be written in the format \(format).",
                    underlyingError: error))
        }
    }
}

// MARK: - Documents and values

extension PlistEncoder {
    /// The document that a value becomes; anything may be its root. Linear.
    ///
    /// - Throws: `EncodingError`, what the types throw.
    public func encodeDocument(_ value: some Encodable) throws -> PropertyListDocument {
        try document(value) { try $0.node(value) { nil } }
    }

    /// The document that a value becomes with a configuration. Linear.
    ///
    /// - Throws: as ``encodeDocument(_:)``.
    public func encodeDocument<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> PropertyListDocument {
        try document(value) { session in
            try session.node(nil) {
                try value.encode(to: $0, configuration: configuration)
            }
        }
    }

    /// The tree of values that a value becomes; anything may be its root. Linear.
    ///
    /// - Throws: as ``encodeDocument(_:)``.
    public func encodeValue(_ value: some Encodable) throws -> PropertyListValue {
        try tree(encodeDocument(value), value)
    }

    /// The tree of values that a value becomes with a configuration. Linear.
    ///
    /// - Throws: as ``encodeDocument(_:)``.
    public func encodeValue<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> PropertyListValue {
        try tree(encodeDocument(value, configuration: configuration), value)
    }

    private func document(
        _ value: Any, _ encode: (EncodingSession) throws -> UInt32?
    ) throws -> PropertyListDocument {
        let session = EncodingSession(
            userInfo: userInfo, limits: limits, sortsKeys: keyOrder == .sorted,
            sharesLeaves: format == .binary && layout == .compact)
        defer { session.end() }
        let root = try encode(session)
        if let failure = session.failure { throw failure }
        guard let root else {
            throw rootError(value, "Top-level \(type(of: value)) did not encode any values.")
        }
        do {
            return try session.finish(root: root)
        } catch {
            throw rootError(value, "The property list is too large.", error)
        }
    }

    private func tree(_ document: PropertyListDocument, _ value: Any) throws -> PropertyListValue {
        do {
            return try document.root.value(limits: limits)
        } catch {
            throw rootError(value, "The tree of values exceeds the limits.", error)
        }
    }

    private func rootError(
        _ value: Any, _ text: String, _ error: PropertyListError? = nil
    ) -> any Error {
        EncodingError.invalidValue(
            value,
            EncodingError.Context(codingPath: [], debugDescription: text, underlyingError: error))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
@_spi(Tables) public import PropertyList

/// Decodes `Codable` types from property lists.
///
/// It does what Foundation's `PropertyListDecoder` does, for the same types and the same files; the
/// article <doc:PropertyListCodable> lists the differences. The types read the parsed document in
/// place. A decoder is a value: it may be used again, and by many threads at once.
///
/// ```swift
/// let profile = try PlistDecoder().decode(Profile.self, from: data)
/// ```
///
/// What fails is a `DecodingError` with the whole coding path; its context's `underlyingError` is a
/// `PropertyListError` that knows the place in the file: the line and column, or the byte.
public struct PlistDecoder: Sendable {
    /// The format, if it is known; otherwise it is found by the first bytes.
    public var format: PropertyListFormat?

    /// Leniencies in reading the file; none by default.
    public var options: ParsingOptions

    /// How much a file may ask for, in reading it and in what it expands to.
    public var limits: ParsingLimits

    /// What the types that are decoded may ask for.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

    /// Creates a decoder.
    public init(
        format: PropertyListFormat? = nil, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) {
        self.format = format
        self.options = options
        self.limits = limits
    }
}

// MARK: - From bytes

extension PlistDecoder {
    /// Decodes a value from a file. Linear in the size of the file and of what it expands to.
    ///
    /// - Parameters:
    ///   - type: what is decoded.
    ///   - bytes: the file: `Data`, an array, any sequence of bytes.
    /// - Throws: `DecodingError`; where the file is malformed, `dataCorrupted` with the
    ///   `PropertyListError` as `underlyingError`. What the initializers of the types throw.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>
    ) throws -> T {
        try decode(type, from: document(bytes))
    }

    /// Decodes a value from a file and says which format it has.
    ///
    /// - Throws: as ``decode(_:from:)-(_,Sequence<UInt8>)``.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>,
        format: inout PropertyListFormat
    ) throws -> T {
        let document = try document(bytes)
        if let found = document.format { format = found }
        return try decode(type, from: document)
    }

    /// Decodes a value that needs a configuration from a file.
    ///
    /// - Throws: as ``decode(_:from:)-(_,Sequence<UInt8>)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        try decode(type, from: document(bytes), configuration: configuration)
    }

    /// Decodes a value with the configuration of a provider from a file.
    ///
    /// - Throws: as ``decode(_:from:)-(_,Sequence<UInt8>)``.
    public func decode<T: DecodableWithConfiguration, C: DecodingConfigurationProviding>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>, configuration: C.Type
    ) throws -> T where T.DecodingConfiguration == C.DecodingConfiguration {
        try decode(type, from: document(bytes), configuration: C.decodingConfiguration)
    }

    private func document(_ bytes: some Sequence<UInt8>) throws -> PropertyListDocument {
        do {
            return try PropertyListDocument(
                parsing: bytes, format: format, options: options, limits: limits)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: error.path?.codingKeys ?? [],
                    debugDescription: "The given data was not a valid property list.",
                    underlyingError: error))
        }
    }
}

// MARK: - From documents and values

extension PlistDecoder {
    /// Decodes a value from a document that has been parsed or built. Linear in what the document
    /// expands to.
    ///
    /// - Throws: `DecodingError`, what the initializers of the types throw.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from document: PropertyListDocument
    ) throws -> T {
        try decode(type, from: document.root)
    }

    /// Decodes a value that needs a configuration from a document.
    ///
    /// - Throws: as ``decode(_:from:)-(_,PropertyListDocument)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from document: PropertyListDocument,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        let session = session(document.root)
        return try session.descend(nil) {
            let decoder = NodeDecoder(session: session, path: nil, node: session.table.root)
            return try type.init(from: decoder, configuration: configuration)
        }
    }

    /// Decodes one value of a document, with all it holds. Coding paths begin at that value.
    ///
    /// - Throws: as ``decode(_:from:)-(_,PropertyListDocument)``.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from node: PropertyListNode
    ) throws -> T {
        try session(node).value(type, UInt32(truncatingIfNeeded: node.number)) { nil }
    }

    /// Decodes a value from a tree. Linear.
    ///
    /// - Throws: as ``decode(_:from:)-(_,PropertyListDocument)``; `dataCorrupted` where the tree
    ///   exceeds the limits.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from value: PropertyListValue
    ) throws -> T {
        try decode(type, from: document(value))
    }

    /// Decodes a value that needs a configuration from a tree.
    ///
    /// - Throws: as ``decode(_:from:)-(_,PropertyListValue)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from value: PropertyListValue,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        try decode(type, from: document(value), configuration: configuration)
    }

    private func document(_ value: PropertyListValue) throws -> PropertyListDocument {
        do {
            return try PropertyListDocument(value, limits: limits)
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(
                    codingPath: error.path?.codingKeys ?? [],
                    debugDescription: "The given value is no valid property list.",
                    underlyingError: error))
        }
    }

    private func session(_ node: PropertyListNode) -> DecodingSession {
        DecodingSession(DocumentTable(of: node), userInfo: userInfo, limits: limits)
    }
}

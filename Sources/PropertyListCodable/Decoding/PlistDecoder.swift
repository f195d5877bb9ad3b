// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An object that decodes `Codable` types from property lists.
///
/// This class replaces Foundation's `PropertyListDecoder` for the same types and files; the article
/// <doc:PropertyListCodable> lists the differences. Values are decoded directly from the parsed
/// document, without an intermediate tree.
///
/// ```swift
/// let profile = try PlistDecoder().decode(Profile.self, from: data)
/// ```
///
/// A decoder can be reused and shared between threads. Each call copies the options when it begins.
/// Changing the options does not affect calls in progress.
///
/// The decoder throws `DecodingError` with the full coding path. The context's `underlyingError`,
/// if any, is a `PropertyListError` with the location in the file: the line and column, or the
/// byte.
///
/// A subclass may override ``userInfo``, which each call reads once, and the methods that take
/// `Data`. The other methods, which take sequences of bytes, documents, nodes and trees, never call
/// the methods that take `Data`.
// `@unchecked Sendable`, because the class may be subclassed, as Foundation's decoder may. The only
// stored property is a constant of a `Sendable` type.
open class PlistDecoder: @unchecked Sendable {
    /// The formats of files, under the name that Foundation's decoder uses.
    public typealias PropertyListFormat = PropertyList.PropertyListFormat

    /// The options of one decoder, or of one call.
    struct Options: Sendable {
        var format: PropertyListFormat?
        var leniencies: ParsingOptions
        var limits: ParsingLimits
        var jsonMapping = JSONPropertyList.Mapping.strict
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    }

    private let settings: Guarded<Options>

    /// Creates a decoder.
    ///
    /// - Parameters:
    ///   - format: The format of files. By default it is detected from the first bytes.
    ///   - options: The leniencies for parsing files; none by default.
    ///   - limits: The limits for parsing files and for their expansion.
    public init(
        format: PropertyListFormat? = nil, options: ParsingOptions = .strict,
        limits: ParsingLimits = .default
    ) {
        settings = Guarded(Options(format: format, leniencies: options, limits: limits))
    }

    /// The options of a call, copied under one lock. A subclass may override ``userInfo``.
    private var current: Options {
        var options = settings.copy
        if type(of: self) == PlistDecoder.self { return options }
        options.userInfo = userInfo
        return options
    }

    // MARK: Options

    /// Contextual information for the decoded types.
    open var userInfo: [CodingUserInfoKey: any Sendable] {
        get { settings.withLock { $0.userInfo } }
        set { settings.withLock { $0.userInfo = newValue } }
    }

    /// The format of files; nil to detect it from the first bytes.
    public var format: PropertyListFormat? {
        get { settings.withLock { $0.format } }
        set { settings.withLock { $0.format = newValue } }
    }

    /// The leniencies for parsing a file; none by default.
    public var options: ParsingOptions {
        get { settings.withLock { $0.leniencies } }
        set { settings.withLock { $0.leniencies = newValue } }
    }

    /// The mapping of JSON values. Strict by default, so no string is read as a date.
    public var jsonMapping: JSONPropertyList.Mapping {
        get { settings.withLock { $0.jsonMapping } }
        set { settings.withLock { $0.jsonMapping = newValue } }
    }

    /// The limits for parsing a file and for its expansion.
    public var limits: ParsingLimits {
        get { settings.withLock { $0.limits } }
        set { settings.withLock { $0.limits = newValue } }
    }

    // MARK: Files

    /// Decodes a value from a file. Linear in the size of the file and its expansion.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The file.
    /// - Returns: The value.
    /// - Throws: `DecodingError`, and the errors of the types' initializers. For a malformed file,
    ///   `dataCorrupted` with the `PropertyListError` as `underlyingError`.
    open func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        let options = current
        return try options.value(type, options.document(data).root)
    }

    /// Decodes a value from a file and reports the format of the file.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - data: The file.
    ///   - format: The detected format; unchanged if the file is malformed.
    /// - Returns: The value.
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    open func decode<T: Decodable>(
        _ type: T.Type, from data: Data, format: inout PropertyListFormat
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(data, format: &format).root)
    }

    /// Decodes a value from a file, using a configuration.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    open func decode<T: DecodableWithConfiguration>(
        _ type: T.Type, from data: Data, configuration: T.DecodingConfiguration
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(data), configuration)
    }

    /// Decodes a value from a file with the configuration of a provider.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    open func decode<T: DecodableWithConfiguration, C: DecodingConfigurationProviding>(
        _ type: T.Type, from data: Data, configuration: C.Type
    ) throws -> T where T.DecodingConfiguration == C.DecodingConfiguration {
        try decode(type, from: data, configuration: C.decodingConfiguration)
    }

    /// Decodes a value from a file with a configuration, and reports the format of the file.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    open func decode<T: DecodableWithConfiguration>(
        _ type: T.Type, from data: Data, format: inout PropertyListFormat,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(data, format: &format), configuration)
    }

    /// Decodes a value from a file with the configuration of a provider, and reports the format of
    /// the file.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    open func decode<T: DecodableWithConfiguration, C: DecodingConfigurationProviding>(
        _ type: T.Type, from data: Data, format: inout PropertyListFormat, configuration: C.Type
    ) throws -> T where T.DecodingConfiguration == C.DecodingConfiguration {
        try decode(type, from: data, format: &format, configuration: C.decodingConfiguration)
    }
}

// MARK: - From other sequences of bytes

extension PlistDecoder {
    /// Decodes a value from a file. Linear in the size of the file and its expansion.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - bytes: The bytes of the file, as `Data`, an array or any other sequence.
    /// - Returns: The value.
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(bytes).root)
    }

    /// Decodes a value from a file and reports the format of the file.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>,
        format: inout PropertyListFormat
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(bytes, format: &format).root)
    }

    /// Decodes a value from a file, using a configuration.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(bytes), configuration)
    }

    /// Decodes a value from a file with the configuration of a provider.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,Data)``.
    public func decode<T: DecodableWithConfiguration, C: DecodingConfigurationProviding>(
        _ type: T.Type = T.self, from bytes: some Sequence<UInt8>, configuration: C.Type
    ) throws -> T where T.DecodingConfiguration == C.DecodingConfiguration {
        try decode(type, from: bytes, configuration: C.decodingConfiguration)
    }
}

// MARK: - From documents and values

extension PlistDecoder {
    /// Decodes a value from a document that was parsed or built. Linear in the expansion of the
    /// document.
    ///
    /// - Throws: `DecodingError` and the errors of the types' initializers.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from document: PropertyListDocument
    ) throws -> T {
        try current.value(type, document.root)
    }

    /// Decodes a value from a document with a configuration.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,PropertyListDocument)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from document: PropertyListDocument,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        try current.value(type, document, configuration)
    }

    /// Decodes one value of a document, with everything below it. Coding paths begin at that value.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,PropertyListDocument)``.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from node: PropertyListNode
    ) throws -> T {
        try current.value(type, node)
    }

    /// Decodes a value from a tree. Linear.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,PropertyListDocument)``; `dataCorrupted` if the
    ///   tree exceeds the limits.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, from value: PropertyListValue
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(value).root)
    }

    /// Decodes a value from a tree with a configuration.
    ///
    /// - Throws: The errors of ``decode(_:from:)-(_,PropertyListValue)``.
    public func decode<T: DecodableWithConfiguration>(
        _ type: T.Type = T.self, from value: PropertyListValue,
        configuration: T.DecodingConfiguration
    ) throws -> T {
        let options = current
        return try options.value(type, options.document(value), configuration)
    }
}

// MARK: - One call

extension PlistDecoder.Options {
    func value<T: Decodable>(_ type: T.Type, _ node: PropertyListNode) throws -> T {
        try session(node).value(type, UInt32(truncatingIfNeeded: node.number)) { nil }
    }

    func value<T: DecodableWithConfiguration>(
        _ type: T.Type, _ document: PropertyListDocument, _ configuration: T.DecodingConfiguration
    ) throws -> T {
        let session = session(document.root)
        return try session.descend(nil) {
            let decoder = NodeDecoder(session: session, path: nil, node: session.table.root)
            return try type.init(from: decoder, configuration: configuration)
        }
    }

    private func session(_ node: PropertyListNode) -> DecodingSession {
        DecodingSession(DocumentTable(of: node), userInfo: userInfo, limits: limits)
    }

    func document(
        _ bytes: some Sequence<UInt8>, format: inout PropertyListFormat
    ) throws -> PropertyListDocument {
        let document = try document(bytes)
        if let found = document.format { format = found }
        return document
    }

    func document(_ bytes: some Sequence<UInt8>) throws -> PropertyListDocument {
        do {
            return try parse(bytes)
        } catch {
            throw Self.corrupted("The given data was not a valid property list.", error)
        }
    }

    private func parse(
        _ bytes: some Sequence<UInt8>
    ) throws(PropertyListError) -> PropertyListDocument {
        try PropertyListDocument(
            parsing: Array(bytes), format: format, mapping: jsonMapping, options: leniencies,
            limits: limits)
    }

    func document(_ value: PropertyListValue) throws -> PropertyListDocument {
        do {
            return try PropertyListDocument(value, limits: limits)
        } catch {
            throw Self.corrupted("The given value is not a valid property list.", error)
        }
    }

    private static func corrupted(_ text: String, _ error: PropertyListError) -> any Error {
        DecodingError.dataCorrupted(
            DecodingError.Context(
                codingPath: error.path?.codingKeys ?? [], debugDescription: text,
                underlyingError: error))
    }
}

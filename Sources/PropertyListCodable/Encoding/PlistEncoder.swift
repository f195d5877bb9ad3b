// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An object that encodes `Codable` types as property lists.
///
/// This class replaces Foundation's `PropertyListEncoder` for the same types; the article
/// <doc:PropertyListCodable> lists the differences.
///
/// ```swift
/// let encoder = PlistEncoder()
/// encoder.outputFormat = .xml
/// let data = try encoder.encode(profile)
/// ```
///
/// An encoder can be reused and shared between threads. Each call copies the options when it
/// begins. Changing the options does not affect calls in progress.
///
/// Errors are `EncodingError` values with the full coding path. If a limit or the format is the
/// reason, the context's `underlyingError` is a `PropertyListError`.
///
/// A subclass may override ``outputFormat``, ``userInfo`` and the ``encode(_:)`` methods that
/// return `Data`. Each call reads both properties once. The other methods do not call
/// ``encode(_:)``, so overriding it does not affect them. If another thread changes the options of
/// a subclass during a call, the call may combine one property from before the change with another
/// from after it.
// `@unchecked Sendable`, because the class may be subclassed, as Foundation's encoder may. The only
// stored property is a constant of a `Sendable` type.
open class PlistEncoder: @unchecked Sendable {
    /// The order of keys in dictionaries.
    public enum KeyOrder: Sendable, Hashable {
        /// The order in which the types encode their keys.
        case asEncoded
        /// Ascending UTF-16 code units, as in Apple's XML writer.
        case sorted
    }

    /// The options of one encoder, or of one call.
    struct Options: Sendable {
        var format: PropertyListFormat
        var keyOrder = KeyOrder.asEncoded
        var writing = WritingOptions()
        var allowsFragments = false
        var limits = ParsingLimits.default
        var userInfo: [CodingUserInfoKey: any Sendable] = [:]

        init(format: PropertyListFormat) {
            self.format = format
            writing.xml.realText = .shortest
            writing.xml.allowedLosses = [.fractionsOfSeconds, .realWidths]
        }
    }

    private let options: Guarded<Options>

    /// Creates an encoder.
    ///
    /// - Parameter format: The format of files; binary by default.
    public init(format: PropertyListFormat = .binary) {
        options = Guarded(Options(format: format))
    }

    /// The options of a call, copied under one lock. A subclass may override ``outputFormat`` and
    /// ``userInfo``.
    private var current: Options {
        var options = options.copy
        if type(of: self) == PlistEncoder.self { return options }
        options.format = outputFormat
        options.userInfo = userInfo
        return options
    }

    // MARK: Options

    /// The format of files; binary by default.
    open var outputFormat: PropertyListFormat {
        get { options.withLock { $0.format } }
        set { options.withLock { $0.format = newValue } }
    }

    /// Contextual information for the encoded types.
    open var userInfo: [CodingUserInfoKey: any Sendable] {
        get { options.withLock { $0.userInfo } }
        set { options.withLock { $0.userInfo = newValue } }
    }

    /// The order of keys. The dictionaries of a `PropertyListValue` keep their own order.
    public var keyOrder: KeyOrder {
        get { options.withLock { $0.keyOrder } }
        set { options.withLock { $0.keyOrder = newValue } }
    }

    /// The order and sharing of objects in the binary format. By default, equal strings, numbers
    /// and other leaves are written once.
    public var layout: BinaryLayout {
        get { options.withLock { $0.writing.binary } }
        set { options.withLock { $0.writing.binary = newValue } }
    }

    /// The options of XML. By default, as in Foundation's encoder, reals have their shortest text,
    /// and fractions of seconds and the difference between `Float` and `Double` are lost.
    public var xmlOptions: XMLPropertyList.Options {
        get { options.withLock { $0.writing.xml } }
        set { options.withLock { $0.writing.xml = newValue } }
    }

    /// The options of OpenStep text. By default numbers, booleans and dates are errors.
    public var openStepOptions: OpenStepPropertyList.Options {
        get { options.withLock { $0.writing.openStep } }
        set { options.withLock { $0.writing.openStep = newValue } }
    }

    /// The options of JSON. By default dates and data are errors.
    public var jsonOptions: JSONPropertyList.Options {
        get { options.withLock { $0.writing.json } }
        set { options.withLock { $0.writing.json = newValue } }
    }

    /// A Boolean value that indicates whether a file may consist of a single string, number,
    /// boolean or date. False by default. Foundation's encoder does not support such files.
    public var allowsFragments: Bool {
        get { options.withLock { $0.allowsFragments } }
        set { options.withLock { $0.allowsFragments = newValue } }
    }

    /// The limits for the nesting of values and for their expansion.
    public var limits: ParsingLimits {
        get { options.withLock { $0.limits } }
        set { options.withLock { $0.limits = newValue } }
    }

    // MARK: Files

    /// Encodes a value as a file. Linear in the size of the file, except for sorting keys.
    ///
    /// - Throws: `EncodingError` for a value that property lists or the format cannot represent,
    ///   for an unsuitable root, and for nesting beyond ``limits``; also the errors of the encoded
    ///   types. A root is unsuitable if it encodes nothing, or if it is neither a container nor
    ///   data and ``allowsFragments`` is false.
    open func encode<Value: Encodable>(_ value: Value) throws -> Data {
        Data(try encodeBytes(value))
    }

    /// Encodes a value as a file with a configuration. As in Foundation, the root may be any value.
    ///
    /// - Throws: The errors of ``encode(_:)``, except those for a root that is not a container.
    open func encode<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> Data {
        let options = current
        return Data(try options.serialize(options.document(value, configuration), value))
    }

    /// Encodes a value as a file with the configuration of a provider. The root may be any value.
    ///
    /// - Throws: The errors of ``encode(_:)``, except those for a root that is not a container.
    open func encode<T: EncodableWithConfiguration, C: EncodingConfigurationProviding>(
        _ value: T, configuration: C.Type
    ) throws -> Data where T.EncodingConfiguration == C.EncodingConfiguration {
        try encode(value, configuration: C.encodingConfiguration)
    }
}

extension PlistEncoder {
    /// Encodes a value as a file and returns its bytes.
    ///
    /// - Throws: The errors of ``encode(_:)``.
    public func encodeBytes(_ value: some Encodable) throws -> [UInt8] {
        let options = current
        let document = try options.document(value)
        if !options.allowsFragments { try options.refuseFragment(document.root.kind, value) }
        return try options.serialize(document, value)
    }

    // MARK: Documents and values

    /// Encodes a value as a document. The root may be any value. Linear, except for sorting keys.
    ///
    /// - Throws: `EncodingError` and the errors of the encoded types.
    public func encodeDocument(_ value: some Encodable) throws -> PropertyListDocument {
        try current.document(value)
    }

    /// Encodes a value as a document with a configuration. Linear, except for sorting keys.
    ///
    /// - Throws: The errors of ``encodeDocument(_:)``.
    public func encodeDocument<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> PropertyListDocument {
        try current.document(value, configuration)
    }

    /// Encodes a value as a tree of values. The root may be any value. Linear, except for sorting
    /// keys.
    ///
    /// - Throws: The errors of ``encodeDocument(_:)``.
    public func encodeValue(_ value: some Encodable) throws -> PropertyListValue {
        let options = current
        return try options.tree(options.document(value), value)
    }

    /// Encodes a value as a tree of values with a configuration. Linear, except for sorting keys.
    ///
    /// - Throws: The errors of ``encodeDocument(_:)``.
    public func encodeValue<T: EncodableWithConfiguration>(
        _ value: T, configuration: T.EncodingConfiguration
    ) throws -> PropertyListValue {
        let options = current
        return try options.tree(options.document(value, configuration), value)
    }
}

// MARK: - One call

extension PlistEncoder.Options {
    func document(_ value: some Encodable) throws -> PropertyListDocument {
        try document(value) { try $0.node(value) { nil } }
    }

    func document<T: EncodableWithConfiguration>(
        _ value: T, _ configuration: T.EncodingConfiguration
    ) throws -> PropertyListDocument {
        try document(value) { session in
            try session.node(nil) { try value.encode(to: $0, configuration: configuration) }
        }
    }

    /// Returns the document that `encode` builds from a value.
    private func document(
        _ value: Any, _ encode: (EncodingSession) throws -> UInt32?
    ) throws -> PropertyListDocument {
        let session = EncodingSession(
            userInfo: userInfo, limits: limits, sortsKeys: keyOrder == .sorted,
            sharesLeaves: format == .binary && writing.binary == .compact)
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

    func tree(_ document: PropertyListDocument, _ value: Any) throws -> PropertyListValue {
        do {
            return try document.root.value(limits: limits)
        } catch {
            throw rootError(value, "The tree of values exceeds the limits.", error)
        }
    }

    func refuseFragment(_ kind: PropertyListKind, _ value: Any) throws {
        if kind.isContainer || kind == .data { return }
        throw rootError(value, "Top-level \(type(of: value)) encoded as \(kind) fragment.")
    }

    func serialize(_ document: PropertyListDocument, _ value: Any) throws -> [UInt8] {
        do {
            return try document.serialized(as: format, options: writing, limits: limits)
        } catch {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: error.path?.codingKeys ?? [],
                    debugDescription: "The value cannot be written in the format \(format).",
                    underlyingError: error))
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

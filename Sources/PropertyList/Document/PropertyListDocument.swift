// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A parsed and validated property list: its bytes and a flat table of its values.
///
/// Every parser produces a document, and every other operation works on one. Parsing checks all
/// offsets, references, strings and numbers, so no later access can fail. Contents are copied only
/// on demand: a string is a range of the bytes. A document is immutable and can be shared between
/// threads.
///
/// ```swift
/// let document = try PropertyListDocument(parsing: bytes)
/// let name = document.root["Tracks"]?["1000"]?["Name"]?.string
/// ```
public struct PropertyListDocument: Sendable {
    package final class Storage: Sendable {
        package let store: NodeStore
        package let root: UInt32
        package let keys: KeyTable
        /// The number of distinct dictionary shapes.
        package let shapeCount: Int
        package let index: DictionaryIndex
        package let format: PropertyListFormat?
        package let xmlHeader: XMLHeader?
        package let encoding: SourceEncoding
        /// The size of the file in bytes, in its original text encoding.
        let sourceSize: Int
        package let mapping: JSONPropertyList.Mapping
        package let leniencies: ParsingOptions
        package let problems: [PropertyListError]
        /// A Boolean value that is true if all leaves are known to be distinct.
        let hasDistinctLeaves: Bool
        let origin: DocumentOrigin?

        init(_ parts: Parts) {
            store = parts.store
            root = parts.root
            keys = parts.keys.table
            shapeCount = parts.keys.shapes.count
            index = DictionaryIndex(
                parts.store, parts.keys,
                hasDuplicates: parts.leniencies.contains(.allDuplicateKeys))
            format = parts.format
            xmlHeader = parts.xmlHeader
            encoding = parts.encoding
            sourceSize = parts.encoding.size(of: parts.store.bytes)
            mapping = parts.mapping
            leniencies = parts.leniencies
            problems = parts.problems
            hasDistinctLeaves = parts.hasDistinctLeaves
            origin = parts.origin
        }

        /// Returns the number of a key, or nil if no dictionary has it.
        @inline(never)
        package func number(of key: String) -> UInt32? { keys.number(of: key, in: store) }

        /// Finds a dictionary's key by its number. Returns the index of the key in
        /// ``NodeStore/children``, or nil.
        @inline(never)
        package func place(of number: UInt32, in record: NodeRecord) -> Int? {
            index.place(of: number, in: record, store)
        }

        /// Returns the value of a key of a dictionary, or nil.
        package func value(of key: String, in record: NodeRecord) -> UInt32? {
            guard let number = number(of: key), let place = place(of: number, in: record) else {
                return nil
            }
            return store.children[record.valuePlace(ofKeyAt: place)]
        }
    }

    /// The result of a parser or builder.
    struct Parts {
        var store: NodeStore
        var root: UInt32 = 0
        var keys: NumberedKeys
        var format: PropertyListFormat?
        var xmlHeader: XMLHeader?
        var encoding = SourceEncoding.utf8
        var mapping = JSONPropertyList.Mapping.strict
        var leniencies: ParsingOptions = []
        var problems: [PropertyListError] = []
        var hasDistinctLeaves = false
        var origin: DocumentOrigin?
    }

    package let storage: Storage

    init(_ parts: Parts) { storage = Storage(parts) }

    package init(storage: Storage) { self.storage = storage }
}

extension PropertyListDocument {
    /// Parses a property list in any format. Linear in the size of the input.
    ///
    /// - Parameters:
    ///   - bytes: the file. The document retains it.
    ///   - format: the format if it is known. By default, it is detected from the first bytes.
    ///   - options: the accepted leniencies; none by default.
    ///   - limits: the limits on the resources that the file may use.
    /// - Throws: `unrecognizedFormat` if the input is not a property list; another code if the
    ///   input is malformed or exceeds a limit.
    public init(
        parsing bytes: [UInt8], format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(
            parsing: bytes, format: format, mapping: .strict, options: options, limits: limits)
    }

    /// Parses a property list in any format, and JSON according to a mapping.
    ///
    /// - Throws: as ``init(parsing:format:options:limits:)``, and as
    ///   ``JSONPropertyList/parse(_:mapping:options:limits:)`` for JSON.
    package init(
        parsing bytes: [UInt8], format: PropertyListFormat? = nil,
        mapping: JSONPropertyList.Mapping, options: ParsingOptions, limits: ParsingLimits
    ) throws(PropertyListError) {
        try limits.checkInput(bytes, format)
        let detected =
            if let format { format } else { try PropertyListFormat.detect(bytes, options) }
        switch detected.kind {
        case .binary: self = try BinaryReader.parse(bytes, options: options, limits: limits)
        case .xml: self = try XMLReader.parse(bytes, options: options, limits: limits)
        case .openStep:
            self = try OpenStepReader.parse(
                bytes, isDetected: format == nil, options: options, limits: limits)
        case .json:
            self = try JSONReader.parse(bytes, mapping: mapping, options: options, limits: limits)
        }
    }

    /// Parses a property list from any sequence of bytes, which is copied once.
    ///
    /// - Throws: the same errors as the initializer for arrays of bytes.
    public init(
        parsing bytes: some Sequence<UInt8>, format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(parsing: Array(bytes), format: format, options: options, limits: limits)
    }

    /// The root value.
    public var root: PropertyListNode { PropertyListNode(storage: storage, index: storage.root) }

    /// The format the document was parsed from; nil for a document that was built.
    public var format: PropertyListFormat? { storage.format }

    /// The number of values in the document. A shared value counts once, and unused values count
    /// too.
    public var nodeCount: Int { storage.store.records.count }

    /// The size of the source in bytes, after conversion of text to UTF-8. For a document that was
    /// built, the size of its strings and data.
    public var byteCount: Int { storage.origin?.bytes.count ?? storage.store.bytes.count }

    /// The leniencies that were needed to read the document, among those given to the parser.
    public var leniencies: ParsingOptions { storage.leniencies }

    /// The errors for values that could not be read. Always empty unless the document was parsed
    /// with ``ParsingOptions/salvage`` or imported from a damaged file.
    public var problems: [PropertyListError] { storage.problems }

    /// The maximum number of problems that each pass over a file records. A file may have as many
    /// problems as bytes.
    package static let problemLimit = 1000

    /// The XML header of the file; nil for other formats.
    public var xmlHeader: XMLHeader? { storage.xmlHeader }

    /// The bytes of the source, with text in another encoding converted to UTF-8. For a document
    /// that was built, its strings and data.
    package var source: [UInt8] { storage.origin?.bytes ?? storage.store.bytes }

    /// The encoding of the source's text.
    package var sourceEncoding: SourceEncoding { storage.encoding }

    /// All values in the order of the document's table, including unused ones.
    package var allNodes: [PropertyListNode] {
        storage.store.records.indices.map { node(UInt32(truncatingIfNeeded: $0)) }
    }

    /// Returns the value with the given number.
    package func node(_ number: UInt32) -> PropertyListNode {
        PropertyListNode(storage: storage, index: number)
    }

    /// A Boolean value for each value, by number: true if the value is reachable from the root.
    /// Linear.
    package var usedNodes: [Bool] {
        ReferencePass.reachable(from: storage.root, in: storage.store)
    }

    /// Returns a budget for an operation on the document.
    package func budget(_ limits: ParsingLimits) -> OperationBudget { storage.budget(limits) }
}

extension PropertyListDocument.Storage {
    func budget(_ limits: ParsingLimits) -> OperationBudget {
        OperationBudget(limits: limits, extent: extent, size: budgetSize)
    }

    /// The number of values plus references. The limit on visits is proportional to it, because
    /// each value or reference takes at least one byte of the file.
    package var extent: Int { store.records.count &+ store.children.count }

    /// The size in bytes that the output limit is relative to.
    ///
    /// For a parsed or imported document, this is the size of its file. A document that was built
    /// has no file. Its size is that of its strings and data, plus the size of a record for each
    /// value and reference.
    var budgetSize: Int {
        if format != nil { return sourceSize }
        if let origin { return origin.bytes.count }
        return store.bytes.count &+ store.decoded.count
            &+ extent &* MemoryLayout<NodeRecord>.stride
    }
}

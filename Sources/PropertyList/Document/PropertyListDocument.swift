// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A property list, parsed and validated: its bytes and a flat table of the values in them.
///
/// Every reader makes one and every consumer reads one. All offsets, references, texts and numbers
/// are checked when it is made; afterwards no access can fail. Nothing is copied until it is asked
/// for: a string is a range of the bytes. It is immutable and can be shared between threads.
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
        /// The number of shapes that dictionaries have.
        package let shapeCount: Int
        package let index: DictionaryIndex
        package let format: PropertyListFormat?
        package let xmlHeader: XMLHeader?
        package let encoding: SourceEncoding
        /// The size of the file, in bytes: that of its text in the file's encoding.
        let sourceSize: Int
        package let mapping: JSONPropertyList.Mapping
        package let leniencies: ParsingOptions
        package let problems: [PropertyListError]
        /// A Boolean value that says whether no two leaves are equal.
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

        /// The number of a key's text; nil where no dictionary has it.
        @inline(never)
        package func number(of key: String) -> UInt32? { keys.number(of: key, in: store) }

        /// The place of the key with this number in a dictionary, or nil.
        @inline(never)
        package func place(of number: UInt32, in record: NodeRecord) -> Int? {
            index.place(of: number, in: record, store)
        }

        /// The value of a key of a dictionary, or nil.
        package func value(of key: String, in record: NodeRecord) -> UInt32? {
            guard let number = number(of: key), let place = place(of: number, in: record) else {
                return nil
            }
            return store.children[record.valuePlace(ofKeyAt: place)]
        }
    }

    /// The result of a reader.
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
    ///   - bytes: the file; the document keeps it.
    ///   - format: the format, if it is known; otherwise it is found by the first bytes.
    ///   - options: leniencies; none by default.
    ///   - limits: how much the file may ask for.
    /// - Throws: `unrecognizedFormat` if it is no property list, and the code that fits where it
    ///   is a malformed one.
    public init(
        parsing bytes: [UInt8], format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(
            parsing: bytes, format: format, mapping: .strict, options: options, limits: limits)
    }

    /// Parses a property list in any format; JSON as written under a mapping.
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

    /// Parses a property list from any sequence of bytes, of which it makes one copy.
    public init(
        parsing bytes: some Sequence<UInt8>, format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        try self.init(parsing: Array(bytes), format: format, options: options, limits: limits)
    }

    /// The value that holds all others.
    public var root: PropertyListNode { PropertyListNode(storage: storage, index: storage.root) }

    /// The format the document was parsed from; nil for one that was built.
    public var format: PropertyListFormat? { storage.format }

    /// The number of values in the document. A shared one counts once; unused ones count too.
    public var nodeCount: Int { storage.store.records.count }

    /// The size of the source, in bytes.
    public var byteCount: Int { storage.origin?.bytes.count ?? storage.store.bytes.count }

    /// Which of the leniencies given to the parser were needed to read the document.
    public var leniencies: ParsingOptions { storage.leniencies }

    /// The errors of values that could not be read, under ``ParsingOptions/salvage``; otherwise
    /// empty.
    public var problems: [PropertyListError] { storage.problems }

    /// The header above the values of XML; nil for other formats.
    public var xmlHeader: XMLHeader? { storage.xmlHeader }

    /// The bytes of the source. For text in another encoding than UTF-8, the text as UTF-8.
    package var source: [UInt8] { storage.origin?.bytes ?? storage.store.bytes }

    /// The encoding of the source's text.
    package var sourceEncoding: SourceEncoding { storage.encoding }

    /// Every value in the order of the source's own table, used or not.
    package var allNodes: [PropertyListNode] {
        storage.store.records.indices.map { node(UInt32(truncatingIfNeeded: $0)) }
    }

    /// The value with a number of its own.
    package func node(_ number: UInt32) -> PropertyListNode {
        PropertyListNode(storage: storage, index: number)
    }

    /// Which values the root leads to, by number. Linear.
    package var usedNodes: [Bool] {
        ReferencePass.reachable(from: storage.root, in: storage.store)
    }

    /// A budget for an operation on the document.
    package func budget(_ limits: ParsingLimits) -> OperationBudget { storage.budget(limits) }
}

extension PropertyListDocument.Storage {
    func budget(_ limits: ParsingLimits) -> OperationBudget {
        OperationBudget(limits: limits, extent: extent, size: budgetSize)
    }

    /// The number of values plus references. The limit of visits is proportional to it: each takes at
    /// least one byte of the file.
    package var extent: Int { store.records.count &+ store.children.count }

    /// The size that the limit of output is relative to, in bytes.
    ///
    /// Of a document that was parsed, that of its file. One that was built has no file: its numbers count by
    /// what they take in memory, each as often as it is referred to.
    var budgetSize: Int {
        if format != nil { return sourceSize }
        return store.bytes.count &+ store.decoded.count
            &+ extent &* MemoryLayout<NodeRecord>.stride
    }
}

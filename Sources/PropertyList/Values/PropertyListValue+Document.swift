// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue {
    /// Parses a property list into a tree of values.
    ///
    /// - Throws: as `PropertyListDocument.init(parsing:format:options:limits:)` and
    ///   ``PropertyListNode/value(limits:)``.
    public init(
        parsing bytes: some Sequence<UInt8>, format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        let document = try PropertyListDocument(
            parsing: bytes, format: format, options: options, limits: limits)
        self = try document.root.value(limits: limits)
    }
}

extension PropertyListNode {
    /// The value with all it holds, as a tree. Linear in the size of the tree; containers that are
    /// shared in the document are built for each place where they stand.
    ///
    /// - Throws: `expansionLimitExceeded`; `unrepresentableValue` for what a tree has no form for:
    ///   keys that are not strings or occur twice, unreadable values.
    public func value(limits: ParsingLimits = .default) throws(PropertyListError)
        -> PropertyListValue
    {
        var contents = LongContents()
        return try value(limits: limits, &contents)
    }

    /// Adds to `count` how many values the tree of this one has, up to `limit`; also where it throws,
    /// as looking at them took its time. Linear in that.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`.
    package func addExpandedCount(
        to count: inout Int, atMost limit: Int, limits: ParsingLimits
    ) throws(PropertyListError) {
        var rest = limits
        rest.expansion = ParsingLimits.Allowance(factor: 0, base: max(limit &- count, 0))
        var walk = DocumentWalk(self, budget: ParsingBudget(limits: rest, nodeCount: 0, size: 0))
        while let step = try walk.next() {
            if case .enter = step { count &+= 1 }
        }
    }

    /// Makes a tree of the value, one of several of the document: what is long is kept in `contents`.
    package func value(
        limits: ParsingLimits, _ contents: inout LongContents
    ) throws(PropertyListError) -> PropertyListValue {
        var builder = ValueBuilder(storage)
        // Moved: a copy would be one of all that is kept, for each tree.
        swap(&builder.longContents, &contents)
        defer { swap(&builder.longContents, &contents) }
        var walk = DocumentWalk(self, budget: storage.budget(limits))
        while let step = try walk.next() {
            do { try builder.take(step) } catch { throw error.at(path: walk.path()) }
        }
        return builder.result
    }
}

/// Puts the steps of a walk together to a tree.
private struct ValueBuilder {
    private struct Frame {
        var keys: [String] = []
        var values: [PropertyListValue] = []
    }

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    // Files of text spell out each value.
    private let sharesNodes: Bool
    var longContents = LongContents()
    private var frames: [Frame] = []
    private(set) var result = PropertyListValue.null

    init(_ storage: PropertyListDocument.Storage) {
        self.storage = storage
        store = storage.store
        sharesNodes = storage.format?.isText != true
    }

    mutating func take(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            if let key { try appendKey(key) }
            let record = store.records[Int(node)]
            if record.isContainer {
                frames.append(Frame())
            } else {
                add(try leaf(node, record))
            }
        case .leave(let node):
            add(try container(of: store.records[Int(node)].kind))
        }
    }

    private mutating func add(_ value: PropertyListValue) {
        if frames.isEmpty { result = value } else { frames[frames.count - 1].values.append(value) }
    }

    private mutating func appendKey(_ key: UInt32) throws(PropertyListError) {
        let record = store.records[Int(key)]
        guard record.kind == .string else {
            throw PropertyListError(
                .unrepresentableValue, what: "a dictionary key is not a string")
        }
        frames[frames.count - 1].keys.append(text(key, record))
    }

    private mutating func container(of kind: PropertyListKind) throws(PropertyListError)
        -> PropertyListValue
    {
        guard let frame = frames.popLast() else { return .null }
        switch kind {
        case .set: return .set(PropertyListArray(frame.values))
        case .dictionary: return .dictionary(try dictionary(frame))
        default: return .array(PropertyListArray(frame.values))
        }
    }

    private func dictionary(_ frame: Frame) throws(PropertyListError) -> PropertyListDictionary {
        guard storage.leniencies.contains(.allDuplicateKeys) else {
            return PropertyListDictionary(distinctKeys: frame.keys, values: frame.values)
        }
        var entries = PropertyListDictionary()
        for (key, value) in zip(frame.keys, frame.values) {
            guard entries[key] == nil else {
                throw PropertyListError(
                    .unrepresentableValue,
                    what: "the key `\(TerminalText.escaped(key))` occurs twice in a dictionary")
            }
            entries[key] = value
        }
        return entries
    }

    private mutating func leaf(
        _ node: UInt32, _ record: NodeRecord
    ) throws(PropertyListError) -> PropertyListValue {
        switch record.kind {
        case .string: return .string(text(node, record))
        case .integer: return .integer(record.integer)
        case .boolean: return .boolean(record.payload != 0)
        case .real: return .real(record.real)
        case .data: return .data(bytes(node, record))
        case .date: return .date(record.date)
        case .uid: return .uid(record.uid)
        case .null: return .null
        case .array, .dictionary, .set, .unreadable:
            throw PropertyListError(
                .unrepresentableValue, what: "the value could not be read",
                location: PropertyListNode(storage: storage, index: node).location)
        }
    }

    private mutating func text(_ node: UInt32, _ record: NodeRecord) -> String {
        sharesNodes
            ? longContents.text(of: node, record, in: store) : store.string(of: record)
    }

    private mutating func bytes(_ node: UInt32, _ record: NodeRecord) -> [UInt8] {
        sharesNodes
            ? longContents.bytes(of: node, record, in: store) : Array(store.content(of: record))
    }
}

extension PropertyListDocument {
    /// Makes a document of a tree of values. Linear; not recursive.
    ///
    /// - Throws: `depthLimitExceeded`, `sizeLimitExceeded`.
    public init(_ value: PropertyListValue, limits: ParsingLimits = .default)
        throws(PropertyListError)
    {
        var builder = DocumentBuilder(limits: limits)
        builder.value(value)
        self = try builder.finish()
    }
}

extension DocumentBuilder {
    /// What is still to be added; the last one comes first.
    private enum Piece {
        case key(String)
        case value(PropertyListValue)
        case end
    }

    /// Adds a tree of values. Linear; not recursive.
    public mutating func value(_ value: PropertyListValue) {
        var pending: [Piece] = [.value(value)]
        // All are kept by the tree meanwhile.
        var known: [ContentIdentity: UInt32] = [:]
        while let piece = pending.popLast() {
            switch piece {
            case .key(let key): self.key(key)
            case .end: end()
            case .value(let value): add(value, &pending, &known)
            }
            if hasFailed { return }
        }
    }

    private mutating func add(
        _ value: PropertyListValue, _ pending: inout [Piece],
        _ known: inout [ContentIdentity: UInt32]
    ) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        case .date(let value): date(value)
        case .data(let value):
            guard let identity = ContentIdentity(value) else { return data(value) }
            addLong(identity, &known) { $0.data(value) }
        case .string(let value):
            guard let identity = ContentIdentity(value) else { return string(value) }
            addLong(identity, &known) { $0.string(value) }
        case .uid(let value): uid(value)
        case .array(let elements): beginArray(); push(elements, &pending)
        case .set(let elements): beginSet(); push(elements, &pending)
        case .dictionary(let entries): beginDictionary(); push(entries, &pending)
        }
    }

    private func push(_ elements: PropertyListArray, _ pending: inout [Piece]) {
        pending.append(.end)
        for element in elements.reversed() { pending.append(.value(element)) }
    }

    private func push(_ entries: PropertyListDictionary, _ pending: inout [Piece]) {
        pending.append(.end)
        for (key, value) in entries.reversed() {
            pending.append(.value(value))
            pending.append(.key(key))
        }
    }
}

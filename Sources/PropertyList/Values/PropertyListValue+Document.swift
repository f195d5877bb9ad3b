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
        var builder = ValueBuilder(storage)
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
    private var frames: [Frame] = []
    private(set) var result = PropertyListValue.null

    init(_ storage: PropertyListDocument.Storage) { self.storage = storage }

    mutating func take(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            if let key { try appendKey(key) }
            let record = storage.store.records[Int(node)]
            if record.isContainer {
                frames.append(Frame())
            } else {
                add(try scalar(PropertyListNode(storage: storage, index: node)))
            }
        case .leave(let node):
            add(try container(of: storage.store.records[Int(node)].kind))
        }
    }

    private mutating func add(_ value: PropertyListValue) {
        if frames.isEmpty { result = value } else { frames[frames.count - 1].values.append(value) }
    }

    private mutating func appendKey(_ key: UInt32) throws(PropertyListError) {
        guard let text = PropertyListNode(storage: storage, index: key).string else {
            throw PropertyListError(
                .unrepresentableValue, what: "a dictionary key is not a string")
        }
        frames[frames.count - 1].keys.append(text)
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

    private func scalar(_ node: PropertyListNode) throws(PropertyListError) -> PropertyListValue {
        if let value = node.string { return .string(value) }
        if let value = node.integer { return .integer(value) }
        if let value = node.boolean { return .boolean(value) }
        if let value = node.real { return .real(value) }
        if let value = node.data { return .data(Array(value)) }
        if let value = node.date { return .date(value) }
        if let value = node.uid { return .uid(value) }
        if node.isNull { return .null }
        throw PropertyListError(
            .unrepresentableValue, what: "the value could not be read", location: node.location)
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
        while let piece = pending.popLast() {
            switch piece {
            case .key(let key): self.key(key)
            case .end: end()
            case .value(let value): add(value, &pending)
            }
            if hasFailed { return }
        }
    }

    private mutating func add(_ value: PropertyListValue, _ pending: inout [Piece]) {
        switch value {
        case .null: null()
        case .boolean(let value): boolean(value)
        case .integer(let value): integer(value)
        case .real(let value): real(value)
        case .date(let value): date(value)
        case .data(let value): data(value)
        case .string(let value): string(value)
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

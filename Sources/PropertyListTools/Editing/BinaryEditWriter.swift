// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// A writer for an edited binary property list. Objects keep their order in the object table. New
/// objects follow all others. Objects that became unreachable from the root are omitted.
///
/// Objects that were already unreferenced in the source are kept, because Apple's writer writes
/// UIDs and booleans that nothing refers to. Containers are an exception: an unreferenced one may
/// hold a removed object, so it is omitted. An unreferenced malformed object cannot be written, so
/// it is omitted too.
struct BinaryEditWriter {
    private let edits: FinishedEdits
    private let source: PropertyListDocument
    private let limits: ParsingLimits
    private let wasUsed: [Bool]
    private var store: NodeStore
    // The record of each container.
    private var nodes: [UInt32]
    // For each container: whether it, or a container around it, has several references.
    private var isShared: [Bool]
    private var uniquer: ObjectUniquer
    private var isChanged = false
    // The records of new keys and values, in the order in which `rewrite` uses them.
    private var added: [UInt32] = []
    private var nextAdded = 0

    init(
        _ document: PropertyListDocument, _ edits: FinishedEdits, _ limits: ParsingLimits
    ) {
        self.edits = edits
        self.limits = limits
        source = document
        store = document.storage.store
        wasUsed = document.usedNodes
        // For each record of the source: the number of references to it.
        var references = [Int](repeating: 0, count: store.records.count)
        nodes = [UInt32](repeating: 0, count: edits.tree.containers.count)
        isShared = [Bool](repeating: false, count: edits.tree.containers.count)
        uniquer = ObjectUniquer(capacity: min(store.records.count, 1 << 16))
        for (node, record) in store.records.enumerated() where wasUsed[node] {
            guard record.isContainer else {
                _ = existing(UInt32(truncatingIfNeeded: node))
                continue
            }
            for place in record.childRange { references[Int(store.children[place])] += 1 }
        }
        findShared(references)
    }

    /// Marks shared containers. A container is opened after its parent, so one pass from parents to
    /// children suffices.
    private mutating func findShared(_ references: [Int]) {
        for (number, container) in edits.tree.containers.enumerated() {
            if let origin = container.origin, references[Int(origin)] > 1 {
                isShared[number] = true
            }
            guard isShared[number] else { continue }
            for child in container.children {
                if case .opened(let inner) = child.content { isShared[Int(inner)] = true }
            }
        }
    }

    /// Returns the bytes of the file. Linear.
    ///
    /// - Throws: `sizeLimitExceeded`, `depthLimitExceeded`.
    mutating func write(
        within budget: borrowing OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        try addNewValues()
        for number in edits.tree.containers.indices.reversed() where edits.isReachable[number] {
            nodes[number] = rewrite(number)
        }
        let root = node(of: edits.tree.root)
        if !isChanged, root == source.storage.root { return source.source }
        let isUsed = ReferencePass.reachable(from: root, in: store)
        let order = store.records.indices.filter { node in
            if isUsed[node] { return true }
            let record = store.records[node]
            return node < wasUsed.count && !wasUsed[node]
                && !record.isContainer && record.kind != .unreadable
        }
        return try BinaryPropertyList.serialize(
            store, order: order.map { UInt32(truncatingIfNeeded: $0) }, root: root,
            layout: layout, budget: budget.continued())
    }

    private var layout: BinaryLayout {
        let width = (try? Trailer(of: source.source.span).offsetWidth) ?? 8
        return [1, 2, 4, 8].contains(width) ? .coreFoundation : .coreFoundationTightOffsets
    }

    // MARK: Containers

    /// Returns the record of a container after the edits. A container of the source keeps its
    /// record unless it is shared and changed.
    private mutating func rewrite(_ number: Int) -> UInt32 {
        let container = edits.tree.containers[number]
        guard let origin = container.origin else { return 0 }
        var keys: [UInt32] = []
        var values: [UInt32] = []
        for position in container.live {
            let child = container.children[position]
            values.append(node(of: child.content))
            switch child.key {
            case .source(let record): keys.append(record)
            case .text: keys.append(takeAdded())
            case nil: break
            }
        }
        let record = store.records[Int(origin)]
        if store.children[record.childRange].elementsEqual(keys + values) { return origin }
        return place(keys + values, count: values.count, of: number, origin)
    }

    /// Stores new children for a container. A shared container gets a new record, so that its other
    /// occurrences stay as they are.
    private mutating func place(
        _ children: [UInt32], count: Int, of number: Int, _ origin: UInt32
    ) -> UInt32 {
        isChanged = true
        let first = UInt32(truncatingIfNeeded: store.children.count)
        store.children += children
        let payload = NodeRecord.payload(low: first, high: UInt32(truncatingIfNeeded: count))
        if !isShared[number] {
            store.records[Int(origin)].payload = payload
            return origin
        }
        let kind = edits.tree.containers[number].kind
        return add(NodeRecord(kind: kind, offset: 0, payload: payload))
    }

    private mutating func add(_ record: NodeRecord) -> UInt32 {
        let node = store.nextIndex
        store.records.append(record)
        return node
    }

    // MARK: Values

    private mutating func node(of content: EditTree.Content) -> UInt32 {
        if edits.newValue(of: content) != nil { return takeAdded() }
        switch content {
        case .source(let node): return node
        case .opened(let number): return nodes[Int(number)]
        case .nested(let number):
            if case .source(let node) = edits.tree.nested[Int(number)].original { return node }
            return 0
        case .value: return 0
        }
    }

    private mutating func takeAdded() -> UInt32 {
        nextAdded += 1
        return added[nextAdded - 1]
    }

    /// Returns an equal leaf added earlier. If there is none, registers and returns this leaf.
    private mutating func existing(_ node: UInt32) -> UInt32 {
        uniquer.node(equalTo: node, store.records[Int(node)], in: store) ?? node
    }

    /// Appends all new keys and values, with everything below them.
    ///
    /// One document is built for all new values, so that a long text that occurs in many of them is
    /// copied once.
    private mutating func addNewValues() throws(PropertyListError) {
        let values = newValues
        if values.isEmpty { return }
        let document = try PropertyListDocument(
            .array(PropertyListArray(values)), limits: limits.inContainer)
        let other = document.storage.store
        guard UInt32(exactly: store.bytes.count + other.bytes.count) != nil else {
            throw PropertyListError(
                .sizeLimitExceeded, format: .binary,
                what: "expected at most 4294967295 bytes of text and data, found "
                    + "\(store.bytes.count + other.bytes.count)")
        }
        let start = UInt32(truncatingIfNeeded: store.bytes.count)
        store.bytes += other.bytes
        var copies = [UInt32](repeating: 0, count: other.records.count)
        let root = Int(document.storage.root)
        for (number, record) in other.records.enumerated() where !record.isContainer {
            copies[number] = copy(record, other, copies, start)
        }
        // Inner containers have higher record indices than the containers around them.
        for (number, record) in other.records.enumerated().reversed()
        where record.isContainer && number != root {
            copies[number] = copy(record, other, copies, start)
        }
        added = other.children[document.root.record.childRange].map { copies[Int($0)] }
    }

    /// The new values and keys of all containers, in the order in which ``rewrite(_:)`` uses them,
    /// and then the new root.
    private var newValues: [PropertyListValue] {
        var values: [PropertyListValue] = []
        for number in edits.tree.containers.indices.reversed() where edits.isReachable[number] {
            let container = edits.tree.containers[number]
            if container.origin == nil { continue }
            for position in container.live {
                let child = container.children[position]
                if let value = edits.newValue(of: child.content) { values.append(value) }
                if case .text = child.key, let text = edits.tree.text(of: child.key) {
                    values.append(.string(text))
                }
            }
        }
        if let value = edits.newValue(of: edits.tree.root) { values.append(value) }
        return values
    }

    private mutating func copy(
        _ record: NodeRecord, _ other: NodeStore, _ copies: [UInt32], _ start: UInt32
    ) -> UInt32 {
        var record = record
        if record.isContainer {
            let first = UInt32(truncatingIfNeeded: store.children.count)
            store.children += record.childRange.map { copies[Int(other.children[$0])] }
            record.setFirstChild(first)
            return add(record)
        }
        if record.kind == .string || record.kind == .data { record.offset += start }
        if record.kind == .string { record.setKeyNumber(0) }
        return existing(add(record))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder of the tables of a document from the leaves up. Each container is added after all its
/// children, so many containers can be under construction at the same time.
///
/// It is used for the object graphs of keyed archives; ``DocumentBuilder`` builds trees.
package struct GraphAssembler {
    private var store = NodeStore(bytes: [])
    private var keys = BuiltKeys()
    private var failure: PropertyListError?
    // The leaves so far; nil if equal leaves are not deduplicated.
    private var leaves: DistinctLeaves?

    /// Creates an assembler without values. If `sharesLeaves` is true, equal leaves are
    /// deduplicated.
    package init(sharesLeaves: Bool = false) {
        leaves = sharesLeaves ? DistinctLeaves() : nil
        // Enough for a small archive, so that its tables never grow.
        store.records.reserveCapacity(96)
        store.children.reserveCapacity(128)
        store.bytes.reserveCapacity(768)
    }

    /// The number of values that have been added.
    package var count: Int { store.records.count }

    /// Finishes the document and returns it. Nothing can be added afterwards.
    ///
    /// The function is `mutating` and not `consuming`, so it changes the tables in place. A copy
    /// would double the memory.
    ///
    /// - Throws: `duplicateKey`, `sizeLimitExceeded`.
    package mutating func finish(root: UInt32) throws(PropertyListError) -> PropertyListDocument {
        if let failure { throw failure }
        var pass = DictionaryPass(options: .strict, format: nil, root: root, keys: keys.table)
        try pass.run(&store)
        return PropertyListDocument(
            .init(
                store: store, root: root, keys: pass.keys, hasDistinctLeaves: leaves != nil))
    }
}

// MARK: - Scalars

extension GraphAssembler {
    private mutating func add(_ record: NodeRecord) -> UInt32 {
        let node = store.nextIndex
        store.records.makeRoom()
        store.records.append(record)
        return node
    }

    /// Adds a scalar, or returns an equal one added earlier.
    @inline(__always)
    private mutating func addLeaf(_ record: NodeRecord) -> UInt32 {
        leaves?.node(of: record, next: store.nextIndex, in: store) ?? add(record)
    }

    package mutating func null() -> UInt32 { addLeaf(.null) }

    package mutating func boolean(_ value: Bool) -> UInt32 { addLeaf(.boolean(value)) }

    package mutating func integer(_ value: PropertyListInteger) -> UInt32 {
        addLeaf(.integer(value))
    }

    package mutating func real(_ value: PropertyListReal) -> UInt32 { addLeaf(.real(value)) }

    package mutating func date(_ value: PropertyListDate) -> UInt32 { addLeaf(.date(value)) }

    package mutating func uid(_ value: UInt32) -> UInt32 { addLeaf(.uid(value)) }

    package mutating func string(_ value: String) -> UInt32 {
        let start = store.bytes.count
        store.bytes.append(text: value.utf8)
        return addContent(kind: .string, from: start)
    }

    /// Adds a scalar of another document.
    package mutating func leaf(_ node: UInt32, of source: DocumentTable) -> UInt32 {
        leaf(source[node], source.storage.store)
    }

    private mutating func leaf(_ record: NodeRecord, _ source: NodeStore) -> UInt32 {
        switch record.kind {
        case .string: string(source.string(of: record))
        case .data: data(source.content(of: record))
        case .integer: integer(record.integer)
        default: addLeaf(placeless(record))
        }
    }

    /// Returns a record without its position in a source.
    private func placeless(_ record: NodeRecord) -> NodeRecord {
        NodeRecord(kind: record.kind, offset: 0, header: record.header, payload: record.payload)
    }

    package mutating func data(_ value: some Sequence<UInt8>) -> UInt32 {
        let start = store.bytes.count
        store.bytes.makeRoom(for: value.underestimatedCount)
        store.bytes.append(contentsOf: value)
        return addContent(kind: .data, from: start)
    }

    /// Adds a key, or returns the existing string if the key was added earlier.
    package mutating func key(_ text: String) -> UInt32 {
        let place = keys.place(of: text, in: store)
        if let known = keys.node(at: place) { return known }
        let node = string(text)
        keys.insert(node, at: place, &store)
        return node
    }

    /// Adds a value whose content is the bytes since `start`, or returns an equal one. After a
    /// failure, adds an empty value.
    private mutating func addContent(kind: PropertyListKind, from start: Int) -> UInt32 {
        do {
            if failure == nil {
                let record = try store.contentRecord(kind, from: start)
                guard let known = leaves?.node(of: record, next: store.nextIndex, in: store) else {
                    return add(record)
                }
                store.bytes.removeLast(store.bytes.count &- start)
                return known
            }
        } catch { failure = error }
        store.bytes.removeSubrange(start...)
        return add(NodeRecord(kind: kind, offset: UInt32(truncatingIfNeeded: start)))
    }
}

// MARK: - Containers

extension GraphAssembler {
    /// Adds an array of values that have been added.
    package mutating func array(_ elements: [UInt32]) -> UInt32 {
        let first = UInt32(truncatingIfNeeded: store.children.count)
        store.children.makeRoom(for: elements.count)
        store.children.append(contentsOf: elements)
        return add(.container(.array, from: first, count: elements.count))
    }

    /// Adds a dictionary with the entries from index `start` on, whose keys and values have been
    /// added.
    package mutating func dictionary(
        _ entries: [(key: UInt32, value: UInt32)], from start: Int = 0
    ) -> UInt32 {
        let first = UInt32(truncatingIfNeeded: store.children.count)
        let count = entries.count &- start
        store.children.makeRoom(for: 2 &* count)
        store.children.append(addingCapacity: 2 &* count) { output in
            for place in start..<entries.count { output.append(entries[place].key) }
            for place in start..<entries.count { output.append(entries[place].value) }
        }
        return add(.container(.dictionary, from: first, count: count))
    }

    /// Returns the elements of an array that has been added, or nil for another value.
    package func elements(of node: UInt32) -> [UInt32]? {
        let record = store.records[Int(node)]
        return record.kind == .array ? Array(store.children[record.valueRange]) : nil
    }

    /// Returns the entries of a dictionary that has been added, or nil for another value.
    package func entries(of node: UInt32) -> [(key: UInt32, value: UInt32)]? {
        let record = store.records[Int(node)]
        guard record.kind == .dictionary else { return nil }
        return zip(record.keyRange, record.valueRange).map { key, value in
            (store.children[key], store.children[value])
        }
    }

    /// Returns the value of a UID that has been added, or nil for another value.
    package func uid(of node: UInt32) -> UInt32? {
        let record = store.records[Int(node)]
        return record.kind == .uid ? UInt32(truncatingIfNeeded: record.payload) : nil
    }

    /// Returns the text of a key that has been added.
    package func text(ofKey node: UInt32) -> String {
        store.string(of: store.records[Int(node)])
    }

    /// Adds a value tree. Not recursive.
    ///
    /// - Throws: `depthLimitExceeded`, and the errors of ``DocumentBuilder``.
    package mutating func value(
        _ value: PropertyListValue, limits: ParsingLimits
    ) throws(PropertyListError) -> UInt32 {
        let document = try PropertyListDocument(value, limits: limits)
        return copy(document.root)
    }

    /// Copies a value of another document with everything in it. Shared values stay shared.
    private mutating func copy(_ root: PropertyListNode) -> UInt32 {
        let source = root.storage.store
        var copies: [UInt32: UInt32] = [:]
        var keyCopies: [UInt32: UInt32] = [:]
        var pending: [(node: UInt32, isComplete: Bool)] = [(root.index, false)]
        while let (node, isComplete) = pending.popLast() {
            if copies[node] != nil { continue }
            let record = source.records[Int(node)]
            if record.isContainer, !isComplete {
                pending.append((node, true))
                for place in record.valueRange { pending.append((source.children[place], false)) }
            } else if record.isContainer {
                let values = record.valueRange.map { copies[source.children[$0]] ?? 0 }
                copies[node] = copy(record, values, source, &keyCopies)
            } else {
                copies[node] = leaf(record, source)
            }
        }
        return copies[root.index] ?? 0
    }

    /// Copies a container of another document whose children have been copied.
    private mutating func copy(
        _ record: NodeRecord, _ values: [UInt32], _ source: NodeStore,
        _ keyCopies: inout [UInt32: UInt32]
    ) -> UInt32 {
        guard record.kind == .dictionary else {
            let first = UInt32(truncatingIfNeeded: store.children.count)
            store.children.append(contentsOf: values)
            return add(.container(record.kind, from: first, count: values.count))
        }
        var entries: [(key: UInt32, value: UInt32)] = []
        for (place, value) in zip(record.keyRange, values) {
            let node = source.children[place]
            let key = keyCopies[node] ?? key(source.string(of: source.records[Int(node)]))
            keyCopies[node] = key
            entries.append((key, value))
        }
        return dictionary(entries)
    }
}

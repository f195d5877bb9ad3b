// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder of a document's tables. It receives the values of a tree in preorder: each parent
/// before its children.
///
/// The record of an open container does not need its payload yet. Until the container is closed,
/// the payload holds the index of its first child in `pending` and the number of the enclosing
/// container. Nesting therefore needs no memory beyond the records.
struct TreeAssembler {
    /// The parent of the root.
    private static let none = UInt32.max
    /// The maximum number of steps of a path. Longer paths would take more memory than the tree.
    private static let longestPath = 1024

    var store: NodeStore
    // The innermost open container.
    private var top = none
    // The children of all open containers; a dictionary's keys and values alternate.
    private var pending: [UInt32] = []
    /// The number of open containers.
    private(set) var depth = 0

    init(bytes: [UInt8] = []) { store = NodeStore(bytes: bytes) }

    /// Makes room for `count` values.
    mutating func reserve(_ count: Int) {
        store.records.reserveCapacity(count)
        store.children.reserveCapacity(count)
    }

    /// The kind of the innermost open container; nil at the root.
    var openKind: PropertyListKind? { depth == 0 ? nil : store.records[Int(top)].kind }

    /// The offset of the innermost open container in the source.
    var openOffset: UInt32? { depth == 0 ? nil : store.records[Int(top)].offset }

    /// The last value or key that was added to the innermost open container.
    var lastNode: UInt32? { openCount > 0 ? pending.last : nil }

    /// The number of children of the innermost open container so far, including keys.
    var openCount: Int {
        pending.count &- (depth == 0 ? 0 : store.records[Int(top)].pendingStart)
    }

    /// Adds a value, as a child of the innermost open container if there is one.
    ///
    /// - Returns: the number of its record.
    @discardableResult
    @inline(__always)
    mutating func add(_ record: NodeRecord) -> UInt32 {
        let node = store.nextIndex
        store.records.append(record)
        if depth > 0 { pending.append(node) }
        return node
    }

    /// Adds a reference to an existing record as a child of the innermost open container.
    mutating func addShared(_ node: UInt32) { pending.append(node) }

    /// Adds a container and opens it.
    mutating func open(_ record: NodeRecord) {
        let node = add(record)
        store.records[Int(node)].setOpen(from: pending.count, in: top)
        top = node
        depth &+= 1
    }

    /// Closes the innermost container. Drops a key without a value, so callers that refuse such a
    /// key check first.
    mutating func close() {
        if depth == 0 { return }
        let node = Int(top)
        let record = store.records[node]
        let start = record.pendingStart
        let first = UInt32(truncatingIfNeeded: store.children.count)
        let number = (pending.count &- start) / (record.kind == .dictionary ? 2 : 1)
        if record.kind == .dictionary {
            store.children.append(pairs: pending, from: start)
        } else {
            store.children.append(contentsOf: pending[start...])
        }
        pending.removeLast(pending.count &- start)
        store.records[node].payload = NodeRecord.payload(
            low: first, high: UInt32(truncatingIfNeeded: number))
        top = record.enclosing
        depth &-= 1
    }

    /// Closes all containers to keep the values read before an error, if ``ParsingOptions/salvage``
    /// is on.
    ///
    /// - Returns: false if the error must be thrown: without the option, for a limit, or if there
    ///   are no values to keep.
    mutating func salvage(_ error: PropertyListError, _ options: ParsingOptions) -> Bool {
        guard options.contains(.salvage), !error.isLimit, !store.records.isEmpty else {
            return false
        }
        while depth > 0 { close() }
        return true
    }

    /// Returns the path from the root to the next element, or to the value of the last key if a
    /// dictionary is open, for a message. Returns nil for more than 1,024 steps.
    func path() -> PropertyListPath? {
        if depth > Self.longestPath { return nil }
        var components: [PropertyListPath.Component] = []
        var container = top
        var end = pending.count
        while container != Self.none {
            let record = store.records[Int(container)]
            if let component = component(of: record, end: end) { components.append(component) }
            end = record.pendingStart &- 1
            container = record.enclosing
        }
        return PropertyListPath(components.reversed())
    }

    /// Returns the step into an open container whose children end before `end` in `pending`.
    /// Returns nil for a dictionary without a key yet.
    private func component(of record: NodeRecord, end: Int) -> PropertyListPath.Component? {
        let start = record.pendingStart
        let count = end &- start
        guard record.kind == .dictionary else { return .index(count) }
        let key = count % 2 == 1 ? end &- 1 : end &- 2
        guard key >= start, key < pending.count else { return nil }
        return .key(store.string(of: store.records[Int(pending[key])]))
    }
}

extension [UInt32] {
    /// Appends the pairs that `pending` contains from `start` on: first all keys, then all values.
    /// In `pending`, keys and values alternate. A key without a value is dropped.
    fileprivate mutating func append(pairs pending: [UInt32], from start: Int) {
        let count = (pending.count &- start) / 2
        makeRoom(for: count &* 2)
        // Most dictionaries of an archive in XML are UIDs, with one pair.
        if count == 1 {
            append(pending[start])
            return append(pending[start &+ 1])
        }
        append(addingCapacity: count &* 2) { output in
            for pair in 0..<count { output.append(pending[start &+ pair &* 2]) }
            for pair in 0..<count { output.append(pending[start &+ pair &* 2 &+ 1]) }
        }
    }
}

/// The payload of an open container.
extension NodeRecord {
    /// The index of the container's first child in the pending children.
    @inline(__always)
    fileprivate var pendingStart: Int { Int(low) }

    /// The number of the enclosing container.
    @inline(__always)
    fileprivate var enclosing: UInt32 { high }

    @inline(__always)
    fileprivate mutating func setOpen(from start: Int, in container: UInt32) {
        payload = Self.payload(low: UInt32(truncatingIfNeeded: start), high: container)
    }
}

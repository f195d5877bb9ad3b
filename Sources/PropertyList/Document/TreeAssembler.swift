// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Puts the values of a tree that arrive one after the other, parents before children, into the
/// tables of a document.
struct TreeAssembler {
    private struct Frame {
        let node: UInt32
        /// Where the container's children begin in `pending`.
        let start: Int
    }

    var store: NodeStore
    private var frames: [Frame] = []
    // The children of all open containers; a dictionary's keys and values alternate.
    private var pending: [UInt32] = []

    init(bytes: [UInt8] = []) { store = NodeStore(bytes: bytes) }

    /// Makes room for `count` values.
    mutating func reserve(_ count: Int) {
        store.records.reserveCapacity(count)
        store.children.reserveCapacity(count)
    }

    /// How many containers are open.
    var depth: Int { frames.count }

    /// The kind of the innermost open container; nil at the root.
    var openKind: PropertyListKind? {
        frames.last.map { store.records[Int($0.node)].kind }
    }

    /// Where the innermost open container begins in the source.
    var openOffset: UInt32? { frames.last.map { store.records[Int($0.node)].offset } }

    /// The value that was added last to the innermost open container, keys included.
    var lastNode: UInt32? { openCount > 0 ? pending.last : nil }

    /// How many children the innermost open container has so far, keys counted.
    var openCount: Int { pending.count &- (frames.last?.start ?? 0) }

    /// Adds a value, as a child of the innermost open container if there is one.
    ///
    /// - Returns: the number of its record.
    @discardableResult
    @inline(__always)
    mutating func add(_ record: NodeRecord) -> UInt32 {
        let node = store.nextIndex
        store.records.append(record)
        if !frames.isEmpty { pending.append(node) }
        return node
    }

    /// Adds a record that exists already as a child of the innermost open container.
    mutating func addShared(_ node: UInt32) { pending.append(node) }

    /// Adds a container and opens it.
    mutating func open(_ record: NodeRecord) {
        let node = add(record)
        frames.append(Frame(node: node, start: pending.count))
    }

    /// Closes the innermost container. A key without a value is dropped: callers check first.
    mutating func close() {
        guard let frame = frames.popLast() else { return }
        let first = UInt32(truncatingIfNeeded: store.children.count)
        let isDictionary = store.records[Int(frame.node)].kind == .dictionary
        let number = (pending.count &- frame.start) / (isDictionary ? 2 : 1)
        if isDictionary {
            appendAlternate(from: frame.start, number)
            appendAlternate(from: frame.start &+ 1, number)
        } else {
            store.children.append(contentsOf: pending[frame.start...])
        }
        pending.removeSubrange(frame.start...)
        store.records[Int(frame.node)].payload = NodeRecord.payload(
            low: first, high: UInt32(truncatingIfNeeded: number))
    }

    /// Keeps what was read before an error, under ``ParsingOptions/salvage``: closes all containers.
    ///
    /// - Returns: false where nothing is to be kept.
    mutating func salvage(_ error: PropertyListError, _ options: ParsingOptions) -> Bool {
        guard options.contains(.salvage), !error.code.isLimit, !store.records.isEmpty else {
            return false
        }
        while depth > 0 { close() }
        return true
    }

    private mutating func appendAlternate(from start: Int, _ number: Int) {
        for step in 0..<number { store.children.append(pending[start &+ step &* 2]) }
    }

    /// The way from the root to the value that is added next, for a message.
    func path() -> PropertyListPath {
        PropertyListPath(frames.indices.compactMap(component))
    }

    /// The step into a container; nil where that is a dictionary without a key yet.
    private func component(_ level: Int) -> PropertyListPath.Component? {
        let start = frames[level].start
        let end = level &+ 1 < frames.count ? frames[level &+ 1].start &- 1 : pending.count
        let count = end &- start
        guard store.records[Int(frames[level].node)].kind == .dictionary else {
            return .index(count)
        }
        let key = count % 2 == 1 ? end &- 1 : end &- 2
        guard key >= start, key < pending.count else { return nil }
        return .key(store.string(of: store.records[Int(pending[key])]))
    }
}

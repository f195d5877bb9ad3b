// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An event of a ``PropertyListEventReader``.
public enum PropertyListEvent: Hashable, Sendable {
    case integer(PropertyListInteger)
    case real(PropertyListReal)
    case boolean(Bool)
    /// A point in time.
    case date(PropertyListDate)
    /// A reference into the object table of a keyed archive.
    case uid(PropertyListUID)
    /// The null object of binary property lists.
    case null
    /// A string, whose text ``PropertyListEventReader/withContent(_:)`` gives.
    case string
    /// Data, whose bytes ``PropertyListEventReader/withContent(_:)`` gives.
    case data
    /// The beginning of an array; so many values follow, each with all it holds, and then ``end``.
    case array(count: Int)
    /// The beginning of a set, as of an array.
    case set(count: Int)
    /// The beginning of a dictionary, as of an array; its values have keys.
    case dictionary(count: Int)
    /// The end of the innermost array, set or dictionary that has begun.
    case end
    /// A value that could not be read; see ``PropertyListDocument/problems``.
    case unreadable
}

/// Reads a value and all it holds, one event after the other, in the order of the source.
///
/// The fastest way to see everything: nothing is made for a value, and texts and data are read where
/// they lie. It needs no recursion, so that no nesting is too deep for the stack, and a shared
/// container counts each time it is entered, so that what a small file expands to stays bounded.
///
/// ```swift
/// var events = PropertyListEventReader(document.root)
/// var size = 0
/// while let event = try events.next() {
///     if event == .string { size += events.withContent { text in text.count } }
/// }
/// ```
///
/// An event takes constant time, on average over all of them. After an error nothing more is to be read.
/// A reader is not copyable: it carries what is left of the limits.
public struct PropertyListEventReader: ~Copyable, Sendable {
    /// The number of leaves that are looked at ahead: few, so that they are still at hand when they
    /// are read.
    private static let leavesAhead = 64

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    private var walk: DocumentWalk
    private var budget: OperationBudget
    // Leaves that the walk has passed and that have not been read yet.
    private var leaves = DocumentWalk.Leaves.none
    // The value of the last event; of the end of a container, that container.
    private var current: UInt32
    private var currentKey: UInt32?
    // Text that is not UTF-8 in the document; kept for its room.
    private var decoded: [UInt8] = []

    /// Prepares for reading.
    ///
    /// - Parameters:
    ///   - node: what is read, with all it holds.
    ///   - limits: how deep the nesting may be, and how much sharing may expand to.
    public init(_ node: PropertyListNode, limits: ParsingLimits = .default) {
        storage = node.storage
        store = node.storage.store
        walk = DocumentWalk(node)
        budget = node.storage.budget(limits)
        current = node.index
    }

    /// The next event, or nil after the last.
    ///
    /// - Throws: `depthLimitExceeded`; `expansionLimitExceeded`, up to 64 events before the limit.
    public mutating func next() throws(PropertyListError) -> PropertyListEvent? {
        if let leaf = nextLeaf() { return leaf }
        if let more = try walk.nextLeaves(atMost: Self.leavesAhead, &budget) {
            leaves = more
            return nextLeaf()
        }
        leaves = .none
        switch try walk.next(&budget) {
        case .enter(let node, let key):
            current = node
            currentKey = key
            return Self.event(store.records[Int(node)])
        case .leave(let node):
            current = node
            currentKey = nil
            return .end
        case nil: return nil
        }
    }

    @inline(__always)
    private mutating func nextLeaf() -> PropertyListEvent? {
        guard let place = leaves.places.popFirst() else { return nil }
        current = store.children[place]
        currentKey = leaves.haveKeys ? store.children[place &- leaves.distanceOfKeys] : nil
        return Self.event(store.records[Int(current)])
    }

    @inline(__always)
    private static func event(_ record: NodeRecord) -> PropertyListEvent {
        switch record.kind {
        case .string: .string
        case .integer: .integer(record.integer)
        case .boolean: .boolean(record.payload != 0)
        case .real: .real(record.real)
        case .date: .date(record.date)
        case .data: .data
        case .uid: .uid(record.uid)
        case .dictionary: .dictionary(count: record.count)
        case .array: .array(count: record.count)
        case .set: .set(count: record.count)
        case .null: .null
        case .unreadable: .unreadable
        }
    }
}

// MARK: - The last event

extension PropertyListEventReader {
    /// The value of the last event; of ``PropertyListEvent/end`` what ended, before the first event
    /// the value that the reader begins with.
    public var node: PropertyListNode { PropertyListNode(storage: storage, index: current) }

    /// The key of that value, if it stands in a dictionary; none at its ``PropertyListEvent/end``.
    public var keyNode: PropertyListNode? {
        currentKey.map { PropertyListNode(storage: storage, index: $0) }
    }

    /// The number of containers that have begun and not ended.
    public var depth: Int { walk.depth }

    /// The way from the reader's first value to that of the last event. Linear in its length.
    public var path: PropertyListPath {
        let next = leaves.places.lowerBound
        return next == 0 ? walk.path() : walk.path(of: next &- 1, in: leaves)
    }

    /// Calls `body` with the text of a string as UTF-8, or the bytes of data, where they lie in the
    /// document; with nothing for other values.
    ///
    /// Text in UTF-16 is converted first, which takes linear time.
    public mutating func withContent<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withContent(of: current, body)
    }

    /// Calls `body` with the key of a value in a dictionary as UTF-8, as ``withContent(_:)`` does
    /// with the value; with nothing for a value that has no key, or one that is no string.
    public mutating func withKey<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let currentKey, store.records[Int(currentKey)].kind == .string else {
            return try body(Span())
        }
        return try withContent(of: currentKey, body)
    }

    @inline(__always)
    private mutating func withContent<Result, Failure: Error>(
        of node: UInt32, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let record = store.records[Int(node)]
        switch record.kind {
        case .string where record.encoding == .utf16:
            decoded.removeAll(keepingCapacity: true)
            store.appendText(of: record, to: &decoded)
            return try body(decoded.span)
        case .string, .data: return try store.withContent(of: record, body)
        default: return try body(Span())
        }
    }
}

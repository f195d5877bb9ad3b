// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// An event of a ``PropertyListEventReader``.
public enum PropertyListEvent: Hashable, Sendable {
    /// An integer.
    case integer(PropertyListInteger)
    /// A floating-point number.
    case real(PropertyListReal)
    /// A Boolean value.
    case boolean(Bool)
    /// A point in time.
    case date(PropertyListDate)
    /// A reference into the object table of a keyed archive.
    case uid(PropertyListUID)
    /// The null of a binary property list or of JSON.
    case null
    /// A string. ``PropertyListEventReader/withContent(_:)`` gives its text.
    case string
    /// Data. ``PropertyListEventReader/withContent(_:)`` gives its bytes.
    case data
    /// The beginning of an array. Its `count` values follow, each with everything in it, then
    /// ``end``.
    case array(count: Int)
    /// The beginning of a set. Its `count` values follow, then ``end``.
    case set(count: Int)
    /// The beginning of a dictionary. Its `count` values follow, each with a key, then ``end``.
    case dictionary(count: Int)
    /// The end of the innermost open array, set or dictionary.
    case end
    /// A value that could not be read; see ``PropertyListDocument/problems``.
    case unreadable
}

/// A reader of a value and everything in it as a sequence of events, in the order of the source.
///
/// This is the fastest way to visit every value. The reader allocates nothing for most values. It
/// reads data and strings in place, except for strings in UTF-16. It does not recurse, so deep
/// nesting cannot overflow the stack. Each visit to a shared container counts toward the expansion
/// limit, so the expansion of a small file stays bounded.
///
/// ```swift
/// var events = PropertyListEventReader(document.root)
/// var size = 0
/// while let event = try events.next() {
///     if event == .string { size += events.withContent { text in text.count } }
/// }
/// ```
///
/// An event takes amortized constant time. Do not read on after an error. A reader is not copyable,
/// because it carries the remaining budget.
public struct PropertyListEventReader: ~Copyable, Sendable {
    /// The number of leaves to look ahead. It is small, so the leaves are still in the CPU cache
    /// when they are read.
    private static let leavesAhead = 64

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    private var walk: DocumentWalk
    private var budget: OperationBudget
    // Leaves that the traversal has passed but that have not been read yet.
    private var leaves = DocumentWalk.Leaves.none
    // The value of the last event. For the end of a container, that container.
    private var current: UInt32
    private var currentKey: UInt32?
    // The buffer for text that is not UTF-8 in the document. Reused to avoid allocations.
    private var decoded: [UInt8] = []
    // By node: long text that is not UTF-8 in the document. Decoded once, however many references
    // lead to it.
    private var longTexts: [UInt32: [UInt8]] = [:]

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - node: the value to read, with everything in it.
    ///   - limits: the limits on nesting and on the expansion of shared values.
    public init(_ node: PropertyListNode, limits: ParsingLimits = .default) {
        storage = node.storage
        store = node.storage.store
        walk = DocumentWalk(node)
        budget = node.storage.budget(limits)
        current = node.index
    }

    /// Returns the next event, or nil after the last one.
    ///
    /// - Throws: `depthLimitExceeded` or `expansionLimitExceeded`. The latter may be thrown up to
    ///   64 events early, because the reader looks ahead.
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
    /// The value of the last event. For ``PropertyListEvent/end`` this is the container that ended.
    /// Before the first event it is the start value.
    public var node: PropertyListNode { PropertyListNode(storage: storage, index: current) }

    /// The key of the last event's value if it is in a dictionary. Nil for
    /// ``PropertyListEvent/end``.
    public var keyNode: PropertyListNode? {
        currentKey.map { PropertyListNode(storage: storage, index: $0) }
    }

    /// The number of open containers.
    public var depth: Int { walk.depth }

    /// The path from the reader's start value to the value of the last event. Linear in its length.
    public var path: PropertyListPath {
        let next = leaves.places.lowerBound
        return next == 0 ? walk.path() : walk.path(of: next &- 1, in: leaves)
    }

    /// Calls `body` with the content of the last event's value: the text of a string as UTF-8, or
    /// the bytes of data, in place. For other values the span is empty.
    ///
    /// Text in UTF-16 is converted first, in linear time.
    public mutating func withContent<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withContent(of: current, body)
    }

    /// Calls `body` with the key of the last event's value as UTF-8, like ``withContent(_:)``. The
    /// span is empty if the value has no key or the key is not a string.
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
            if record.mayBeLong { return try body(longText(of: node, record).span) }
            decoded.removeAll(keepingCapacity: true)
            store.appendText(of: record, to: &decoded)
            return try body(decoded.span)
        case .string, .data: return try store.withContent(of: record, body)
        default: return try body(Span())
        }
    }

    private mutating func longText(of node: UInt32, _ record: NodeRecord) -> [UInt8] {
        if let known = longTexts[node] { return known }
        var text: [UInt8] = []
        store.appendText(of: record, to: &text)
        longTexts[node] = text
        return text
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A depth-first traversal of a value and everything in it. It visits a shared value at each
/// occurrence.
///
/// Text writers, printing and the conversion to value trees follow references with this type. A
/// traversal uses an explicit stack, so deep nesting cannot overflow the call stack. It charges the
/// caller's budget, so sharing cannot expand without limit.
package struct DocumentWalk: Sendable {
    /// One step of the traversal.
    package enum Step {
        /// A value, and its key if it is in a dictionary. The children of a container and then its
        /// ``leave(_:)`` step follow.
        case enter(UInt32, key: UInt32?)
        /// The end of a container.
        case leave(UInt32)
    }

    /// Adjacent leaves in one container.
    struct Leaves: Sendable {
        /// The indices of the leaves in `NodeStore.children`.
        var places: Range<Int>
        /// The distance from each leaf back to its key, or 0 without keys.
        let distanceOfKeys: Int

        static let none = Leaves(places: 0..<0, distanceOfKeys: 0)

        var haveKeys: Bool { distanceOfKeys != 0 }
    }

    /// An open container.
    private struct Frame: BitwiseCopyable, Sendable {
        let node: UInt32
        let isDictionary: Bool
        /// The distance from each value back to its key, or 0 without keys.
        let distance: Int
        /// The index of the first value in `NodeStore.children`.
        let first: Int
        let end: Int
        /// The index of the next value, in document order.
        var next: Int

        /// Creates the frame of the container `node`, whose record is `record`.
        init(_ node: UInt32, _ record: NodeRecord) {
            self.node = node
            isDictionary = record.kind == .dictionary
            distance = isDictionary ? record.count : 0
            first = record.valueRange.lowerBound
            end = record.isContainer ? record.valueRange.upperBound : first
            next = first
        }
    }

    /// A function that returns the order of the pairs of a dictionary, or nil for document order.
    package typealias Arrangement = @Sendable (PropertyListNode) -> [Int]?

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    private let arrangement: Arrangement?
    // The orders by key of dictionaries with a shape; nil if dictionaries are not sorted by key.
    private var keyOrders: ShapeOrders?
    // The first value; nil once the traversal has begun.
    private var start: UInt32?
    // The innermost open container, or an empty frame at the root.
    private var top: Frame
    // The enclosing containers, outermost first. The first one is an empty frame.
    private var outer: [Frame] = []
    // The order of the pairs of each open container, or nil for document order.
    private var orders: [[Int]?] = []

    /// Creates a traversal of `node` and everything in it, with dictionaries optionally sorted by
    /// key.
    package init(_ node: PropertyListNode, sortsKeys: Bool = false) {
        let byKey: Arrangement = { $0.dictionary?.orderByKey }
        self.init(node, arrangement: sortsKeys ? byKey : nil)
        if sortsKeys { keyOrders = ShapeOrders() }
    }

    /// Creates a traversal of `node` and everything in it, with dictionaries in the given order.
    package init(_ node: PropertyListNode, arrangement: Arrangement?) {
        storage = node.storage
        store = node.storage.store
        self.arrangement = arrangement
        start = node.index
        top = Frame(node.index, NodeRecord(kind: .null, offset: 0))
    }

    /// The number of open containers.
    package var depth: Int { outer.count }

    /// Returns the next step, or nil at the end.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`.
    package mutating func next(
        _ budget: inout OperationBudget
    ) throws(PropertyListError) -> Step? {
        if top.next == top.end { return try begin(&budget) ?? leave() }
        var place = top.next
        top.next = place &+ 1
        if let order = orders.last { place = self.place(place, order) }
        let key = top.isDictionary ? store.children[place &- top.distance] : nil
        return try enter(store.children[place], key: key, &budget)
    }

    private mutating func begin(
        _ budget: inout OperationBudget
    ) throws(PropertyListError) -> Step? {
        guard let node = start else { return nil }
        start = nil
        return try enter(node, key: nil, &budget)
    }

    private mutating func leave() -> Step? {
        guard let next = outer.popLast() else { return nil }
        let node = top.node
        top = next
        if arrangement != nil { orders.removeLast() }
        return .leave(node)
    }

    /// Returns the index of the value to visit when `place` is next in document order.
    private func place(_ place: Int, _ order: [Int]?) -> Int {
        order.map { top.first &+ $0[place &- top.first] } ?? place
    }

    /// Returns the leaves that come next: at most `count`, up to a container or the end of the open
    /// container. Returns nil if there are none, or if the traversal has an arrangement.
    ///
    /// Callers that handle many leaves alike avoid one step per leaf.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func nextLeaves(
        atMost count: Int = .max, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> Leaves? {
        guard arrangement == nil else { return nil }
        let places = top.next..<(top.next &+ min(count, top.end &- top.next))
        var end = places.lowerBound
        while end < places.upperBound, !store.records[Int(store.children[end])].isContainer {
            end &+= 1
        }
        if end == places.lowerBound { return nil }
        try budget.visit(end &- places.lowerBound)
        top.next = end
        return Leaves(places: places.lowerBound..<end, distanceOfKeys: top.distance)
    }

    private mutating func enter(
        _ node: UInt32, key: UInt32?, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> Step {
        try budget.visit()
        let record = store.records[Int(node)]
        if record.isContainer {
            try budget.enter(depth: depth &+ 1)
            outer.append(top)
            top = Frame(node, record)
            if arrangement != nil {
                orders.append(top.isDictionary ? try order(of: node, record, &budget) : nil)
            }
        }
        return .enter(node, key: key)
    }

    /// Returns the order of the pairs of a dictionary, or nil for document order. Keys are sorted
    /// once per shape.
    @inline(__always)
    private mutating func order(
        of node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> [Int]? {
        if record.count < 2 { return nil }
        if let known = keyOrders?[record.shape] { return known }
        let order = try newOrder(of: node, record, &budget)
        keyOrders?[record.shape] = order
        return order
    }

    /// Returns the order of the pairs of a dictionary. A shared dictionary without a shape is
    /// sorted at each visit, and a long key may occur in many dictionaries. The bytes of the keys
    /// are therefore charged to the budget.
    private func newOrder(
        of node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> [Int]? {
        for place in record.keyRange {
            let key = store.records[Int(store.children[place])]
            if key.kind == .string { try budget.charge(bytes: store.contentRange(of: key).count) }
        }
        return arrangement?(PropertyListNode(storage: storage, index: node))
    }

    /// Returns the path from the start to one of the last returned leaves, for a message.
    func path(of place: Int, in leaves: Leaves) -> PropertyListPath {
        var walk = self
        walk.top.next &-= leaves.places.upperBound &- place &- 1
        return walk.path()
    }

    /// Returns the path from the start to the value of the last step, for a message.
    package func path() -> PropertyListPath {
        var steps = PathSteps(store)
        for (position, frame) in (outer.dropFirst() + [top]).enumerated()
        where frame.next > frame.first {
            let last = frame.next &- frame.first &- 1
            let order = arrangement == nil ? nil : orders[position]
            steps.append(order?[last] ?? last, of: frame.node)
        }
        return steps.path
    }
}

/// The order by key of the dictionaries of each shape. Dictionaries of one shape have equal keys in
/// the same order.
private struct ShapeOrders: Sendable {
    // By shape. Empty if the shape has not been seen.
    private var orders: [[Int]] = []

    /// The order for a shape, or nil before it is known. Shape 0 has no order.
    subscript(shape: UInt16) -> [Int]? {
        get {
            let index = Int(shape)
            return index < orders.count && !orders[index].isEmpty ? orders[index] : nil
        }
        set {
            let index = Int(shape)
            if index == 0 { return }
            while orders.count <= index { orders.append([]) }
            orders[index] = newValue ?? []
        }
    }
}

extension PropertyListNode.DictionaryView {
    /// The positions of the entries, sorted by the UTF-16 code units of the keys as in Apple's XML
    /// writer.
    var orderByKey: [Int] {
        let store = node.storage.store
        let records = node.record.keyRange.map { store.records[Int(store.children[$0])] }
        // In ASCII text, the bytes are the UTF-16 code units.
        if records.allSatisfy({ $0.kind == .string && $0.encoding == .ascii }) {
            return Self.order(of: records.map { store.content(of: $0) })
        }
        return Self.order(of: map { Array($0.key.utf16) })
    }

    private static func order(of keys: [some Sequence<some Comparable>]) -> [Int] {
        keys.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
    }
}

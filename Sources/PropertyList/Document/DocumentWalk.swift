// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Visits a value and all it holds, depth first, each shared value wherever it stands.
///
/// The one way in which writers, the value tree and printing follow references: with a stack of its
/// own, so that depth is harmless, and charging the caller's budget, so that sharing is.
package struct DocumentWalk: Sendable {
    /// One step of the walk.
    package enum Step {
        /// A value, with its key if it stands in a dictionary. A container's children follow, and
        /// then it is left.
        case enter(UInt32, key: UInt32?)
        /// The end of a container.
        case leave(UInt32)
    }

    /// Leaves that stand next to each other in one container.
    struct Leaves: Sendable {
        /// Where they are among the children of all containers.
        var places: Range<Int>
        /// The distance from each of them back to its key; 0 where there are no keys.
        let distanceOfKeys: Int

        static let none = Leaves(places: 0..<0, distanceOfKeys: 0)

        var haveKeys: Bool { distanceOfKeys != 0 }
    }

    /// A container that is open.
    private struct Frame: BitwiseCopyable, Sendable {
        let node: UInt32
        let isDictionary: Bool
        /// The distance from each value back to its key; 0 where there are no keys.
        let distance: Int
        /// Where the values are among the children of all containers.
        let first: Int
        let end: Int
        /// The place of the next, in the order of the document.
        var next: Int

        /// The container `node`, whose record is `record`.
        init(_ node: UInt32, _ record: NodeRecord) {
            self.node = node
            isDictionary = record.kind == .dictionary
            distance = isDictionary ? record.count : 0
            first = record.valueRange.lowerBound
            end = record.isContainer ? record.valueRange.upperBound : first
            next = first
        }
    }

    /// The order of the pairs of a dictionary; nil for that of the document.
    package typealias Arrangement = @Sendable (PropertyListNode) -> [Int]?

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    private let arrangement: Arrangement?
    // Where the walk begins, until it has.
    private var start: UInt32?
    // The innermost container that is open; where none is, one that holds nothing.
    private var top: Frame
    // Those it lies in, from the outermost, which holds nothing.
    private var outer: [Frame] = []
    // For each that is open the order of its pairs, where they have one of their own.
    private var orders: [[Int]?] = []

    /// A walk over `node` and all it holds; with dictionaries sorted by key where `sortsKeys`.
    package init(_ node: PropertyListNode, sortsKeys: Bool = false) {
        let byKey: Arrangement = { $0.dictionary?.orderByKey }
        self.init(node, arrangement: sortsKeys ? byKey : nil)
    }

    /// A walk over `node` and all it holds, with dictionaries in the order that is given.
    package init(_ node: PropertyListNode, arrangement: Arrangement?) {
        storage = node.storage
        store = node.storage.store
        self.arrangement = arrangement
        start = node.index
        top = Frame(node.index, NodeRecord(kind: .null, offset: 0))
    }

    /// The number of open containers.
    package var depth: Int { outer.count }

    /// A Boolean value that says whether the innermost open container is a dictionary.
    var isInDictionary: Bool { top.isDictionary }

    /// The next step, or nil at the end.
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

    /// The place of the value that comes in the turn of `place`.
    private func place(_ place: Int, _ order: [Int]?) -> Int {
        order.map { top.first &+ $0[place &- top.first] } ?? place
    }

    /// The leaves that come next, `count` of them or up to a container or the end of the one that is
    /// open; nil where there are none, and where entries are not in the order of the document.
    ///
    /// For those who have many to deal with in one way: a step for each would take longer.
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

    /// The order of the pairs of a dictionary. A shared dictionary is put in order each time it is
    /// entered, and a long key may stand in many, so that the bytes of keys count.
    private func order(
        of node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> [Int]? {
        if record.count < 2 { return nil }
        for place in record.keyRange {
            let key = store.records[Int(store.children[place])]
            if key.kind == .string { try budget.charge(bytes: store.contentRange(of: key).count) }
        }
        return arrangement?(PropertyListNode(storage: storage, index: node))
    }

    /// The way from the start of the walk to one of the leaves that came last, for a message.
    func path(of place: Int, in leaves: Leaves) -> PropertyListPath {
        var walk = self
        walk.top.next &-= leaves.places.upperBound &- place &- 1
        return walk.path()
    }

    /// The way from the start of the walk to the value of the last step, for a message.
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

extension PropertyListNode.DictionaryView {
    /// The entries' places sorted by key, by UTF-16 code units as Apple's XML writer does.
    var orderByKey: [Int] {
        let store = node.storage.store
        let records = node.record.keyRange.map { store.records[Int(store.children[$0])] }
        // The bytes of ASCII are its units.
        if records.allSatisfy({ $0.kind == .string && $0.encoding == .ascii }) {
            return Self.order(of: records.map { store.content(of: $0) })
        }
        return Self.order(of: map { Array($0.key.utf16) })
    }

    private static func order(of keys: [some Sequence<some Comparable>]) -> [Int] {
        keys.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
    }
}

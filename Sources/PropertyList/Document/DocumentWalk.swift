// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Visits a value and all it holds, depth first, each shared value wherever it stands.
///
/// The one way in which writers, the value tree and printing follow references: with a stack of its
/// own and a budget, so that neither depth nor sharing can hurt.
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
        /// How far before each of them its key is; 0 where there are no keys.
        let distanceOfKeys: Int

        static let none = Leaves(places: 0..<0, distanceOfKeys: 0)

        var haveKeys: Bool { distanceOfKeys != 0 }
    }

    private struct Frame: Sendable {
        let node: UInt32
        let first: Int
        let count: Int
        let isDictionary: Bool
        /// The order of the pairs, where it is not that of the document.
        let order: [Int]?
        var next = 0
    }

    /// The order of the pairs of a dictionary; nil for that of the document.
    package typealias Arrangement = @Sendable (PropertyListNode) -> [Int]?

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    private let arrangement: Arrangement?
    private var budget: ParsingBudget
    private var frames: [Frame] = []
    private var start: UInt32?

    /// A walk over `node` and all it holds; with dictionaries sorted by key where `sortsKeys`.
    package init(_ node: PropertyListNode, budget: ParsingBudget, sortsKeys: Bool = false) {
        let byKey: Arrangement = { $0.dictionary?.orderByKey }
        self.init(node, budget: budget, arrangement: sortsKeys ? byKey : nil)
    }

    /// A walk over `node` and all it holds, with dictionaries in the order that is given.
    package init(_ node: PropertyListNode, budget: ParsingBudget, arrangement: Arrangement?) {
        storage = node.storage
        store = node.storage.store
        self.arrangement = arrangement
        self.budget = budget
        start = node.index
    }

    /// How many containers are open.
    package var depth: Int { frames.count }

    /// Whether the innermost open container is a dictionary.
    package var isInDictionary: Bool { frames.last?.isDictionary == true }

    /// The next step, or nil at the end.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`.
    package mutating func next() throws(PropertyListError) -> Step? {
        guard let top = frames.indices.last else {
            guard let node = start else { return nil }
            start = nil
            return try enter(node, key: nil)
        }
        let position = frames[top].next
        if position == frames[top].count { return .leave(frames.removeLast().node) }
        frames[top].next = position &+ 1
        let isArranged = arrangement != nil
        let offset = isArranged ? frames[top].order?[position] ?? position : position
        let place = frames[top].first &+ offset
        if frames[top].isDictionary {
            return try enter(store.children[place &+ frames[top].count], key: store.children[place])
        }
        return try enter(store.children[place], key: nil)
    }

    /// The leaves that come next, `count` of them or up to a container or the end of the one that is
    /// open; nil where there are none, and where entries are not in the order of the document.
    ///
    /// For those who have many to deal with in one way: a step for each would take longer.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func nextLeaves(
        atMost count: Int = .max
    ) throws(PropertyListError) -> Leaves? {
        guard arrangement == nil, let top = frames.indices.last else { return nil }
        let distance = frames[top].isDictionary ? frames[top].count : 0
        let first = frames[top].first &+ distance
        let next = frames[top].next
        let number = min(count, frames[top].count &- next)
        let places = (first &+ next)..<(first &+ next &+ number)
        var end = places.lowerBound
        while end < places.upperBound, !store.records[Int(store.children[end])].isContainer {
            end &+= 1
        }
        if end == places.lowerBound { return nil }
        try budget.visit(end &- places.lowerBound)
        frames[top].next = end &- first
        return Leaves(places: places.lowerBound..<end, distanceOfKeys: distance)
    }

    private mutating func enter(_ node: UInt32, key: UInt32?) throws(PropertyListError) -> Step {
        try budget.visit()
        let record = store.records[Int(node)]
        if record.isContainer {
            try budget.enter(depth: frames.count &+ 1)
            let isDictionary = record.kind == .dictionary
            frames.append(
                Frame(
                    node: node, first: Int(record.low), count: Int(record.high),
                    isDictionary: isDictionary,
                    order: isDictionary ? order(of: node) : nil))
        }
        return .enter(node, key: key)
    }

    private func order(of node: UInt32) -> [Int]? {
        arrangement?(PropertyListNode(storage: storage, index: node))
    }

    /// The way from the start of the walk to one of the leaves that came last, for a message.
    func path(of place: Int, in leaves: Leaves) -> PropertyListPath {
        var walk = self
        guard let top = frames.indices.last else { return walk.path() }
        walk.frames[top].next &-= leaves.places.upperBound &- place &- 1
        return walk.path()
    }

    /// The way from the start of the walk to the value of the last step, for a message.
    package func path() -> PropertyListPath {
        var steps = PathSteps(store)
        for frame in frames where frame.next > 0 {
            steps.append(frame.order?[frame.next &- 1] ?? frame.next &- 1, of: frame.node)
        }
        return steps.path
    }
}

extension PropertyListNode.DictionaryView {
    /// The entries' places sorted by key, by UTF-16 code units as Apple's XML writer does.
    package var orderByKey: [Int] {
        let keys = map { Array($0.key.utf16) }
        return keys.indices.sorted { keys[$0].lexicographicallyPrecedes(keys[$1]) }
    }
}

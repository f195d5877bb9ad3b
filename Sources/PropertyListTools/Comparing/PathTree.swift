// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The key paths of a comparison as a tree: each node is one step and refers to its parent.
///
/// A path is put together only when it is asked for. All paths of a comparison together may be far
/// longer than the documents: a ring of 300 objects that is compared with one of 301 has paths of
/// 90,000 steps.
struct PathTree: Sendable {
    /// One step, in 12 bytes. Keys stay in their documents.
    private struct Node: BitwiseCopyable, Sendable {
        /// The node of the step before; `none` at the root.
        let parent: UInt32
        /// The index of an element, or the node of a key in `document`.
        let value: UInt32
        /// The number of the document that has the key; `isIndex` for an element.
        let document: UInt8
    }

    /// The same place in two documents.
    struct Place: BitwiseCopyable, Sendable {
        let old: UInt32
        let new: UInt32

        /// The root of both.
        static let root = Place(old: PathTree.none, new: PathTree.none)
    }

    fileprivate static let none = UInt32.max
    private static let isIndex = UInt8.max
    /// The charge for a step, in bytes, beside that for the text of its key.
    private static let stepSize = MemoryLayout<PropertyListKeyPath.Step>.stride

    /// The charge for the list of the steps of a path, in bytes.
    private static let listSize = 48

    private let documents: [PropertyListDocument]
    private var nodes: [Node] = []

    /// An empty tree of paths in some documents, which have numbers in their order.
    init(_ documents: [PropertyListDocument]) { self.documents = documents }

    /// The place under a key, which is the value `key` of a document.
    mutating func add(key: UInt32, of document: Int, to place: Place) -> Place {
        let number = UInt8(truncatingIfNeeded: document)
        let old = append(Node(parent: place.old, value: key, document: number))
        if place.old == place.new { return Place(old: old, new: old) }
        return Place(
            old: old, new: append(Node(parent: place.new, value: key, document: number)))
    }

    /// The places of elements.
    mutating func add(_ old: Int, _ new: Int, to place: Place) -> Place {
        let first = append(element(old, of: place.old))
        if place.old == place.new, old == new { return Place(old: first, new: first) }
        return Place(old: first, new: append(element(new, of: place.new)))
    }

    private func element(_ index: Int, of parent: UInt32) -> Node {
        Node(parent: parent, value: UInt32(truncatingIfNeeded: index), document: Self.isIndex)
    }

    private mutating func append(_ node: Node) -> UInt32 {
        nodes.append(node)
        return UInt32(truncatingIfNeeded: nodes.count &- 1)
    }

    /// Returns whether a place is that of an element.
    func isElement(_ place: UInt32) -> Bool {
        place != Self.none && nodes[Int(place)].document == Self.isIndex
    }

    /// The steps to a place. Linear in the path.
    func path(_ place: UInt32) -> PropertyListKeyPath {
        var steps: [PropertyListKeyPath.Step] = []
        var next = place
        while next != Self.none {
            let node = nodes[Int(next)]
            steps.append(step(node))
            next = node.parent
        }
        return PropertyListKeyPath(steps.reversed())
    }

    /// The steps to a place, charged to a budget before they are made.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func path(
        _ place: UInt32, within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try budget.charge(bytes: Self.listSize)
        var next = place
        while next != Self.none {
            let node = nodes[Int(next)]
            let isKey = node.document != Self.isIndex
            let size = isKey ? documents[Int(node.document)].node(node.value).contentSize : 0
            try budget.charge(bytes: Self.stepSize &+ size)
            next = node.parent
        }
        return path(place)
    }

    private func step(_ node: Node) -> PropertyListKeyPath.Step {
        if node.document == Self.isIndex { return .index(Int(node.value)) }
        return .key(documents[Int(node.document)].node(node.value).string ?? "")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// The key paths of a comparison, stored as a tree in which each node is one step and refers to its
/// parent.
///
/// A path is built only on request. All paths of a comparison together may be far longer than the
/// documents: comparing a ring of 300 objects with one of 301 yields paths of 90,000 steps.
struct PathTree: Sendable {
    /// A step, in 12 bytes. The text of a key stays in its document.
    private struct Node: BitwiseCopyable, Sendable {
        /// The node of the previous step; `none` for the first step.
        let parent: UInt32
        /// The index of an element or an entry, or the node of a key within `document`.
        let value: UInt32
        /// The index of the document that contains the key; `isIndex` for an element, `isEntry` for
        /// an entry whose key is not a string.
        let document: UInt8
    }

    /// The same place in two documents.
    struct Place: BitwiseCopyable, Sendable {
        let old: UInt32
        let new: UInt32

        /// The root of both documents.
        static let root = Place(old: PathTree.none, new: PathTree.none)
    }

    fileprivate static let none = UInt32.max
    private static let isIndex = UInt8.max
    private static let isEntry = UInt8.max &- 1
    /// The size charged to the budget for a step, in bytes, without the text of its key.
    private static let stepSize = MemoryLayout<PropertyListKeyPath.Step>.stride

    /// The size charged to the budget for the step array of a path, in bytes.
    private static let listSize = 48

    private let documents: [PropertyListDocument]
    private var nodes: [Node] = []

    /// Creates an empty tree of paths in `documents`. Steps refer to a document by its index.
    init(_ documents: [PropertyListDocument]) { self.documents = documents }

    /// Adds a step that leads from `place` to the value under a key. `key` is the node of the key
    /// in the given document.
    mutating func add(key: UInt32, of document: Int, to place: Place) -> Place {
        let number = UInt8(truncatingIfNeeded: document)
        let old = append(Node(parent: place.old, value: key, document: number))
        if place.old == place.new { return Place(old: old, new: old) }
        return Place(
            old: old, new: append(Node(parent: place.new, value: key, document: number)))
    }

    /// Adds a step that leads from `place` to the entry with a key. If the key is not a string, the
    /// step consists of the indices of the entry in the two documents, because no key path leads to
    /// such an entry.
    mutating func add(
        entry key: UInt32, of document: Int, at old: Int, _ new: Int, to place: Place
    ) -> Place {
        if documents[document].node(key).kind == .string {
            return add(key: key, of: document, to: place)
        }
        return add(old, new, Self.isEntry, to: place)
    }

    /// Adds a step that leads from `place` to an element, which may have different indices in the
    /// two documents.
    mutating func add(_ old: Int, _ new: Int, to place: Place) -> Place {
        add(old, new, Self.isIndex, to: place)
    }

    private mutating func add(_ old: Int, _ new: Int, _ kind: UInt8, to place: Place) -> Place {
        let first = append(index(old, kind, of: place.old))
        if place.old == place.new, old == new { return Place(old: first, new: first) }
        return Place(old: first, new: append(index(new, kind, of: place.new)))
    }

    private func index(_ index: Int, _ kind: UInt8, of parent: UInt32) -> Node {
        Node(parent: parent, value: UInt32(truncatingIfNeeded: index), document: kind)
    }

    private mutating func append(_ node: Node) -> UInt32 {
        nodes.append(node)
        return UInt32(truncatingIfNeeded: nodes.count &- 1)
    }

    /// Returns whether the last step to a place leads to an element of an array or a set.
    func isElement(_ place: UInt32) -> Bool {
        place != Self.none && nodes[Int(place)].document == Self.isIndex
    }

    /// Returns the path to a place. Linear in its length.
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

    /// Returns the path to a place, and charges it to a budget before building it.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func path(
        _ place: UInt32, within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try budget.charge(bytes: Self.listSize)
        var next = place
        while next != Self.none {
            let node = nodes[Int(next)]
            try budget.charge(bytes: Self.stepSize &+ (key(of: node)?.contentSize ?? 0))
            next = node.parent
        }
        return path(place)
    }

    /// Returns the path to a place for an edit, and charges it to a budget before building it.
    ///
    /// - Throws: `unrepresentableValue` if the path enters an entry whose key is not a string;
    ///   `sizeLimitExceeded`.
    func editPath(
        _ place: UInt32, within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        let path = try path(place, within: &budget)
        var next = place
        while next != Self.none {
            let node = nodes[Int(next)]
            if node.document == Self.isEntry { throw Self.noEditPath(path) }
            next = node.parent
        }
        return path
    }

    private static func noEditPath(_ path: PropertyListKeyPath) -> PropertyListError {
        let components = path.steps.compactMap { step -> PropertyListPath.Component? in
            switch step {
            case .key(let key): .key(key)
            case .index(let index): .index(index)
            case .name, .object, .content: nil
            }
        }
        return PropertyListError(
            .unrepresentableValue, what: "no edit can reach an entry whose key is not a string",
            path: PropertyListPath(components))
    }

    private func step(_ node: Node) -> PropertyListKeyPath.Step {
        guard let key = key(of: node)?.string else { return .index(Int(node.value)) }
        return .key(key)
    }

    /// Returns the key of a step, or nil for an index.
    private func key(of node: Node) -> PropertyListNode? {
        let document = Int(node.document)
        return document < documents.count ? documents[document].node(node.value) : nil
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListNode {
    /// Returns whether the value of the node is equal to `value`. Builds a tree of the node only if
    /// the document has duplicate keys. Linear in the size of the tree that the node represents;
    /// not recursive.
    ///
    /// - Parameters:
    ///   - value: the other value.
    ///   - budget: the remaining budget of the operation.
    ///   - contents: the cache of long strings of the document.
    /// - Returns: True if both are equal.
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`. For a document with duplicate
    ///   keys, also `unrepresentableValue`, as ``value(limits:)``.
    package func isSame(
        as value: PropertyListValue, within budget: inout OperationBudget,
        _ contents: inout LongContents
    ) throws(PropertyListError) -> Bool {
        // Building a tree throws the error for duplicate keys.
        if storage.leniencies.contains(.allDuplicateKeys) {
            return try self.value(within: &budget, &contents) == value
        }
        var comparison = ValueComparison(self, value)
        return try comparison.run(&budget, &contents)
    }
}

/// A comparison of a node with a value. The traversal visits the node, and a stack tracks the
/// position in the value.
private struct ValueComparison {
    /// A container of the value whose children are being compared.
    private struct Frame {
        let storage: ContainerStorage
        /// The position of the next child, in the order of the node.
        var next = 0
    }

    /// A long string or data of the node, paired with one of the value.
    private struct LongPair: Hashable {
        let node: UInt32
        let content: ContentIdentity
    }

    private let document: PropertyListDocument
    private let root: PropertyListValue
    private var walk: DocumentWalk
    private var outer: [Frame] = []
    private var known: Set<LongPair> = []

    init(_ node: PropertyListNode, _ value: PropertyListValue) {
        document = node.document
        root = value
        walk = DocumentWalk(node)
    }

    /// Returns whether the node and the value are equal.
    mutating func run(
        _ budget: inout OperationBudget, _ contents: inout LongContents
    ) throws(PropertyListError) -> Bool {
        while let step = try walk.next(&budget) {
            guard case .enter(let node, let key) = step else {
                outer.removeLast()
                continue
            }
            guard let expected = counterpart(key, &contents),
                isSame(document.node(node), expected)
            else { return false }
        }
        return true
    }

    /// Returns the part of the value at the position of the traversal, or nil if there is none.
    private mutating func counterpart(
        _ key: UInt32?, _ contents: inout LongContents
    ) -> PropertyListValue? {
        guard let last = outer.indices.last else { return root }
        let storage = outer[last].storage
        var place = outer[last].next
        outer[last].next = place + 1
        if let key {
            let node = document.node(key)
            guard node.kind == .string else { return nil }
            if !node.isString(storage.keys.texts[place]) {
                let text = contents.text(of: key, node.record, in: document.storage.store)
                guard let other = storage.keys.place(of: text) else { return nil }
                place = other
            }
        }
        return storage.values[place]
    }

    /// Returns whether the node and the value are equal scalars, or containers of one kind with the
    /// same number of children. The children are compared later.
    private mutating func isSame(_ node: PropertyListNode, _ value: PropertyListValue) -> Bool {
        guard node.kind == value.kind else { return false }
        if let storage = value.storage {
            if storage.values.count != node.childNodes.count { return false }
            outer.append(Frame(storage: storage))
            return true
        }
        switch value {
        case .string(let text):
            let pair = ContentIdentity(text).map { LongPair(node: node.index, content: $0) }
            return isKnown(pair) || note(pair, node.isString(text))
        case .data(let bytes):
            let pair = ContentIdentity(bytes).map { LongPair(node: node.index, content: $0) }
            let content = document.storage.store.content(of: node.record)
            return isKnown(pair) || note(pair, content.elementsEqual(bytes))
        case .boolean(let value): return node.boolean == value
        case .integer(let value): return node.integer == value
        case .real(let value): return node.real == value
        case .date(let value): return node.date == value
        case .uid(let value): return node.uid == value
        case .null, .array, .set, .dictionary: return true
        }
    }

    /// Returns whether two long contents are already known to be equal. The same contents may occur
    /// many times.
    private func isKnown(_ pair: LongPair?) -> Bool { pair.map(known.contains) ?? false }

    /// Records two long contents if they are equal. Returns `isSame`.
    private mutating func note(_ pair: LongPair?, _ isSame: Bool) -> Bool {
        if let pair, isSame { known.insert(pair) }
        return isSame
    }
}

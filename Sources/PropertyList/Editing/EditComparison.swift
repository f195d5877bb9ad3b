// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Compares what edits come to with a document that was made of them.
///
/// Containers that edits have reached into are compared child by child; all else as values, one after
/// the other, so that no tree of the whole document is built.
struct EditComparison: ~Copyable {
    private let edits: FinishedEdits
    private let edited: PropertyListDocument
    // What may be read of the source and its new values, and of the result.
    private var sourceBudget: OperationBudget
    private var budget: OperationBudget
    private var sourceContents = LongContents()
    private var contents = LongContents()

    init(_ edits: FinishedEdits, _ edited: PropertyListDocument, _ limits: ParsingLimits) {
        self.edits = edits
        self.edited = edited
        sourceBudget = edits.tree.budget()
        budget = edited.budget(limits)
    }

    /// Whether the document says what the edits come to. Linear; not recursive.
    ///
    /// - Throws: as ``PropertyListNode/value(limits:)``.
    mutating func isSame() throws(PropertyListError) -> Bool {
        var pending = [(edits.tree.root, edited.storage.root)]
        while let (content, node) = pending.popLast() {
            if edits.newValue(of: content) == nil, case .opened(let number) = content {
                let container = edits.tree.containers[Int(number)]
                guard let pairs = children(of: container, and: edited.node(node)) else {
                    return false
                }
                pending += pairs
            } else {
                let expected = try value(of: content)
                let found = try edited.node(node).value(within: &budget, &contents)
                if found != expected { return false }
            }
        }
        return true
    }

    private mutating func value(
        of content: EditTree.Content
    ) throws(PropertyListError) -> PropertyListValue {
        try edits.value(of: content, &sourceBudget, &sourceContents)
    }

    /// The children of a container with their counterparts; nil where the node is no such container.
    private func children(
        of container: EditTree.Container, and node: PropertyListNode
    ) -> [(EditTree.Content, UInt32)]? {
        let live = container.live
        guard node.kind == container.kind, node.childNodes.count == live.count else { return nil }
        var pairs: [(EditTree.Content, UInt32)] = []
        pairs.reserveCapacity(live.count)
        for (place, position) in live.enumerated() {
            let child = container.children[position]
            var counterpart: PropertyListNode? = node.childNodes[place]
            if let entries = node.dictionary, let key = edits.tree.text(of: child.key) {
                // New entries may stand elsewhere in the text, as in the sections of a project file.
                let isInPlace = entries[place].keyNode.isString(key)
                counterpart = isInPlace ? counterpart : entries[key]
            }
            guard let counterpart else { return nil }
            pairs.append((child.content, counterpart.index))
        }
        return pairs
    }
}

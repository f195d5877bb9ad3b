// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Compares the expected result of edits with the document parsed from the written result.
///
/// Containers opened by edits are compared child by child. Everything else is compared as values,
/// one at a time, so that no tree of the whole document is built.
struct EditComparison: ~Copyable {
    private let edits: FinishedEdits
    private let edited: PropertyListDocument
    // The budget for reading the source with its new values, and the budget for reading the result.
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

    /// Returns whether the document has the expected content. Linear; not recursive.
    ///
    /// - Throws: The errors of `PropertyListNode.value(limits:)`.
    mutating func isSame() throws(PropertyListError) -> Bool {
        var pending: [(container: Int, node: UInt32)] = []
        guard try isSame(edits.tree.root, edited.storage.root, &pending) else { return false }
        while let (number, node) = pending.popLast() {
            let container = edits.tree.containers[number]
            guard try isSame(container, edited.node(node), &pending) else { return false }
        }
        return true
    }

    /// Returns whether a value equals the expected one. Containers opened by edits are deferred:
    /// they are added to `pending`.
    private mutating func isSame(
        _ content: EditTree.Content, _ node: UInt32,
        _ pending: inout [(container: Int, node: UInt32)]
    ) throws(PropertyListError) -> Bool {
        if edits.newValue(of: content) == nil, case .opened(let number) = content {
            pending.append((Int(number), node))
            return true
        }
        let expected = try edits.value(of: content, &sourceBudget, &sourceContents)
        return try edited.node(node).isSame(as: expected, within: &budget, &contents)
    }

    private mutating func isSame(
        _ container: EditTree.Container, _ node: PropertyListNode,
        _ pending: inout [(container: Int, node: UInt32)]
    ) throws(PropertyListError) -> Bool {
        let live = container.live
        guard node.kind == container.kind, node.childNodes.count == live.count else { return false }
        for (place, position) in live.enumerated() {
            let child = container.children[position]
            guard let counterpart = counterpart(of: child, at: place, in: node),
                try isSame(child.content, counterpart.index, &pending)
            else { return false }
        }
        return true
    }

    private func counterpart(
        of child: EditTree.Container.Child, at place: Int, in node: PropertyListNode
    ) -> PropertyListNode? {
        guard let entries = node.dictionary, let key = edits.tree.text(of: child.key) else {
            return node.childNodes[place]
        }
        // New entries may be in another position in the text, as in the sections of a project file.
        let entry = entries[place]
        return entry.keyNode.isString(key) ? entry.value : entries[key]
    }
}

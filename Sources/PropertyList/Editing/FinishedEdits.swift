// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The edits to a document when there are no more to come: which containers are still part of it, and
/// the values of all that is new.
struct FinishedEdits {
    let tree: EditTree
    /// By container: whether the root leads to it.
    let isReachable: [Bool]
    // By container, for new ones.
    private var newValues: [PropertyListValue?]
    // By nested property list; nil for those that are as they were.
    private var nestedValues: [PropertyListValue?] = []

    /// Finishes nested property lists, and builds new values from the bottom up.
    ///
    /// - Throws: what writing a nested property list does.
    init(_ tree: EditTree) throws(PropertyListError) {
        self.tree = tree
        isReachable = Self.reachable(tree)
        newValues = Array(repeating: nil, count: tree.containers.count)
        for nested in tree.nested { nestedValues.append(try Self.value(of: nested)) }
        for number in tree.containers.indices.reversed()
        where isReachable[number] && tree.containers[number].origin == nil {
            newValues[number] = value(of: tree.containers[number])
        }
    }

    /// The value that holds a nested property list; nil where it is as it was in the source.
    private static func value(
        of nested: EditTree.Nested
    ) throws(PropertyListError) -> PropertyListValue? {
        let edited = try nested.editor.finish()
        if edited.changes?.isEmpty ?? (edited.bytes == nested.editor.document.source) {
            if case .value(let value) = nested.original { return value }
            return nil
        }
        return nested.isText
            ? .string(String(decoding: edited.bytes, as: UTF8.self)) : .data(edited.bytes)
    }

    /// Children have higher numbers than their parents.
    private static func reachable(_ tree: EditTree) -> [Bool] {
        var isReachable = [Bool](repeating: false, count: tree.containers.count)
        if case .opened(let number) = tree.root { isReachable[number] = true }
        for (number, container) in tree.containers.enumerated() where isReachable[number] {
            for position in container.live {
                if case .opened(let child) = container.children[position].content {
                    isReachable[child] = true
                }
            }
        }
        return isReachable
    }

    /// A container all of whose children are new.
    func value(of container: EditTree.Container) -> PropertyListValue {
        let children = container.live.map { container.children[$0] }
        let values = children.map { newValue(of: $0.content) ?? .null }
        switch container.kind {
        case .dictionary:
            let keys = children.map { tree.text(of: $0.key) ?? "" }
            let distinct = DictionaryKeys(distinct: keys)
            return .dictionary(PropertyListDictionary(keys: distinct, values: values))
        case .set: return .set(PropertyListArray(values))
        default: return .array(PropertyListArray(values))
        }
    }

    /// The whole value, built from the bottom up, for a format that is written anew.
    ///
    /// - Throws: as ``PropertyListNode/value(limits:)``.
    func wholeValue() throws(PropertyListError) -> PropertyListValue {
        var budget = tree.budget()
        var contents = LongContents()
        var copy = self
        for number in tree.containers.indices.reversed() where isReachable[number] {
            var container = tree.containers[number]
            for position in container.live {
                let content = container.children[position].content
                let value = try copy.value(of: content, &budget, &contents)
                container.children[position].content = .value(value)
            }
            copy.newValues[number] = value(of: container)
        }
        return try copy.value(of: tree.root, &budget, &contents)
    }

    private func value(
        of content: EditTree.Content, _ budget: inout OperationBudget,
        _ contents: inout LongContents
    ) throws(PropertyListError) -> PropertyListValue {
        if let value = newValue(of: content) { return value }
        switch content {
        case .source(let node):
            return try tree.document.node(node).value(within: &budget, &contents)
        case .nested(let number):
            return try value(of: tree.nested[number].original, &budget, &contents)
        case .value, .opened: return .null
        }
    }

    /// The value that is to stand in a place; nil where the source's own does, changed or not.
    func newValue(of content: EditTree.Content) -> PropertyListValue? {
        switch content {
        case .source: nil
        case .value(let value): value
        case .opened(let number): newValues[number]
        case .nested(let number): nestedValues[number]
        }
    }

    /// The containers of the source that edits have reached into, and that are still there.
    var openedSources: [EditTree.Container] {
        tree.containers.indices.filter { isReachable[$0] }.map { tree.containers[$0] }
            .filter { $0.origin != nil }
    }
}

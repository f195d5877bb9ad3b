// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import ValidText

/// The final state of an edited document: the containers that are still reachable, and the values
/// of all new content.
struct FinishedEdits {
    let tree: EditTree
    /// For each container: whether it is reachable from the root.
    let isReachable: [Bool]
    // For each container: its value if it is new; nil for a container of the source.
    private var newValues: [PropertyListValue?]
    // For each nested property list: its value if it is new or changed; nil if it is an unchanged
    // value of the source or unreachable.
    private var nestedValues: [PropertyListValue?] = []

    /// Finishes nested property lists and builds new values from the leaves up.
    ///
    /// - Throws: The errors of writing a nested property list.
    init(_ tree: EditTree, within budget: inout OperationBudget) throws(PropertyListError) {
        self.tree = tree
        let reachable = Self.reachable(tree)
        isReachable = reachable.containers
        newValues = Array(repeating: nil, count: tree.containers.count)
        var size = 0
        for (number, nested) in tree.nested.enumerated() {
            let value =
                reachable.nested[number] ? try Self.value(of: nested, in: tree, &budget) : nil
            size += value?.data?.count ?? value?.string?.utf8.count ?? 0
            // The bytes of nested property lists are written again within the outer one.
            try budget.checkRoom(for: size)
            nestedValues.append(value)
        }
        for number in tree.containers.indices.reversed()
        where isReachable[number] && tree.containers[number].origin == nil {
            newValues[number] = value(of: tree.containers[number])
        }
    }

    /// Returns the value that holds a nested property list, or nil if it is the unchanged value of
    /// the source.
    private static func value(
        of nested: EditTree.Nested, in tree: EditTree, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListValue? {
        let edited = try nested.editor.finish(within: &budget)
        if edited.changes?.isEmpty ?? (edited.bytes == nested.editor.document.source) {
            guard case .value(let number) = nested.original else { return nil }
            return tree.values[Int(number)]
        }
        if !nested.isText { return .data(edited.bytes) }
        // The edited bytes of a binary property list in a string may not be valid UTF-8.
        guard let text = String(validUTF8: edited.bytes) else {
            throw PropertyListError(
                .unrepresentableValue, format: edited.document.format,
                what: "the property list is in a string, but its new bytes are not UTF-8 text",
                recovery: "store the property list in data first")
        }
        return .string(text)
    }

    /// Finds the containers and nested property lists that are reachable from the root. Containers
    /// have higher indices than their parents.
    private static func reachable(_ tree: EditTree) -> (containers: [Bool], nested: [Bool]) {
        var containers = [Bool](repeating: false, count: tree.containers.count)
        var nested = [Bool](repeating: false, count: tree.nested.count)
        func reach(_ content: EditTree.Content) {
            switch content {
            case .opened(let number): containers[Int(number)] = true
            case .nested(let number): nested[Int(number)] = true
            case .source, .value: break
            }
        }
        reach(tree.root)
        for (number, container) in tree.containers.enumerated() where containers[number] {
            for position in container.live { reach(container.children[position].content) }
        }
        return (containers, nested)
    }

    /// Returns the value of a container whose children are all new.
    func value(of container: EditTree.Container) -> PropertyListValue {
        value(of: container) { newValue(of: $0) ?? .null }
    }

    /// Returns the value of a container, built from the values of its children.
    private func value<Problem>(
        of container: EditTree.Container,
        _ value: (EditTree.Content) throws(Problem) -> PropertyListValue
    ) throws(Problem) -> PropertyListValue {
        let live = container.live
        var values: [PropertyListValue] = []
        values.reserveCapacity(live.count)
        for position in live { values.append(try value(container.children[position].content)) }
        switch container.kind {
        case .dictionary:
            let keys = live.map { tree.text(of: container.children[$0].key) ?? "" }
            let distinct = DictionaryKeys(distinct: keys)
            return .dictionary(PropertyListDictionary(keys: distinct, values: values))
        case .set: return .set(PropertyListArray(values))
        default: return .array(PropertyListArray(values))
        }
    }

    /// Returns the whole edited value, built from the leaves up. It is needed for JSON, which is
    /// written from scratch, and for a project file, whose comments contain the names of objects.
    ///
    /// - Throws: The errors of `PropertyListNode.value(limits:)`.
    func wholeValue() throws(PropertyListError) -> PropertyListValue {
        var budget = tree.budget()
        var contents = LongContents()
        var copy = self
        for number in tree.containers.indices.reversed() where isReachable[number] {
            try requireStringKeys(of: tree.containers[number])
            copy.newValues[number] = try value(of: tree.containers[number]) {
                content throws(PropertyListError) in
                try copy.value(of: content, &budget, &contents, isKept: true)
            }
        }
        return try copy.value(of: tree.root, &budget, &contents, isKept: true)
    }

    /// Checks that all keys of a container are strings, because a value tree has no other keys.
    ///
    /// - Throws: `unrepresentableValue`.
    private func requireStringKeys(
        of container: EditTree.Container
    ) throws(PropertyListError) {
        for position in container.live {
            guard case .source(let record) = container.children[position].key else { continue }
            let key = tree.document.node(record)
            if key.kind == .string { continue }
            throw PropertyListError(
                .unrepresentableValue, format: tree.document.format, what: key.kind.keyMismatch,
                location: key.location,
                recovery: .init(.convertToBinary, "convert it to the binary format first"))
        }
    }

    /// Returns the value of a slot's content.
    ///
    /// `isKept` has the same meaning as for `PropertyListNode.value(within:_:isKept:)`.
    ///
    /// - Throws: The errors of that function.
    func value(
        of content: EditTree.Content, _ budget: inout OperationBudget,
        _ contents: inout LongContents, isKept: Bool = false
    ) throws(PropertyListError) -> PropertyListValue {
        if let value = newValue(of: content) { return value }
        switch content {
        case .source(let node):
            return try tree.document.node(node).value(within: &budget, &contents, isKept: isKept)
        case .nested(let number):
            return try value(
                of: tree.nested[Int(number)].original, &budget, &contents, isKept: isKept)
        case .value, .opened: return .null
        }
    }

    /// Returns the new value of a slot's content. Returns nil for an unchanged value of the source,
    /// and for a container of the source even if edits have reached into it.
    func newValue(of content: EditTree.Content) -> PropertyListValue? {
        switch content {
        case .source: nil
        case .value(let number): tree.values[Int(number)]
        case .opened(let number): newValues[Int(number)]
        case .nested(let number): nestedValues[Int(number)]
        }
    }

    /// The opened containers of the source that are still reachable.
    var openedSources: some Sequence<EditTree.Container> {
        tree.containers.indices.lazy.filter { isReachable[$0] }.map { tree.containers[$0] }
            .filter { $0.origin != nil }
    }
}

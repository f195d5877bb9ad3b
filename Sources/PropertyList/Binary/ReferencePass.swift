// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The pass that checks the references between the objects of a binary property list for cycles and
/// excessive depth.
///
/// Writers number a container before its contents, so in nearly every file references to containers
/// point forward. One backward loop over the records then computes the height of each container. If
/// a reference to a container points backward, the pass falls back to a depth-first search with an
/// explicit stack. Both the loop and the search are linear.
package struct ReferencePass {
    private enum State: UInt8 { case new, open, done }

    package let options: ParsingOptions
    package let limits: ParsingLimits
    package let root: UInt32
    var used: ParsingOptions = []
    package var problems: [PropertyListError] = []
    // By record: the number of nested containers, including the container itself; 0 for a leaf.
    private var heights: [UInt32] = []
    // The height of a container that the backward loop has not reached. No document is that deep.
    private static let unmeasured = UInt32.max
    // By cyclic container: its placeholder record.
    private var standIns: [Int: UInt32] = [:]

    package init(options: ParsingOptions, limits: ParsingLimits, root: UInt32) {
        self.options = options
        self.limits = limits
        self.root = root
    }

    /// Checks all records, used or not, for cycles, and checks the depth of the root.
    ///
    /// - Throws: `referenceCycle`, `depthLimitExceeded`.
    package mutating func run(_ store: inout NodeStore) throws(PropertyListError) {
        if !measureForward(store) { try search(&store) }
        let depth = Int(heights[Int(root)])
        if depth > limits.depth {
            throw OperationBudget.depthExceeded(
                depth, limit: limits.depth, format: .binary,
                location: .byte(Int(store.records[Int(root)].offset)))
        }
    }

    /// Computes all heights if every reference to a container points forward. Returns false
    /// otherwise.
    ///
    /// Skips dictionary keys if the dictionary pass will refuse containers among them anyway.
    private mutating func measureForward(_ store: NodeStore) -> Bool {
        let skipsKeys = options.isDisjoint(with: [.salvage, .unusedGarbage])
        let (records, children) = (store.records.span, store.children.span)
        // A local array needs no uniqueness check at each write.
        var heights: [UInt32] = []
        heights.append(addingCapacity: records.count) { output in
            for index in records.indices {
                output.append(records[index].isContainer ? Self.unmeasured : 0)
            }
        }
        defer { self.heights = heights }
        var node = records.count
        while node > 0 {
            node &-= 1
            if heights[node] == 0 { continue }
            let record = records[node]
            let references = children.extracting(skipsKeys ? record.valueRange : record.childRange)
            var height: UInt32 = 0
            for index in references.indices {
                height = max(height, heights[Int(references[index])])
            }
            // A reference to the container itself, or backward, leads to an unmeasured container.
            if height == Self.unmeasured { return false }
            heights[node] = height &+ 1
        }
        return true
    }

    // MARK: The search

    private mutating func search(_ store: inout NodeStore) throws(PropertyListError) {
        var states = [State](repeating: .new, count: store.records.count)
        for i in heights.indices { heights[i] = 0 }
        try visit(root, &states, &store)
        for node in store.records.indices
        where store.records[node].isContainer && states[node] == .new {
            try visit(UInt32(truncatingIfNeeded: node), &states, &store)
        }
    }

    private mutating func visit(
        _ start: UInt32, _ states: inout [State], _ store: inout NodeStore
    ) throws(PropertyListError) {
        var stack: [(node: Int, next: Int)] = [(Int(start), 0)]
        states[Int(start)] = .open
        while let (node, next) = stack.last {
            let record = store.records[node]
            let range = record.childRange
            guard record.isContainer, next < range.count else {
                finish(node, isContainer: record.isContainer, &states, &stack)
                continue
            }
            stack[stack.count &- 1].next = next &+ 1
            let child = Int(store.children[range.lowerBound &+ next])
            switch states[child] {
            case .done: heights[node] = max(heights[node], heights[child])
            case .new where store.records[child].isContainer:
                states[child] = .open
                stack.append((child, 0))
            case .new: states[child] = .done
            case .open: try cut(child, at: range.lowerBound &+ next, stack, &store)
            }
        }
    }

    private mutating func finish(
        _ node: Int, isContainer: Bool, _ states: inout [State],
        _ stack: inout [(node: Int, next: Int)]
    ) {
        stack.removeLast()
        states[node] = .done
        if isContainer { heights[node] &+= 1 }
        if let parent = stack.last {
            heights[parent.node] = max(heights[parent.node], heights[node])
        }
    }

    /// Throws the error for a reference that closes a cycle. In salvage mode, replaces the
    /// reference instead.
    private mutating func cut(
        _ child: Int, at place: Int, _ stack: [(node: Int, next: Int)], _ store: inout NodeStore
    ) throws(PropertyListError) {
        let offset = store.records[child].offset
        if !options.contains(.salvage) {
            let path = PathSearch.path(
                to: UInt32(truncatingIfNeeded: stack.last?.node ?? child), from: root, in: store)
            throw cycle(child, stack, offset, path)
        }
        used.insert(.salvage)
        // The problems have no paths and their number is limited, because a file may have as many
        // cycles as bytes.
        if problems.count < PropertyListDocument.problemLimit {
            problems.append(cycle(child, stack, offset, nil))
        }
        store.children[place] = standIn(for: child, offset, &store)
    }

    /// Returns the placeholder record for a container that contains itself. Each container has at
    /// most one placeholder, so there are no more placeholders than containers.
    private mutating func standIn(
        for child: Int, _ offset: UInt32, _ store: inout NodeStore
    ) -> UInt32 {
        if let known = standIns[child] { return known }
        let record = store.nextIndex
        store.records.append(NodeRecord(kind: .unreadable, offset: offset))
        heights.append(0)
        standIns[child] = record
        return record
    }

    private func cycle(
        _ child: Int, _ stack: [(node: Int, next: Int)], _ offset: UInt32,
        _ path: PropertyListPath?
    ) -> PropertyListError {
        let length = stack.count - (stack.firstIndex { $0.node == child } ?? 0)
        return PropertyListError(
            .referenceCycle, format: .binary,
            what: "object \(child) contains itself, in a cycle of length \(length)",
            location: .byte(Int(offset)), path: path)
    }

    // MARK: Use

    /// Returns, for each record, whether it is reachable from `root`. Linear.
    package static func reachable(from root: UInt32, in store: NodeStore) -> [Bool] {
        var isUsed = [Bool](repeating: false, count: store.records.count)
        var stack = [Int(root)]
        isUsed[Int(root)] = true
        while let node = stack.popLast() {
            guard store.records[node].isContainer else { continue }
            for place in store.records[node].childRange {
                let child = Int(store.children[place])
                if isUsed[child] { continue }
                isUsed[child] = true
                stack.append(child)
            }
        }
        return isUsed
    }
}

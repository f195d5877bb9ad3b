// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A search for the path to a value, for error messages. It runs only after an error, so successful
/// parsing need not track paths.
enum PathSearch {
    /// Returns the first path from `root` to `target` in depth-first order, or nil if there is
    /// none. Linear in the document.
    static func path(to target: UInt32, from root: UInt32 = 0, in store: NodeStore)
        -> PropertyListPath?
    {
        guard Int(root) < store.records.count else { return nil }
        var visited = [Bool](repeating: false, count: store.records.count)
        var stack: [(node: UInt32, next: Int)] = [(root, 0)]
        visited[Int(root)] = true
        while let top = stack.last {
            if top.node == target { return path(along: stack, store) }
            let record = store.records[Int(top.node)]
            guard record.isContainer, top.next < record.childRange.count else {
                stack.removeLast()
                continue
            }
            stack[stack.count &- 1].next &+= 1
            let child = store.children[record.childRange.lowerBound &+ top.next]
            if Int(child) < visited.count, !visited[Int(child)] {
                visited[Int(child)] = true
                stack.append((child, 0))
            }
        }
        return nil
    }

    /// Returns the path of the traversal stack. The `next` of each frame but the last is one past
    /// the child taken.
    private static func path(along stack: [(node: UInt32, next: Int)], _ store: NodeStore)
        -> PropertyListPath
    {
        var steps = PathSteps(store)
        for frame in stack.dropLast() { steps.append(frame.next &- 1, of: frame.node) }
        return steps.path
    }
}

/// The steps of a path under construction. The text of each key node is copied once, because a
/// thousand nested dictionaries may all refer to the same 1 MB key.
struct PathSteps {
    private(set) var path = PropertyListPath()
    private let store: NodeStore
    // By the record of a key.
    private var texts: [UInt32: String] = [:]

    init(_ store: NodeStore) { self.store = store }

    /// Appends the step to the child at `position` of a container: its key, or its index if it has
    /// no key or the key is not a string.
    mutating func append(_ position: Int, of container: UInt32) {
        let record = store.records[Int(container)]
        guard record.kind == .dictionary else {
            return path.components.append(.index(position))
        }
        let pair = position % max(record.count, 1)
        let key = store.children[record.keyRange.lowerBound &+ pair]
        let keyRecord = store.records[Int(key)]
        guard keyRecord.kind == .string else { return path.components.append(.index(pair)) }
        let text = texts[key] ?? store.string(of: keyRecord)
        texts[key] = text
        path.components.append(.key(text))
    }
}

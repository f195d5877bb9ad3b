// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Finds the way to a value, for an error message: nobody pays for paths while all is well.
enum PathSearch {
    /// The path from `root` to `target`, the first found in depth-first order; nil where the root
    /// does not lead there. Linear in the document.
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

    /// Each frame but the last has already moved on by one, past the child taken.
    private static func path(along stack: [(node: UInt32, next: Int)], _ store: NodeStore)
        -> PropertyListPath
    {
        PropertyListPath(
            stack.dropLast().map { frame in
                component(frame.next &- 1, of: store.records[Int(frame.node)], store)
            })
    }

    /// The step to the child at `position` of a container.
    static func component(_ position: Int, of record: NodeRecord, _ store: NodeStore)
        -> PropertyListPath.Component
    {
        guard record.kind == .dictionary else { return .index(position) }
        let pair = position % max(Int(record.high), 1)
        let key = store.children[Int(record.low) &+ pair]
        return .key(store.string(of: store.records[Int(key)]))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The order in which Xcode writes the entries of a project file's dictionaries. Objects are sorted
/// by class and then by identifier. In each object the class comes first. All other entries are
/// sorted by key.
struct ProjectOrder: Sendable {
    /// The dictionary of all objects.
    let objects: PropertyListNode?
    let hasSections: Bool
    /// A Boolean value that is true to sort keys, and false to keep the order of the document.
    let sortsKeys: Bool

    /// Returns the order of a dictionary's entries, or nil for the order of the document. Objects
    /// of one class are adjacent in files with sections.
    func arrangement(of node: PropertyListNode) -> [Int]? {
        guard let entries = node.dictionary else { return nil }
        let order = sortsKeys ? entries.orderByKey : nil
        if let objects, node.isIdentical(to: objects) {
            return hasSections ? grouped(entries, order ?? Array(entries.indices)) : order
        }
        return order.map { isaFirst(entries, $0) }
    }

    private func grouped(
        _ entries: PropertyListNode.DictionaryView, _ order: [Int]
    ) -> [Int] {
        let ranks = ranks(of: entries)
        let isGrouped = zip(order, order.dropFirst()).allSatisfy { ranks[$0] <= ranks[$1] }
        if isGrouped { return order }
        return order.enumerated().sorted {
            (ranks[$0.element], $0.offset) < (ranks[$1.element], $1.offset)
        }.map(\.element)
    }

    /// Returns the alphabetical rank of each object's class. Many objects may share one long class
    /// name, which is read only once.
    private func ranks(of entries: PropertyListNode.DictionaryView) -> [Int] {
        var classes: [UInt32: ExactText] = [:]
        let nodes = entries.map { entry -> UInt32? in
            guard let isa = entry.value["isa"] else { return nil }
            if classes[isa.index] == nil {
                classes[isa.index] = ExactText(ProjectNames.className(isa) ?? "")
            }
            return isa.index
        }
        var ranks: [UInt32: Int] = [:]
        var last = (name: ExactText(""), rank: 0)
        for (node, name) in classes.sorted(by: { $0.value < $1.value }) {
            if name != last.name { last = (name, last.rank + 1) }
            ranks[node] = last.rank
        }
        return nodes.map { $0.flatMap { ranks[$0] } ?? 0 }
    }

    /// Moves `isa` to the front. Files without sections sort `isa` like any other key.
    private func isaFirst(
        _ entries: PropertyListNode.DictionaryView, _ order: [Int]
    ) -> [Int] {
        guard hasSections,
            let place = order.firstIndex(where: { entries[$0].keyNode.isString("isa") })
        else { return order }
        return [order[place]] + order[..<place] + order[(place + 1)...]
    }
}

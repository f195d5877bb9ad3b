// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// Prints differences, one value per line: `- path: value` for the first document, `+ path: value`
/// for the second.
struct DifferencePrinter {
    /// One of two archives that are compared as graphs. References are shown as their objects.
    private struct Side {
        let archive: ArchiveContents
        let text: ValueText

        /// Returns the class name in a class description.
        func className(_ description: PropertyListUID) -> String? {
            archive.objects[Int(description.value)][ArchiveFormat.classNameKey].map(text.name)
        }
    }

    private let old: Side?
    private let new: Side?
    private let palette: Palette
    private let text = ValueText.usual

    init(
        old: ArchiveContents? = nil, new: ArchiveContents? = nil, palette: Palette = .plain
    ) {
        self.old = old.map { [text] in Side(archive: $0, text: text) }
        self.new = new.map { [text] in Side(archive: $0, text: text) }
        self.palette = palette
    }

    /// Prints the differences in order, within the console's budget.
    ///
    /// - Throws: `expansionLimitExceeded`, `depthLimitExceeded`, `sizeLimitExceeded`.
    func print(
        _ differences: PropertyListComparison.Differences, to console: Console
    ) throws(PropertyListError) {
        for difference in differences {
            if let node = difference.old {
                let path = try difference.path(within: &console.budget)
                try print("-", path, node, old, console)
            }
            if let node = difference.new {
                let path =
                    try difference.old == nil
                    ? difference.newPath(within: &console.budget)
                    : difference.path(within: &console.budget)
                try print("+", path, node, new, console)
            }
        }
    }

    /// Prints a value. A container is printed as all of its leaves.
    private func print(
        _ mark: String, _ path: PropertyListKeyPath, _ node: PropertyListNode,
        _ side: Side?, _ console: Console
    ) throws(PropertyListError) {
        let document = node.document
        var place = KeyPathText(path)
        // For each open container: the number of children so far.
        var positions: [Int] = []
        var walk = DocumentWalk(node)
        while let step = try walk.next(&console.budget) {
            switch step {
            case .leave:
                positions.removeLast()
                place.removeLast()
            case .enter(let number, let key):
                let inner = document.node(number)
                let isRoot = positions.isEmpty
                if !isRoot {
                    let step = Self.step(key.map(document.node), &positions)
                    try console.budget.charge(bytes: key.map(document.node)?.contentSize ?? 0)
                    place.append(step)
                }
                if inner.childNodes.isEmpty {
                    try print(mark, place.text, summary(inner, side), console)
                }
                if inner.kind.isContainer {
                    positions.append(0)
                    if isRoot { place.appendEmptyStep() }
                } else if !isRoot {
                    place.removeLast()
                }
            }
        }
    }

    /// Returns the step into the next child of the innermost container: its key, or its index if
    /// it has no key or the key is not a string.
    private static func step(
        _ key: PropertyListNode?, _ positions: inout [Int]
    ) -> PropertyListKeyPath.Step {
        let index = positions.popLast() ?? 0
        positions.append(index + 1)
        guard let name = key?.string else { return .index(index) }
        return .key(name)
    }

    private func print(
        _ mark: String, _ place: String, _ summary: String, _ console: Console
    ) throws(PropertyListError) {
        let line = "\(mark) \(place.isEmpty ? "." : place): \(summary)"
        try console.print(mark == "-" ? palette.removed(line) : palette.added(line))
    }

    /// Returns a one-line summary of a scalar, an empty container, or the object to which a
    /// reference leads.
    private func summary(_ node: PropertyListNode, _ side: Side?) -> String {
        guard let uid = node.uid, let side, let entry = try? side.archive.entry(uid) else {
            return TreeForm(plain: node, text).summary
        }
        switch entry {
        case .null: return "nil"
        case .leaf(let leaf): return TreeForm(plain: leaf, text).summary
        case .object(_, let number):
            return "\(side.className(number) ?? "object") @\(uid.value)"
        case .classDescription: return "class \(side.className(uid) ?? "")"
        case .malformed: return uid.description
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Prints differences, one value a line: `- path: value` for what was, `+ path: value` for what is.
struct DifferencePrinter {
    /// One of two archives that are compared as graphs, whose references are shown by what they lead to.
    private struct Side {
        let archive: ArchiveContents
        /// The names of the classes met so far, by description.
        var classNames: [PropertyListUID: String] = [:]
    }

    let limits: ParsingLimits
    private var old: Side?
    private var new: Side?
    private let palette: Palette
    private let text = ValueText(previewLength: ValueText.usualPreview)

    init(
        limits: ParsingLimits, old: ArchiveContents? = nil, new: ArchiveContents? = nil,
        palette: Palette = .plain
    ) {
        self.limits = limits
        self.old = old.map { Side(archive: $0) }
        self.new = new.map { Side(archive: $0) }
        self.palette = palette
    }

    /// Prints them in order.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func print(
        _ differences: [PropertyListDifference], to console: Console
    ) throws(PropertyListError) {
        for difference in differences {
            if let node = difference.old {
                try print("-", difference.path, node, &old, console)
            }
            if let node = difference.new {
                let path = difference.old == nil ? difference.newPath : difference.path
                try print("+", path, node, &new, console)
            }
        }
    }

    /// Prints a value: a container by all that it holds.
    private func print(
        _ mark: String, _ path: PropertyListKeyPath, _ node: PropertyListNode,
        _ side: inout Side?, _ console: Console
    ) throws(PropertyListError) {
        let document = node.document
        var walk = DocumentWalk(node, budget: document.budget(limits))
        while let step = try walk.next() {
            guard case .enter(let number, _) = step else { continue }
            let inner = document.node(number)
            guard inner.childNodes.isEmpty else { continue }
            let place = PropertyListKeyPath(
                path.steps + PropertyListKeyPath(walk.path()).steps)
            let name = place.steps.isEmpty ? "." : place.description
            let line = "\(mark) \(name): \(summary(inner, &side))"
            console.print(mark == "-" ? palette.removed(line) : palette.added(line))
        }
    }

    /// A scalar, an empty container, or what a reference leads to.
    private func summary(_ node: PropertyListNode, _ side: inout Side?) -> String {
        guard let uid = node.uid, let archive = side?.archive, let entry = try? archive.entry(uid)
        else {
            return Shape(plain: node, text).summary
        }
        switch entry {
        case .null: return "nil"
        case .leaf(let leaf): return Shape(plain: leaf, text).summary
        case .object(_, let number):
            return "\(className(number, &side) ?? "object") @\(uid.value)"
        case .classDescription: return "class \(className(uid, &side) ?? "")"
        case .malformed: return uid.description
        }
    }

    /// The name that an entry describes a class by, made once: it may be long, and many lines may need it.
    private func className(_ description: PropertyListUID, _ side: inout Side?) -> String? {
        if let known = side?.classNames[description] { return known }
        let entry = side?.archive.objects[Int(description.value)]
        let name = entry?["$classname"]?.string.map(text.name)
        side?.classNames[description] = name
        return name
    }
}

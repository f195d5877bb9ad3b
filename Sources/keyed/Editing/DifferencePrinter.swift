// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Prints differences, one value a line: `- path: value` for what was, `+ path: value` for what is.
struct DifferencePrinter {
    /// One of two archives that are compared as graphs, whose references are shown by what they lead to.
    private final class Side {
        let archive: ArchiveContents
        private let text: ValueText
        private var classNames: [PropertyListUID: String] = [:]

        init(_ archive: ArchiveContents, _ text: ValueText) {
            self.archive = archive
            self.text = text
        }

        /// The name that an entry describes a class by, made once: it may be long, and many lines may
        /// need it.
        func className(_ description: PropertyListUID) -> String? {
            if let known = classNames[description] { return known }
            let entry = archive.objects[Int(description.value)]
            let name = entry["$classname"]?.string.map(text.name)
            classNames[description] = name
            return name
        }
    }

    let limits: ParsingLimits
    private let old: Side?
    private let new: Side?
    private let palette: Palette
    private let text = ValueText(previewLength: ValueText.usualPreview)

    init(
        limits: ParsingLimits, old: ArchiveContents? = nil, new: ArchiveContents? = nil,
        palette: Palette = .plain
    ) {
        self.limits = limits
        self.old = old.map { [text] in Side($0, text) }
        self.new = new.map { [text] in Side($0, text) }
        self.palette = palette
    }

    /// Prints them in order.
    ///
    /// - Throws: `expansionLimitExceeded`.
    func print(
        _ differences: [PropertyListDifference], to console: Console
    ) throws(PropertyListError) {
        for difference in differences {
            if let node = difference.old {
                try print("-", difference.path, node, old, console)
            }
            if let node = difference.new {
                let path = difference.old == nil ? difference.newPath : difference.path
                try print("+", path, node, new, console)
            }
        }
    }

    /// Prints a value: a container by all that it holds.
    private func print(
        _ mark: String, _ path: PropertyListKeyPath, _ node: PropertyListNode,
        _ side: Side?, _ console: Console
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
            let line = "\(mark) \(name): \(summary(inner, side))"
            console.print(mark == "-" ? palette.removed(line) : palette.added(line))
        }
    }

    /// A scalar, an empty container, or what a reference leads to.
    private func summary(_ node: PropertyListNode, _ side: Side?) -> String {
        guard let uid = node.uid, let side, let entry = try? side.archive.entry(uid) else {
            return Shape(plain: node, text).summary
        }
        switch entry {
        case .null: return "nil"
        case .leaf(let leaf): return Shape(plain: leaf, text).summary
        case .object(_, let number):
            return "\(side.className(number) ?? "object") @\(uid.value)"
        case .classDescription: return "class \(side.className(uid) ?? "")"
        case .malformed: return uid.description
        }
    }
}

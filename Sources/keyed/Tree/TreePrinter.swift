// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Prints a property list, or the objects of a keyed archive, as a tree of lines.
///
/// In an archive references are followed: an object stands where it is first referred to, and one
/// that is referred to again has an anchor, `@n` with its number, by which later lines name it.
/// Nothing recurses, and nothing is printed twice but shared scalars, so cycles and depth are
/// harmless.
struct TreePrinter {
    /// Deeper lines are not indented further.
    private static let deepestIndent = 32

    let document: PropertyListDocument
    let contents: ArchiveContents?
    let text: ValueText
    /// How many levels are shown.
    let depth: Int
    /// Whether each line ends with the number and the byte offset of the value.
    let showsPlaces: Bool
    /// The classes whose objects are shown; nil for all.
    let allowed: ClassRegistry?
    /// What could not be shown.
    private(set) var problems: [String] = []
    private var budget: ParsingBudget
    private var references: [UInt32: Int] = [:]
    private var shown: Set<UInt32> = []
    // The shapes of objects that have been met but only below the depth that is shown.
    private var cutShapes: [UInt32: Shape] = [:]
    private var classNames: [UInt32: String] = [:]
    private var frames: [Frame] = []
    // Bytes printed, or looked at in order to print less.
    private var effort = 0

    /// Values of which some are still to be printed.
    private struct Frame {
        let children: Children
        let depth: Int
        var next = 0
    }

    init(
        _ document: PropertyListDocument, contents: ArchiveContents?, text: ValueText,
        depth: Int, showsPlaces: Bool, allowed: ClassRegistry? = nil,
        limits: ParsingLimits
    ) {
        self.document = document
        self.contents = contents
        self.text = text
        self.depth = depth
        self.showsPlaces = showsPlaces
        self.allowed = allowed
        budget = document.budget(limits)
    }

    /// Prints everything that the roots lead to.
    mutating func printAll(to console: Console) throws(PropertyListError) {
        var roots = Children()
        if let contents {
            try countReferences()
            for entry in contents.top { roots.append(.field(entry.key), entry.value) }
        } else {
            roots.append(.none, document.root)
        }
        try printTree(roots, depth: 0, console)
    }

    /// Prints one value and what it leads to.
    mutating func print(_ node: PropertyListNode, to console: Console) throws(PropertyListError) {
        var roots = Children()
        if contents != nil { try countReferences() }
        roots.append(.none, node)
        try printTree(roots, depth: 0, console)
    }

    /// The objects that no root leads to, for an archive that has been printed.
    func unreached() -> [PropertyListUID] {
        guard let contents else { return [] }
        return contents.objects.indices.dropFirst().map { PropertyListUID(UInt32($0)) }
            .filter { !shown.contains($0.value) && references[$0.value] == nil && isObject($0) }
    }

    private func isObject(_ reference: PropertyListUID) -> Bool {
        switch try? contents?.entry(reference) {
        case .object, .leaf, .malformed: true
        case .null, .classDescription, .none: false
        }
    }

    /// Prints objects that no root leads to, each with its anchor.
    mutating func printUnreached(
        _ objects: [PropertyListUID], to console: Console
    ) throws(PropertyListError) {
        guard let contents else { return }
        for object in objects {
            references[object.value] = 2
            let shape = shape(of: object)
            let node = contents.objects[Int(object.value)]
            try print(.none, shape, node, depth: 0, console)
            try printFrames(console)
        }
    }

    // MARK: Lines

    private mutating func printTree(
        _ children: Children, depth: Int, _ console: Console
    ) throws(PropertyListError) {
        frames.append(Frame(children: children, depth: depth))
        try printFrames(console)
    }

    private mutating func printFrames(_ console: Console) throws(PropertyListError) {
        while let top = frames.indices.last {
            let position = frames[top].next
            guard position < frames[top].children.count else {
                frames.removeLast()
                continue
            }
            frames[top].next = position + 1
            let child = frames[top].children[position]
            try budget.visit()
            try print(
                child.label, shape(of: child.node), child.node, depth: frames[top].depth, console)
        }
    }

    private mutating func print(
        _ label: Label, _ shape: Shape, _ node: PropertyListNode, depth level: Int,
        _ console: Console
    ) throws(PropertyListError) {
        let isCut = level >= depth && shape.children.count > 0
        let line =
            indent(level) + label.text(text) + shape.summary + (isCut ? " …" : "")
            + place(of: node)
        effort += max(line.utf8.count, shape.cost)
        try budget.emit(size: effort)
        console.print(line)
        if isCut {
            if let object = shape.object { cutShapes[object.value] = shape }
            return
        }
        if let object = shape.object {
            shown.insert(object.value)
            cutShapes[object.value] = nil
        }
        if shape.children.count > 0 {
            frames.append(Frame(children: shape.children, depth: level + 1))
        }
    }

    private func indent(_ depth: Int) -> String {
        guard depth > Self.deepestIndent else { return String(repeating: "  ", count: depth) }
        return String(repeating: "  ", count: Self.deepestIndent) + "(\(depth)) "
    }

    private func place(of node: PropertyListNode) -> String {
        guard showsPlaces, let offset = node.sourceOffset else { return "" }
        return "  [#\(node.number) at \(offset)]"
    }

    // MARK: Shapes

    private mutating func shape(of node: PropertyListNode) -> Shape {
        if let uid = node.uid, contents != nil, !showsPlaces { return shape(of: uid) }
        if node.kind == .unreadable { problems.append("object \(node.number) could not be read") }
        return Shape(plain: node, text)
    }

    private mutating func shape(of reference: PropertyListUID) -> Shape {
        guard let contents else { return Shape(summary: reference.description) }
        do {
            switch try contents.entry(reference) {
            case .null: return Shape(summary: "nil")
            case .leaf(let node):
                shown.insert(reference.value)
                if let name = node.plainClassName, allowed?.allows(name) == false {
                    return refused(name, reference)
                }
                return Shape(plain: node, text)
            case .classDescription:
                return Shape(summary: "class \(className(reference, contents))")
            case .object(let fields, let classReference):
                return shape(of: reference, fields, classReference, contents)
            case .malformed(let node, let error):
                return malformed(node, error, reference)
            }
        } catch {
            problems.append(error.what)
            return Shape(summary: "<\(error.what)>")
        }
    }

    private mutating func malformed(
        _ node: PropertyListNode, _ error: KeyedArchiveError, _ reference: PropertyListUID
    ) -> Shape {
        // The property list's own problems say more.
        if node.kind == .unreadable { return Shape(plain: node, text) }
        if !shown.insert(reference.value).inserted {
            return Shape(summary: "→ @\(reference.value)")
        }
        problems.append(error.what)
        var shape = Shape(plain: node, text)
        shape.summary = "<\(error.what)> \(shape.summary)"
        return shape
    }

    private mutating func shape(
        of reference: PropertyListUID, _ fields: PropertyListNode.DictionaryView,
        _ classReference: PropertyListUID, _ contents: ArchiveContents
    ) -> Shape {
        if shown.contains(reference.value) { return Shape(summary: "→ @\(reference.value)") }
        if let known = cutShapes[reference.value] { return known }
        if let allowed, let archivedClass = try? contents.archivedClass(classReference),
            !allowed.allows(archivedClass)
        {
            shown.insert(reference.value)
            return refused(archivedClass.name, reference)
        }
        let isShared = references[reference.value, default: 0] > 1
        var shape = ObjectShape(fields, contents, text).shape(
            className: className(classReference, contents)
                + (isShared ? " @\(reference.value)" : ""))
        shape.object = reference
        return shape
    }

    /// What stands for an object of a class that is not allowed.
    private mutating func refused(_ name: String, _ reference: PropertyListUID) -> Shape {
        let name = TerminalText.escaped(name)
        problems.append("object \(reference.value) is of class \(name), which is not allowed")
        return Shape(summary: "<\(name) is not allowed>")
    }

    /// The name of a class; what is wrong with its description where it has none.
    private mutating func className(
        _ reference: PropertyListUID, _ contents: ArchiveContents
    ) -> String {
        if let known = classNames[reference.value] { return known }
        let name: String
        do {
            name = TerminalText.escaped(try contents.archivedClass(reference).name)
        } catch {
            problems.append(error.what)
            name = "<\(error.what)>"
        }
        classNames[reference.value] = name
        return name
    }

    // MARK: References

    /// Counts how often each object is referred to, its class apart.
    private mutating func countReferences() throws(PropertyListError) {
        var walk = DocumentWalk(document.root, budget: budget)
        while let step = try walk.next() {
            guard case .enter(let node, let key) = step, let uid = document.node(node).uid else {
                continue
            }
            if let key, document.node(key).isString("$class") { continue }
            references[uid.value, default: 0] += 1
        }
    }
}

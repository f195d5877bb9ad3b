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
///
/// Data that are a property list themselves stand as a tree below their line. Whatever is printed, and
/// whatever is read for it, counts against one ``PrintingBudget``.
struct TreePrinter {
    /// How many property lists within each other are shown as trees.
    private static let nestingLimit = 16

    /// What is shown, and how; the same for a property list and those nested in it.
    struct Options {
        var text = ValueText(previewLength: ValueText.usualPreview)
        var style: any TreeStyle = TextStyle(palette: .plain)
        /// How many levels are shown.
        var depth = Int.max
        /// Whether the property list of an archive is shown, as it is in the file.
        var isRaw = false
        /// The classes whose objects are shown; nil for all.
        var allowed: ClassRegistry?
        var limits = ParsingLimits.default
    }

    let document: PropertyListDocument
    let contents: ArchiveContents?
    let options: Options
    /// What could not be shown.
    private(set) var problems: [String] = []
    private let place: TreePlace
    private let printing: PrintingBudget
    private var budget: ParsingBudget
    private var references: [UInt32: Int] = [:]
    private var shown: Set<UInt32> = []
    // The shapes of objects that have been met but only below the depth that is shown.
    private var cutShapes: [UInt32: Shape] = [:]
    private var classNames: [UInt32: String] = [:]
    private var descriptions: DescriptionBudget?
    // Which classes are refused, by the entries that describe them.
    private var refusedClasses: [UInt32: Bool] = [:]
    private var frames: [Frame] = []

    private var text: ValueText { options.text }

    /// Values of which some are still to be printed.
    private struct Frame {
        let children: Children
        let depth: Int
        /// The way to what the children stand below, from the frame before; of an object, from the root.
        let steps: [PropertyListKeyPath.Step]
        let isObject: Bool
        var next = 0
    }

    /// - Parameter printing: the budget that is shared with other trees; by default one of its own.
    init(
        _ document: PropertyListDocument, _ options: Options, at place: TreePlace = TreePlace(),
        printing: PrintingBudget? = nil
    ) {
        self.document = document
        self.options = options
        self.place = place
        let isArchive = !options.isRaw && document.looksLikeKeyedArchive
        contents = isArchive ? try? ArchiveContents(document) : nil
        descriptions = contents.map { DescriptionBudget($0, limits: options.limits) }
        budget = document.budget(options.limits)
        self.printing = printing ?? PrintingBudget(budget)
    }

    /// Prints what the property list is, in the styles that say so.
    func printHeading(to console: Console) throws(PropertyListError) {
        guard let line = options.style.heading(TreeHeading(document), place) else { return }
        try printing.charge(line.utf8.count)
        console.print(line)
    }

    /// Prints everything that the roots lead to.
    mutating func printAll(to console: Console) throws(PropertyListError) {
        var roots = Children()
        if let contents {
            try countReferences()
            for entry in contents.top {
                roots.append(.field(entry.key), entry.value, [.key("$top"), .key(entry.key)])
            }
        } else {
            roots.append(.none, document.root)
        }
        try printTree(roots, depth: place.level, console)
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
            let child = Children.Child(
                label: .none, node: contents.objects[Int(object.value)],
                steps: [.object(object.value)])
            try print(child, shape(of: object), depth: 0, console)
            try printFrames(console)
        }
    }

    // MARK: Lines

    private mutating func printTree(
        _ children: Children, depth: Int, _ console: Console
    ) throws(PropertyListError) {
        frames.append(Frame(children: children, depth: depth, steps: [], isObject: false))
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
            try print(child, shape(of: child.node), depth: frames[top].depth, console)
        }
    }

    private mutating func print(
        _ child: Children.Child, _ shape: Shape, depth level: Int, _ console: Console
    ) throws(PropertyListError) {
        let nested = try nestedDocument(shape)
        let isCut = level >= options.depth && (shape.children.count > 0 || nested != nil)
        var shape = shape
        if let nested { shape.summary = summary(shape, of: nested) }
        let line = TreeLine(
            level: level, label: child.label, shape: shape, node: child.node, isCut: isCut)
        let text = options.style.text(of: line, place) { path(child.steps) }
        try printing.charge(max(text.utf8.count, shape.cost))
        console.print(text)
        if isCut {
            if let object = shape.object { cutShapes[object.value] = shape }
            return
        }
        if let object = shape.object {
            shown.insert(object.value)
            cutShapes[object.value] = nil
        }
        if let nested { try print(nested, shape, at: child.steps, level + 1, console) }
        if shape.children.count > 0 {
            frames.append(
                Frame(
                    children: shape.children, depth: level + 1,
                    steps: shape.object.map { [.object($0.value)] } ?? child.steps,
                    isObject: shape.object != nil))
        }
    }

    /// The key path of a value below the innermost frame. Objects are addressed by their numbers, or
    /// the paths of a long chain would be longer than all it holds.
    private func path(_ steps: [PropertyListKeyPath.Step]) -> PropertyListKeyPath {
        let start = frames.lastIndex { $0.isObject } ?? 0
        return PropertyListKeyPath(place.prefix + frames[start...].flatMap(\.steps) + steps)
    }

    // MARK: Nested property lists

    /// The property list that the data of a value are, if they are one.
    private func nestedDocument(_ shape: Shape) throws(PropertyListError) -> PropertyListDocument? {
        guard !options.isRaw, place.nesting < Self.nestingLimit, let data = shape.data,
            NestedPropertyList.begins(data)
        else { return nil }
        try printing.charge(data.count)
        let nested = NestedPropertyList(data, limits: options.limits)
        return if case .document(let document)? = nested { document } else { nil }
    }

    /// The size of data, and what they are, instead of their first bytes.
    private func summary(_ shape: Shape, of nested: PropertyListDocument) -> String {
        let shown = text.data(shape.data ?? [])
        let size = Shape.count(nested.byteCount, "byte", "bytes")
        return shape.summary.dropLast(shown.count) + "\(size), \(TreeHeading(nested).text)"
    }

    /// Prints a nested property list below the line of its data.
    private mutating func print(
        _ nested: PropertyListDocument, _ shape: Shape,
        at steps: [PropertyListKeyPath.Step], _ level: Int, _ console: Console
    ) throws(PropertyListError) {
        let start = document.format == .binary ? shape.data?.startIndex : nil
        var inner = TreePlace(
            prefix: path(steps).steps + contentField(shape) + [.content], level: level,
            nesting: place.nesting + 1)
        inner.offset = place.offset.flatMap { offset in start.map { offset + $0 } }
        var printer = TreePrinter(nested, options, at: inner, printing: printing)
        try printer.printHeading(to: console)
        try printer.printAll(to: console)
        problems += printer.problems
    }

    /// The field in which an object of a class of data has them.
    private func contentField(_ shape: Shape) -> [PropertyListKeyPath.Step] {
        guard let object = shape.object, let node = contents?.objects[Int(object.value)] else {
            return []
        }
        return node["NS.data"] == nil ? [.key("NS.bytes")] : [.key("NS.data")]
    }

    // MARK: Shapes

    private mutating func shape(of node: PropertyListNode) -> Shape {
        if let uid = node.uid, contents != nil { return shape(of: uid) }
        if node.kind == .unreadable { problems.append("object \(node.number) could not be read") }
        return Shape(plain: node, text)
    }

    private mutating func shape(of reference: PropertyListUID) -> Shape {
        guard let contents else { return Shape(summary: reference.description, .value) }
        do {
            switch try contents.entry(reference) {
            case .null: return Shape(summary: "nil", .null)
            case .leaf(let node):
                shown.insert(reference.value)
                if let name = node.plainClassName, options.allowed?.allows(name) == false {
                    return refused(name, reference)
                }
                var shape = Shape(plain: node, text)
                shape.leaf = reference
                shape.offset = node.sourceOffset
                return shape
            case .classDescription:
                return Shape(summary: "class \(className(reference, contents))", .value)
            case .object(let fields, let classReference):
                return shape(of: reference, fields, classReference, contents)
            case .malformed(let node, let error):
                return malformed(node, error, reference)
            }
        } catch {
            problems.append(error.what)
            return Shape(summary: "<\(error.what)>", .problem)
        }
    }

    private mutating func malformed(
        _ node: PropertyListNode, _ error: KeyedArchiveError, _ reference: PropertyListUID
    ) -> Shape {
        // The property list's own problems say more.
        if node.kind == .unreadable { return Shape(plain: node, text) }
        if !shown.insert(reference.value).inserted {
            return Self.reference(reference)
        }
        problems.append(error.what)
        var shape = Shape(plain: node, text)
        shape.role = .problem
        shape.summary = "<\(error.what)> \(shape.summary)"
        return shape
    }

    private mutating func shape(
        of reference: PropertyListUID, _ fields: PropertyListNode.DictionaryView,
        _ classReference: PropertyListUID, _ contents: ArchiveContents
    ) -> Shape {
        if shown.contains(reference.value) { return Self.reference(reference) }
        if let known = cutShapes[reference.value] { return known }
        if isRefused(classReference, contents) {
            shown.insert(reference.value)
            return refused(className(classReference, contents), reference)
        }
        let isShared = references[reference.value, default: 0] > 1
        var shape = ObjectShape(fields, contents, text).shape(
            className: className(classReference, contents)
                + (isShared ? " @\(reference.value)" : ""))
        shape.object = reference
        shape.className = classNames[classReference.value]
        shape.offset = contents.objects[Int(reference.value)].sourceOffset
        return shape
    }

    private static func reference(_ object: PropertyListUID) -> Shape {
        Shape(summary: "→ @\(object.value)", .reference(object))
    }

    private mutating func archivedClass(
        _ reference: PropertyListUID, _ contents: ArchiveContents
    ) throws(KeyedArchiveError) -> ArchivedClass {
        var budget = descriptions ?? DescriptionBudget(contents, limits: options.limits)
        defer { descriptions = budget }
        return try contents.archivedClass(reference, within: &budget)
    }

    /// Whether the options do not allow a class; one that cannot be read is reported later.
    private mutating func isRefused(
        _ reference: PropertyListUID, _ contents: ArchiveContents
    ) -> Bool {
        guard let allowed = options.allowed else { return false }
        if let known = refusedClasses[reference.value] { return known }
        let description = try? archivedClass(reference, contents)
        let isRefused = description.map { !allowed.allows($0) } ?? false
        refusedClasses[reference.value] = isRefused
        return isRefused
    }

    /// What stands for an object of a class that is not allowed.
    private mutating func refused(_ name: String, _ reference: PropertyListUID) -> Shape {
        problems.append("object \(reference.value) is of class \(name), which is not allowed")
        return Shape(summary: "<\(name) is not allowed>", .problem)
    }

    /// The name of a class; what is wrong with its description where it has none.
    private mutating func className(
        _ reference: PropertyListUID, _ contents: ArchiveContents
    ) -> String {
        if let known = classNames[reference.value] { return TerminalText.escaped(known) }
        let name: String
        do {
            name = try archivedClass(reference, contents).name
        } catch {
            problems.append(error.what)
            name = "<\(error.what)>"
        }
        classNames[reference.value] = name
        return TerminalText.escaped(name)
    }

    // MARK: References

    /// Counts how often each object is referred to, its class apart.
    private mutating func countReferences() throws(PropertyListError) {
        var walk = DocumentWalk(document.root, budget: budget)
        while let step = try walk.next() {
            try printing.charge(1)
            guard case .enter(let node, let key) = step, let uid = document.node(node).uid else {
                continue
            }
            if let key, document.node(key).isString("$class") { continue }
            references[uid.value, default: 0] += 1
        }
    }
}

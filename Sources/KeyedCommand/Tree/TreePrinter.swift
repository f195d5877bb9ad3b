// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// Prints a property list, or the objects of a keyed archive, as a tree of lines.
///
/// In an archive, references are followed. An object is shown at its first reference. If it has
/// more references, it gets an anchor, `@n` with its number, and later lines refer to the anchor.
/// The children of an object are printed once, so cycles are harmless. The printer recurses only
/// for nested property lists, whose nesting is limited.
///
/// Data that is itself a property list is shown as a tree below its line. All output, and all data
/// read for it, is charged to the console's budget.
struct TreePrinter {
    /// The maximum nesting of property lists that are shown as trees.
    private static let nestingLimit = 16
    /// The fixed cost of parsing a nested property list, in bytes, in addition to its size.
    private static let nestedCost = 1024

    /// The options of the output, shared by a property list and those nested in it.
    struct Options {
        var text = ValueText.usual
        var style: any TreeStyle = TextStyle(palette: .plain, values: .usual)
        /// The number of levels to show.
        var depth = Int.max
        /// A Boolean value that says whether an archive is shown as a plain property list, as it is
        /// in the file.
        var isRaw = false
        /// The classes whose objects are shown; nil for all.
        var allowed: ClassRegistry?
        var limits = ParsingLimits.default
    }

    let document: PropertyListDocument
    let contents: ArchiveContents?
    let options: Options
    /// The problems of values that could not be shown.
    private(set) var problems = Problems()
    private let place: TreePlace
    private var references: [UInt32: Int] = [:]
    private var shown: Set<UInt32> = []
    private var knownClasses: [UInt32: KnownClass] = [:]
    private var descriptions: DescriptionBudget?
    // For each class description: whether its class is disallowed.
    private var refusedClasses: [UInt32: Bool] = [:]
    private var frames: [Frame] = []

    private var text: ValueText { options.text }

    /// A list of children, some of which have not been printed yet.
    private struct Frame {
        let children: Children
        let depth: Int
        /// The parent of the children; nil for the roots.
        let owner: Children.Child?
        /// The parent, if it is an object of an archive.
        let object: PropertyListUID?
        /// The text of the parent's key path, built when a child first needs it.
        var path: KeyPathText?
        var next = 0

        /// The steps to the parent from the previous frame; for an object, from the root.
        var steps: [PropertyListKeyPath.Step] {
            object.map { [.object($0.value)] } ?? owner?.steps ?? []
        }

        /// The size of the keys among the steps, in bytes.
        var stepSize: Int { object == nil ? owner?.stepSize ?? 0 : 0 }
    }

    init(
        _ document: PropertyListDocument, _ options: Options, at place: TreePlace = TreePlace()
    ) {
        self.document = document
        self.options = options
        self.place = place
        let isArchive = !options.isRaw && document.looksLikeKeyedArchive
        contents = isArchive ? try? ArchiveContents(document) : nil
        descriptions = contents.map { DescriptionBudget($0, limits: options.limits) }
    }

    /// Prints the heading of the property list, if the style has one.
    func printHeading(to console: Console) throws(PropertyListError) {
        guard let line = options.style.heading(TreeHeading(document), place) else { return }
        try console.print(line)
    }

    /// Prints everything reachable from the roots.
    mutating func printAll(to console: Console) throws(PropertyListError) {
        var roots = Children()
        if let contents {
            try countReferences(console)
            for position in contents.top.indices {
                let root = Children.entry(position, of: contents.top)
                try console.budget.charge(bytes: root.stepSize)
                roots.append(
                    root.label, root.node, steps: [.key(ArchiveFormat.topKey)] + root.steps)
            }
        } else {
            roots.append(.none, document.root)
        }
        try printTree(roots, depth: place.level, console)
    }

    /// Prints one value and everything reachable from it.
    mutating func print(_ node: PropertyListNode, to console: Console) throws(PropertyListError) {
        var roots = Children()
        if contents != nil { try countReferences(console) }
        roots.append(.none, node)
        try printTree(roots, depth: 0, console)
    }

    /// Returns the number of objects that are unreachable from the roots, and a list of starting
    /// objects from which all of them can be reached.
    ///
    /// The list contains the objects that nothing refers to. It also contains further objects, such
    /// as one of each cycle, until every unreachable object is covered. The result does not depend
    /// on which objects were printed.
    ///
    /// - Complexity: Linear in the number of values, apart from sorting the result.
    func unreached(
        _ console: Console
    ) throws(PropertyListError) -> (starts: [PropertyListUID], count: Int) {
        guard let contents, let top = document.root[ArchiveFormat.topKey] else { return ([], 0) }
        var reachable = ReachableNodes(contents)
        try reachable.add(top, console)
        let objects = contents.objects.indices.dropFirst().map { PropertyListUID(UInt32($0)) }
            .filter { !reachable.contains(contents.objects[Int($0.value)]) && isObject($0) }
        var found: [PropertyListUID] = []
        for hasReference in [false, true] {
            for object in objects where (references[object.value] != nil) == hasReference {
                let node = contents.objects[Int(object.value)]
                if reachable.contains(node) { continue }
                try reachable.add(node, console)
                found.append(object)
            }
        }
        return (found.sorted { $0.value < $1.value }, objects.count)
    }

    private func isObject(_ reference: PropertyListUID) -> Bool {
        switch try? contents?.entry(reference) {
        case .object, .leaf, .malformed: true
        case .null, .classDescription, .none: false
        }
    }

    /// Prints unreachable objects, each with its anchor.
    mutating func printUnreached(
        _ objects: [PropertyListUID], to console: Console
    ) throws(PropertyListError) {
        guard let contents else { return }
        for object in objects where !shown.contains(object.value) {
            references[object.value] = 2
            var root = Children()
            root.append(
                .none, contents.objects[Int(object.value)], steps: [.object(object.value)])
            guard let child = root.child(0) else { continue }
            try print(child, form(of: object, console), depth: 0, console)
            try printFrames(console)
        }
    }

    // MARK: Lines

    private mutating func printTree(
        _ children: Children, depth: Int, _ console: Console
    ) throws(PropertyListError) {
        frames.append(Frame(children: children, depth: depth, owner: nil, object: nil))
        try printFrames(console)
    }

    private mutating func printFrames(_ console: Console) throws(PropertyListError) {
        while let top = frames.indices.last {
            let position = frames[top].next
            guard position < frames[top].children.turns else {
                frames.removeLast()
                continue
            }
            frames[top].next = position + 1
            try console.budget.visit()
            guard let child = frames[top].children.child(position) else { continue }
            let form = try form(of: child.node, console)
            try print(child, form, depth: frames[top].depth, console)
        }
    }

    private mutating func print(
        _ child: Children.Child, _ form: TreeForm, depth level: Int, _ console: Console
    ) throws(PropertyListError) {
        let nested = try nestedDocument(form, console)
        let isCut = level >= options.depth && (!form.children.isEmpty || nested != nil)
        var form = form
        if let nested { form.summary = summary(form, of: nested) }
        let line = TreeLine(
            level: level, label: child.label, form: form, node: child.node, isCut: isCut)
        try console.budget.charge(bytes: form.cost)
        let style = options.style
        let text = try style.text(of: line, place) { () throws(PropertyListError) in
            try pathText(child, console)
        }
        try console.print(text)
        if isCut { return }
        if let object = form.object { shown.insert(object.value) }
        if let nested { try print(nested, form, at: child, level + 1, console) }
        if form.children.isEmpty { return }
        frames.append(
            Frame(
                children: form.children, depth: level + 1, owner: child, object: form.object))
    }

    /// Charges for the key path of a value below the innermost frame. The path begins at the
    /// innermost object, which is addressed by its number. In a long chain of objects, full paths
    /// from the root would be longer than the contents.
    ///
    /// - Returns: The first frame of the path.
    private func chargePath(
        _ child: Children.Child, _ console: Console
    ) throws(PropertyListError) -> Int {
        let start = frames.lastIndex { $0.object != nil } ?? 0
        let size = frames[start...].reduce(child.stepSize + place.prefixSize) { $0 + $1.stepSize }
        try console.budget.charge(bytes: size)
        return start
    }

    /// Returns the key path of a value below the innermost frame, and charges for it before
    /// building it.
    private func path(
        _ child: Children.Child, _ console: Console
    ) throws(PropertyListError) -> PropertyListKeyPath {
        let start = try chargePath(child, console)
        return PropertyListKeyPath(
            place.prefix + frames[start...].flatMap(\.steps) + child.steps)
    }

    /// Returns the text of the key path of a value below the innermost frame, and charges for it
    /// before building it. The part before the value is built once for all its siblings.
    private mutating func pathText(
        _ child: Children.Child, _ console: Console
    ) throws(PropertyListError) -> String {
        let start = try chargePath(child, console)
        let known = frames[start...].lastIndex { $0.path != nil }
        var text =
            known.flatMap { frames[$0].path } ?? KeyPathText(PropertyListKeyPath(place.prefix))
        for number in (known.map { $0 + 1 } ?? start)..<frames.count {
            for step in frames[number].steps { text.append(step) }
            frames[number].path = text
        }
        for step in child.steps { text.append(step) }
        return text.text
    }

    // MARK: Nested property lists

    /// Returns the property list inside a value's data, or nil if there is none.
    private func nestedDocument(
        _ form: TreeForm, _ console: Console
    ) throws(PropertyListError) -> PropertyListDocument? {
        guard !options.isRaw, place.nesting < Self.nestingLimit, let data = form.data,
            NestedPropertyList.begins(data)
        else { return nil }
        try console.budget.charge(bytes: data.count + Self.nestedCost)
        guard case .document(let document)? = NestedPropertyList(data, limits: options.limits)
        else { return nil }
        console.budget.admitValues(of: document)
        return document
    }

    /// Returns the summary of data with the size and the kind of its property list, instead of its
    /// first bytes.
    private func summary(_ form: TreeForm, of nested: PropertyListDocument) -> String {
        let shown = text.data(form.data ?? [])
        let size = TreeForm.count(nested.byteCount, "byte", "bytes")
        let start = String(decoding: form.summary.utf8.dropLast(shown.utf8.count), as: UTF8.self)
        return start + "\(size), \(TreeHeading(nested).text)"
    }

    /// Prints a nested property list below the line of its data.
    private mutating func print(
        _ nested: PropertyListDocument, _ form: TreeForm,
        at child: Children.Child, _ level: Int, _ console: Console
    ) throws(PropertyListError) {
        let start = form.data.flatMap { document.hasInPlace($0) ? $0.startIndex : nil }
        var inner = TreePlace(
            prefix: try path(child, console).steps + contentField(form) + [.content],
            level: level, nesting: place.nesting + 1)
        inner.offset = place.offset.flatMap { offset in start.map { offset + $0 } }
        var printer = TreePrinter(nested, options, at: inner)
        try printer.printHeading(to: console)
        try printer.printAll(to: console)
        problems.add(printer.problems)
    }

    /// Returns the field in which a data object stores its data.
    private func contentField(_ form: TreeForm) -> [PropertyListKeyPath.Step] {
        guard let object = form.object, let node = contents?.objects[Int(object.value)] else {
            return []
        }
        return node[FoundationField.data] == nil
            ? [.key(FoundationField.bytes)] : [.key(FoundationField.data)]
    }

    // MARK: Forms

    private mutating func form(
        of node: PropertyListNode, _ console: Console
    ) throws(PropertyListError) -> TreeForm {
        if let uid = node.uid, contents != nil { return try form(of: uid, console) }
        if node.kind == .unreadable { problems.append("object \(node.number) could not be read") }
        return TreeForm(plain: node, text)
    }

    private mutating func form(
        of reference: PropertyListUID, _ console: Console
    ) throws(PropertyListError) -> TreeForm {
        guard let contents else { return TreeForm(summary: reference.description, .value) }
        let entry: ArchiveContents.Entry
        do { entry = try contents.entry(reference) } catch {
            problems.append(error.what)
            return TreeForm(summary: "<\(error.what)>", .problem)
        }
        switch entry {
        case .null: return TreeForm(summary: "nil", .null)
        case .leaf(let node):
            shown.insert(reference.value)
            if let name = node.plainClassName, options.allowed?.allows(name) == false {
                return refused(name, reference)
            }
            var form = TreeForm(plain: node, text)
            form.leaf = reference
            form.offset = node.sourceOffset
            return form
        case .classDescription:
            let name = try knownClass(reference, contents, console).name.shown(text)
            return TreeForm(summary: "class \(name)", .value)
        case .object(let fields, let classReference):
            return try form(of: reference, fields, classReference, contents, console)
        case .malformed(let node, let error):
            return malformed(node, error, reference)
        }
    }

    private mutating func malformed(
        _ node: PropertyListNode, _ error: KeyedArchiveError, _ reference: PropertyListUID
    ) -> TreeForm {
        // The document's own list of problems already describes an unreadable value in more detail.
        if node.kind == .unreadable { return TreeForm(plain: node, text) }
        if !shown.insert(reference.value).inserted {
            return Self.reference(reference)
        }
        problems.append(error.what)
        var form = TreeForm(plain: node, text)
        form.role = .problem
        form.summary = "<\(error.what)> \(form.summary)"
        return form
    }

    private mutating func form(
        of reference: PropertyListUID, _ fields: PropertyListNode.DictionaryView,
        _ classReference: PropertyListUID, _ contents: ArchiveContents, _ console: Console
    ) throws(PropertyListError) -> TreeForm {
        if shown.contains(reference.value) { return Self.reference(reference) }
        let known = try knownClass(classReference, contents, console)
        let name = known.name
        if try isRefused(classReference, contents, console) {
            shown.insert(reference.value)
            return refused(name.shown(text), reference)
        }
        let isShared = references[reference.value, default: 0] > 1
        var form = ObjectForm(fields, contents, text).form(
            className: name.shown(text) + (isShared ? " @\(reference.value)" : ""), known.family)
        form.object = reference
        form.className = name
        form.offset = contents.objects[Int(reference.value)].sourceOffset
        return form
    }

    private static func reference(_ object: PropertyListUID) -> TreeForm {
        TreeForm(summary: "→ @\(object.value)", .reference(object))
    }

    /// Reads a class description and charges it to the console's budget.
    private mutating func archivedClass(
        _ reference: PropertyListUID, _ contents: ArchiveContents, _ console: Console
    ) throws(PropertyListError) -> Result<ArchivedClass, KeyedArchiveError> {
        var descriptions = descriptions ?? DescriptionBudget(contents, limits: options.limits)
        let before = descriptions.size
        let result: Result<ArchivedClass, KeyedArchiveError>
        do {
            result = .success(try contents.archivedClass(reference, within: &descriptions))
        } catch {
            result = .failure(error)
        }
        self.descriptions = descriptions
        try console.budget.charge(bytes: descriptions.size - before)
        return result
    }

    /// Returns whether the options disallow a class. A class with an unreadable description counts
    /// as allowed, because its problem is already reported.
    private mutating func isRefused(
        _ reference: PropertyListUID, _ contents: ArchiveContents, _ console: Console
    ) throws(PropertyListError) -> Bool {
        guard let allowed = options.allowed else { return false }
        if let known = refusedClasses[reference.value] { return known }
        let result = try archivedClass(reference, contents, console)
        let description = try? result.get()
        let isRefused = description.map { !allowed.allows($0) } ?? false
        refusedClasses[reference.value] = isRefused
        return isRefused
    }

    /// Records the problem of an object whose class is disallowed, and returns its line.
    ///
    /// `name` is the printable class name.
    private mutating func refused(_ name: String, _ reference: PropertyListUID) -> TreeForm {
        problems.append("object \(reference.value) is of class \(name), which is not allowed")
        return TreeForm(summary: "<\(name) is not allowed>", .problem)
    }

    /// Returns a class, with its name or the problem of its description.
    private mutating func knownClass(
        _ reference: PropertyListUID, _ contents: ArchiveContents, _ console: Console
    ) throws(PropertyListError) -> KnownClass {
        if let known = knownClasses[reference.value] { return known }
        let known: KnownClass
        switch try archivedClass(reference, contents, console) {
        case .success(let found):
            let node = contents.objects[Int(reference.value)][ArchiveFormat.classNameKey]
            known = KnownClass(
                name: node.map(ClassName.name) ?? .problem(""), family: CollectionFamily(found))
        case .failure(let error):
            problems.append(error.what)
            known = KnownClass(name: .problem("<\(error.what)>"), family: nil)
        }
        knownClasses[reference.value] = known
        return known
    }

    // MARK: References

    /// Counts the references to each object, except for class references.
    private mutating func countReferences(_ console: Console) throws(PropertyListError) {
        var walk = DocumentWalk(document.root)
        while let step = try walk.next(&console.budget) {
            try console.budget.charge(bytes: 1)
            guard case .enter(let node, let key) = step, let uid = document.node(node).uid else {
                continue
            }
            if let key, document.node(key).isString(ArchiveFormat.classKey) { continue }
            references[uid.value, default: 0] += 1
        }
    }
}

/// The values of an archive that are reachable from some of its values through containers and
/// references.
private struct ReachableNodes {
    private let contents: ArchiveContents
    // Indexed by the number of the node.
    private var isKnown: [Bool]

    init(_ contents: ArchiveContents) {
        self.contents = contents
        isKnown = Array(repeating: false, count: contents.document.nodeCount)
    }

    func contains(_ node: PropertyListNode) -> Bool { isKnown[node.number] }

    /// Adds a value and everything that it leads to. Not recursive.
    mutating func add(_ node: PropertyListNode, _ console: Console) throws(PropertyListError) {
        var pending = [node]
        while let next = pending.popLast() {
            if isKnown[next.number] { continue }
            isKnown[next.number] = true
            try console.budget.visit()
            if let uid = next.uid {
                let number = Int(exactly: uid.value) ?? .max
                if number < contents.objects.count { pending.append(contents.objects[number]) }
            } else if let entries = next.dictionary {
                for entry in entries { pending.append(entry.value) }
            } else if let elements = next.array ?? next.set {
                pending.append(contentsOf: elements)
            }
        }
    }
}

/// The problems reported at the end of a verb: the first few, and the total count.
struct Problems {
    private static let shownCount = 20

    private(set) var count = 0
    private(set) var first: [String] = []

    init(_ problems: some Sequence<PropertyListError> = []) {
        for problem in problems { append(problem.message(leniently: nil)) }
    }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ problem: @autoclosure () -> String) {
        if count < Self.shownCount { first.append(problem()) }
        count += 1
    }

    mutating func add(_ others: Problems) {
        first += others.first.prefix(max(Self.shownCount - first.count, 0))
        count += others.count
    }
}

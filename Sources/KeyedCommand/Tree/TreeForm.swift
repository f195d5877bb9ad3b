// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// The label of a value in the tree. It refers to the document, and its text is built when it is
/// printed.
enum Label {
    case none
    /// A field of an object, or a string key of a plain dictionary.
    case field(PropertyListNode)
    /// A key of an archived dictionary, if the key is a plain value.
    case key(PropertyListNode)
    /// A key of a plain dictionary that is not a string.
    case oddKey(PropertyListNode)
    /// The index of an element.
    case index(Int)
    /// The key or the value of an entry whose key is an object.
    case entry(Int, String)
    /// A run of an attributed string, with its index and its text.
    case run(Int, String)

    /// Returns the text before the value.
    func text(_ text: ValueText) -> String {
        switch self {
        case .none: ""
        case .field(let key): text.name(key) + ": "
        case .key(let key): (text.text(of: key) ?? "") + ": "
        case .oddKey(let key): text.oddKey(key) + ": "
        case .index(let index): "[\(index)] "
        case .entry(let index, let part): "[\(index)] \(part): "
        case .run(let index, let part):
            "[\(index)] \"\(TerminalText.escaped(part, quoting: true))\": "
        }
    }

    /// The size of the key in the document, in bytes.
    var keySize: Int {
        switch self {
        case .field(let key), .key(let key): key.contentSize
        case .none, .oddKey, .index, .entry, .run: 0
        }
    }
}

/// The children of a line, as a list of parts. Each part has turns: positions that produce at most
/// one child each.
///
/// A part only refers to the document. A child is not built until its line is printed, because a
/// small file can refer to a large container a thousand times.
struct Children {
    /// A child value.
    struct Child {
        let label: Label
        let node: PropertyListNode
        fileprivate let way: Way

        /// The steps from the parent. Linear in the size of their keys.
        var steps: [PropertyListKeyPath.Step] { way.steps(label) }

        /// The size of the keys among the steps, in bytes.
        var stepSize: Int {
            if case .label = way { return label.keySize }
            return 0
        }
    }

    /// The path from a value to a child.
    fileprivate enum Way {
        /// The key or index of the label.
        case label
        /// An element of the array in a field.
        case element(String, Int)
        /// The field whose key is a prefix and a number.
        case numbered(String, Int)
        case steps([PropertyListKeyPath.Step])

        func steps(_ label: Label) -> [PropertyListKeyPath.Step] {
            switch (self, label) {
            case (.label, .field(let key)): [.key(key.string ?? "")]
            case (.label, .index(let index)): [.index(index)]
            case (.label, _): []
            case (.element(let field, let index), _): [.key(field), .index(index)]
            case (.numbered(let prefix, let index), _): [.key(prefix + "\(index)")]
            case (.steps(let steps), _): steps
            }
        }
    }

    /// The references of a collection, in order.
    enum References {
        /// The elements of the container in a field.
        case list(PropertyListNode.ArrayView, field: String)
        /// The node numbers of the fields whose keys are a prefix and a number.
        case numbered([UInt32], prefix: String, PropertyListDocument)

        var count: Int {
            switch self {
            case .list(let list, _): list.count
            case .numbered(let nodes, _, _): nodes.count
            }
        }

        subscript(index: Int) -> PropertyListNode {
            switch self {
            case .list(let list, _): list[index]
            case .numbered(let nodes, _, let document): document.node(nodes[index])
            }
        }

        fileprivate func way(_ index: Int) -> Way {
            switch self {
            case .list(_, let field): .element(field, index)
            case .numbered(_, let prefix, _): .numbered(prefix, index)
            }
        }
    }

    private enum Part {
        /// The elements or entries of a container.
        case container(PropertyListNode)
        /// The elements of a collection without keys.
        case elements(References)
        /// The fields of an object, except for those at some positions.
        case fields(PropertyListNode.DictionaryView, skipping: [Int])
        /// The entries of an archived dictionary. An entry whose key is an object gives two
        /// children.
        case pairs(keys: References, values: References, ArchiveContents)
        case single(Child)

        var count: Int {
            switch self {
            case .container(let node): node.childNodes.count
            case .elements(let elements): elements.count
            case .fields(let fields, let skipped): fields.count - skipped.count
            // Two turns for each entry. If the key fits on one line, the second turn has no child.
            case .pairs(let keys, _, _): 2 * keys.count
            case .single: 1
            }
        }
    }

    private var parts: [Part] = []
    // For each part: its first turn.
    private var starts: [Int] = []
    /// The number of turns, including turns without a child.
    private(set) var turns = 0

    init() {}

    /// Creates a list of the elements or entries of a container.
    init(of container: PropertyListNode) { append(.container(container)) }

    var isEmpty: Bool { turns == 0 }

    private mutating func append(_ part: Part) {
        if part.count == 0 { return }
        parts.append(part)
        starts.append(turns)
        turns += part.count
    }

    mutating func append(elements: References) { append(.elements(elements)) }

    mutating func append(
        fieldsOf fields: PropertyListNode.DictionaryView, skipping skipped: [Int]
    ) {
        append(.fields(fields, skipping: skipped))
    }

    mutating func append(keys: References, values: References, _ contents: ArchiveContents) {
        append(.pairs(keys: keys, values: values, contents))
    }

    mutating func append(
        _ label: Label, _ node: PropertyListNode, steps: [PropertyListKeyPath.Step]? = nil
    ) {
        append(.single(Child(label: label, node: node, way: steps.map(Way.steps) ?? .label)))
    }

    /// Returns the child of a turn below ``turns``, or nil for a turn without a child. Logarithmic
    /// in the number of parts, which include each root of an archive.
    func child(_ turn: Int) -> Child? {
        var (low, high) = (0, starts.count)
        while low < high {
            let middle = (low + high) / 2
            if starts[middle] <= turn { low = middle + 1 } else { high = middle }
        }
        return low == 0 ? nil : Self.child(turn - starts[low - 1], of: parts[low - 1])
    }

    private static func child(_ turn: Int, of part: Part) -> Child? {
        switch part {
        case .container(let node): return child(turn, of: node)
        case .elements(let elements):
            return Child(label: .index(turn), node: elements[turn], way: elements.way(turn))
        case .fields(let fields, let skipped):
            let position = skipped.reduce(turn) { $0 + ($1 <= $0 ? 1 : 0) }
            return entry(position, of: fields)
        case .pairs(let keys, let values, let contents):
            return pair(turn, keys, values, contents)
        case .single(let child): return child
        }
    }

    private static func child(_ position: Int, of container: PropertyListNode) -> Child {
        if let entries = container.dictionary { return entry(position, of: entries) }
        return Child(label: .index(position), node: container.childNodes[position], way: .label)
    }

    /// Returns the child for an entry of a dictionary. If the key is not a string, the step is the
    /// index of the entry, because no key path leads to such an entry.
    static func entry(
        _ position: Int, of entries: PropertyListNode.DictionaryView
    ) -> Child {
        let entry = entries[position]
        if entry.keyNode.kind == .string {
            return Child(label: .field(entry.keyNode), node: entry.value, way: .label)
        }
        return Child(
            label: .oddKey(entry.keyNode), node: entry.value, way: .steps([.index(position)]))
    }

    private static func pair(
        _ turn: Int, _ keys: References, _ values: References, _ contents: ArchiveContents
    ) -> Child? {
        let index = turn / 2
        let value = values.way(index)
        if let uid = keys[index].uid, case .leaf(let key)? = try? contents.entry(uid),
            !key.kind.isContainer
        {
            return turn % 2 == 0 ? Child(label: .key(key), node: values[index], way: value) : nil
        }
        return turn % 2 == 0
            ? Child(label: .entry(index, "key"), node: keys[index], way: keys.way(index))
            : Child(label: .entry(index, "value"), node: values[index], way: value)
    }
}

/// A class in an archive, read from its description.
struct KnownClass {
    let name: ClassName
    /// The collections to which the class belongs.
    let family: CollectionFamily?
}

/// The name of a class in an archive.
enum ClassName {
    /// The string with the name.
    case name(PropertyListNode)
    /// The problem of an unreadable class description.
    case problem(String)

    /// The full name.
    var text: String {
        switch self {
        case .name(let node): node.string ?? ""
        case .problem(let text): text
        }
    }

    /// Returns the printable name.
    func shown(_ text: ValueText) -> String {
        switch self {
        case .name(let node): text.name(node)
        case .problem(let problem): TerminalText.escaped(problem)
        }
    }
}

/// The form of a value in the tree: one line and its children.
struct TreeForm {
    /// The role of a line, which determines its kind in JSON and its color in text.
    enum Role: Equatable {
        case value, container, object, problem, null
        /// A reference to an object that is shown elsewhere.
        case reference(PropertyListUID)
    }

    /// The content of a value that fits on one line.
    enum Content {
        case node(PropertyListNode)
        case text(kind: String, String)
        /// The string in a field of an object.
        case string(kind: String, PropertyListNode)
        case date(PropertyListDate)
        case data(ArraySlice<UInt8>)
    }

    var summary: String
    var role: Role
    var children = Children()
    /// The number of children to report.
    var count = 0
    /// The object of an archive to which the children belong.
    var object: PropertyListUID?
    /// The archive object, if it is a plain value.
    var leaf: PropertyListUID?
    /// The byte offset of the object in the property list.
    var offset: Int?
    /// The name of the object's class, as stored in the file.
    var className: ClassName?
    var content: Content?
    /// The number of bytes read for the summary.
    var cost = 0

    init(summary: String, _ role: Role) {
        self.summary = summary
        self.role = role
    }

    /// Creates the form of a plain value.
    init(plain node: PropertyListNode, _ text: ValueText) {
        if let scalar = text.text(of: node) {
            self.init(summary: scalar, node.kind == .unreadable ? .problem : .value)
            content = .node(node)
            cost = node.kind == .string ? node.contentSize : 0
            return
        }
        let number = node.childNodes.count
        let isDictionary = node.kind == .dictionary
        let size =
            isDictionary
            ? Self.count(number, "entry", "entries") : Self.count(number, "element", "elements")
        self.init(summary: "\(node.kind), \(size)", .container)
        children = Children(of: node)
        count = number
    }

    /// The bytes of the value, if it is data.
    var data: ArraySlice<UInt8>? {
        switch content {
        case .node(let node): node.data
        case .data(let bytes): bytes
        case .text, .string, .date, nil: nil
        }
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

/// The form of an archived object in the tree. Collections are shown by their elements, values of
/// common classes on one line, and all others by their fields.
///
/// Forms are recognized by the fields and not by the class name, because subclasses are archived
/// under names of their own. Only a collection without fields is recognized by its superclasses.
struct ObjectForm {
    private let fields: PropertyListNode.DictionaryView
    private let contents: ArchiveContents
    private let text: ValueText

    init(
        _ fields: PropertyListNode.DictionaryView, _ contents: ArchiveContents, _ text: ValueText
    ) {
        self.fields = fields
        self.contents = contents
        self.text = text
    }

    /// Builds the form of the object.
    ///
    /// - Parameters:
    ///   - className: The printable class name.
    ///   - family: The collections to which the class belongs.
    /// - Returns: The form of the object.
    func form(className: String, _ family: CollectionFamily?) -> TreeForm {
        if let content = simpleContent {
            var form = TreeForm(summary: "\(className) \(text.text(of: content))", .object)
            form.content = content
            if case .string(_, let node) = content { form.cost = node.contentSize }
            return form
        }
        if let objects = fields[FoundationField.objects], objects.kind == .array {
            return collection(className, objects)
        }
        var form =
            numberedCollection(className, family) ?? attributedString(className)
            ?? fieldList(className)
        // Many entries of `$objects` may be one object, whose numbers are read for each of them.
        if fields[FoundationField.numberedObject + "0"] != nil { form.cost += fields.count }
        return form
    }

    private func fieldList(_ className: String) -> TreeForm {
        var form = TreeForm(summary: className, .object)
        add(fieldsBut: [ArchiveFormat.classKey], to: &form)
        return form
    }

    /// Adds the fields of the object, except for those in `names`.
    private func add(fieldsBut names: [String], to form: inout TreeForm) {
        let skipped = names.compactMap { fields.position(of: $0) }.sorted()
        form.children.append(fieldsOf: fields, skipping: skipped)
        form.count += fields.count - skipped.count
    }

    private func array(_ key: String) -> PropertyListNode.ArrayView? { fields[key]?.array }

    // MARK: Simple values

    /// Returns whether the object has these fields and `$class`, and no others.
    private func hasOnly(_ names: String...) -> Bool {
        fields.count == names.count + 1 && names.allSatisfy { fields[$0] != nil }
    }

    /// The content of a string, date, data, UUID or URL that has no other fields.
    private var simpleContent: TreeForm.Content? {
        if hasOnly(FoundationField.string) {
            guard let node = fields[FoundationField.string], node.kind == .string else {
                return nil
            }
            return .string(kind: "string", node)
        }
        if hasOnly(FoundationField.time) {
            return fields[FoundationField.time]?.real.map {
                .date(PropertyListDate(secondsSince2001: $0.value))
            }
        }
        if hasOnly(FoundationField.data) {
            return fields[FoundationField.data]?.data.map { .data($0) }
        }
        if hasOnly(FoundationField.bytes) {
            return fields[FoundationField.bytes]?.data.map { .data($0) }
        }
        if hasOnly(FoundationField.uuidBytes) {
            return fields[FoundationField.uuidBytes]?.data.flatMap(Self.uuid).map {
                .text(kind: "uuid", $0)
            }
        }
        if hasOnly(FoundationField.base, FoundationField.relative) {
            return url.map { .string(kind: "url", $0) }
        }
        return nil
    }

    /// The text of a URL without a base.
    private var url: PropertyListNode? {
        guard let base = fields[FoundationField.base]?.uid, case .null? = try? contents.entry(base),
            let relative = fields[FoundationField.relative]?.uid,
            case .leaf(let node)? = try? contents.entry(relative), node.kind == .string
        else { return nil }
        return node
    }

    private static func uuid(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count == 16 else { return nil }
        let digits = ValueText.hex(bytes).uppercased()
        var groups: [Substring] = []
        var rest = Substring(digits)
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }

    // MARK: Attributed strings

    // The maximum size of an attributed text in bytes. An object with a longer text is shown by its
    // fields, because splitting the text into runs reads all of it.
    private static let longestText = 1 << 16

    /// Returns the form of an attributed string, with a line for each run. Returns nil for other
    /// objects, for a text that is too long, and for runs that do not cover the text.
    private func attributedString(_ className: String) -> TreeForm? {
        guard let node = attributedText, node.contentSize <= Self.longestText,
            let runs = attributeRuns(of: node.string ?? "")
        else { return nil }
        var form = TreeForm(
            summary: "\(className) \(text.text(of: .string(kind: "string", node)))", .object)
        form.cost = node.contentSize
        for (index, run) in runs.enumerated() {
            form.children.append(.run(index, run.text), run.attributes, steps: run.steps)
        }
        form.count = runs.count
        add(
            fieldsBut: [ArchiveFormat.classKey, "NSString", "NSAttributes", "NSAttributeInfo"],
            to: &form)
        return form
    }

    /// The string node with the text of an attributed string.
    private var attributedText: PropertyListNode? {
        guard let uid = fields["NSString"]?.uid else { return nil }
        switch try? contents.entry(uid) {
        case .leaf(let node): return node.kind == .string ? node : nil
        case .object(let inner, _):
            let node = inner[FoundationField.string]
            return node?.kind == .string ? node : nil
        default: return nil
        }
    }

    private typealias RunLine = (
        text: String, attributes: PropertyListNode, steps: [PropertyListKeyPath.Step]
    )

    /// Returns the runs of an attributed string, or nil if they do not cover its text.
    private func attributeRuns(of text: String) -> [RunLine]? {
        guard let attributes = fields["NSAttributes"] else { return [] }
        let field = PropertyListKeyPath.Step.key("NSAttributes")
        guard fields["NSAttributeInfo"] != nil else { return [(text, attributes, [field])] }
        guard let list = attributes.uid, case .object(let table, _)? = try? contents.entry(list),
            let dictionaries = table[FoundationField.objects]?.array, let packed = attributeInfo
        else { return nil }
        var lines: [RunLine] = []
        var start = text.utf16.startIndex
        var numbers = packed[...]
        while !numbers.isEmpty {
            guard let length = Self.integer(&numbers), let index = Self.integer(&numbers),
                index < dictionaries.count,
                let end = text.utf16.index(
                    start, offsetBy: length, limitedBy: text.utf16.endIndex)
            else { return nil }
            let steps = [field, .key(FoundationField.objects), .index(index)]
            lines.append((String(text[start..<end]), dictionaries[index], steps))
            start = end
        }
        return start == text.utf16.endIndex ? lines : nil
    }

    /// The packed runs, from data or from a data object.
    private var attributeInfo: ArraySlice<UInt8>? {
        guard let uid = fields["NSAttributeInfo"]?.uid else { return nil }
        switch try? contents.entry(uid) {
        case .leaf(let node): return node.data
        case .object(let inner, _): return inner[FoundationField.data]?.data
        default: return nil
        }
    }

    /// Parses the next integer of seven bits per byte, or returns nil if it is incomplete or longer
    /// than four bytes.
    private static func integer(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value = 0
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            value |= Int(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
        }
        return nil
    }

    // MARK: Collections

    private func collection(_ className: String, _ node: PropertyListNode) -> TreeForm {
        let objects = Children.References.list(node.childNodes, field: FoundationField.objects)
        var form: TreeForm
        if let keys = array(FoundationField.keys), keys.count == objects.count {
            form = collection(className, .list(keys, field: FoundationField.keys), objects)
        } else {
            form = collection(className, nil, objects)
            if let keys = fields.position(of: FoundationField.keys) {
                form.children.append(.field(fields[keys].keyNode), fields[keys].value)
                form.count += 1
            }
        }
        add(
            fieldsBut: [ArchiveFormat.classKey, FoundationField.objects, FoundationField.keys],
            to: &form)
        return form
    }

    /// Returns the form of a collection that has a field for each reference; nil for other objects.
    private func numberedCollection(
        _ className: String, _ family: CollectionFamily?
    ) -> TreeForm? {
        guard let found = NumberedFields(of: fields), !found.elements.isEmpty || family != nil
        else {
            return nil
        }
        let isDictionary = found.elements.isEmpty ? family == .dictionary : !found.keys.isEmpty
        func references(_ nodes: [UInt32], _ prefix: String) -> Children.References {
            .numbered(nodes, prefix: prefix, contents.document)
        }
        return collection(
            className,
            isDictionary ? references(found.keys, FoundationField.numberedKey) : nil,
            references(found.elements, FoundationField.numberedObject))
    }

    /// Returns the form of a collection that shows its elements, or its keys and values.
    private func collection(
        _ className: String, _ keys: Children.References?, _ objects: Children.References
    ) -> TreeForm {
        let size =
            keys == nil
            ? TreeForm.count(objects.count, "element", "elements")
            : TreeForm.count(objects.count, "entry", "entries")
        var form = TreeForm(summary: className + ", " + size, .object)
        if let keys {
            form.children.append(keys: keys, values: objects, contents)
        } else {
            form.children.append(elements: objects)
        }
        form.count = objects.count
        return form
    }
}

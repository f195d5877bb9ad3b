// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

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

        /// The size of the key that the label provides for the steps, in bytes. Other keys count as
        /// 0.
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

    /// Returns the child at `turn`, which must be less than ``turns``, or nil for a turn without a
    /// child. Logarithmic in the number of parts, which include each root of an archive.
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
    /// index of the entry, because a step cannot contain such a key.
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
    /// Whether the class is a list or a dictionary; nil for any other class.
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

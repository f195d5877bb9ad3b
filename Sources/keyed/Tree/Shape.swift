// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// What stands before a value in the tree.
enum Label {
    case none
    /// A field of an object, or a key of a plain dictionary.
    case field(String)
    /// A key of an archived dictionary, and how it is shown.
    case key(PropertyListNode, shown: String)
    /// An element.
    case index(Int)
    /// A part of an entry whose key is an object of its own.
    case entry(Int, String)

    var text: String {
        switch self {
        case .none: ""
        case .field(let name): (name.isEmpty ? "\"\"" : TerminalText.escaped(name)) + ": "
        case .key(_, let text): "\(text): "
        case .index(let index): "[\(index)] "
        case .entry(let index, let part): "[\(index)] \(part): "
        }
    }
}

/// What stands below a line: the children of a container, then others. Nothing is made of a container
/// until it is asked for: a small file can name a large one a thousand times.
struct Children {
    /// A value below another.
    struct Child {
        let label: Label
        let node: PropertyListNode
        /// The way to it from what it stands below.
        let steps: [PropertyListKeyPath.Step]
    }

    private var container: PropertyListNode?
    private var field: String?
    private var others: [Child] = []
    private let text: ValueText

    /// - Parameter field: the field of an object that the container is, if it is one.
    init(
        of container: PropertyListNode? = nil, field: String? = nil,
        _ text: ValueText = ValueText(previewLength: nil)
    ) {
        self.container = container
        self.field = field
        self.text = text
    }

    private var ownCount: Int { container?.childNodes.count ?? 0 }

    var count: Int { ownCount + others.count }

    /// Appends a value that a field holds, or another one with the way to it.
    mutating func append(
        _ label: Label, _ node: PropertyListNode, _ steps: [PropertyListKeyPath.Step]? = nil
    ) {
        var way: [PropertyListKeyPath.Step] = []
        if case .field(let name) = label { way = [.key(name)] }
        others.append(Child(label: label, node: node, steps: steps ?? way))
    }

    /// The child at a position below ``count``.
    subscript(position: Int) -> Child {
        let own = ownCount
        guard position < own, let container else { return others[position - own] }
        let start = field.map { [PropertyListKeyPath.Step.key($0)] } ?? []
        guard let entry = container.dictionary?[position] else {
            return Child(
                label: .index(position), node: container.childNodes[position],
                steps: start + [.index(position)])
        }
        return Child(
            label: label(of: entry.keyNode), node: entry.value, steps: start + [.key(entry.key)])
    }

    private func label(of key: PropertyListNode) -> Label {
        if let name = key.string { return .field(name) }
        let shown = text.text(of: key).map { " \($0)" } ?? ""
        return .key(key, shown: "(\(key.kind)\(shown))")
    }
}

/// A value as the tree shows it: one line, and what stands below.
struct Shape {
    /// What a line is about; JSON names it, and it is what colours tell apart.
    enum Role: Equatable {
        case value, container, object, problem, null
        /// An object that is shown elsewhere.
        case reference(PropertyListUID)
    }

    /// A value that needs no lines below.
    enum Content {
        case node(PropertyListNode)
        case text(kind: String, String)
        case date(PropertyListDate)
        case data(ArraySlice<UInt8>)
    }

    var summary: String
    var role: Role
    var children = Children()
    /// The object whose fields the children are.
    var object: PropertyListUID?
    /// The object that a plain value is.
    var leaf: PropertyListUID?
    /// Where the object begins in the bytes of the property list.
    var offset: Int?
    /// The name of the object's class, as it is in the file.
    var className: String?
    var content: Content?
    /// How many bytes had to be looked at for the summary.
    var cost = 0

    init(summary: String, _ role: Role) {
        self.summary = summary
        self.role = role
    }

    /// A plain value of a property list.
    init(plain node: PropertyListNode, _ text: ValueText) {
        if let scalar = text.text(of: node) {
            self.init(summary: scalar, node.kind == .unreadable ? .problem : .value)
            content = .node(node)
            cost = node.kind == .string ? node.contentSize : 0
        } else if let entries = node.dictionary {
            self.init(
                summary: "dictionary, \(Self.count(entries.count, "entry", "entries"))", .container)
            children = Children(of: node, text)
        } else {
            let number = node.childNodes.count
            self.init(
                summary: "\(node.kind), \(Self.count(number, "element", "elements"))", .container)
            children = Children(of: node, text)
        }
    }

    /// The data that the value is.
    var data: ArraySlice<UInt8>? {
        switch content {
        case .node(let node): node.data
        case .data(let bytes): bytes
        case .text, .date, nil: nil
        }
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}

/// An archived object as the tree shows it: collections by their elements, values of the common
/// classes on one line, all others by their fields.
///
/// The forms are recognised by the fields, whatever the class is called, because subclasses are
/// archived under names of their own.
struct ObjectShape {
    private let fields: [(key: String, node: PropertyListNode)]
    private let contents: ArchiveContents
    private let text: ValueText

    init(
        _ fields: PropertyListNode.DictionaryView, _ contents: ArchiveContents, _ text: ValueText
    ) {
        self.fields = fields.map { ($0.key, $0.value) }.filter { $0.0 != "$class" }
        self.contents = contents
        self.text = text
    }

    func shape(className: String) -> Shape {
        if let content = simpleContent {
            var shape = Shape(summary: "\(className) \(text.text(of: content))", .object)
            shape.content = content
            return shape
        }
        if let objects = self["NS.objects"], objects.kind == .array {
            return collection(className, objects)
        }
        var shape = Shape(summary: className, .object)
        for field in fields { shape.children.append(.field(field.key), field.node) }
        return shape
    }

    private subscript(key: String) -> PropertyListNode? { fields.first { $0.key == key }?.node }

    private func array(_ key: String) -> PropertyListNode.ArrayView? { self[key]?.array }

    // MARK: Simple values

    /// The contents of a string, date, data, UUID or URL that has no other fields.
    private var simpleContent: Shape.Content? {
        switch fields.map(\.key) {
        case ["NS.string"]: self["NS.string"]?.string.map { .text(kind: "string", $0) }
        case ["NS.time"]:
            self["NS.time"]?.real.map { .date(PropertyListDate(secondsSince2001: $0.value)) }
        case ["NS.data"], ["NS.bytes"]: fields.first?.node.data.map { .data($0) }
        case ["NS.uuidbytes"]:
            self["NS.uuidbytes"]?.data.flatMap(Self.uuid).map { .text(kind: "uuid", $0) }
        case ["NS.base", "NS.relative"], ["NS.relative", "NS.base"]:
            url.map { .text(kind: "url", $0) }
        default: nil
        }
    }

    /// The text of an URL without a base.
    private var url: String? {
        guard let base = self["NS.base"]?.uid, case .null? = try? contents.entry(base),
            let relative = self["NS.relative"]?.uid,
            case .leaf(let node)? = try? contents.entry(relative)
        else { return nil }
        return node.string
    }

    private static func uuid(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.count == 16 else { return nil }
        let digits = bytes.map(ValueText.hex).joined().uppercased()
        var groups: [Substring] = []
        var rest = Substring(digits)
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }

    // MARK: Collections

    private func collection(
        _ className: String, _ node: PropertyListNode
    ) -> Shape {
        let objects = node.childNodes
        let others = fields.filter { $0.key != "NS.objects" && $0.key != "NS.keys" }
        var shape: Shape
        if let keys = array("NS.keys"), keys.count == objects.count {
            shape = Shape(
                summary: className + ", " + Shape.count(keys.count, "entry", "entries"), .object)
            for index in keys.indices { append(index, keys[index], objects[index], to: &shape) }
        } else {
            shape = Shape(
                summary: className + ", " + Shape.count(objects.count, "element", "elements"),
                .object)
            shape.children = Children(of: node, field: "NS.objects", text)
            if let keys = self["NS.keys"] { shape.children.append(.field("NS.keys"), keys) }
        }
        for field in others { shape.children.append(.field(field.key), field.node) }
        return shape
    }

    private func append(
        _ index: Int, _ key: PropertyListNode, _ value: PropertyListNode, to shape: inout Shape
    ) {
        if let uid = key.uid, case .leaf(let node)? = try? contents.entry(uid),
            let scalar = text.text(of: node)
        {
            shape.children.append(
                .key(node, shown: scalar), value, [.key("NS.objects"), .index(index)])
        } else {
            shape.children.append(.entry(index, "key"), key, [.key("NS.keys"), .index(index)])
            shape.children.append(
                .entry(index, "value"), value, [.key("NS.objects"), .index(index)])
        }
    }
}

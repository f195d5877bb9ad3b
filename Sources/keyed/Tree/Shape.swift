// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// What stands before a value in the tree.
enum Label {
    case none
    /// A field of an object, or a key of a plain dictionary.
    case field(String)
    /// A key of an archived dictionary.
    case key(String)
    /// An element.
    case index(Int)
    /// A part of an entry whose key is an object of its own.
    case entry(Int, String)

    func text(_ values: ValueText) -> String {
        switch self {
        case .none: ""
        case .field(let name): (name.isEmpty ? "\"\"" : TerminalText.escaped(name)) + ": "
        case .key(let text): "\(text): "
        case .index(let index): "[\(index)] "
        case .entry(let index, let part): "[\(index)] \(part): "
        }
    }
}

/// What stands below a line: the children of a container, then others. Nothing is made of a container
/// until it is asked for: a small file can name a large one a thousand times.
struct Children {
    private var container: PropertyListNode?
    private var others: [(label: Label, node: PropertyListNode)] = []
    private let text: ValueText

    init(of container: PropertyListNode? = nil, _ text: ValueText = ValueText(previewLength: nil)) {
        self.container = container
        self.text = text
    }

    private var ownCount: Int { container?.childNodes.count ?? 0 }

    var count: Int { ownCount + others.count }

    mutating func append(_ label: Label, _ node: PropertyListNode) { others.append((label, node)) }

    /// The child at a position below ``count``.
    subscript(position: Int) -> (label: Label, node: PropertyListNode) {
        let own = ownCount
        guard position < own, let container else { return others[position - own] }
        guard let entry = container.dictionary?[position] else {
            return (.index(position), container.childNodes[position])
        }
        return (label(of: entry.keyNode), entry.value)
    }

    private func label(of key: PropertyListNode) -> Label {
        if let name = key.string { return .field(name) }
        return .key("(\(key.kind)\(text.text(of: key).map { " \($0)" } ?? ""))")
    }
}

/// A value as the tree shows it: one line, and what stands below.
struct Shape {
    var summary: String
    var children = Children()
    /// The object whose fields the children are.
    var object: PropertyListUID?
    /// How many bytes had to be looked at for the summary.
    var cost = 0

    init(summary: String) { self.summary = summary }

    /// A plain value of a property list.
    init(plain node: PropertyListNode, _ text: ValueText) {
        if let scalar = text.text(of: node) {
            summary = scalar
            cost = node.kind == .string ? node.contentSize : 0
        } else if let entries = node.dictionary {
            summary = "dictionary, \(Self.count(entries.count, "entry", "entries"))"
            children = Children(of: node, text)
        } else {
            let number = node.childNodes.count
            summary = "\(node.kind), \(Self.count(number, "element", "elements"))"
            children = Children(of: node, text)
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
        if let value = simpleValue { return Shape(summary: "\(className) \(value)") }
        if let objects = self["NS.objects"], objects.kind == .array {
            return collection(className, objects)
        }
        var shape = Shape(summary: className)
        for field in fields { shape.children.append(.field(field.key), field.node) }
        return shape
    }

    private subscript(key: String) -> PropertyListNode? { fields.first { $0.key == key }?.node }

    private func array(_ key: String) -> PropertyListNode.ArrayView? { self[key]?.array }

    // MARK: Simple values

    /// The contents of a string, date, data, UUID or URL that has no other fields.
    private var simpleValue: String? {
        switch fields.map(\.key) {
        case ["NS.string"]: self["NS.string"]?.string.map(text.quoted)
        case ["NS.time"]:
            self["NS.time"]?.real.map { PropertyListDate(secondsSince2001: $0.value).description }
        case ["NS.data"], ["NS.bytes"]: fields.first?.node.data.map(text.data)
        case ["NS.uuidbytes"]: self["NS.uuidbytes"]?.data.flatMap(Self.uuid)
        case ["NS.base", "NS.relative"], ["NS.relative", "NS.base"]: url
        default: nil
        }
    }

    /// The text of an URL without a base.
    private var url: String? {
        guard let base = self["NS.base"]?.uid, case .null? = try? contents.entry(base),
            let relative = self["NS.relative"]?.uid,
            case .leaf(let node)? = try? contents.entry(relative)
        else { return nil }
        return node.string.map(text.quoted)
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
            shape = Shape(summary: className + ", " + Shape.count(keys.count, "entry", "entries"))
            for index in keys.indices { append(index, keys[index], objects[index], to: &shape) }
        } else {
            shape = Shape(
                summary: className + ", " + Shape.count(objects.count, "element", "elements"))
            shape.children = Children(of: node, text)
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
            shape.children.append(.key(scalar), value)
        } else {
            shape.children.append(.entry(index, "key"), key)
            shape.children.append(.entry(index, "value"), value)
        }
    }
}

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

/// A value as the tree shows it: one line, and what stands below.
struct Shape {
    var summary: String
    var children: [(label: Label, node: PropertyListNode)] = []
    /// The object whose fields the children are.
    var object: PropertyListUID?

    init(summary: String) { self.summary = summary }

    /// A plain value of a property list.
    init(plain node: PropertyListNode, _ text: ValueText) {
        if let scalar = text.text(of: node) {
            summary = scalar
        } else if let entries = node.dictionary {
            summary = "dictionary, \(Self.count(entries.count, "entry", "entries"))"
            children = entries.map {
                (.field($0.keyNode.string ?? "(\($0.keyNode.kind))"), $0.value)
            }
        } else {
            let elements = node.childNodes
            summary = "\(node.kind), \(Self.count(elements.count, "element", "elements"))"
            children = elements.enumerated().map { (.index($0.offset), $0.element) }
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
        if let objects = array("NS.objects") { return collection(className, objects) }
        var shape = Shape(summary: className)
        shape.children = fields.map { (.field($0.key), $0.node) }
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
        _ className: String, _ objects: PropertyListNode.ArrayView
    ) -> Shape {
        let others = fields.filter { $0.key != "NS.objects" && $0.key != "NS.keys" }
        var shape: Shape
        if let keys = array("NS.keys"), keys.count == objects.count {
            shape = Shape(summary: className + ", " + Shape.count(keys.count, "entry", "entries"))
            for index in keys.indices { append(index, keys[index], objects[index], to: &shape) }
        } else {
            shape = Shape(
                summary: className + ", " + Shape.count(objects.count, "element", "elements"))
            shape.children = objects.enumerated().map { (.index($0.offset), $0.element) }
            if let keys = self["NS.keys"] { shape.children.append((.field("NS.keys"), keys)) }
        }
        shape.children += others.map { (.field($0.key), $0.node) }
        return shape
    }

    private func append(
        _ index: Int, _ key: PropertyListNode, _ value: PropertyListNode, to shape: inout Shape
    ) {
        if let uid = key.uid, case .leaf(let node)? = try? contents.entry(uid),
            let scalar = text.text(of: node)
        {
            shape.children.append((.key(scalar), value))
        } else {
            shape.children.append((.entry(index, "key"), key))
            shape.children.append((.entry(index, "value"), value))
        }
    }
}

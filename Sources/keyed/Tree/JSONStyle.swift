// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList

/// Lines for programs: each value is a JSON object on a line of its own, with where it is from.
///
/// | key | |
/// |---|---|
/// | `path` | the key path, as `keyed get` takes it |
/// | `level` | how deep the value stands, from 0 |
/// | `key` or `index` | the name before it in the tree |
/// | `kind` | that of the value, or `object`, `reference`, `uuid`, `url`, `problem` |
/// | `class` | the class of an object |
/// | `value` or `count` | a scalar (data in base 64), or how many values stand below |
/// | `object` | the number of the object in an archive; of a reference, of the one it leads to |
/// | `offset` | the byte of the file at which the value, or the object, begins |
/// | … | the provenance: the file and its hash |
struct JSONStyle: TreeStyle {
    /// Where everything is from: the last entries of each line.
    let provenance: PropertyListDictionary

    func heading(_ heading: TreeHeading, _ place: TreePlace) -> String? {
        var entries: PropertyListDictionary = [
            "path": .string(PropertyListKeyPath(place.prefix).description),
            "kind": heading.contents == nil ? "property list" : "keyed archive",
            "format": .string(heading.document.format.map { "\($0)" } ?? ""),
        ]
        if let contents = heading.contents {
            entries["archiver"] = .string(contents.archiver)
            entries["objects"] = PropertyListValue(contents.objects.count)
        }
        entries["size"] = PropertyListValue(heading.document.byteCount)
        entries["offset"] = place.offset.map { PropertyListValue($0) }
        return Self.text(entries, provenance)
    }

    func text(
        of line: TreeLine, _ place: TreePlace, path: () -> PropertyListKeyPath
    ) -> String {
        var entries: PropertyListDictionary = [
            "path": .string(path().description), "level": PropertyListValue(line.level),
        ]
        Self.add(line.label, to: &entries)
        Self.add(line.shape, line.node, to: &entries)
        let source = line.shape.offset ?? line.node.sourceOffset
        if let start = place.offset, let source {
            entries["offset"] = PropertyListValue(start + source)
        }
        return Self.text(entries, provenance)
    }

    private static func add(_ label: Label, to entries: inout PropertyListDictionary) {
        switch label {
        case .none: break
        case .field(let name): entries["key"] = .string(name)
        case .key(let key, let shown):
            entries["key"] = key.kind.isContainer ? .string(shown) : try? key.value()
        case .index(let index): entries["index"] = PropertyListValue(index)
        case .entry(let index, let part):
            entries["index"] = PropertyListValue(index)
            entries["part"] = .string(part)
        }
    }

    private static func add(
        _ shape: Shape, _ node: PropertyListNode, to entries: inout PropertyListDictionary
    ) {
        let (kind, value) = content(of: shape, node)
        entries["kind"] = .string(kind)
        entries["class"] = shape.className.map { .string($0) }
        if let value {
            entries["value"] = value
        } else if shape.role == .object || shape.role == .container {
            entries["count"] = PropertyListValue(shape.children.count)
        }
        if case .reference(let target) = shape.role {
            entries["object"] = PropertyListValue(Int(target.value))
        } else if let object = shape.object ?? shape.leaf {
            entries["object"] = PropertyListValue(Int(object.value))
        }
    }

    private static func content(
        of shape: Shape, _ node: PropertyListNode
    ) -> (kind: String, value: PropertyListValue?) {
        switch shape.role {
        case .null: return ("null", nil)
        case .reference: return ("reference", nil)
        case .problem: return ("problem", .string(shape.summary))
        case .container: return ("\(node.kind)", nil)
        case .value, .object: break
        }
        switch shape.content {
        case .node(let node): return ("\(node.kind)", try? node.value())
        case .text(let kind, let text): return (kind, .string(text))
        case .date(let date): return ("date", .date(date))
        case .data(let bytes): return ("data", .data(Array(bytes)))
        case nil: return ("object", nil)
        }
    }

    /// Entries on one line; dates, data and numbers that JSON has no form for as text.
    static func text(
        _ entries: PropertyListDictionary, _ provenance: PropertyListDictionary
    ) -> String {
        var entries = entries
        for entry in provenance { entries[entry.key] = entry.value }
        var options = JSONPropertyList.Options()
        options.mapping = .coerce
        options.layout = .compact
        let document = try? PropertyListDocument(.dictionary(entries), limits: .trusted)
        let bytes = document.flatMap {
            try? JSONPropertyList.serialize($0, options: options, limits: .trusted)
        }
        return String(decoding: (bytes ?? []).dropLast(), as: UTF8.self)
    }
}

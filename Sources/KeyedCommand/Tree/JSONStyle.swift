// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListTools

/// A style for programs: each value is a JSON object on a line of its own, with its origin.
///
/// | key | |
/// |---|---|
/// | `path` | the key path, as for `keyed get`; an index for a key that is not a string |
/// | `level` | the depth of the value, from 0 |
/// | `key` or `index` | the label of the value in the tree |
/// | `kind` | the kind of the value, or `object`, `reference`, `uuid`, `url`, `problem` |
/// | `class` | the class of an object |
/// | `value` or `count` | a scalar (data in Base64), or the number of elements, entries or fields |
/// | `object` | the number of the object in an archive; for a reference, of its target |
/// | `offset` | the byte of the file at which the value, or the object, begins |
/// | `part` | for an entry whose key is an object: `key` or `value` |
/// | `text` | the text of a run of an attributed string |
/// | … | the provenance: the file and its hash |
///
/// A heading has the keys `path`, `kind`, `format`, `size` and `offset`. An archive also has
/// `objects` and, unless it was imported, `archiver`.
struct JSONStyle: TreeStyle {
    /// Ordered entries.
    typealias Entries = [(key: String, value: PropertyListValue)]

    /// The entries about the origin of the values, which are appended to each line.
    let provenance: PropertyListDictionary

    func heading(_ heading: TreeHeading, _ place: TreePlace) -> String? {
        var entries: Entries = [
            ("path", .string(PropertyListKeyPath(place.prefix).description)),
            ("kind", .string(heading.kind)),
            ("format", .string(heading.document.formatName ?? "")),
        ]
        if let contents = heading.contents {
            // An imported file names no archiver.
            if heading.document.origin == nil {
                entries.append(("archiver", .string(contents.archiver)))
            }
            entries.append(("objects", PropertyListValue(contents.objects.count)))
        }
        entries.append(("size", PropertyListValue(heading.document.byteCount)))
        if let offset = place.offset { entries.append(("offset", PropertyListValue(offset))) }
        return Self.text(entries, provenance)
    }

    func text(
        of line: TreeLine, _ place: TreePlace,
        path: () throws(PropertyListError) -> String
    ) throws(PropertyListError) -> String {
        var entries: Entries = [
            ("path", .string(try path())), ("level", PropertyListValue(line.level)),
        ]
        Self.add(line.label, to: &entries)
        Self.add(line.form, line.node, to: &entries)
        let source = line.form.offset ?? line.node.sourceOffset
        if let start = place.offset, let source {
            entries.append(("offset", PropertyListValue(start + source)))
        }
        return Self.text(entries, provenance)
    }

    private static func add(_ label: Label, to entries: inout Entries) {
        switch label {
        case .none: break
        case .field(let key), .key(let key):
            if let value = try? key.value() { entries.append(("key", value)) }
        case .oddKey(let key):
            let text = PropertyListValue.string("(\(key.kind))")
            entries.append(("key", key.kind.isContainer ? text : (try? key.value()) ?? text))
        case .index(let index): entries.append(("index", PropertyListValue(index)))
        case .entry(let index, let part):
            entries.append(("index", PropertyListValue(index)))
            entries.append(("part", .string(part)))
        case .run(let index, let text):
            entries.append(("index", PropertyListValue(index)))
            entries.append(("text", .string(text)))
        }
    }

    private static func add(
        _ form: TreeForm, _ node: PropertyListNode, to entries: inout Entries
    ) {
        let (kind, value) = content(of: form, node)
        entries.append(("kind", .string(kind)))
        if let name = form.className { entries.append(("class", .string(name.text))) }
        if let value {
            entries.append(("value", value))
        } else if form.role == .object || form.role == .container {
            entries.append(("count", PropertyListValue(form.count)))
        }
        if case .reference(let target) = form.role {
            entries.append(("object", PropertyListValue(Int(target.value))))
        } else if let object = form.object ?? form.leaf {
            entries.append(("object", PropertyListValue(Int(object.value))))
        }
    }

    private static func content(
        of form: TreeForm, _ node: PropertyListNode
    ) -> (kind: String, value: PropertyListValue?) {
        switch form.role {
        case .null: return ("null", nil)
        case .reference: return ("reference", nil)
        case .problem: return ("problem", .string(form.summary))
        case .container: return ("\(node.kind)", nil)
        case .value, .object: break
        }
        switch form.content {
        case .node(let node): return ("\(node.kind)", try? node.value())
        case .text(let kind, let text): return (kind, .string(text))
        case .string(let kind, let node): return (kind, try? node.value())
        case .date(let date): return ("date", .date(date))
        case .data(let bytes): return ("data", .data(Array(bytes)))
        case nil: return ("object", nil)
        }
    }

    /// Returns entries on one line. Dates, data and numbers that JSON cannot represent are written
    /// as text.
    static func text(_ entries: Entries, _ provenance: PropertyListDictionary) -> String {
        var line = JSONLine()
        for (key, value) in entries { line.append(key, value) }
        for (key, value) in provenance { line.append(key, value) }
        return line.text
    }
}

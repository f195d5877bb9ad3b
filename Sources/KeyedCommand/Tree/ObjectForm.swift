// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
import KeyedArchive
import PropertyList
import PropertyListTools

/// The form of an archived object in the tree: a list of elements for a collection, one line for a
/// value of a common class, and a list of fields for any other object.
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
    ///   - family: The kind of collection, list or dictionary; nil if the class is neither.
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
        // Many entries of `$objects` may refer to one dictionary. Its numbered fields are read
        // again for each entry.
        if fields[FoundationField.firstNumberedObject] != nil { form.cost += fields.count }
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

    // The maximum size of an attributed text in bytes. An object with a longer text is shown as a
    // list of fields, because splitting the text into runs reads all of it.
    private static let longestText = 1 << 16

    /// Returns the form of an attributed string. Returns nil for other objects, and for a text that
    /// is too long.
    private func attributedString(_ className: String) -> TreeForm? {
        guard let node = attributedText, node.contentSize <= Self.longestText else { return nil }
        let packed = attributeInfo
        var form = runList(className, node, packed) ?? fieldList(className)
        // Many entries of `$objects` may refer to one attributed string. Its text and its runs are
        // read again for each entry. A run has two bytes or more, and takes about as much work as
        // 32 bytes of output.
        form.cost += node.contentSize + 16 * (packed?.count ?? 0)
        return form
    }

    /// Returns the form of an attributed string with a line for each run, or nil if the runs do not
    /// cover the text.
    private func runList(
        _ className: String, _ node: PropertyListNode, _ packed: ArraySlice<UInt8>?
    ) -> TreeForm? {
        guard let runs = attributeRuns(of: node.string ?? "", packed) else { return nil }
        var form = TreeForm(
            summary: "\(className) \(text.text(of: .string(kind: "string", node)))", .object)
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
    private func attributeRuns(of text: String, _ packed: ArraySlice<UInt8>?) -> [RunLine]? {
        guard let attributes = fields["NSAttributes"] else { return [] }
        let field = PropertyListKeyPath.Step.key("NSAttributes")
        guard fields["NSAttributeInfo"] != nil else { return [(text, attributes, [field])] }
        guard let list = attributes.uid, case .object(let table, _)? = try? contents.entry(list),
            let dictionaries = table[FoundationField.objects]?.array, let packed
        else { return nil }
        var lines: [RunLine] = []
        var start = text.utf16.startIndex
        var numbers = packed
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

    /// Parses the next unsigned LEB128 integer. Returns nil if it is incomplete or longer than four
    /// bytes.
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
        else { return nil }
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

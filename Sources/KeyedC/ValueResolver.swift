// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
@_spi(Tables) internal import PropertyList
internal import PropertyListTools

/// A value of a document, with its children. For a reference in an archive, the value is the object
/// that it refers to.
struct ResolvedValue {
    /// The children of a container.
    enum Children {
        case none
        /// Numbers for ``ValueResolver/child(_:)``.
        case elements(Range<Int>)
        /// Numbers for ``ValueResolver/child(_:)``: the keys of an `NSDictionary`, and as many
        /// values.
        case pairs(Range<Int>, Range<Int>)
        case fields(PropertyListNode.DictionaryView, hasClass: Bool)
    }

    /// The node of the value. For an object that wraps a plain value, the node of the plain value.
    let node: PropertyListNode
    /// The kind, for `keyed_row`.
    let kind: String
    /// The index of the object in `$objects`, or nil for other values.
    let object: UInt32?
    /// The index in `$objects` of the description of the class, for a value of kind `object`.
    let description: UInt32?
    let children: Children
}

/// A resolver for single values of a document. In an archive, it follows UIDs to their objects.
struct ValueResolver {
    let handle: DocumentHandle
    var forms: ObjectForms?
    private let table: DocumentTable
    // The index in `$objects` for each node number. Nil until it is first needed.
    private var objects: [Int: UInt32]?

    init(_ handle: DocumentHandle) {
        let table = DocumentTable(handle.document)
        self.handle = handle
        self.table = table
        forms = handle.contents.map { ObjectForms($0, table) }
    }

    /// Resolves a value. A UID in an archive resolves to the object that it refers to.
    mutating func resolve(_ node: PropertyListNode) throws(Failure) -> ResolvedValue {
        if let uid = node.uid, forms != nil { return try resolve(object: uid.value) }
        return Self.plain(node)
    }

    private static func plain(_ node: PropertyListNode, _ object: UInt32? = nil) -> ResolvedValue {
        let children: ResolvedValue.Children =
            switch node.kind {
            case .array, .set: .elements(node.record.childRange)
            case .dictionary: node.dictionary.map { .fields($0, hasClass: false) } ?? .none
            default: .none
            }
        return ResolvedValue(
            node: node, kind: "\(node.kind)", object: object, description: nil, children: children)
    }

    mutating func resolve(object: UInt32) throws(Failure) -> ResolvedValue {
        let form = try form(of: object)
        let document = handle.document
        let entry = forms?.contents.objects[Int(object)] ?? document.root
        func value(
            _ kind: String, _ node: PropertyListNode, _ children: ResolvedValue.Children = .none,
            _ description: UInt32? = nil
        ) -> ResolvedValue {
            ResolvedValue(
                node: node, kind: kind, object: object, description: description, children: children
            )
        }
        func fields(hasClass: Bool) -> ResolvedValue.Children {
            entry.dictionary.map { .fields($0, hasClass: hasClass) } ?? .none
        }
        switch form {
        case .null, .nsNull: return value("null", entry)
        case .plain(let node): return Self.plain(document.node(node), object)
        case .string(let node): return value("string", document.node(node))
        case .data(let node): return value("data", document.node(node))
        case .date(let node): return value("date", document.node(node))
        case .uuid(let node): return value("uuid", document.node(node))
        case .url(let base, let relative):
            if let text = try absoluteURL(document.node(base), document.node(relative)) {
                return value("url", text)
            }
            return value(
                "object", entry, fields(hasClass: true), entry[ArchiveFormat.classKey]?.uid?.value)
        case .array(let elements): return value("array", entry, .elements(elements))
        case .set(let elements), .orderedSet(let elements):
            return value("set", entry, .elements(elements))
        case .dictionary(let keys, let values):
            return value("dictionary", entry, .pairs(keys, values))
        case .object(_, let description):
            return value("object", entry, fields(hasClass: true), description)
        case .classDescription: return value("class", entry, fields(hasClass: false))
        }
    }

    /// Returns a child, given its number in ``ResolvedValue/Children``.
    func child(_ place: Int) -> PropertyListNode {
        handle.document.node(forms?.child(place) ?? table.child(place))
    }

    private mutating func form(of object: UInt32) throws(Failure) -> ObjectForm {
        do { return try forms?.form(of: object) ?? .null } catch {
            throw Failure(error, in: handle.document)
        }
    }

    /// Returns the text of a URL without a base, or nil for any other URL.
    ///
    /// The parts are not passed to ``resolve(_:)``, because that would never return for a URL that
    /// is a part of itself.
    private mutating func absoluteURL(
        _ base: PropertyListNode, _ relative: PropertyListNode
    ) throws(Failure) -> PropertyListNode? {
        guard let base = base.uid, let relative = relative.uid else { return nil }
        guard case .null = try form(of: base.value) else { return nil }
        switch try form(of: relative.value) {
        case .plain(let leaf), .string(let leaf):
            let text = handle.document.node(leaf)
            return text.kind == .string ? text : nil
        default: return nil
        }
    }

    /// Returns the text of a key, or nil if the key is neither text nor an integer.
    mutating func keyText(_ node: PropertyListNode) throws(Failure) -> String? {
        let leaf = try keyLeaf(node)
        return leaf?.integer?.description ?? leaf?.string
    }

    /// Returns the string or the integer that a key consists of, or nil for any other key.
    private mutating func keyLeaf(_ node: PropertyListNode) throws(Failure) -> PropertyListNode? {
        let key = try resolve(node)
        return key.kind == "string" || key.node.kind == .integer ? key.node : nil
    }

    /// Returns the value for an empty path, which is the root of the document. For an archive, it
    /// is the only root, the root named `root`, or else the dictionary of the roots.
    static func start(of handle: DocumentHandle) -> PropertyListNode {
        guard let contents = handle.contents else { return handle.document.root }
        if contents.top.count == 1, let only = contents.top.first { return only.value }
        return contents.top["root"] ?? handle.document.root["$top"] ?? handle.document.root
    }

    // MARK: Paths

    /// Returns the value at a path, and the handle of the document that contains it.
    static func find(
        _ path: PropertyListKeyPath, in handle: DocumentHandle
    ) throws(Failure) -> (DocumentHandle, PropertyListNode) {
        var resolver = ValueResolver(handle)
        var node =
            resolver.beginsAtPropertyListRoot(path) ? handle.document.root : start(of: handle)
        var nesting = 0
        for (position, step) in path.steps.enumerated() {
            if case .content = step {
                nesting += 1
                resolver = ValueResolver(
                    try resolver.nested(in: node, path, position, nesting: nesting))
                node = start(of: resolver.handle)
            } else {
                node = try resolver.child(of: node, step, path, position)
            }
        }
        return (resolver.handle, node)
    }

    /// Returns whether a path begins at the root of an archive's property list.
    private func beginsAtPropertyListRoot(_ path: PropertyListKeyPath) -> Bool {
        switch path.steps.first {
        case .name(let key), .key(let key): isArchiveKey(key)
        default: false
        }
    }

    /// Returns whether a key begins with `$` and is a key of the root of an archive's property
    /// list, such as `$top`. A path that begins with the key begins there, not at the root object.
    func isArchiveKey(_ key: String) -> Bool {
        forms != nil && key.utf8.first == UInt8(ascii: "$") && handle.document.root[key] != nil
    }

    /// Returns the document in data or a string, for the step `!` at a position of a path.
    private mutating func nested(
        in node: PropertyListNode, _ path: PropertyListKeyPath, _ position: Int, nesting: Int
    ) throws(Failure) -> DocumentHandle {
        let value = try resolveEntry(node).node
        let bytes = value.data.map { Array($0) } ?? value.string.map { Array($0.utf8) }
        do {
            let document = try path.content(
                bytes, value.kind, position, nesting: nesting, options: handle.options,
                limits: handle.limits)
            return DocumentHandle(document, handle.limits, handle.options)
        } catch { throw Failure(error) }
    }

    private mutating func child(
        of node: PropertyListNode, _ step: PropertyListKeyPath.Step, _ path: PropertyListKeyPath,
        _ position: Int
    ) throws(Failure) -> PropertyListNode {
        if case .object(let number) = step, let contents = forms?.contents,
            Int(number) < contents.objects.count
        {
            return contents.objects[Int(number)]
        }
        let value = try resolveEntry(node)
        switch value.children {
        case .elements(let elements):
            if case .index(let index) = step.selector(in: .array), index < elements.count {
                return child(elements.lowerBound + index)
            }
        case .pairs(let keys, let values):
            if case .key(let key) = step.selector(in: .dictionary),
                let index = try firstIndex(of: key, in: keys)
            {
                return child(values.lowerBound + index)
            }
            if case .index(let index) = step, index < keys.count, try needsIndex(index, in: keys) {
                return child(values.lowerBound + index)
            }
        case .fields(let fields, _):
            if case .key(let key) = step.selector(in: .dictionary), let found = fields[key] {
                return found
            }
            if case .index(let index) = step, index < fields.count,
                needsIndex(fields[index].keyNode)
            {
                return fields[index].value
            }
        case .none: break
        }
        let reason =
            if case .object = step {
                "there is no such object"
            } else if case .none = value.children {
                "the value before it is of kind \(value.kind) and has no children"
            } else {
                "the \(value.kind) before it has no such key or index"
            }
        throw Failure(
            "noSuchValue", "no value at step \(position + 1) of `\(path.text)`: \(reason)")
    }

    /// Returns the index of the first key whose text is `text`, or nil if there is none.
    ///
    /// A string is compared once, however many keys refer to it. The time is therefore linear in
    /// the size of the document.
    private mutating func firstIndex(
        of text: String, in keys: Range<Int>
    ) throws(Failure) -> Int? {
        var compared: Set<UInt32> = []
        for (index, place) in keys.enumerated() {
            guard let leaf = try keyLeaf(child(place)), compared.insert(leaf.index).inserted else {
                continue
            }
            let number = leaf.integer?.description
            if number?.isLiterally(text) ?? leaf.isString(text) { return index }
        }
        return nil
    }

    /// Returns whether an index may select a value of an `NSDictionary`: its key has no text, has
    /// the text of an earlier key, or is a key for which ``isArchiveKey(_:)`` returns true.
    private mutating func needsIndex(
        _ index: Int, in keys: Range<Int>
    ) throws(Failure) -> Bool {
        guard let text = try keyText(child(keys.lowerBound + index)), !isArchiveKey(text) else {
            return true
        }
        return try firstIndex(of: text, in: keys) != index
    }

    /// Returns whether an index may select the value of a key in a dictionary of the property list:
    /// the key is not text, or ``isArchiveKey(_:)`` returns true for it.
    private func needsIndex(_ key: PropertyListNode) -> Bool {
        key.string.map(isArchiveKey) ?? true
    }

    /// Resolves a value. A dictionary that has a class and is an entry of `$objects` resolves to
    /// that object.
    mutating func resolveEntry(_ node: PropertyListNode) throws(Failure) -> ResolvedValue {
        if let object = object(of: node) { return try resolve(object: object) }
        return try resolve(node)
    }

    /// Returns the index in `$objects` of an entry that is a dictionary with a class; nil for other
    /// values.
    mutating func object(of node: PropertyListNode) -> UInt32? {
        guard node.kind == .dictionary, node["$class"]?.uid != nil else { return nil }
        if let objects { return objects[node.number] }
        var found: [Int: UInt32] = [:]
        if let entries = forms?.contents.objects {
            for (index, entry) in entries.enumerated() where found[entry.number] == nil {
                found[entry.number] = UInt32(truncatingIfNeeded: index)
            }
        }
        objects = found
        return found[node.number]
    }
}

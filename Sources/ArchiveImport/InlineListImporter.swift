// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import InlinePropertyList
internal import KeyedArchive
internal import PropertyList

// A dictionary is an object if its first key is `$class` and the value of that key is a string. A
// message with objects becomes a keyed archive. The entries of `$objects` are the objects, their
// class descriptions, the strings and data in an object, and the numbers, Booleans and dates in an
// object's arrays and sets. Any other message becomes a plain property list.
//
// Values without a key get the keys `$0`, `$1`, …, as in keyed archives. So that these collide with
// no other key, a key that begins with `$` gets another `$` before it. In a plain property list,
// this applies only to dictionaries that contain a value without a key.

/// An importer that converts a message of NSXPCConnection to a keyed archive or a plain property
/// list, without recursion.
struct InlineListImporter: ArchiveImporter {
    private typealias Item = (key: InlinePropertyListNode?, value: InlinePropertyListNode)

    /// A key of the message, as it is or escaped with a `$` before it.
    private struct KeyForm: Hashable {
        let index: Int
        let isEscaped: Bool
    }

    /// A value in one of its two forms. In an object, strings and data become references to entries
    /// of `$objects`; outside of objects, they are inline.
    private struct Form: Hashable {
        let index: Int
        let inObject: Bool
    }

    /// A container that is being written.
    private struct Frame {
        /// The node index with which the complete container is recorded in ``written``, or -1 for
        /// an object, which is not recorded.
        let index: Int
        var items: ArraySlice<Item>
        /// The number of values without a key found so far.
        var unkeyed = 0
        let isList: Bool
        /// A Boolean value indicating whether another `$` precedes a key that begins with `$`.
        let escapesKeys: Bool
    }

    /// An entry of `$objects`.
    private enum Entry {
        case value(InlinePropertyListNode)
        case `class`(String)
    }

    /// The texts of the strings that the message refers to, by node index. A small message can
    /// refer to a long string many times.
    private var texts: [Int: String] = [:]
    /// The numbers of keys in the output document, for the keys that the message stores as
    /// references.
    private var keys: [KeyForm: Int] = [:]
    private var isArchive = false
    private var frames: [Frame] = []
    /// The entries found so far, except the one for nil. They are written in this order.
    private var entries: [Entry] = []
    private var uids: [Int: PropertyListUID] = [:]
    private var classes: [ExactText: PropertyListUID] = [:]
    /// The UIDs of the classes whose names the message refers to, by the node index of the name.
    private var namedClasses: [Int: PropertyListUID] = [:]
    /// The class names of the dictionaries found so far; nil for plain dictionaries.
    private var classNames: [Int: InlinePropertyListNode?] = [:]
    /// The written values. Later references to a value in the same form share it.
    private var written: [Form: CompletedValue] = [:]

    static func document(
        _ bytes: [UInt8], _ limits: ParsingLimits, salvages: Bool
    ) throws(PropertyListError) -> PropertyListDocument {
        let listLimits = InlinePropertyListLimits(depth: limits.depth, inputSize: limits.inputSize)
        let version = InlinePropertyListDocument.version(of: bytes).map { "\($0.rawValue)" } ?? ""
        let format = "bplist" + version
        let document: InlinePropertyListDocument
        do throws(InlinePropertyListError) {
            document = try InlinePropertyListDocument(parsing: bytes, limits: listLimits)
        } catch {
            throw PropertyListError(error, format)
        }
        var output = ArchiveAssembler(bytes, limits, count: 0)
        var importer = InlineListImporter()
        importer.isArchive = importer.holdsObjects(document.root)
        let facts = [("values", "\(document.nodeCount)")]
        guard importer.isArchive else {
            importer.write(document.root, inObject: false, inList: false, &output)
            importer.writeFrames(inObject: false, &output)
            return try output.finishPlain(format: format, facts: facts, problems: [])
        }
        output.begin()
        output.key(KeyedUnarchiver.rootKey)
        importer.write(document.root, inObject: false, inList: false, &output)
        importer.writeFrames(inObject: false, &output)
        output.beginObjects()
        importer.writeEntries(&output)
        return try output.finish(format: format, facts: facts, problems: [])
    }

    /// Returns whether any dictionary of a message is an object. Linear.
    private mutating func holdsObjects(_ root: InlinePropertyListNode) -> Bool {
        var pending = [root]
        while let node = pending.popLast() {
            if node.isReference || node.isString { continue }
            if readClassName(of: node) != nil { return true }
            pending += Self.items(of: node).map(\.value)
        }
        return false
    }

    /// Returns the class name of a container that is an object, or nil for other containers. The
    /// result is cached, because a small file may refer to a large dictionary many times.
    private mutating func className(of node: InlinePropertyListNode) -> InlinePropertyListNode? {
        guard case .dictionary = node.content else { return nil }
        if let known = classNames[node.index] { return known }
        let name = readClassName(of: node)
        classNames[node.index] = .some(name)
        return name
    }

    /// Returns the class name of a dictionary that is an object, or nil for other values. Linear in
    /// the number of entries.
    private mutating func readClassName(
        of node: InlinePropertyListNode
    ) -> InlinePropertyListNode? {
        guard let first = node.entries?.first, first.value.isString,
            let key = text(of: first.key), key.isLiterally(ArchiveFormat.classKey)
        else { return nil }
        return first.value
    }

    /// Returns the text of a string, or nil for other values. The text of a reference is cached.
    private mutating func text(of node: InlinePropertyListNode) -> String? {
        guard node.isString else { return nil }
        if node.isReference, let known = texts[node.target.index] { return known }
        guard case .string(let text) = node.content else { return nil }
        if node.isReference { texts[node.target.index] = text }
        return text
    }

    /// Returns the children of a container, with their keys if it is a dictionary. The result is
    /// empty for other values.
    private static func items(of node: InlinePropertyListNode) -> [Item] {
        switch node.content {
        case .array(let values), .orderedSet(let values), .set(let values):
            values.map { (nil, $0) }
        case .dictionary: node.entries?.map { ($0.key, $0.value) } ?? []
        default: []
        }
    }

    // MARK: Entries

    /// Adds an entry and returns its UID.
    private mutating func uid(of entry: Entry) -> PropertyListUID {
        entries.append(entry)
        return PropertyListUID(UInt32(truncatingIfNeeded: entries.count))
    }

    /// Returns the UID of the entry for a value.
    private mutating func uid(of node: InlinePropertyListNode) -> PropertyListUID {
        if let known = uids[node.index] { return known }
        let uid = uid(of: .value(node))
        uids[node.index] = uid
        return uid
    }

    private mutating func uid(ofClass name: String) -> PropertyListUID {
        if let known = classes[ExactText(name)] { return known }
        let uid = uid(of: .class(name))
        classes[ExactText(name)] = uid
        return uid
    }

    private mutating func uid(ofClass name: InlinePropertyListNode) -> PropertyListUID {
        let index = name.target.index
        if name.isReference, let known = namedClasses[index] { return known }
        let uid = uid(ofClass: text(of: name) ?? "")
        if name.isReference { namedClasses[index] = uid }
        return uid
    }

    private mutating func writeEntries(_ output: inout ArchiveAssembler) {
        var next = 0
        while next < entries.count {
            switch entries[next] {
            case .class(let name):
                output.classDescription([OtherClassName(text: name)], at: 0..<0)
            case .value(let node):
                if let text = text(of: node) {
                    output.stringObject(
                        text, class: uid(ofClass: FoundationClass.string), at: node.byteRange)
                } else if let name = className(of: node) {
                    let uid = uid(ofClass: name)
                    output.beginObject(class: uid, at: node.byteRange)
                    frames = [
                        Frame(
                            index: -1, items: Self.items(of: node).dropFirst(), isList: false,
                            escapesKeys: true)
                    ]
                    writeFrames(inObject: true, &output)
                } else {
                    write(node, inObject: false, inList: false, &output)
                }
            }
            next += 1
        }
    }

    // MARK: Values

    /// Writes the remaining children of the open containers.
    private mutating func writeFrames(inObject: Bool, _ output: inout ArchiveAssembler) {
        while let top = frames.indices.last {
            guard let item = frames[top].items.popFirst() else {
                output.end()
                if let value = output.lastValue, frames[top].index >= 0 {
                    written[Form(index: frames[top].index, inObject: inObject)] = value
                }
                frames.removeLast()
                continue
            }
            if let key = item.key { writeKey(key, top, &output) }
            write(item.value, inObject: inObject, inList: frames[top].isList, &output)
        }
    }

    private mutating func writeKey(
        _ key: InlinePropertyListNode, _ frame: Int, _ output: inout ArchiveAssembler
    ) {
        guard let text = text(of: key) else {
            output.key(ArchiveFormat.unkeyedField(frames[frame].unkeyed))
            frames[frame].unkeyed += 1
            return
        }
        let isEscaped = frames[frame].escapesKeys
        // The escaping copies the text, so a known key is not escaped again.
        func written() -> String { isEscaped ? ArchiveKey.escaped(text) : text }
        guard key.isReference else { return output.key(written()) }
        let form = KeyForm(index: key.target.index, isEscaped: isEscaped)
        output.key(written(), known: &keys[form])
    }

    /// Writes a value or begins a container.
    private mutating func write(
        _ node: InlinePropertyListNode, inObject: Bool, inList: Bool,
        _ output: inout ArchiveAssembler
    ) {
        let value = node.target
        let range = node.byteRange
        if value.isNull {
            return isArchive ? output.reference(0, at: range) : output.noValue(at: range)
        }
        if isEntry(value, inObject: inObject, inList: inList) {
            return output.reference(uid(of: value), at: range)
        }
        let form = Form(index: value.index, inObject: inObject)
        if let known = written[form] { return output.reference(to: known) }
        if value.isString || !begin(value, &output) {
            Self.writeScalar(value.content, at: range, &output)
            if let done = output.lastValue { written[form] = done }
        }
    }

    /// Returns whether a value is an entry of `$objects`. Constant time, except for the first
    /// reference to a dictionary.
    private mutating func isEntry(
        _ value: InlinePropertyListNode, inObject: Bool, inList: Bool
    ) -> Bool {
        if value.isString { return inObject }
        return switch value.content {
        case .null: false
        case .string, .data: inObject
        case .boolean, .integer, .unsigned, .float, .double, .date: inObject && inList
        case .array, .orderedSet, .set, .dictionary: className(of: value) != nil
        }
    }

    /// Begins a container.
    ///
    /// - Returns: A Boolean value indicating whether the value is a container.
    private mutating func begin(
        _ node: InlinePropertyListNode, _ output: inout ArchiveAssembler
    ) -> Bool {
        switch node.content {
        case .array, .orderedSet: output.beginArray(at: node.byteRange)
        case .set: output.beginSet(at: node.byteRange)
        case .dictionary: output.beginDictionary(at: node.byteRange)
        default: return false
        }
        let items = Self.items(of: node)[...]
        let isList = items.first?.key == nil
        let escapesKeys =
            isArchive || items.contains { $0.key?.isNull == true }
        frames.append(
            Frame(index: node.index, items: items, isList: isList, escapesKeys: escapesKeys))
        return true
    }

    private static func writeScalar(
        _ content: InlinePropertyListNode.Content, at range: Range<Int>,
        _ output: inout ArchiveAssembler
    ) {
        switch content {
        case .boolean(let truth): output.boolean(truth, at: range)
        case .integer(let number):
            output.integer(PropertyListInteger(number), at: range)
        case .unsigned(let number):
            output.integer(PropertyListInteger(number), at: range)
        case .float(let number): output.real(PropertyListReal(number), at: range)
        case .double(let number): output.real(PropertyListReal(number), at: range)
        case .date(let seconds): output.date(seconds, at: range)
        case .string(let text): output.string(text, at: range)
        case .data(let bytes): output.data(bytes, at: range)
        case .null, .array, .orderedSet, .set, .dictionary: break
        }
    }
}

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

    private let isArchive: Bool
    private var frames: [Frame] = []
    /// The entries found so far, except the one for nil. They are written in this order.
    private var entries: [Entry] = []
    private var uids: [Int: PropertyListUID] = [:]
    private var classes: [ExactText: PropertyListUID] = [:]
    /// The UIDs of the classes, by the index of the value that is the name.
    private var classesByName: [Int: PropertyListUID] = [:]
    private var classNames: [Int: InlinePropertyListNode?] = [:]
    /// The written values. Later references to a value in the same form share it.
    private var written: [Form: CompletedValue] = [:]

    private init(isArchive: Bool) { self.isArchive = isArchive }

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
        var importer = InlineListImporter(isArchive: holdsObjects(document.root))
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
    private static func holdsObjects(_ root: InlinePropertyListNode) -> Bool {
        var pending = [root]
        while let node = pending.popLast() {
            if node.isReference { continue }
            if className(of: node) != nil { return true }
            pending += items(of: node).map(\.value)
        }
        return false
    }

    /// Returns the value that is the class name of an object, or nil for other values. The result is
    /// cached, because a small file may refer to a large dictionary many times.
    private mutating func className(of node: InlinePropertyListNode) -> InlinePropertyListNode? {
        guard case .dictionary = node.content else { return nil }
        if let known = classNames[node.index] { return known }
        let name = Self.className(of: node)
        classNames[node.index] = .some(name)
        return name
    }

    /// Returns the value that is the class name of an object, or nil for other values. Linear in
    /// the number of entries.
    private static func className(of node: InlinePropertyListNode) -> InlinePropertyListNode? {
        guard case .dictionary = node.content, let first = node.entries?.first,
            first.key.isText(ArchiveFormat.classKey), first.value.isText
        else { return nil }
        return first.value.target
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

    private mutating func uid(ofClass name: InlinePropertyListNode) -> PropertyListUID {
        if let known = classesByName[name.index] { return known }
        guard case .string(let text) = name.content else { return 0 }
        let uid = uid(ofClass: text)
        classesByName[name.index] = uid
        return uid
    }

    private mutating func uid(ofClass name: String) -> PropertyListUID {
        let key = ExactText(name)
        if let known = classes[key] { return known }
        let uid = uid(of: .class(name))
        classes[key] = uid
        return uid
    }

    private mutating func writeEntries(_ output: inout ArchiveAssembler) {
        var next = 0
        while next < entries.count {
            switch entries[next] {
            case .class(let name): output.classDescription([(name, -1)], at: 0..<0)
            case .value(let node):
                if let name = className(of: node) {
                    let uid = uid(ofClass: name)
                    output.beginObject(class: uid, at: node.byteRange)
                    frames = [
                        Frame(
                            index: -1, items: Self.items(of: node).dropFirst(), isList: false,
                            escapesKeys: true)
                    ]
                    writeFrames(inObject: true, &output)
                } else if case .string(let text) = node.content {
                    output.stringObject(
                        text, class: uid(ofClass: FoundationClass.string), at: node.byteRange)
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
        let escapesKeys = frames[frame].escapesKeys
        if key.isReference, key.isText {
            // A small file may refer to a long key many times.
            let number = 2 &* key.target.index &+ (escapesKeys ? 1 : 0)
            output.key(Self.text(of: key, escapesKeys: escapesKeys), shared: number)
        } else if key.isText {
            output.key(Self.text(of: key, escapesKeys: escapesKeys))
        } else {
            output.key(ArchiveFormat.unkeyedField(frames[frame].unkeyed))
            frames[frame].unkeyed += 1
        }
    }

    /// Returns the text of a key. If `escapesKeys`, another `$` precedes one that begins with `$`.
    private static func text(of key: InlinePropertyListNode, escapesKeys: Bool) -> String {
        guard case .string(let text) = key.content else { return "" }
        return escapesKeys && text.utf8.first == UInt8(ascii: "$") ? "$" + text : text
    }

    /// Writes a value or begins a container.
    private mutating func write(
        _ node: InlinePropertyListNode, inObject: Bool, inList: Bool,
        _ output: inout ArchiveAssembler
    ) {
        let value = node.target
        let range = node.byteRange
        let form = Form(index: value.index, inObject: inObject)
        // A small file may refer to a long text many times, so it is not decoded again.
        if value.isText {
            if inObject { return output.reference(uid(of: value), at: range) }
            if let known = written[form] { return output.reference(to: known) }
        }
        switch value.content {
        case .null: return isArchive ? output.reference(0, at: range) : output.noValue(at: range)
        case .string: break
        case .data:
            if inObject { return output.reference(uid(of: value), at: range) }
        case .boolean, .integer, .unsigned, .float, .double, .date:
            if inObject, inList { return output.reference(uid(of: value), at: range) }
        case .array, .orderedSet, .set, .dictionary:
            if className(of: value) != nil {
                return output.reference(uid(of: value), at: range)
            }
        }
        if let known = written[form] { return output.reference(to: known) }
        if !begin(value, &output) {
            Self.writeScalar(value.content, at: range, &output)
            if let done = output.lastValue { written[form] = done }
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

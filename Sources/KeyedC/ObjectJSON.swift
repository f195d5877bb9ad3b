// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// Writes a value as JSON on one line, with the objects of an archive resolved.
///
/// Scalars are as ``JSONPropertyList/Mapping/coerce`` has them. The walk has a stack of its own, and each value that
/// it enters, shared ones each time, is charged to the budget.
struct ObjectJSON: ~Copyable {
    /// A container that is being written.
    private struct Frame {
        enum Contents {
            case elements(PropertyListNode.ArrayView)
            /// Keys and values of a collection of Foundation.
            case pairs(PropertyListNode.ArrayView, PropertyListNode.ArrayView)
            case fields(PropertyListNode.DictionaryView)
        }

        let contents: Contents
        let count: Int
        /// The number of the object; nil for a container within an object.
        let object: UInt32?
        /// A Boolean value that says whether the object is written once only.
        var isUnique = false
        var position = 0
        /// A Boolean value that says whether nothing has been written yet.
        var isFirst = true
    }

    private static let scalars: JSONScalarWriter = {
        var options = JSONPropertyList.Options()
        options.mapping = .coerce
        options.layout = .compact
        return JSONScalarWriter(options: options)
    }()

    private(set) var output: [UInt8] = []
    private var forms: ObjectForms?
    private var budget: OperationBudget
    private var stack: [Frame] = []
    /// By object: whether it is a reference from now on, because it is being written or was written.
    ///
    /// Collections may be written again when they are complete. Objects of other classes are not: graphs of views refer
    /// to each other so often that the number of ways through them is exponential.
    private var isReference: [Bool]
    private let document: PropertyListDocument

    init(_ handle: DocumentHandle) {
        document = handle.document
        forms = handle.contents.map { ObjectForms($0) }
        isReference = [Bool](repeating: false, count: handle.contents?.objects.count ?? 0)
        budget = handle.document.budget(handle.limits)
        output.reserveCapacity(256)
    }

    /// Appends a value.
    mutating func append(_ node: PropertyListNode) throws(Failure) {
        try begin(node)
        while let top = stack.indices.last { try step(top) }
    }

    /// Writes the next entry of the innermost container, or its end.
    private mutating func step(_ top: Int) throws(Failure) {
        let position = stack[top].position
        if position == stack[top].count {
            if case .elements = stack[top].contents {
                output.append(UInt8(ascii: "]"))
            } else {
                output.append(UInt8(ascii: "}"))
            }
            if let object = stack[top].object, !stack[top].isUnique {
                isReference[Int(object)] = false
            }
            stack.removeLast()
            return
        }
        stack[top].position = position + 1
        switch stack[top].contents {
        case .elements(let elements):
            separate(top)
            try begin(elements[position])
        case .pairs(let keys, let values):
            separate(top)
            try appendKey(keys[position])
            try begin(values[position])
        case .fields(let fields):
            let entry = fields[position]
            if stack[top].object != nil, entry.keyNode.isString(ArchiveFormat.classKey) { return }
            separate(top)
            try appendKey(entry.keyNode)
            try begin(entry.value)
        }
    }

    private mutating func separate(_ top: Int) {
        if !stack[top].isFirst { output.append(UInt8(ascii: ",")) }
        stack[top].isFirst = false
    }

    /// Writes a scalar, or the beginning of a container.
    private mutating func begin(_ node: PropertyListNode) throws(Failure) {
        try charge()
        if let uid = node.uid, forms != nil { return try begin(object: uid.value) }
        switch node.kind {
        case .string: appendString(node)
        case .array, .set:
            let elements = node.kind == .array ? node.array : node.set
            guard let elements else { return }
            try open(.elements(elements), count: elements.count)
        case .dictionary:
            guard let fields = node.dictionary else { return }
            try open(.fields(fields), count: fields.count)
        default: try scalar(node)
        }
    }

    /// Writes an object, or its beginning.
    private mutating func begin(object: UInt32) throws(Failure) {
        if object < isReference.count, isReference[Int(object)] {
            output.append(contentsOf: "{\"$ref\":\"@\(object)\"}".utf8)
            return
        }
        switch try form(of: object) {
        case .null, .nsNull: output.append(contentsOf: "null".utf8)
        case .plain(let node):
            if node.kind == .string { appendString(node) } else { try scalar(node) }
        case .string(let text): appendString(text)
        case .data(let data): try scalar(data)
        case .date(let seconds):
            let date = PropertyListDate(secondsSince2001: seconds.real?.value ?? 0)
            output.append(contentsOf: "\"\(date)\"".utf8)
        case .uuid(let bytes):
            output.append(UInt8(ascii: "\""))
            output += UUIDText.text(of: bytes.data ?? [])
            output.append(UInt8(ascii: "\""))
        case .url(let base, let relative): try url(base, relative)
        case .array(let list), .set(let list), .orderedSet(let list):
            let elements = list.childNodes
            try open(.elements(elements), count: elements.count, object)
        case .dictionary(let keys, let values):
            let keys = keys.childNodes
            try open(.pairs(keys, values.childNodes), count: keys.count, object)
        case .object(let fields, let description):
            guard let entries = fields.dictionary else { return }
            try open(.fields(entries), count: entries.count, object)
            output.append(contentsOf: "\"$class\":".utf8)
            if let name = forms?.className(description), name.kind == .string {
                appendString(name)
            } else {
                output.append(contentsOf: "null".utf8)
            }
            stack[stack.count - 1].isFirst = false
            stack[stack.count - 1].isUnique = true
        case .classDescription:
            output.append(contentsOf: "{\"$ref\":\"@\(object)\"}".utf8)
        }
    }

    private mutating func open(
        _ contents: Frame.Contents, count: Int, _ object: UInt32? = nil
    ) throws(Failure) {
        do { try budget.enter(depth: stack.count + 1) } catch { throw Failure(error) }
        if case .elements = contents {
            output.append(UInt8(ascii: "["))
        } else {
            output.append(UInt8(ascii: "{"))
        }
        if let object { isReference[Int(object)] = true }
        stack.append(Frame(contents: contents, count: count, object: object))
    }

    private mutating func form(of object: UInt32) throws(Failure) -> ObjectForm {
        do { return try forms?.form(of: object) ?? .null } catch {
            throw Failure(error, in: document)
        }
    }

    private mutating func charge() throws(Failure) {
        do {
            try budget.visit()
            try budget.checkOutput(size: output.count)
        } catch { throw Failure(error) }
    }

    // MARK: Scalars

    private mutating func scalar(_ node: PropertyListNode) throws(Failure) {
        do { try Self.scalars.append(node, to: &output) } catch { throw Failure(error) }
    }

    private mutating func appendString(_ node: PropertyListNode) {
        output.append(UInt8(ascii: "\""))
        appendText(node)
        output.append(UInt8(ascii: "\""))
    }

    private mutating func appendText(_ node: PropertyListNode) {
        if node.record.encoding == .utf16 {
            var text: [UInt8] = []
            node.storage.store.appendText(of: node.record, to: &text)
            JSONScalarWriter.appendEscaped(text[...], to: &output)
        } else {
            JSONScalarWriter.appendEscaped(node.storage.store.content(of: node.record), to: &output)
        }
    }

    /// Writes the key of an entry: JSON has text alone. A key without a text is the number of its object, as `@12`.
    private mutating func appendKey(_ node: PropertyListNode) throws(Failure) {
        output.append(UInt8(ascii: "\""))
        try appendKeyText(node)
        output.append(contentsOf: "\":".utf8)
    }

    private mutating func appendKeyText(_ node: PropertyListNode) throws(Failure) {
        var key = node
        if let uid = node.uid, forms != nil {
            switch try form(of: uid.value) {
            case .plain(let leaf), .string(let leaf): key = leaf
            default:
                output.append(contentsOf: "@\(uid.value)".utf8)
                return
            }
        }
        if key.kind == .string { return appendText(key) }
        if let number = key.integer {
            output.append(contentsOf: number.description.utf8)
        } else {
            output.append(contentsOf: "(\(key.kind))".utf8)
        }
    }

    /// Writes a URL as its text; one that is relative to another, as both.
    private mutating func url(
        _ base: PropertyListNode, _ relative: PropertyListNode
    ) throws(Failure) {
        if let uid = base.uid, case .null = try form(of: uid.value) {
            return try leaf(relative)
        }
        output.append(contentsOf: "{\"base\":".utf8)
        try leaf(base)
        output.append(contentsOf: ",\"relative\":".utf8)
        try leaf(relative)
        output.append(UInt8(ascii: "}"))
    }

    /// Writes the text of a part of a URL; of a URL that is relative itself, a reference.
    private mutating func leaf(_ node: PropertyListNode) throws(Failure) {
        try charge()
        guard let uid = node.uid else { return output.append(contentsOf: "null".utf8) }
        switch try form(of: uid.value) {
        case .plain(let text) where text.kind == .string, .string(let text): appendString(text)
        case .url(let base, let relative):
            if let uid = base.uid, case .null = try form(of: uid.value),
                let text = relative.uid, case .plain(let leaf) = try form(of: text.value),
                leaf.kind == .string
            {
                return appendString(leaf)
            }
            fallthrough
        default: output.append(contentsOf: "{\"$ref\":\"@\(uid.value)\"}".utf8)
        }
    }
}

/// The text of a UUID.
enum UUIDText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    static func text(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return text
    }
}

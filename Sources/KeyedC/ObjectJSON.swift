// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
internal import KeyedArchive
@_spi(Tables) internal import PropertyList

/// A serializer that writes a value as JSON on one line, with the objects of an archive resolved.
///
/// Scalars are written as in ``JSONPropertyList/Mapping/coerce``. An explicit stack replaces
/// recursion. Every visit of a value is charged to the budget, including repeated visits of shared
/// values.
struct ObjectJSON: ~Copyable {
    /// A container that is being written.
    private struct Frame: BitwiseCopyable {
        enum Contents: BitwiseCopyable {
            /// Elements of an array or a set.
            case elements
            /// Keys and values of an `NSDictionary`.
            case pairs
            /// Entries of a dictionary in the property list.
            case entries
            /// Fields of an object.
            case fields
        }

        let contents: Contents
        /// The numbers of the first key and the first value for ``ObjectForms/child(_:)``.
        let keys: Int
        let values: Int
        let count: Int
        /// The index of the object in `$objects`, or nil for a container that is not an object.
        let object: UInt32?
        /// A Boolean value indicating whether nothing has been written yet.
        var isFirst = true
        var position = 0

        /// Creates a frame for the values of a node, and for its keys if it is a dictionary.
        init(_ contents: Contents, _ record: NodeRecord, _ object: UInt32?) {
            self.contents = contents
            keys = record.childRange.lowerBound
            values = record.valueRange.lowerBound
            count = record.count
            self.object = object
        }

        /// Creates a frame for the elements of a collection, or for its keys and values, which are
        /// equally many.
        init(keys: Range<Int>? = nil, _ values: Range<Int>, _ object: UInt32) {
            contents = keys == nil ? .elements : .pairs
            self.keys = keys?.lowerBound ?? 0
            self.values = values.lowerBound
            count = values.count
            self.object = object
        }

        /// A Boolean value indicating whether the container is written as an array.
        var isArray: Bool { contents == .elements }
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
    /// For each object, a Boolean value indicating whether its next occurrence is written as a
    /// reference.
    ///
    /// The value is true while the object is being written. Afterwards, a collection may be written
    /// again. An object of another class is written only once. Such objects, for example views,
    /// often refer to each other, so the number of paths to them can be exponential.
    private var isReference: [Bool]
    /// The objects that must not be written again before ``restart()``.
    private var written: [UInt32] = []
    private let table: DocumentTable
    private let document: PropertyListDocument
    /// The number of the key `$class`, or nil if no dictionary has it.
    private let classKey: UInt32?

    init(_ handle: DocumentHandle) {
        document = handle.document
        let table = DocumentTable(handle.document)
        self.table = table
        forms = handle.contents.map { ObjectForms($0, table) }
        isReference = [Bool](repeating: false, count: handle.contents?.objects.count ?? 0)
        classKey = forms == nil ? nil : table.keyNumber(of: ArchiveFormat.classKey)
        budget = handle.document.budget(handle.limits)
        // Most JSON is shorter than its source.
        output.reserveCapacity(min(table.size, 1 << 16))
        stack.reserveCapacity(8)
    }

    /// Removes the output and the record of written objects, so that another value can be written
    /// within the same budget.
    mutating func restart() {
        output.removeAll(keepingCapacity: true)
        for object in written { isReference[Int(object)] = false }
        written.removeAll(keepingCapacity: true)
    }

    /// Appends a value. If `object` is its index in `$objects`, it is written as that object.
    mutating func append(_ node: UInt32, object: UInt32? = nil) throws(Failure) {
        if let object {
            try charge()
            try begin(object: object)
        } else {
            try begin(node)
        }
        while let top = stack.last { try step(top) }
    }

    /// Writes the next entry of the innermost container, or its end.
    private mutating func step(_ frame: Frame) throws(Failure) {
        let top = stack.count &- 1
        let position = frame.position
        if position == frame.count { return end(frame) }
        stack[top].position = position &+ 1
        if frame.isArray {
            separate(frame)
        } else {
            let key = child(frame.keys &+ position)
            if case .fields = frame.contents, table[key].keyNumber == classKey { return }
            separate(frame)
            try appendKey(key)
        }
        try begin(child(frame.values &+ position))
    }

    private func child(_ place: Int) -> UInt32 { forms?.child(place) ?? table.child(place) }

    private mutating func end(_ frame: Frame) {
        if frame.isArray {
            output.append(UInt8(ascii: "]"))
        } else {
            output.append(UInt8(ascii: "}"))
        }
        if let object = frame.object {
            if frame.contents == .fields {
                written.append(object)
            } else {
                isReference[Int(object)] = false
            }
        }
        stack.removeLast()
    }

    private mutating func separate(_ frame: Frame) {
        if frame.isFirst {
            stack[stack.count &- 1].isFirst = false
        } else {
            output.append(UInt8(ascii: ","))
        }
    }

    /// Writes a scalar or the beginning of a container.
    private mutating func begin(_ node: UInt32) throws(Failure) {
        try charge()
        let record = table[node]
        switch record.kind {
        case .uid where forms != nil: try begin(object: record.uid.value)
        case .string: appendString(record)
        case .array, .set: try open(Frame(.elements, record, nil))
        case .dictionary: try open(Frame(.entries, record, nil))
        default: try scalar(record)
        }
    }

    /// Writes an object or its beginning.
    private mutating func begin(object: UInt32) throws(Failure) {
        if object < isReference.count, isReference[Int(object)] { return appendReference(object) }
        switch try form(of: object) {
        case .null, .nsNull: output.append(contentsOf: "null" as StaticString)
        case .plain(let node), .string(let node), .data(let node):
            let record = table[node]
            if record.kind == .string { appendString(record) } else { try scalar(record) }
        case .date(let seconds):
            let date = PropertyListDate(secondsSince2001: table[seconds].real.value)
            output.append(contentsOf: "\"\(date)\"".utf8)
        case .uuid(let bytes):
            output.append(UInt8(ascii: "\""))
            output += UUIDText.text(of: table.content(of: table[bytes]))
            output.append(UInt8(ascii: "\""))
        case .url(let base, let relative): try url(base, relative)
        case .array(let elements), .set(let elements), .orderedSet(let elements):
            try open(Frame(elements, object))
        case .dictionary(let keys, let values): try open(Frame(keys: keys, values, object))
        case .object(let fields, let description):
            try open(Frame(.fields, table[fields], object))
            output.append(contentsOf: "\"$class\":" as StaticString)
            if let name = forms?.className(description)?.record, name.kind == .string {
                appendString(name)
            } else {
                output.append(contentsOf: "null" as StaticString)
            }
            stack[stack.count &- 1].isFirst = false
        case .classDescription: appendReference(object)
        }
    }

    private mutating func appendReference(_ object: UInt32) {
        output.append(contentsOf: "{\"$ref\":\"@\(object)\"}".utf8)
    }

    private mutating func open(_ frame: Frame) throws(Failure) {
        do { try budget.enter(depth: stack.count + 1) } catch { throw Failure(error) }
        if frame.isArray {
            output.append(UInt8(ascii: "["))
        } else {
            output.append(UInt8(ascii: "{"))
        }
        if let object = frame.object { isReference[Int(object)] = true }
        stack.append(frame)
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

    private mutating func scalar(_ record: NodeRecord) throws(Failure) {
        do { try Self.scalars.append(record, of: table, to: &output) } catch {
            throw Failure(error)
        }
    }

    private mutating func appendString(_ record: NodeRecord) {
        output.append(UInt8(ascii: "\""))
        JSONScalarWriter.appendEscaped(record, of: table, to: &output)
        output.append(UInt8(ascii: "\""))
    }

    /// Writes the key of an entry. A key that refers to an object other than a string or a plain
    /// value is written as a path, such as `@12`. Any other key that is neither text nor an integer
    /// is written as its kind in parentheses.
    private mutating func appendKey(_ node: UInt32) throws(Failure) {
        output.append(UInt8(ascii: "\""))
        try appendKeyText(table[node])
        output.append(contentsOf: "\":" as StaticString)
    }

    private mutating func appendKeyText(_ record: NodeRecord) throws(Failure) {
        var key = record
        if key.kind == .uid, forms != nil {
            switch try form(of: record.uid.value) {
            case .plain(let leaf), .string(let leaf): key = table[leaf]
            default:
                output.append(contentsOf: "@\(record.uid.value)".utf8)
                return
            }
        }
        switch key.kind {
        case .string: JSONScalarWriter.appendEscaped(key, of: table, to: &output)
        case .integer: output.append(contentsOf: key.integer.description.utf8)
        default: output.append(contentsOf: "(\(key.kind))".utf8)
        }
    }

    // MARK: URLs

    /// Writes a URL as its text, or a relative URL as both of its parts.
    private mutating func url(_ base: UInt32, _ relative: UInt32) throws(Failure) {
        if try isNull(base) { return try part(relative) }
        output.append(contentsOf: "{\"base\":" as StaticString)
        try part(base)
        output.append(contentsOf: ",\"relative\":" as StaticString)
        try part(relative)
        output.append(UInt8(ascii: "}"))
    }

    /// Writes the text of a part of a URL. A part that is neither text nor a URL without a base is
    /// written as a reference.
    private mutating func part(_ node: UInt32) throws(Failure) {
        try charge()
        let object = table[node].uid.value
        var text = object
        if case .url(let base, let relative) = try form(of: object), try isNull(base) {
            text = table[relative].uid.value
        }
        switch try form(of: text) {
        case .plain(let leaf), .string(let leaf):
            if table[leaf].kind == .string { return appendString(table[leaf]) }
        default: break
        }
        appendReference(object)
    }

    private mutating func isNull(_ node: UInt32) throws(Failure) -> Bool {
        if case .null = try form(of: table[node].uid.value) { true } else { false }
    }
}

/// The text of a UUID.
enum UUIDText {
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Returns the 32 digits of the bytes, with hyphens.
    static func text(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}

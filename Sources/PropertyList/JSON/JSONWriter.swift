// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The writer of JSON. It traverses a document and writes each value. The typed mapping uses the
/// forms of ``JSONForm``.
struct JSONWriter: ~Copyable {
    private struct Frame {
        let isObject: Bool
        /// A Boolean value that is true if the entries of a dictionary are written as two-element
        /// arrays.
        let isPairs: Bool
        /// A Boolean value that is true if the container is wrapped in an object that names its
        /// kind.
        let isWrapped: Bool
        /// The number of nested containers in the output around each value of the container.
        let depth: Int
        var count = 0
    }

    private let document: PropertyListDocument
    private let store: NodeStore
    private let options: JSONPropertyList.Options
    private var budget: OperationBudget
    private var walk: DocumentWalk
    private var frames: [Frame] = []
    private var output: [UInt8] = []

    init(
        _ document: PropertyListDocument, _ options: JSONPropertyList.Options,
        _ limits: ParsingLimits
    ) {
        self.document = document
        self.options = options
        store = document.storage.store
        budget = document.budget(limits)
        walk = DocumentWalk(document.root, sortsKeys: options.sortsKeys)
        output.reserveCapacity(store.bytes.count)
    }

    mutating func write() throws(PropertyListError) -> [UInt8] {
        while let step = try walk.next(&budget) {
            do { try append(step) } catch { throw error.at(path: walk.path()) }
            try budget.checkOutput(size: output.count)
        }
        output.append(0x0A)
        return output
    }

    // MARK: Steps

    private mutating func append(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            beginChild()
            if let key { try append(key: store.records[Int(key)], key) }
            try append(store.records[Int(node)], node)
            if !store.records[Int(node)].isContainer { endChild() }
        case .leave: leave()
        }
    }

    private mutating func append(
        key record: NodeRecord, _ node: UInt32
    ) throws(PropertyListError) {
        if frames.last?.isPairs == true {
            // Only salvaged dictionaries have containers as keys.
            if record.isContainer {
                throw JSONScalarWriter.error(
                    "expected a scalar as a dictionary key, found a value of kind \(record.kind)")
            }
            output.append(UInt8(ascii: "["))
            try append(record, node)
            return append(options.layout == .indented ? ", " : ",")
        }
        guard record.kind == .string else {
            throw JSONScalarWriter.error(record.kind.keyMismatch)
        }
        append(text: record)
        append(options.layout == .indented ? "\": " : "\":")
    }

    /// Appends a quote and the escaped text, but not the closing quote.
    private mutating func append(text record: NodeRecord) {
        output.append(UInt8(ascii: "\""))
        JSONScalarWriter.appendEscaped(record, store, to: &output)
    }

    private mutating func append(_ record: NodeRecord, _ node: UInt32) throws(PropertyListError) {
        switch record.kind {
        case .string:
            append(text: record)
            output.append(UInt8(ascii: "\""))
        case .dictionary:
            let isPairs = options.mapping == .typed && !hasStringKeys(record)
            try open(
                .dictionary, wrapping: isPairs ? .pairs : isLikeForm(record) ? .dictionary : nil)
        case .array: try open(.array, wrapping: nil)
        case .set:
            if options.mapping == .strict { throw JSONScalarWriter.refusal("set") }
            try open(.set, wrapping: options.mapping == .typed ? .set : nil)
        default: try appendScalar(node)
        }
    }

    private mutating func appendScalar(_ node: UInt32) throws(PropertyListError) {
        let start = output.count
        try JSONScalarWriter(options: options).append(document.node(node), to: &output)
        if output[start] == UInt8(ascii: "{") { try budget.enter(depth: depth &+ 1) }
    }

    /// Returns whether a parser of typed JSON would mistake the dictionary for a form.
    private func isLikeForm(_ record: NodeRecord) -> Bool {
        options.mapping == .typed && record.count == 1
            && JSONForm(
                store.records[Int(store.children[record.keyRange.lowerBound])], store) != nil
    }

    private func hasStringKeys(_ record: NodeRecord) -> Bool {
        store.children[record.keyRange].allSatisfy {
            store.records[Int($0)].kind == .string
        }
    }

    // MARK: Containers

    /// The number of nested containers in the output around the next value.
    private var depth: Int { frames.last?.depth ?? 0 }

    /// Opens a container. A form adds one level to the output, and pairs add another.
    private mutating func open(
        _ kind: PropertyListKind, wrapping form: JSONForm?
    ) throws(PropertyListError) {
        let inside = depth &+ (form == nil ? 1 : form == .pairs ? 3 : 2)
        try budget.enter(depth: inside)
        if let form {
            output.append(UInt8(ascii: "{"))
            output.append(contentsOf: JSONScalarWriter.key(form, options).utf8)
        }
        let isObject = kind == .dictionary && form != .pairs
        output.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        frames.append(
            Frame(
                isObject: isObject, isPairs: form == .pairs, isWrapped: form != nil, depth: inside))
    }

    private mutating func leave() {
        guard let frame = frames.popLast() else { return }
        if frame.count > 0 { appendLineStart() }
        output.append(frame.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        if frame.isWrapped { output.append(UInt8(ascii: "}")) }
        endChild()
    }

    private mutating func beginChild() {
        guard let frame = frames.last else { return }
        if frame.count > 0 { output.append(UInt8(ascii: ",")) }
        frames[frames.count - 1].count += 1
        appendLineStart()
    }

    private mutating func endChild() {
        if frames.last?.isPairs == true { output.append(UInt8(ascii: "]")) }
    }

    private mutating func appendLineStart() {
        guard options.layout == .indented else { return }
        output.append(0x0A)
        for _ in frames { append("  ") }
    }

    private mutating func append(_ text: StaticString) { output.append(contentsOf: text) }
}

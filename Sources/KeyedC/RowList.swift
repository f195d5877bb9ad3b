// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import CKeyed
@_spi(Tables) internal import PropertyList
internal import PropertyListTools

/// The rows of a value, for `keyed_rows`.
struct RowList {
    private struct Row {
        var path = 0
        var key: Int?
        var index = -1
        var kind = 0
        var className: Int?
        var json: Int?
        var node: PropertyListNode
        var level = 0
        var object: UInt32?
        /// The range in `texts` of the text or data of a scalar.
        var content: Range<Int>?
    }

    /// A value that has not been listed yet.
    private struct Pending {
        let node: PropertyListNode
        let path: [PropertyListKeyPath.Step]
        let key: String?
        let index: Int
    }

    private var rows: [Row] = []
    private var texts = Appendix()
    private var walk: ObjectWalk
    private var seen: Set<UInt32> = []
    private var budget: OperationBudget.Account
    private let limits: ParsingLimits

    /// The values to list.
    enum Scope { case itself, children, everything }

    init(_ handle: DocumentHandle, _ start: PropertyListNode, _ scope: Scope) throws(Failure) {
        walk = ObjectWalk(handle)
        limits = handle.limits
        budget = handle.document.budget(handle.limits).account
        let whole = Pending(node: start, path: [], key: nil, index: -1)
        switch scope {
        case .itself: try addWithJSON([whole])
        case .children: try addWithJSON(children(of: walk.entered(start), []))
        case .everything:
            var pending = [whole]
            while let next = pending.popLast() {
                if let value = try add(next, isRecursive: true) {
                    pending += try children(of: value, next.path).reversed()
                }
            }
        }
    }

    private mutating func charge(_ bytes: Int) throws(Failure) {
        var open = OperationBudget(limits: limits, continuing: budget)
        do {
            try open.visit()
            try open.charge(bytes: bytes)
        } catch { throw Failure(error) }
        budget = open.account
    }

    /// Adds a row.
    ///
    /// - Returns: The value, or nil if its children do not have to be listed.
    private mutating func add(
        _ pending: Pending, isRecursive: Bool
    ) throws(Failure) -> ResolvedValue? {
        let value = try walk.entered(pending.node)
        if pending.path.count > limits.depth {
            throw Failure(
                OperationBudget.depthExceeded(pending.path.count, limit: limits.depth))
        }
        var row = Row(node: value.node)
        let path = PropertyListKeyPath(pending.path).description
        try charge(path.utf8.count)
        row.path = texts.add(path)
        row.key = pending.key.map { texts.add($0) }
        row.index = pending.index
        row.level = pending.path.count
        row.object = value.object
        var isNew = true
        if let object = value.object, isContainer(value) { isNew = seen.insert(object).inserted }
        let isReference = !isNew && isRecursive
        row.kind = texts.add(isReference ? "reference" : value.kind)
        if let description = value.description,
            let name = walk.forms?.className(description)?.string
        {
            try charge(name.utf8.count)
            row.className = texts.add(name)
        }
        if !isContainer(value) { try addContent(of: value, to: &row) }
        rows.append(row)
        return isContainer(value) && !isReference ? value : nil
    }

    /// Adds a row for each value, with the containers as JSON.
    private mutating func addWithJSON(_ list: [Pending]) throws(Failure) {
        var containers: [(row: Int, node: UInt32)] = []
        for pending in list where try add(pending, isRecursive: false) != nil {
            containers.append((rows.count - 1, pending.node.index))
        }
        if containers.isEmpty { return }
        // One writer, and one budget, for all rows.
        var writer = ObjectJSON(walk.handle)
        for container in containers {
            writer.restart()
            try writer.append(container.node)
            try charge(writer.output.count)
            rows[container.row].json = texts.add(writer.output)
        }
    }

    private func isContainer(_ value: ResolvedValue) -> Bool {
        if case .none = value.children { false } else { true }
    }

    private mutating func addContent(of value: ResolvedValue, to row: inout Row) throws(Failure) {
        let content: [UInt8]
        if value.kind == "uuid" {
            content = UUIDText.text(of: value.node.data ?? [])
        } else if value.kind == "date" {
            let seconds = value.node.real?.value ?? value.node.date?.secondsSince2001 ?? 0
            content = Array(PropertyListDate(secondsSince2001: seconds).description.utf8)
        } else if let text = value.node.string {
            content = Array(text.utf8)
        } else if let data = value.node.data {
            content = Array(data)
        } else {
            return
        }
        try charge(content.count)
        let start = texts.add(content)
        row.content = start..<(start + content.count)
    }

    private mutating func children(
        of value: ResolvedValue, _ path: [PropertyListKeyPath.Step]
    ) throws(Failure) -> [Pending] {
        var list: [Pending] = []
        switch value.children {
        case .none: break
        case .elements(let elements):
            for (index, node) in elements.enumerated() {
                list.append(
                    Pending(node: node, path: path + [.index(index)], key: nil, index: index))
            }
        case .pairs(let keys, let values):
            for (index, key) in keys.enumerated() {
                let text = try walk.keyText(key) ?? "@\(key.uid?.value ?? 0)"
                list.append(
                    Pending(node: values[index], path: path + [.key(text)], key: text, index: -1))
            }
        case .fields(let fields, let hasClass):
            for entry in fields where !hasClass || !entry.keyNode.isString("$class") {
                let key = entry.key
                list.append(
                    Pending(node: entry.value, path: path + [.key(key)], key: key, index: -1))
            }
        }
        return list
    }

    /// Returns a new block, which the caller must free.
    func block() -> UnsafeMutablePointer<keyed_rows> {
        let rowsStart = unsafe MemoryLayout<keyed_rows>.stride
        let textsStart = unsafe rowsStart + MemoryLayout<keyed_row>.stride * rows.count
        let block = unsafe Block.allocate(size: textsStart + texts.bytes.count)
        unsafe texts.copy(to: block + textsStart)
        // SAFETY: each part begins where the one before it ends, and has the alignment of its type.
        let text = unsafe UnsafePointer((block + textsStart).assumingMemoryBound(to: CChar.self))
        let place = unsafe (block + rowsStart).bindMemory(to: keyed_row.self, capacity: rows.count)
        for (index, row) in rows.enumerated() {
            unsafe (place + index).initialize(to: Self.form(row, text))
        }
        let result = unsafe block.bindMemory(to: keyed_rows.self, capacity: 1)
        unsafe result.initialize(to: keyed_rows(rows: UnsafePointer(place), count: rows.count))
        return unsafe result
    }

    private static func form(_ row: Row, _ text: UnsafePointer<CChar>) -> keyed_row {
        var value = unsafe keyed_value()
        let record = row.node.record
        unsafe value.kind = record.kind.rawValue
        unsafe value.offset = UInt32(clamping: row.node.sourceOffset ?? 0)
        if let content = row.content {
            unsafe value.count = UInt32(clamping: content.count)
            unsafe value.encoding = UInt8(KEYED_UTF8)
            unsafe value.u.bytes = UnsafeRawPointer(text + content.lowerBound)
                .assumingMemoryBound(to: UInt8.self)
        } else if !record.isContainer {
            unsafe value.is_negative = record.isNegative ? 1 : 0
            unsafe value.u.natural = record.payload
        }
        var result = unsafe keyed_row()
        unsafe result.path = text + row.path
        unsafe result.key = row.key.map { unsafe text + $0 }
        unsafe result.index = Int64(row.index)
        unsafe result.kind = text + row.kind
        unsafe result.class_name = row.className.map { unsafe text + $0 }
        unsafe result.json = row.json.map { unsafe text + $0 }
        unsafe result.value = UInt32(truncatingIfNeeded: row.node.number)
        unsafe result.level = UInt32(clamping: row.level)
        unsafe result.object = row.object.map { Int64($0) } ?? -1
        unsafe result.offset = Int64(row.node.sourceOffset ?? -1)
        unsafe result.scalar = value
        return unsafe result
    }
}

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
        /// A Boolean value indicating whether the value is null. The node alone does not show that:
        /// an archive stores null as the string `$null` or as an object of the class `NSNull`.
        var isNull: Bool
        var level = 0
        var object: UInt32?
        /// The range in `texts` of the text or data of a scalar.
        var content: Range<Int>?
    }

    /// A child of a container.
    private struct Child {
        let node: PropertyListNode
        let step: PropertyListKeyPath.Step
        var key: String?
        var index = -1
    }

    /// A container whose children are being listed. The children are created one by one. Creating
    /// all children of a hostile container would take a lot of memory before the budget is charged
    /// for any row.
    private struct Level {
        let children: ResolvedValue.Children
        /// A Boolean value indicating whether a path for `keyed_find` begins with a key of this
        /// container.
        var isStart = false
        /// The index of the next child.
        var position = 0
        /// The texts of the keys of an `NSDictionary` before that child.
        var keyTexts: Set<ExactText> = []
    }

    private var rows: [Row] = []
    private var texts = Appendix()
    private var resolver: ValueResolver
    private var seen: Set<UInt32> = []
    /// The path of the next row.
    private var path: [PropertyListKeyPath.Step] = []
    private var budget: OperationBudget.Account
    private let limits: ParsingLimits
    /// A Boolean value indicating whether paths for `keyed_find` begin at the listed value.
    private let isStart: Bool

    /// The values to list.
    enum Scope { case itself, children, everything }

    init(_ handle: DocumentHandle, _ start: PropertyListNode, _ scope: Scope) throws(Failure) {
        resolver = ValueResolver(handle)
        limits = handle.limits
        budget = handle.document.budget(handle.limits).account
        isStart = start.isIdentical(to: ValueResolver.start(of: handle))
        switch scope {
        case .itself: if try add(start) != nil { try addJSON(to: [0]) }
        case .children: try addChildren(of: resolver.resolveEntry(start))
        case .everything:
            if let value = try add(start, isRecursive: true) { try addDescendants(of: value) }
        }
    }

    /// Adds a row for each child of a value, with the containers as JSON.
    private mutating func addChildren(of value: ResolvedValue) throws(Failure) {
        var level = Level(children: value.children, isStart: isStart)
        var containers: [Int] = []
        while let child = try next(in: &level) {
            path = [child.step]
            if try add(child.node, child.key, child.index) != nil {
                containers.append(rows.count - 1)
            }
        }
        try addJSON(to: containers)
    }

    /// Adds a row for each descendant of a value.
    private mutating func addDescendants(of value: ResolvedValue) throws(Failure) {
        var levels = [Level(children: value.children, isStart: isStart)]
        while let last = levels.indices.last {
            guard let child = try next(in: &levels[last]) else {
                levels.removeLast()
                continue
            }
            path.removeSubrange(last...)
            path.append(child.step)
            if let value = try add(child.node, child.key, child.index, isRecursive: true) {
                levels.append(Level(children: value.children))
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

    /// Adds a row for the value at the current path.
    ///
    /// - Returns: The value, or nil if its children do not have to be listed.
    private mutating func add(
        _ node: PropertyListNode, _ key: String? = nil, _ index: Int = -1, isRecursive: Bool = false
    ) throws(Failure) -> ResolvedValue? {
        let value = try resolver.resolveEntry(node)
        if path.count > limits.depth {
            throw Failure(OperationBudget.depthExceeded(path.count, limit: limits.depth))
        }
        var row = Row(node: value.node, isNull: value.kind == "null")
        let text = PropertyListKeyPath(path).description
        try charge(text.utf8.count + (key?.utf8.count ?? 0))
        row.path = texts.add(text)
        row.key = key.map { texts.add($0) }
        row.index = index
        row.level = path.count
        row.object = value.object
        var isNew = true
        if let object = value.object, isContainer(value) { isNew = seen.insert(object).inserted }
        let isReference = !isNew && isRecursive
        row.kind = texts.add(isReference ? "reference" : value.kind)
        if let description = value.description,
            let name = resolver.forms?.className(description)?.string
        {
            try charge(name.utf8.count)
            row.className = texts.add(name)
        }
        if !isContainer(value) { try addContent(of: value, to: &row) }
        rows.append(row)
        return isContainer(value) && !isReference ? value : nil
    }

    /// Adds the JSON of containers, given the indices of their rows.
    private mutating func addJSON(to containers: [Int]) throws(Failure) {
        if containers.isEmpty { return }
        // One writer, and one budget, for all rows.
        var writer = ObjectJSON(resolver.handle)
        for index in containers {
            writer.restart()
            try writer.append(rows[index].node.index, object: rows[index].object)
            try charge(writer.output.count)
            rows[index].json = texts.add(writer.output)
        }
    }

    private func isContainer(_ value: ResolvedValue) -> Bool {
        if case .none = value.children { false } else { true }
    }

    private mutating func addContent(of value: ResolvedValue, to row: inout Row) throws(Failure) {
        if row.isNull { return }
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

    /// Returns the next child of a container, or nil after the last one.
    private mutating func next(in level: inout Level) throws(Failure) -> Child? {
        defer { level.position += 1 }
        let position = level.position
        switch level.children {
        case .none: return nil
        case .elements(let elements):
            guard position < elements.count else { return nil }
            let element = resolver.child(elements.lowerBound + position)
            return Child(node: element, step: .index(position), index: position)
        case .pairs(let keys, let values):
            guard position < keys.count else { return nil }
            let key = resolver.child(keys.lowerBound + position)
            let text = try resolver.keyText(key)
            var isFirst = true
            if let text { isFirst = level.keyTexts.insert(ExactText(text)).inserted }
            return child(
                resolver.child(values.lowerBound + position), key, text, position,
                isFirst: isFirst, isStart: level.isStart)
        case .fields(let fields, let hasClass):
            while level.position < fields.count {
                let entry = fields[level.position]
                if !hasClass || !entry.keyNode.isString("$class") {
                    return child(
                        entry.value, entry.keyNode, entry.keyNode.string, level.position,
                        isFirst: true, isStart: level.isStart)
                }
                level.position += 1
            }
            return nil
        }
    }

    /// Returns the child of a dictionary at a position.
    ///
    /// The path of the child ends with the text of its key. It ends with the position instead in
    /// three cases: the key has no text; it repeats an earlier key; or it is the first step and the
    /// root of the property list has the same key, such as `$top`. In the last case, `keyed_find`
    /// would start at that root.
    private func child(
        _ node: PropertyListNode, _ key: PropertyListNode, _ text: String?, _ position: Int,
        isFirst: Bool, isStart: Bool
    ) -> Child {
        let step: PropertyListKeyPath.Step =
            if let text, isFirst, !(isStart && resolver.isArchiveKey(text)) {
                .key(text)
            } else {
                .index(position)
            }
        let name = text ?? key.uid.map { "@\($0.value)" } ?? "(\(key.kind))"
        return Child(node: node, step: step, key: name)
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
            unsafe (place + index).initialize(to: Self.row(row, text))
        }
        let result = unsafe block.bindMemory(to: keyed_rows.self, capacity: 1)
        unsafe result.initialize(to: keyed_rows(rows: UnsafePointer(place), count: rows.count))
        return unsafe result
    }

    private static func row(_ row: Row, _ text: UnsafePointer<CChar>) -> keyed_row {
        var value = unsafe keyed_value()
        let record = row.node.record
        unsafe value.kind = (row.isNull ? PropertyListKind.null : record.kind).rawValue
        unsafe value.offset = UInt32(clamping: row.node.sourceOffset ?? 0)
        if let content = row.content {
            unsafe value.count = UInt32(clamping: content.count)
            unsafe value.encoding = UInt8(KEYED_UTF8)
            unsafe value.u.bytes = UnsafeRawPointer(text + content.lowerBound)
                .assumingMemoryBound(to: UInt8.self)
        } else if !record.isContainer, !row.isNull {
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

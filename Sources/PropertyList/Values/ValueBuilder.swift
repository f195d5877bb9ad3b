// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A builder of a value tree from the steps of a traversal.
struct ValueBuilder {
    /// A container under construction.
    private struct Frame {
        /// The keys of the dictionary's shape, if they are cached.
        var keys: DictionaryKeys?
        /// The keys so far, if those of the shape are not cached.
        var texts: [String] = []
        var values: [PropertyListValue] = []
    }

    private let storage: PropertyListDocument.Storage
    private let store: NodeStore
    // False for text formats, which cannot share containers.
    private let sharesNodes: Bool
    var longContents = LongContents()
    private var recentKeys = RecentKeys()
    private var recentContainers = RecentContainers()
    // The innermost container; at first a frame for the root.
    private var top = Frame()
    private var outer: [Frame] = []

    init(_ storage: PropertyListDocument.Storage) {
        self.storage = storage
        store = storage.store
        sharesNodes = storage.format?.isText != true
    }

    var result: PropertyListValue { top.values.first ?? .null }

    /// Adds one of several adjacent leaves.
    @inline(__always)
    mutating func add(
        leafAt place: Int, _ leaves: DocumentWalk.Leaves
    ) throws(PropertyListError) {
        if leaves.haveKeys, top.keys == nil {
            try appendKey(store.children[place &- leaves.distanceOfKeys])
        }
        let node = store.children[place]
        top.values.append(try leaf(node, store.records[Int(node)]))
    }

    /// Takes one step of the traversal. Returns false at its end.
    ///
    /// If `isKept` is true, the memory of the built values is charged to the budget.
    mutating func takeStep(
        of walk: inout DocumentWalk, _ budget: inout OperationBudget, isKept: Bool
    ) throws(PropertyListError) -> Bool {
        guard let step = try walk.next(&budget) else { return false }
        if isKept { try charge(step, to: &budget) }
        do { try take(step) } catch { throw error.at(path: walk.path()) }
        return true
    }

    private func charge(
        _ step: DocumentWalk.Step, to budget: inout OperationBudget
    ) throws(PropertyListError) {
        guard case .enter(let node, _) = step else { return }
        let record = store.records[Int(node)]
        if !record.isContainer { return try budget.build(1, contents: contentSize(record)) }
        try budget.buildContainer(isEmpty: record.count == 0)
    }

    /// Charges the memory of leaves that are about to be added.
    func charge(
        _ leaves: DocumentWalk.Leaves, to budget: inout OperationBudget
    ) throws(PropertyListError) {
        var contents = 0
        for place in leaves.places {
            contents &+= contentSize(store.records[Int(store.children[place])])
        }
        try budget.build(leaves.places.count, contents: contents)
    }

    /// Returns the approximate memory, in bytes, that text or data takes in addition to the value:
    /// its size in the file plus overhead. Text in UTF-16 can take 1.5 times as much. Short
    /// contents are copied for each occurrence; shared long contents are not.
    private func contentSize(_ record: NodeRecord) -> Int {
        guard record.kind == .string || record.kind == .data else { return 0 }
        let count = store.contentRange(of: record).count
        // A `String` stores up to 15 bytes inline.
        let isInline = record.kind == .string && count <= 15
        return count == 0 || isInline || sharesNodes && count >= LongContents.shortest
            ? 0 : count &+ 32
    }

    private mutating func take(_ step: DocumentWalk.Step) throws(PropertyListError) {
        switch step {
        case .enter(let node, let key):
            if let key, top.keys == nil { try appendKey(key) }
            let record = store.records[Int(node)]
            if record.isContainer {
                outer.append(top)
                top = frame(for: record)
            } else {
                top.values.append(try leaf(node, record))
            }
        case .leave(let node):
            let value = try container(node)
            top = outer.removeLast()
            top.values.append(value)
        }
    }

    private func frame(for record: NodeRecord) -> Frame {
        var frame = Frame()
        // A small capacity, because the limits do not account for this memory.
        let count = min(record.count, 64)
        frame.values.reserveCapacity(count)
        if record.kind == .dictionary {
            frame.keys = recentKeys.keys(of: record.shape)
            if frame.keys == nil { frame.texts.reserveCapacity(count) }
        }
        return frame
    }

    /// Makes room for leaves that the limits allow.
    mutating func makeRoom(for count: Int) {
        // A non-empty container grows by itself.
        if top.values.isEmpty { top.values.reserveCapacity(count) }
    }

    private mutating func appendKey(_ key: UInt32) throws(PropertyListError) {
        let record = store.records[Int(key)]
        guard record.kind == .string else {
            throw PropertyListError(
                .unrepresentableValue, what: record.kind.keyMismatch,
                location: PropertyListNode(storage: storage, index: key).location)
        }
        top.texts.append(text(key, record))
    }

    /// Returns the container that has just been completed, or the one built earlier for the same
    /// node.
    private mutating func container(
        _ node: UInt32
    ) throws(PropertyListError) -> PropertyListValue {
        if !sharesNodes { return try container(store.records[Int(node)]) }
        if let known = recentContainers.value(of: node) { return known }
        let value = try container(store.records[Int(node)])
        recentContainers.insert(value, of: node)
        return value
    }

    private mutating func container(
        _ record: NodeRecord
    ) throws(PropertyListError) -> PropertyListValue {
        switch record.kind {
        case .set: return .set(PropertyListArray(top.values))
        case .dictionary: return .dictionary(try dictionary(record))
        default: return .array(PropertyListArray(top.values))
        }
    }

    private mutating func dictionary(
        _ record: NodeRecord
    ) throws(PropertyListError) -> PropertyListDictionary {
        if let keys = top.keys { return PropertyListDictionary(keys: keys, values: top.values) }
        if storage.leniencies.contains(.allDuplicateKeys) {
            try refuseDuplicates(top.texts)
        }
        let keys = makeKeys(top.texts, of: record)
        recentKeys.insert(keys, of: record.shape)
        return PropertyListDictionary(keys: keys, values: top.values)
    }

    private func refuseDuplicates(_ keys: [String]) throws(PropertyListError) {
        var known: Set<ExactText> = []
        for key in keys where !known.insert(ExactText(key)).inserted {
            throw PropertyListError(
                .unrepresentableValue,
                what: "the key `\(TerminalText.escaped(key))` occurs twice in a dictionary")
        }
    }

    private mutating func makeKeys(_ texts: [String], of record: NodeRecord) -> DictionaryKeys {
        if !sharesNodes { return DictionaryKeys(distinct: texts) }
        let first = record.keyRange.lowerBound
        return DictionaryKeys(distinct: texts) { index in
            longContents.keyHash(of: store.children[first &+ index], texts[index])
        }
    }

    private mutating func leaf(
        _ node: UInt32, _ record: NodeRecord
    ) throws(PropertyListError) -> PropertyListValue {
        switch record.kind {
        case .string: return .string(text(node, record))
        case .integer: return .integer(record.integer)
        case .boolean: return .boolean(record.payload != 0)
        case .real: return .real(record.real)
        case .data: return .data(bytes(node, record))
        case .date: return .date(record.date)
        case .uid: return .uid(record.uid)
        case .null: return .null
        case .array, .dictionary, .set, .unreadable:
            throw PropertyListError(
                .unrepresentableValue, what: "the value could not be read",
                location: PropertyListNode(storage: storage, index: node).location)
        }
    }

    private mutating func text(_ node: UInt32, _ record: NodeRecord) -> String {
        sharesNodes
            ? longContents.text(of: node, record, in: store) : store.string(of: record)
    }

    private mutating func bytes(_ node: UInt32, _ record: NodeRecord) -> [UInt8] {
        sharesNodes
            ? longContents.bytes(of: node, record, in: store) : Array(store.content(of: record))
    }
}

/// A cache of recently built containers, for further references to the same node.
///
/// A direct-mapped cache: each slot holds the last node that maps to the slot.
private struct RecentContainers {
    private static let count = 64

    private var slots: [(node: UInt32, value: PropertyListValue)] = []

    func value(of node: UInt32) -> PropertyListValue? {
        if slots.isEmpty { return nil }
        let slot = slots[Self.slot(of: node)]
        return slot.node == node ? slot.value : nil
    }

    mutating func insert(_ value: PropertyListValue, of node: UInt32) {
        if slots.isEmpty { slots = Array(repeating: (.max, .null), count: Self.count) }
        slots[Self.slot(of: node)] = (node, value)
    }

    private static func slot(of node: UInt32) -> Int {
        Int(truncatingIfNeeded: node) & (count &- 1)
    }
}

/// A cache of the keys of recently built dictionaries, by shape.
///
/// A direct-mapped cache: each slot holds the last shape that maps to the slot.
private struct RecentKeys {
    private struct Slot {
        var shape: UInt16 = 0
        var keys = DictionaryKeys()
    }

    private static let count = 64

    private var slots: [Slot] = []

    /// Returns the keys of a shape, or nil if they are not cached.
    func keys(of shape: UInt16) -> DictionaryKeys? {
        guard shape != 0, !slots.isEmpty else { return nil }
        let slot = slots[Self.slot(of: shape)]
        return slot.shape == shape ? slot.keys : nil
    }

    /// Caches the keys of a shape.
    mutating func insert(_ keys: DictionaryKeys, of shape: UInt16) {
        if shape == 0 { return }
        if slots.isEmpty { slots = Array(repeating: Slot(), count: Self.count) }
        slots[Self.slot(of: shape)] = Slot(shape: shape, keys: keys)
    }

    private static func slot(of shape: UInt16) -> Int { Int(shape) & (count &- 1) }
}

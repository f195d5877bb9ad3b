// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The objects of a binary property list: the values to write, their order and their numbers.
///
/// Objects are numbered depth first: a container before its children, and a dictionary's keys
/// before its values. The layout determines which values share an object:
/// - by value: equal leaves share one; containers keep the identity they have in the document;
/// - by identity: equal UIDs share one, and so do equal Booleans and nulls; all other values keep
///   the identity they have in the document;
/// - by identity, repeating: as by identity, but each further occurrence of a container, UID,
///   Boolean or null is listed again, even within a repeated container. References keep pointing
///   to the first copy.
struct ObjectList {
    /// The value of each object, in the order of the file.
    private(set) var order: [UInt32] = []
    /// For each value: the number of its object plus one, or 0 for none. A key may have none if its
    /// dictionary is not the model of its shape.
    private(set) var numbers: [UInt32]
    // By shape, in the numbering by value. The model of a shape is its first dictionary in the
    // list. The entry is the index of the model's first key plus one; 0 for none. Only the keys of
    // the model are certain to have numbers.
    private var models: [UInt32] = []

    private let store: NodeStore
    private let numbering: BinaryLayout.Numbering
    // By kind and payload of a UID, Boolean or null: the number of its first object plus one.
    private var singles: [UInt64: UInt32] = [:]
    // The remaining children of the open containers.
    private var frames: [Range<Int>] = []

    /// Lists everything reachable from the root of `document`. Linear, except for the repeating
    /// numbering, which the budget bounds.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`.
    init(
        _ document: PropertyListDocument, _ numbering: BinaryLayout.Numbering,
        _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        store = document.storage.store
        self.numbering = numbering
        numbers = []
        if numbering == .byValue {
            (order, numbers, models) = try Self.listByValue(document.storage, &budget)
            return
        }
        numbers.append(contentsOf: repeatElement(0, count: store.records.count))
        order.reserveCapacity(store.records.count)
        try number(document.storage.root, &budget)
        while let open = frames.popLast() { try numberChildren(open, &budget) }
    }

    /// Returns the range of a dictionary's keys in `store.children`. If the dictionary's shape has
    /// a model, returns the range of the model's keys, which are equal and certain to have numbers.
    @inline(__always)
    func keyRange(of record: NodeRecord) -> Range<Int> {
        let shape = Int(record.shape)
        guard shape < models.count, models[shape] != 0 else { return record.keyRange }
        let first = Int(models[shape] &- 1)
        return first..<(first &+ record.count)
    }

    /// Returns the order and the numbers of the objects in the numbering by value, and the models
    /// of the shapes. Lists the keys of only the first dictionary of each shape.
    ///
    /// Writes the order and the numbers through spans, because each write to an array would include
    /// a uniqueness check.
    private static func listByValue(
        _ document: PropertyListDocument.Storage, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (order: [UInt32], numbers: [UInt32], models: [UInt32]) {
        let (store, root) = (document.store, Int(document.root))
        let (records, children) = (store.records.span, store.children.span)
        var leaves = LeafNumbers(document)
        var (order, numbers): ([UInt32], [UInt32]) = ([], [])
        var models = [UInt32].repeated(0, count: document.shapeCount &+ 1)
        // The remaining children of the containers around the innermost open one.
        var frames: [Range<Int>] = []
        frames.reserveCapacity(8)
        try numbers.append(addingCapacity: records.count) { output throws(PropertyListError) in
            output.append(repeating: 0, count: records.count)
            var numbers = output.mutableSpan
            try order.append(addingCapacity: records.count) { order throws(PropertyListError) in
                order.append(document.root)
                numbers[root] = 1
                if records[root].isContainer { try budget.enter(depth: 1) }
                var open = Self.children(of: records[root], &models)
                while true {
                    guard let place = open.popFirst() else {
                        guard let outer = frames.popLast() else { return }
                        open = outer
                        continue
                    }
                    let node = Int(children[place])
                    if numbers[node] != 0 { continue }
                    let record = records[node]
                    if leaves.areShared, !record.isContainer,
                        leaves.assignSharedNumber(children[place], record, &numbers, store)
                    {
                        continue
                    }
                    order.append(children[place])
                    numbers[node] = UInt32(truncatingIfNeeded: order.count)
                    guard record.isContainer else { continue }
                    frames.append(open)
                    try budget.enter(depth: frames.count &+ 1)
                    open = Self.children(of: record, &models)
                }
            }
        }
        return (order, numbers, models)
    }

    /// Returns the indices of the children that a container adds to the list by value. A dictionary
    /// whose shape has a model adds no keys.
    @inline(__always)
    private static func children(of record: NodeRecord, _ models: inout [UInt32]) -> Range<Int> {
        guard record.kind == .dictionary, record.shape != 0 else {
            return record.isContainer ? record.childRange : 0..<0
        }
        if models[Int(record.shape)] != 0 { return record.valueRange }
        models[Int(record.shape)] = UInt32(truncatingIfNeeded: record.keyRange.lowerBound &+ 1)
        return record.childRange
    }

    /// The leaves that have been listed by value.
    private struct LeafNumbers {
        /// A Boolean value that is false if all leaves are known to be distinct, so each is an
        /// object of its own.
        let areShared: Bool
        private var leaves: DistinctLeaves
        // By key number: a node of the key plus one, or 0 for none.
        private var keys: [UInt32]

        init(_ document: PropertyListDocument.Storage) {
            areShared = !document.hasDistinctLeaves
            let count = document.store.records.count
            leaves = DistinctLeaves(capacity: areShared ? min(count, 1 << 16) : 0)
            keys = .repeated(0, count: areShared ? document.keys.count &+ 1 : 0)
        }

        /// Gives a leaf the number of an equal one. Returns false, and registers the leaf, if there
        /// is none.
        mutating func assignSharedNumber(
            _ node: UInt32, _ record: NodeRecord, _ numbers: inout MutableSpan<UInt32>,
            _ store: NodeStore
        ) -> Bool {
            let key = Int(record.keyNumber)
            if key != 0, keys[key] != 0 {
                numbers[Int(node)] = numbers[Int(keys[key] &- 1)]
                return true
            }
            if key != 0 { keys[key] = node &+ 1 }
            guard let same = leaves.node(of: record, next: node, in: store) else { return false }
            numbers[Int(node)] = numbers[Int(same)]
            return true
        }
    }

    /// Numbers the remaining children of an open container, up to the first child that is a
    /// container.
    private mutating func numberChildren(
        _ open: Range<Int>, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        let listsOnce = numbering != .byIdentityRepeating
        for place in open {
            let node = store.children[place]
            if listsOnce, numbers[Int(node)] != 0 { continue }
            let record = store.records[Int(node)]
            guard record.isContainer else {
                try numberLeafByIdentity(node, record, &budget)
                continue
            }
            frames.append((place &+ 1)..<open.upperBound)
            return try numberContainer(node, record, &budget)
        }
    }

    /// Creates a list in the given order, in which every value occurs once.
    init(
        _ store: NodeStore, order: [UInt32], _ numbering: BinaryLayout.Numbering
    ) {
        self.store = store
        self.order = order
        self.numbering = numbering
        numbers = [UInt32](repeating: 0, count: store.records.count)
        for (number, node) in order.enumerated() {
            numbers[Int(node)] = UInt32(truncatingIfNeeded: number &+ 1)
        }
    }

    /// Returns the object number of a listed value.
    func number(of node: UInt32) -> UInt64 { UInt64(numbers[Int(node)] &- 1) }

    private mutating func number(
        _ node: UInt32, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        let record = store.records[Int(node)]
        if record.isContainer { return try numberContainer(node, record, &budget) }
        try numberLeafByIdentity(node, record, &budget)
    }

    private mutating func numberContainer(
        _ node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        let isKnown = numbers[Int(node)] != 0
        if isKnown, numbering != .byIdentityRepeating { return }
        if isKnown { try budget.visit(1 &+ record.childRange.count) }
        append(node)
        try budget.enter(depth: frames.count &+ 1)
        frames.append(record.childRange)
    }

    /// Appends `node` to the list. The number of a repeated value is that of its first object.
    private mutating func append(_ node: UInt32) {
        order.append(node)
        if numbers[Int(node)] == 0 { numbers[Int(node)] = UInt32(truncatingIfNeeded: order.count) }
    }

    // MARK: By identity

    private mutating func numberLeafByIdentity(
        _ node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        let kind = record.kind
        guard kind == .uid || kind == .boolean || kind == .null else {
            if numbers[Int(node)] == 0 { append(node) }
            return
        }
        let identity = UInt64(kind.rawValue) << 32 | record.payload
        if let first = singles[identity] {
            numbers[Int(node)] = first
            guard numbering == .byIdentityRepeating else { return }
            try budget.visit()
            order.append(node)
        } else {
            append(node)
            singles[identity] = numbers[Int(node)]
        }
    }
}

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
///   Boolean or null is listed again, a container with its contents. References keep pointing to
///   the first copy.
struct ObjectList {
    /// The value of each object, in the order of the file.
    private(set) var order: [UInt32] = []
    /// For each value: the number of its object plus one, or 0 for none.
    private(set) var numbers: [UInt32]

    private let store: NodeStore
    private let numbering: BinaryLayout.Numbering
    private var uniquer: ObjectUniquer
    // By key number: the number of its object plus one.
    private var keyNumbers: [UInt32]
    // By the value of a UID: the number of its object plus one. UIDs in an archive are small.
    private var uidNumbers: [UInt32] = []
    // By kind and payload of UIDs, Booleans and nulls.
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
        let isByValue = numbering == .byValue && !document.storage.hasDistinctLeaves
        uniquer = ObjectUniquer(capacity: isByValue ? min(store.records.count, 1 << 16) : 0)
        keyNumbers = [UInt32](repeating: 0, count: isByValue ? document.storage.keys.count + 1 : 0)
        numbers = []
        if numbering == .byValue, document.storage.hasDistinctLeaves {
            (order, numbers) = try Self.listDistinct(document.storage.root, store, &budget)
            return
        }
        numbers.append(contentsOf: repeatElement(0, count: store.records.count))
        order.reserveCapacity(isByValue ? 0 : store.records.count)
        try number(document.storage.root, &budget)
        while let open = frames.popLast() { try numberChildren(open, &budget) }
    }

    /// Returns the lists for a document whose leaves are known to be distinct, so that each is an
    /// object of its own. The lists are spans, because each change of an array checks for other
    /// owners.
    private static func listDistinct(
        _ root: UInt32, _ store: NodeStore, _ budget: inout OperationBudget
    ) throws(PropertyListError) -> (order: [UInt32], numbers: [UInt32]) {
        let (records, children) = (store.records.span, store.children.span)
        var (order, numbers): ([UInt32], [UInt32]) = ([], [])
        // The remaining children of the containers around the innermost open one.
        var frames: [Range<Int>] = []
        frames.reserveCapacity(8)
        try numbers.append(addingCapacity: records.count) { output throws(PropertyListError) in
            output.append(repeating: 0, count: records.count)
            var numbers = output.mutableSpan
            try order.append(addingCapacity: records.count) { order throws(PropertyListError) in
                order.append(root)
                numbers[Int(root)] = 1
                try budget.enter(depth: 1)
                var open = records[Int(root)].isContainer ? records[Int(root)].childRange : 0..<0
                while true {
                    guard let place = open.popFirst() else {
                        guard let outer = frames.popLast() else { return }
                        open = outer
                        continue
                    }
                    let node = Int(children[place])
                    if numbers[node] != 0 { continue }
                    order.append(children[place])
                    numbers[node] = UInt32(truncatingIfNeeded: order.count)
                    guard records[node].isContainer else { continue }
                    frames.append(open)
                    try budget.enter(depth: frames.count &+ 1)
                    open = records[node].childRange
                }
            }
        }
        return (order, numbers)
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
                try numberLeaf(node, record, &budget)
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
        uniquer = ObjectUniquer(capacity: 0)
        keyNumbers = []
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
        try numberLeaf(node, record, &budget)
    }

    @inline(__always)
    private mutating func numberLeaf(
        _ node: UInt32, _ record: NodeRecord, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        switch numbering {
        case .byValue:
            if numbers[Int(node)] != 0 { return }
            numberLeafByValue(node, record)
        case .byIdentity, .byIdentityRepeating: try numberLeafByIdentity(node, record, &budget)
        }
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

    // MARK: By value

    /// Assigns an object to a leaf that has no number yet.
    private mutating func numberLeafByValue(_ node: UInt32, _ record: NodeRecord) {
        if record.kind == .uid, record.payload < UInt64(numbers.count) {
            return numberUID(node, Int(truncatingIfNeeded: record.payload))
        }
        let key = Int(record.keyNumber)
        if key != 0, keyNumbers[key] != 0 {
            numbers[Int(node)] = keyNumbers[key]
            return
        }
        let next = UInt32(truncatingIfNeeded: order.count)
        if let known = uniquer.number(of: node, record, next: next, in: store) {
            numbers[Int(node)] = known &+ 1
        } else {
            append(node)
        }
        if key != 0 { keyNumbers[key] = numbers[Int(node)] }
    }

    private mutating func numberUID(_ node: UInt32, _ value: Int) {
        if value >= uidNumbers.count {
            let count = min(numbers.count, max(value &+ 1, uidNumbers.count &* 2, 64))
            uidNumbers += [UInt32](repeating: 0, count: count &- uidNumbers.count)
        }
        if uidNumbers[value] != 0 {
            numbers[Int(node)] = uidNumbers[value]
        } else {
            append(node)
            uidNumbers[value] = numbers[Int(node)]
        }
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

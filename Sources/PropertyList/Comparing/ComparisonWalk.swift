// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Goes through two documents side by side, into the containers that both have and that differ.
struct ComparisonWalk {
    /// Two values in the same place.
    private struct Pair {
        let old: UInt32
        let new: UInt32
        let place: PathTree.Place
    }

    private(set) var differences: [PropertyListDifference] = []
    /// The differences in one container each.
    private(set) var groups: [Range<Int>] = []
    private let old: Side
    private let new: Side
    private let options: PropertyListComparison.Options
    private var paths = PathTree()
    private var budget: ParsingBudget
    private var pending: [Pair] = []
    // Pairs of objects that have been compared, or are being compared.
    private var visited: Set<UInt64> = []
    // The children that differ in the container at hand, to be looked into when it is done.
    private var inner: [Pair] = []

    init(
        _ old: PropertyListDocument, _ new: PropertyListDocument,
        _ options: PropertyListComparison.Options, _ limits: ParsingLimits
    ) {
        self.options = options
        var classes = EqualityClasses(isOrdered: options.isOrdered)
        if options.followsReferences {
            (self.old, self.new) = Side.graphs(old, new, &classes)
        } else {
            self.old = Side(old, classes.add(old), isGraph: false)
            self.new = Side(new, classes.add(new), isGraph: false)
        }
        budget = ParsingBudget(
            limits: limits, nodeCount: old.nodeCount + new.nodeCount,
            size: old.byteCount + new.byteCount)
    }

    /// Compares the roots and all they hold.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func run() throws(PropertyListError) {
        try compareRoots()
        closeGroup(from: 0)
        while let pair = pending.popLast() {
            let start = differences.count
            try descend(pair)
            closeGroup(from: start)
        }
    }

    /// Of archives that are compared as graphs, what they lead to: the numbers of objects differ.
    private mutating func compareRoots() throws(PropertyListError) {
        if options.followsReferences, let first = old.document.root["$top"],
            let second = new.document.root["$top"]
        {
            return try compare(first.index, second.index, paths.add(.key("$top"), to: .root))
        }
        try compare(old.document.root.index, new.document.root.index, .root)
    }

    private mutating func closeGroup(from start: Int) {
        if differences.count > start { groups.append(start..<differences.count) }
        pending += inner.reversed()
        inner = []
    }

    // MARK: One value

    /// Compares two values in one place: notes them, or puts them off where both hold others.
    private mutating func compare(
        _ first: UInt32, _ second: UInt32, _ place: PathTree.Place
    ) throws(PropertyListError) {
        let (first, second) = (old.followed(first), new.followed(second))
        if !options.followsReferences, old.classes[Int(first)] == new.classes[Int(second)] {
            return
        }
        let (left, right) = (old.record(first), new.record(second))
        if left.isContainer, left.kind == right.kind {
            if options.followsReferences {
                guard visited.insert(UInt64(first) << 32 | UInt64(second)).inserted else { return }
            }
            inner.append(Pair(old: first, new: second, place: place))
        } else if old.classes[Int(first)] != new.classes[Int(second)] {
            try note(first, second, place)
        }
    }

    private mutating func note(
        _ first: UInt32?, _ second: UInt32?, _ place: PathTree.Place, previousKey: String? = nil
    ) throws(PropertyListError) {
        let path = paths.path(place.old)
        // Many differences far down have long ways in common.
        try budget.visit(path.steps.count / 64)
        differences.append(
            PropertyListDifference(
                path: path, newPath: paths.path(place.new),
                old: first.map(old.document.node), new: second.map(new.document.node),
                previousKey: previousKey))
    }

    // MARK: Containers

    private mutating func descend(_ pair: Pair) throws(PropertyListError) {
        let (left, right) = (old.record(pair.old), new.record(pair.new))
        try budget.visit(1 &+ Int(left.high) &+ Int(right.high))
        if left.kind == .dictionary {
            try compareEntries(pair, left, right)
        } else if left.kind == .set || options.followsReferences && isUnordered(pair) {
            try compareMembers(old.children(left), new.children(right), pair.place)
        } else {
            try compareElements(old.children(left), new.children(right), pair.place)
        }
    }

    private mutating func compareEntries(
        _ pair: Pair, _ left: NodeRecord, _ right: NodeRecord
    ) throws(PropertyListError) {
        let before = (differences.count, inner.count)
        let first = Entries(old, left)
        let second = Entries(new, right)
        for entry in first.list {
            if let other = second.values[entry.keyClass] {
                try compare(entry.value, other, place(pair, entry.key))
            } else {
                try note(entry.value, nil, place(pair, entry.key))
            }
        }
        var previous: String?
        for entry in second.list {
            if first.values[entry.keyClass] == nil {
                try note(nil, entry.value, place(pair, entry.key), previousKey: previous)
            }
            previous = entry.key
        }
        if options.isOrdered, before == (differences.count, inner.count) {
            // Nothing differs but the order.
            try note(pair.old, pair.new, pair.place)
        }
    }

    private mutating func place(_ pair: Pair, _ key: String) -> PathTree.Place {
        paths.add(.key(key), to: pair.place)
    }

    private mutating func compareElements(
        _ first: [UInt32], _ second: [UInt32], _ place: PathTree.Place
    ) throws(PropertyListError) {
        let oldClasses = first.map { old.classes[Int($0)] }
        let newClasses = second.map { new.classes[Int($0)] }
        let hunks = Alignment.hunks(oldClasses, newClasses)
        if options.followsReferences {
            try compareEqual(first, second, outside: hunks, place)
        }
        for hunk in hunks {
            let common = min(hunk.old.count, hunk.new.count)
            for step in 0..<max(hunk.old.count, hunk.new.count) {
                let oldIndex = hunk.old.lowerBound + min(step, hunk.old.count)
                let newIndex = hunk.new.lowerBound + min(step, hunk.new.count)
                let here = paths.add(oldIndex, newIndex, to: place)
                if step < common {
                    try compare(first[oldIndex], second[newIndex], here)
                } else if step < hunk.old.count {
                    try note(first[oldIndex], nil, here)
                } else {
                    try note(nil, second[newIndex], here)
                }
            }
        }
    }

    /// The classes of a graph tell what is probably equal; whether it is shows further down.
    private mutating func compareEqual(
        _ first: [UInt32], _ second: [UInt32], outside hunks: [Alignment.Hunk],
        _ place: PathTree.Place
    ) throws(PropertyListError) {
        var (oldIndex, newIndex) = (0, 0)
        for hunk in hunks + [.init(old: first.count..<first.count, new: 0..<0)] {
            while oldIndex < hunk.old.lowerBound, newIndex < second.count {
                let here = paths.add(oldIndex, newIndex, to: place)
                try compare(first[oldIndex], second[newIndex], here)
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
            (oldIndex, newIndex) = (hunk.old.upperBound, hunk.new.upperBound)
        }
    }

    /// Compares the members of sets: those that are equal are left out, the others are told.
    private mutating func compareMembers(
        _ first: [UInt32], _ second: [UInt32], _ place: PathTree.Place
    ) throws(PropertyListError) {
        var rest: [UInt32: Int] = [:]
        for node in second { rest[new.classes[Int(node)], default: 0] += 1 }
        for (index, node) in first.enumerated() {
            let number = old.classes[Int(node)]
            if let count = rest[number], count > 0 {
                rest[number] = count - 1
            } else {
                try note(node, nil, paths.add(index, index, to: place))
            }
        }
        var kept: [UInt32: Int] = [:]
        for node in first { kept[old.classes[Int(node)], default: 0] += 1 }
        for (index, node) in second.enumerated() {
            let number = new.classes[Int(node)]
            if let count = kept[number], count > 0 {
                kept[number] = count - 1
            } else {
                try note(nil, node, paths.add(first.count, index, to: place))
            }
        }
    }

    /// Whether two arrays are the elements of archived sets, whose order means nothing.
    private func isUnordered(_ pair: Pair) -> Bool {
        old.unorderedArrays.contains(pair.old) && new.unorderedArrays.contains(pair.new)
    }
}

/// One of two documents that are compared.
private struct Side {
    let document: PropertyListDocument
    let classes: [UInt32]
    let isGraph: Bool
    let unorderedArrays: Set<UInt32>
    private let store: NodeStore

    init(_ document: PropertyListDocument, _ classes: [UInt32], isGraph: Bool) {
        self.document = document
        self.classes = classes
        self.isGraph = isGraph
        store = document.storage.store
        unorderedArrays = isGraph ? Self.setArrays(document) : []
    }

    func record(_ node: UInt32) -> NodeRecord { store.records[Int(node)] }

    func children(_ record: NodeRecord) -> [UInt32] { Array(store.children[record.childRange]) }

    /// The object that a UID refers to.
    func followed(_ node: UInt32) -> UInt32 {
        guard isGraph, store.records[Int(node)].kind == .uid else { return node }
        let number = UInt32(truncatingIfNeeded: store.records[Int(node)].payload)
        return document.archivedObject(number)?.index ?? node
    }

    // Classes of objects are found by what they hold, then by what those hold, and so on so often:
    // two that are told apart only further away are told apart by the walk itself.
    private static let rounds = 4

    /// Both sides of a comparison of graphs.
    static func graphs(
        _ old: PropertyListDocument, _ new: PropertyListDocument, _ classes: inout EqualityClasses
    ) -> (Side, Side) {
        var targets: (old: [UInt32], new: [UInt32]) = ([], [])
        var numbers: (old: [UInt32], new: [UInt32]) = ([], [])
        for _ in 0..<rounds {
            numbers = (
                classes.add(old, targets: targets.old), classes.add(new, targets: targets.new)
            )
            targets = (objects(of: old, numbers.old), objects(of: new, numbers.new))
        }
        return (Side(old, numbers.old, isGraph: true), Side(new, numbers.new, isGraph: true))
    }

    private static func objects(
        of document: PropertyListDocument, _ classes: [UInt32]
    ) -> [UInt32] {
        document.root["$objects"]?.array?.map { classes[Int($0.index)] } ?? []
    }

    /// The arrays of elements of archived sets.
    private static func setArrays(_ document: PropertyListDocument) -> Set<UInt32> {
        let objects = document.root["$objects"]?.array ?? document.root.childNodes
        let names = ["NSSet", "NSMutableSet", "NSCountedSet"]
        let arrays = objects.compactMap { object -> UInt32? in
            guard let number = object["$class"]?.uid?.value,
                let name = document.archivedObject(number)?["$classname"]?.string,
                names.contains(name), let elements = object["NS.objects"]
            else { return nil }
            return elements.index
        }
        return Set(arrays)
    }
}

/// The entries of a dictionary, for finding them by what their keys are in both documents.
private struct Entries {
    struct Entry {
        let keyClass: UInt32
        let key: String
        let value: UInt32
    }

    private(set) var list: [Entry] = []
    private(set) var values: [UInt32: UInt32] = [:]

    init(_ side: Side, _ record: NodeRecord) {
        let children = side.children(record)
        let count = Int(record.high)
        for number in 0..<count {
            let key = children[number]
            let entry = Entry(
                keyClass: side.classes[Int(key)],
                key: side.document.node(key).string ?? "", value: children[count + number])
            list.append(entry)
            if values[entry.keyClass] == nil { values[entry.keyClass] = entry.value }
        }
    }
}

/// The ways to values that are to be looked at, each a step from another.
struct PathTree {
    struct Node {
        let parent: Int?
        let step: PropertyListKeyPath.Step
    }

    /// The same place in two documents.
    struct Place {
        let old: Int?
        let new: Int?

        /// The root of both.
        static let root = Place(old: nil, new: nil)
    }

    private var nodes: [Node] = []

    /// The place under a key of a dictionary.
    mutating func add(_ step: PropertyListKeyPath.Step, to place: Place) -> Place {
        add(step, step, to: place)
    }

    /// The places of elements.
    mutating func add(_ old: Int, _ new: Int, to place: Place) -> Place {
        add(.index(old), .index(new), to: place)
    }

    private mutating func add(
        _ old: PropertyListKeyPath.Step, _ new: PropertyListKeyPath.Step, to place: Place
    ) -> Place {
        nodes.append(Node(parent: place.old, step: old))
        nodes.append(Node(parent: place.new, step: new))
        return Place(old: nodes.count - 2, new: nodes.count - 1)
    }

    /// The steps to a place.
    func path(_ place: Int?) -> PropertyListKeyPath {
        var steps: [PropertyListKeyPath.Step] = []
        var place = place
        while let number = place {
            steps.append(nodes[number].step)
            place = nodes[number].parent
        }
        return PropertyListKeyPath(steps.reversed())
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// Traverses two documents in parallel and descends into containers that are in both but differ.
struct ComparisonWalk {
    /// Two values in the same place.
    private struct Pair {
        let old: UInt32
        let new: UInt32
        let place: PathTree.Place
    }

    private static let none = PropertyListDifference.Record.none

    /// The differences, container by container from the root down.
    private(set) var records: [PropertyListDifference.Record] = []
    /// The ranges of `records` that belong to one container each.
    private(set) var groups: [Range<Int>] = []
    private let old: Side
    private let new: Side
    private let options: PropertyListComparison.Options
    private(set) var paths: PathTree
    private var pending: [Pair] = []
    // Pairs of objects whose comparison has begun or is done. Used only with graphs.
    private var visited: Set<UInt64> = []
    // The pairs of child containers of the current container that remain to be compared.
    private var inner: [Pair] = []

    init(
        _ old: PropertyListDocument, _ new: PropertyListDocument,
        _ options: PropertyListComparison.Options
    ) {
        self.options = options
        paths = PathTree([old, new])
        if options.followsReferences {
            (self.old, self.new) = Side.graphs(old, new, isOrdered: options.isOrdered)
        } else {
            var classes = EqualityClasses(isOrdered: options.isOrdered)
            self.old = Side(old, classes.add(old), isGraph: false)
            self.new = Side(new, classes.add(new), isGraph: false)
        }
    }

    var oldDocument: PropertyListDocument { old.document }
    var newDocument: PropertyListDocument { new.document }

    /// Compares the roots and everything below them.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func run(_ budget: inout OperationBudget) throws(PropertyListError) {
        compareRoots()
        closeGroup(from: 0)
        while let pair = pending.popLast() {
            let start = records.count
            try descend(pair, &budget)
            closeGroup(from: start)
        }
    }

    /// Compares the roots. For archives compared as graphs, starts at the objects under `$top`,
    /// because the numbers of equal objects may differ between archives.
    private mutating func compareRoots() {
        if options.followsReferences, let first = old.document.root.entry(ArchiveFormat.topKey),
            let second = new.document.root[ArchiveFormat.topKey]
        {
            let place = paths.add(key: first.keyNode.index, of: 0, to: .root)
            return compare(first.value.index, second.index, place)
        }
        compare(old.document.root.index, new.document.root.index, .root)
    }

    private mutating func closeGroup(from start: Int) {
        if records.count > start { groups.append(start..<records.count) }
        pending += inner.reversed()
        inner = []
    }

    // MARK: One value

    /// Compares two values at the same position. Records a difference, or defers the pair if both
    /// are containers of the same kind.
    private mutating func compare(
        _ first: UInt32, _ second: UInt32, _ place: PathTree.Place
    ) {
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
            note(first, second, place)
        }
    }

    private mutating func note(
        _ first: UInt32?, _ second: UInt32?, _ place: PathTree.Place, previousKey: UInt32? = nil
    ) {
        records.append(
            PropertyListDifference.Record(
                place: place, old: first ?? Self.none, new: second ?? Self.none,
                previousKey: previousKey ?? Self.none))
    }

    // MARK: Containers

    private mutating func descend(
        _ pair: Pair, _ budget: inout OperationBudget
    ) throws(PropertyListError) {
        let (left, right) = (old.record(pair.old), new.record(pair.new))
        try budget.visit(1 &+ left.count &+ right.count)
        if left.kind == .dictionary {
            compareEntries(pair, left, right)
        } else if left.kind == .set || options.followsReferences && isUnordered(pair) {
            compareMembers(old.children(left), new.children(right), pair.place)
        } else {
            compareElements(old.children(left), new.children(right), pair.place)
        }
    }

    private mutating func compareEntries(
        _ pair: Pair, _ left: NodeRecord, _ right: NodeRecord
    ) {
        let before = (records.count, inner.count)
        let first = Entries(old, left)
        let second = Entries(new, right)
        for (index, entry) in first.list.enumerated() {
            let counterpart = second.indices[entry.keyClass]
            let place = paths.add(
                entry: entry.key, of: 0, at: index, counterpart ?? index, to: pair.place)
            if let counterpart {
                compare(entry.value, second.list[counterpart].value, place)
            } else {
                note(entry.value, nil, place)
            }
        }
        var previous: UInt32?
        for (index, entry) in second.list.enumerated() {
            if first.indices[entry.keyClass] == nil {
                let place = paths.add(
                    entry: entry.key, of: 1, at: first.list.count, index, to: pair.place)
                note(nil, entry.value, place, previousKey: previous)
            }
            if new.record(entry.key).kind == .string { previous = entry.key }
        }
        // In graphs, `inner` also contains pairs that may be equal.
        let isOtherwiseEqual =
            before.0 == records.count && (options.followsReferences || before.1 == inner.count)
        if options.isOrdered, isOtherwiseEqual, first.keyOrder != second.keyOrder {
            note(pair.old, pair.new, pair.place)
        }
    }

    private mutating func compareElements(
        _ first: [UInt32], _ second: [UInt32], _ place: PathTree.Place
    ) {
        let oldClasses = first.map { old.classes[Int($0)] }
        let newClasses = second.map { new.classes[Int($0)] }
        let hunks = Alignment.hunks(oldClasses, newClasses)
        if options.followsReferences {
            compareEqual(first, second, outside: hunks, place)
        }
        for hunk in hunks {
            let common = min(hunk.old.count, hunk.new.count)
            for step in 0..<max(hunk.old.count, hunk.new.count) {
                let oldIndex = hunk.old.lowerBound + min(step, hunk.old.count)
                let newIndex = hunk.new.lowerBound + min(step, hunk.new.count)
                let here = paths.add(oldIndex, newIndex, to: place)
                if step < common {
                    compare(first[oldIndex], second[newIndex], here)
                } else if step < hunk.old.count {
                    note(first[oldIndex], nil, here)
                } else {
                    note(nil, second[newIndex], here)
                }
            }
        }
    }

    /// Compares elements that have the same equality class. In graphs, equal classes only mean that
    /// the elements are probably equal; the traversal decides further down.
    private mutating func compareEqual(
        _ first: [UInt32], _ second: [UInt32], outside hunks: [Alignment.Hunk],
        _ place: PathTree.Place
    ) {
        var (oldIndex, newIndex) = (0, 0)
        for hunk in hunks + [.init(old: first.count..<first.count, new: 0..<0)] {
            while oldIndex < hunk.old.lowerBound, newIndex < second.count {
                let here = paths.add(oldIndex, newIndex, to: place)
                compare(first[oldIndex], second[newIndex], here)
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
            (oldIndex, newIndex) = (hunk.old.upperBound, hunk.new.upperBound)
        }
    }

    /// Compares the members of two sets and records those without an equal counterpart. In graphs,
    /// counterparts are only probably equal; the traversal decides further down.
    private mutating func compareMembers(
        _ first: [UInt32], _ second: [UInt32], _ place: PathTree.Place
    ) {
        let oldClasses = first.map { old.classes[Int($0)] }
        let newClasses = second.map { new.classes[Int($0)] }
        let counterparts = EqualityClasses.counterparts(of: oldClasses, in: newClasses)
        for (index, counterpart) in counterparts.enumerated() {
            guard let counterpart else {
                note(first[index], nil, paths.add(index, index, to: place))
                continue
            }
            guard options.followsReferences else { continue }
            compare(
                first[index], second[counterpart], paths.add(index, counterpart, to: place))
        }
        for index in EqualityClasses.unmatched(newClasses, in: oldClasses) {
            note(nil, second[index], paths.add(first.count, index, to: place))
        }
    }

    /// Returns whether two arrays hold the elements of archived sets, whose order has no meaning.
    private func isUnordered(_ pair: Pair) -> Bool {
        old.unorderedArrays.contains(pair.old) && new.unorderedArrays.contains(pair.new)
    }
}

/// One of the two documents of a comparison.
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

    /// Returns the object that a UID refers to. Returns the node itself if it is not a UID, if
    /// references are not followed, or if the reference is dangling.
    func followed(_ node: UInt32) -> UInt32 {
        guard isGraph, store.records[Int(node)].kind == .uid else { return node }
        let number = UInt32(truncatingIfNeeded: store.records[Int(node)].payload)
        return document.archivedObject(number)?.index ?? node
    }

    // The number of rounds in which equality classes are refined. Each round after the first
    // follows references one level deeper. The traversal finds deeper differences. If several
    // members of a set differ only there, it may compare a member with the wrong counterpart.
    private static let rounds = 4

    /// Returns both sides of a comparison of graphs.
    static func graphs(
        _ old: PropertyListDocument, _ new: PropertyListDocument, isOrdered: Bool
    ) -> (Side, Side) {
        var targets: (old: [UInt32], new: [UInt32]) = ([], [])
        var numbers: (old: [UInt32], new: [UInt32]) = ([], [])
        for _ in 0..<rounds {
            // Class numbers are comparable only within one round.
            var classes = EqualityClasses(isOrdered: isOrdered)
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
        document.root[ArchiveFormat.objectsKey]?.array?.map { classes[Int($0.index)] } ?? []
    }

    /// Returns the arrays that hold the elements of archived sets.
    private static func setArrays(_ document: PropertyListDocument) -> Set<UInt32> {
        let objects = document.root[ArchiveFormat.objectsKey]?.array ?? document.root.childNodes
        let names = [FoundationClass.set, FoundationClass.mutableSet, FoundationClass.countedSet]
        let arrays = objects.compactMap { object -> UInt32? in
            guard let number = object[ArchiveFormat.classKey]?.uid?.value,
                let name = document.archivedObject(number)?[ArchiveFormat.classNameKey],
                names.contains(where: name.isString), let elements = object[FoundationField.objects]
            else { return nil }
            return elements.index
        }
        return Set(arrays)
    }
}

/// The entries of a dictionary, and their indices by the equality class of the key. Class numbers
/// are common to both documents.
private struct Entries {
    struct Entry {
        let keyClass: UInt32
        /// The node of the key.
        let key: UInt32
        let value: UInt32
    }

    private(set) var list: [Entry] = []
    private(set) var indices: [UInt32: Int] = [:]

    var keyOrder: [UInt32] { list.map(\.keyClass) }

    init(_ side: Side, _ record: NodeRecord) {
        let children = side.children(record)
        let count = record.count
        for number in 0..<count {
            let key = children[number]
            let entry = Entry(
                keyClass: side.classes[Int(key)], key: key, value: children[count + number])
            list.append(entry)
            if indices[entry.keyClass] == nil { indices[entry.keyClass] = number }
        }
    }
}

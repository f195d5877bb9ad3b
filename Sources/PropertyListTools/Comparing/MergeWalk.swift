// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// A parallel traversal of three documents, which descends into containers that differ between ours
/// and theirs.
///
/// If a container of ours is unchanged from the base, the walk uses it as the base as well. Every
/// difference is then a change of theirs, and such containers need no separate case.
struct MergeWalk: ~Copyable {
    /// A value in one of the documents.
    private struct Value {
        let document: Int
        let node: UInt32
    }

    private struct Triple {
        let base: Value?
        let ours: Value
        let theirs: Value
        let place: PathTree.Place
    }

    // Groups of edits, one for each container, from the outermost inwards. The insertions and
    // removals in an array run from its end to its beginning.
    private var groups: [[PropertyListEdit]] = []
    private(set) var conflicts: [PropertyListMerge.Conflict] = []
    private(set) var joined: [PropertyListKeyPath] = []
    private let documents: [PropertyListDocument]
    private let classes: [[UInt32]]
    private let favored: PropertyListMerge.Side
    private(set) var budget: OperationBudget
    private var paths: PathTree
    // For each document: its long texts and data, which all values share.
    private var contents = [LongContents](repeating: LongContents(), count: 3)
    private var pending: [Triple] = []
    private var group: [PropertyListEdit] = []
    private var inner: [Triple] = []

    init(
        _ base: PropertyListDocument, _ ours: PropertyListDocument, _ theirs: PropertyListDocument,
        _ favored: PropertyListMerge.Side, _ budget: consuming OperationBudget
    ) {
        documents = [base, ours, theirs]
        var table = EqualityClasses()
        classes = documents.map { table.add($0) }
        self.favored = favored
        self.budget = budget
        paths = PathTree(documents)
    }

    /// The edits, from the innermost containers outwards.
    var edits: [PropertyListEdit] { groups.reversed().flatMap(\.self) }

    mutating func run() throws(PropertyListError) {
        let roots = documents.indices.map {
            Value(document: $0, node: documents[$0].storage.root)
        }
        try merge(roots[0], roots[1], roots[2], .root)
        closeGroup()
        while let triple = pending.popLast() {
            try descend(triple)
            closeGroup()
        }
    }

    private mutating func closeGroup() {
        if !group.isEmpty { groups.append(group) }
        pending += inner.reversed()
        (group, inner) = ([], [])
    }

    // MARK: Values

    private func equality(_ value: Value) -> UInt32 {
        classes[value.document][Int(value.node)]
    }

    private func equalities(_ values: [Value]) -> [UInt32] { values.map { equality($0) } }

    private func isSame(_ first: Value?, _ second: Value?) -> Bool {
        first.map { equality($0) } == second.map { equality($0) }
    }

    private func node(_ value: Value) -> PropertyListNode {
        documents[value.document].node(value.node)
    }

    private func record(_ value: Value) -> NodeRecord { node(value).record }

    private func children(_ value: Value) -> [Value] {
        let store = documents[value.document].storage.store
        return store.children[record(value).childRange].map {
            Value(document: value.document, node: $0)
        }
    }

    private mutating func add(
        _ place: PathTree.Place, _ operation: PropertyListEdit.Operation
    ) throws(PropertyListError) {
        try budget.visit()
        try budget.charge(bytes: PropertyListEdit.size)
        group.append(
            PropertyListEdit(try paths.editPath(place.old, within: &budget), operation))
    }

    /// Returns the path to a place in ours.
    private mutating func path(
        _ place: PathTree.Place
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try paths.path(place.old, within: &budget)
    }

    private mutating func tree(
        of value: Value
    ) throws(PropertyListError) -> PropertyListValue {
        try node(value).value(within: &budget, &contents[value.document], isKept: true)
    }

    /// Records a conflict, and returns whether to take the value of theirs.
    private mutating func conflict(
        _ place: PathTree.Place, _ what: String
    ) throws(PropertyListError) -> Bool {
        try budget.visit()
        try budget.charge(bytes: MemoryLayout<PropertyListMerge.Conflict>.stride)
        conflicts.append(.init(path: try path(place), what: what))
        return favored == .theirs
    }

    private mutating func merge(
        _ base: Value?, _ ours: Value, _ theirs: Value, _ place: PathTree.Place
    ) throws(PropertyListError) {
        if isSame(ours, theirs) || isSame(base, theirs) { return }
        let isUntouched = isSame(base, ours)
        let (left, right) = (record(ours).kind, record(theirs).kind)
        if left == right, left == .dictionary || left == .array, canDescend(base, left) {
            inner.append(
                Triple(base: isUntouched ? ours : base, ours: ours, theirs: theirs, place: place))
        } else if isUntouched {
            try add(place, .set(try tree(of: theirs)))
        } else if try conflict(place, base == nil ? "both added it" : "both changed it") {
            try add(place, .set(try tree(of: theirs)))
        }
    }

    /// Returns whether the merge can descend into a container. Arrays without a common base array
    /// have no elements to align.
    private func canDescend(_ base: Value?, _ kind: PropertyListKind) -> Bool {
        kind == .dictionary || base.map { record($0).kind == kind } == true
    }

    private mutating func descend(_ triple: Triple) throws(PropertyListError) {
        try budget.visit(1 &+ record(triple.ours).count &+ record(triple.theirs).count)
        if record(triple.ours).kind == .dictionary {
            try mergeEntries(triple)
        } else {
            try mergeElements(triple)
        }
    }

    // MARK: Dictionaries

    private struct Entry {
        /// The equality class of the key.
        let key: UInt32
        /// The node of the key.
        let node: UInt32
        let value: Value
    }

    private func entries(_ value: Value?) -> [Entry] {
        guard let value, record(value).kind == .dictionary else { return [] }
        let children = children(value)
        let count = children.count / 2
        return (0..<count).map { number in
            Entry(
                key: equality(children[number]), node: children[number].node,
                value: children[count + number])
        }
    }

    private mutating func mergeEntries(_ triple: Triple) throws(PropertyListError) {
        let ours = entries(triple.ours)
        let theirs = entries(triple.theirs)
        let base = Self.values(entries(triple.base))
        let (oursByKey, theirsByKey) = (Self.values(ours), Self.values(theirs))
        for (index, entry) in ours.enumerated() {
            let place = paths.add(entry: entry.node, of: 1, at: index, index, to: triple.place)
            if let other = theirsByKey[entry.key] {
                try merge(base[entry.key], entry.value, other, place)
            } else if let old = base[entry.key] {
                if isSame(old, entry.value) {
                    try add(place, .remove)
                } else if try conflict(place, "ours changed it, theirs removed it") {
                    try add(place, .remove)
                }
            }
        }
        var previous: UInt32?
        for (index, entry) in theirs.enumerated() {
            let isInOurs = oursByKey[entry.key] != nil
            if isInOurs, documents[2].node(entry.node).kind == .string { previous = entry.node }
            if isInOurs || isSame(base[entry.key], entry.value) { continue }
            let place = paths.add(
                entry: entry.node, of: 2, at: ours.count, index, to: triple.place)
            if base[entry.key] != nil,
                try !conflict(place, "ours removed it, theirs changed it")
            {
                continue
            }
            try insert(entry.value, after: previous, place)
            previous = entry.node
        }
    }

    /// Inserts an entry of theirs after the entry with the key `previous`.
    private mutating func insert(
        _ value: Value, after previous: UInt32?, _ place: PathTree.Place
    ) throws(PropertyListError) {
        let key = previous.map(documents[2].node)
        try budget.charge(bytes: key?.contentSize ?? 0)
        try add(place, .insert(try tree(of: value), afterKey: key?.string))
    }

    private static func values(_ entries: [Entry]) -> [UInt32: Value] {
        var values: [UInt32: Value] = [:]
        for entry in entries where values[entry.key] == nil { values[entry.key] = entry.value }
        return values
    }

    // MARK: Arrays

    /// A run of elements of the base that ours, theirs or both changed.
    private struct Region {
        var base: Range<Int>
        var ours: Range<Int>
        var theirs: Range<Int>
        var isOurs: Bool
        var isTheirs: Bool
    }

    private mutating func mergeElements(_ triple: Triple) throws(PropertyListError) {
        guard let base = triple.base else { return }
        let values = (children(base), children(triple.ours), children(triple.theirs))
        let old = equalities(values.0)
        let regions = Self.regions(
            Alignment.hunks(old, equalities(values.1)),
            Alignment.hunks(old, equalities(values.2)))
        var isJoined = false
        // Merge from the end, so that the indices of earlier elements in ours stay valid.
        for region in regions.reversed() where region.isTheirs {
            try merge(
                region, Array(values.0[region.base]), Array(values.1[region.ours]),
                Array(values.2[region.theirs]), triple.place, &isJoined)
        }
        if isJoined { joined.append(try path(triple.place)) }
    }

    /// Merges a region of an array. Sets `isJoined` if both sides added elements to it.
    private mutating func merge(
        _ region: Region, _ base: [Value], _ ours: [Value], _ theirs: [Value],
        _ array: PathTree.Place, _ isJoined: inout Bool
    ) throws(PropertyListError) {
        if equalities(ours) == equalities(theirs) { return }
        let isPaired = ours.count == theirs.count && base.count == ours.count
        guard region.isOurs, !isPaired else {
            // Ours left these elements alone, or the elements correspond one to one.
            return try replace(region, base, ours, theirs, array)
        }
        if base.isEmpty {
            // Elements that both sides added are kept once: add only those that ours lacks.
            let added = EqualityClasses.unmatched(equalities(theirs), in: equalities(ours))
                .map { theirs[$0] }
            isJoined = true
            return try insert(added, at: region.ours.upperBound, array)
        }
        let place = paths.add(region.ours.lowerBound, region.theirs.lowerBound, to: array)
        if try conflict(place, "both changed a run of elements that begins here") {
            try replace(region, ours, ours, theirs, array)
        }
    }

    private mutating func replace(
        _ region: Region, _ base: [Value], _ ours: [Value], _ theirs: [Value],
        _ array: PathTree.Place
    ) throws(PropertyListError) {
        let common = min(ours.count, theirs.count)
        let start = region.ours.lowerBound
        try insert(Array(theirs.dropFirst(common)), at: start + ours.count, array)
        for step in (common..<max(common, ours.count)).reversed() {
            try add(paths.add(start + step, start + step, to: array), .remove)
        }
        for step in 0..<common {
            let place = paths.add(start + step, start + step, to: array)
            try merge(step < base.count ? base[step] : nil, ours[step], theirs[step], place)
        }
    }

    private mutating func insert(
        _ values: [Value], at index: Int, _ array: PathTree.Place
    ) throws(PropertyListError) {
        for value in values.reversed() {
            let place = paths.add(index, index, to: array)
            try add(place, .insert(try tree(of: value)))
        }
    }

    /// Joins hunks of both sides that touch the same elements, or that insert at the same position.
    private static func regions(
        _ ours: [Alignment.Hunk], _ theirs: [Alignment.Hunk]
    ) -> [Region] {
        var regions: [Region] = []
        var (left, right) = (ours[...], theirs[...])
        // The offset from an index in the base to the index in ours, and in theirs.
        var (shift, otherShift) = (0, 0)
        while let lower = [left.first, right.first].compactMap(\.?.old.lowerBound).min() {
            var range = lower..<lower
            var (hasOurs, hasTheirs) = (false, false)
            let start = (lower + shift, lower + otherShift)
            while true {
                let isFirst = !hasOurs && !hasTheirs
                // Inserting before an element does not change that element.
                let yields =
                    isFirst && right.first?.old == range && left.first?.old.isEmpty == false
                if !yields, let hunk = left.first, touches(hunk.old, range, isFirst: isFirst) {
                    range = range.lowerBound..<max(range.upperBound, hunk.old.upperBound)
                    shift += hunk.new.count - hunk.old.count
                    left = left.dropFirst()
                    hasOurs = true
                } else if let hunk = right.first, touches(hunk.old, range, isFirst: isFirst) {
                    range = range.lowerBound..<max(range.upperBound, hunk.old.upperBound)
                    otherShift += hunk.new.count - hunk.old.count
                    right = right.dropFirst()
                    hasTheirs = true
                } else {
                    break
                }
            }
            regions.append(
                Region(
                    base: range, ours: start.0..<(range.upperBound + shift),
                    theirs: start.1..<(range.upperBound + otherShift), isOurs: hasOurs,
                    isTheirs: hasTheirs))
        }
        return regions
    }

    /// Returns whether a hunk belongs to a region: it begins the region, shares elements with it,
    /// or both only insert at the same position.
    private static func touches(_ hunk: Range<Int>, _ region: Range<Int>, isFirst: Bool) -> Bool {
        if isFirst || region.isEmpty && hunk.isEmpty { return hunk.lowerBound == region.lowerBound }
        return hunk.lowerBound < region.upperBound
    }
}

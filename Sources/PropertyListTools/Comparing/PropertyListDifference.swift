// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A difference between two property lists at one position.
///
/// Paths are built on request: all paths of a comparison together may be far longer than the
/// property lists.
public struct PropertyListDifference: Sendable {
    /// The node indices of a difference, in 20 bytes; ``none`` for an absent node.
    struct Record: BitwiseCopyable, Sendable {
        static let none = UInt32.max

        let place: PathTree.Place
        let old: UInt32
        let new: UInt32
        let previousKey: UInt32
    }

    let findings: ComparisonFindings
    let record: Record

    /// The path to the value in the first property list. For a value that is only in the second,
    /// the path at which it belongs in the first. Linear in the length of the path.
    ///
    /// If a key on the path is not a string, the step is the index of its entry in the dictionary.
    /// Such a path cannot be resolved.
    public var path: PropertyListKeyPath { findings.paths.path(record.place.old) }

    /// The path to the value in the second property list, with indices for keys that are not
    /// strings, as in ``path``. Linear in the length of the path.
    public var newPath: PropertyListKeyPath { findings.paths.path(record.place.new) }

    /// The value in the first property list; nil if there is none.
    public var old: PropertyListNode? { findings.node(record.old, of: findings.old) }

    /// The value in the second property list; nil if there is none.
    public var new: PropertyListNode? { findings.node(record.new, of: findings.new) }

    /// The previous string key in the second property list, for a dictionary entry that is only in
    /// that property list. Nil otherwise, and for the first entry.
    public var previousKey: String? { previousKeyNode?.string }

    /// The node of the previous string key, for a dictionary entry that is only in the second
    /// property list.
    package var previousKeyNode: PropertyListNode? {
        findings.node(record.previousKey, of: findings.new)
    }

    /// Returns the path, and charges it to a budget before building it.
    ///
    /// - Throws: `sizeLimitExceeded`.
    package func path(
        within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try findings.paths.path(record.place.old, within: &budget)
    }

    /// Returns the path for an edit, and charges it to a budget before building it.
    ///
    /// - Throws: `unrepresentableValue` if a key on the path is not a string; `sizeLimitExceeded`.
    package func editPath(
        within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try findings.paths.editPath(record.place.old, within: &budget)
    }

    /// Returns the path in the second property list, and charges it to a budget before building it.
    ///
    /// - Throws: `sizeLimitExceeded`.
    package func newPath(
        within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try findings.paths.path(record.place.new, within: &budget)
    }
}

/// The result of a comparison, which its differences share.
final class ComparisonFindings: Sendable {
    let old: PropertyListDocument
    let new: PropertyListDocument
    let paths: PathTree
    let records: [PropertyListDifference.Record]
    /// The ranges of `records` that belong to one container each, from the root down.
    let groups: [Range<Int>]

    init(_ walk: consuming ComparisonWalk) {
        old = walk.oldDocument
        new = walk.newDocument
        paths = walk.paths
        records = walk.records
        groups = walk.groups
    }

    func node(_ number: UInt32, of document: PropertyListDocument) -> PropertyListNode? {
        number == PropertyListDifference.Record.none ? nil : document.node(number)
    }
}

/// The differences between two property lists.
///
/// ```swift
/// let comparison = try PropertyListComparison(from: old, to: new)
/// for difference in comparison.differences { print(difference.path) }
/// let edits = try comparison.edits()          // turn `old` into `new`
/// ```
///
/// Integers are equal if their values are. Reals are equal if they have the same bits after
/// conversion to `Double`. Widths do not matter. All NaNs are equal. Strings are compared scalar by
/// scalar. Dictionaries and sets are compared without regard to order. Arrays are aligned by their
/// longest common subsequence, so one inserted element is one difference. Arrays that differ by
/// more than 200 insertions and removals are aligned only at their ends. A replaced element counts
/// as one of each.
public struct PropertyListComparison: Sendable {
    /// The options for comparing two property lists.
    public struct Options: Sendable, Hashable {
        /// A Boolean value that says whether dictionaries differ if their keys are in different
        /// orders.
        public var isOrdered = false
        /// A Boolean value that says whether keyed archives are compared as graphs: from their
        /// roots and through references, without regard to object numbers. Both documents must be
        /// archives.
        public var followsReferences = false

        /// Creates options that ignore the order of keys and do not follow references.
        public init() {}
    }

    /// The differences of a comparison, container by container from the root down.
    public struct Differences: RandomAccessCollection, Sendable {
        let findings: ComparisonFindings

        /// The position of the first difference.
        public var startIndex: Int { 0 }
        /// The position after the last difference.
        public var endIndex: Int { findings.records.count }

        /// The difference at `position`, in constant time.
        ///
        /// - Precondition: `position` is a valid index.
        public subscript(position: Int) -> PropertyListDifference {
            PropertyListDifference(findings: findings, record: findings.records[position])
        }
    }

    /// The differences, container by container from the root down.
    public let differences: Differences
    private let isOfGraphs: Bool

    /// Compares two property lists. Linear, except for sorting keys and for the expansion of shared
    /// containers that differ, which the limits bound.
    ///
    /// - Throws: `expansionLimitExceeded`.
    public init(
        from old: PropertyListDocument, to new: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        var budget = OperationBudget(limits: limits, [old, new])
        try self.init(from: old, to: new, options: options, within: &budget)
    }

    /// Compares two property lists as a part of an operation.
    ///
    /// - Throws: `expansionLimitExceeded`.
    package init(
        from old: PropertyListDocument, to new: PropertyListDocument, options: Options = Options(),
        within budget: inout OperationBudget
    ) throws(PropertyListError) {
        var walk = ComparisonWalk(old, new, options)
        try walk.run(&budget)
        differences = Differences(findings: ComparisonFindings(walk))
        isOfGraphs = options.followsReferences
    }

    /// A Boolean value that says whether there are no differences.
    public var isEmpty: Bool { differences.isEmpty }

    /// The positions of the differences, in the order in which their edits turn the first property
    /// list into the second. Empty for a comparison of graphs.
    ///
    /// Edits go from the innermost containers outwards, and from the end of an array to its start.
    /// The indices of elements therefore stay those of the first property list.
    package var editingOrder: some Sequence<Int> {
        let findings = differences.findings
        return (isOfGraphs ? [] : findings.groups).reversed().lazy.flatMap { group in
            let isInArray = group.first.map {
                findings.paths.isElement(findings.records[$0].place.old)
            }
            return isInArray == true ? Array(group.reversed()) : Array(group)
        }
    }

    /// Returns edits that, applied in order, turn the first property list into the second, except
    /// for the order of keys. Empty for a comparison of graphs.
    ///
    /// - Throws: The errors of `PropertyListNode.value(limits:)`. `unrepresentableValue` also for a
    ///   difference under a key that is not a string, because no key path leads there.
    ///   `sizeLimitExceeded` if the edits and their paths need more memory than the limits allow
    ///   for output.
    public func edits(
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [PropertyListEdit] {
        let findings = differences.findings
        var budget = OperationBudget(limits: limits, [findings.old, findings.new])
        var contents = LongContents()
        var edits: [PropertyListEdit] = []
        for position in editingOrder {
            try budget.charge(bytes: PropertyListEdit.size)
            edits.append(try differences[position].edit(&budget, &contents))
        }
        return edits
    }
}

extension PropertyListDifference {
    /// Returns the edit for this difference, to be applied after the edits that precede it in
    /// ``PropertyListComparison/editingOrder``.
    fileprivate func edit(
        _ budget: inout OperationBudget, _ contents: inout LongContents
    ) throws(PropertyListError) -> PropertyListEdit {
        let path = try editPath(within: &budget)
        guard let new else { return PropertyListEdit(path, .remove) }
        let value = try new.value(within: &budget, &contents, isKept: true)
        guard old == nil else { return PropertyListEdit(path, .set(value)) }
        try budget.charge(bytes: previousKeyNode?.contentSize ?? 0)
        return PropertyListEdit(path, .insert(value, afterKey: previousKey))
    }
}

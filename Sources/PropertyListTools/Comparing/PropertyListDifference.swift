// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A place in which two property lists differ.
///
/// Paths are put together when they are asked for: all paths of a comparison together may be far
/// longer than the property lists.
public struct PropertyListDifference: Sendable {
    /// The numbers of a difference, in 20 bytes; ``none`` for what it does not have.
    struct Record: BitwiseCopyable, Sendable {
        static let none = UInt32.max

        let place: PathTree.Place
        let old: UInt32
        let new: UInt32
        let previousKey: UInt32
    }

    let findings: ComparisonFindings
    let record: Record

    /// The path to the value in the first property list; for one that is only in the second, the place
    /// in the first where it belongs. Linear in its length.
    public var path: PropertyListKeyPath { findings.paths.path(record.place.old) }

    /// The path to the value in the second. Linear in its length.
    public var newPath: PropertyListKeyPath { findings.paths.path(record.place.new) }

    /// The value in the first; nil where there is none.
    public var old: PropertyListNode? { findings.node(record.old, of: findings.old) }

    /// The value in the second; nil where there is none.
    public var new: PropertyListNode? { findings.node(record.new, of: findings.new) }

    /// For an entry of a dictionary that is only in the second: the key before it there.
    public var previousKey: String? { previousKeyNode?.string }

    /// The key before an entry that is only in the second.
    package var previousKeyNode: PropertyListNode? {
        findings.node(record.previousKey, of: findings.new)
    }

    /// The path, charged to a budget before it is made.
    ///
    /// - Throws: `sizeLimitExceeded`.
    package func path(
        within budget: inout OperationBudget
    ) throws(PropertyListError) -> PropertyListKeyPath {
        try findings.paths.path(record.place.old, within: &budget)
    }

    /// The path in the second property list, charged to a budget before it is made.
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
    /// The differences in one container each, from the root down.
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
/// Integers are equal by value, whatever their width, reals by their bits, NaN to every NaN; text
/// scalar by scalar. Dictionaries and sets are compared in any order, arrays by their longest common
/// part, so that one element more is one difference.
public struct PropertyListComparison: Sendable {
    /// The options for comparing two property lists.
    public struct Options: Sendable, Hashable {
        /// A Boolean value that says whether dictionaries whose keys stand in another order differ.
        public var isOrdered = false
        /// A Boolean value that says whether keyed archives are compared as graphs: from their roots,
        /// through references, with no regard to the numbers of objects. Both must be archives.
        public var followsReferences = false

        /// In any order, values as they stand.
        public init() {}
    }

    /// The differences of a comparison, container by container from the root down.
    public struct Differences: RandomAccessCollection, Sendable {
        let findings: ComparisonFindings

        public var startIndex: Int { 0 }
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

    /// Compares two property lists. Linear, but for sorting keys and for what shared containers that
    /// differ expand to, which the limits bound.
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

    /// A Boolean value that says whether nothing differs.
    public var isEmpty: Bool { differences.isEmpty }

    /// The positions of the differences in the order in which edits of them turn the first property
    /// list into the second. Of a comparison of graphs there are none.
    ///
    /// From the innermost containers outwards, and in arrays from the end, so that the indices of
    /// elements are still those of the first property list.
    package var editingOrder: some Sequence<Int> {
        let findings = differences.findings
        return (isOfGraphs ? [] : findings.groups).reversed().lazy.flatMap { group in
            let isInArray = group.first.map {
                findings.paths.isElement(findings.records[$0].place.old)
            }
            return isInArray == true ? Array(group.reversed()) : Array(group)
        }
    }

    /// Edits that, made one after the other, turn the first property list into the second, but for the
    /// order of keys. Of a comparison of graphs there are none.
    ///
    /// - Throws: as `PropertyListNode.value(limits:)`, and `sizeLimitExceeded` where the edits
    ///   and their paths take more memory than what the limits allow as output.
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
    /// The edit that makes the first property list the second in this place, after those that come
    /// before it in ``PropertyListComparison/editingOrder``.
    fileprivate func edit(
        _ budget: inout OperationBudget, _ contents: inout LongContents
    ) throws(PropertyListError) -> PropertyListEdit {
        let path = try path(within: &budget)
        guard let new else { return PropertyListEdit(path, .remove) }
        let value = try new.value(within: &budget, &contents, isKept: true)
        guard old == nil else { return PropertyListEdit(path, .set(value)) }
        try budget.charge(bytes: previousKeyNode?.contentSize ?? 0)
        return PropertyListEdit(path, .insert(value, afterKey: previousKey))
    }
}

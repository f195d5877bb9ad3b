// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// A three-way merge: the changes that two property lists made to a common base, combined.
///
/// ```swift
/// let merge = try PropertyListMerge(base: base, ours: ours, theirs: theirs)
/// if merge.conflicts.isEmpty {
///     let merged = try ours.applying(merge.edits)
///     …
/// }
/// ```
///
/// A change made by only one side is taken from that side, key by key in dictionaries and element
/// by element in arrays. Elements that both sides insert at the same position of an array are all
/// kept, ours first, except for those of theirs that equal one of ours.
///
/// In a keyed archive, at most one side may have changed references, or added or removed objects.
public struct PropertyListMerge: Sendable {
    /// A side of the merge.
    public enum Side: Sendable, Hashable {
        /// The side to which the edits apply.
        case ours
        /// The side whose changes are merged in.
        case theirs
    }

    /// A position that the two sides changed differently.
    public struct Conflict: Sendable {
        /// The path in ours, with indices for keys that are not strings, as in
        /// ``PropertyListDifference/path``.
        public let path: PropertyListKeyPath
        /// A description of the change on each side.
        public let what: String
    }

    /// The edits that merge the changes of theirs into ours.
    public let edits: [PropertyListEdit]
    /// The positions that both sides changed differently. The edits use the value of the favored
    /// side there.
    public let conflicts: [Conflict]
    /// The paths, in ours, of arrays to which both sides added elements at the same position.
    public let joined: [PropertyListKeyPath]

    /// Merges the changes that both sides made to the base. Linear, with the exceptions that
    /// ``PropertyListComparison`` has.
    ///
    /// - Parameters:
    ///   - base: The common ancestor of both sides.
    ///   - ours: The side to which the edits will be applied.
    ///   - theirs: The side whose changes are merged in.
    ///   - favored: The side whose value is used in a conflict. Conflicts are reported either way.
    ///   - limits: The limits for the expansion of the documents.
    /// - Throws: `expansionLimitExceeded`. `sizeLimitExceeded` if the edits, conflicts and paths
    ///   need more memory than the limits allow for output. The errors of
    ///   `PropertyListNode.value(limits:)`. `unrepresentableValue` also for a change under a key
    ///   that is not a string, because no key path leads there, and for a keyed archive in which
    ///   both sides changed references, or added or removed objects.
    public init(
        base: PropertyListDocument, ours: PropertyListDocument, theirs: PropertyListDocument,
        favoring favored: Side = .ours, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        var budget = OperationBudget(limits: limits, [base, ours, theirs])
        try self.init(
            base: base, ours: ours, theirs: theirs, favoring: favored, within: &budget)
    }

    /// Merges the changes that both sides made to the base, as a part of a larger operation.
    ///
    /// - Throws: The errors of ``init(base:ours:theirs:favoring:limits:)``.
    package init(
        base: PropertyListDocument, ours: PropertyListDocument, theirs: PropertyListDocument,
        favoring favored: Side, within budget: inout OperationBudget
    ) throws(PropertyListError) {
        var walk = MergeWalk(base, ours, theirs, favored, budget.continued())
        try walk.run()
        budget = walk.budget.continued()
        if !walk.edits.isEmpty {
            try ArchiveNumbering.check(base: base, ours: ours, theirs: theirs, within: &budget)
        }
        edits = walk.edits
        conflicts = walk.conflicts
        joined = walk.joined
    }
}

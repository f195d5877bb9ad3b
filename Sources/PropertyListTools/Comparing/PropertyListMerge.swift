// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import PropertyList

/// The changes that two property lists have made to one they both come from, brought together.
///
/// ```swift
/// let merge = try PropertyListMerge(base: base, ours: ours, theirs: theirs)
/// if merge.conflicts.isEmpty {
///     let merged = try ours.applying(merge.edits)
///     …
/// }
/// ```
///
/// A change of only one side is taken from that side: dictionaries key by key, arrays element by
/// element. Elements that both sides add in the same place of an array are all kept, ours first.
public struct PropertyListMerge: Sendable {
    /// A side of the merge.
    public enum Side: Sendable, Hashable {
        /// The side that the edits are made to.
        case ours
        /// The side that changes are taken from.
        case theirs
    }

    /// A place that both sides changed, each in its own way.
    public struct Conflict: Sendable {
        /// Where, in ours.
        public let path: PropertyListKeyPath
        /// The change of each side.
        public let what: String
    }

    /// Edits that bring the changes of theirs into ours.
    public let edits: [PropertyListEdit]
    /// Where both sides changed the same. The value is that of the side that is favoured, or ours.
    public let conflicts: [Conflict]
    /// Where elements were added by both sides, in arrays: the paths of the arrays, in ours.
    public let joined: [PropertyListKeyPath]

    /// Compares what both sides made of the base. Linear, as ``PropertyListComparison``.
    ///
    /// - Parameters:
    ///   - base: what both sides began with.
    ///   - ours: the side that the edits are for.
    ///   - theirs: the side whose changes are brought in.
    ///   - favored: whose value is taken where both changed the same; such places are conflicts all
    ///     the same.
    ///   - limits: how much the documents may expand to.
    /// - Throws: `expansionLimitExceeded`; `sizeLimitExceeded` where edits, conflicts and their
    ///   paths take more memory than what the limits allow as output; as `PropertyListNode.value(limits:)`.
    public init(
        base: PropertyListDocument, ours: PropertyListDocument, theirs: PropertyListDocument,
        favoring favored: Side = .ours, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        var budget = OperationBudget(limits: limits, [base, ours, theirs])
        try self.init(
            base: base, ours: ours, theirs: theirs, favoring: favored, within: &budget)
    }

    /// Compares what both sides made of the base, as a part of an operation.
    ///
    /// - Throws: as ``init(base:ours:theirs:favoring:limits:)``.
    package init(
        base: PropertyListDocument, ours: PropertyListDocument, theirs: PropertyListDocument,
        favoring favored: Side, within budget: inout OperationBudget
    ) throws(PropertyListError) {
        var walk = MergeWalk(base, ours, theirs, favored, budget.continued())
        try walk.run()
        budget = walk.budget.continued()
        edits = walk.edits
        conflicts = walk.conflicts
        joined = walk.joined
    }
}

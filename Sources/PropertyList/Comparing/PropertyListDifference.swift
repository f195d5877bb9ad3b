// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// A place in which two property lists differ.
public struct PropertyListDifference: Sendable {
    /// The way to the value in the first property list; for one that is only in the second, the place
    /// in the first where it belongs.
    public let path: PropertyListKeyPath
    /// The way to the value in the second.
    public let newPath: PropertyListKeyPath
    /// The value in the first; nil where there is none.
    public let old: PropertyListNode?
    /// The value in the second; nil where there is none.
    public let new: PropertyListNode?
    /// For an entry of a dictionary that is only in the second: the key before it there.
    public let previousKey: String?

    /// The edit that makes the first property list the second in this place, after those of
    /// ``PropertyListComparison/edits(limits:)`` that come before.
    ///
    /// - Throws: as ``PropertyListNode/value(limits:)``.
    func edit(limits: ParsingLimits) throws(PropertyListError) -> PropertyListEdit? {
        guard let new else { return PropertyListEdit(path, .remove) }
        let value = try new.value(limits: limits)
        guard old == nil else { return PropertyListEdit(path, .set(value)) }
        return PropertyListEdit(path, .insert(value, afterKey: previousKey))
    }
}

/// What two property lists do not have in common.
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
    /// How two property lists are compared.
    public struct Options: Sendable, Hashable {
        /// Whether dictionaries whose keys stand in another order differ.
        public var isOrdered = false
        /// Whether keyed archives are compared as graphs: from their roots, through references, with no
        /// regard to the numbers of objects. Both must be archives.
        public var followsReferences = false

        /// In any order, values as they stand.
        public init() {}
    }

    /// The differences, container by container from the root down.
    public let differences: [PropertyListDifference]
    // By container that is in both.
    private let groups: [Range<Int>]
    private let isOfGraphs: Bool

    /// Compares two property lists. Linear, but for sorting keys and for what shared containers that
    /// differ expand to, which the limits bound.
    ///
    /// - Throws: `expansionLimitExceeded`.
    public init(
        from old: PropertyListDocument, to new: PropertyListDocument, options: Options = Options(),
        limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        var walk = ComparisonWalk(old, new, options, limits)
        try walk.run()
        differences = walk.differences
        groups = walk.groups
        isOfGraphs = options.followsReferences
    }

    /// Whether nothing differs.
    public var isEmpty: Bool { differences.isEmpty }

    /// Edits that, made one after the other, turn the first property list into the second, but for the
    /// order of keys. Of a comparison of graphs there are none.
    ///
    /// - Throws: as ``PropertyListNode/value(limits:)``.
    public func edits(
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [PropertyListEdit] {
        var edits: [PropertyListEdit] = []
        if isOfGraphs { return edits }
        // From the innermost containers outwards, and in arrays from the end, so that the numbers of
        // elements are still those of the first property list.
        for group in groups.reversed() {
            let isArray = group.first.map { differences[$0].isInArray } ?? false
            for number in isArray ? Array(group.reversed()) : Array(group) {
                if let edit = try differences[number].edit(limits: limits) { edits.append(edit) }
            }
        }
        return edits
    }
}

extension PropertyListDifference {
    fileprivate var isInArray: Bool {
        if case .index = path.steps.last { true } else { false }
    }
}

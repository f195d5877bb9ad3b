// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue {
    /// Parses a property list into a value tree.
    ///
    /// - Throws: as `PropertyListDocument.init(parsing:format:options:limits:)` and
    ///   ``PropertyListNode/value(limits:)``.
    public init(
        parsing bytes: some Sequence<UInt8>, format: PropertyListFormat? = nil,
        options: ParsingOptions = .strict, limits: ParsingLimits = .default
    ) throws(PropertyListError) {
        let document = try PropertyListDocument(
            parsing: bytes, format: format, options: options, limits: limits)
        self = try document.root.value(limits: limits)
    }
}

extension PropertyListNode {
    /// Returns the value and everything in it as a tree.
    ///
    /// Takes time linear in the size of the tree. A container that is shared in the document is
    /// traversed once for each reference.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`; `unrepresentableValue` for
    ///   contents that a tree cannot represent: duplicate keys, keys that are not strings, and
    ///   unreadable values.
    public func value(limits: ParsingLimits = .default) throws(PropertyListError)
        -> PropertyListValue
    {
        var budget = storage.budget(limits)
        var contents = LongContents()
        return try value(within: &budget, &contents)
    }

    /// Returns the value and everything in it, as one of several trees built within one budget.
    ///
    /// - Parameters:
    ///   - budget: the remaining budget of the operation.
    ///   - contents: the cache of long strings and data that the trees of the document share.
    ///   - isKept: true if the tree stays in memory during the operation. Its values then count
    ///     against the output limit.
    /// - Returns: The value.
    /// - Throws: as ``value(limits:)``; `sizeLimitExceeded`.
    package func value(
        within budget: inout OperationBudget, _ contents: inout LongContents, isKept: Bool = false
    ) throws(PropertyListError) -> PropertyListValue {
        var builder = ValueBuilder(storage)
        // Swapped rather than assigned, because a copy would duplicate the whole cache for each
        // tree.
        swap(&builder.longContents, &contents)
        defer { swap(&builder.longContents, &contents) }
        var walk = DocumentWalk(self)
        repeat {
            while let leaves = try walk.nextLeaves(&budget) {
                if isKept { try builder.charge(leaves, to: &budget) }
                builder.makeRoom(for: leaves.places.count)
                for place in leaves.places {
                    do { try builder.add(leafAt: place, leaves) } catch {
                        throw error.at(path: walk.path(of: place, in: leaves))
                    }
                }
            }
        } while try builder.takeStep(of: &walk, &budget, isKept: isKept)
        return builder.result
    }
}

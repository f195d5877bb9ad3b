// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

extension PropertyListValue {
    /// Parses a property list into a tree of values.
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
    /// The value with all it holds, as a tree. Linear in the size of the tree; containers that are
    /// shared in the document are built for each place where they stand.
    ///
    /// - Throws: `expansionLimitExceeded`; `unrepresentableValue` for what a tree has no form for:
    ///   keys that are not strings or occur twice, unreadable values.
    public func value(limits: ParsingLimits = .default) throws(PropertyListError)
        -> PropertyListValue
    {
        var budget = storage.budget(limits)
        var contents = LongContents()
        return try value(within: &budget, &contents)
    }

    /// The value with all it holds, as one of several trees of the document, within one budget.
    ///
    /// - Parameters:
    ///   - budget: what the operation may still visit.
    ///   - contents: the long texts and data that the trees of the document share.
    ///   - isKept: whether the tree stays in memory while the operation goes on, so that its values count
    ///     against the limit of output.
    /// - Returns: The value.
    /// - Throws: as ``value(limits:)``; `sizeLimitExceeded`.
    package func value(
        within budget: inout OperationBudget, _ contents: inout LongContents, isKept: Bool = false
    ) throws(PropertyListError) -> PropertyListValue {
        var builder = ValueBuilder(storage)
        // Moved: a copy would be one of all that is kept, for each tree.
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

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
        var contents = LongContents()
        return try value(limits: limits, &contents)
    }

    /// Adds to `count` how many values the tree of this one has, up to `limit`; also where it throws,
    /// as looking at them took its time. Linear in that.
    ///
    /// - Throws: `depthLimitExceeded`, `expansionLimitExceeded`.
    package func addExpandedCount(
        to count: inout Int, atMost limit: Int, limits: ParsingLimits
    ) throws(PropertyListError) {
        var rest = limits
        rest.expansion = ParsingLimits.Allowance(factor: 0, base: max(limit &- count, 0))
        var walk = DocumentWalk(self, budget: ParsingBudget(limits: rest, nodeCount: 0, size: 0))
        while let step = try walk.next() {
            if case .enter = step { count &+= 1 }
        }
    }

    /// Makes a tree of the value, one of several of the document: what is long is kept in `contents`.
    package func value(
        limits: ParsingLimits, _ contents: inout LongContents
    ) throws(PropertyListError) -> PropertyListValue {
        var builder = ValueBuilder(storage)
        // Moved: a copy would be one of all that is kept, for each tree.
        swap(&builder.longContents, &contents)
        defer { swap(&builder.longContents, &contents) }
        var walk = DocumentWalk(self, budget: storage.budget(limits))
        repeat {
            while let leaves = try walk.nextLeaves() {
                builder.makeRoom(for: leaves.places.count)
                for place in leaves.places {
                    do { try builder.add(leafAt: place, leaves) } catch {
                        throw error.at(path: walk.path(of: place, in: leaves))
                    }
                }
            }
        } while try builder.takeStep(of: &walk)
        return builder.result
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// What is left of the ``ParsingLimits`` in one walk over a document.
///
/// Every consumer that follows references (writers, the value tree, printing, comparing) carries
/// one and charges it: a shared container costs each time it is entered, so what a small file
/// expands to is bounded wherever it is expanded.
package struct ParsingBudget {
    private let limits: ParsingLimits
    private let nodeLimit: Int
    private let outputLimit: Int
    private var nodes = 0

    /// A fresh budget for a document of `nodeCount` nodes and `size` bytes.
    package init(limits: ParsingLimits, nodeCount: Int, size: Int) {
        self.limits = limits
        nodeLimit = limits.expansion.limit(for: nodeCount)
        outputLimit = limits.output.limit(for: size)
    }

    /// Charges `count` visited nodes.
    ///
    /// - Throws: `expansionLimitExceeded`.
    @inline(__always)
    package mutating func visit(_ count: Int = 1) throws(PropertyListError) {
        nodes &+= count
        if nodes > nodeLimit { throw Self.expansionExceeded(nodeLimit) }
    }

    /// Checks a nesting of `depth` containers.
    ///
    /// - Throws: `depthLimitExceeded`.
    @inline(__always)
    package func enter(depth: Int) throws(PropertyListError) {
        if depth > limits.depth { throw Self.depthExceeded(depth, limit: limits.depth) }
    }

    /// Checks that `size` bytes of output are allowed.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package func emit(size: Int) throws(PropertyListError) {
        if size > outputLimit { throw Self.outputExceeded(size, limit: outputLimit) }
    }

    @inline(never)
    private static func expansionExceeded(_ limit: Int) -> PropertyListError {
        PropertyListError(
            .expansionLimitExceeded, format: nil,
            what: "shared containers expand to more than \(limit) values",
            recovery: "raise `ParsingLimits.expansion` if the file is genuine")
    }

    @inline(never)
    package static func depthExceeded(
        _ depth: Int, limit: Int, format: PropertyListFormat? = nil, location: Location? = nil
    ) -> PropertyListError {
        PropertyListError(
            .depthLimitExceeded, format: format,
            what: "\(depth) containers are nested, \(limit) are allowed", location: location,
            recovery: "raise `ParsingLimits.depth` if the file is genuine")
    }

    @inline(never)
    private static func outputExceeded(_ size: Int, limit: Int) -> PropertyListError {
        PropertyListError(
            .sizeLimitExceeded, format: nil,
            what: "\(size) bytes of output, \(limit) are allowed for a document of this size",
            recovery: "raise `ParsingLimits.output` if the file is genuine")
    }

    package typealias Location = PropertyListError.Location
}

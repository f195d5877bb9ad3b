// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The remaining allowance of one operation under ``ParsingLimits``.
///
/// Every consumer that follows references (writers, the value tree, printing, comparing, merging)
/// charges it: a shared container costs each time it is entered, and a text each time it is copied.
/// So whatever a small file expands to is bounded wherever it is expanded.
///
/// An operation makes one budget and passes it down. The type is not copyable, so that no step of the
/// operation can start again from a full allowance.
package struct OperationBudget: ~Copyable {
    /// The part of a budget that has been used, for an operation that is continued later.
    package struct Spent: Sendable {
        /// The number of values visited.
        package fileprivate(set) var values = 0
        fileprivate var bytes = 0

        package init() {}
    }

    private let limits: ParsingLimits
    // The documents that the allowance is relative to.
    private var nodeCount: Int
    private var size: Int
    private var valueLimit: Int
    private var byteLimit: Int
    /// The part that has been used.
    package private(set) var spent: Spent

    /// A budget for documents of `nodeCount` values and `size` bytes.
    package init(
        limits: ParsingLimits, nodeCount: Int = 0, size: Int = 0, spent: Spent = Spent()
    ) {
        self.limits = limits
        self.nodeCount = nodeCount
        self.size = size
        self.spent = spent
        valueLimit = limits.expansion.limit(for: nodeCount)
        byteLimit = limits.output.limit(for: size)
    }

    /// A budget for an operation on several documents.
    package init(limits: ParsingLimits, _ documents: [PropertyListDocument]) {
        self.init(limits: limits)
        for document in documents { admit(document) }
    }

    /// A budget for a part of an operation that counts its values elsewhere.
    ///
    /// - Parameter remainingValues: the number of values that the operation may still visit.
    package init(limits: ParsingLimits, remainingValues: Int) {
        self.init(limits: limits)
        valueLimit = remainingValues
        byteLimit = .max
    }

    /// Raises the allowance by that of a further document of the operation.
    package mutating func admit(_ document: PropertyListDocument) {
        admit(nodeCount: document.nodeCount, size: document.storage.budgetSize)
    }

    /// Raises the allowance of values by that of a document within a file of the operation, whose bytes
    /// have been charged.
    package mutating func admitValues(of document: PropertyListDocument) {
        admit(nodeCount: document.nodeCount, size: 0)
    }

    package mutating func admit(nodeCount: Int, size: Int) {
        self.nodeCount = Self.sum(self.nodeCount, nodeCount)
        self.size = Self.sum(self.size, size)
        valueLimit = limits.expansion.limit(for: self.nodeCount)
        byteLimit = limits.output.limit(for: self.size)
    }

    private static func sum(_ first: Int, _ second: Int) -> Int {
        let (sum, overflow) = first.addingReportingOverflow(second)
        return overflow ? .max : sum
    }

    /// Charges `count` visited values.
    ///
    /// - Throws: `expansionLimitExceeded`.
    @inline(__always)
    package mutating func visit(_ count: Int = 1) throws(PropertyListError) {
        spent.values &+= count
        if spent.values > valueLimit { throw Self.expansionExceeded(valueLimit) }
    }

    /// Charges `count` bytes of text or data that are copied, printed, or read once more.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package mutating func charge(bytes count: Int) throws(PropertyListError) {
        spent.bytes &+= count
        if spent.bytes > byteLimit { throw Self.outputExceeded(spent.bytes, limit: byteLimit) }
    }

    /// The number of bytes that may still be charged.
    package var remainingBytes: Int { max(byteLimit &- spent.bytes, 0) }

    /// Checks a nesting of `depth` containers.
    ///
    /// - Throws: `depthLimitExceeded`.
    @inline(__always)
    package func enter(depth: Int) throws(PropertyListError) {
        if depth > limits.depth { throw Self.depthExceeded(depth, limit: limits.depth) }
    }

    /// Checks the size so far of one output, in bytes.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package func checkOutput(size: Int) throws(PropertyListError) {
        if size > byteLimit { throw Self.outputExceeded(size, limit: byteLimit) }
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

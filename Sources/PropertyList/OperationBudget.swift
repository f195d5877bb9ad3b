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
    /// The state of a budget, for an operation that is continued later.
    package struct Account: Sendable {
        // The size of the input, which the allowance is relative to.
        fileprivate var extent: Int
        fileprivate var size: Int
        // The part that has been used.
        fileprivate var values = 0
        fileprivate var bytes = 0

        /// The account of an operation of the same size that has used nothing yet.
        package var unspent: Account { Account(extent: extent, size: size) }
    }

    package let limits: ParsingLimits
    private var valueLimit: Int
    private var byteLimit: Int
    /// The state of the budget.
    package private(set) var account: Account

    /// A budget for documents of `size` bytes.
    ///
    /// - Parameters:
    ///   - limits: how much is allowed, relative to the documents.
    ///   - extent: the number of their values and of references to values.
    ///   - size: the number of their bytes.
    package init(limits: ParsingLimits, extent: Int = 0, size: Int = 0) {
        self.init(limits: limits, continuing: Account(extent: extent, size: size))
    }

    /// The budget of an operation that is continued.
    package init(limits: ParsingLimits, continuing account: Account) {
        self.limits = limits
        self.account = account
        valueLimit = limits.expansion.limit(for: account.extent)
        byteLimit = limits.output.limit(for: account.size)
    }

    /// A budget for an operation on several documents.
    package init(limits: ParsingLimits, _ documents: [PropertyListDocument]) {
        self.init(limits: limits)
        for document in documents { admit(document) }
    }

    /// A budget for a part of an operation that counts its values elsewhere.
    ///
    /// `remainingValues` is the number of values that the operation may still visit.
    package init(limits: ParsingLimits, remainingValues: Int) {
        self.init(limits: limits)
        valueLimit = remainingValues
        byteLimit = .max
    }

    /// Raises the allowance by that of a further document of the operation.
    package mutating func admit(_ document: PropertyListDocument) {
        admit(extent: document.storage.extent, size: document.storage.budgetSize)
    }

    /// Raises the allowance of values by that of a document within a file of the operation, whose bytes
    /// have been charged.
    package mutating func admitValues(of document: PropertyListDocument) {
        admit(extent: document.storage.extent, size: 0)
    }

    /// Raises the allowance in proportion to a value supplied by the caller.
    ///
    /// Copies of a container that share memory count in each place: they are written for each. Linear in
    /// the memory of the value; not recursive.
    ///
    /// `known` holds the long texts and data that were counted before, which count once.
    ///
    /// - Throws: `sizeLimitExceeded` for copies that stand for more values than a document can have.
    package mutating func admit(
        _ value: PropertyListValue, _ known: inout Set<ContentIdentity>
    ) throws(PropertyListError) {
        let extent = TreeExtent(of: value, &known)
        try extent.checkCount()
        // A marker and a reference or the bits of a number, for each value.
        let overhead = TreeExtent.product(extent.values, 2 &+ MemoryLayout<Double>.size)
        let size = Self.sum(extent.shortBytes, extent.newLongBytes)
        // The value and a reference to it.
        let references = Self.sum(extent.values, extent.values)
        admit(extent: references, size: Self.sum(size, overhead))
    }

    package mutating func admit(extent: Int, size: Int) {
        account.extent = Self.sum(account.extent, extent)
        account.size = Self.sum(account.size, size)
        valueLimit = limits.expansion.limit(for: account.extent)
        byteLimit = limits.output.limit(for: account.size)
    }

    private static func sum(_ first: Int, _ second: Int) -> Int { TreeExtent.sum(first, second) }

    /// Charges `count` visited values.
    ///
    /// - Throws: `expansionLimitExceeded`.
    @inline(__always)
    package mutating func visit(_ count: Int = 1) throws(PropertyListError) {
        account.values &+= count
        if account.values > valueLimit { throw Self.expansionExceeded(valueLimit) }
    }

    /// Charges `count` bytes of text or data that are copied, printed, or read once more.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package mutating func charge(bytes count: Int) throws(PropertyListError) {
        account.bytes = Self.sum(account.bytes, count)
        if account.bytes > byteLimit { throw Self.outputExceeded(account.bytes, limit: byteLimit) }
    }

    /// Charges `count` values that a tree is built of, and that stay in memory while the operation goes on.
    ///
    /// A reference to a value takes one byte of a binary file, and the value takes 16 in a tree. The room
    /// that an array grows into, and what is made of the value, take as much again.
    ///
    /// - Parameters:
    ///   - count: the number of values.
    ///   - contents: the bytes that their texts and data take beside them.
    /// - Throws: `sizeLimitExceeded`.
    mutating func build(_ count: Int, contents: Int) throws(PropertyListError) {
        try charge(bytes: TreeExtent.sum(TreeExtent.product(count, 48), contents))
    }

    /// Charges a container that is built, without its values, and that stays in memory: the two objects that
    /// hold the values. Empty containers share one.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func buildContainer(isEmpty: Bool) throws(PropertyListError) {
        try charge(bytes: isEmpty ? 48 : 176)
    }

    /// Checks that `count` bytes more may be charged, while they are being made.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package func checkRoom(for count: Int) throws(PropertyListError) {
        if count > byteLimit &- account.bytes {
            throw Self.outputExceeded(account.bytes &+ count, limit: byteLimit)
        }
    }

    /// The number of values visited so far.
    package var visitedCount: Int { account.values }

    /// The number of bytes that may still be charged.
    package var remainingBytes: Int { max(byteLimit &- account.bytes, 0) }

    /// Leaves no more bytes than what further documents of the operation add.
    package mutating func exhaust() { account.bytes = max(account.bytes, byteLimit) }

    /// A budget that goes on from here, for a step whose result is charged to this one by its size.
    package borrowing func continued() -> OperationBudget {
        OperationBudget(limits: limits, continuing: account)
    }

    /// The limits for a step of the operation that writes: its output is what is left.
    package var outputLimits: ParsingLimits {
        var limits = limits
        limits.output = ParsingLimits.Allowance(factor: 0, base: remainingBytes)
        return limits
    }

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
            recovery: .init(.raiseLimits, "raise `ParsingLimits.expansion` if the file is genuine"))
    }

    @inline(never)
    package static func depthExceeded(
        _ depth: Int, limit: Int, format: PropertyListFormat? = nil, location: Location? = nil
    ) -> PropertyListError {
        PropertyListError(
            .depthLimitExceeded, format: format,
            what: "\(depth) containers are nested, \(limit) are allowed", location: location,
            recovery: .init(.raiseLimits, "raise `ParsingLimits.depth` if the file is genuine"))
    }

    /// The error for nesting within the limits where there is no stack for the next call.
    @inline(never)
    package static func stackExceeded(
        _ depth: Int, format: PropertyListFormat? = nil
    ) -> PropertyListError {
        PropertyListError(
            .depthLimitExceeded, format: format,
            what: "\(depth) values are nested, and the stack has no room for more",
            recovery: "use a thread with a larger stack, or nest less")
    }

    @inline(never)
    private static func outputExceeded(_ size: Int, limit: Int) -> PropertyListError {
        PropertyListError(
            .sizeLimitExceeded, format: nil,
            what: "\(size) bytes of output, \(limit) are allowed for a document of this size",
            recovery: .init(.raiseLimits, "raise `ParsingLimits.output` if the file is genuine"))
    }

    package typealias Location = PropertyListError.Location
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The remaining allowance of one operation under ``ParsingLimits``.
///
/// All operations that follow references, such as writing, building a value tree, printing,
/// comparing and merging, charge the budget. Each visit to a value is charged, and so are bytes
/// that are copied, printed or read again. This bounds the expansion of a small file in every
/// operation.
///
/// An operation creates one budget and passes it down. The type is not copyable, so no step can
/// start again with a full allowance.
package struct OperationBudget: ~Copyable {
    /// The state of a budget, for an operation that continues later.
    package struct Account: Sendable {
        // The size of the input. The allowance is relative to it.
        fileprivate var extent: Int
        fileprivate var size: Int
        // The part of the allowance that has been used.
        fileprivate var values = 0
        fileprivate var bytes = 0

        /// An account of the same size with nothing used.
        package var unspent: Account { Account(extent: extent, size: size) }
    }

    package let limits: ParsingLimits
    private var valueLimit: Int
    private var byteLimit: Int
    /// The state of the budget.
    package private(set) var account: Account

    /// Creates a budget for documents of `size` bytes.
    ///
    /// - Parameters:
    ///   - limits: the limits, relative to the documents.
    ///   - extent: the number of values in the documents plus the number of references to values.
    ///   - size: the number of bytes in the documents.
    package init(limits: ParsingLimits, extent: Int = 0, size: Int = 0) {
        self.init(limits: limits, continuing: Account(extent: extent, size: size))
    }

    /// Creates a budget that continues an earlier operation.
    package init(limits: ParsingLimits, continuing account: Account) {
        self.limits = limits
        self.account = account
        valueLimit = limits.expansion.limit(for: account.extent)
        byteLimit = limits.output.limit(for: account.size)
    }

    /// Creates a budget for an operation on several documents.
    package init(limits: ParsingLimits, _ documents: [PropertyListDocument]) {
        self.init(limits: limits)
        for document in documents { admit(document) }
    }

    /// Creates a budget for one step of an operation. The caller counts the visited values of the
    /// whole operation itself.
    ///
    /// `remainingValues` is the number of values that the operation may still visit. The step may
    /// produce any number of bytes.
    package init(limits: ParsingLimits, remainingValues: Int) {
        self.init(limits: limits)
        valueLimit = remainingValues
        byteLimit = .max
    }

    /// Raises the allowance for a further document of the operation.
    package mutating func admit(_ document: PropertyListDocument) {
        admit(extent: document.storage.extent, size: document.storage.budgetSize)
    }

    /// Raises the allowance for visits, but not for bytes, for a document embedded in a file of the
    /// operation. The bytes of the embedded document already count as part of that file.
    package mutating func admitValues(of document: PropertyListDocument) {
        admit(extent: document.storage.extent, size: 0)
    }

    /// Raises the allowance in proportion to a value supplied by the caller.
    ///
    /// Copies of a container that share memory count once per occurrence, because each is written
    /// out. Takes time linear in the memory of the value, without recursion.
    ///
    /// `known` holds the long strings and data that were counted before. Each of them counts once.
    ///
    /// - Throws: `sizeLimitExceeded` if the value expands to more values than a document can have.
    package mutating func admit(
        _ value: PropertyListValue, _ known: inout Set<ContentIdentity>
    ) throws(PropertyListError) {
        let extent = TreeExtent(of: value, &known)
        try extent.checkCount()
        // Each value takes a marker, plus a reference or the bits of a number.
        let overhead = TreeExtent.product(extent.values, 2 &+ MemoryLayout<Double>.size)
        let size = Self.sum(extent.shortBytes, extent.newLongBytes)
        // Each value counts together with one reference to it.
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

    /// Charges `count` bytes of text or data that are copied, printed, or read again.
    ///
    /// - Throws: `sizeLimitExceeded`.
    @inline(__always)
    package mutating func charge(bytes count: Int) throws(PropertyListError) {
        account.bytes = Self.sum(account.bytes, count)
        if account.bytes > byteLimit { throw Self.outputExceeded(account.bytes, limit: byteLimit) }
    }

    /// Charges for adding `count` values to a tree that stays in memory during the operation.
    ///
    /// A reference takes one byte in a binary file, but the value takes 16 bytes in a tree. Spare
    /// capacity of arrays and intermediate results account for the rest of the 48 bytes per value.
    ///
    /// - Parameters:
    ///   - count: the number of values.
    ///   - contents: the bytes of their strings and data.
    /// - Throws: `sizeLimitExceeded`.
    mutating func build(_ count: Int, contents: Int) throws(PropertyListError) {
        try charge(bytes: TreeExtent.sum(TreeExtent.product(count, 48), contents))
    }

    /// Charges for a container, without its values, in a tree that stays in memory. A container
    /// takes two heap objects. All empty containers share the same storage.
    ///
    /// - Throws: `sizeLimitExceeded`.
    mutating func buildContainer(isEmpty: Bool) throws(PropertyListError) {
        try charge(bytes: isEmpty ? 48 : 176)
    }

    /// Checks that `count` more bytes may be charged, without charging them.
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

    /// Uses up all remaining bytes. Only a further document of the operation raises the allowance.
    package mutating func exhaust() { account.bytes = max(account.bytes, byteLimit) }

    /// Returns a copy of this budget for one step. The caller charges the size of the step's result
    /// to this budget.
    package borrowing func continued() -> OperationBudget {
        OperationBudget(limits: limits, continuing: account)
    }

    /// The limits for a step that writes output. They allow as many bytes as remain.
    package var outputLimits: ParsingLimits {
        var limits = limits
        limits.output = ParsingLimits.Allowance(factor: 0, base: remainingBytes)
        return limits
    }

    /// Checks that `depth` nested containers are allowed.
    ///
    /// - Throws: `depthLimitExceeded`.
    @inline(__always)
    package func enter(depth: Int) throws(PropertyListError) {
        if depth > limits.depth { throw Self.depthExceeded(depth, limit: limits.depth) }
    }

    /// Checks the current size of one output, in bytes.
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
            what: "expected shared containers to expand to at most \(limit) values, found more",
            recovery: .init(.raiseLimits, "raise `ParsingLimits.expansion` if the file is trusted"))
    }

    @inline(never)
    package static func depthExceeded(
        _ depth: Int, limit: Int, format: PropertyListFormat? = nil, location: Location? = nil
    ) -> PropertyListError {
        PropertyListError(
            .depthLimitExceeded, format: format,
            what: "expected at most \(limit) nested containers, found \(depth)", location: location,
            recovery: .init(.raiseLimits, "raise `ParsingLimits.depth` if the file is trusted"))
    }

    /// Returns the error for nesting that is within the limits but for which the call stack has no
    /// room.
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
            what:
                "expected at most \(limit) bytes of output for a document of this size, "
                + "found \(size)",
            recovery: .init(.raiseLimits, "raise `ParsingLimits.output` if the file is trusted"))
    }

    package typealias Location = PropertyListError.Location
}

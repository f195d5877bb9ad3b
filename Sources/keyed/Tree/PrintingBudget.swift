// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

/// What is left of the limit of output for all that is printed of one file, in how many trees soever.
final class PrintingBudget {
    private let budget: ParsingBudget
    // Bytes printed, or looked at in order to print less.
    private var effort = 0

    init(_ budget: ParsingBudget) { self.budget = budget }

    /// The budget for what a file of `size` bytes holds.
    convenience init(_ limits: ParsingLimits, size: Int) {
        self.init(ParsingBudget(limits: limits, nodeCount: size, size: size))
    }

    /// Charges bytes.
    ///
    /// - Throws: `sizeLimitExceeded`.
    func charge(_ size: Int) throws(PropertyListError) {
        effort += size
        try budget.emit(size: effort)
    }
}

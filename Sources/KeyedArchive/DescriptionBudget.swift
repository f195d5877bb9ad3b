// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) package import PropertyList

/// The budget for all class descriptions of one archive.
///
/// A small file can describe a thousand classes that share an array of a million names, or a name
/// of one megabyte. Each parsed description has its own copy.
package struct DescriptionBudget {
    private var count = 0
    /// The number of bytes of strings and data in all descriptions so far.
    package private(set) var size = 0
    private let countLimit: Int
    private let sizeLimit: Int
    // The values still to be counted. It is a property in order to reuse its storage.
    private var pending: [UInt32] = []

    /// Creates the budget for the class descriptions of one archive.
    package init(_ contents: ArchiveContents, limits: ParsingLimits) {
        self.init(DocumentTable(contents.document), limits)
    }

    init(_ table: DocumentTable, _ limits: ParsingLimits) {
        let values = min(max(limits.expansion.limit(for: table.extent), 0), Int.max >> 5)
        // Descriptions that share nothing have at most as many values as all containers have
        // elements.
        countLimit = max(values, 2 &* table.children.count &+ 1000)
        // A description usually refers to its name twice, hence twice the table's size. The limit
        // adds 16 bytes, enough for a short text, for each value that `limits.expansion` allows.
        sizeLimit = 2 &* table.size &+ 16 &* values
    }

    /// Charges the values of a description, and the bytes of its strings and data.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(
        _ description: UInt32, of table: DocumentTable, _ object: PropertyListUID
    ) throws(KeyedArchiveError) {
        pending.removeAll(keepingCapacity: true)
        pending.reserveCapacity(16)
        pending.append(description)
        while let node = pending.popLast() {
            let record = table[node]
            count &+= 1
            switch record.kind {
            case .string, .data:
                size &+= table.contentLength(of: record)
            case .array, .set, .dictionary:
                let children = record.childRange
                if pending.count &+ children.count > countLimit { throw exceeded(object) }
                for place in children { pending.append(table.child(place)) }
            default: break
            }
            if count > countLimit || size > sizeLimit { throw exceeded(object) }
        }
    }

    private func exceeded(_ object: PropertyListUID) -> KeyedArchiveError {
        KeyedArchiveError(
            .expansionLimitExceeded,
            what: "expected class descriptions of at most "
                + (size > sizeLimit ? "\(sizeLimit) bytes" : "\(countLimit) values")
                + ", found more",
            object: object,
            recovery: "raise `ParsingLimits.expansion` if the archive is trusted")
    }
}

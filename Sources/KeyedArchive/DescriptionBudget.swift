// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) package import PropertyList

/// Bounds what the descriptions of the classes of an archive expand to together.
///
/// A small file can describe a thousand classes that share a list of a million names, or one name of a
/// megabyte, and each description that is read has a copy.
package struct DescriptionBudget {
    private var count = 0
    /// The bytes that all descriptions so far hold.
    package private(set) var size = 0
    // Descriptions that share nothing cannot have more values than there are elements of containers.
    private let countLimit: Int
    private let sizeLimit: Int
    // Values that are to be counted; kept for its room.
    private var pending: [UInt32] = []

    /// Prepares for the descriptions of one archive.
    package init(_ contents: ArchiveContents, limits: ParsingLimits) {
        self.init(DocumentTable(contents.document), limits)
    }

    init(_ table: DocumentTable, _ limits: ParsingLimits) {
        countLimit = 2 &* table.children.count &+ 1000
        // A name mostly stands in a description twice, as the same value. For each value that the limits
        // allow there may be a short text more.
        let values = min(max(limits.expansion.limit(for: table.extent), 0), Int.max >> 5)
        sizeLimit = 2 &* table.size &+ 16 &* values
    }

    /// Counts all that a description holds, and its bytes of text and data.
    ///
    /// - Throws: `expansionLimitExceeded`.
    mutating func charge(
        _ description: UInt32, of table: DocumentTable, _ object: PropertyListUID
    ) throws(KeyedArchiveError) {
        pending.removeAll(keepingCapacity: true)
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
            what: "the descriptions of classes expand to more than "
                + (size > sizeLimit ? "\(sizeLimit) bytes" : "\(countLimit) values"),
            object: object,
            recovery: size > sizeLimit
                ? "raise `ParsingLimits.expansion` if the archive is genuine" : nil)
    }
}

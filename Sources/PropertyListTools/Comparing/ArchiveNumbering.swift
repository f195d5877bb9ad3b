// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// The references of a keyed archive and the number of its objects.
///
/// A reference is the position of an object in `$objects`. If both sides of a merge add, remove or
/// reorder objects, a reference of one side can therefore lead to an object of the other.
struct ArchiveNumbering: Equatable {
    /// The UIDs, in the order of a traversal with sorted keys.
    private var references: [UInt64] = []
    private let objectCount: Int?

    /// Collects the references. Linear in the expansion of the document.
    ///
    /// - Throws: `expansionLimitExceeded`.
    init(
        _ document: PropertyListDocument, within budget: inout OperationBudget
    ) throws(PropertyListError) {
        objectCount = document.root[ArchiveFormat.objectsKey]?.array?.count
        let records = document.storage.store.records
        var walk = DocumentWalk(document.root, sortsKeys: true)
        while let step = try walk.next(&budget) {
            guard case .enter(let node, _) = step else { continue }
            let record = records[Int(node)]
            if record.kind == .uid { references.append(record.payload) }
        }
    }

    /// Checks that at most one side of a merge changed the numbering.
    ///
    /// - Throws: `unrepresentableValue` if both did. The errors of ``init(_:within:)``.
    static func check(
        base: PropertyListDocument, ours: PropertyListDocument, theirs: PropertyListDocument,
        within budget: inout OperationBudget
    ) throws(PropertyListError) {
        guard ours.looksLikeKeyedArchive || theirs.looksLikeKeyedArchive else { return }
        let old = try ArchiveNumbering(base, within: &budget)
        if try ArchiveNumbering(ours, within: &budget) == old { return }
        if try ArchiveNumbering(theirs, within: &budget) == old { return }
        throw PropertyListError(
            .unrepresentableValue,
            what: "both sides changed the references of a keyed archive, so a reference of one "
                + "side could lead to an object of the other",
            recovery: "keep one side, and make the changes of the other side there again")
    }
}

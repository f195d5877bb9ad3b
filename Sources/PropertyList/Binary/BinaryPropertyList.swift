// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// The writer of binary property lists, `bplist00`.
public enum BinaryPropertyList {
    /// Serializes a document. The output is deterministic. Linear in the size of the output.
    ///
    /// - Parameters:
    ///   - document: the document to write.
    ///   - layout: the numbering of objects and the widths of integers; see ``BinaryLayout``.
    ///   - limits: the limits on nesting and output, and on expansion if the layout repeats
    ///     containers.
    /// - Returns: The file.
    /// - Throws: `unrepresentableValue` for an unreadable value, `depthLimitExceeded`,
    ///   `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, layout: BinaryLayout = .compact,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var budget = document.budget(limits)
        let objects = try ObjectList(document, layout.numbering, &budget)
        // The root is always the first object.
        let root = objects.order.first ?? 0
        let writer = BinaryWriter(document.storage.store, objects, root: root, layout, budget)
        return try writer.write()
    }

    /// Serializes the values of a store in the given order, each as one object.
    ///
    /// - Throws: `unrepresentableValue` for an unreadable value, `sizeLimitExceeded`.
    package static func serialize(
        _ store: NodeStore, order: [UInt32], root: UInt32, layout: BinaryLayout,
        budget: consuming OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let objects = ObjectList(store, order: order, layout.numbering)
        let writer = BinaryWriter(store, objects, root: root, layout, budget)
        return try writer.write()
    }
}

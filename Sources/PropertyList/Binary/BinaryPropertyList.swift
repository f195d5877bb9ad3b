// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

/// Binary property lists, `bplist00`, as bytes.
public enum BinaryPropertyList {
    /// Writes a document. Deterministic; linear in what is written.
    ///
    /// - Parameters:
    ///   - document: what is written.
    ///   - layout: how objects are numbered; see ``BinaryLayout``.
    ///   - limits: how much the document may expand to, where the layout repeats containers.
    /// - Returns: The file.
    /// - Throws: `unrepresentableValue` for an unreadable value, `depthLimitExceeded`,
    ///   `expansionLimitExceeded`, `sizeLimitExceeded`.
    public static func serialize(
        _ document: PropertyListDocument, layout: BinaryLayout = .compact,
        limits: ParsingLimits = .default
    ) throws(PropertyListError) -> [UInt8] {
        var budget = document.budget(limits)
        let objects = try ObjectList(document, layout.numbering, &budget)
        let writer = BinaryWriter(document.storage.store, objects, layout, budget)
        return try writer.write()
    }

    /// Writes the values of a store in an order that is given, each as one object.
    ///
    /// - Throws: `unrepresentableValue` for an unreadable value, `sizeLimitExceeded`.
    package static func serialize(
        _ store: NodeStore, order: [UInt32], root: UInt32, layout: BinaryLayout,
        budget: consuming OperationBudget
    ) throws(PropertyListError) -> [UInt8] {
        let objects = ObjectList(store, order: order, layout.numbering)
        let writer = BinaryWriter(store, objects, layout, budget)
        return try writer.write(root: objects.number(of: root))
    }
}

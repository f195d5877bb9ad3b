// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

@_spi(Tables) internal import PropertyList

/// An archive, validated, that opaque objects are parts of.
final class OpaqueArchive: Sendable {
    let identity = ArchiveIdentity()
    private let table: DocumentTable
    private let index: ArchiveIndex

    init(_ table: DocumentTable, _ index: ArchiveIndex) {
        self.table = table
        self.index = index
    }

    /// How many values all entries have together. What shares nothing cannot expand to more.
    var valueCount: Int { table.children.count &+ index.count }

    /// The key of a field as the program knows it; nil for a key of the format.
    func key(
        _ node: PropertyListNode, _ keys: inout FieldKeys, _ contents: inout LongContents
    ) -> String? {
        keys.key(UInt32(truncatingIfNeeded: node.number), of: table, &contents)
    }

    func isNull(_ object: UInt32) -> Bool { !index.slot(of: object).isObject }

    func node(of object: UInt32) -> PropertyListNode { table.view(index.node(of: object)) }

    /// The class of an object that is no plain value.
    func archivedClass(of object: UInt32) -> ArchivedClass? {
        let slot = index.slot(of: object)
        guard slot.isObject, !slot.isLeaf else { return nil }
        return index.archivedClass(slot)
    }

    /// The objects that an object refers to, in order, without its class.
    func references(of object: UInt32) -> [UInt32] {
        let fields = node(of: object).dictionary.map(Array.init) ?? []
        return fields.filter { !$0.keyNode.isString(ArchivedObject.classKey) }
            .flatMap { references(in: $0.value) }
    }

    /// The objects that a field refers to: one, or those of a list.
    func references(in field: PropertyListNode) -> [UInt32] {
        if let uid = field.uid { return [uid.value] }
        return field.array?.compactMap { $0.uid?.value } ?? []
    }

    /// How many fields an object has, with the elements of those that are lists.
    func elementCount(of object: UInt32) -> Int {
        node(of: object).dictionary?.reduce(0) { $0 &+ 1 &+ ($1.value.array?.count ?? 0) } ?? 0
    }

    /// The first field of an object that cannot be kept.
    func nestedField(of object: UInt32) -> String? {
        node(of: object).dictionary?.first { Self.isNested($0.value) }?.key
    }

    /// Whether a field holds containers within another, which no archiver writes: it cannot be kept.
    static func isNested(_ field: PropertyListNode) -> Bool {
        switch field.kind {
        case .dictionary, .set: true
        case .array: field.array?.contains { $0.kind.isContainer } ?? false
        default: false
        }
    }

    static func nested(_ key: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject,
            what: "`\(TerminalText.escaped(key))` holds containers within containers",
            object: PropertyListUID(object))
    }
}

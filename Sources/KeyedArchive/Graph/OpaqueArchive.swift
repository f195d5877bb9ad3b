// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// A validated archive that opaque objects refer to.
final class OpaqueArchive: Sendable {
    let identity = ArchiveIdentity()
    let table: DocumentTable
    private let index: ArchiveIndex

    init(_ table: DocumentTable, _ index: ArchiveIndex) {
        self.table = table
        self.index = index
    }

    /// The number of values in the file and of references to them.
    var extent: Int { table.extent }

    func isNull(_ object: UInt32) -> Bool { !index.classNumber(of: object).isObject }

    func node(of object: UInt32) -> PropertyListNode { table.view(nodeNumber(of: object)) }

    /// Returns the number of the node of an object.
    func nodeNumber(of object: UInt32) -> UInt32 { index.node(of: object) }

    /// Returns the class of an object with fields; nil for other entries.
    func archivedClass(of object: UInt32) -> ArchivedClass? {
        describedClass(of: object).map(index.archivedClass)
    }

    /// Returns the number of the class of an entry.
    func classNumber(of object: UInt32) -> ClassNumber { index.classNumber(of: object) }

    /// Returns the number of the class of an object with fields; nil for other entries.
    func describedClass(of object: UInt32) -> ClassNumber? {
        let number = index.classNumber(of: object)
        return number.isObject && !number.isLeaf ? number : nil
    }

    /// Returns the class with this number.
    func archivedClass(_ number: ClassNumber) -> ArchivedClass { index.archivedClass(number) }

    /// A field of an object as the nodes of its key and its value.
    struct Field {
        let key: UInt32
        let value: UInt32
        /// A Boolean value indicating whether the key is `$class`.
        let isClass: Bool
    }

    /// Returns the fields of an object, in order.
    ///
    /// - Throws: `malformedObject` for a key that is not a string, and for a duplicate key.
    func fields(of object: UInt32) throws(KeyedArchiveError) -> [Field] {
        let record = table[nodeNumber(of: object)]
        var fields: [Field] = []
        fields.reserveCapacity(record.count)
        // By key number: equal numbers mean equal keys.
        var known: Set<UInt32> = []
        for place in record.keyRange {
            let key = table[table.child(place)]
            guard key.kind == .string else { throw Self.nonStringKey(key.kind, object) }
            if table.hasDuplicateKeys, !known.insert(key.keyNumber).inserted {
                throw Self.malformed("it has a duplicate key", object)
            }
            fields.append(
                Field(
                    key: table.child(place), value: table.child(record.valuePlace(ofKeyAt: place)),
                    isClass: table.isString(key, ArchiveFormat.classKey)))
        }
        return fields
    }

    /// Returns the elements of an array stored inline in an object.
    ///
    /// - Throws: `malformedObject` for nested containers.
    func elements(
        of list: NodeRecord, inFieldOf object: UInt32
    ) throws(KeyedArchiveError) -> ArraySlice<UInt32> {
        let places = list.valueRange
        guard list.kind == .array,
            !places.contains(where: { table[table.child($0)].isContainer })
        else { throw Self.nested(nestedField(of: object) ?? "", object) }
        return table.children[places]
    }

    /// Returns the objects that an object refers to, in order, without its class.
    func references(of object: UInt32) -> [UInt32] {
        let fields = node(of: object).dictionary.map(Array.init) ?? []
        return fields.filter { !$0.keyNode.isString(ArchiveFormat.classKey) }
            .flatMap { references(in: $0.value) }
    }

    /// Returns the objects that a field refers to: one, or the elements of an array.
    func references(in field: PropertyListNode) -> [UInt32] {
        if let uid = field.uid { return [uid.value] }
        return field.array?.compactMap { $0.uid?.value } ?? []
    }

    /// Returns the number of fields of an object plus the number of elements in inline arrays.
    func elementCount(of object: UInt32) -> Int {
        node(of: object).dictionary?.reduce(0) { $0 &+ 1 &+ ($1.value.array?.count ?? 0) } ?? 0
    }

    /// Returns the key of the first field with nested containers, which cannot be kept; nil if
    /// there is none.
    func nestedField(of object: UInt32) -> String? {
        node(of: object).dictionary?.first { Self.isNested($0.value) }?.key
    }

    /// Returns whether a field is an inline dictionary or set, or an array with containers in it.
    /// No archiver writes such fields, and they cannot be kept.
    static func isNested(_ field: PropertyListNode) -> Bool {
        switch field.kind {
        case .dictionary, .set: true
        case .array: field.array?.contains { $0.kind.isContainer } ?? false
        default: false
        }
    }

    static func malformed(_ what: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject, what: "object \(object): \(what)", object: PropertyListUID(object))
    }

    static func nonStringKey(_ kind: PropertyListKind, _ object: UInt32) -> KeyedArchiveError {
        malformed("expected keys that are strings, found one of kind \(kind)", object)
    }

    static func nested(_ key: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject,
            what: "`\(TerminalText.escaped(key))` contains nested containers, which no archiver "
                + "writes",
            object: PropertyListUID(object))
    }

    static func reserved(_ key: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject,
            what: "`\(TerminalText.escaped(key))` is a reserved key of unknown meaning",
            object: PropertyListUID(object))
    }
}

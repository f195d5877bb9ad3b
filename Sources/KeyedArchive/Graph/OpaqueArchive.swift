// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) internal import PropertyList

/// An archive, validated, that opaque objects are parts of.
final class OpaqueArchive: Sendable {
    let identity = ArchiveIdentity()
    let table: DocumentTable
    private let index: ArchiveIndex

    init(_ table: DocumentTable, _ index: ArchiveIndex) {
        self.table = table
        self.index = index
    }

    /// The number of values in the file, and of references to them.
    var extent: Int { table.extent }

    /// The key of a field as the program knows it; nil for a key of the format.
    func key(
        _ node: PropertyListNode, _ keys: inout FieldKeys, _ contents: inout LongContents
    ) -> String? {
        keys.key(UInt32(truncatingIfNeeded: node.number), of: table, &contents)
    }

    func isNull(_ object: UInt32) -> Bool { !index.classNumber(of: object).isObject }

    func node(of object: UInt32) -> PropertyListNode { table.view(nodeNumber(of: object)) }

    /// The number of the node that is an object.
    func nodeNumber(of object: UInt32) -> UInt32 { index.node(of: object) }

    /// The class of an object that is no plain value.
    func archivedClass(of object: UInt32) -> ArchivedClass? {
        describedClass(of: object).map(index.archivedClass)
    }

    /// The number of the class of an object that is no plain value.
    func describedClass(of object: UInt32) -> ClassNumber? {
        let number = index.classNumber(of: object)
        return number.isObject && !number.isLeaf ? number : nil
    }

    /// A class by its number.
    func archivedClass(_ number: ClassNumber) -> ArchivedClass { index.archivedClass(number) }

    /// A field of an object, by the nodes of its key and its value.
    struct Field {
        let key: UInt32
        let value: UInt32
        /// A Boolean value that says whether it is the one that refers to the class.
        let isClass: Bool
    }

    /// The fields of an object, in order.
    ///
    /// - Throws: `malformedObject` for a key that is not a string, and for one that the object has twice.
    func fields(of object: UInt32) throws(KeyedArchiveError) -> [Field] {
        let record = table[nodeNumber(of: object)]
        var fields: [Field] = []
        fields.reserveCapacity(record.count)
        // By their numbers: the same number is the same text.
        var known: Set<UInt32> = []
        for place in record.keyRange {
            let key = table[table.child(place)]
            guard key.kind == .string else {
                throw Self.malformed("a key is of kind \(key.kind)", object)
            }
            if table.hasDuplicateKeys, !known.insert(key.keyNumber).inserted {
                throw Self.malformed("it has a key twice", object)
            }
            fields.append(
                Field(
                    key: table.child(place), value: table.child(record.valuePlace(ofKeyAt: place)),
                    isClass: table.isString(key, ArchiveFormat.classKey)))
        }
        return fields
    }

    /// The elements of a list that stands in an object.
    ///
    /// - Throws: `malformedObject` for containers within containers.
    func elements(
        of list: NodeRecord, inFieldOf object: UInt32
    ) throws(KeyedArchiveError) -> ArraySlice<UInt32> {
        let places = list.valueRange
        guard list.kind == .array,
            !places.contains(where: { table[table.child($0)].isContainer })
        else { throw Self.nested(nestedField(of: object) ?? "", object) }
        return table.children[places]
    }

    /// The objects that an object refers to, in order, without its class.
    func references(of object: UInt32) -> [UInt32] {
        let fields = node(of: object).dictionary.map(Array.init) ?? []
        return fields.filter { !$0.keyNode.isString(ArchiveFormat.classKey) }
            .flatMap { references(in: $0.value) }
    }

    /// The objects that a field refers to: one, or those of a list.
    func references(in field: PropertyListNode) -> [UInt32] {
        if let uid = field.uid { return [uid.value] }
        return field.array?.compactMap { $0.uid?.value } ?? []
    }

    /// Returns the number of fields of an object, with the elements of those that are lists.
    func elementCount(of object: UInt32) -> Int {
        node(of: object).dictionary?.reduce(0) { $0 &+ 1 &+ ($1.value.array?.count ?? 0) } ?? 0
    }

    /// The first field of an object that cannot be kept.
    func nestedField(of object: UInt32) -> String? {
        node(of: object).dictionary?.first { Self.isNested($0.value) }?.key
    }

    /// Returns whether a field holds containers within another, which no archiver writes: it cannot
    /// be kept.
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

    static func nested(_ key: String, _ object: UInt32) -> KeyedArchiveError {
        KeyedArchiveError(
            .malformedObject,
            what: "`\(TerminalText.escaped(key))` holds containers within containers",
            object: PropertyListUID(object))
    }
}

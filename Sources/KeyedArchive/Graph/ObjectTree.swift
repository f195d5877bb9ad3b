// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import ArchiveVocabulary
@_spi(Tables) public import PropertyList
internal import PropertyListCodable

extension OpaqueObject {
    /// Decodes a `Decodable` value from the object by the names of its fields, whatever its class.
    ///
    /// ```swift
    /// struct Save: Decodable { let name: String, friends: [Save]?, born: Date }
    ///
    /// let save = try opaque.decode(Save.self)
    /// ```
    ///
    /// - Throws: the errors of ``propertyList(limits:)``; `DecodingError`.
    public func decode<T: Decodable>(
        _ type: T.Type = T.self, limits: ParsingLimits = .default
    ) throws -> T {
        let decoder = PlistDecoder()
        decoder.limits = limits
        return try decoder.decode(type, from: propertyList(limits: limits))
    }

    /// Returns the object and everything it refers to as a tree.
    ///
    /// `NSArray`, `NSSet`, `NSOrderedSet`, `NSDictionary` and plain values become property list
    /// values, dates become dates, and UUIDs and URLs have the form that `Codable` gives them. All
    /// other objects become dictionaries of their fields, without the class. Values without a key
    /// have the keys `$0`, `$1`, … as in the archive. A key that begins with `$$` is unescaped,
    /// unless its unescaped form is another key of the object. Fields that are nil are omitted. An
    /// `NSNull`, and an element that is nil, become the string `$null`. A shared object is repeated
    /// for each reference to it. References within nested inline containers, which no archiver
    /// writes, stay UIDs.
    ///
    /// - Throws: `referenceCycle`; `depthLimitExceeded` beyond `limits.depth` nested objects, or
    ///   beyond 512; `expansionLimitExceeded`; `wrongType` for a dictionary with a key that is not
    ///   a string; `malformedObject` for a dictionary whose keys and values differ in number, for a
    ///   field whose key is not a string, and for a duplicate key; `invalidPropertyList` for an
    ///   inline value that cannot be converted.
    public func propertyList(
        limits: ParsingLimits = .default
    ) throws(KeyedArchiveError) -> PropertyListValue {
        var tree = ObjectTree(archive, limits)
        return try tree.value(of: number)
    }
}

/// The conversion of the objects of an archive to a tree.
private struct ObjectTree: ~Copyable {
    // Each nested object is a nested call. More calls could overflow the stack.
    private static let deepest = 512

    /// The facts about a class that its superclasses determine.
    private struct Kind {
        let isNull: Bool
        let family: CollectionFamily?

        init(_ found: ArchivedClass) {
            isNull = found.isKind(of: FoundationClass.null)
            family = CollectionFamily(found)
        }
    }

    private let archive: OpaqueArchive
    private let depthLimit: Int
    private var budget: OperationBudget
    private var longContents = LongContents()
    private var keys = FieldKeys()
    // The hashes of unescaped keys. `longContents` has those of the keys in the archive.
    private var unescapedNames = LongContents()
    // By key: the number of its unescaped form, if that is a key of the document too.
    private var unescapedNumbers: [UInt32: UInt32?] = [:]
    // By class. Cached, because a class may have very many superclasses.
    private var kinds: [ClassNumber: Kind] = [:]
    // The enclosing objects, outermost first.
    private var open: [UInt32] = []

    init(_ archive: OpaqueArchive, _ limits: ParsingLimits) {
        self.archive = archive
        depthLimit = min(limits.depth, Self.deepest)
        budget = OperationBudget(limits: limits, extent: archive.extent)
    }

    mutating func value(of object: UInt32) throws(KeyedArchiveError) -> PropertyListValue {
        try visit(for: object)
        let node = archive.node(of: object)
        guard let classNumber = archive.describedClass(of: object), let fields = node.dictionary
        else { return try plain(node) }
        if kind(of: classNumber).isNull { return .string(ArchiveFormat.null) }
        if open.contains(object) {
            throw failure(.referenceCycle, "object \(object) contains itself", object)
        }
        if open.count >= depthLimit {
            throw failure(
                .depthLimitExceeded,
                "expected at most \(depthLimit) nested objects, found more", object)
        }
        open.append(object)
        let value = try value(of: node, fields, object, classNumber)
        open.removeLast()
        return value
    }

    private mutating func value(
        of node: PropertyListNode, _ fields: PropertyListNode.DictionaryView, _ object: UInt32,
        _ classNumber: ClassNumber
    ) throws(KeyedArchiveError) -> PropertyListValue {
        if let content = node[FoundationField.string] ?? node[FoundationField.data],
            fields.count == 2, let value = try target(of: content)
        {
            return value
        }
        if let seconds = node[FoundationField.time]?.real {
            return .date(PropertyListDate(secondsSince2001: seconds.value))
        }
        if let bytes = node[FoundationField.uuidBytes]?.data, bytes.count == 16 {
            return Self.uuid(bytes)
        }
        if node[FoundationField.relative] != nil { return try url(node) }
        if let objects = node[FoundationField.objects]?.array {
            return try collection(node[FoundationField.keys]?.array, objects)
        }
        guard let numbered = NumberedFields(of: node.record, in: archive.table),
            !numbered.elements.isEmpty || kind(of: classNumber).family == .list
        else { return try dictionary(of: object) }
        let keys = numbered.keys.map(archive.table.view)
        return try collection(
            keys.isEmpty ? nil : keys, numbered.elements.lazy.map(archive.table.view))
    }

    /// Returns a dictionary if there are keys, and an array otherwise.
    private mutating func collection(
        _ keys: (some Sequence<PropertyListNode>)?, _ objects: some Sequence<PropertyListNode>
    ) throws(KeyedArchiveError) -> PropertyListValue {
        let values = try elements(objects)
        guard let keys else { return .array(PropertyListArray(values)) }
        return try dictionary(keys: try names(keys), values)
    }

    private mutating func kind(of number: ClassNumber) -> Kind {
        if let known = kinds[number] { return known }
        let kind = Kind(archive.archivedClass(number))
        kinds[number] = kind
        return kind
    }

    private mutating func visit(
        _ count: Int = 1, for object: UInt32? = nil
    ) throws(KeyedArchiveError) {
        do { try budget.visit(count) } catch { throw expansionExceeded(object) }
    }

    /// Returns a plain value, or a container stored inline, charging each element.
    private mutating func plain(
        _ node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue {
        do {
            return try node.value(within: &budget, &longContents)
        } catch {
            if error.code == .expansionLimitExceeded { throw expansionExceeded() }
            throw KeyedArchiveError(error)
        }
    }

    private mutating func elements(
        _ list: some Sequence<PropertyListNode>
    ) throws(KeyedArchiveError) -> [PropertyListValue] {
        var values: [PropertyListValue] = []
        for element in list {
            values.append(try target(of: element) ?? .string(ArchiveFormat.null))
        }
        return values
    }

    /// Returns the keys of an archived dictionary, which will be hashed.
    private mutating func names(
        _ list: some Sequence<PropertyListNode>
    ) throws(KeyedArchiveError) -> [PropertyListValue] {
        let before = longContents.repeatedBytes
        let names = try elements(list)
        try visit(longContents.cost(since: before))
        return names
    }

    /// Returns the value of a field; nil for a reference to nil. An array may contain references.
    private mutating func field(
        _ node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue? {
        guard let list = node.array else { return try target(of: node) }
        try visit()
        return .array(PropertyListArray(try elements(list)))
    }

    /// Returns the object that a node refers to, or the value that it contains; nil for a reference
    /// to nil.
    private mutating func target(
        of node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue? {
        guard let uid = node.uid else { return try plain(node) }
        if archive.isNull(uid.value) {
            // Objects may share a long array of nils.
            try visit()
            return nil
        }
        return try value(of: uid.value)
    }

    private mutating func dictionary(
        of object: UInt32
    ) throws(KeyedArchiveError) -> PropertyListValue {
        let record = archive.table[archive.nodeNumber(of: object)]
        var names: [FieldName] = []
        var values: [PropertyListValue] = []
        for entry in try archive.fields(of: object) where !entry.isClass {
            guard let value = try field(archive.table.view(entry.value)) else { continue }
            names.append(name(of: entry.key, in: record))
            values.append(value)
        }
        let keys = DictionaryKeys(distinct: names.map(\.text)) { index in
            let name = names[index]
            return name.isUnescaped
                ? unescapedNames.keyHash(of: name.key, name.text)
                : longContents.keyHash(of: name.key, name.text)
        }
        return .dictionary(PropertyListDictionary(keys: keys, values: values))
    }

    /// The key of a field in the tree.
    private struct FieldName {
        let key: UInt32
        let text: String
        let isUnescaped: Bool
    }

    /// Returns the key of a field in the tree: the unescaped key, or one such as `$0` as it is in
    /// the archive. A key stays escaped if its unescaped form is another key of the object.
    private mutating func name(of key: UInt32, in record: NodeRecord) -> FieldName {
        let written = archive.table.string(of: key, &longContents)
        guard written.utf8.first == UInt8(ascii: "$"),
            let name = keys.key(key, of: archive.table, &longContents),
            !isTaken(name, key, in: record)
        else { return FieldName(key: key, text: written, isUnescaped: false) }
        return FieldName(key: key, text: name, isUnescaped: true)
    }

    /// Returns whether `name`, the unescaped form of a key, is another key of the object in the
    /// tree. `$class` is not in the tree.
    private mutating func isTaken(_ name: String, _ key: UInt32, in record: NodeRecord) -> Bool {
        guard let number = unescapedNumber(name, key),
            archive.table.place(ofKey: number, in: record) != nil
        else { return false }
        return !name.isLiterally(ArchiveFormat.classKey)
    }

    private mutating func unescapedNumber(_ name: String, _ key: UInt32) -> UInt32? {
        if let known = unescapedNumbers[key] { return known }
        let number = archive.table.keyNumber(of: name)
        unescapedNumbers.updateValue(number, forKey: key)
        return number
    }

    private func dictionary(
        keys: [PropertyListValue], _ values: [PropertyListValue]
    ) throws(KeyedArchiveError) -> PropertyListValue {
        guard keys.count == values.count else {
            throw .unequalCounts(
                keys: keys.count, values: values.count, PropertyListUID(open.last ?? 0))
        }
        var entries = PropertyListDictionary()
        for (key, value) in zip(keys, values) {
            guard case .string(let text) = key else {
                throw failure(
                    .wrongType, "a dictionary has a key of kind \(key.kind), not a string",
                    open.last ?? 0)
            }
            let count = entries.count
            entries[text] = value
            if entries.count == count {
                throw failure(
                    .malformedObject, "a key occurs twice in a dictionary", open.last ?? 0)
            }
        }
        return .dictionary(entries)
    }

    /// Returns a URL in the form of `Codable`: a dictionary with `relative`, and `base` if there is
    /// one.
    private mutating func url(
        _ node: PropertyListNode
    ) throws(KeyedArchiveError) -> PropertyListValue {
        var entries = PropertyListDictionary()
        let parts = [("base", FoundationField.base), ("relative", FoundationField.relative)]
        for (name, key) in parts {
            guard let part = node[key] else { continue }
            entries[name] = try field(part)
        }
        return .dictionary(entries)
    }

    /// Returns a UUID in the form of `Codable`: its text.
    private static func uuid(_ bytes: ArraySlice<UInt8>) -> PropertyListValue {
        let digits = Array("0123456789ABCDEF".utf8)
        var text: [UInt8] = []
        for (place, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(place) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return .string(String(decoding: text, as: UTF8.self))
    }

    private func expansionExceeded(_ object: UInt32? = nil) -> KeyedArchiveError {
        .expansionExceeded(
            budget.limits.expansion.limit(for: archive.extent),
            PropertyListUID(object ?? open.last ?? 0))
    }

    private func failure(
        _ code: KeyedArchiveError.Code, _ what: String, _ object: UInt32
    ) -> KeyedArchiveError {
        KeyedArchiveError(code, what: what, object: PropertyListUID(object))
    }
}

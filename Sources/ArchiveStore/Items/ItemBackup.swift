// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import KeyedArchive
public import PropertyList

/// Items outside their store: what ``ItemStore/backup(matching:)`` takes along, and
/// ``ItemStore/restore(_:)`` puts back.
///
/// ``archived()`` is **not encrypted**. With the package trait `Stores`, `sealed(passphrase:)` is.
public struct ItemBackup: Sendable, Hashable {
    /// The items, none of them for one device only.
    public private(set) var items: [Item]

    init(_ items: [Item]) {
        self.items = items.filter { !$0.attributes.accessibility.isThisDeviceOnly }
    }
}

extension ItemStore {
    /// The items that match, but for those of this device only.
    ///
    /// - Throws: as ``items(matching:limit:)``.
    public func backup(matching query: ItemQuery = ItemQuery()) throws -> ItemBackup {
        ItemBackup(try items(matching: query))
    }

    /// Saves the items of a backup, each in the access group that it is from, dates included; items of
    /// the same identity are replaced. One transaction for each group.
    ///
    /// - Returns: how many there were.
    /// - Throws: `unknownAccessGroup` before anything is changed; as ``save(_:)``.
    @discardableResult
    public func restore(_ backup: ItemBackup) throws -> Int {
        let groups = Dictionary(grouping: backup.items) {
            ExactText($0.attributes.accessGroup ?? "")
        }
        for group in groups.keys { _ = try transaction(in: group.text) { $0.accessGroup } }
        for (group, items) in groups {
            try transaction(in: group.text) { transaction in
                for item in items {
                    try transaction.remove(item.attributes.identity)
                    try transaction.insert(item)
                }
            }
        }
        return backup.items.count
    }
}

// MARK: - As bytes

// A keyed archive of an NSArray of NSDictionaries: `data`, and the attributes under the names that they
// have here. Those that are nil or false are left out.

extension ItemBackup {
    /// The backup as a keyed archive of plain values, **not encrypted**.
    ///
    /// - Throws: `KeyedArchiveError` where limits are exceeded.
    public func archived() throws -> [UInt8] {
        try KeyedArchiver.archive(
            PropertyListValue.array(PropertyListArray(items.map { .dictionary($0.fields) })),
            allowing: .propertyList)
    }

    /// Reads what ``archived()`` wrote. Items for one device only are left out.
    ///
    /// - Throws: `KeyedArchiveError`; ``StoreError`` with `invalidContents` and the path.
    public init(parsing bytes: some Sequence<UInt8>, limits: ParsingLimits = .untrusted) throws {
        let list = try KeyedUnarchiver.unarchive(
            PropertyListValue.self, from: bytes, allowing: .propertyList, limits: limits)
        guard let list = list.array else {
            throw StoreError(.invalidContents, what: "a backup is an array, not a \(list.kind)")
        }
        self.init(
            try list.enumerated().map { index, fields in
                try Item(fields: fields.dictionary ?? PropertyListDictionary(), at: index)
            })
    }
}

extension Item {
    fileprivate var fields: PropertyListDictionary {
        let attributes = self.attributes
        var fields: PropertyListDictionary = [
            "data": .data(data), "service": .string(attributes.service),
            "account": .string(attributes.account),
            "accessibility": .string(attributes.accessibility.rawValue),
            "created": attributes.created.propertyListValue,
            "modified": attributes.modified.propertyListValue,
        ]
        fields["accessGroup"] = attributes.accessGroup.map { .string($0) }
        fields["label"] = attributes.label.map { .string($0) }
        fields["description"] = attributes.itemDescription.map { .string($0) }
        fields["comment"] = attributes.comment.map { .string($0) }
        fields["creator"] = attributes.creator.map { PropertyListValue(Int($0.rawValue)) }
        fields["type"] = attributes.type.map { PropertyListValue(Int($0.rawValue)) }
        fields["generic"] = attributes.generic.map { .data($0) }
        fields["synchronizable"] = attributes.isSynchronizable ? true : nil
        fields["invisible"] = attributes.isInvisible ? true : nil
        fields["negative"] = attributes.isNegative ? true : nil
        return fields
    }

    fileprivate init(fields: PropertyListDictionary, at index: Int) throws(StoreError) {
        let reader = FieldReader(fields: fields, index: index)
        var attributes = ItemAttributes(
            service: try reader.required(String.self, "service"),
            account: try reader.required(String.self, "account"),
            accessGroup: try reader.required(String.self, "accessGroup"))
        attributes.label = try reader.optional(String.self, "label")
        attributes.itemDescription = try reader.optional(String.self, "description")
        attributes.comment = try reader.optional(String.self, "comment")
        attributes.creator = try reader.code("creator")
        attributes.type = try reader.code("type")
        attributes.generic = try reader.optional(Data.self, "generic").map { Array($0) }
        attributes.isSynchronizable = try reader.optional(Bool.self, "synchronizable") ?? false
        attributes.isInvisible = try reader.optional(Bool.self, "invisible") ?? false
        attributes.isNegative = try reader.optional(Bool.self, "negative") ?? false
        let accessibility = try reader.required(String.self, "accessibility")
        guard let accessibility = Accessibility(rawValue: accessibility) else {
            throw reader.malformed("accessibility")
        }
        attributes.accessibility = accessibility
        attributes.created = try reader.date("created")
        attributes.modified = try reader.date("modified")
        self.init(attributes, data: try reader.required(Data.self, "data"))
    }
}

/// Reads the fields of an item.
private struct FieldReader {
    let fields: PropertyListDictionary
    let index: Int

    func required<T: PropertyListConvertible>(_ type: T.Type, _ key: String) throws(StoreError) -> T
    {
        guard let value = try optional(type, key) else { throw malformed(key) }
        return value
    }

    func optional<T: PropertyListConvertible>(
        _ type: T.Type, _ key: String
    ) throws(StoreError) -> T? {
        guard let field = fields[key] else { return nil }
        guard let value = T(propertyListValue: field) else { throw malformed(key) }
        return value
    }

    func code(_ key: String) throws(StoreError) -> FourCharacterCode? {
        guard let number = try optional(Int.self, key) else { return nil }
        guard let code = UInt32(exactly: number) else { throw malformed(key) }
        return FourCharacterCode(rawValue: code)
    }

    func date(_ key: String) throws(StoreError) -> Date {
        let date = try required(Date.self, key)
        guard date.timeIntervalSinceReferenceDate.isFinite else { throw malformed(key) }
        return date
    }

    func malformed(_ key: String) -> StoreError {
        StoreError(
            .invalidContents, what: "an item of a backup lacks `\(key)`, or has another kind of it",
            path: PropertyListPath([.index(index), .key(key)]))
    }
}

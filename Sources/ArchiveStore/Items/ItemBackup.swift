// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// A copy of items outside their store. ``ItemStore/backup(matching:)`` creates it, and
/// ``ItemStore/restore(_:)`` puts the items back.
///
/// The result of ``archived(limits:)`` is **not encrypted**. With the package trait `Stores`,
/// `sealed(passphrase:)` returns an encrypted backup.
public struct ItemBackup: Sendable, Hashable {
    /// The items. None of them is for one device only.
    public private(set) var items: [Item]

    init(_ items: [Item]) {
        self.items = items.filter { !$0.attributes.accessibility.isThisDeviceOnly }
    }
}

extension ItemStore {
    /// Returns a backup of the items that match, except those for this device only.
    ///
    /// - Throws: The errors of ``items(matching:limit:)``.
    public func backup(matching query: ItemQuery = ItemQuery()) throws -> ItemBackup {
        ItemBackup(try items(matching: query))
    }

    /// Saves the items of a backup, each in its original access group and with its dates. Each
    /// group is restored in one transaction.
    ///
    /// An existing item with the same identity is replaced, unless it is for this device only: such
    /// an item is in no backup, and replacing it would lose it. Delete the existing item first to
    /// restore the one from the backup. If an existing item cannot be read because it was altered
    /// outside of the store, its stored accessibility decides.
    ///
    /// - Returns: The number of items saved.
    /// - Throws: `unknownAccessGroup` before anything is changed, and the errors of ``save(_:)``.
    @discardableResult
    public func restore(_ backup: ItemBackup) throws -> Int {
        let groups = Dictionary(grouping: backup.items) {
            ExactText($0.attributes.accessGroup ?? "")
        }
        for group in groups.keys { _ = try transaction(in: group.text) { $0.accessGroup } }
        var count = 0
        for (group, items) in groups {
            count += try transaction(in: group.text) { transaction in
                try items.reduce(0) { try $0 + ($1.restore(in: transaction) ? 1 : 0) }
            }
        }
        return count
    }
}

extension Item {
    /// Restores the item, unless an item with its identity is for this device only.
    ///
    /// - Returns: A Boolean value indicating whether the item was restored.
    fileprivate func restore(in transaction: any ItemTransaction) throws -> Bool {
        let identity = attributes.identity
        if try transaction.hasItemOfThisDevice(identity) { return false }
        try transaction.remove(identity)
        try transaction.insert(self)
        return true
    }
}

extension ItemTransaction {
    /// Returns whether the item of an identity is for this device only, even if it cannot be read.
    fileprivate func hasItemOfThisDevice(_ identity: ItemIdentity) throws -> Bool {
        for accessibility in Accessibility.allCases where accessibility.isThisDeviceOnly {
            var query = ItemQuery(identity)
            query.accessibility = accessibility
            do {
                if try !items(matching: query, limit: 1).isEmpty { return true }
            } catch let error as StoreError where error.code == .alteredItem {
                // The query matched the stored accessibility, which cannot be trusted, but nothing
                // better is available.
                return true
            }
        }
        return false
    }
}

// MARK: - As bytes

// The format is a keyed archive of an NSArray of NSDictionaries. Each has `data` and the
// attributes, under the names in `Item.fields`. Attributes that are nil or false, a port of 0, and
// an empty path or security domain are left out. An internet password has `server` instead of
// `service`.

extension ItemBackup {
    /// Returns the backup as a keyed archive of plain values, **not encrypted**. The archive is
    /// read back before it is returned.
    ///
    /// - Parameter limits: The limits on reading the archive. Pass the same limits to
    ///   ``init(parsing:limits:)``.
    /// - Returns: The archive.
    /// - Throws: `KeyedArchiveError` or ``StoreError`` for a backup that exceeds `limits`.
    public func archived(limits: ParsingLimits = .untrusted) throws -> [UInt8] {
        let bytes = try KeyedArchiver.archive(
            PropertyListValue.array(PropertyListArray(items.map { .dictionary($0.fields) })),
            allowing: .propertyList, limits: limits)
        guard try ItemBackup(parsing: bytes, limits: limits) == self else {
            throw StoreError(
                .unsupportedValue, what: "the backup cannot be read back as the same items")
        }
        return bytes
    }

    /// Parses the result of ``archived(limits:)``. Items for one device only are left out.
    ///
    /// - Throws: `KeyedArchiveError`, or ``StoreError`` with `invalidContents` and the path.
    public init(parsing bytes: some Sequence<UInt8>, limits: ParsingLimits = .untrusted) throws {
        let bytes = Array(bytes)
        let list = try KeyedUnarchiver.unarchive(
            PropertyListValue.self, from: bytes, allowing: .propertyList, limits: limits)
        guard let list = list.array else {
            throw StoreError(
                .invalidContents,
                what: "expected an array in the backup, found a value of kind \(list.kind)",
                recovery: "check that these bytes are a backup")
        }
        let items = try list.enumerated().map { index, fields in
            try Item(fields: fields.dictionary ?? PropertyListDictionary(), at: index)
        }
        try Self.checkSize(of: items, in: bytes.count, limits)
        self.init(items)
    }

    /// Checks the total size of the items when each is stored separately. In the archive, many
    /// items may refer to the same data.
    private static func checkSize(
        of items: [Item], in archiveSize: Int, _ limits: ParsingLimits
    ) throws(StoreError) {
        var budget = OperationBudget(limits: limits, size: archiveSize)
        do {
            for item in items { try budget.charge(bytes: item.size) }
        } catch {
            throw StoreError(
                .invalidContents,
                what: "the items of the backup are too large when each is stored separately: "
                    + error.what,
                recovery: error.recovery, underlying: error)
        }
    }
}

extension Item {
    /// The number of bytes of the data and of all attributes with a variable length.
    fileprivate var size: Int {
        let texts = [
            attributes.account, attributes.accessGroup, attributes.label,
            attributes.itemDescription, attributes.comment,
        ]
        let textSize = texts.reduce(attributes.subject.bytes.count) { $0 + ($1?.utf8.count ?? 0) }
        return textSize + data.count + (attributes.generic?.count ?? 0)
    }

    fileprivate var fields: PropertyListDictionary {
        let attributes = self.attributes
        var fields: PropertyListDictionary = [
            "data": .data(data), "account": .string(attributes.account),
            "accessibility": .string(attributes.accessibility.rawValue),
            "created": attributes.created.propertyListValue,
            "modified": attributes.modified.propertyListValue,
        ]
        fields["service"] = attributes.subject.service.map { .string($0) }
        attributes.address?.add(to: &fields)
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
            try reader.subject(),
            account: try reader.required(String.self, "account"),
            accessGroup: try reader.required(String.self, "accessGroup"))
        attributes.label = try reader.optional(String.self, "label")
        attributes.itemDescription = try reader.optional(String.self, "description")
        attributes.comment = try reader.optional(String.self, "comment")
        attributes.creator = try reader.code("creator")
        attributes.type = try reader.code("type")
        attributes.generic = try reader.bytes("generic")
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
        guard let data = try reader.bytes("data") else { throw reader.malformed("data") }
        self.init(attributes, data: data)
    }
}

extension ServerAddress {
    fileprivate func add(to fields: inout PropertyListDictionary) {
        fields["server"] = .string(server)
        fields["protocol"] = `protocol`.map { PropertyListValue(Int($0.rawValue.rawValue)) }
        fields["port"] = port == 0 ? nil : PropertyListValue(Int(port))
        fields["path"] = path.isEmpty ? nil : .string(path)
        fields["authentication"] = authentication.map {
            PropertyListValue(Int($0.rawValue.rawValue))
        }
        fields["securityDomain"] = securityDomain.isEmpty ? nil : .string(securityDomain)
    }
}

/// A reader for the fields of an item.
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

    /// Returns the bytes of a field. Fields that refer to the same object share their memory.
    func bytes(_ key: String) throws(StoreError) -> [UInt8]? {
        guard let field = fields[key] else { return nil }
        guard let bytes = field.data else { throw malformed(key) }
        return bytes
    }

    func code(_ key: String) throws(StoreError) -> FourCharacterCode? {
        guard let number = try optional(Int.self, key) else { return nil }
        guard let code = UInt32(exactly: number) else { throw malformed(key) }
        return FourCharacterCode(rawValue: code)
    }

    /// Returns the server of an internet password, or the service of a generic password.
    func subject() throws(StoreError) -> ItemSubject {
        guard let server = try optional(String.self, "server") else {
            return .service(try required(String.self, "service"))
        }
        let port = try optional(Int.self, "port") ?? 0
        guard let port = UInt16(exactly: port) else { throw malformed("port") }
        return .server(
            ServerAddress(
                server, protocol: try code("protocol").map(InternetProtocol.init(rawValue:)),
                port: port, path: try optional(String.self, "path") ?? "",
                authentication: try code("authentication")
                    .map(InternetAuthentication.init(rawValue:)),
                securityDomain: try optional(String.self, "securityDomain") ?? ""))
    }

    func date(_ key: String) throws(StoreError) -> Date {
        let date = try required(Date.self, key)
        guard date.timeIntervalSinceReferenceDate.isFinite else { throw malformed(key) }
        return date
    }

    func malformed(_ key: String) -> StoreError {
        StoreError(
            .invalidContents,
            what: "expected `\(key)` in an item of the backup, found no valid value",
            path: PropertyListPath([.index(index), .key(key)]))
    }
}

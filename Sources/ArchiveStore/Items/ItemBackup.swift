// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import KeyedArchive
public import PropertyList

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Items outside their store. ``ItemStore/backup(matching:)`` copies them, and
/// ``ItemStore/restore(_:)`` puts them back.
///
/// ``archived(limits:)`` is **not encrypted**. With the package trait `Stores`, `sealed(passphrase:)` is.
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

    /// Saves the items of a backup, each in the access group that it is from, dates included. One
    /// transaction for each group.
    ///
    /// An item of the same identity is replaced, unless it is for this device only: such an item is in no
    /// backup, so replacing it would lose it. The same holds for an item that cannot be read because
    /// something else than the store changed it, by the accessibility that is stored. Delete it first to
    /// restore one in its place. Other items that were changed in this way are replaced.
    ///
    /// - Returns: how many were saved.
    /// - Throws: `unknownAccessGroup` before anything is changed; as ``save(_:)``.
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
    /// Puts the item back, unless one for this device only has its identity.
    ///
    /// - Returns: whether it was put back.
    fileprivate func restore(in transaction: any ItemTransaction) throws -> Bool {
        let identity = attributes.identity
        if try transaction.hasItemOfThisDevice(identity) { return false }
        try transaction.remove(identity)
        try transaction.insert(self)
        return true
    }
}

extension ItemTransaction {
    /// Returns whether the item of an identity is for this device only, be it one that cannot be
    /// read.
    fileprivate func hasItemOfThisDevice(_ identity: ItemIdentity) throws -> Bool {
        for accessibility in Accessibility.allCases where accessibility.isThisDeviceOnly {
            var query = ItemQuery(identity)
            query.accessibility = accessibility
            do {
                if try !items(matching: query, limit: 1).isEmpty { return true }
            } catch let error as StoreError where error.code == .alteredItem {
                // The query matches what is stored, which is not to be trusted, but all there is.
                return true
            }
        }
        return false
    }
}

// MARK: - As bytes

// A keyed archive of an NSArray of NSDictionaries: `data`, and the attributes under the names that they
// have here. Those that are nil, false, 0 or an empty part of an address are left out. An internet password has
// `server` instead of `service`.

extension ItemBackup {
    /// Returns the backup as a keyed archive of plain values, **not encrypted**. The archive is read
    /// again before it is returned.
    ///
    /// - Parameter limits: the limits to read it with. Pass the same ones to
    ///   ``init(parsing:limits:)``.
    /// - Returns: The archive.
    /// - Throws: `KeyedArchiveError` or ``StoreError`` for a backup that exceeds `limits`.
    public func archived(limits: ParsingLimits = .untrusted) throws -> [UInt8] {
        let bytes = try KeyedArchiver.archive(
            PropertyListValue.array(PropertyListArray(items.map { .dictionary($0.fields) })),
            allowing: .propertyList, limits: limits)
        guard try ItemBackup(parsing: bytes, limits: limits) == self else {
            throw StoreError(.unsupportedValue, what: "the backup would be read as other items")
        }
        return bytes
    }

    /// Reads the result of ``archived(limits:)``. Items for one device only are left out.
    ///
    /// - Throws: `KeyedArchiveError`; ``StoreError`` with `invalidContents` and the path.
    public init(parsing bytes: some Sequence<UInt8>, limits: ParsingLimits = .untrusted) throws {
        let bytes = Array(bytes)
        let list = try KeyedUnarchiver.unarchive(
            PropertyListValue.self, from: bytes, allowing: .propertyList, limits: limits)
        guard let list = list.array else {
            throw StoreError(
                .invalidContents, what: "a backup is an array, not a \(list.kind)",
                recovery: "check the path")
        }
        let items = try list.enumerated().map { index, fields in
            try Item(fields: fields.dictionary ?? PropertyListDictionary(), at: index)
        }
        try Self.checkSize(of: items, in: bytes.count, limits)
        self.init(items)
    }

    /// Checks what the items come to when each one is stored by itself: in the archive many of them
    /// may refer to the same data.
    private static func checkSize(
        of items: [Item], in archiveSize: Int, _ limits: ParsingLimits
    ) throws(StoreError) {
        var budget = OperationBudget(limits: limits, size: archiveSize)
        do {
            for item in items { try budget.charge(bytes: item.size) }
        } catch {
            throw StoreError(
                .invalidContents, what: "the items of a backup share data: \(error.what)",
                recovery: error.recovery, underlying: error)
        }
    }
}

extension Item {
    /// The number of bytes of the data and of the attributes whose length is not fixed.
    fileprivate var size: Int {
        let texts = [
            attributes.account, attributes.label, attributes.itemDescription, attributes.comment,
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

    /// The bytes of a field. Fields that refer to the same object share their memory.
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

    /// The server of an internet password, or the service of another item.
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
            .invalidContents, what: "an item of a backup lacks `\(key)`, or has another kind of it",
            path: PropertyListPath([.index(index), .key(key)]))
    }
}

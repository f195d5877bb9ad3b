// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)

internal import Foundation
internal import Security

/// The items of an access group in Apple's keychain.
///
/// The program needs an entitlement for the group. The keychain has no transactions: each change
/// takes effect immediately, and changes before an error remain. An optional attribute is nil if it
/// is an empty string, empty data or 0 in the keychain. This library's tests run on systems without
/// a keychain, so **they do not cover this type.**
public final class KeychainItemDatabase: ItemDatabase {
    /// The access group of the items.
    public let accessGroup: String

    /// Creates a database for the items of an access group.
    public init(accessGroup: String) { self.accessGroup = accessGroup }

    public func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        try KeychainTransaction(accessGroup).items(matching: query, limit: limit)
    }

    public func transaction<Result>(
        _ body: (any ItemTransaction) throws -> Result
    ) throws -> Result {
        try body(KeychainTransaction(accessGroup))
    }
}

/// A transaction that calls the keychain's functions.
private struct KeychainTransaction: ItemTransaction {
    let accessGroup: String

    init(_ accessGroup: String) { self.accessGroup = accessGroup }

    func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        // The keychain is queried for one class at a time, and returns the items in its own order.
        let found = try ItemClass.allCases.flatMap { try items($0, matching: query) }
            .sorted { $0.attributes.created < $1.attributes.created }
        return Array(found.prefix(max(0, limit)))
    }

    private func items(_ itemClass: ItemClass, matching query: ItemQuery) throws -> [Item] {
        switch itemClass {
        case .genericPassword where query.address != nil || query.hasAddressParts: return []
        case .internetPassword where query.service != nil: return []
        case _ where (query.itemClass ?? itemClass) != itemClass: return []
        default: break
        }
        var request = base(itemClass)
        request[kSecAttrService] = query.service
        request[kSecAttrServer] = query.server ?? query.address?.server
        request[kSecAttrAccount] = query.account
        request[kSecAttrSynchronizable] = query.isSynchronizable ?? kSecAttrSynchronizableAny
        request[kSecReturnAttributes] = true
        request[kSecReturnData] = true
        request[kSecMatchLimit] = kSecMatchLimitAll
        var result: CFTypeRef?
        // SAFETY: the function fills the reference before it returns.
        let status = unsafe SecItemCopyMatching(request as CFDictionary, &result)
        if status == errSecItemNotFound { return [] }
        try check(status, nil)
        let found = (result as? [[CFString: Any]] ?? []).compactMap { item($0, itemClass) }
        // The keychain matches only some of the attributes.
        return found.filter { query.matches($0.attributes) }
    }

    func insert(_ item: Item) throws {
        try item.attributes.identity.requireSize()
        try requireAttributes(of: item)
        var request = base(item.attributes.itemClass).merging(attributes(of: item)) { $1 }
        request[kSecValueData] = Data(item.data)
        try check(SecItemAdd(request as CFDictionary, nil), item.attributes.identity)
    }

    func replace(_ identity: ItemIdentity, with item: Item) throws {
        try item.attributes.identity.requireSize()
        try requireAttributes(of: item)
        guard identity.subject.itemClass == item.attributes.itemClass else {
            throw StoreError(
                .unsupportedChange, what: "the keychain cannot change the class of an item",
                recovery: "add an item of the other class, and delete this one")
        }
        let empty = emptyAttributes(item.attributes.itemClass)
        var changes = empty.merging(attributes(of: item)) { $1 }
        changes[kSecValueData] = Data(item.data)
        let status = SecItemUpdate(request(for: identity), changes as CFDictionary)
        if status == errSecItemNotFound {
            throw StoreError.notFound(ItemQuery(identity, accessGroup: accessGroup))
        }
        try check(status, item.attributes.identity)
    }

    func remove(_ identity: ItemIdentity) throws {
        let status = SecItemDelete(request(for: identity))
        if status != errSecItemNotFound { try check(status, identity) }
    }

    private func base(_ itemClass: ItemClass) -> [CFString: Any] {
        [
            kSecClass: itemClass == .genericPassword
                ? kSecClassGenericPassword : kSecClassInternetPassword,
            kSecAttrAccessGroup: accessGroup, kSecUseDataProtectionKeychain: true,
        ]
    }

    private func request(for identity: ItemIdentity) -> CFDictionary {
        var request = base(identity.subject.itemClass).merging(fields(of: identity.subject)) { $1 }
        request[kSecAttrAccount] = identity.account
        request[kSecAttrSynchronizable] = identity.isSynchronizable
        return request as CFDictionary
    }

    private func check(_ status: OSStatus, _ identity: ItemIdentity?) throws(StoreError) {
        if status == errSecSuccess { return }
        if status == errSecDuplicateItem, let identity {
            throw .duplicate(identity, in: accessGroup)
        }
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "no description"
        throw StoreError(.keychain, what: "keychain error \(status): \(text)")
    }

    // MARK: Attributes

    /// Checks that the keychain can store all attributes of an item. Internet passwords have no
    /// generic attribute there.
    private func requireAttributes(of item: Item) throws(StoreError) {
        if item.attributes.itemClass == .internetPassword, item.attributes.generic != nil {
            throw StoreError(
                .unsupportedValue,
                what: "an internet password of the keychain has no generic attribute")
        }
    }

    /// Returns the attributes of a subject. The keychain treats an absent number as 0 and an absent
    /// string as empty.
    private func fields(of subject: ItemSubject) -> [CFString: Any] {
        switch subject {
        case .service(let name): [kSecAttrService: name]
        case .server(let address):
            [
                kSecAttrServer: address.server, kSecAttrPort: Int(address.port),
                kSecAttrPath: address.path, kSecAttrSecurityDomain: address.securityDomain,
                kSecAttrProtocol: address.protocol?.rawValue.description ?? "",
                kSecAttrAuthenticationType: address.authentication?.rawValue.description ?? "",
            ]
        }
    }

    private func address(_ fields: [CFString: Any]) -> ServerAddress {
        func code(_ key: CFString) -> FourCharacterCode? {
            (fields[key] as? String).flatMap { FourCharacterCode($0) }
        }
        return ServerAddress(
            fields[kSecAttrServer] as? String ?? "",
            protocol: code(kSecAttrProtocol).map(InternetProtocol.init(rawValue:)),
            port: (fields[kSecAttrPort] as? Int).flatMap { UInt16(exactly: $0) } ?? 0,
            path: fields[kSecAttrPath] as? String ?? "",
            authentication: code(kSecAttrAuthenticationType)
                .map(InternetAuthentication.init(rawValue:)),
            securityDomain: fields[kSecAttrSecurityDomain] as? String ?? "")
    }

    private func attributes(of item: Item) -> [CFString: Any] {
        let attributes = item.attributes
        var fields: [CFString: Any] = [
            kSecAttrAccount: attributes.account,
            kSecAttrSynchronizable: attributes.isSynchronizable,
            kSecAttrIsInvisible: attributes.isInvisible,
            kSecAttrIsNegative: attributes.isNegative,
            kSecAttrAccessible: attributes.accessibility.rawValue,
        ]
        fields.merge(self.fields(of: attributes.subject)) { $1 }
        fields[kSecAttrLabel] = attributes.label
        fields[kSecAttrDescription] = attributes.itemDescription
        fields[kSecAttrComment] = attributes.comment
        fields[kSecAttrCreator] = attributes.creator?.rawValue
        fields[kSecAttrType] = attributes.type?.rawValue
        fields[kSecAttrGeneric] = attributes.generic.map { Data($0) }
        return fields
    }

    /// Returns the values that stand for nil in a change. `SecItemUpdate` keeps the attributes that
    /// it is not given, and refuses `NSNull`: in Apple's published source, the function
    /// `query_add_attribute_with_desc` accepts only strings, numbers and data for them.
    private func emptyAttributes(_ itemClass: ItemClass) -> [CFString: Any] {
        var fields: [CFString: Any] = [
            kSecAttrLabel: "", kSecAttrDescription: "", kSecAttrComment: "",
            kSecAttrCreator: UInt32(0), kSecAttrType: UInt32(0),
        ]
        if itemClass == .genericPassword { fields[kSecAttrGeneric] = Data() }
        return fields
    }

    /// Returns the value of an optional attribute, or nil if it is absent or empty.
    private func optional<Value: Equatable>(_ value: Any?, empty: Value) -> Value? {
        (value as? Value).flatMap { $0 == empty ? nil : $0 }
    }

    private func item(_ fields: [CFString: Any], _ itemClass: ItemClass) -> Item? {
        guard let data = fields[kSecValueData] as? Data else { return nil }
        let subject: ItemSubject =
            itemClass == .internetPassword
            ? .server(address(fields)) : .service(fields[kSecAttrService] as? String ?? "")
        var attributes = ItemAttributes(
            subject, account: fields[kSecAttrAccount] as? String ?? "", accessGroup: accessGroup)
        attributes.isSynchronizable = fields[kSecAttrSynchronizable] as? Bool ?? false
        attributes.label = optional(fields[kSecAttrLabel], empty: "")
        attributes.itemDescription = optional(fields[kSecAttrDescription], empty: "")
        attributes.comment = optional(fields[kSecAttrComment], empty: "")
        attributes.creator = optional(fields[kSecAttrCreator], empty: UInt32(0))
            .map { FourCharacterCode(rawValue: $0) }
        attributes.type = optional(fields[kSecAttrType], empty: UInt32(0))
            .map { FourCharacterCode(rawValue: $0) }
        attributes.generic = optional(fields[kSecAttrGeneric], empty: Data()).map { Array($0) }
        attributes.isInvisible = fields[kSecAttrIsInvisible] as? Bool ?? false
        attributes.isNegative = fields[kSecAttrIsNegative] as? Bool ?? false
        let accessibility = fields[kSecAttrAccessible] as? String ?? ""
        attributes.accessibility = Accessibility(rawValue: accessibility) ?? .whenUnlocked
        attributes.created = fields[kSecAttrCreationDate] as? Date ?? attributes.created
        attributes.modified = fields[kSecAttrModificationDate] as? Date ?? attributes.modified
        return Item(attributes, data: data)
    }
}

#endif

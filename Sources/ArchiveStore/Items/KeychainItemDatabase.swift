// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)

internal import Foundation
internal import Security

/// The items of an access group in Apple's keychain.
///
/// The program must be entitled to the group. The keychain has no transactions: changes are carried out
/// as they come, and those before an error stay. This library's tests run where there is no keychain;
/// **this type is not covered by them.**
public final class KeychainItemDatabase: ItemDatabase {
    public let accessGroup: String

    /// The items of an access group.
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

/// Calls of the keychain's functions.
private struct KeychainTransaction: ItemTransaction {
    let accessGroup: String

    init(_ accessGroup: String) { self.accessGroup = accessGroup }

    func items(matching query: ItemQuery, limit: Int) throws -> [Item] {
        var request = base
        request[kSecAttrService] = query.service
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
        let found = (result as? [[CFString: Any]] ?? []).compactMap { item($0) }
        // The keychain matches but some of the attributes.
        return Array(found.filter { query.matches($0.attributes) }.prefix(max(0, limit)))
    }

    func insert(_ item: Item) throws {
        try item.attributes.identity.requireSize()
        var request = base.merging(attributes(of: item)) { $1 }
        request[kSecValueData] = Data(item.data)
        try check(SecItemAdd(request as CFDictionary, nil), item.attributes.identity)
    }

    func replace(_ identity: ItemIdentity, with item: Item) throws {
        try item.attributes.identity.requireSize()
        var changes = attributes(of: item)
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

    private var base: [CFString: Any] {
        [
            kSecClass: kSecClassGenericPassword, kSecAttrAccessGroup: accessGroup,
            kSecUseDataProtectionKeychain: true,
        ]
    }

    private func request(for identity: ItemIdentity) -> CFDictionary {
        var request = base
        request[kSecAttrService] = identity.service
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
        throw StoreError(.keychain, what: "the keychain's status is \(status): \(text)")
    }

    // MARK: Attributes

    private func attributes(of item: Item) -> [CFString: Any] {
        let attributes = item.attributes
        var fields: [CFString: Any] = [
            kSecAttrService: attributes.service, kSecAttrAccount: attributes.account,
            kSecAttrSynchronizable: attributes.isSynchronizable,
            kSecAttrIsInvisible: attributes.isInvisible,
            kSecAttrIsNegative: attributes.isNegative,
            kSecAttrAccessible: attributes.accessibility.rawValue,
        ]
        fields[kSecAttrLabel] = attributes.label
        fields[kSecAttrDescription] = attributes.itemDescription
        fields[kSecAttrComment] = attributes.comment
        fields[kSecAttrCreator] = attributes.creator?.rawValue
        fields[kSecAttrType] = attributes.type?.rawValue
        fields[kSecAttrGeneric] = attributes.generic.map { Data($0) }
        return fields
    }

    private func item(_ fields: [CFString: Any]) -> Item? {
        guard let data = fields[kSecValueData] as? Data else { return nil }
        var attributes = ItemAttributes(
            service: fields[kSecAttrService] as? String ?? "",
            account: fields[kSecAttrAccount] as? String ?? "", accessGroup: accessGroup)
        attributes.isSynchronizable = fields[kSecAttrSynchronizable] as? Bool ?? false
        attributes.label = fields[kSecAttrLabel] as? String
        attributes.itemDescription = fields[kSecAttrDescription] as? String
        attributes.comment = fields[kSecAttrComment] as? String
        attributes.creator = (fields[kSecAttrCreator] as? UInt32).map(FourCharacterCode.init)
        attributes.type = (fields[kSecAttrType] as? UInt32).map(FourCharacterCode.init)
        attributes.generic = (fields[kSecAttrGeneric] as? Data).map { Array($0) }
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

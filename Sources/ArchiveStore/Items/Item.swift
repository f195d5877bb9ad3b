// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import ValidText

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A secret with its attributes: a generic password or an internet password of a keychain.
public struct Item: Sendable, Hashable {
    /// The attributes of the item.
    public var attributes: ItemAttributes
    /// The secret.
    public var data: [UInt8]

    /// Creates an item.
    public init(_ attributes: ItemAttributes, data: some Sequence<UInt8>) {
        self.attributes = attributes
        self.data = Array(data)
    }

    /// Creates an item for a service and an account.
    public init(service: String, account: String, data: some Sequence<UInt8>) {
        self.init(ItemAttributes(service: service, account: account), data: data)
    }

    /// Creates an item whose secret is text.
    public init(service: String, account: String, password: String) {
        self.init(service: service, account: account, data: password.utf8)
    }

    /// Creates an internet password, which is an item for a server and an account.
    public init(_ address: ServerAddress, account: String, password: String) {
        self.init(ItemAttributes(address, account: account), data: password.utf8)
    }

    /// The secret as text, or nil if it is not valid UTF-8.
    public var password: String? { String(validUTF8: data) }
}

/// The attributes of an item, which are those of a keychain's generic passwords and internet
/// passwords.
///
/// Attributes are not secret. The service or server, the account and ``isSynchronizable`` together
/// are the identity of an item within its access group. Strings are compared scalar by scalar, as
/// in the stores.
public struct ItemAttributes: Sendable, Hashable {
    /// The service or the server that the item is for. It determines whether the item is a generic
    /// or an internet password.
    public var subject: ItemSubject
    /// The account at the service or server.
    public var account: String
    /// A Boolean value indicating whether the item should be on all of the user's devices.
    ///
    /// This library stores the value but does not synchronize items. For items of a
    /// `KeychainItemDatabase`, the keychain does.
    public var isSynchronizable = false
    /// The access group, or nil for the first group of the ``ItemStore``. Items that a store
    /// returns always have a group.
    public var accessGroup: String?
    /// The name shown to users.
    public var label: String?
    /// The kind of the item, shown to users.
    public var itemDescription: String?
    /// A comment by the user.
    public var comment: String?
    /// The code of the program that created the item.
    public var creator: FourCharacterCode?
    /// The code of the item's type.
    public var type: FourCharacterCode?
    /// Bytes that the program stores with the item for its own use.
    public var generic: [UInt8]?
    /// A Boolean value indicating whether the item is hidden from users.
    public var isInvisible = false
    /// A Boolean value indicating whether the item intentionally has no password, so that users are
    /// asked each time.
    public var isNegative = false
    /// The condition under which the item may be read.
    public var accessibility = Accessibility.whenUnlocked
    /// The time when the item was added, set by the store.
    public internal(set) var created = Date(timeIntervalSinceReferenceDate: 0)
    /// The time when the item was last added or changed, set by the store.
    public internal(set) var modified = Date(timeIntervalSinceReferenceDate: 0)

    /// Creates the attributes of a generic password.
    public init(service: String, account: String, accessGroup: String? = nil) {
        self.init(.service(service), account: account, accessGroup: accessGroup)
    }

    /// Creates the attributes of an internet password.
    public init(_ address: ServerAddress, account: String, accessGroup: String? = nil) {
        self.init(.server(address), account: account, accessGroup: accessGroup)
    }

    init(_ subject: ItemSubject, account: String, accessGroup: String?) {
        self.subject = subject
        self.account = account
        self.accessGroup = accessGroup
    }

    /// The service of a generic password, or an empty string for an internet password. Setting it
    /// makes the item a generic password.
    public var service: String {
        get { subject.service ?? "" }
        set { subject = .service(newValue) }
    }

    /// The address of an internet password, or nil for a generic password. Setting it makes the
    /// item an internet password. Setting nil makes it a generic password with an empty service.
    public var address: ServerAddress? {
        get { subject.address }
        set { subject = newValue.map { .server($0) } ?? .service("") }
    }

    /// The class of the item.
    public var itemClass: ItemClass { subject.itemClass }

    /// The identity of the item within its access group.
    public var identity: ItemIdentity {
        ItemIdentity(subject, account: account, isSynchronizable: isSynchronizable)
    }
}

extension ItemAttributes {
    /// Returns whether all attributes are equal. Strings are compared scalar by scalar.
    public static func == (left: ItemAttributes, right: ItemAttributes) -> Bool {
        left.identity == right.identity && left.exactTexts == right.exactTexts
            && left.creator == right.creator && left.type == right.type
            && left.generic == right.generic && left.isInvisible == right.isInvisible
            && left.isNegative == right.isNegative && left.accessibility == right.accessibility
            && left.created == right.created && left.modified == right.modified
    }

    /// Hashes all attributes. Strings are hashed scalar by scalar.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
        hasher.combine(exactTexts)
        hasher.combine(creator)
        hasher.combine(type)
        hasher.combine(generic)
        hasher.combine(isInvisible)
        hasher.combine(isNegative)
        hasher.combine(accessibility)
        hasher.combine(created)
        hasher.combine(modified)
    }

    /// The strings that are not part of the identity, for exact comparison. Swift's `==` also
    /// treats canonically equivalent strings as equal.
    private var exactTexts: [ExactText?] {
        ExactText.all(accessGroup, label, itemDescription, comment)
    }
}

/// The identity of an item within its access group. Strings are compared scalar by scalar.
public struct ItemIdentity: Sendable, Hashable {
    /// The service or the server that the item is for.
    public let subject: ItemSubject
    private let exactAccount: ExactText
    /// A Boolean value indicating whether the item should be on all of the user's devices.
    public let isSynchronizable: Bool

    /// Creates the identity of a generic password.
    public init(service: String, account: String, isSynchronizable: Bool = false) {
        self.init(.service(service), account: account, isSynchronizable: isSynchronizable)
    }

    /// Creates the identity of an internet password.
    public init(_ address: ServerAddress, account: String, isSynchronizable: Bool = false) {
        self.init(.server(address), account: account, isSynchronizable: isSynchronizable)
    }

    init(_ subject: ItemSubject, account: String, isSynchronizable: Bool) {
        self.subject = subject
        exactAccount = ExactText(account)
        self.isSynchronizable = isSynchronizable
    }

    /// The service of a generic password, or an empty string for an internet password.
    public var service: String { subject.service ?? "" }
    /// The account at the service or server.
    public var account: String { exactAccount.text }

    /// The maximum size of service and account together, in bytes of UTF-8. For an internet
    /// password, it applies to the account and the encoded address, which takes 18 to 26 bytes more
    /// than its strings.
    ///
    /// The limit keeps lookups fast in encrypted databases, whose index contains both.
    public static let largestSize = 16 << 10

    /// Checks the total size of service and account.
    ///
    /// - Throws: `invalidName`.
    func requireSize() throws(StoreError) {
        let size = subject.bytes.count + account.utf8.count
        guard size <= Self.largestSize else {
            throw StoreError(
                .invalidName,
                what:
                    "expected at most \(Self.largestSize) bytes of "
                    + "\(subject.address == nil ? "service" : "address") and account, "
                    + "found \(size)",
                recovery: "keep long texts in the data or the comment of the item")
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import ValidText

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A secret with what is said about it: a generic password or an internet password of a keychain.
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

    /// Creates an item of a service and an account.
    public init(service: String, account: String, data: some Sequence<UInt8>) {
        self.init(ItemAttributes(service: service, account: account), data: data)
    }

    /// Creates an item whose secret is text.
    public init(service: String, account: String, password: String) {
        self.init(service: service, account: account, data: password.utf8)
    }

    /// Creates an internet password: an item of a server and an account.
    public init(_ address: ServerAddress, account: String, password: String) {
        self.init(ItemAttributes(address, account: account), data: password.utf8)
    }

    /// The secret, if it is text in UTF-8.
    public var password: String? { String(validUTF8: data) }
}

/// The attributes of an item, as a keychain's generic password or internet password has them.
///
/// They are not secret. Service or server, account and ``isSynchronizable`` together are an item's identity within
/// its access group. Texts are compared scalar by scalar, as the stores do.
public struct ItemAttributes: Sendable, Hashable {
    /// The service or the server that the item is for. It makes the item a generic or an internet password.
    public var subject: ItemSubject
    /// The account there.
    public var account: String
    /// A Boolean value that says whether the item is to be on all of the user's devices. It is
    /// kept; nothing is sent anywhere.
    public var isSynchronizable = false
    /// The access group; nil stands for the first of the ``ItemStore``, and is never in what it
    /// returns.
    public var accessGroup: String?
    /// The name that people see.
    public var label: String?
    /// The kind of item, for people.
    public var itemDescription: String?
    /// A comment of the user's.
    public var comment: String?
    /// The program that made it.
    public var creator: FourCharacterCode?
    /// The type of the item.
    public var type: FourCharacterCode?
    /// Whatever the program wants to be there.
    public var generic: [UInt8]?
    /// A Boolean value that says whether it is to be hidden from people.
    public var isInvisible = false
    /// A Boolean value that says whether there is no password, on purpose: people shall be asked
    /// each time.
    public var isNegative = false
    /// When it may be read.
    public var accessibility = Accessibility.whenUnlocked
    /// When it was added. The store sets it.
    public internal(set) var created = Date(timeIntervalSinceReferenceDate: 0)
    /// When it was added or changed last. The store sets it.
    public internal(set) var modified = Date(timeIntervalSinceReferenceDate: 0)

    /// Creates attributes.
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

    /// The service that the item is for; empty for an internet password. Setting it makes the item a generic password.
    public var service: String {
        get { subject.service ?? "" }
        set { subject = .service(newValue) }
    }

    /// The server that the item is for; nil for a generic password. Setting it makes the item an internet password.
    public var address: ServerAddress? {
        get { subject.address }
        set { subject = newValue.map { .server($0) } ?? .service("") }
    }

    /// The class of the item.
    public var itemClass: ItemClass { subject.itemClass }

    /// The identity of the item within its group.
    public var identity: ItemIdentity {
        ItemIdentity(subject, account: account, isSynchronizable: isSynchronizable)
    }
}

extension ItemAttributes {
    public static func == (left: ItemAttributes, right: ItemAttributes) -> Bool {
        left.identity == right.identity && left.exactTexts == right.exactTexts
            && left.creator == right.creator && left.type == right.type
            && left.generic == right.generic && left.isInvisible == right.isInvisible
            && left.isNegative == right.isNegative && left.accessibility == right.accessibility
            && left.created == right.created && left.modified == right.modified
    }

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

    /// The texts beside those of the identity. Swift's strings are also equal where they are canonically
    /// equivalent.
    private var exactTexts: [ExactText?] {
        ExactText.all(accessGroup, label, itemDescription, comment)
    }
}

/// The identity of an item within its access group. Texts are compared scalar by scalar.
public struct ItemIdentity: Sendable, Hashable {
    /// The service or the server that the item is for.
    public let subject: ItemSubject
    private let exactAccount: ExactText
    /// A Boolean value that says whether the item is to be on all of the user's devices.
    public let isSynchronizable: Bool

    /// Creates an identity.
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

    /// The service that the item is for; empty for an internet password.
    public var service: String { subject.service ?? "" }
    /// The account there.
    public var account: String { exactAccount.text }

    /// The number of bytes that service and account may have together, in UTF-8; for an internet password, account and
    /// address with 18 to 26 bytes more.
    ///
    /// Databases find items by an index of both, and compare whole entries.
    public static let largestSize = 16 << 10

    /// Checks the size of service and account.
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

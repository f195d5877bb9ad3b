// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// A query for the items that have all of the given attributes.
///
/// ```swift
/// let all = try store.items(matching: ItemQuery(service: "example.com"))
/// let named = try store.items(matching: ItemQuery(label: "Example"))
/// ```
///
/// A query with a service matches only generic passwords. A query with an address, or with a
/// server, a protocol, a port, a path, an authentication method or a security domain matches only
/// internet passwords.
public struct ItemQuery: Sendable, Hashable {
    /// The class, or nil for both classes.
    public var itemClass: ItemClass?
    /// The service.
    public var service: String?
    /// The complete address. Its empty and nil parts must match as well.
    public var address: ServerAddress?
    /// The server.
    public var server: String?
    /// The protocol.
    public var `protocol`: InternetProtocol?
    /// The port.
    public var port: UInt16?
    /// The path on the server.
    public var path: String?
    /// The authentication method.
    public var authentication: InternetAuthentication?
    /// The security domain of the server.
    public var securityDomain: String?
    /// The account.
    public var account: String?
    /// The access group, or nil for all groups of the store.
    public var accessGroup: String?
    /// A Boolean value indicating whether the item should be on all of the user's devices.
    public var isSynchronizable: Bool?
    /// The name shown to users.
    public var label: String?
    /// The code of the program that created the item.
    public var creator: FourCharacterCode?
    /// The code of the item's type.
    public var type: FourCharacterCode?
    /// The bytes that the program stored with the item for its own use.
    public var generic: [UInt8]?
    /// The condition under which the item may be read.
    public var accessibility: Accessibility?

    /// Creates a query for the items with a service, an account, a label and an access group. An
    /// argument that is nil matches all items.
    public init(
        service: String? = nil, account: String? = nil, label: String? = nil,
        accessGroup: String? = nil
    ) {
        self.service = service
        self.account = account
        self.label = label
        self.accessGroup = accessGroup
    }

    /// Creates a query for the internet passwords of a server.
    public init(
        server: String, protocol: InternetProtocol? = nil, port: UInt16? = nil,
        path: String? = nil, account: String? = nil, accessGroup: String? = nil
    ) {
        self.init(account: account, accessGroup: accessGroup)
        self.server = server
        self.protocol = `protocol`
        self.port = port
        self.path = path
    }

    /// Creates a query for one item.
    public init(_ identity: ItemIdentity, accessGroup: String? = nil) {
        self.init(
            service: identity.subject.service, account: identity.account, accessGroup: accessGroup)
        address = identity.subject.address
        isSynchronizable = identity.isSynchronizable
    }

    /// Returns whether attributes match the query. The data of items is not compared.
    public func matches(_ attributes: ItemAttributes) -> Bool {
        matches(attributes.subject) && matches(account, attributes.account)
            && matches(accessGroup, attributes.accessGroup) && matches(label, attributes.label)
            && (isSynchronizable ?? attributes.isSynchronizable) == attributes.isSynchronizable
            && (creator == nil || creator == attributes.creator)
            && (type == nil || type == attributes.type)
            && (generic == nil || generic == attributes.generic)
            && (accessibility ?? attributes.accessibility) == attributes.accessibility
    }

    /// Returns whether a subject matches the query.
    func matches(_ subject: ItemSubject) -> Bool {
        guard (itemClass ?? subject.itemClass) == subject.itemClass,
            matches(service, subject.service)
        else { return false }
        guard let found = subject.address else { return address == nil && !hasAddressParts }
        return (address ?? found) == found && matches(server, found.server)
            && (`protocol` == nil || `protocol` == found.protocol)
            && (port ?? found.port) == found.port && matches(path, found.path)
            && (authentication == nil || authentication == found.authentication)
            && matches(securityDomain, found.securityDomain)
    }

    /// A Boolean value indicating whether the query contains a part of an address, and so matches
    /// only internet passwords.
    var hasAddressParts: Bool {
        server != nil || `protocol` != nil || port != nil || path != nil || authentication != nil
            || securityDomain != nil
    }

    private func matches(_ wanted: String?, _ text: String?) -> Bool {
        guard let wanted else { return true }
        return text.map(ExactText.init(_:)) == ExactText(wanted)
    }

    /// Returns whether two queries are equal. Strings are compared scalar by scalar, as in
    /// ``matches(_:)``.
    public static func == (left: ItemQuery, right: ItemQuery) -> Bool {
        left.exactTexts == right.exactTexts && left.isSynchronizable == right.isSynchronizable
            && left.itemClass == right.itemClass && left.address == right.address
            && left.protocol == right.protocol && left.port == right.port
            && left.authentication == right.authentication
            && left.creator == right.creator && left.type == right.type
            && left.generic == right.generic && left.accessibility == right.accessibility
    }

    /// Hashes all attributes of the query. Strings are hashed scalar by scalar.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(exactTexts)
        hasher.combine(isSynchronizable)
        hasher.combine(itemClass)
        hasher.combine(address)
        hasher.combine(`protocol`)
        hasher.combine(port)
        hasher.combine(authentication)
        hasher.combine(creator)
        hasher.combine(type)
        hasher.combine(generic)
        hasher.combine(accessibility)
    }

    private var exactTexts: [ExactText?] {
        ExactText.all(service, account, accessGroup, label, server, path, securityDomain)
    }

    /// The identity of the only item that can match, or nil if several can.
    var identity: ItemIdentity? {
        let subject = service.map { .service($0) } ?? address.map { ItemSubject.server($0) }
        guard let subject, let account, let isSynchronizable else { return nil }
        return ItemIdentity(subject, account: account, isSynchronizable: isSynchronizable)
    }
}

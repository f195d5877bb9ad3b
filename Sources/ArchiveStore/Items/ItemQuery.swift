// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

/// Which items are meant: those that have all the attributes that are said here.
///
/// ```swift
/// let all = try store.items(matching: ItemQuery(service: "example.com"))
/// ```
public struct ItemQuery: Sendable, Hashable {
    /// The service.
    public var service: String?
    /// The account.
    public var account: String?
    /// The access group; all that the store was given where it is not said.
    public var accessGroup: String?
    /// A Boolean value that says whether the item is to be on all devices.
    public var isSynchronizable: Bool?
    /// The name that people see.
    public var label: String?
    /// The program that made it.
    public var creator: FourCharacterCode?
    /// The type of the item.
    public var type: FourCharacterCode?
    /// The bytes that the program stored with the item for its own use.
    public var generic: [UInt8]?
    /// When it may be read.
    public var accessibility: Accessibility?

    /// A query for the items of a service and an account; without either, for all.
    public init(service: String? = nil, account: String? = nil, accessGroup: String? = nil) {
        self.service = service
        self.account = account
        self.accessGroup = accessGroup
    }

    /// A query for one item.
    public init(_ identity: ItemIdentity, accessGroup: String? = nil) {
        self.init(
            service: identity.service, account: identity.account, accessGroup: accessGroup)
        isSynchronizable = identity.isSynchronizable
    }

    /// Returns whether attributes are what is said here.
    public func matches(_ attributes: ItemAttributes) -> Bool {
        matches(service, attributes.service) && matches(account, attributes.account)
            && matches(accessGroup, attributes.accessGroup) && matches(label, attributes.label)
            && (isSynchronizable ?? attributes.isSynchronizable) == attributes.isSynchronizable
            && (creator == nil || creator == attributes.creator)
            && (type == nil || type == attributes.type)
            && (generic == nil || generic == attributes.generic)
            && (accessibility ?? attributes.accessibility) == attributes.accessibility
    }

    private func matches(_ wanted: String?, _ text: String?) -> Bool {
        guard let wanted else { return true }
        return text.map(ExactText.init(_:)) == ExactText(wanted)
    }

    /// Texts are compared scalar by scalar, as in ``matches(_:)``.
    public static func == (left: ItemQuery, right: ItemQuery) -> Bool {
        left.exactTexts == right.exactTexts && left.isSynchronizable == right.isSynchronizable
            && left.creator == right.creator && left.type == right.type
            && left.generic == right.generic && left.accessibility == right.accessibility
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(exactTexts)
        hasher.combine(isSynchronizable)
        hasher.combine(creator)
        hasher.combine(type)
        hasher.combine(generic)
        hasher.combine(accessibility)
    }

    private var exactTexts: [ExactText?] {
        ExactText.all(service, account, accessGroup, label)
    }

    /// The identity of the one item that can match; nil where there may be several.
    var identity: ItemIdentity? {
        guard let service, let account, let isSynchronizable else { return nil }
        return ItemIdentity(
            service: service, account: account, isSynchronizable: isSynchronizable)
    }
}

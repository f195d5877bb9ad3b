// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// Errors, exceptions and notifications:
//
// | class | fields |
// |---|---|
// | `NSError` | `NSDomain`: a string; `NSCode`: an integer; `NSUserInfo`: an `NSDictionary` or nil |
// | `NSException` | `NS.name`, `NS.reason`: strings; `NS.userinfo`: an `NSDictionary` or nil |
// | `NSNotification` | `NS.name`: a string; `NS.object`: any object or nil; `NS.userinfo`: an `NSDictionary` or nil |
//
// Source: for the notification, an archive that Apple's software wrote; for the others,
// swift-corelibs-foundation, GNUstep and Darling, which agree.

/// An `NSError`.
public struct ArchivedError {
    /// The domain, such as `NSCocoaErrorDomain`.
    public var domain: String
    /// The error code within the domain.
    public var code: Int
    /// Additional information; keys are usually strings.
    public var userInfo: ArchivedPairs<AnyArchived, AnyArchived>?

    /// Creates an error.
    public init(
        domain: String, code: Int, userInfo: ArchivedPairs<AnyArchived, AnyArchived>? = nil
    ) {
        self.domain = domain
        self.code = code
        self.userInfo = userInfo
    }
}

extension ArchivedError: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSError" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        ArchivedPairs<AnyArchived, AnyArchived>.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(domain, forKey: "NSDomain")
        coder.encode(code, forKey: "NSCode")
        coder.encode(userInfo, forKey: "NSUserInfo")
    }

    public init(coder: KeyedDecoder) throws {
        domain = try coder.decode(forKey: "NSDomain")
        code = try coder.decode(forKey: "NSCode")
        userInfo = try coder.decodeObject(forKey: "NSUserInfo")
    }
}

/// An `NSException`. Reading one does not raise it.
public struct ArchivedException {
    /// The kind of exception, such as `NSRangeException`.
    public var name: String
    /// The reason, as human-readable text.
    public var reason: String?
    /// Additional information; keys are usually strings.
    public var userInfo: ArchivedPairs<AnyArchived, AnyArchived>?

    /// Creates an exception.
    public init(
        name: String, reason: String? = nil,
        userInfo: ArchivedPairs<AnyArchived, AnyArchived>? = nil
    ) {
        self.name = name
        self.reason = reason
        self.userInfo = userInfo
    }
}

extension ArchivedException: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSException" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        ArchivedPairs<AnyArchived, AnyArchived>.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "NS.name")
        coder.encode(reason, forKey: "NS.reason")
        coder.encode(userInfo, forKey: "NS.userinfo")
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "NS.name")
        reason = try coder.decodeObject(forKey: "NS.reason")
        userInfo = try coder.decodeObject(forKey: "NS.userinfo")
    }
}

/// An `NSNotification`. Reading one does not post it.
public struct ArchivedNotification {
    /// The name.
    public var name: String
    /// The object of the notification, usually its sender.
    public var object: AnyArchived?
    /// Additional information; keys are usually strings.
    public var userInfo: ArchivedPairs<AnyArchived, AnyArchived>?

    /// Creates a notification.
    public init(
        name: String, object: AnyArchived? = nil,
        userInfo: ArchivedPairs<AnyArchived, AnyArchived>? = nil
    ) {
        self.name = name
        self.object = object
        self.userInfo = userInfo
    }
}

extension ArchivedNotification: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSNotification" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        ArchivedPairs<AnyArchived, AnyArchived>.register(in: &registry)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(name, forKey: "NS.name")
        coder.encode(object, forKey: "NS.object")
        coder.encode(userInfo, forKey: "NS.userinfo")
    }

    public init(coder: KeyedDecoder) throws {
        name = try coder.decode(forKey: "NS.name")
        object = try coder.decodeObject(forKey: "NS.object")
        userInfo = try coder.decodeObject(forKey: "NS.userinfo")
    }
}

extension ClassRegistry {
    static let reportClasses = ClassRegistry(
        ArchivedError.self, ArchivedException.self, ArchivedNotification.self)
}

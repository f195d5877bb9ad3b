// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList

// | class | fields |
// |---|---|
// | `NSPersonNameComponents` | `NS.nameComponentsPrivate`: an `_NSPersonNameComponentsData` |
// | `_NSPersonNameComponentsData` | `NS.namePrefix`, `NS.givenName`, `NS.middleName`, `NS.familyName`, `NS.nameSuffix`, `NS.nickname`: strings or nil; `NS.phoneticRepresentation`: an `NSPersonNameComponents` or nil |
//
// Source: programs that read such archives from iOS. The key of the phonetic name is not confirmed.
// swift-corelibs-foundation writes the fields into the outer object, from which they are read too.

/// An `NSPersonNameComponents`: the parts of a person's name.
public struct ArchivedPersonNameComponents: Sendable, Hashable {
    /// The parts of a name.
    public struct Parts: Sendable, Hashable {
        /// The prefix of the name, such as `Dr.`.
        public var namePrefix: String?
        /// The given name.
        public var givenName: String?
        /// Additional given names.
        public var middleName: String?
        /// The family name.
        public var familyName: String?
        /// The suffix of the name, such as `Esq.`.
        public var nameSuffix: String?
        /// The informal name.
        public var nickname: String?

        /// Creates an empty name.
        public init() {}
    }

    /// The name.
    public var name = Parts()
    /// The pronunciation of the name.
    public var phoneticRepresentation: Parts?

    /// Creates an empty name.
    public init() {}
}

extension ArchivedPersonNameComponents: KeyedCodable {
    public static var archivedClass: ArchivedClass { "NSPersonNameComponents" }

    public static func register(in registry: inout ClassRegistry) {
        String.register(in: &registry)
        registry.add(PersonNameData.self)
        registry.add(Self.self)
    }

    public func encode(with coder: KeyedEncoder) {
        coder.encode(PersonNameData(components: self), forKey: PersonNameData.key)
    }

    public init(coder: KeyedDecoder) throws {
        if coder.containsValue(forKey: PersonNameData.key) {
            self = try coder.decode(PersonNameData.self, forKey: PersonNameData.key).components
        } else {
            self = try PersonNameData(coder: coder).components
        }
    }
}

/// An `_NSPersonNameComponentsData`.
struct PersonNameData: KeyedCodable {
    static let archivedClass: ArchivedClass = "_NSPersonNameComponentsData"
    static let key = "NS.nameComponentsPrivate"
    private static let phoneticKey = "NS.phoneticRepresentation"

    private typealias Parts = ArchivedPersonNameComponents.Parts

    let components: ArchivedPersonNameComponents

    init(components: ArchivedPersonNameComponents) { self.components = components }

    func encode(with coder: KeyedEncoder) {
        let name = components.name
        coder.encode(name.namePrefix, forKey: "NS.namePrefix")
        coder.encode(name.givenName, forKey: "NS.givenName")
        coder.encode(name.middleName, forKey: "NS.middleName")
        coder.encode(name.familyName, forKey: "NS.familyName")
        coder.encode(name.nameSuffix, forKey: "NS.nameSuffix")
        coder.encode(name.nickname, forKey: "NS.nickname")
        if let phonetic = components.phoneticRepresentation {
            var inner = ArchivedPersonNameComponents()
            inner.name = phonetic
            coder.encode(inner, forKey: Self.phoneticKey)
        }
    }

    init(coder: KeyedDecoder) throws {
        var components = ArchivedPersonNameComponents()
        components.name.namePrefix = try coder.decodeObject(forKey: "NS.namePrefix")
        components.name.givenName = try coder.decodeObject(forKey: "NS.givenName")
        components.name.middleName = try coder.decodeObject(forKey: "NS.middleName")
        components.name.familyName = try coder.decodeObject(forKey: "NS.familyName")
        components.name.nameSuffix = try coder.decodeObject(forKey: "NS.nameSuffix")
        components.name.nickname = try coder.decodeObject(forKey: "NS.nickname")
        let inner = try coder.decodeObject(
            of: ArchivedPersonNameComponents.self, forKey: Self.phoneticKey)
        if inner?.phoneticRepresentation != nil {
            throw KeyedArchiveError(
                .malformedObject, what: "a phonetic name contains another one", object: coder.uid)
        }
        components.phoneticRepresentation = inner?.name
        self.components = components
    }
}

extension ClassRegistry {
    static let personNameClasses = ClassRegistry(ArchivedPersonNameComponents.self)
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import KeyedArchive
import PropertyList
import PropertyListCodable

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes the input as types that a program names, including its own.
public func fuzzUnarchiveTypes(_ bytes: [UInt8]) throws {
    let setup = FuzzSetup(bytes)
    let registry = ClassRegistry.commonClasses.adding(Curious.self, as: "DWSave")
        .adding(Curious.self)
    guard
        let contents = try? ArchiveContents(
            parsing: setup.input, options: setup.options, limits: setup.limits),
        let archive = try? KeyedUnarchiver(contents, allowing: registry, limits: setup.limits)
    else { return }
    for key in archive.roots.keys.prefix(8) {
        for read in readings { try? read(archive, key) }
        guard let value = try? archive.unarchive(AnyArchived.self, forKey: key) else { continue }
        // An unarchiver whose allow-list lacks `Curious` must never decode an object of this class.
        let few = try? KeyedUnarchiver(contents, allowing: .commonClasses, limits: setup.limits)
        let narrow = try? few?.unarchive(AnyArchived.self, forKey: key)
        try BrokenProperty.check(
            narrow == nil || !(value.value is Curious), "an object of a class that is not allowed")
    }
}

private typealias Reading = @Sendable (KeyedUnarchiver, String) throws -> Void

private func reading<T: KeyedDecodable>(_ type: T.Type) -> Reading {
    { archive, key in _ = try archive.unarchive(type, forKey: key) }
}

private let readings: [Reading] = [
    reading([AnyArchived].self), reading([String].self), reading([[String]?].self),
    reading([String: AnyArchived].self), reading([String: [String: Int]].self),
    reading(Set<String>.self), reading(ArchivedSet<AnyArchived>.self),
    reading(ArchivedPairs<AnyArchived, AnyArchived>.self), reading(Mutable<[AnyArchived]>.self),
    reading(ArchivedCountedSet<AnyArchived>.self), reading(PropertyListValue.self),
    reading(Curious.self), reading([Curious].self), reading(OpaqueObject.self),
    reading(Date.self), reading(Data.self), reading(URL.self), reading(UUID.self),
    { archive, key in _ = try archive.roots.decodeDecodable(Leaves.self, forKey: key) },
    { archive, key in
        let object = try archive.unarchive(OpaqueObject.self, forKey: key)
        _ = try? object.propertyList()
        _ = try? object.decode(Leaves.self)
    },
    { archive, key in
        _ = try archive.unarchive(
            ofAny: [Curious.self, [AnyArchived].self, String.self], forKey: key)
    },
]

/// Decodes all strings in a tree.
private struct Leaves: Decodable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if (try? container.decode([String: Leaves].self)) != nil { return }
        if (try? container.decode([Leaves].self)) != nil { return }
        _ = try container.decode(String.self)
    }
}

/// A class that calls many decoding methods for each of its fields, and retains the objects.
private final class Curious: KeyedCodable {
    static let archivedClass: ArchivedClass = "Curious"
    static let archivedAliases = ["Node", "Save"]

    private var objects: [AnyArchived] = []
    private weak var friend: Curious?

    init(coder: KeyedDecoder) throws {
        for key in coder.keys.prefix(16) {
            _ = (coder.containsValue(forKey: key), coder.archivedClass, coder.uid)
            _ = try? coder.decodeInteger(forKey: key)
            _ = try? coder.decodeInt32(forKey: key)
            _ = try? coder.decodeBool(forKey: key)
            _ = try? coder.decodeFloat(forKey: key)
            _ = try? coder.decodeDouble(forKey: key)
            _ = try? coder.decodeBytes(forKey: key)
            _ = try? coder.decodeReferences(forKey: key).map(\.archivedClass)
            _ = try? coder.decode([String].self, forKey: key)
            _ = try? coder.decodeObject(ofAny: [Curious.self, UUID.self], forKey: key)
            if let object = try? coder.decode(AnyArchived.self, forKey: key) {
                objects.append(object)
            }
            try? coder.decodeReference(to: Curious.self, forKey: key) { [weak self] in
                self?.friend = $0
            }
        }
        while coder.nextUnkeyed() != nil {}
    }

    func encode(with coder: KeyedEncoder) {
        coder.encode(objects, forKey: "objects")
        coder.encodeConditionalObject(friend, forKey: "friend")
    }
}

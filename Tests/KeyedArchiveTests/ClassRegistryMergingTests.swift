// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import Testing

@testable import KeyedArchive

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Merging registries")
struct ClassRegistryMergingTests {
    @Test("an alias of one type does not replace the type whose own class has that name")
    func aliases() throws {
        let strings = ClassRegistry(String.self)
        let mutable = ClassRegistry(Mutable<String>.self)
        for merged in [strings.merging(mutable), mutable.merging(strings)] {
            #expect(merged["NSMutableString"]?.type is Mutable<String>.Type)
            #expect(merged["NSString"]?.type is String.Type)
        }
        #expect(strings.merging(strings)["NSMutableString"]?.type is String.Type)
    }

    @Test("if both registries have a type for a name, merging takes that of the argument")
    func primary() throws {
        let pet = ClassRegistry(Pet.self)
        let save = ClassRegistry().adding(Save.self, as: "Pet")
        #expect(pet.merging(save)["Pet"]?.type is Save.Type)
        #expect(save.merging(pet)["Pet"]?.type is Pet.Type)
    }

    @Test("a removed name is refused, and other names of its type are not")
    func removing() throws {
        let registry = ClassRegistry.foundation.removing("NSMutableString", "NSDate")
        #expect(registry.allows("NSString") && !registry.allows("NSMutableString"))
        #expect(!registry.allows("NSDate") && registry.names.contains("NSData"))
        let bytes = try KeyedArchiver.archive(Date(timeIntervalSinceReferenceDate: 0))
        let error = #expect(throws: KeyedArchiveError.self) {
            try KeyedUnarchiver.unarchive(AnyArchived.self, from: bytes, allowing: registry)
        }
        #expect(error?.code == .classNotAllowed)
    }
}

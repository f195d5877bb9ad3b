// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import Testing

@Suite("NSPersonNameComponents")
struct PersonNameTests {
    static let outer = Archives.describe("NSPersonNameComponents")
    static let inner = Archives.describe("_NSPersonNameComponentsData")

    static func parts(_ given: UInt32) -> PropertyListDictionary {
        [
            "NS.namePrefix": .uid(0), "NS.givenName": .uid(PropertyListUID(given)),
            "NS.middleName": .uid(0), "NS.familyName": .uid(0), "NS.nameSuffix": .uid(0),
            "NS.nickname": .uid(0),
        ]
    }

    @Test("person names round-trip")
    func names() throws {
        var fields = Self.parts(3)
        fields["NS.familyName"] = .uid(4)
        fields["$class"] = .uid(5)
        let value = try roundTrip(
            ArchivedPersonNameComponents.self,
            [
                ["NS.nameComponentsPrivate": .uid(2), "$class": .uid(6)], .dictionary(fields),
                "Ada", "Lovelace", Self.inner, Self.outer,
            ])
        var expected = ArchivedPersonNameComponents()
        (expected.name.givenName, expected.name.familyName) = ("Ada", "Lovelace")
        #expect(value == expected)
    }

    @Test("person names round-trip with their phonetic representation")
    func phonetic() throws {
        var fields = Self.parts(3)
        fields["NS.phoneticRepresentation"] = .uid(4)
        fields["$class"] = .uid(7)
        var phonetic = Self.parts(6)
        phonetic["$class"] = .uid(7)
        let value = try roundTrip(
            ArchivedPersonNameComponents.self,
            [
                ["NS.nameComponentsPrivate": .uid(2), "$class": .uid(8)], .dictionary(fields),
                "花子", ["NS.nameComponentsPrivate": .uid(5), "$class": .uid(8)],
                .dictionary(phonetic), "はなこ", Self.inner, Self.outer,
            ])
        #expect(value.name.givenName == "花子")
        #expect(value.phoneticRepresentation?.givenName == "はなこ")
    }

    @Test("person names whose fields are in the outer object are read")
    func flat() throws {
        var fields = Self.parts(2)
        fields["$class"] = .uid(3)
        let value = try KeyedUnarchiver.unarchive(
            ArchivedPersonNameComponents.self,
            from: Archives.make([.dictionary(fields), "Ada", Self.outer]))
        #expect(value.name.givenName == "Ada" && value.phoneticRepresentation == nil)
    }

    @Test("nested phonetic representations and fields of the wrong type are refused")
    func hostile() throws {
        func code(_ fields: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(
                ArchivedPersonNameComponents.self, fields, Self.outer, "Ada",
                ["NS.phoneticRepresentation": .uid(5), "$class": .uid(2)],
                ["NS.phoneticRepresentation": .uid(6), "$class": .uid(2)], ["$class": .uid(2)])
        }
        #expect(code([:]) == nil)
        #expect(code(["NS.givenName": 7]) == .wrongType)
        #expect(code(["NS.nickname": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.nameComponentsPrivate": .uid(3)]) == .wrongType)
        #expect(code(["NS.nameComponentsPrivate": .uid(0)]) == .missingValue)
        #expect(code(["NS.nameComponentsPrivate": .uid(4)]) == .wrongType)
        #expect(code(["NS.phoneticRepresentation": .uid(6)]) == nil)
        #expect(code(["NS.phoneticRepresentation": .uid(5)]) == .malformedObject)
        #expect(code(["NS.phoneticRepresentation": .uid(4)]) == .malformedObject)
        #expect(code(["NS.phoneticRepresentation": .uid(1)]) == .referenceCycle)
    }
}

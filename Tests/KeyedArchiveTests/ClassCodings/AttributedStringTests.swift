// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Attributed strings")
struct AttributedStringTests {
    @Test("attributed strings are converted to Foundation's and back, with their links")
    func conversion() throws {
        var string = AttributedString("Hello 🌍 "), link = AttributedString("link")
        link.link = URL(string: "https://example.org")
        string.append(link)
        let archived = ArchivedAttributedString(string, kind: .mutable)
        #expect(archived.runs.map(\.length) == [9, 4] && archived.kind == .mutable)
        let again = try KeyedUnarchiver.unarchive(
            ArchivedAttributedString.self, from: KeyedArchiver.archive(archived))
        #expect(try AttributedString(again) == string)
        let plain = ArchivedAttributedString(AttributedString("plain"))
        #expect(plain.runs.isEmpty && plain.dictionaries.isEmpty)
        #expect(try AttributedString(plain) == AttributedString("plain"))
    }

    @Test("attributed strings are converted with the attributes that the program knows")
    func convertedAttributes() throws {
        var string = AttributedString("a"), other = AttributedString("b")
        string.languageIdentifier = "de"
        other.languageIdentifier = "en"
        let archived = ArchivedAttributedString(string + other + string) { container in
            container.languageIdentifier.map { ["NSLanguage": AnyArchived($0)] } ?? [:]
        }
        #expect(archived.dictionaries.count == 2)
        #expect(archived.runs.map(\.dictionaryIndex) == [0, 1, 0])
        let text = try AttributedString(archived) { attributes in
            var container = AttributeContainer()
            container.languageIdentifier = attributes["NSLanguage"]?.stringValue
            return container
        }
        #expect(text == string + other + string)
        #expect(archived.attributes(of: archived.runs[0])?["none"] == nil)
    }

    @Test("attributes that the program adds to text without attributes are kept")
    func addedAttributes() throws {
        let archived = ArchivedAttributedString(AttributedString("a")) { _ in
            ["NSLanguage": AnyArchived("de")]
        }
        #expect(archived.runs.map(\.length) == [1])
        let attributes = archived.runs.first.flatMap { archived.attributes(of: $0) }
        #expect(attributes?["NSLanguage"]?.stringValue == "de")
    }

    @Test("each dictionary of an attributed string is converted once, however many runs it has")
    func convertedOnce() throws {
        var objects = Self.objects(
            (0..<100).flatMap { [1, $0 % 4] }, text: .init(repeating: "x", count: 100))
        objects[6] = ["NS.keys": [.uid(10)], "NS.objects": [.uid(10)], "$class": .uid(8)]
        objects.append("NSLink")
        let shared = try read(ArchivedAttributedString.self, objects)
        let apart = ArchivedAttributedString(
            "abcd",
            dictionaries: (0..<2).map { _ in
                AnyArchived(ArchivedPairs<AnyArchived, AnyArchived>([]))
            },
            runs: [0, 1, 1, 0].map { .init(length: 1, dictionaryIndex: $0) })
        for (archived, expected) in [(shared, 1), (apart, 2)] {
            var calls = 0
            let text = try AttributedString(archived) { attributes in
                calls += 1
                var container = AttributeContainer()
                container.languageIdentifier = attributes["NSLink"]?.stringValue ?? "\(calls)"
                return container
            }
            #expect(calls == expected)
            #expect(text.runs.count == (expected == 1 ? 1 : 3))
        }
    }

    @Test(
        "attributed strings whose runs split a character or do not fit the text are not converted"
    )
    func brokenRuns() {
        for lengths in [[1, 2], [4], [-1, 3]] {
            let archived = ArchivedAttributedString(
                "🌍a", dictionaries: [],
                runs: lengths.map { .init(length: $0, dictionaryIndex: 0) })
            let error = archiveError { _ = try AttributedString(archived) }
            #expect(error?.code == .valueOutOfRange)
            #expect(error?.what.contains("that does not split a surrogate pair") == true)
        }
    }

    private static let info: [UInt8] = [1, 0, 1, 1, 4, 2, 2, 1, 1, 3, 1, 0]

    /// Returns the objects of an attributed string: a text, a table of runs, and empty attribute
    /// dictionaries.
    private static func objects(
        _ info: [UInt8], dictionaries: Int = 4, text: String = "0123456789"
    ) -> [PropertyListValue] {
        let references = (0..<dictionaries).map { _ in PropertyListValue.uid(7) }
        return [
            [
                "NSString": .uid(2), "NSAttributes": .uid(3), "NSAttributeInfo": .uid(5),
                "$class": .uid(9),
            ],
            .string(text),
            ["NS.objects": .array(PropertyListArray(references)), "$class": .uid(4)],
            Archives.describe("NSMutableArray", "NSArray"),
            ["NS.data": .data(info), "$class": .uid(6)],
            Archives.describe("NSMutableData", "NSData"),
            ["NS.keys": [], "NS.objects": [], "$class": .uid(8)],
            Archives.describe("NSDictionary"),
            Archives.describe("NSAttributedString"),
        ]
    }

    @Test("attributed strings are read with their runs")
    func runs() throws {
        let string = try read(ArchivedAttributedString.self, Self.objects(Self.info))
        #expect(string.kind == .immutable)
        #expect(string.text == "0123456789")
        #expect(string.dictionaries.count == 4)
        #expect(string.runs.map(\.length) == [1, 1, 4, 2, 1, 1])
        #expect(string.runs.map(\.dictionaryIndex) == [0, 1, 2, 1, 3, 0])
        #expect(string.attributes(of: string.runs[0])?.entries.isEmpty == true)
        #expect(string.attributes(of: .init(length: 1, dictionaryIndex: 4)) == nil)
    }

    @Test("attributed strings are written as Apple's archiver writes them: text, attributes, runs")
    func writing() throws {
        typealias Pairs = ArchivedPairs<AnyArchived, AnyArchived>
        let size = Pairs([(AnyArchived("Size"), AnyArchived(12))])
        let string = ArchivedAttributedString(
            "añ😀", kind: .mutable,
            dictionaries: [AnyArchived(Pairs([])), AnyArchived(size)],
            runs: [.init(length: 2, dictionaryIndex: 1), .init(length: 2, dictionaryIndex: 0)])
        #expect(
            try written(string) == [
                [
                    "NSString": .uid(2), "NSAttributes": .uid(4), "NSAttributeInfo": .uid(11),
                    "$class": .uid(13),
                ],
                ["NS.string": "añ😀", "$class": .uid(3)],
                Archives.describe("NSMutableString", "NSString"),
                ["NS.objects": [.uid(5), .uid(7)], "$class": .uid(10)],
                ["NS.keys": [], "NS.objects": [], "$class": .uid(6)],
                Archives.describe("NSDictionary"),
                ["NS.keys": [.uid(8)], "NS.objects": [.uid(9)], "$class": .uid(6)],
                "Size", 12, Archives.describe("NSMutableArray", "NSArray"),
                ["NS.data": .data([2, 1, 2, 0]), "$class": .uid(12)],
                Archives.describe("NSMutableData", "NSData"),
                Archives.describe("NSMutableAttributedString", "NSAttributedString"),
            ])
    }

    @Test("attributed strings without a table of runs have no attributes or one dictionary")
    func short() throws {
        #expect(
            try written(ArchivedAttributedString("a")) == [
                ["NSString": .uid(2), "$class": .uid(3)], "a",
                Archives.describe("NSAttributedString"),
            ])
        for text in ["ab", ""] {
            let string = ArchivedAttributedString(text, attributes: .init([]))
            let table: [PropertyListValue] = [
                ["NSString": .uid(2), "NSAttributes": .uid(3), "$class": .uid(5)], .string(text),
                ["NS.keys": [], "NS.objects": [], "$class": .uid(4)],
                Archives.describe("NSDictionary"), Archives.describe("NSAttributedString"),
            ]
            #expect(try written(string) == table)
            let back = try read(ArchivedAttributedString.self, table)
            #expect(back.dictionaries.count == 1)
            #expect(back.runs.map(\.length) == (text.isEmpty ? [] : [2]))
            #expect(try written(back) == table)
        }
        let storage = try written(ArchivedAttributedString("", kind: .textStorage))
        #expect(storage[0]["NSDelegate"] == .uid(0))
        #expect(
            storage.last
                == Archives.describe(
                    "NSTextStorage", "NSMutableAttributedString", "NSAttributedString"))
    }

    @Test("equal attribute dictionaries stay separate, and a shared dictionary stays shared")
    func identity() throws {
        var objects = Self.objects([5, 0, 5, 1], dictionaries: 2)
        let shared = try read(AnyArchived.self, objects)
        #expect(try written(shared).count == objects.count)
        objects[2] = ["NS.objects": [.uid(7), .uid(10)], "$class": .uid(4)]
        objects.append(objects[6])
        #expect(try written(read(AnyArchived.self, objects)).count == objects.count)
    }

    @Test("padded integers in a run table are written in the shortest form")
    func padding() throws {
        let string = try read(
            ArchivedAttributedString.self,
            Self.objects([0x8A, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0x80, 0]))
        #expect(string.runs == [.init(length: 10, dictionaryIndex: 0)])
        #expect(try written(string).contains(["NS.data": .data([10, 0]), "$class": .uid(8)]))
    }

    @Test(
        "attributed strings with a hostile table of runs are refused",
        arguments: [
            // The table ends within an integer, or before the index of the attributes.
            ([0x8A], "malformedObject"), ([10, 0x80], "malformedObject"),
            ([10], "malformedObject"), ([5, 0, 5], "malformedObject"),
            // The runs are longer or shorter than the text, missing or empty, or refer to no
            // dictionary.
            ([11, 0], "valueOutOfRange"), ([9, 0], "valueOutOfRange"), ([], "valueOutOfRange"),
            ([10, 0, 1, 0], "valueOutOfRange"), ([0, 0, 10, 0], "valueOutOfRange"),
            ([10, 4], "valueOutOfRange"), ([5, 0, 0x85, 0x80, 1, 0], "valueOutOfRange"),
            // Lengths of 2⁶⁴−1 and 2⁶³, an index of 2⁶⁴−1, and numbers of 65 bits and 1001 bytes.
            ([UInt8](repeating: 0xFF, count: 9) + [1, 0], "valueOutOfRange"),
            ([UInt8](repeating: 0x80, count: 9) + [1, 0], "valueOutOfRange"),
            ([10] + [UInt8](repeating: 0xFF, count: 9) + [1], "valueOutOfRange"),
            ([UInt8](repeating: 0xFF, count: 9) + [2, 0], "valueOutOfRange"),
            ([UInt8](repeating: 0x80, count: 1000) + [0], "valueOutOfRange"),
        ] as [([UInt8], String)])
    func hostileTable(info: [UInt8], code: String) throws {
        #expect(
            refusal(ArchivedAttributedString.self, Self.objects(info))?.description == code)
    }

    @Test("a run of an attributed string without attribute dictionaries is refused")
    func runWithoutDictionaries() {
        let error = archiveError {
            try read(ArchivedAttributedString.self, Self.objects([3, 0, 7, 0], dictionaries: 0))
        }
        #expect(error?.code == .valueOutOfRange)
        #expect(
            error?.what
                == "expected no runs in a string without attribute dictionaries, found a run of 3 "
                + "UTF-16 units")
    }

    @Test("attributed strings with fields of the wrong type are refused")
    func wrongKinds() throws {
        let good = Self.objects(Self.info)
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(ArchivedAttributedString.self, [good[0].with(changes)] + good.dropFirst())
        }
        #expect(code([:]) == nil)
        #expect(code(["NSString": .uid(7)]) == .wrongType)
        #expect(code(["NSString": 3]) == .wrongType)
        // A missing text counts as empty.
        #expect(code(["NSString": .null]) == .valueOutOfRange)
        #expect(code(["NSAttributes": .null]) == .missingValue)
        #expect(code(["NSAttributes": .uid(7)]) == .wrongType)
        #expect(code(["NSAttributes": .uid(0)]) == .missingValue)
        #expect(code(["NSAttributeInfo": .uid(2)]) == .wrongType)
        #expect(code(["NSAttributeInfo": .null]) == .wrongType)
        #expect(code(["NSAttributes": .uid(1)]) == .referenceCycle)
        var objects = good
        objects[2] = ["NS.objects": [.uid(7), .uid(2), .uid(7), .uid(7)], "$class": .uid(4)]
        #expect(refusal(ArchivedAttributedString.self, objects) == .wrongType)
        objects[2] = ["NS.objects": [.uid(7), .uid(0), .uid(7), .uid(7)], "$class": .uid(4)]
        #expect(refusal(ArchivedAttributedString.self, objects) == .missingValue)
    }

    @Test("attributed strings whose runs do not fit the text are not written")
    func misuse() throws {
        let dictionary = AnyArchived(ArchivedPairs<AnyArchived, AnyArchived>([]))
        for runs in [
            [], [(1, 0)], [(2, 1)], [(3, 0)], [(-1, 0), (3, 0)], [(2, -1)], [(2, 0), (0, 0)],
        ] {
            let string = ArchivedAttributedString(
                "ab", dictionaries: [dictionary],
                runs: runs.map { .init(length: $0.0, dictionaryIndex: $0.1) })
            #expect(archiveError { try KeyedArchiver.archive(string) }?.code == .misuse)
        }
    }

    @Test(
        "attributed strings archived by Apple's software are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func foundationTests() throws {
        for (name, kind) in [
            ("NSAttributedString", ArchivedAttributedString.Kind.immutable),
            ("NSMutableAttributedString", .mutable),
        ] {
            let bytes = try Specimens.bytes("foundation--\(name)--")
            let string = try KeyedUnarchiver.unarchive(ArchivedAttributedString.self, from: bytes)
            #expect(string.kind == kind)
            #expect(string.text == "0123456789")
            #expect(string.runs.map(\.length) == [1, 1, 4, 2, 1, 1])
            let attributes = try string.runs.map { try #require(string.attributes(of: $0)) }
            #expect(attributes.map(\.entries.count) == [0, 2, 2, 2, 2, 0])
            let first = attributes[1].entries.map { ($0.key.value(as: String.self), $0.value) }
            #expect(first.first { $0.0 == "Font" }?.1.value(as: String.self) == "Helvetica")
            #expect(first.first { $0.0 == "Size" }?.1.value(as: Int.self) == 123)
            #expect(
                try Specimens.table(KeyedArchiver.archive(string)) == Specimens.table(bytes))
        }
    }

    @Test(
        "attributed strings of all external archives but two are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func all() throws {
        var count = 0
        let archives = try Specimens.collected([
            "NSAttributedString", "NSMutableAttributedString", "NSTextStorage",
        ])
        for archive in Exhaustive.sample(archives, oneIn: 3) {
            let again = try Specimens.rewritten(archive) { value in
                let string = try #require(value.value(as: ArchivedAttributedString.self))
                let units = string.runs.map(\.length).reduce(0, +)
                #expect(string.dictionaries.isEmpty || units == string.text.utf16.count)
                count += 1
            }
            // Two archives are written with a different object graph. In one, data stored under
            // `NS.bytes` is written under `NS.data`. In the other, an attachment refers back to its
            // text storage. Objects that an attachment refers to are kept undecoded, so the text
            // storage is written twice.
            let exceptions = ["Sparkle-Icon.sketch--e0b2dfdc", "AddressBookPrefs.nib_keyedobjects"]
            let isException = exceptions.contains(where: archive.name.contains)
            let difference = try Specimens.difference(again, archive)
            #expect((difference != nil) == isException, "\(archive)")
        }
        #expect(count > Exhaustive.size(200, inDebug: 40))
    }
}

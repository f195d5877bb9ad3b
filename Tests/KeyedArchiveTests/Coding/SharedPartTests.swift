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

/// Archives whose objects share parts that a class parses or converts. The objects share the result
/// too, or each of them is charged for its copy.
@Suite("Shared parts of objects")
struct SharedPartTests {
    private static let count = 300

    /// Limits that allow each value to be visited a few times.
    private var tightLimits: ParsingLimits {
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 4, base: 0)
        return limits
    }

    /// Returns the values of an archive of `count` objects of one class.
    private func read<T: KeyedDecodable>(
        _ type: T.Type, of name: String, count: Int = Self.count,
        limits: ParsingLimits = .untrusted,
        _ fields: (inout SharingAssembler) -> [(String, UInt64)]
    ) throws -> [T] {
        try KeyedUnarchiver.unarchive(
            [T].self, from: SharingAssembler.objects(name, count: count, fields), limits: limits)
    }

    /// Returns the number of different places in memory that arrays are stored at.
    private func places<T>(_ arrays: [[T]]) -> Int {
        // SAFETY: the addresses are compared, not followed.
        Set(arrays.map { unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }).count
    }

    private func code<R>(_ body: () throws -> R) -> KeyedArchiveError.Code? {
        archiveError(body)?.code
    }

    /// Returns the fields of an attributed string with `count` runs of one unit and `count`
    /// references to one dictionary.
    private static func attributedString(
        _ archive: inout SharingAssembler, text: String? = nil
    ) -> [(String, UInt64)] {
        let empty = archive.add(.array([]))
        let dictionary = archive.reference(
            archive.object(
                archive.describe("NSDictionary"), [("NS.keys", empty), ("NS.objects", empty)]))
        let list = [UInt64](repeating: dictionary, count: count)
        let text = archive.text(text ?? String(repeating: "x", count: count))
        let runs: [UInt8] = (0..<count).flatMap { _ in [1, 0] }
        return [
            ("NSString", archive.reference(archive.entry(text))),
            ("NSAttributes", archive.reference(archive.array(of: list))),
            ("NSAttributeInfo", archive.reference(archive.entry(archive.add(.data(runs))))),
        ]
    }

    // MARK: Class codings

    @Test("attributed strings with the same parts share their runs and their list of attributes")
    func attributedStrings() throws {
        let strings = try read(ArchivedAttributedString.self, of: "NSAttributedString") {
            Self.attributedString(&$0)
        }
        #expect(strings.count == Self.count && strings.last?.runs.count == Self.count)
        #expect(places(strings.map(\.runs)) == 1)
        #expect(places(strings.map(\.dictionaries)) == 1)
    }

    @Test("shared runs are checked against each text that uses them")
    func otherText() throws {
        for (length, fits) in [(Self.count, true), (Self.count - 1, false)] {
            var archive = SharingAssembler()
            let string = archive.describe("NSAttributedString")
            var fields = Self.attributedString(&archive)
            let first = archive.reference(archive.object(string, fields))
            let text = archive.text(String(repeating: "y", count: length))
            fields[0].1 = archive.reference(archive.entry(text))
            let second = archive.reference(archive.object(string, fields))
            let bytes = archive.bytes(root: archive.array(of: [first, second]))
            let error = archiveError {
                try KeyedUnarchiver.unarchive([ArchivedAttributedString].self, from: bytes)
            }
            #expect(error?.code == (fits ? nil : .valueOutOfRange))
            #expect(
                error?.what
                    == (fits
                        ? nil : "expected runs of 299 UTF-16 units in total, found a further run"))
        }
    }

    @Test("index sets with the same data share their ranges")
    func indexSets() throws {
        let short: [UInt8] = (0..<60).flatMap { [2 * $0, 1] }
        let data = short + [0x7E, 1, 0x80, 1, 1, 0x82, 1, 1]
        let sets = try read(ArchivedIndexSet.self, of: "NSIndexSet") { archive in
            [
                ("NSRangeCount", archive.add(.integer(63))),
                ("NSRangeData", archive.add(.data(data))),
            ]
        }
        #expect(sets.count == Self.count && sets.last?.ranges.last == 130..<131)
        #expect(places(sets.map(\.ranges)) == 1)
    }

    @Test("index paths with the same data are unpacked once")
    func indexPaths() throws {
        let length = 20_000
        let time = try ProcessorTime.seconds {
            let paths = try read(IndexPath.self, of: "NSIndexPath", count: 2000) { archive in
                [
                    ("NSIndexPathLength", archive.add(.integer(UInt64(length), width: 4))),
                    ("NSIndexPathData", archive.add(.data(.init(repeating: 1, count: length)))),
                ]
            }
            #expect(paths.count == 2000 && paths.last?.count == length)
        }
        #expect(time < 1)
    }

    @Test("shared packed integers are checked against the count of each object")
    func otherCount() throws {
        var archive = SharingAssembler()
        let path = archive.describe("NSIndexPath")
        let data = archive.add(.data(.init(repeating: 1, count: 200)))
        let paths = [200, 199].map { (count: UInt64) in
            archive.reference(
                archive.object(
                    path,
                    [
                        ("NSIndexPathLength", archive.add(.integer(count))),
                        ("NSIndexPathData", data),
                    ]
                ))
        }
        let bytes = archive.bytes(root: archive.array(of: paths))
        let error = archiveError { try KeyedUnarchiver.unarchive([IndexPath].self, from: bytes) }
        #expect(error?.code == .malformedObject)
        #expect(error?.what == "expected 199 integers in `NSIndexPathData`, found 200")
    }

    @Test("data that cannot be parsed counts against the limit each time it is parsed")
    func unparsable() throws {
        let data = [UInt8](repeating: 1, count: 1_000_000) + [0x80]
        let bytes = SharingAssembler.objects("NSIndexPath", count: 500) { archive in
            [
                ("NSIndexPathLength", archive.add(.integer(2))),
                ("NSIndexPathData", archive.add(.data(data))),
            ]
        }
        var failures = 0
        let roots = try KeyedUnarchiver(parsing: bytes, limits: tightLimits).roots
        let refused = code {
            try roots.decodeArray(of: IndexPath.self, forKey: "root") { _, _ in
                failures += 1
                return nil
            }
        }
        #expect(refused == .expansionLimitExceeded && failures < 20)
    }

    @Test("matches of regular expressions with the same list of ranges share it")
    func matches() throws {
        let name = "NSComplexRegularExpressionCheckingResult"
        let matches = try read(ArchivedRegularExpressionMatch.self, of: name) { archive in
            let one = archive.reference(archive.entry(archive.add(.integer(1))))
            let range = archive.reference(
                archive.object(
                    archive.describe("NSValue"),
                    [
                        ("NS.special", archive.add(.integer(4))), ("NS.rangeval.length", one),
                        ("NS.rangeval.location", one),
                    ]))
            let ranges = archive.array(of: [UInt64](repeating: range, count: Self.count))
            return [
                ("NSRegularExpression", archive.reference(0)),
                ("NSRangeArray", archive.reference(ranges)), ("NSRangeLocation", one),
                ("NSRangeLength", one),
            ]
        }
        #expect(matches.count == Self.count && matches.last?.ranges.count == Self.count)
        #expect(places(matches.map(\.ranges)) == 1)
    }

    @Test("a long base counts against the limit for each URL that keeps it")
    func bases() throws {
        for (length, expected) in [
            (20_000, KeyedArchiveError.Code.expansionLimitExceeded), (100, nil),
        ] as [(Int, KeyedArchiveError.Code?)] {
            let refused = code {
                _ = try read(URL.self, of: "NSURL", count: 10_000) { archive in
                    let base = archive.text("http://a/" + String(repeating: "b", count: length))
                    let url = archive.object(
                        archive.describe("NSURL"),
                        [
                            ("NS.base", archive.reference(0)),
                            ("NS.relative", archive.reference(archive.entry(base))),
                        ])
                    let text = archive.reference(archive.entry(archive.text("x")))
                    return [("NS.base", archive.reference(url)), ("NS.relative", text)]
                }
            }
            #expect(refused == expected)
        }
    }

    @Test("long texts of structures count against the limit each time they are parsed")
    func structures() throws {
        for (length, expected) in [
            (1_000_000, KeyedArchiveError.Code.expansionLimitExceeded), (100, nil),
        ] as [(Int, KeyedArchiveError.Code?)] {
            var archive = SharingAssembler()
            let spaces = String(repeating: " ", count: length)
            let text = archive.reference(archive.entry(archive.text("{1, 2}" + spaces)))
            let root = archive.array(of: [UInt64](repeating: text, count: Self.count))
            let bytes = archive.bytes(root: root)
            #expect(
                code {
                    try KeyedUnarchiver.unarchive(
                        [ArchivedPoint].self, from: bytes, limits: tightLimits)
                } == expected)
        }
    }

    @Test("a long text in an object counts against the limit each time it is hashed or parsed")
    func textsOfObjects() throws {
        let long = String(repeating: "k", count: 1_000_000)
        func text(_ archive: inout SharingAssembler) -> UInt64 {
            archive.reference(
                archive.object(
                    archive.describe("NSMutableString"), [("NS.string", archive.text(long))]))
        }
        #expect(
            code {
                try read([String: String].self, of: "NSDictionary", limits: tightLimits) {
                    archive in
                    let list = archive.add(.array([text(&archive)]))
                    return [("NS.keys", list), ("NS.objects", list)]
                }
            } == .expansionLimitExceeded)
        #expect(
            code {
                try read(URL.self, of: "NSURL", limits: tightLimits) { archive in
                    [("NS.base", archive.reference(0)), ("NS.relative", text(&archive))]
                }
            } == .expansionLimitExceeded)
    }

    @Test("the unused bytes of a decimal number's mantissa are not copied")
    func decimals() throws {
        let bytes = [UInt8](repeating: 1, count: 8_000_000)
        let time = try ProcessorTime.seconds {
            let numbers = try read(Decimal.self, of: "NSDecimalNumber", count: 5000) { archive in
                [
                    ("NS.exponent", archive.add(.integer(0))),
                    ("NS.length", archive.add(.integer(1))),
                    ("NS.negative", archive.add(.boolean(false))),
                    ("NS.mantissa.bo", archive.add(.integer(1))),
                    ("NS.mantissa", archive.add(.data(bytes))),
                ]
            }
            #expect(numbers.last == 257)
        }
        #expect(time < 1)
    }

    // MARK: Any values, property lists and `Codable` values

    /// Returns an archive of an array with `count` references to one object.
    private func references(
        _ count: Int, to object: (inout SharingAssembler) -> Int
    ) -> [UInt8] {
        var archive = SharingAssembler()
        let reference = archive.reference(object(&archive))
        return archive.bytes(
            root: archive.array(of: [UInt64](repeating: reference, count: count)))
    }

    /// Adds an array of `count` references to the number 1.
    private static func numbers(_ count: Int, _ archive: inout SharingAssembler) -> Int {
        let one = archive.reference(archive.entry(archive.add(.integer(1))))
        return archive.array(of: [UInt64](repeating: one, count: count))
    }

    /// Adds a dictionary of `count` entries.
    private static func dictionary(_ count: Int, _ archive: inout SharingAssembler) -> Int {
        let one = archive.reference(archive.entry(archive.add(.integer(1))))
        let keys = (0..<count).map { archive.reference(archive.entry(archive.text("k\($0)"))) }
        let list = archive.add(.array(keys))
        let values = archive.add(.array([UInt64](repeating: one, count: count)))
        return archive.object(
            archive.describe("NSDictionary"), [("NS.keys", list), ("NS.objects", values)])
    }

    @Test("an array or a dictionary that an archive shares is shared in its property list")
    func propertyLists() throws {
        for bytes in [
            references(Self.count) { Self.numbers(Self.count, &$0) },
            references(Self.count) { Self.dictionary(Self.count, &$0) },
        ] {
            let list = try KeyedUnarchiver.unarchive(
                PropertyListValue.self, from: bytes, limits: .untrusted)
            let parts = try #require(list.array)
            #expect(parts.count == Self.count)
            let identities = parts.map { $0.array?.identity ?? $0.dictionary?.identity }
            #expect(Set(identities.map { $0.map { ObjectIdentifier($0) } }).count == 1)
            #expect(identities[0] != nil)
            let again = try KeyedArchiver.archive(list)
            #expect(
                try ArchiveGraph(parsing: again).objects.count
                    <= ArchiveGraph(parsing: bytes).objects.count)
        }
    }

    @Test("a shared collection of any values is converted once")
    func anyValues() throws {
        let bytes = references(Self.count) { Self.numbers(Self.count, &$0) }
        let roots = try KeyedUnarchiver(parsing: bytes, limits: .untrusted).roots
        let arrays = try roots.decode([Any].self, forKey: "root").compactMap { $0 as? [Any] }
        #expect(arrays.count == Self.count && arrays.last?.last as? Int == 1)
        #expect(places(arrays) == 1)
        let size = 3000
        let many = try KeyedUnarchiver(
            parsing: references(size) { Self.dictionary(size, &$0) }, limits: .untrusted
        ).roots
        let time = try ProcessorTime.seconds {
            let entries = try many.decode([Any].self, forKey: "root")
            #expect(entries.count == size && (entries.last as? [String: Any])?.count == size)
        }
        #expect(time < 1)
    }

    @Test("an array of any values that the fields of several objects share is converted once")
    func anyFields() throws {
        let lists = try read(AnyList.self, of: "AnyList") { archive in
            [("list", archive.reference(Self.numbers(Self.count, &archive)))]
        }
        #expect(lists.count == Self.count && places(lists.map(\.list)) == 1)
    }

    @Test("an array is converted anew for each type that it is requested as")
    func otherConversion() throws {
        var archive = SharingAssembler()
        let fields = Self.attributedString(&archive)
        let string = archive.object(archive.describe("NSAttributedString"), fields)
        let list = archive.object(archive.describe("AnyList"), [("list", fields[1].1)])
        let objects = [archive.reference(string), archive.reference(list)]
        let archived = try KeyedUnarchiver.unarchive(
            [AnyArchived].self, from: archive.bytes(root: archive.array(of: objects)),
            allowing: .foundation.adding(AnyList.self))
        let values = try #require(archived[1].value(as: AnyList.self)).list
        #expect(values.count == Self.count)
        #expect(values.allSatisfy { ($0 as? [String: Any])?.isEmpty == true })
    }

    @Test("`Codable` values are decoded from nested shared arrays without copies")
    func codableDoubling() throws {
        var archive = SharingAssembler()
        let array = archive.describe("NSArray")
        var last = archive.object(array, [("NS.objects", archive.add(.array([])))])
        for _ in 0..<40 {
            let reference = archive.reference(last)
            last = archive.object(
                array, [("NS.objects", archive.add(.array([reference, reference])))])
        }
        var limits = ParsingLimits.default
        limits.expansion = .init(factor: 8, base: 1000)
        let roots = try KeyedUnarchiver(parsing: archive.bytes(root: last), limits: limits).roots
        #expect(try roots.decodeDecodable(FirstElements.self, forKey: "root").depth == 40)
        #expect(throws: DecodingError.self) {
            try roots.decodeDecodable(AllElements.self, forKey: "root")
        }
    }

    @Test("the limits of an archive apply to its `Codable` values")
    func codableLimits() throws {
        let bytes = references(Self.count) { Self.numbers(Self.count, &$0) }
        let roots = try KeyedUnarchiver(parsing: bytes, limits: tightLimits).roots
        #expect(throws: DecodingError.self) {
            try roots.decodeDecodable([[Int]].self, forKey: "root")
        }
        #expect(throws: DecodingError.self) {
            try roots.decodeDecodable([[Int]]?.self, forKey: "root")
        }
        let open = try KeyedUnarchiver(parsing: bytes).roots
        #expect(try open.decodeDecodable([[Int]].self, forKey: "root").count == Self.count)
    }

    @Test("fields of `Codable` values count against the limit, even nil and inline ones")
    func codableFields() throws {
        let count = 100
        let bytes = SharingAssembler.objects("Empty", count: count) { archive in
            let (null, one) = (archive.reference(0), archive.add(.integer(1)))
            return (0..<count).map { ("k\($0)", $0 % 2 == 0 ? null : one) }
        }
        #expect(
            code { try KeyedUnarchiver.unarchive([Empty].self, from: bytes, limits: tightLimits) }
                == .expansionLimitExceeded)
        #expect(try KeyedUnarchiver.unarchive([Empty].self, from: bytes).count == count)
    }

    // MARK: Elements and entries

    @Test("elements of a shared array that are read one by one count against the limit each time")
    func recoveredElements() throws {
        let lists: [(inout SharingAssembler) -> [(String, UInt64)]] = [
            { archive in
                let nulls = [UInt64](repeating: archive.reference(0), count: Self.count)
                return [("list", archive.reference(archive.array(of: nulls)))]
            },
            { archive in
                let null = archive.reference(0)
                let fields = (0..<Self.count).map { ("NS.object.\($0)", null) }
                let array = archive.object(archive.describe("NSArray"), fields)
                return [("list", archive.reference(array))]
            },
        ]
        for list in lists {
            let bytes = SharingAssembler.objects("Recovering", count: Self.count, list)
            #expect(
                code {
                    try KeyedUnarchiver.unarchive(
                        [Recovering].self, from: bytes, limits: tightLimits)
                } == .expansionLimitExceeded)
            let all = try KeyedUnarchiver.unarchive([Recovering].self, from: bytes)
            #expect(all.allSatisfy { $0.count == Self.count })
        }
    }

    @Test("reading the elements of a shared array one by one does not keep the archive in memory")
    func released() throws {
        weak var pet: Pet?
        func read() throws {
            let array: PropertyListValue = ["NS.objects": [.uid(2), .uid(2)], "$class": .uid(3)]
            let bytes = try Archives.make(
                [
                    array, ["name": .uid(4), "$class": .uid(5)], Archives.describe("NSArray"),
                    "Rex", Archives.describe("Pet"),
                ], top: ["a": .uid(1), "b": .uid(1)])
            let roots = try KeyedUnarchiver(
                parsing: bytes, allowing: .foundation.adding(Pet.self)
            ).roots
            for key in ["a", "b"] {
                let pets = try roots.decodeArray(of: Pet.self, forKey: key) { throw $1 }
                #expect(pets.count == 2 && pets[0] === pets[1])
                pet = pets[0]
            }
        }
        try read()
        #expect(pet == nil)
    }

    @Test(
        "the references in a dictionary are counted at most twice, however often the object table lists it"
    )
    func entries() throws {
        var archive = SharingAssembler()
        let (pet, holder) = (archive.describe("Pet"), archive.describe("Holder"))
        let rex = archive.object(
            pet, [("name", archive.reference(archive.entry(archive.text("Rex"))))])
        let count = 5000
        let node = archive.node(
            holder,
            [("pet", archive.reference(rex))]
                + (0..<count).map { ("k\($0)", archive.reference(0)) })
        let holders = (0..<10_000).map { _ in archive.reference(archive.entry(node)) }
        let bytes = archive.bytes(root: archive.array(of: Array(holders.prefix(2))))
        let contents = try ArchiveContents(parsing: bytes)
        let registry = ClassRegistry.foundation.adding(Pet.self, Holder.self)
        var opened: KeyedUnarchiver?
        let time = try ProcessorTime.seconds {
            opened = try KeyedUnarchiver(contents, allowing: registry)
        }
        #expect(time < 1)
        let read = try #require(try opened?.unarchive([Holder].self))
        #expect(read[0].pet === read[1].pet && read[0].pet.name == "Rex")
    }
}

private struct AnyList: KeyedCodable {
    static let archivedClass: ArchivedClass = "AnyList"
    let list: [Any]

    init(coder: KeyedDecoder) throws { list = try coder.decode([Any].self, forKey: "list") }

    func encode(with coder: KeyedEncoder) {}
}

private struct Recovering: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Recovering"
    let count: Int

    init(coder: KeyedDecoder) throws {
        count = try coder.decodeArray(of: Int?.self, forKey: "list") { throw $1 }.count
    }
}

private struct Empty: Decodable, KeyedDecodable {
    static let archivedClass: ArchivedClass = "Empty"

    init(from decoder: any Decoder) {}

    init(coder: KeyedDecoder) throws { self = try coder.decodeFields() }
}

private struct Holder: KeyedDecodable {
    static let archivedClass: ArchivedClass = "Holder"
    let pet: Pet

    init(coder: KeyedDecoder) throws { pet = try coder.decode(forKey: "pet") }
}

/// Decodes the first element of each array.
private struct FirstElements: Decodable {
    let depth: Int

    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        depth = container.isAtEnd ? 0 : try container.decode(Self.self).depth + 1
    }
}

/// Decodes all elements of each array.
private struct AllElements: Decodable {
    init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        while !container.isAtEnd { _ = try container.decode(Self.self) }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Regular expressions")
struct RegularExpressionTests {
    private typealias Match = ArchivedRegularExpressionMatch

    private static let expression: [PropertyListValue] = [
        // An invalid pattern, which decoding does not check.
        ["NSPattern": .uid(2), "NSOptions": 5, "$class": .uid(3)], "a(",
        Archives.describe("NSRegularExpression"),
    ]

    @Test("regular expressions round-trip")
    func expressions() throws {
        let value = try read(ArchivedRegularExpression.self, Self.expression)
        #expect(value.pattern == "a(")
        #expect(value.options == [.caseInsensitive, .ignoreMetacharacters])
        #expect(try written(value) == Self.expression)
    }

    @Test("regular expressions with fields of the wrong type are refused")
    func hostileExpressions() {
        func code(_ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            refusal(
                ArchivedRegularExpression.self,
                [Self.expression[0].with(changes)] + Self.expression.dropFirst())
        }
        #expect(code(["NSPattern": .uid(0)]) == .missingValue)
        #expect(code(["NSPattern": .null]) == .missingValue)
        #expect(code(["NSPattern": 1]) == .wrongType)
        #expect(code(["NSOptions": .null]) == .missingValue)
        #expect(code(["NSOptions": true]) == .wrongType)
        #expect(
            code(["NSOptions": .integer(PropertyListInteger(UInt64.max))]) == .valueOutOfRange)
    }

    /// The objects of a match result with two ranges.
    private static let result: [PropertyListValue] = [
        [
            "NSRegularExpression": .uid(2), "NSRangeArray": .uid(5), "NSRangeLocation": 3,
            "NSRangeLength": 4, "$class": .uid(13),
        ],
        ["NSPattern": .uid(3), "NSOptions": 0, "$class": .uid(4)], "a(b)",
        Archives.describe("NSRegularExpression"),
        ["NS.objects": [.uid(6), .uid(10)], "$class": .uid(12)],
        [
            "NS.rangeval.length": .uid(7), "NS.rangeval.location": .uid(8), "NS.special": 4,
            "$class": .uid(9),
        ], 4, 3, Archives.describe("NSValue"),
        [
            "NS.rangeval.length": .uid(11), "NS.rangeval.location": .uid(7), "NS.special": 4,
            "$class": .uid(9),
        ], 1, Archives.describe("NSMutableArray", "NSArray"),
        Archives.describe(
            "NSExtendedRegularExpressionCheckingResult", "NSRegularExpressionCheckingResult",
            "NSTextCheckingResult"),
    ]

    @Test("match results round-trip")
    func results() throws {
        let match = try read(Match.self, Self.result)
        #expect(match.range == .init(location: 3, length: 4))
        #expect(match.ranges == [.init(location: 3, length: 4), .init(location: 4, length: 1)])
        #expect(match.regularExpression?.pattern == "a(b)")
        #expect(try written(match) == Self.result)
    }

    @Test("the class of a match result depends on the number of ranges")
    func classes() throws {
        for (count, name, array) in [
            (1, "Simple", "NSMutableArray"), (2, "Extended", "NSMutableArray"),
            (7, "Extended", "NSMutableArray"), (8, "Complex", "NSArray"),
        ] {
            // A range without a match has the location Int.max.
            let ranges = (0..<count).map { ArchivedRange(location: $0 == 1 ? .max : $0, length: 0) }
            let match = Match(range: ranges[0], ranges: ranges, regularExpression: nil)
            let bytes = try KeyedArchiver.archive(match)
            let graph = try ArchiveGraph(parsing: bytes)
            #expect(
                graph.archivedClass(of: 1)?.name == "NS\(name)RegularExpressionCheckingResult")
            #expect(graph.archivedClass(of: 2)?.name == array)
            #expect(try KeyedUnarchiver.unarchive(Match.self, from: bytes) == match)
        }
    }

    @Test("match results with fields of the wrong type are refused")
    func hostileResults() {
        func code(_ entry: Int, _ changes: PropertyListDictionary) -> KeyedArchiveError.Code? {
            var objects = Self.result
            objects[entry] = objects[entry].with(changes)
            return refusal(Match.self, objects)
        }
        #expect(code(0, ["NSRangeLocation": -1]) == .valueOutOfRange)
        #expect(code(0, ["NSRangeLength": .null]) == .missingValue)
        #expect(code(0, ["NSRangeArray": .null]) == .missingValue)
        #expect(code(0, ["NSRangeArray": .uid(2)]) == .wrongType)
        #expect(code(0, ["NSRegularExpression": .uid(5)]) == .wrongType)
        #expect(code(4, ["NS.objects": [.uid(2)]]) == .wrongType)
        #expect(code(4, ["NS.objects": [.uid(1)]]) == .referenceCycle)
        #expect(code(5, ["NS.special": 1]) == .missingValue)
        #expect(code(5, ["NS.special": .null]) == .valueOutOfRange)
        #expect(code(5, ["NS.rangeval.length": .uid(3)]) == .wrongType)
        #expect(code(5, ["NS.rangeval.location": -5]) == .valueOutOfRange)
        #expect(code(5, ["NS.rangeval.location": 0.5]) == .valueOutOfRange)
    }

    @Test(
        "regular expressions and matches from Apple's archives are written as they were read",
        .enabled(if: Corpus.hasExternal))
    func foundationTests() throws {
        for (name, count) in [("SimpleRegex", 1), ("ExtendedRegex", 6), ("ComplexRegex", 9)] {
            let bytes = try Specimens.bytes("NSTextCheckingResult-\(name)")
            let match = try KeyedUnarchiver.unarchive(Match.self, from: bytes)
            #expect(match.ranges.count == count)
            #expect(match.range == match.ranges.first)
            #expect(match.ranges.last?.length == (count == 1 ? match.range.length : 1))
            #expect(match.regularExpression?.options == [])
            #expect(
                try Specimens.table(KeyedArchiver.archive(match)) == Specimens.table(bytes))
        }
        let archives = try Specimens.collected(["NSRegularExpression"])
        // Each of the match results above has a regular expression.
        #expect(archives.count >= 3)
        for archive in archives {
            let again = try Specimens.rewritten(archive) {
                #expect($0.value(as: ArchivedRegularExpression.self) != nil)
            }
            #expect(try Specimens.difference(again, archive) == nil)
        }
    }
}

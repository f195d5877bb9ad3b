// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveTestSupport
import KeyedArchive
import PropertyList
import TestSupport
import Testing

@Suite("Geometry and NSValue")
struct GeometryTests {
    static let value = Archives.describe("NSValue")

    @Test("structures are written as text in the spelling of Apple's software")
    func texts() {
        #expect(ArchivedPoint(x: 400, y: -0.5).archivedString == "{400, -0.5}")
        #expect(
            ArchivedSize(width: 10_000_000_000_000, height: 1e17).archivedString
                == "{10000000000000, 1e+17}")
        #expect(
            ArchivedRect(x: 0, y: 677.6666666666666, width: 375, height: 42).archivedString
                == "{{0, 677.66666666666663}, {375, 42}}")
        #expect(ArchivedVector(dx: -0.0, dy: 2.5).archivedString == "{-0, 2.5}")
        #expect(
            ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4).archivedString
                == "{1, 2, 3, 4}")
        #expect(ArchivedAffineTransform.identity.archivedString == "[1, 0, 0, 1, 0, 0]")
        #expect(
            ArchivedPoint(x: .infinity, y: -.infinity).archivedString == "{inf, -inf}")
    }

    @Test("structures are also read in the spellings of old systems and other implementations")
    func spellings() {
        let point = ArchivedPoint(x: 1, y: 2)
        for text in ["{1, 2}", "{1.0, 2.0}", "{1,2}", " { 1 ,2.} ", "{+1e0, 0.2e+1}"] {
            #expect(ArchivedPoint(archivedString: text) == point, "\(text)")
        }
        #expect(ArchivedSize(archivedString: "{463, 1e+07}")?.height == 10_000_000)
        #expect(
            ArchivedRect(archivedString: "{{inf, inf}, {0, 0}}")
                == ArchivedRect(x: .infinity, y: .infinity, width: 0, height: 0))
        #expect(ArchivedPoint(archivedString: "{nan, 0}")?.x.isNaN == true)
        let numbers: [Double] = [.pi, -1e-300, .leastNonzeroMagnitude, 1e308, 0.1, -0.0]
        for (x, y) in zip(numbers, numbers.reversed()) {
            let point = ArchivedPoint(x: x, y: y)
            #expect(ArchivedPoint(archivedString: point.archivedString) == point)
        }
    }

    @Test(
        "each structure round-trips as a root and in a list, and `AnyArchived` reads it as text")
    func archives() throws {
        func check<T: ArchivedStringConvertible & Equatable>(_ value: T) throws {
            for bytes in [
                try KeyedArchiver.archive(value), try KeyedArchiver.archive(value.archivedString),
            ] {
                #expect(try KeyedUnarchiver.unarchive(T.self, from: bytes) == value)
                let any = try KeyedUnarchiver.unarchive(
                    AnyArchived.self, from: bytes, allowing: .foundation)
                #expect(any.value(as: String.self) == value.archivedString)
            }
            let list = try KeyedArchiver.archive([value, value])
            #expect(try KeyedUnarchiver.unarchive([T].self, from: list) == [value, value])
            let other = try KeyedArchiver.archive("{no \(T.self)}")
            let error = #expect(throws: KeyedArchiveError.self) {
                try KeyedUnarchiver.unarchive(T.self, from: other)
            }
            #expect(error?.code == .valueOutOfRange)
            #expect(T(archivedString: "{1}") == nil)
        }
        try check(ArchivedPoint(x: 1, y: -2.5))
        try check(ArchivedSize(width: 1, height: 2))
        try check(ArchivedRect(x: 1, y: 2, width: 3, height: 4))
        try check(ArchivedVector(dx: 0.5, dy: -1))
        try check(ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
        try check(ArchivedAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6))
    }

    @Test("malformed text of a structure is refused, and no number is read in part")
    func otherTexts() throws {
        let texts = [
            "", "{", "{}", "{1}", "{1, 2", "1, 2", "{1, 2, 3}", "{1, 2}}", "{{1, 2}}", "{1 2}",
            "{1, 2} x", "{1x, 2}", "{1, 0x2}", "{1e, 2}", "{, 2}", "{1, }", "{--1, 2}",
            "{1e999, 2}", "{infinity, 2}", "[1, 2]", "{1, 2}\0", "{１, 2}",
        ]
        for text in texts {
            #expect(ArchivedPoint(archivedString: text) == nil, "\(text)")
            #expect(ArchivedRect(archivedString: "{{0, 0}, \(text)}") == nil)
        }
        let bytes = try Archives.make(["{1, 2"])
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(ArchivedPoint.self, from: bytes) }?.code
                == .valueOutOfRange)
        let number = try Archives.make([7])
        #expect(
            archiveError { try KeyedUnarchiver.unarchive(ArchivedPoint.self, from: number) }?.code
                == .wrongType)
        let long = "{" + String(repeating: "1", count: 100_000) + ", 2}"
        #expect(ArchivedPoint(archivedString: long) == nil)
    }

    @Test("the elements of an array of structures are references to text")
    func fields() throws {
        let points = [ArchivedPoint(x: 1, y: 2), ArchivedPoint(x: 3.5, y: 0)]
        let bytes = try KeyedArchiver.archive(points)
        #expect(
            try Specimens.table(bytes) == [
                "$null", ["NS.objects": [.uid(2), .uid(3)], "$class": .uid(4)], "{1, 2}",
                "{3.5, 0}", Archives.describe("NSArray"),
            ])
        #expect(try KeyedUnarchiver.unarchive([ArchivedPoint].self, from: bytes) == points)
    }

    @Test("the elements of an array of ranges are NSValues")
    func rangeFields() throws {
        let ranges = [ArchivedRange(location: 2, length: 3), ArchivedRange(location: 0, length: 0)]
        let bytes = try KeyedArchiver.archive(ranges)
        let values = try KeyedUnarchiver.unarchive([ArchivedValue].self, from: bytes)
        guard case .range(let first) = values[0] else {
            Issue.record("no range")
            return
        }
        #expect(first == ranges[0])
        let registry = ClassRegistry().adding([ArchivedRange].self)
        #expect(
            try KeyedUnarchiver.unarchive([ArchivedRange].self, from: bytes, allowing: registry)
                == ranges)
        let point = try KeyedArchiver.archive(ArchivedValue.point(ArchivedPoint(x: 1, y: 2)))
        let error = archiveError { try KeyedUnarchiver.unarchive(ArchivedRange.self, from: point) }
        #expect(error?.code == .wrongType && error?.path?.description == "root")
    }

    @Test("a range with a negative location or length is refused on writing")
    func negativeRanges() {
        for (location, length) in [(-1, 0), (0, -1)] {
            let range = ArchivedRange(location: location, length: length)
            let match = ArchivedRegularExpressionMatch(
                range: range, ranges: [], regularExpression: nil)
            let errors = [
                archiveError { try KeyedArchiver.archive(range) },
                archiveError { try KeyedArchiver.archive(ArchivedValue.range(range)) },
                archiveError { try KeyedArchiver.archive(match) },
            ]
            for error in errors { #expect(error?.code == .valueOutOfRange) }
        }
    }

    @Test("a structure in a field of an object is a reference to text, and a range is an NSValue")
    func fieldsOfObjects() throws {
        let point = try roundTrip(
            Field<ArchivedPoint>.self,
            [["field": .uid(2), "$class": .uid(3)], "{1, 2}", Archives.describe("Field")])
        #expect(point.value == ArchivedPoint(x: 1, y: 2))
        let range = try roundTrip(
            Field<ArchivedRange>.self,
            [
                ["field": .uid(2), "$class": .uid(6)],
                [
                    "NS.special": 4, "NS.rangeval.length": .uid(3), "NS.rangeval.location": .uid(4),
                    "$class": .uid(5),
                ], 3, 2, Self.value, Archives.describe("Field"),
            ])
        #expect(range.value == ArchivedRange(location: 2, length: 3))
    }

    @Test("points, sizes, rectangles and ranges round-trip as NSValue")
    func values() throws {
        let point = try roundTrip(
            ArchivedValue.self,
            [
                ["NS.special": 1, "NS.pointval": .uid(2), "$class": .uid(3)], "{512, 384}",
                Self.value,
            ])
        guard case .point(ArchivedPoint(x: 512, y: 384)) = point else {
            Issue.record("no point")
            return
        }
        let size = try roundTrip(
            ArchivedValue.self,
            [["NS.special": 2, "NS.sizeval": .uid(2), "$class": .uid(3)], "{5, 0.25}", Self.value])
        guard case .size(ArchivedSize(width: 5, height: 0.25)) = size else {
            Issue.record("no size")
            return
        }
        let rect = try roundTrip(
            ArchivedValue.self,
            [
                ["NS.special": 3, "NS.rectval": .uid(2), "$class": .uid(3)], "{{1, 2}, {3, 4}}",
                Self.value,
            ])
        guard case .rect(ArchivedRect(x: 1, y: 2, width: 3, height: 4)) = rect else {
            Issue.record("no rectangle")
            return
        }
        let range = try roundTrip(
            ArchivedValue.self, Self.range(length: 9, location: PropertyListInteger(Int.max)))
        guard case .range(let found) = range else {
            Issue.record("no range")
            return
        }
        #expect(found.location == ArchivedRange.notFound && found.range == nil)
        #expect(ArchivedRange(2..<5) == ArchivedRange(location: 2, length: 3))
        #expect(ArchivedRange(location: 2, length: 3).range == 2..<5)
        #expect(ArchivedRange(location: .max - 1, length: 3).range == nil)
    }

    static func range(
        length: PropertyListInteger, location: PropertyListInteger
    ) -> [PropertyListValue] {
        [
            [
                "NS.special": 4, "NS.rangeval.length": .uid(2), "NS.rangeval.location": .uid(3),
                "$class": .uid(4),
            ], .integer(length), .integer(location), value,
        ]
    }

    static let insets: PropertyListDictionary = [
        "NS.special": 12, "NS.edgeval.top": 1.0, "NS.edgeval.left": 2.0,
        "NS.edgeval.bottom": 3.0, "NS.edgeval.right": 4.0, "$class": .uid(2),
    ]

    @Test("edge insets round-trip as NSValue")
    func insets() throws {
        let value = try roundTrip(ArchivedValue.self, [.dictionary(Self.insets), Self.value])
        guard case .edgeInsets(let insets) = value else {
            Issue.record("no insets")
            return
        }
        #expect(insets == ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4))
    }

    @Test("an NSValue of another C type is kept and written back")
    func others() throws {
        let array = try roundTrip(
            ArchivedValue.self,
            [
                ["$0": .uid(2), "$1": .uid(3), "$class": .uid(5)], "[3i]",
                [
                    "NS.count": 3, "NS.size": 4, "NS.type": 105, "$0": 1, "$1": 2, "$2": 3,
                    "$class": .uid(4),
                ], Archives.describe("_NSKeyedCoderOldStyleArray"), Self.value,
            ])
        #expect(array.objCType == "[3i]" && array.affineTransform == nil)
        let single = try roundTrip(
            ArchivedValue.self, [["$0": .uid(2), "$1": 7, "$class": .uid(3)], "i", Self.value])
        #expect(single.objCType == "i")
        let transform = try roundTrip(
            ArchivedValue.self,
            [
                [
                    "NS.special": 99, "NS.atval.a": 1.0, "NS.atval.b": 2.0, "NS.atval.c": 3.0,
                    "NS.atval.d": 4.0, "NS.atval.tx": 5.0, "NS.atval.ty": 6.0, "$class": .uid(2),
                ], Self.value,
            ])
        #expect(
            transform.affineTransform
                == ArchivedAffineTransform(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6))
        #expect(single.affineTransform == nil && transform.objCType == nil)
    }

    @Test("an NSValue with a field that is missing, out of range or of the wrong type is refused")
    func hostileValues() {
        func code(_ fields: PropertyListDictionary, _ rest: PropertyListValue...)
            -> KeyedArchiveError.Code?
        { refusal(ArchivedValue.self, fields, Self.value, rest.first ?? "$null") }
        #expect(code(["NS.special": 1]) == .missingValue)
        #expect(code(["NS.special": 1, "NS.pointval": .uid(0)]) == .missingValue)
        #expect(code(["NS.special": 1, "NS.pointval": .uid(3)], 7) == .wrongType)
        #expect(code(["NS.special": 1, "NS.pointval": .uid(3)], "{1}") == .valueOutOfRange)
        #expect(code(["NS.special": 2, "NS.sizeval": .uid(1)]) == .referenceCycle)
        #expect(code(["NS.special": "1"]) == .wrongType)
        #expect(code(["NS.special": 1.5]) == .valueOutOfRange)
        #expect(code(["NS.special": 4, "NS.rangeval.length": 1]) == .missingValue)
        #expect(
            code(["NS.special": 4, "NS.rangeval.length": -1, "NS.rangeval.location": 0])
                == .valueOutOfRange)
        #expect(
            code(
                ["NS.special": 4, "NS.rangeval.length": .uid(3), "NS.rangeval.location": 0],
                .integer(PropertyListInteger(UInt64.max))) == .valueOutOfRange)
        for key in ["top", "left", "bottom", "right"] {
            #expect(
                refusal(
                    ArchivedValue.self, Self.insets, without: "NS.edgeval.\(key)", Self.value)
                    == .missingValue)
        }
        #expect(
            refusal(
                ArchivedValue.self, Self.insets, changing: ["NS.edgeval.top": "1"], Self.value)
                == .wrongType)
        // Objects that are kept unchanged must also be of allowed classes.
        #expect(
            refusal(
                ArchivedValue.self, ["$0": .uid(3)], Self.value, ["$class": .uid(4)],
                Archives.describe("Evil")) == .classNotAllowed)
    }

    @Test("the common classes include NSValue")
    func preset() throws {
        let value = ArchivedValue.point(ArchivedPoint(x: 1, y: 2))
        let bytes = try KeyedArchiver.archive(AnyArchived(value), allowing: .commonClasses)
        let back = try KeyedUnarchiver.unarchive(
            AnyArchived.self, from: bytes, allowing: .commonClasses)
        #expect(back.value is ArchivedValue)
    }

    // The rotation by 15.5° from a genuine archive.
    static let rotation: [UInt8] = [
        0x3f, 0x76, 0xb0, 0x7c, 0x3e, 0x88, 0xd3, 0x78, 0xbe, 0x88, 0xd3, 0x78,
        0x3f, 0x76, 0xb0, 0x7c, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    @Test("NSAffineTransform is stored as six big-endian 32-bit numbers")
    func affineTransform() throws {
        let transform = try roundTrip(
            ArchivedNSAffineTransform.self,
            [
                ["NSTransformStruct": .data(Self.rotation), "$class": .uid(2)],
                Archives.describe("NSAffineTransform"),
            ])
        #expect(abs(transform.transform.a - 0.9636304532) < 1e-7)
        #expect(transform.m12 == -transform.m21 && transform.m11 == transform.m22)
        #expect(ArchivedNSAffineTransform(transform.transform) == transform)
        let description = Archives.describe("NSAffineTransform")
        func code(_ value: PropertyListValue) -> KeyedArchiveError.Code? {
            refusal(
                ArchivedNSAffineTransform.self, [:], changing: ["NSTransformStruct": value],
                description)
        }
        #expect(code(.data(Self.rotation.dropLast())) == .valueOutOfRange)
        #expect(code(.data(Self.rotation + [0])) == .valueOutOfRange)
        #expect(code(.data([])) == .valueOutOfRange)
        #expect(code("text") == .wrongType)
        #expect(refusal(ArchivedNSAffineTransform.self, [:], description) == .missingValue)
    }
}

@Suite(
    "Geometry and NSValue in genuine archives",
    .enabled(if: Corpus.hasExternal, "there is no folder of such files"))
struct GenuineGeometryTests {
    @Test("NSAffineTransform of genuine archives is read")
    func affineTransform() throws {
        let transform = try roundTrip(
            ArchivedNSAffineTransform.self, genuine: "--NSAffineTransform--",
            in: "captured-fixtures")
        #expect(transform.tX == 0 && transform.m12 > 0.26 && transform.m12 < 0.27)
    }

    @Test("rectangles, ranges and insets at the roots of genuine archives are read")
    func roots() throws {
        let folder = "other-impl-tests"
        let rect = try roundTrip(ArchivedValue.self, genuine: "-RectTest--", in: folder)
        guard case .rect(ArchivedRect(x: 400, y: 300, width: 200, height: 300)) = rect else {
            Issue.record("no rectangle")
            return
        }
        let range = try roundTrip(ArchivedValue.self, genuine: "-RangeTest--", in: folder)
        guard case .range(ArchivedRange(location: 97345, length: 98345)) = range else {
            Issue.record("no range")
            return
        }
        let insets = try roundTrip(ArchivedValue.self, genuine: "-EdgeInsetsTest--", in: folder)
        guard case .edgeInsets(ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)) = insets
        else {
            Issue.record("no insets")
            return
        }
    }

    @Test(
        "every NSValue of genuine archives is written as it was read",
        arguments: [
            ("foundation-tests", 16), ("sks", 6), ("xcuserstate", 19), ("dtx-instruments", 1),
        ])
    func values(folder: String, least: Int) throws {
        let values = try Specimens.compareParts(
            ArchivedValue.self, of: ["NSValue"], in: folder)
        #expect(values.count >= least)
        for value in values { if case .other = value { Issue.record("an unknown value") } }
    }
}

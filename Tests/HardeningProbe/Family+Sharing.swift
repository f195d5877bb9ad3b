// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

// Archives whose objects share the parts that their classes parse or convert.
extension Family {
    /// The number of the first object that a family adds itself.
    private static let firstPart = 4

    /// Returns a family of archives of an array of n objects that share one dictionary of fields.
    /// `fields` returns the fields, and appends the objects that they refer to.
    private static func sharing(
        _ what: String, _ name: String, _ size: Int = 100, limits: ParsingLimits = .default,
        _ fields: @escaping @Sendable (Int, inout ListBuilder, inout [UInt64]) -> [(String, UInt64)]
    ) -> Family {
        Family("archive, \(what)", size) { n in
            var builder = ListBuilder()
            var parts: [UInt64] = []
            let fields = fields(n, &builder, &parts)
            let first = firstPart + parts.count
            let list = builder.array((first..<first + n).map { builder.uid($0) })
            let root = builder.object(of: 2, [("NS.objects", list)])
            let object = builder.object(of: 3, fields)
            let classes = [builder.classDescription("NSArray"), builder.classDescription(name)]
            let objects = [root] + classes + parts + [UInt64](repeating: object, count: n)
            return Input(bytes: builder.archive(objects), options: .strict, limits: limits)
        }
    }

    static let sharing = [
        sharing("attributed strings that share their parts", "NSAttributedString") {
            n, builder, parts in
            let text = builder.text(String(repeating: "x", count: n))
            let info = builder.data((0..<n).flatMap { _ in [UInt8(1), 0] })
            let empty = builder.array([])
            let references = builder.array(
                [UInt64](repeating: builder.uid(firstPart + 3), count: n))
            parts = [
                text, info, builder.object(of: 2, [("NS.objects", references)]),
                builder.object(of: firstPart + 4, [("NS.keys", empty), ("NS.objects", empty)]),
                builder.classDescription("NSDictionary"),
            ]
            return ["NSString", "NSAttributeInfo", "NSAttributes"].enumerated().map {
                ($0.element, builder.uid(firstPart + $0.offset))
            }
        },
        sharing("index sets that share their ranges", "NSIndexSet") { n, builder, parts in
            // The locations have three bytes each.
            let ranges = (0..<n).flatMap { number -> [UInt8] in
                let location = 1 << 15 + 2 * number
                return [UInt8(location & 127 | 128), UInt8(location >> 7 & 127 | 128), 2, 1]
            }
            parts = [builder.data(ranges)]
            return [("NSRangeCount", builder.number(n)), ("NSRangeData", builder.uid(firstPart))]
        },
        sharing("index paths that share their indexes", "NSIndexPath", 200) {
            n, builder, parts in
            parts = [builder.data([UInt8](repeating: 1, count: n))]
            return [
                ("NSIndexPathLength", builder.number(n)),
                ("NSIndexPathData", builder.uid(firstPart)),
            ]
        },
        sharing(
            "matches that share their ranges", "NSComplexRegularExpressionCheckingResult"
        ) { n, builder, parts in
            let one = builder.uid(firstPart)
            let range = builder.object(
                of: firstPart + 3,
                [
                    ("NS.special", builder.number(4)), ("NS.rangeval.length", one),
                    ("NS.rangeval.location", one),
                ])
            let ranges = builder.array([UInt64](repeating: builder.uid(firstPart + 1), count: n))
            parts = [
                builder.number(1), range, builder.object(of: 2, [("NS.objects", ranges)]),
                builder.classDescription("NSValue"),
            ]
            return [
                ("NSRegularExpression", builder.uid(0)),
                ("NSRangeArray", builder.uid(firstPart + 2)),
                ("NSRangeLocation", builder.number(1)), ("NSRangeLength", builder.number(1)),
            ]
        },
        sharing("URLs that share a long base", "NSURL", limits: smallLimits) { n, builder, parts in
            let base = builder.text("http://a/" + String(repeating: "b", count: 20 * n))
            parts = [
                builder.object(
                    of: 3,
                    [("NS.base", builder.uid(0)), ("NS.relative", builder.uid(firstPart + 1))]),
                base, builder.text("x"),
            ]
            return [
                ("NS.base", builder.uid(firstPart)), ("NS.relative", builder.uid(firstPart + 2)),
            ]
        },
        sharing("points that share a long text", "NSValue", limits: smallLimits) {
            n, builder, parts in
            parts = [builder.text("{1, 2" + String(repeating: " ", count: 600 * n) + "}")]
            return [
                ("NS.special", builder.number(1)), ("NS.pointval", builder.uid(firstPart)),
            ]
        },
        sharing("entries that share many fields", "Record", limits: smallLimits) { n, builder, _ in
            (0..<n).map { ("field \($0)", builder.uid(0)) }
        },
    ]
}

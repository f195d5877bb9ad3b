// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList

extension Family {
    private static func archive(
        _ name: String, _ size: Int = 200, limits: ParsingLimits = .default,
        _ objects: @escaping @Sendable (Int) -> [PropertyListValue]
    ) -> Family {
        Family(name, size) { size in
            let root: PropertyListDictionary = [
                "$version": 100_000, "$archiver": "NSKeyedArchiver",
                "$top": ["root": .uid(1)],
                "$objects": .array(PropertyListArray(["$null"] + objects(size))),
            ]
            let document = try? PropertyListDocument(.dictionary(root))
            let bytes = document.flatMap { try? BinaryPropertyList.serialize($0) }
            return Input(bytes: bytes ?? [], options: .strict, limits: limits)
        }
    }

    private static func description(_ name: String) -> PropertyListValue {
        ["$classname": .string(name), "$classes": [.string(name), "NSObject"]]
    }

    private static func uids(_ numbers: some Sequence<Int>) -> PropertyListValue {
        .array(PropertyListArray(numbers.map { .uid(PropertyListUID(UInt32($0))) }))
    }

    private static func uid(_ number: Int) -> PropertyListValue {
        .uid(PropertyListUID(UInt32(number)))
    }

    static let archives = [
        archive("archive, wide") { n in
            [["NS.objects": uids(3..<n + 3), "$class": .uid(2)], description("NSArray")]
                + (0..<n).map { .string("text \($0)") }
        },
        archive("archive, chain", limits: .trusted) { n in
            (0..<n).map { ["next": $0 + 1 < n ? uid($0 + 2) : .uid(0), "$class": uid(n + 1)] }
                + [description("Link")]
        },
        archive("archive, arrays in arrays", limits: .trusted) { n in
            (0..<n).map {
                ["NS.objects": uids($0 + 1 < n ? [$0 + 2] : []), "$class": uid(n + 1)]
            } + [description("NSArray")]
        },
        archive("archive, dictionary") { n in
            [
                [
                    "NS.keys": uids(3..<n + 3), "NS.objects": uids(repeatElement(3, count: n)),
                    "$class": .uid(2),
                ], description("NSDictionary"),
            ] + (0..<n).map { .string("key \($0)") }
        },
        archive("archive, set of equal values") { n in
            [["NS.objects": uids(3..<n + 3), "$class": .uid(2)], description("NSSet")]
                + (0..<n).map { .string("text \($0 % 10)") }
        },
        archive("archive, many classes") { n in
            [
                ["NS.objects": uids((0..<n).map { 3 + 2 * $0 }), "$class": .uid(2)],
                description("NSArray"),
            ]
                + (0..<n).flatMap { [["$class": uid(4 + 2 * $0)], description("Class\($0)")] }
        },
        archive("archive, many fields") { n in
            let fields = (0..<n).map { ("field \($0)", PropertyListValue($0)) }
            var object = PropertyListDictionary(fields.map { (key: $0.0, value: $0.1) })
            object["$class"] = .uid(2)
            return [.dictionary(object), description("Record")]
        },
        archive("archive, one array many times") { n in
            [
                ["NS.objects": uids(repeatElement(3, count: n)), "$class": .uid(2)],
                description("NSArray"),
                ["NS.objects": uids(repeatElement(4, count: 10)), "$class": .uid(2)], "text",
            ]
        },
        archive("archive, doubling", 20, limits: smallLimits) { n in
            (0..<n).map {
                ["NS.objects": uids($0 + 1 < n ? [$0 + 2, $0 + 2] : []), "$class": uid(n + 1)]
            }
                + [description("NSArray")]
        },
        archive("archive, long chain of superclasses") { n in
            [
                ["$class": .uid(2)],
                [
                    "$classname": "Class0",
                    "$classes": .array(PropertyListArray((0..<n).map { .string("Class\($0)") })),
                ],
            ]
        },
        archive("archive, a dangling reference in a wide, deeply nested array", 250) { n in
            let wide = [PropertyListValue](repeating: true, count: n) + [.uid(99)]
            let value = (0..<200).reduce(PropertyListValue.array(PropertyListArray(wide))) {
                value, _ in [value]
            }
            return [["$class": .uid(2), "f": value], description("A")]
        },
        archive("archive, fields of combining marks", 500) { n in
            let key = String(decoding: Family.marks(n), as: UTF16.self)
            return [
                .dictionary(["a" + key: 1, "b" + key: 2, "$class": .uid(2)]), description("A"),
            ]
        },
        archive("archive, class of combining marks", 500) { n in
            let name = "A" + String(decoding: Family.marks(n), as: UTF16.self)
            return [["$class": .uid(2)], description(name)]
        },
        archive("archive, unreferenced objects") { n in
            ["root"] + (0..<n).map { .string("text \($0)") }
        },
    ]
}

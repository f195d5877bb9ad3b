// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import TestSupport
import Testing

/// Changes values at random places, reproducibly for each seed.
struct Mutator {
    var random: SplitMix64
    var source: RandomPropertyList

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        source = RandomPropertyList(seed: seed ^ 0x5EED, kinds: RandomPropertyList.xmlKinds)
    }

    mutating func changed(_ value: PropertyListValue) -> PropertyListValue {
        if random.oneIn(12) { return source.value(depth: 2) }
        switch value {
        case .array(let elements): return .array(PropertyListArray(changed(Array(elements))))
        case .dictionary(let entries):
            var result = PropertyListDictionary()
            for (key, value) in entries where !random.oneIn(8) { result[key] = changed(value) }
            if random.oneIn(4) { result["new \(random.below(3))"] = source.value(depth: 2) }
            return .dictionary(result)
        default: return value
        }
    }

    private mutating func changed(_ elements: [PropertyListValue]) -> [PropertyListValue] {
        var result: [PropertyListValue] = []
        for element in elements where !random.oneIn(6) {
            if random.oneIn(6) { result.append(source.value(depth: 2)) }
            result.append(changed(element))
        }
        return result
    }
}

/// Returns a dictionary with the empty key and the key 1, in this order or reversed.
private func otherKeys(
    _ text: String, isReversed: Bool = false
) throws -> PropertyListDocument {
    let file = BinaryAssembler([
        isReversed ? .dictionary([2, 1], [4, 3]) : .dictionary([1, 2], [3, 4]), .ascii(""),
        .integer(1), .boolean(true), .ascii(text),
    ])
    return try PropertyListDocument(parsing: file.bytes, options: .nonStringKeys)
}

@Suite("Comparing property lists")
struct ComparisonTests {
    private func lines(
        _ old: PropertyListValue, _ new: PropertyListValue,
        _ options: PropertyListComparison.Options = .init()
    ) throws -> [String] {
        let comparison = try PropertyListComparison(
            from: PropertyListDocument(old), to: PropertyListDocument(new), options: options)
        return comparison.differences.map { difference in
            let path = difference.old == nil ? difference.newPath : difference.path
            let mark = difference.old == nil ? "+" : difference.new == nil ? "-" : "~"
            return mark + path.description
        }
    }

    @Test(
        "differences are listed by path: those of a container first, then those in its children"
    )
    func paths() throws {
        #expect(
            try lines(
                ["a": 1, "b": ["x": 1, "y": [1, 2, 3]], "c": true],
                ["b": ["x": 2, "y": [1, 3, 4]], "c": true, "d": 0]) == [
                    "-a", "+d", "~b.x", "-b.y[1]", "+b.y[2]",
                ])
    }

    @Test("the order of keys and of set members, number widths and NaN bits make no difference")
    func sameness() throws {
        #expect(try lines(["a": 1, "b": 2], ["b": 2, "a": 1]) == [])
        #expect(
            try lines(
                [.real(PropertyListReal(Double.nan)), .real(PropertyListReal(Float(0.5)))],
                [.real(PropertyListReal(-Double.nan)), 0.5]) == [])
        let integers = try [1, 2, 4, 8].map {
            try PropertyListDocument(
                parsing: BinaryAssembler([.array([1]), .integer(5, width: $0)]).bytes)
        }
        for integer in integers {
            #expect(try PropertyListComparison(from: integers[0], to: integer).isEmpty)
        }
        #expect(try lines([1, "1", true, 1.0], [1.0, 1, 1, true]).isEmpty == false)
        #expect(try lines([.set([1, 2])], [.set([2, 1])]) == [])
        #expect(try lines([.set([1, 2])], [.set([2, 3])]) == ["-[0][0]", "+[0][1]"])
        #expect(try lines(["e\u{301}"], ["é"]) == ["~[0]"])
    }

    @Test("key order makes a difference on request")
    func order() throws {
        var options = PropertyListComparison.Options()
        options.isOrdered = true
        #expect(try lines(["x": ["a": 1, "b": 2]], ["x": ["b": 2, "a": 1]], options) == ["~x"])
        #expect(try lines(["a": 1, "b": 2], ["a": 1, "b": 3], options) == ["~b"])
    }

    @Test("an element inserted at the beginning is a single difference")
    func alignment() throws {
        let numbers = (0..<1000).map { PropertyListValue($0) }
        let more = [PropertyListValue("x")] + numbers
        #expect(try lines(.array(.init(numbers)), .array(.init(more))) == ["+[0]"])
        let others = (5000..<6000).map { PropertyListValue($0) }
        #expect(try lines(.array(.init(numbers)), .array(.init(others))).count == 1000)
    }

    @Test("the edits turn the first value into the second, in XML and in binary", arguments: 1...60)
    func edits(_ seed: UInt64) throws {
        var mutator = Mutator(seed: seed)
        var source = RandomPropertyList(seed: seed, kinds: RandomPropertyList.xmlKinds)
        let old: PropertyListValue = ["root": source.value(depth: 5), "b": source.value(depth: 4)]
        let new = mutator.changed(mutator.changed(old))
        let target = try PropertyListDocument(new)
        var options = XMLPropertyList.Options()
        options.allowedLosses = .appleCompatible
        let original = try PropertyListDocument(old)
        for bytes in [
            try BinaryPropertyList.serialize(original),
            try XMLPropertyList.serialize(original, options: options).bytes,
        ] {
            let document = try PropertyListDocument(parsing: bytes)
            let edits = try PropertyListComparison(from: document, to: target).edits()
                .map { Self.withoutWidths($0) }
            let edited = try document.applying(edits)
            let rest = try PropertyListComparison(from: edited.document, to: target)
            #expect(rest.isEmpty, "seed \(seed)")
        }
    }

    /// Widens 32-bit reals, which XML does not have.
    private static func withoutWidths(_ edit: PropertyListEdit) -> PropertyListEdit {
        var edit = edit
        switch edit.operation {
        case .set(let value): edit.operation = .set(withoutWidths(value))
        case .insert(let value, let key):
            edit.operation = .insert(withoutWidths(value), afterKey: key)
        default: break
        }
        return edit
    }

    private static func withoutWidths(_ value: PropertyListValue) -> PropertyListValue {
        switch value {
        case .real(let real): PropertyListValue(real.value.isNaN ? .nan : real.value)
        case .array(let elements): .array(PropertyListArray(elements.map(withoutWidths)))
        case .dictionary(let entries):
            .dictionary(PropertyListDictionary(entries.map { ($0.key, withoutWidths($0.value)) }))
        default: value
        }
    }

    @Test("an entry whose key is not a string is located by its index, and no edit reaches it")
    func nonStringKeys() throws {
        let comparison = try PropertyListComparison(
            from: otherKeys("x"), to: otherKeys("y", isReversed: true))
        #expect(comparison.differences.map(\.path.description) == ["[1]"])
        #expect(comparison.differences.map(\.newPath.description) == ["[0]"])
        let error = #expect(throws: PropertyListError.self) { try comparison.edits() }
        #expect(error?.code == .unrepresentableValue)
        #expect(error?.path == PropertyListPath([.index(1)]))
    }

    @Test("refuses to compare shared containers that expand exponentially, unless they are equal")
    func bomb() throws {
        func bomb(_ leaf: String) throws -> PropertyListDocument {
            var objects: [BinaryAssembler.Object] = (0..<60).map {
                .array([$0 + 1, $0 + 1])
            }
            objects.append(.ascii(leaf))
            return try PropertyListDocument(parsing: BinaryAssembler(objects).bytes)
        }
        #expect(try PropertyListComparison(from: bomb("a"), to: bomb("a")).isEmpty)
        let (first, second) = (try bomb("a"), try bomb("b"))
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListComparison(from: first, to: second)
        }
        #expect(error?.code == .expansionLimitExceeded)
    }
}

@Suite("Comparing keyed archives")
struct GraphComparisonTests {
    private static func uid(_ number: UInt32) -> PropertyListValue { .uid(PropertyListUID(number)) }

    private static func archive(_ objects: [PropertyListValue]) throws -> PropertyListDocument {
        try PropertyListDocument([
            "$version": 100_000, "$archiver": "NSKeyedArchiver", "$top": ["root": uid(1)],
            "$objects": .array(PropertyListArray(["$null"] + objects)),
        ])
    }

    private func paths(
        _ old: [PropertyListValue], _ new: [PropertyListValue], isOrdered: Bool = false
    ) throws -> [String] {
        var options = PropertyListComparison.Options()
        options.followsReferences = true
        options.isOrdered = isOrdered
        let (first, second) = (try Self.archive(old), try Self.archive(new))
        let comparison = try PropertyListComparison(from: first, to: second, options: options)
        #expect(try comparison.edits().isEmpty)
        for difference in comparison.differences where difference.old != nil {
            #expect(throws: Never.self) { try first.value(at: difference.path) }
        }
        return comparison.differences.map(\.path.description)
    }

    private static let person: PropertyListValue = ["$classname": "Person", "$classes": ["Person"]]

    @Test("object numbers make no difference, and object contents do")
    func numbers() throws {
        let old: [PropertyListValue] = [
            ["$class": Self.uid(3), "name": Self.uid(2), "me": Self.uid(1)], "Anna", Self.person,
        ]
        let new: [PropertyListValue] = [
            ["$class": Self.uid(2), "name": Self.uid(4), "me": Self.uid(1)], Self.person, "unused",
            "Anna",
        ]
        #expect(try paths(old, new) == [])
        var other = new
        other[3] = "Bob"
        #expect(try paths(old, other) == ["$top.root.name"])
    }

    @Test("the comparison of cycles terminates, and differences in shared objects are listed once")
    func cycles() throws {
        func ring(_ text: String) -> [PropertyListValue] {
            [
                ["next": Self.uid(2), "$class": Self.uid(4)],
                ["next": Self.uid(3), "$class": Self.uid(4)],
                [
                    "next": Self.uid(1), "twice": Self.uid(1), "text": Self.uid(5),
                    "$class": Self.uid(4),
                ],
                Self.person, .string(text),
            ]
        }
        #expect(try paths(ring("a"), ring("a")) == [])
        #expect(try paths(ring("a"), ring("b")) == ["$top.root.next.next.text"])
    }

    @Test("key order in archives makes a difference only on request")
    func order() throws {
        func pair(_ first: PropertyListValue) -> [PropertyListValue] {
            [
                ["a": Self.uid(2), "b": Self.uid(3), "$class": Self.uid(4)],
                first, ["x": 3, "list": [1], "$class": Self.uid(4)], Self.person,
            ]
        }
        let old: PropertyListValue = ["x": 1, "list": [2], "$class": Self.uid(4)]
        let new: PropertyListValue = ["list": [2], "x": 1, "$class": Self.uid(4)]
        #expect(try paths(pair(old), pair(old), isOrdered: true) == [])
        #expect(try paths(pair(old), pair(new), isOrdered: true) == ["$top.root.a"])
        #expect(try paths(pair(old), pair(new)) == [])
    }

    @Test("the order of a set makes no difference, and that of an array does")
    func sets() throws {
        func collection(_ name: String, _ order: [UInt32]) -> [PropertyListValue] {
            [
                ["$class": Self.uid(2), "NS.objects": .array(.init(order.map(Self.uid)))],
                ["$classname": .string(name), "$classes": [.string(name)]], "a", "b",
            ]
        }
        #expect(try paths(collection("NSSet", [3, 4]), collection("NSSet", [4, 3])) == [])
        #expect(
            try paths(collection("NSArray", [3, 4]), collection("NSArray", [4, 3])).count == 2)
    }

    @Test("a difference is found even if it is many references below a member of a set")
    func deepMembers() throws {
        func chain(_ text: String) -> [PropertyListValue] {
            let links = (4...12).map { number -> PropertyListValue in
                ["$class": Self.uid(3), "next": Self.uid(UInt32(number) + 1)]
            }
            return [
                ["$class": Self.uid(2), "NS.objects": [Self.uid(4)]],
                ["$classname": "NSSet", "$classes": ["NSSet"]], Self.person,
            ] + links + [.string(text)]
        }
        #expect(try paths(chain("a"), chain("a")) == [])
        let path = "$top.root.\"NS.objects\"[0]" + String(repeating: ".next", count: 9)
        #expect(try paths(chain("a"), chain("b")) == [path])
    }
}

@Suite("Merging property lists")
struct MergeTests {
    private func merged(
        _ base: PropertyListValue, _ ours: PropertyListValue, _ theirs: PropertyListValue,
        favoring: PropertyListMerge.Side = .ours
    ) throws -> (value: PropertyListValue, conflicts: [String], joined: [String]) {
        let document = try PropertyListDocument(
            parsing: BinaryPropertyList.serialize(PropertyListDocument(ours)))
        let merge = try PropertyListMerge(
            base: PropertyListDocument(base), ours: document, theirs: PropertyListDocument(theirs),
            favoring: favoring)
        return (
            try document.applying(merge.edits).document.root.value(),
            merge.conflicts.map(\.path.description), merge.joined.map(\.description)
        )
    }

    @Test("if `theirs` adds an element more often than `ours`, the additional one is kept")
    func repeated() throws {
        let result = try merged(["a": ["p"]], ["a": ["p", "x"]], ["a": ["p", "x", "x", "y"]])
        #expect(result.value == ["a": ["p", "x", "x", "y"]])
        #expect(result.joined == ["a"])
    }

    @Test("changes by both sides in different places are all applied")
    func both() throws {
        let result = try merged(
            ["a": 1, "b": ["x": 1, "y": 2], "c": [1, 2, 3, 4], "d": 0, "e": 5],
            ["a": 2, "b": ["x": 1, "y": 3], "c": [1, 2, 3, 4, 5], "e": 5],
            ["a": 1, "b": ["x": 9, "y": 2, "z": 0], "c": [1, 3, 4], "d": 0, "f": 6])
        #expect(
            result.value
                == ["a": 2, "b": ["x": 9, "y": 3, "z": 0], "c": [1, 3, 4, 5], "f": 6])
        #expect(result.conflicts == [])
    }

    @Test("elements that both sides add at one place of an array are all kept, ours first")
    func joined() throws {
        let result = try merged(
            ["list": ["a", "z"]], ["list": ["a", "o", "b", "z"]], ["list": ["a", "b", "t", "z"]])
        #expect(result.value == ["list": ["a", "o", "b", "t", "z"]])
        #expect(result.conflicts == [])
        #expect(result.joined == ["list"])
        // Both sides add elements at two places. The array is named once.
        let twice = try merged(
            [1, 2, 3, 4], ["a", 1, 2, "b", 3, 4], ["c", 1, 2, "d", 3, 4])
        #expect(twice.value == ["a", "c", 1, 2, "b", "d", 3, 4])
        #expect(twice.joined.count == 1)
    }

    @Test("adding an element beside one that the other side changed is not a conflict")
    func beside() throws {
        let base: PropertyListValue = ["a", "b", "c"]
        #expect(
            try merged(base, ["a", "new", "b", "c"], ["a", "B", "c"]).value == [
                "a", "new", "B", "c",
            ])
        #expect(
            try merged(base, ["a", "B", "c"], ["a", "new", "b", "c"]).value == [
                "a", "new", "B", "c",
            ])
    }

    @Test("values that both sides changed are conflicts, and keep the favored side's value")
    func conflicts() throws {
        let base: PropertyListValue = ["a": 1, "b": 1, "c": 1, "d": [1, 2, 3]]
        let ours: PropertyListValue = ["a": 2, "c": 2, "d": [1, 7, 8, 3], "e": "o"]
        let theirs: PropertyListValue = ["a": 3, "b": 3, "d": [1, 9, 3], "e": "t"]
        let result = try merged(base, ours, theirs)
        #expect(Set(result.conflicts) == ["a", "b", "c", "d[1]", "e"])
        #expect(result.value == ours)
        let other = try merged(base, ours, theirs, favoring: .theirs)
        #expect(Set(other.conflicts) == ["a", "b", "c", "d[1]", "e"])
        #expect(other.value == theirs)
    }

    @Test(
        "refuses a change under a non-string key, and locates a conflict there by the entry's index"
    )
    func nonStringKeys() throws {
        let (base, theirs) = (try otherKeys("base"), try otherKeys("theirs"))
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListMerge(base: base, ours: base, theirs: theirs)
        }
        #expect(error?.code == .unrepresentableValue)
        let merge = try PropertyListMerge(base: base, ours: otherKeys("ours"), theirs: theirs)
        #expect(merge.conflicts.map(\.path.description) == ["[1]"])
        #expect(merge.edits.isEmpty)
    }

    @Test("if one side has no changes, the result is the other side", arguments: 1...40)
    func oneSide(_ seed: UInt64) throws {
        var mutator = Mutator(seed: seed)
        var source = RandomPropertyList(seed: seed, kinds: RandomPropertyList.xmlKinds)
        let base: PropertyListValue = ["root": source.value(depth: 5), "x": source.value(depth: 4)]
        let changed = mutator.changed(mutator.changed(base))
        let ours = try merged(base, changed, base)
        #expect(ours.value == changed && ours.conflicts.isEmpty, "seed \(seed)")
        let theirs = try merged(base, base, changed)
        #expect(theirs.conflicts.isEmpty, "seed \(seed)")
        let rest = try PropertyListComparison(
            from: PropertyListDocument(theirs.value), to: PropertyListDocument(changed))
        #expect(rest.isEmpty, "seed \(seed)")
        let both = try merged(base, changed, changed)
        #expect(both.value == changed && both.conflicts.isEmpty, "seed \(seed)")
    }
}

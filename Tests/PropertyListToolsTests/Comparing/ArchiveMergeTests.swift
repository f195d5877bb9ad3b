// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import PropertyListTools
import Testing

@Suite("Merging keyed archives")
struct ArchiveMergeTests {
    private static let base: PropertyListValue = [
        "$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": ["root": .uid(1)],
        "$objects": [
            "$null", ["$class": .uid(2), "a": .uid(3), "count": 1],
            ["$classname": "T", "$classes": ["T", "NSObject"]], "base",
        ],
    ]

    private func document(_ edits: (String, PropertyListEdit.Operation)...) throws
        -> PropertyListDocument
    {
        let list = try edits.map { PropertyListEdit(try PropertyListKeyPath(parsing: $0.0), $0.1) }
        return try PropertyListDocument(
            parsing: PropertyListDocument(Self.base).serialized(as: .binary)
        ).applying(list).document
    }

    @Test("objects that both sides added are not merged, because references would be mixed up")
    func bothAdd() throws {
        let ours = try document(
            ("\"$objects\"", .append("OURS")), ("@1", .merge(["o": .uid(4)])))
        let theirs = try document(
            ("\"$objects\"", .append("THEIRS")), ("@1", .merge(["t": .uid(4)])))
        for favored in [PropertyListMerge.Side.ours, .theirs] {
            let error = #expect(throws: PropertyListError.self) {
                try PropertyListMerge(
                    base: document(), ours: ours, theirs: theirs, favoring: favored)
            }
            #expect(error?.code == .unrepresentableValue)
        }
        #expect(try PropertyListMerge(base: document(), ours: ours, theirs: ours).edits.isEmpty)
    }

    @Test("a reference that one side changed and an object that the other added are not merged")
    func otherReference() throws {
        let ours = try document(("@1.a", .set(.uid(2))))
        let theirs = try document(("\"$objects\"[1]", .insert("first", afterKey: nil)))
        #expect(throws: PropertyListError.self) {
            try PropertyListMerge(base: document(), ours: ours, theirs: theirs)
        }
    }

    @Test("plain values and the objects that only one side added are merged")
    func plainValues() throws {
        let ours = try document(("@1.count", .set(5)))
        let theirs = try document(
            ("\"$objects\"", .append("THEIRS")), ("@1", .merge(["t": .uid(4)])), ("@3", .set("x")))
        for (ours, theirs) in [(ours, theirs), (theirs, ours)] {
            let merge = try PropertyListMerge(base: document(), ours: ours, theirs: theirs)
            let merged = try ours.applying(merge.edits).document
            #expect(merge.conflicts.isEmpty)
            let objects = merged.root["$objects"]
            #expect(objects?[1]?["count"]?.integer == 5)
            #expect(objects?[1]?["t"]?.uid?.value == 4)
            #expect(objects?[3]?.string == "x")
            #expect(objects?[4]?.string == "THEIRS")
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

/// Generates pairs of trees whose keys and strings are hard to write in one line of text.
private struct OddPair {
    private static let pieces = [
        "\"", "\\", "\u{301}", "\u{323}", ".", "[", "]", "!", "@", "/", ":", "-", "0", "1", "after",
        " ",
        "\t", "\n", "\r", "\0", "\u{7F}", "\u{85}", "\u{2028}", "\u{202E}", "\u{FEFF}", "#", "=",
        ";", "a",
        "é", "漢", "👩‍👩‍👧", "string", "integer", "plist", "{", "}", "(", ")", "<", ">", "'", "$", "`",
    ]

    private var random: SplitMix64
    private var leaves: RandomPropertyList

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
        leaves = RandomPropertyList(seed: seed &+ 1)
    }

    private mutating func text() -> String {
        (0..<random.below(5)).reduce(into: "") { text, _ in
            text.unicodeScalars += Self.pieces[random.below(Self.pieces.count)].unicodeScalars
        }
    }

    mutating func value(depth: Int) -> PropertyListValue {
        switch depth == 0 ? random.below(3) : random.below(7) {
        case 0, 1: return .string(text())
        case 2: return leaf()
        case 3: return .array(PropertyListArray(values(depth)))
        case 4: return .set(PropertyListArray(values(depth)))
        default:
            var entries = PropertyListDictionary()
            for value in values(depth) { entries[text()] = value }
            return .dictionary(entries)
        }
    }

    /// Returns a value that an edit command can write: no infinite real, and no NaN.
    private mutating func leaf() -> PropertyListValue {
        let value = leaves.value(depth: 0)
        if case .real(let real) = value, !real.value.isFinite { return 0.5 }
        return value
    }

    private mutating func values(_ depth: Int) -> [PropertyListValue] {
        (0..<random.below(5)).map { _ in value(depth: depth - 1) }
    }

    /// Returns another tree that has much in common with the given one.
    mutating func changed(_ value: PropertyListValue, depth: Int = 0) -> PropertyListValue {
        if random.oneIn(6) { return self.value(depth: max(3 - depth, 0)) }
        switch value {
        case .array(let elements):
            var result: [PropertyListValue] = []
            for element in elements where !random.oneIn(6) {
                if random.oneIn(6) { result.append(self.value(depth: 1)) }
                result.append(changed(element, depth: depth + 1))
            }
            return .array(PropertyListArray(result))
        case .dictionary(let entries):
            var result = PropertyListDictionary()
            for (key, value) in entries where !random.oneIn(6) {
                if random.oneIn(6) { result[text()] = self.value(depth: 1) }
                result[key] = changed(value, depth: depth + 1)
            }
            return .dictionary(result)
        default: return value
        }
    }
}

@Suite("keyed diff --as-commands")
struct EditScriptRoundTripTests {
    /// Returns nil if the commands turn the first file into the second, and otherwise a description
    /// of the failure.
    private func fault(
        _ old: PropertyListValue, _ new: PropertyListValue
    ) throws -> String? {
        try Files.withFolder { folder in
            let paths = ["old", "new", "script", "edited"].map { folder.appending(path: $0).path }
            try Data(Files.binary(old)).write(to: URL(filePath: paths[0]))
            try Data(Files.binary(new)).write(to: URL(filePath: paths[1]))
            let difference = keyed("diff", "--as-commands", paths[0], paths[1])
            if difference.status > 1 || !difference.errors.isEmpty {
                return "status \(difference.status): \(difference.errors)"
            }
            if difference.bytes.isEmpty { return difference.status == 0 ? nil : "no commands" }
            try Data(difference.bytes).write(to: URL(filePath: paths[2]))
            let edit = keyed("edit", paths[0], "--script", paths[2], "-o", paths[3])
            if edit.status != 0 { return "\(edit.errors)\(difference.output)" }
            let rest = keyed("diff", paths[1], paths[3])
            return rest.status == 0 ? nil : rest.output + rest.errors + difference.output
        }
    }

    @Test(
        "the commands turn the first of two random documents into the second",
        arguments: Exhaustive.sample(1...60 as ClosedRange<UInt64>, oneIn: 6))
    func oddPairs(_ seed: UInt64) throws {
        var pair = OddPair(seed: seed)
        let old: PropertyListValue = ["root": pair.value(depth: 4), "b": pair.value(depth: 3)]
        let new = pair.changed(pair.changed(old))
        #expect(try fault(old, new) == nil, "seed \(seed)")
    }

    /// Compares two binary files leniently, with and without --as-commands.
    private func differences(
        _ old: [BinaryAssembler.Object], _ new: [BinaryAssembler.Object]
    ) throws -> (commands: Run, lines: [String]) {
        try Files.withFile(BinaryAssembler(old).bytes) { first in
            try Files.withFile(BinaryAssembler(new).bytes) { second in
                (
                    keyed("diff", "--lenient", "--as-commands", first, second),
                    keyed("diff", "--lenient", first, second).lines
                )
            }
        }
    }

    @Test("no command names a key that is not a string; without --as-commands, its index is shown")
    func nonStringKeys() throws {
        let old: [BinaryAssembler.Object] = [.dictionary([1], [2]), .integer(1), .ascii("x")]
        let changed = try differences(old, [.dictionary([1], [2]), .integer(1), .ascii("y")])
        #expect(changed.lines == ["- [0]: \"x\"", "+ [0]: \"y\""])
        #expect(changed.commands.status == 1 && changed.commands.bytes.isEmpty)
        #expect(
            changed.commands.errors.contains(
                "no edit can reach an entry whose key is not a string, in [0]"))
        let nested = try differences(
            [.dictionary([1], [2]), .ascii("d"), .boolean(true)],
            [.dictionary([1], [2]), .ascii("d"), .dictionary([3], [4]), .integer(1), .ascii("x")])
        #expect(nested.lines == ["- d: true", "+ d[0]: \"x\""])
        #expect(
            nested.commands.errors.contains("no edit command can write a key that is not a string"))
        // Prints no commands at all: an incomplete script would be mistaken for a complete one.
        #expect(nested.commands.status == 1 && nested.commands.bytes.isEmpty)
        let added = try differences(
            old, [.dictionary([1, 3], [2, 2]), .integer(1), .ascii("x"), .ascii("b")])
        #expect(added.commands.lines == ["insert b string \"x\""])
    }

    @Test("combining marks after quotes, dots, brackets and blanks are kept")
    func combiningMarks() throws {
        for text in [
            "\u{301}", "\"\u{301}", " \u{301}", ".\u{301}", "[\u{301}", "a\u{301}b", "\\\u{301}",
        ] {
            #expect(try fault([:], ["k": .string(text)]) == nil, "\(text.unicodeScalars)")
            #expect(try fault([:], [text: 1]) == nil, "\(text.unicodeScalars)")
            #expect(try fault([text: ["a": 1]], [text: ["a": 1, text: [2]]]) == nil)
        }
    }
}

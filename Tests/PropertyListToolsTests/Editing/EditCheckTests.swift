// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PropertyList
@testable import PropertyListTools

@Suite("The final check of an edited text")
struct EditCheckTests {
    @Test("a text whose value differs from the result of the edits is refused")
    func somethingElse() throws {
        let values: [PropertyListValue] = [["a": 1], ["a": 2], ["a": 1, "b": 1], [:], ["a": "1"]]
        for (first, found) in values.enumerated() {
            for (second, expected) in values.enumerated() where first != second {
                let error = #expect(throws: PropertyListError.self) {
                    try require(found, matches: expected)
                }
                #expect(error?.code == .unrepresentableValue)
            }
            try require(found, matches: found)
        }
    }

    /// Runs the final check on a text with the value `found`, after edits whose result is
    /// `expected`: once for the root, and twice for a value inside edited containers.
    private func require(_ found: PropertyListValue, matches expected: PropertyListValue) throws {
        let source = try PropertyListDocument(
            parsing: Array("{a = 0; b = (0, {c = 0;});}".utf8), format: .openStep)
        let edits: [[PropertyListEdit]] = [
            [PropertyListEdit([], .set(expected))],
            [PropertyListEdit([.key("b"), .index(1), .key("c")], .set(expected))],
            [
                PropertyListEdit([.key("a")], .remove),
                PropertyListEdit([.key("b"), .index(0)], .remove),
                PropertyListEdit([.key("b"), .index(0), .key("d")], .set(expected)),
            ],
        ]
        let results: [PropertyListValue] = [
            found, ["a": "0", "b": ["0", ["c": found]]], ["b": [["d": found, "c": "0"]]],
        ]
        for (edits, result) in zip(edits, results) {
            var editor = try PropertyListEditor(source)
            for edit in edits { try editor.apply(edit) }
            var budget = editor.tree.budget()
            let finished = try FinishedEdits(editor.tree, within: &budget)
            try editor.require(PropertyListDocument(result), matches: finished)
        }
    }
}

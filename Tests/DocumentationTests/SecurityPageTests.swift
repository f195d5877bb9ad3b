// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

/// Checks that the statements of SECURITY.md about tests and limits are true.
@Suite("SECURITY.md")
struct SecurityPageTests {
    private let page: String

    init() throws {
        page = try String(
            contentsOf: Corpus.repository.appending(path: "SECURITY.md"), encoding: .utf8)
    }

    @Test("SECURITY.md names existing tests, at least one in each row")
    func names() throws {
        let tests = Corpus.files(in: Corpus.repository.appending(path: "Tests"), suffix: ".swift")
            .map { String(decoding: $0.bytes, as: UTF8.self) }.joined()
        let elsewhere = try #require(page.split(separator: "## Known failures of other").last)
        let rows = elsewhere.split(separator: "\n").filter {
            $0.hasPrefix("| ") && !$0.hasPrefix("| elsewhere")
        }
        #expect(rows.count >= 30)
        for row in rows {
            let names = row.matches(of: /“([^”]+)”/).map { String($0.output.1) }
            #expect(!names.isEmpty, "no test in \(row)")
            for name in names { #expect(tests.contains("\"\(name)\""), "no test “\(name)”") }
        }
    }

    @Test("SECURITY.md states the actual limits")
    func limits() throws {
        let depths = try row("containers within containers")
        let sizes = try row("input, bytes")
        let expansions = try row("visited values")
        let outputs = try row("output, bytes")
        for (column, limits) in [ParsingLimits.untrusted, .default, .trusted].enumerated() {
            #expect(number(depths[column]) == limits.depth)
            // Offsets have 32 bits, so the limit of 4 GiB is one byte less.
            let size = try #require(number(sizes[column]))
            #expect(min(size, Int(clamping: UInt32.max)) == limits.inputSize)
            #expect(allowance(expansions[column], of: "count") == limits.expansion)
            #expect(allowance(outputs[column], of: "size") == limits.output)
        }
    }

    /// Returns the three limits of a row of the table.
    private func row(_ title: String) throws -> [String] {
        let line = try #require(
            page.split(separator: "\n").first { $0.hasPrefix("| \(title) |") })
        let cells = line.split(separator: "|").dropFirst().map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        try #require(cells.count == 3)
        return cells
    }

    /// Returns the number that a text states, such as `1,000,000`, `10⁸` or `16 MiB`.
    private func number(_ text: String) -> Int? {
        let words = text.filter { $0 != "," }.split(separator: " ")
        guard let word = words.first, words.count <= 2,
            let number = word == "10⁸" ? 100_000_000 : Int(word)
        else { return nil }
        switch words.dropFirst().first {
        case nil: return number
        case "MiB"?: return number << 20
        case "GiB"?: return number << 30
        default: return nil
        }
    }

    /// Returns the limit that a text states, such as `2 × count + 100,000`.
    private func allowance(_ text: String, of size: String) -> ParsingLimits.Allowance? {
        let parts = text.split(separator: " × \(size) + ")
        guard parts.count == 2, let factor = number(String(parts[0])),
            let base = number(String(parts[1]))
        else { return nil }
        return ParsingLimits.Allowance(factor: factor, base: base)
    }
}

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
    func limits() {
        for (limits, depth, size) in [
            (ParsingLimits.untrusted, "128", "256 MiB"), (.default, "512", "4 GiB"),
            (.trusted, "1,000,000", "4 GiB"),
        ] {
            #expect(limits.depth == Int(depth.filter { $0 != "," }))
            let mebibytes = (limits.inputSize + 1) >> 20
            #expect(mebibytes == (size == "4 GiB" ? 4096 : 256))
        }
        #expect(page.contains("| containers within containers | 128 | 512 | 1,000,000 |"))
        #expect(page.contains("| input, bytes | 256 MiB | 4 GiB | 4 GiB |"))
    }
}

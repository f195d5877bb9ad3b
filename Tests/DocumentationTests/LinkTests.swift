// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Links of the pages")
struct LinkTests {
    @Test("between files of the repository lead to files that are there")
    func relative() throws {
        var count = 0
        for page in try Self.pages() {
            let folder = page.deletingLastPathComponent()
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: #/\]\(([^)\s]+)\)/#) {
                let target = String(match.1.prefix { $0 != "#" })
                // Links to GitHub's own pages begin above the repository.
                let isElsewhere = target.contains(":") || target.hasPrefix("../../compare")
                if target.isEmpty || isElsewhere { continue }
                count += 1
                #expect(
                    FileManager.default.fileExists(atPath: folder.appending(path: target).path),
                    "\(page.lastPathComponent): \(target)")
            }
        }
        #expect(count > 40)
    }

    /// The pages that are read in the repository.
    private static func pages() throws -> [URL] {
        let root = Corpus.repository
        let listed = try FileManager.default.contentsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".md") }
        let nested = try ["Documentation", "Benchmarks", ".github"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .filter { $0.hasSuffix(".md") && !$0.contains(".build") }
                .map { "\(folder)/\($0)" }
        }
        return (listed + nested).map { root.appending(path: $0) }
    }
}

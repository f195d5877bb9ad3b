// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Links in the documentation")
struct LinkTests {
    @Test("relative links lead to files that exist")
    func relative() throws {
        var count = 0
        for page in try Self.pages() {
            let folder = page.deletingLastPathComponent()
            let text = try String(contentsOf: page, encoding: .utf8)
            for match in text.matches(of: #/\]\(([^)\s]+)\)/#) {
                let target = String(match.1.prefix { $0 != "#" })
                if target.isEmpty || target.contains(":") { continue }
                count += 1
                #expect(
                    FileManager.default.fileExists(atPath: folder.appending(path: target).path),
                    "\(page.lastPathComponent): \(target)")
            }
        }
        #expect(count > 60)
    }

    /// The Markdown pages outside the documentation catalogs and `Fixtures`.
    private static func pages() throws -> [URL] {
        let root = Corpus.repository
        return try ["", "Documentation", "Documentation/Examples", "Benchmarks", ".github"].flatMap
        {
            let folder = root.appending(path: $0)
            return try FileManager.default.contentsOfDirectory(atPath: folder.path)
                .filter { $0.hasSuffix(".md") }.map { folder.appending(path: $0) }
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Checks the page that lists the methods of Foundation's coders against the Foundation of this
/// toolchain.
@Suite("The table of methods in the documentation")
struct MethodTableTests {
    private static let types: Set<String> = [
        "NSCoding", "NSSecureCoding", "NSCoder", "NSKeyedArchiver", "NSKeyedUnarchiver",
        "NSKeyedArchiverDelegate", "NSKeyedUnarchiverDelegate",
    ]

    @Test(
        "the table lists every public method of Foundation's coders",
        .enabled(
            if: graph != nil, "no swift-symbolgraph-extract that shows the symbols of Foundation"))
    func complete() throws {
        let symbols = try Self.symbols(#require(Self.graph))
        let page = try String(
            contentsOf: Corpus.repository.appending(
                path: "Sources/KeyedArchive/KeyedArchive.docc/MethodsOfNSCoder.md"),
            encoding: .utf8)
        #expect(symbols.count > 50)
        for symbol in symbols.sorted() { #expect(page.contains("`\(symbol)`"), "\(symbol)") }
    }

    /// The symbols of Foundation for Linux; nil if the toolchain cannot show them.
    private static let graph: Data? = {
        guard let folder = try? TemporaryFolder() else { return nil }
        defer { withExtendedLifetime(folder) {} }
        let result = try? Program.run(
            URL(filePath: "/usr/bin/env"),
            [
                "swift-symbolgraph-extract", "-module-name", "Foundation", "-target", target,
                "-minimum-access-level", "public", "-output-dir", folder.url.path,
            ], in: [:])
        guard result?.status == 0 else { return nil }
        return try? Data(contentsOf: folder.url.appending(path: "Foundation.symbols.json"))
    }()

    /// Returns the names, with labels, of the members of the coders and their protocols.
    private static func symbols(_ data: Data) throws -> Set<String> {
        let graph = try JSONDecoder().decode(Graph.self, from: data)
        return Set(
            graph.symbols.map(\.pathComponents)
                .filter { $0.count > 1 && types.contains($0[0]) }.compactMap(\.last))
    }

    private struct Graph: Decodable {
        struct Symbol: Decodable { let pathComponents: [String] }
        let symbols: [Symbol]
    }

    #if arch(arm64)
    private static let target = "aarch64-unknown-linux-gnu"
    #else
    private static let target = "x86_64-unknown-linux-gnu"
    #endif
}

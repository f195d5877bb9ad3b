// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Runs the sessions in `Documentation`, which are blocks of commands with their output.
///
/// If the variable `KEYED_UPDATE` is set, the tests write the output into the pages instead.
@Suite("The documented sessions")
struct SessionTests {
    @Test(
        "the sessions print what the pages say",
        arguments: [
            ("Editing", 20), ("Finding", 8), ("Forensics", 8), ("Formats", 1), ("HowTo", 20),
            ("Threats", 2),
        ])
    func session(page: String, least: Int) throws {
        try Files.withFolder { folder in
            let work = folder.appending(path: "work")
            try FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
            let page = try Page(page)
            if let source = page.blocks("xml").first {
                let text = source.lines.joined(separator: "\n") + "\n"
                try Data(text.utf8).write(to: work.appending(path: "Info.plist"))
            }
            for name in ["image.bin", "notes.db"] {
                try FileManager.default.copyItem(
                    at: Corpus.repository.appending(path: "Fixtures/embedded/\(name)"),
                    to: work.appending(path: name))
            }
            try Data(Files.bytes(Files.archive("save"))).write(
                to: work.appending(path: "save.plist"))
            try run(page, in: work, ["keyed": "keyed"], least: least)
        }
    }

    #if Stores
    @Test("the example programs print what their page says", .enabled(if: Python.isAvailable))
    func examples() throws {
        try Files.withFolder { work in
            let samples = Corpus.repository.appending(path: "Documentation/Examples/make-samples")
            #expect(try process(samples.path, [work.path]).status == 0)
            let programs = [
                "bump-version": "BumpVersionExample", "read-backup": "ReadBackupExample",
                "move-keychain": "MoveKeychainExample",
            ]
            try run(Page("Examples/README"), in: work, programs, least: 6)
        }
    }
    #endif

    /// Runs the commands of a page in a folder. `programs` maps names on the page to the names of
    /// built programs.
    private func run(
        _ page: Page, in work: URL, _ programs: [String: String], least: Int
    ) throws {
        var page = page
        try Files.withFolder { folder in
            for (name, program) in programs {
                try FileManager.default.createSymbolicLink(
                    at: folder.appending(path: name), withDestinationURL: Program.url(program))
            }
            var number = 0
            var results: [(block: Page.Block, lines: [String])] = []
            for block in page.blocks("console") {
                var actual: [String] = []
                for line in block.lines where line.hasPrefix("$ ") {
                    number += 1
                    actual.append(line)
                    actual += try shell(String(line.dropFirst(2)), in: work, folder)
                }
                results.append((block, actual))
            }
            #expect(number >= least)
            // From the end, so that no block moves before it is replaced.
            if ProcessInfo.processInfo.environment["KEYED_UPDATE"] != nil {
                for (block, lines) in results.reversed() { page.replace(block, with: lines) }
                try page.write()
            } else {
                for (block, lines) in results { #expect(lines == block.lines) }
            }
        }
    }
}

/// A page of `Documentation`.
private struct Page {
    /// The lines between two fences.
    struct Block {
        let range: Range<Int>
        let lines: [String]
    }

    private let file: URL
    private var lines: [String]

    init(_ name: String) throws {
        file = Corpus.repository.appending(path: "Documentation/\(name).md")
        lines = try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Returns the blocks of a language.
    func blocks(_ language: String) -> [Block] {
        var blocks: [Block] = []
        var start: Int?
        for (number, line) in lines.enumerated() {
            if line == "```\(language)" {
                start = number + 1
            } else if line == "```", let begin = start {
                blocks.append(Block(range: begin..<number, lines: Array(lines[begin..<number])))
                start = nil
            }
        }
        return blocks
    }

    mutating func replace(_ block: Block, with new: [String]) {
        lines.replaceSubrange(block.range, with: new)
    }

    func write() throws {
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
    }
}

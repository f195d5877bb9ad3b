// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Checks that each example of the documentation is in a test, so that no example is wrong.
@Suite("Examples of the documentation")
struct ExampleTests {
    @Test("each example occurs verbatim in a test that is compiled")
    func tested() throws {
        // Most examples are in DocumentationTests, so these files are searched first.
        let isFirst = { (file: File) in file.name.hasPrefix("Tests/DocumentationTests") }
        let files = try Self.files(in: "Tests", [".swift"])
        let tests = (files.filter(isFirst) + files.filter { !isFirst($0) })
            .map { Example.plain($0.lines) }
        let pages =
            try Self.files(in: "Sources", [".swift", ".md"])
            + Self.files(in: "Documentation", [".md"])
            + ["README.md", "CONTRIBUTING.md"].map(Self.file)
        var count = 0
        for page in pages {
            for example in Example.paragraphs(of: page.lines, inComments: page.isSource) {
                count += 1
                #expect(!example.contains("```"), "\(page.name): an example without an end")
                #expect(tests.contains { $0.contains(example) }, "\(page.name): \(example)")
            }
        }
        #expect(count > 150)
    }

    private struct File {
        let name: String
        let lines: [String]

        var isSource: Bool { name.hasSuffix(".swift") }
    }

    private static func files(in folder: String, _ extensions: [String]) throws -> [File] {
        let url = Corpus.repository.appending(path: folder)
        return try FileManager.default.subpathsOfDirectory(atPath: url.path)
            .filter { name in extensions.contains { name.hasSuffix($0) } }
            .map { try file("\(folder)/\($0)") }
    }

    private static func file(_ name: String) throws -> File {
        let text = try String(contentsOf: Corpus.repository.appending(path: name), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        return File(name: name, lines: lines.map(String.init))
    }
}

/// Examples in the form that is compared: without white space, comments and modifiers that only a
/// test needs.
enum Example {
    /// Returns the paragraphs of all examples in a page, or in the comments of a source file. A
    /// line with `…` ends a paragraph.
    static func paragraphs(of lines: [String], inComments: Bool) -> [String] {
        var paragraphs: [String] = []
        var paragraph: [String]?
        for line in lines {
            let line = line.trimmingCharacters(in: .whitespaces)
            let isComment = line.hasPrefix("///")
            let text = inComments ? line.trimmingPrefix("///") : line[...]
            let content = text.trimmingCharacters(in: .whitespaces)
            if content == "```swift" {
                paragraph = []
            } else if let known = paragraph {
                let isOver = content == "```" || inComments && !isComment
                if isOver || content.isEmpty || content.contains("…") {
                    paragraphs.append(plain(known.filter(isCode)))
                    paragraph = isOver ? nil : []
                } else {
                    paragraph = known + [content]
                }
            }
        }
        if let paragraph { paragraphs.append("``` " + paragraph.joined()) }
        return paragraphs.filter { paragraph in
            paragraph.contains { $0.isLetter } || paragraph.contains("```")
        }
    }

    /// Returns whether a line is not an import.
    private static func isCode(_ line: String) -> Bool { !line.hasPrefix("import ") }

    static func plain(_ lines: [String]) -> String {
        lines.map { line in
            // The search is slow in a debug build, and most lines have no comment.
            let comment = line.contains("//") ? line.firstRange(of: #/(^|\s)\/\/.*/#) : nil
            let code = comment.map { line[..<$0.lowerBound] } ?? line[...]
            return String(decoding: code.utf8.filter { $0 > 0x20 }, as: UTF8.self)
        }.joined().replacing("privatestruct", with: "struct").replacing("privatefunc", with: "func")
    }
}

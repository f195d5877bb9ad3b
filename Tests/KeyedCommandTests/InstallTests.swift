// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("The installation of the command")
struct InstallTests {
    @Test(
        "the manual page agrees with the help texts of the command",
        .enabled(if: Python.isAvailable))
    func manual() throws {
        let dump = try keyedProcess(["--experimental-dump-help"])
        #expect(dump.status == 0)
        let page = try process(
            Corpus.repository.appending(path: "Scripts/manual").path, [], input: dump.bytes)
        #expect(page.status == 0, "\(page.errors)")
        let stored = try String(
            contentsOf: Corpus.repository.appending(path: "Documentation/keyed.1"), encoding: .utf8)
        let changes = Self.changedLines(from: stored, to: page.output)
        #expect(changes.isEmpty, "run Scripts/manual --update\n\(changes.joined(separator: "\n"))")
        for verb in ["show", "convert", "edit", "diff", "merge", "carve", "scan", "plutil"] {
            #expect(page.output.contains(".SS \"keyed \(verb)\""))
        }
    }

    /// Returns at most 40 of the lines that differ between two texts.
    private static func changedLines(from old: String, to new: String) -> [String] {
        func lines(_ text: String) -> [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false)
        }
        return lines(new).difference(from: lines(old)).prefix(40).map { change in
            switch change {
            case .remove(let offset, let line, _): "line \(offset + 1): - \(line)"
            case .insert(let offset, let line, _): "line \(offset + 1): + \(line)"
            }
        }
    }

    @Test("every place that names the version names the same one")
    func version() throws {
        let version = String(keyed("--version").output.dropFirst("keyed ".count).dropLast())
        for (file, text) in [
            ("CHANGELOG.md", "\n## [\(version)]"),
            ("README.md", "from: \"\(version)\""),
            ("Documentation/GettingStarted.md", "from: \"\(version)\""),
            ("Documentation/Examples/Package.swift", "from: \"\(version)\""),
            ("Documentation/keyed.1", "swift\\-keyed\\-archive \(version)"),
            ("Python/keyedarchive/__init__.py", "\n__version__ = \"\(version)\""),
            ("Sources/ArchiveMacros/ArchiveMacros.docc/ArchiveMacros.md", "from: \"\(version)\""),
            ("Sources/ArchiveStore/ArchiveStore.docc/ArchiveStore.md", "from: \"\(version)\""),
        ] {
            let content = try String(
                contentsOf: Corpus.repository.appending(path: file), encoding: .utf8)
            #expect(content.contains(text), "\(file): expected \(text)")
        }
    }

    @Test("the script installs into the folders where systems look for the files")
    func install() throws {
        try Files.withFolder { folder in
            let script = Corpus.repository.appending(path: "Scripts/install").path
            let run = try process(
                "/usr/bin/env",
                ["KEYED_BINARY=\(keyedPath)", script, folder.path, "--plutil"])
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.lines.count == 6)
            for file in run.lines {
                #expect(FileManager.default.fileExists(atPath: file), "\(file)")
            }
            let installed = folder.appending(path: "bin/keyed").path
            #expect(try process(installed, ["--version"]).status == 0)
            let plutil = try process(
                folder.appending(path: "bin/plutil").path, ["-lint", Files.archive("save")])
            #expect(plutil.output == "\(Files.archive("save")): OK\n")
            let completions = folder.appending(path: "share/bash-completion/completions/keyed").path
            let text = String(decoding: try Files.bytes(completions), as: UTF8.self)
            #expect(text.contains("carve"))
            #expect(try process("/bin/bash", ["-n", completions]).status == 0)
        }
        let wrong = try process(Corpus.repository.appending(path: "Scripts/install").path, [])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("Scripts/install PREFIX"))
        #expect(wrong.errors.hasSuffix("KEYED_BINARY names a command that is already built.\n"))
    }
}

@Suite("Unknown verbs")
struct VerbTests {
    @Test("the error for an unknown verb lists the verbs; for a file name, it suggests a verb")
    func unknown() {
        let run = keyed("shw", "a.plist")
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("keyed: unknown verb `shw`\nThe verbs are show, convert, "))
        let file = Files.archive("save")
        #expect(keyed(file).errors.contains("to show the file, use `keyed show \(file)`\n"))
        #expect(keyed("help", "carve").status == 0)
        #expect(keyed("--version").output.hasPrefix("keyed "))
        #expect(keyed().status == 0)
    }
}

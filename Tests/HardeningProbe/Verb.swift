// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedCommand
import PropertyList

/// A verb of the command with its options.
struct Verb: Sendable {
    /// The paths that a verb is called with.
    struct Paths {
        let first: String
        let second: String
        let script: String
    }

    let name: String
    /// Whether the verb reads databases, not property lists.
    let readsDatabases: Bool
    /// Whether the verb's instructions are counted, not only its memory and output.
    let isCounted: Bool
    /// Whether the verb is called with a file of edits.
    let takesScript: Bool
    /// Whether the verb is called with both files.
    let takesPair: Bool
    /// Whether the verb has the option `--limits`; otherwise it runs under the default limits.
    let takesLimits: Bool

    // FIRST, SECOND and SCRIPT are placeholders for paths. If there is none, the first file is the
    // last argument.
    private let words: [String]

    private init(_ name: String, readsDatabases: Bool = false, isCounted: Bool = true) {
        self.name = name
        self.readsDatabases = readsDatabases
        self.isCounted = isCounted
        let words = name.split(separator: " ").map(String.init)
        takesLimits = words[0] != "plutil"
        takesPair = words.contains("SECOND")
        takesScript = words.contains("SCRIPT")
        self.words = words.contains("FIRST") ? words : words + ["FIRST"]
    }

    /// Whether the verb reads files of a shape.
    func reads(_ shape: Shape) -> Bool { readsDatabases == (shape.contents == .database) }

    /// Returns the arguments of the command.
    func arguments(_ paths: Paths, limits: String) -> [String] {
        let places = ["FIRST": paths.first, "SECOND": paths.second, "SCRIPT": paths.script]
        return words.map { places[$0] ?? $0 } + (takesLimits ? ["--limits", limits] : [])
    }

    static let all =
        (reading + converting + comparing).map { Verb($0) }
        + ["scan", "scan --depth 9", "scan --json"].map { Verb($0, readsDatabases: true) }
        + bounded.map { Verb($0, isCounted: false) }

    private static let reading = [
        "show", "show --depth 1", "show --json", "show --raw", "show --full --all", "get FIRST @1",
        "check --allow commonClasses", "classes", "inspect", "lint", "carve --depth 99",
        "carve --nested --all", "plutil -p",
    ]

    private static let converting = [
        "convert binary", "convert xml", "convert openstep --scalars typed",
        "convert pbxproj --scalars text", "convert json --json typed",
        "plutil -convert swift -o -",
    ]

    private static let comparing = [
        "set FIRST zz 1", "edit FIRST --script SCRIPT", "diff FIRST SECOND",
        "diff --as-commands FIRST SECOND", "diff --raw FIRST SECOND", "merge FIRST SECOND",
        "merge FIRST SECOND --base FIRST", "merge FIRST FIRST --base SECOND",
    ]

    /// Variants of the verbs above. Their instructions are not counted.
    private static let bounded = [
        "get FIRST :", "get FIRST : --as xml", "convert binary --layout corefoundation",
        "convert strings --scalars text", "convert json --json coerce",
        "convert jsonl --json typed", "plutil -convert objc -o -", "set FIRST zz 1 --dry-run",
        "edit FIRST --script SCRIPT --dry-run", "diff SECOND FIRST",
        "diff --ordered FIRST SECOND", "merge SECOND FIRST", "merge FIRST SECOND --base SECOND",
        "merge FIRST SECOND --dry-run", "set FIRST [0] --from SECOND",
    ]
}

/// The files of a shape in a folder.
struct ShapeFiles {
    let paths: Verb.Paths
    private let first: Int
    private let second: Int
    /// The size of the edit script; nil if there is none.
    private let script: Int?

    /// Writes the files. Without a script, the edits are the output of `keyed diff --as-commands`,
    /// if it succeeds.
    init(_ files: Shape.Files, of shape: Shape, in folder: URL) throws {
        try Self.check(files, shape)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func path(_ name: String) -> String { folder.appending(path: name).path }
        paths = Verb.Paths(first: path("first"), second: path("second"), script: path("script"))
        try Data(files.first).write(to: URL(filePath: paths.first))
        try Data(files.second).write(to: URL(filePath: paths.second))
        (first, second) = (files.first.count, files.second.count)
        let edits = files.script ?? (shape.contents == .propertyLists ? Self.edits(paths) : nil)
        script = edits?.count
        try Data(edits ?? []).write(to: URL(filePath: paths.script))
    }

    /// Throws if the files do not parse, because every run would then be refused immediately.
    private static func check(_ files: Shape.Files, _ shape: Shape) throws {
        guard shape.contents == .propertyLists else { return }
        for bytes in [files.first, files.second] {
            _ = try PropertyListDocument(parsing: bytes, limits: .untrusted)
        }
    }

    private static func edits(_ paths: Verb.Paths) -> [UInt8]? {
        let result = KeyedCommand.run(
            ["diff", "--as-commands", paths.first, paths.second, "--limits", "untrusted"])
        return result.status <= 1 && result.errors.isEmpty ? result.output : nil
    }

    /// The total size of both files.
    var sizeOfBoth: Int { first + second }

    /// Returns the number of bytes that a verb reads; nil if the verb does not apply.
    func size(for verb: Verb) -> Int? {
        if verb.takesScript { return script.map { first + $0 } }
        return verb.takesPair ? sizeOfBoth : first
    }
}

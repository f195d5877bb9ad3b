// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyedCommand
import PropertyList
import ValidText

/// Runs verbs of the command on two files, in process, under the limits for untrusted input. The
/// verb `plutil` has no option for limits, and runs under the default ones.
///
/// Every run must end with a documented exit code, print no more than the limits allow, and print
/// no control characters where a terminal might interpret them. The edits between two files must
/// turn the first file into the second, unless a verb refuses them with a message. Long inputs are
/// skipped, because an input takes several runs that each parse its files.
///
/// The first byte selects the verbs, modulo 8. The second byte gives the layout. Below 128, both
/// files are the rest of the input. From 128 on, the length of the first file follows in three
/// bytes, most significant byte first. The second file is the rest. The meaning of a byte never
/// changes, because inputs are kept.
public func fuzzVerbs(_ bytes: [UInt8]) throws {
    guard bytes.count <= SplitInput.longest else { return }
    let files = SplitInput(bytes)
    try VerbFolders.withFolder { folder in
        let (first, second) = (
            try folder.write(files.first, "a"), try folder.write(files.second, "b")
        )
        let pair = VerbPair(
            first: first, second: second, folder: folder,
            size: files.first.count + files.second.count)
        switch (bytes.first ?? 0) % 8 {
        case 0: try pair.checkComparing()
        case 1: try pair.checkCommands()
        case 2: try pair.checkMerging()
        case 3: try pair.checkShowing()
        case 4: try pair.checkLooking()
        case 5: try pair.checkConverting()
        case 6: try pair.checkCarving(files.first + files.second)
        default: try pair.checkPlutil()
        }
    }
}

/// Two files in one input.
private struct SplitInput {
    /// The maximum length of an input. `Scripts/fuzz` uses the same number.
    static let longest = 16384

    let first: [UInt8]
    let second: [UInt8]

    init(_ bytes: [UInt8]) {
        let rest = bytes.dropFirst(2)
        guard bytes.count >= 2, bytes[1] >= 128 else {
            first = Array(rest)
            second = first
            return
        }
        let length = rest.prefix(3).reduce(0) { $0 << 8 | Int($1) }
        first = Array(rest.dropFirst(3).prefix(length))
        second = Array(rest.dropFirst(3).dropFirst(length))
    }
}

/// A private folder for the files of one input at a time.
private final class VerbFolder {
    private let place: String
    // Parsed commands are cached, because parsing arguments takes longer than running a verb on a
    // small file.
    private var commands: [[String]: ParsedCommand] = [:]

    init() throws {
        let place = FileManager.default.temporaryDirectory
            .appending(path: "keyed-verbs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        self.place = place.path
    }

    /// Writes a file and returns its path, which depends only on the name.
    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        let path = place + "/" + name
        try Data(bytes).write(to: URL(filePath: path))
        return path
    }

    func run(_ arguments: [String]) -> VerbRun {
        let command = commands[arguments] ?? ParsedCommand(arguments)
        commands[arguments] = command
        return VerbRun(arguments: arguments, result: command.run())
    }

    func remove() { try? FileManager.default.removeItem(atPath: place) }
}

/// The folders of this process, one for each input that runs concurrently.
private final class VerbFolders: @unchecked Sendable {
    private static let shared = VerbFolders()

    private let lock = NSLock()
    private var unused: [VerbFolder] = []

    private init() { atexit { VerbFolders.shared.removeAll() } }

    static func withFolder(_ body: (VerbFolder) throws -> Void) throws {
        let folder = try shared.lock.withLock { shared.unused.popLast() } ?? VerbFolder()
        defer { shared.lock.withLock { shared.unused.append(folder) } }
        try body(folder)
    }

    private func removeAll() { lock.withLock { unused.forEach { $0.remove() } } }
}

/// A finished run of a verb.
private struct VerbRun {
    let arguments: [String]
    let result: CommandResult

    /// Whether the verb stopped with a message.
    var isRefused: Bool { result.status > 1 || !result.errors.isEmpty }
    var text: String { String(decoding: result.output, as: UTF8.self) }
    /// The verb and its options, and what it wrote to standard error.
    var summary: String {
        arguments.joined(separator: " ") + ": exit code \(result.status), "
            + String(decoding: result.errors.prefix(500), as: UTF8.self)
    }
}

/// The kind of text that a verb writes to standard output.
private enum Printed {
    case text, json, file
}

private struct VerbPair {
    /// The most bytes that a run may write to standard error.
    private static let mostErrors = 1 << 16

    let first: String
    let second: String
    let folder: VerbFolder
    /// The number of bytes of both files.
    let size: Int

    // MARK: Verbs on two files

    func checkComparing() throws {
        let there = try run("diff", first, second, printed: .text)
        let back = try run("diff", second, first, printed: .text)
        let raw = try run("diff", "--raw", first, second, printed: .text)
        _ = try run("diff", "--ordered", first, second, printed: .text)
        try sameOutcome(there, back)
        let quiet = try run("diff", "--quiet", "--raw", first, second, printed: .text)
        try sameOutcome(quiet, raw)
        let same = try run("diff", first, first)
        try BrokenProperty.check(
            same.isRefused || same.result.status == 0, "a file differs from itself")
    }

    func checkCommands() throws {
        let commands = try run("diff", "--as-commands", first, second, printed: .text)
        if commands.isRefused { return }
        try sameOutcome(commands, run("diff", "--raw", first, second))
        let script = try folder.write(commands.result.output, "script")
        _ = try run("edit", first, "--script", script, "--dry-run")
        let edited = try run("edit", first, "--script", script)
        if edited.isRefused { return }
        try isSecond(
            edited, "the commands do not produce the second file: \(commands.text.prefix(500))")
    }

    func checkMerging() throws {
        _ = try run("merge", first, second)
        _ = try run("merge", second, first, "--dry-run")
        _ = try run("merge", first, first, "--base", second)
        _ = try run("merge", first, second, "--base", second)
        let taken = try run("merge", first, second, "--base", first)
        if !taken.isRefused { try isSecond(taken, "not all changes of one side are taken") }
    }

    /// Checks that a file written by a verb has the value of the second file.
    private func isSecond(_ written: VerbRun, _ what: String) throws {
        let copy = try folder.write(written.result.output, "written")
        let left = try run("diff", "--raw", copy, second)
        try BrokenProperty.check(
            left.isRefused || (left.result.status == 0 && left.result.output.isEmpty),
            "\(what)\n\(left.text.prefix(500))")
    }

    /// Checks that two comparisons agree on whether there is a difference.
    private func sameOutcome(_ one: VerbRun, _ other: VerbRun) throws {
        try BrokenProperty.check(
            one.isRefused || other.isRefused || one.result.status == other.result.status,
            "\(one.summary)\n\(other.summary)")
    }

    // MARK: Verbs on one file

    func checkShowing() throws {
        for options in [
            [], ["--depth", "1"], ["--raw"], ["--full", "--all"], ["--allow", "commonClasses"],
            ["--strict"], ["--json"],
        ] {
            _ = try run(
                "show", first, options: options,
                printed: options == ["--json"] ? .json : .text)
        }
    }

    func checkLooking() throws {
        for allow in ["commonClasses", "propertyList,NSArray"] {
            _ = try run("check", first, options: ["--allow", allow], printed: .text)
        }
        for verb in ["classes", "inspect", "lint", "scan"] {
            _ = try run(verb, first, printed: .text)
        }
        for path in [":", "@1", "@1.NS.objects[0]", "a"] { _ = try run("get", first, path) }
        _ = try run("get", first, ":", "--as", "xml")
        _ = try run("set", first, "a", "value", "--dry-run")
    }

    func checkConverting() throws {
        for options in [
            ["binary"], ["binary", "--layout", "corefoundation"], ["xml"],
            ["openstep", "--scalars", "typed"], ["strings", "--scalars", "text"], ["pbxproj"],
            ["json", "--json", "coerce"], ["json", "--json", "typed"], ["jsonl"],
        ] {
            _ = try run("convert", options: options + [first])
        }
    }

    func checkCarving(_ bytes: [UInt8]) throws {
        let file = try folder.write(bytes, "image")
        _ = try run("carve", file, "--depth", "99", printed: .text)
        _ = try run("carve", file, "--nested", "--all", printed: .text)
        _ = try run("carve", file, "--json", "--depth", "9", printed: .json)
    }

    func checkPlutil() throws {
        for options in [
            ["-p"], ["-lint"], ["-convert", "swift", "-o", "-"], ["-convert", "objc", "-o", "-"],
            ["-convert", "json", "-o", "-"], ["-convert", "xml1", "-o", "-"], ["-type", "a"],
        ] {
            try check(folder.run(["plutil"] + options + [first]), .default)
        }
    }

    // MARK: Every run

    private func run(
        _ verb: String, _ arguments: String..., options: [String] = [], printed: Printed = .file
    ) throws -> VerbRun {
        let run = folder.run([verb] + arguments + options + ["--limits", "untrusted"])
        try check(run, .untrusted)
        if printed != .file {
            try isPrintable(run.result.output, "standard output", run, printed)
        }
        return run
    }

    private func check(_ run: VerbRun, _ limits: ParsingLimits) throws {
        let result = run.result
        try BrokenProperty.check((0...4).contains(result.status), run.summary)
        try BrokenProperty.check(
            result.status < 2 || !result.errors.isEmpty, "no message: \(run.summary)")
        try BrokenProperty.check(
            result.errors.count <= Self.mostErrors,
            "\(result.errors.count) bytes on standard error: \(run.summary)")
        // A few lines do not count against the output limit.
        let most = limits.output.limit(for: size) + 4096
        try BrokenProperty.check(
            result.output.count <= most,
            "expected at most \(most) bytes of output, found \(result.output.count): "
                + run.summary)
        try isPrintable(result.errors, "standard error", run)
    }

    /// Checks that text is valid UTF-8 without control characters other than line ends. JSON may
    /// contain control characters from U+007F on.
    private func isPrintable(
        _ bytes: [UInt8], _ stream: String, _ run: VerbRun, _ printed: Printed = .text
    ) throws {
        let text = String(validUTF8: bytes)
        let control = text?.unicodeScalars.first {
            $0.properties.generalCategory == .control && $0 != "\n"
                && (printed == .text || $0.value < 0x20)
        }
        try BrokenProperty.check(
            text != nil && control == nil,
            "\(control.map { "U+\(String($0.value, radix: 16))" } ?? "invalid UTF-8") on \(stream): "
                + run.arguments.joined(separator: " "))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList

#if canImport(Glibc)
import Glibc

/// Runs verbs and operations on large files, each in a separate process, and measures peak memory,
/// processor time and output.
///
/// The files are made first, in another process, because a new process inherits the peak memory of
/// its parent. `prepare` writes the files of each shape to a folder, with a list of runs. `run`
/// runs a share of that list.
enum Bounds {
    private static let list = "runs"
    /// The limit of processor time for a process, in seconds.
    private static let mostSeconds = 10
    /// The limit of address space for a process, in KiB.
    private static let mostMemory = 3 << 20

    // MARK: Making

    /// Writes the files of the shapes that `share` selects, of about `size` bytes or a quarter of
    /// it, and the list of their runs.
    static func prepare(_ share: Share, in folder: URL, size: Int) throws {
        var lines = ""
        for (number, shape) in Shape.all.enumerated() {
            let runs = runs(of: shape, share.isShort).filter { share.matches($0.label(shape)) }
            for isLarge in [false, true] {
                let runs = runs.filter { $0.isLarge == isLarge }
                if runs.isEmpty { continue }
                let files = try ShapeFiles(
                    shape.files(isLarge ? size : size / 4), of: shape,
                    in: folder.appending(path: "\(number)\(isLarge ? "" : "-small")"))
                for run in runs {
                    guard let size = run.size(files) else { continue }
                    let words = [run.label(shape), run.limits, "\(size)"] + run.words(files.paths)
                    lines += words.joined(separator: "\t") + "\n"
                }
            }
        }
        try Data(lines.utf8).write(to: folder.appending(path: list))
    }

    /// A verb or an operation under the limits of a given name.
    private struct Run {
        let limits: String
        /// Whether the files are of the full size, not a quarter of it.
        let isLarge: Bool
        let verb: Verb?
        let operation: String

        func label(_ shape: Shape) -> String {
            "\(shape.name), \(verb.map { "keyed \($0.name)" } ?? operation)"
        }

        func size(_ files: ShapeFiles) -> Int? {
            verb.map { files.size(for: $0) } ?? files.sizeOfBoth
        }

        /// The program, KEYED or PROBE, and its arguments.
        func words(_ paths: Verb.Paths) -> [String] {
            if let verb { return ["KEYED"] + verb.arguments(paths, limits: limits) }
            return ["PROBE", "operation", operation, limits, paths.first, paths.second]
        }
    }

    /// Returns the runs of a shape. Shapes with a large expansion, and the short form, run under
    /// the untrusted limits only. Runs under other limits, and verbs that resemble a counted verb,
    /// get smaller files. Verbs without an option for limits run under the default ones, on large
    /// files.
    private static func runs(of shape: Shape, _ isShort: Bool) -> [Run] {
        let names =
            shape.multiplies || isShort ? ["untrusted"] : ["untrusted", "default", "trusted"]
        var runs: [Run] = []
        for verb in Verb.all where verb.reads(shape) {
            for limits in verb.takesLimits ? names : ["default"] {
                let isLarge = limits == names[0] && verb.isCounted || !verb.takesLimits
                runs.append(Run(limits: limits, isLarge: isLarge, verb: verb, operation: ""))
            }
        }
        if shape.contents == .database { return runs }
        for operation in PairOperation.all {
            runs += names.map {
                Run(limits: $0, isLarge: $0 == names[0], verb: nil, operation: operation.name)
            }
        }
        return runs
    }

    // MARK: Running

    /// Runs a share of the list and prints a line for each run: name, limits, bytes of input,
    /// output and errors, bytes of memory, milliseconds and exit code. A signal is printed as a
    /// negative number.
    static func run(_ share: Share, in folder: URL, keyed: String) throws {
        let text = try String(contentsOf: folder.appending(path: list), encoding: .utf8)
        let errors = folder.appending(path: "errors \(getpid())").path
        for line in share.part(of: text.split(separator: "\n")) {
            let words = line.split(separator: "\t").map(String.init)
            let program = words[3] == "KEYED" ? keyed : CommandLine.arguments[0]
            let result = try measure([program] + words[4...], errors: errors)
            print((words[..<3] + result.map(String.init)).joined(separator: "\t"))
        }
    }

    private static func measure(_ command: [String], errors: String) throws -> [Int] {
        var ends: [Int32] = [-1, -1]
        // SAFETY: `pipe` writes two integers.
        guard unsafe pipe(&ends) == 0 else { throw CocoaError(.fileReadUnknown) }
        defer { close(ends[0]) }
        let process = try start(command, output: ends, errors: errors)
        close(ends[1])
        let output = drain(ends[0])
        var status: Int32 = 0
        var usage = rusage()
        // SAFETY: `wait4` writes both variables; the process is a child of this one.
        guard unsafe wait4(process, &status, 0, &usage) == process else {
            throw CocoaError(.fileReadUnknown)
        }
        let size = try FileManager.default.attributesOfItem(atPath: errors)[.size] as? Int ?? 0
        let time =
            (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000
            + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000
        let signal = Int(status & 0x7F)
        let code = signal == 0 ? Int(status >> 8 & 0xFF) : -signal
        return [output, size, usage.ru_maxrss * 1024, time, code]
    }

    /// Starts a command with resource limits and a pipe as its standard output.
    private static func start(
        _ command: [String], output: [Int32], errors: String
    ) throws -> pid_t {
        let limits = "ulimit -t \(mostSeconds) && ulimit -v \(mostMemory)"
        let shell = ["/bin/sh", "-c", limits + " && exec \"$@\"", "sh"]
        var process: pid_t = 0
        // SAFETY: the actions are made, used and destroyed here; `words` is valid and ends in nil.
        let failure = unsafe withWords(shell + command) { words in
            var actions = unsafe posix_spawn_file_actions_t()
            unsafe posix_spawn_file_actions_init(&actions)
            defer { unsafe posix_spawn_file_actions_destroy(&actions) }
            unsafe posix_spawn_file_actions_adddup2(&actions, output[1], 1)
            unsafe posix_spawn_file_actions_addclose(&actions, output[0])
            unsafe posix_spawn_file_actions_addclose(&actions, output[1])
            unsafe posix_spawn_file_actions_addopen(
                &actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
            return unsafe posix_spawn(&process, shell[0], &actions, nil, words, environ)
        }
        guard failure == 0 else { throw CocoaError(.fileReadUnknown) }
        return process
    }

    private static func withWords<R>(
        _ words: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> R
    ) -> R {
        // SAFETY: each copy is freed after its last use.
        let copies = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe copies.forEach { word in unsafe free(word) } }
        return unsafe body(copies)
    }

    /// Reads a pipe to its end and returns the number of bytes.
    private static func drain(_ descriptor: Int32) -> Int {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var total = 0
        while true {
            // SAFETY: `read` writes no more than the buffer has room for.
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count <= 0 { return total }
            total += count
        }
    }
}
#endif

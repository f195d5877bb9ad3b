// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

#if os(Linux)
/// Checks the bounds on memory in SECURITY.md, measured in separate processes.
@Suite("Memory")
struct MemoryTests {
    /// The bound on memory for each byte of the input, in bytes, beyond the input itself.
    private static let factor = 32

    /// Families of inputs, with the number of pieces that gives about half a megabyte.
    private static let shapes = [
        ("binary, wide", 50_000), ("binary, one object many times", 100_000),
        ("binary, many keys", 20_000), ("binary, keys twice", 20_000),
        ("binary, small dictionaries", 20_000), ("binary, high ASCII", 50_000),
        ("binary, unreadable objects", 50_000), ("binary, long string", 100_000),
        ("binary, cycles", 30_000), ("binary, containers as keys", 40_000),
        ("binary, one byte each", 100_000), ("XML, wide", 70_000), ("XML, strings", 20_000),
        ("XML, many keys", 20_000), ("XML, keys twice", 20_000), ("XML, UIDs", 10_000),
        ("XML, small dictionaries", 20_000), ("XML, comments", 20_000),
        ("XML, long string of entities", 100_000), ("XML, long data", 100_000),
        ("XML, deep and not closed", 30_000), ("XML, UTF-16", 100_000),
        ("OpenStep, wide", 200_000), ("OpenStep, many keys", 40_000),
        ("OpenStep, one key in quotes", 60_000), ("OpenStep, long data", 200_000),
        ("OpenStep, long string of quotes", 200_000), ("JSON, wide", 200_000),
        ("JSON, many keys", 40_000), ("JSON, long string of escapes", 200_000),
        ("JSON, dates", 15_000),
    ]

    /// Files of other formats.
    private static let imports = [
        ("typedstream, wide", 20_000), ("typedstream, numbers in one group", 150_000),
        ("typedstream, many classes", 15_000), ("typedstream, many type encodings", 20_000),
        ("typedstream, values of one long type", 12_000),
        ("typedstream, classes with one long name", 20_000), ("NIBArchive, wide", 20_000),
        ("NIBArchive, many values of one object", 20_000),
        ("NIBArchive, classes with one long fallback", 12_000),
        ("bplist17, wide", 400_000), ("bplist17, many keys", 30_000),
    ]

    /// Unclosed nesting. All limits except the trusted ones refuse it early.
    private static let unfinished = [
        ("JSON, arrays not closed", 800_000), ("OpenStep, arrays not closed", 800_000),
        ("XML, arrays not closed", 120_000), ("JSON, deep and not closed", 160_000),
        ("XML, deep and not closed", 60_000), ("OpenStep, deep and not closed", 200_000),
    ]

    @Test("reading takes at most 32 bytes for each byte of the input", arguments: shapes)
    func reading(_ family: String, _ pieces: Int) throws {
        try check(["memory", "parse"], family, pieces)
    }

    @Test(
        "reading unclosed nesting under the trusted limits takes at most 32 bytes for each byte",
        arguments: unfinished)
    func unclosed(_ family: String, _ pieces: Int) throws {
        try check(["memory", "parse", "trusted"], family, pieces)
    }

    @Test("importing takes at most 96 bytes for each byte of the input", arguments: imports)
    func importing(_ family: String, _ pieces: Int) throws {
        try check(["memory", "parse"], family, pieces, factor: 96)
    }

    private func check(
        _ arguments: [String], _ family: String, _ pieces: Int, factor: Int = factor
    ) throws {
        let input = try run(["make", family, "\(pieces)"])
        try #require(input.count > 100_000)
        let output = try run(arguments, input: input)
        let peak = try #require(
            Int(String(decoding: output, as: UTF8.self).dropLast()), "no figure")
        #expect(peak <= factor * input.count + 1 << 20, "\(peak) bytes for \(input.count)")
        // A figure near zero would mean that nothing was measured.
        #expect(peak > input.count / 4, "\(peak) bytes for \(input.count)")
    }

    /// Runs the probe and returns its output.
    private func run(_ arguments: [String], input: Data? = nil) throws -> Data {
        let process = Process()
        process.executableURL = Program.url("HardeningProbe")
        process.arguments = arguments
        // Returns freed blocks of 16 KiB and more to the system, so that they are not reused.
        process.environment = ["MALLOC_MMAP_THRESHOLD_": "16384"]
        let output = Pipe()
        process.standardOutput = output
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        if let input {
            try input.write(to: file)
            process.standardInput = try FileHandle(forReadingFrom: file)
        }
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return text
    }
}
#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

#if os(Linux)
    /// What SECURITY.md promises of memory, measured in processes of their own.
    @Suite("Memory")
    struct MemoryTests {
        /// An operation, and how many bytes beyond the input it may take for each byte of that.
        struct Case: Sendable, CustomStringConvertible {
            let family: String
            let pieces: Int
            let operation: String
            let factor: Int
            var description: String { "\(operation), \(family)" }

            init(_ operation: String, _ factor: Int, _ family: String, _ pieces: Int) {
                (self.operation, self.factor) = (operation, factor)
                (self.family, self.pieces) = (family, pieces)
            }
        }

        private static let shapes = [
            ("binary, wide", 50_000), ("binary, one object many times", 200_000),
            ("binary, many keys", 20_000), ("binary, small dictionaries", 20_000),
            ("binary, high ASCII", 100_000), ("binary, unreadable objects", 100_000),
            ("binary, long string", 100_000), ("binary, cycles", 50_000),
            ("XML, wide", 100_000), ("XML, strings", 30_000), ("XML, many keys", 20_000),
            ("XML, small dictionaries", 20_000), ("XML, comments", 40_000),
            ("XML, long string of entities", 150_000), ("XML, long data", 150_000),
            ("XML, deep and not closed", 50_000), ("XML, UTF-16", 200_000),
        ]

        private static let cases = shapes.map { Case("parse", 48, $0, $1) }

        @Test("reading takes at most 48 bytes for each byte of the input", arguments: cases)
        func reading(_ measured: Case) throws {
            let process = Process()
            process.executableURL = URL(filePath: ProcessInfo.processInfo.arguments[0])
                .deletingLastPathComponent().appending(path: "HardeningProbe")
            process.arguments = [
                "memory", measured.family, measured.operation, "\(measured.pieces)",
            ]
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let numbers = String(decoding: text, as: UTF8.self).split(
                whereSeparator: \.isWhitespace
            )
            .compactMap { Int($0) }
            try #require(numbers.count == 2 && process.terminationStatus == 0)
            // What the allocator keeps in reserve.
            let allowed = measured.factor * numbers[0] + 2 << 20
            #expect(numbers[1] <= allowed, "\(numbers[1] / numbers[0]) bytes for each")
        }
    }
#endif

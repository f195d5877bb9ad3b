// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// What decoding and `keyed scan` ask of the system, seen by `strace`.
@Suite(
    "System calls",
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"),
        "strace is not installed"))
struct SystemCallTests {
    private static let probe = URL(filePath: ProcessInfo.processInfo.arguments[0])
        .deletingLastPathComponent().appending(path: "HardeningProbe").path

    @Test("decoding opens nothing and sends nothing; scanning a database changes nothing")
    func fixtures() throws {
        let process = Process()
        process.executableURL = Corpus.repository.appending(path: "Scripts/syscalls")
        process.arguments = ["Fixtures"]
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["KEYED_PROBE": Self.probe]) { $1 }
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }
}

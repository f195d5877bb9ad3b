// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// CPython, for comparison with its `plistlib`.
public enum Python {
    /// Whether `python3` can be run.
    public static let isAvailable =
        (try? run("pass", in: FileManager.default.temporaryDirectory)) == 0

    /// Runs a script in `folder`.
    ///
    /// - Returns: Its exit code.
    public static func run(_ script: String, in folder: URL) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

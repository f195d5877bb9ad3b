// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Programs of this package, run as separate processes.
public enum Program {
    /// Returns the location of a built program.
    public static func url(_ name: String) -> URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0])
            .deletingLastPathComponent().appending(path: name)
    }

    /// Runs a program and waits for it.
    public static func run(
        _ name: String, _ arguments: [String], in environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try run(url(name), arguments, in: environment)
    }

    /// Runs one of the package's scripts and waits for it.
    public static func runScript(
        _ name: String, _ arguments: [String], in environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try run(Corpus.repository.appending(path: "Scripts/\(name)"), arguments, in: environment)
    }

    /// Runs an executable file and waits for it. The program gets the variables in `environment` in
    /// addition to the environment variables of this process.
    ///
    /// - Returns: Its exit code, and the output to standard output and standard error.
    public static func run(
        _ executable: URL, _ arguments: [String], in environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A folder of a test's own, removed with it.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "stores-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    var names: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: path))?.sorted() ?? []
    }
}

/// Programs of this package, as processes of their own.
enum Program {
    /// Where a program was built.
    static func url(_ name: String) -> URL {
        URL(filePath: ProcessInfo.processInfo.arguments[0])
            .deletingLastPathComponent().appending(path: name)
    }

    /// Runs a program and waits for it.
    static func run(
        _ name: String, _ arguments: [String], in environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try run(url(name), arguments, in: environment)
    }

    /// Runs a script of the package's and waits for it.
    static func runScript(
        _ name: String, _ arguments: [String]
    ) throws -> (status: Int32, output: String) {
        let folder = url("StorePeer").deletingLastPathComponent().path
        return try run(
            Corpus.repository.appending(path: "Scripts/\(name)"), arguments,
            in: ["STORE_PROGRAMS": folder, "STORE_QUICK": "1"])
    }

    static func run(
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

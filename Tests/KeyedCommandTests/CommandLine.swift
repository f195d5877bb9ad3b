// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport

@testable import KeyedCommand

/// The result of a run of the command.
struct Run {
    let status: Int32
    let bytes: [UInt8]
    let errors: String

    var output: String { String(decoding: bytes, as: UTF8.self) }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
}

/// Runs `keyed` with arguments, within the test process.
func keyed(_ arguments: String...) -> Run { keyed(list: arguments) }

/// Runs `keyed` with arguments, within the test process.
func keyed(list arguments: [String]) -> Run {
    let result = KeyedCommand.run(arguments)
    return Run(
        status: result.status, bytes: result.output,
        errors: String(decoding: result.errors, as: UTF8.self))
}

/// The path of the built command.
let keyedPath = Program.url("keyed").path

/// Runs the built command in a separate process, with `input` on standard input, in `folder`.
func keyedProcess(
    _ arguments: [String], input: [UInt8] = [], in folder: URL? = nil
) throws -> Run {
    try process(keyedPath, arguments, input: input, in: folder)
}

/// Runs a program with `input` on standard input, in `folder`. If a signal ends the program, the
/// status is the number of the signal.
func process(
    _ program: String, _ arguments: [String], input: [UInt8] = [], in folder: URL? = nil
) throws -> Run {
    let process = Process()
    if let folder { process.currentDirectoryURL = folder }
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let (standardInput, output) = (Pipe(), Pipe())
    process.standardInput = standardInput
    process.standardOutput = output
    // Standard error is a file, because a pipe could fill up while standard output is read.
    return try Files.withFile([], named: "errors") { errors in
        process.standardError = try FileHandle(forWritingTo: URL(filePath: errors))
        try process.run()
        try standardInput.fileHandleForWriting.write(contentsOf: Data(input))
        try standardInput.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Run(
            status: process.terminationStatus, bytes: [UInt8](bytes),
            errors: String(decoding: try Files.bytes(errors), as: UTF8.self))
    }
}

/// Files of the repository and temporary files.
enum Files {
    static func archive(_ name: String) -> String {
        Corpus.fixtures.appending(path: "archives/\(name).plist").path
    }

    /// Calls `body` with a new folder, which is removed afterwards.
    static func withFolder<R>(_ body: (URL) throws -> R) throws -> R {
        let folder = try TemporaryFolder()
        return try withExtendedLifetime(folder) { try body(folder.url) }
    }

    /// Calls `body` with the path of a file that contains `bytes`.
    static func withFile<R>(
        _ bytes: some Sequence<UInt8>, named name: String = "file.plist",
        _ body: (String) throws -> R
    ) throws -> R {
        try withFolder { folder in
            let file = folder.appending(path: name)
            try Data(bytes).write(to: file)
            return try body(file.path)
        }
    }

    static func bytes(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path)))
    }

    static func binary(_ value: PropertyListValue) throws -> [UInt8] {
        try BinaryPropertyList.serialize(PropertyListDocument(value))
    }

    static func xml(_ body: String) -> [UInt8] {
        Array(#"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">\#(body)</plist>"#.utf8)
    }
}

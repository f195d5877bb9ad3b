// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// System programs that run another program as another user, or with changed system calls.
extension Program {
    private static let tracerPath = tool("strace")
    private static let userChangerPath = tool("setpriv")

    private static func tool(_ name: String) -> String? {
        ["/usr/bin/", "/bin/"].map { $0 + name }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
    }

    /// Whether `strace` is installed.
    public static var isTraceable: Bool { tracerPath != nil }

    /// Whether ``asOtherUser`` works, which needs root and `setpriv`.
    public static var canChangeUser: Bool { geteuid() == 0 && userChangerPath != nil }

    /// Returns the start of a command that runs a program under `strace`, with its threads and
    /// children.
    ///
    /// - Parameters:
    ///   - expressions: The calls to trace or to change, in the syntax of the option `-e`.
    ///   - path: The file to which the calls must refer; nil for any file.
    ///   - output: The file for the trace.
    /// - Returns: The command, to which the program and its arguments are appended.
    public static func traced(
        _ expressions: [String], on path: String? = nil, to output: String
    ) -> [String] {
        [tracerPath ?? "strace", "-f", "-q", "-o", output] + (path.map { ["-P", $0] } ?? [])
            + expressions.flatMap { ["-e", $0] }
    }

    /// The start of a command that runs a program as a user who owns no files and belongs to no
    /// supplementary groups.
    public static var asOtherUser: [String] {
        [userChangerPath ?? "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    }

    /// Runs a command and waits for it. The first element is the path of an executable file.
    public static func run(_ command: [String]) throws -> (status: Int32, output: String) {
        try run(URL(filePath: command[0]), Array(command.dropFirst()), in: [:])
    }
}

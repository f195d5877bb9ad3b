// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import PropertyList
import SystemFiles

/// Functions that write results to files.
enum FileOutput {
    /// Returns the state of a file that a verb will read and then replace; nil if there is none, or
    /// if the target is another file. Pass the result to `replace`, which then fails if the file
    /// has changed since.
    static func state(
        of path: String, replacedBy target: String?
    ) throws(Failure) -> FileMode? {
        if path == FileAccess.standardInput || target != path { return nil }
        do { return try FileMode.existing(at: path) } catch { throw failure(error, path) }
    }

    /// Replaces a file atomically. Reports on standard error which attributes of the old file were
    /// lost.
    ///
    /// If the file is also the input, `known` is the state of the file before it was read. The file
    /// is then replaced only if it is a regular file and has not changed since. Without `known`,
    /// the bytes may also be written to a pipe or a device.
    static func replace(
        _ path: String, with bytes: [UInt8], ifStill known: FileMode? = nil, _ console: Console
    ) throws(Failure) {
        let notes: [String]
        do throws(SystemError) {
            notes =
                if let known {
                    try FileAccess.replace(
                        FilePlace(path), ifUnchangedSince: known, with: bytes,
                        lock: { lock(of: path) })
                } else { try FileAccess.replace(path, with: bytes) }
        } catch {
            if known != nil, error.isExisting {
                throw Failure(
                    .invalid,
                    "\(TerminalText.escaped(path)): another program has changed the file since it "
                        + "was read; nothing was written (run the command again)")
            }
            throw failure(error, path)
        }
        for note in notes { console.complain("\(TerminalText.escaped(path)): \(note)") }
    }

    /// Takes the lock that serializes simultaneous runs of the command on one file. A file system
    /// without locks, or a program that keeps the lock for long, does not prevent the replacement.
    private static func lock(of path: String) -> FileLock? {
        try? FileLock(existingFile: path, patience: 1, deadline: Environment.uptime + 5)
    }

    private static func failure(_ error: SystemError, _ path: String) -> Failure {
        let recovery = error.recovery.map { " (\($0))" } ?? ""
        return Failure(.invalid, "\(TerminalText.escaped(path)): \(error.message)\(recovery)")
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

/// Injects a fault at every step of writing a file. A reader must see either the old or the new
/// contents.
@Suite("Failing writes")
struct WriteFaultTests {
    /// A system call made while a file is replaced, and the fault injected into it.
    struct Fault: Sendable, CustomStringConvertible {
        let call: String
        let outcome: String
        var description: String { "\(call) \(outcome)" }

        static let all = ["write", "fchmod", "fsync", "linkat", "renameat"].flatMap { call in
            ["error=ENOSPC", "error=EIO", "signal=KILL"].map { Fault(call: call, outcome: $0) }
        }
    }

    /// Calls `body` with a folder that contains one binary file, and with the file.
    private func withFile(_ body: (URL, URL, _ old: [UInt8]) throws -> Void) throws {
        try Files.withFolder { folder in
            let text = String(repeating: "text", count: 5000)
            let old = try Files.binary([.string(text)])
            let file = folder.appending(path: "file.plist")
            try Data(old).write(to: file)
            try body(folder, file, old)
        }
    }

    private func names(in folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path)
    }

    /// Converts a file in place while `strace` injects a fault into a system call.
    private func convert(_ file: URL, _ injection: String) throws -> Run {
        let command =
            Program.traced([injection], to: "/dev/null")
            + [keyedPath, "convert", "xml", "--in-place", file.path]
        return try process(command[0], Array(command.dropFirst()))
    }

    @Test(
        "a system call that fails or kills the process leaves the file whole",
        .enabled(if: Program.isTraceable, "strace is not installed"), arguments: Fault.all)
    func faults(_ fault: Fault) throws {
        try withFile { folder, file, old in
            let run = try convert(file, "inject=\(fault.call):\(fault.outcome):when=1")
            #expect(try Files.bytes(file.path) == old)
            if fault.outcome.hasPrefix("error") {
                #expect(run.status == 1)
                #expect(run.errors.contains("file.plist"))
                #expect(try names(in: folder) == ["file.plist"], "a temporary file is left")
            } else {
                #expect(run.status == SIGKILL)
            }
        }
    }

    @Test(
        "a process that dies while it flushes the folder leaves the new file",
        .enabled(if: Program.isTraceable, "strace is not installed"))
    func lateDeath() throws {
        try withFile { folder, file, old in
            // The second call of fsync flushes the folder, after the file has its new name.
            let run = try convert(file, "inject=fsync:signal=KILL:when=2")
            #expect(run.status == SIGKILL)
            let new = try Files.bytes(file.path)
            #expect(new != old)
            #expect(try PropertyListValue(parsing: new) == PropertyListValue(parsing: old))
            #expect(try names(in: folder) == ["file.plist"])
        }
    }

    @Test(
        "a folder that cannot be flushed is an error, but the file is replaced",
        .enabled(if: Program.isTraceable, "strace is not installed"), arguments: ["EIO", "ENOSPC"])
    func unflushedFolder(_ error: String) throws {
        try withFile { folder, file, old in
            let run = try convert(file, "inject=fsync:error=\(error):when=2")
            #expect(run.status == 1)
            #expect(run.errors.contains("could not be flushed"), "\(run.errors)")
            let new = try Files.bytes(file.path)
            #expect(try PropertyListValue(parsing: new) == PropertyListValue(parsing: old))
        }
    }

    @Test(
        "files are replaced even if the file system does not support unnamed files",
        .enabled(if: Program.isTraceable, "strace is not installed"),
        arguments: ["ENOENT", "EPERM"])
    func withoutUnnamedFiles(_ error: String) throws {
        try withFile { folder, file, old in
            let run = try convert(file, "inject=linkat:error=\(error)")
            #expect(run.status == 0, "\(run.errors)")
            #expect(try Files.bytes(file.path) != old)
            #expect(try names(in: folder) == ["file.plist"])
        }
    }

    /// Verbs that write to the last file named.
    private static let writers = [
        ["convert", "xml", "--in-place"], ["convert", "xml", Files.archive("save"), "-o"],
        ["get", Files.archive("save"), "$version", "-o"], ["-convert", "xml1"],
    ]

    private func run(_ arguments: [String], _ file: URL) throws -> Run {
        guard arguments[0].hasPrefix("-") else { return try keyedProcess(arguments + [file.path]) }
        let plutil = file.deletingLastPathComponent().appending(path: "plutil")
        try? FileManager.default.createSymbolicLink(
            atPath: plutil.path, withDestinationPath: keyedPath)
        defer { try? FileManager.default.removeItem(at: plutil) }
        return try process(plutil.path, arguments + [file.path])
    }

    @Test("every verb refuses a read-only file, and keeps it", arguments: writers)
    func readOnlyFile(_ arguments: [String]) throws {
        try withFile { folder, file, old in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o444], ofItemAtPath: file.path)
            let run = try run(arguments, file)
            #expect(run.status == 1)
            let message = "the read-only mode 0444 (make it writable first with `chmod u+w`)\n"
            #expect(run.errors.hasSuffix(message), "\(run.errors)")
            #expect(try Files.bytes(file.path) == old)
            #expect(try names(in: folder) == ["file.plist"])
        }
    }

    @Test(
        "a set-user-ID bit is dropped, and hard links keep the old contents; both are reported",
        arguments: writers)
    func linksAndBits(_ arguments: [String]) throws {
        try withFile { folder, file, old in
            try #require(unsafe chmod(file.path, 0o4755) == 0)
            try #require(unsafe link(file.path, folder.appending(path: "other").path) == 0)
            let run = try run(arguments, file)
            #expect(run.status == 0)
            #expect(run.errors.contains("set-user-id"), "\(run.errors)")
            #expect(run.errors.contains("1 other hard link"), "\(run.errors)")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[
                .posixPermissions]
            #expect(mode as? Int == 0o755)
            #expect(try Files.bytes(folder.appending(path: "other").path) == old)
        }
    }

    @Test("a pipe without a reader is refused without waiting", arguments: writers)
    func pipes(_ arguments: [String]) throws {
        try Files.withFolder { folder in
            let pipe = folder.appending(path: "pipe")
            try #require(unsafe mkfifo(pipe.path, 0o600) == 0)
            let run = try run(arguments, pipe)
            #expect(run.status == 1)
            #expect(run.errors.contains("is a pipe"), "\(run.errors)")
            #expect(try names(in: folder) == ["pipe"])
        }
    }

    @Test("pipes of the shell are read and written")
    func livePipes() throws {
        let script = """
            "$0" convert xml <(cat "$1") -o >(cat) | cat; "$0" get "$1" '$version' -o /dev/stdout
            """
        let run = try process("/bin/bash", ["-c", script, keyedPath, Files.archive("save")])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output.contains("</plist>"), "\(run.output)")
        #expect(run.output.contains("100000"))
    }

    @Test("an in-place edit refuses a pipe, even one with a writer")
    func inPlacePipe() throws {
        try Files.withFolder { folder in
            let script = """
                mkfifo "$2/pipe"; exec 3<>"$2/pipe"; cat "$1" >&3
                "$0" set -i "$2/pipe" a 1 3>&- &
                # Waits until the command has opened the pipe or has ended. The forked shell has the
                # pipe open too, until it executes the command.
                if [ -d /proc/self/fd ]; then
                    while kill -0 $! && { [ /proc/$!/exe -ef /proc/$$/exe ] \
                        || ! readlink /proc/$!/fd/* | grep -q 'pipe$'; }; do sleep 0.05; done
                else
                    sleep 1
                fi 2> /dev/null
                exec 3>&-; wait $!
                """
            let run = try process(
                "/bin/bash", ["-c", script, keyedPath, Files.archive("save"), folder.path])
            #expect(run.status == 1, "\(run.errors)")
            #expect(run.errors.contains("expected a regular file, found a pipe"), "\(run.errors)")
        }
    }

    @Test("a write beyond the system's limit on file sizes leaves the old file whole")
    func tooLarge() throws {
        try withFile { folder, file, old in
            // The limit is in blocks of 512 or 1024 bytes. The signal is ignored, so that the call
            // fails instead.
            let script = "ulimit -f 2; trap '' XFSZ; exec \"$0\" \"$@\""
            let run = try process(
                "/bin/sh", ["-c", script, keyedPath, "convert", "xml", "--in-place", file.path])
            #expect(run.status == 1)
            #expect(try Files.bytes(file.path) == old)
            #expect(try names(in: folder) == ["file.plist"])
        }
    }

    @Test(
        "a full device is an error, as a file and as standard output",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no full device"))
    func fullDevice() throws {
        let archive = Files.archive("save")
        let run = keyed("convert", "xml", archive, "-o", "/dev/full")
        #expect(run.status == 1)
        #expect(run.errors.contains("/dev/full"))
        for verb in [["convert", "xml"], ["show"], ["inspect"]] {
            let script = "exec \"$0\" \"$@\" > /dev/full"
            let run = try process("/bin/sh", ["-c", script, keyedPath] + verb + [archive])
            #expect(run.status == 1)
            #expect(run.errors.contains("standard output"))
        }
    }

    @Test("a folder that accepts no new files is an error")
    func noNewFiles() throws {
        let run = keyed("convert", "xml", Files.archive("save"), "-o", "/proc/file.plist")
        #expect(run.status == 1)
        #expect(run.errors.contains("/proc/file.plist"))
    }

    @Test(
        "a read-only folder is an error, and its files are left unchanged",
        .enabled(
            if: getuid() != 0 || Program.canChangeUser,
            "the superuser writes everywhere, and setpriv is not installed"))
    func readOnlyFolder() throws {
        try withFile { folder, file, old in
            try FileManager.default.setAttributes(
                [.posixPermissions: 0o555], ofItemAtPath: folder.path)
            // Without the right to write, only the superuser could remove the folder.
            defer {
                try? FileManager.default.setAttributes(
                    [.posixPermissions: 0o755], ofItemAtPath: folder.path)
            }
            let new = folder.appending(path: "new.plist").path
            for (arguments, name) in [
                (["--in-place", file.path], "file.plist"), ([file.path, "-o", new], "new.plist"),
            ] {
                var command = [keyedPath, "convert", "xml"] + arguments
                if getuid() == 0 { command = Program.asOtherUser + command }
                let run = try process(command[0], Array(command.dropFirst()))
                #expect(run.status == 1)
                #expect(run.errors.contains("\(name): "), "\(run.errors)")
                #expect(try Files.bytes(file.path) == old)
                #expect(try names(in: folder) == ["file.plist"])
            }
        }
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import TestSupport
import Testing

/// Programs that share stores.
@Suite("Programs that share stores")
struct ProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    #if Stores
    @Test("two programs share an identifier through a group, and nothing else")
    func group() throws {
        let first = try Program.run("GroupKeeper", [folder.path])
        #expect(first.status == 0, "\(first.output)")
        let visitor = try Program.run("GroupVisitor", [folder.path])
        #expect(visitor.status == 0, "\(visitor.output)")
        #expect(visitor.output == first.output + "services: example.device\n")
        #expect(try Program.run("GroupKeeper", [folder.path]).output == first.output)
    }

    @Test("a visitor without the group's key gets an error, not an empty group")
    func visitorFirst() throws {
        let visitor = try Program.run("GroupVisitor", [folder.path])
        #expect(visitor.status == 1)
        #expect(visitor.output.hasPrefix("GroupVisitor: store: No such file"), "\(visitor.output)")
        #expect(folder.names == [])
    }

    @Test("an invalid group file gives a one-line error; a missing argument gives exit code 2")
    func foreignFile() throws {
        let first = try Program.run("GroupKeeper", [folder.path])
        #expect(first.status == 0, "\(first.output)")
        try Data("junk".utf8).write(to: URL(filePath: folder("group.items")))
        for program in ["GroupKeeper", "GroupVisitor"] {
            let (status, output) = try Program.run(program, [folder.path])
            #expect(status == 1)
            #expect(output.hasPrefix("\(program): store: SQLite: file is not a database"))
            #expect(output.filter { $0 == "\n" }.count == 1, "\(output)")
            #expect(try Program.run(program, []).status == 2)
        }
        #expect(try Data(contentsOf: URL(filePath: folder("group.items"))) == Data("junk".utf8))
    }

    @Test("if standard error is closed, log lines do not end up in other files")
    func closedStandardError() throws {
        let (status, output) = try Program.run(
            URL(filePath: "/bin/sh"),
            [
                "-c", "exec \"$0\" log \"$1\" 100 2>&-", Program.url("StorePeer").path,
                folder.path,
            ], in: [:])
        #expect(status == 0)
        #expect(output == "0 of 100 files cannot be read\n")
    }

    @Test("a store in a relative folder stays there when the program changes its working folder")
    func relativeFolders() throws {
        let (status, output) = try Program.run("StorePeer", ["relative", folder.path])
        #expect(status == 0, "\(output)")
        #expect(try ObjectStore(folder: folder("objects")).object(Int.self, forKey: "a") == 1)
        let preferences = try Preferences(domain: "a", folder: folder("preferences"))
        #expect(preferences.integer(forKey: "a") == 1)
        #if os(Linux)
        // The XDG specification requires that a relative `XDG_CONFIG_HOME` be ignored.
        let lines = output.split(separator: "\n")
        #expect(lines.count == 2 && lines.last?.hasSuffix("/.config") == true, "\(output)")
        #expect(lines.first == "/elsewhere")
        #endif
    }

    /// Writes the number `round` to each store while system calls fail.
    ///
    /// - Parameters:
    ///   - round: The number.
    ///   - fault: The failure, in the syntax of `strace`.
    ///   - file: The file whose calls fail; nil for all files.
    /// - Returns: The output of the program.
    /// - Throws: An error if the program cannot be run.
    private func store(_ round: Int, _ fault: String, on file: String? = nil) throws -> String {
        let peer = Program.url("StorePeer").path
        return try Program.run(
            Program.traced(["inject=\(fault)"], on: file, to: folder("trace"))
                + [peer, "store", folder.path, "\(round)"]
        ).output
    }

    /// Whether the fault occurred in the last call of ``store(_:_:on:)``.
    private var hasFailed: Bool {
        get throws {
            try String(contentsOfFile: folder("trace"), encoding: .utf8).contains("INJECTED")
        }
    }

    private static let allStored = ["object", "preferences", "key", "items", "file"]
        .map { "stored \($0)\n" }.joined()

    @Test(
        "preferences are stored even if the file system locks only files that are open for writing",
        .enabled(if: Program.isTraceable, "strace is not installed"))
    func locksForWritingOnly() throws {
        #expect(try Program.run("StorePeer", ["store", folder.path, "1"]).output == Self.allStored)
        let output = try store(2, "flock:error=EBADF", on: folder("preferences/calls.plist"))
        #expect(output == Self.allStored)
        #expect(try hasFailed)
    }

    @Test(
        "a signal during a flush is not an error",
        .enabled(if: Program.isTraceable, "strace is not installed"),
        arguments: ["fsync", "fdatasync"])
    func interruptedFlushes(_ call: String) throws {
        for number in 1..<40 {
            #expect(try store(number, "\(call):error=EINTR:when=\(number)") == Self.allStored)
            if try !hasFailed {
                #expect(number > 2)
                return
            }
        }
        Issue.record("expected fewer than 39 calls of \(call), found at least 39")
    }

    @Test(
        "reading a key in a folder that the user cannot open flushes no other file",
        .enabled(
            if: Program.isTraceable && Program.canChangeUser,
            "this needs the superuser, strace and setpriv"))
    func keyInClosedFolder() throws {
        let key = folder("key")
        #expect(try Program.run("StorePeer", ["create-key", key]).output == "ok\n")
        try #require(unsafe chmod(folder.path, 0o711) == 0 && chown(key, 65534, 65534) == 0)
        let peer = Program.url("StorePeer").path
        let (_, output) = try Program.run(
            Program.traced(["trace=sync,syncfs", "signal=none"], to: folder("trace"))
                + Program.asOtherUser + [peer, "create-key", key])
        #expect(output == "ok\n")
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(!trace.contains("sync"), "\(trace)")
    }

    @Test(
        "a store in a folder that cannot be flushed is written without an error",
        .enabled(if: Program.isTraceable, "strace is not installed"))
    func foldersWithoutFlush() throws {
        #expect(try Program.run("StorePeer", ["store", folder.path, "1"]).output == Self.allStored)
        let output = try store(2, "fsync,fdatasync:error=EINVAL", on: folder.path)
        #expect(output == Self.allStored)
        #expect(try hasFailed)
    }

    @Test("killed programs and a full disk lose no stored value")
    func faults() throws {
        let programs = Program.url("StorePeer").deletingLastPathComponent().path
        let (status, output) = try Program.runScript(
            "faults", ["4"], in: ["STORE_PROGRAMS": programs, "STORE_QUICK": "1"])
        #expect(status == 0, "\(output)")
        #expect(output.contains("nothing was lost"))
        #expect(output.contains("items before the disk was full"))
    }
    #else
    @Test("the encrypted stores are tested with the package trait Stores", .disabled())
    func withoutStores() {}
    #endif
}

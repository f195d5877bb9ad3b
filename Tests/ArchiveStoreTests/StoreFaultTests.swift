// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && Stores

import ArchiveStore
import Foundation
import PropertyList
import SystemFiles
import TestSupport
import Testing

/// Stores in a process whose system calls fail, or that is killed during a system call.
@Suite(
    "Stores whose system calls fail",
    .enabled(if: Program.isTraceable, "strace is not installed"))
struct StoreFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `StorePeer store` with an injected fault, and returns its output.
    private func store(_ number: Int, _ injection: String...) throws -> [String] {
        let peer = Program.url("StorePeer").path
        let (_, output) = try Program.run(
            Program.traced(injection, to: folder("trace"))
                + [peer, "store", folder.path, "\(number)"])
        return output.split(separator: "\n").map(String.init)
    }

    private func stored() throws -> [String: Int] {
        let (status, output) = try Program.run("StorePeer", ["stored", folder.path])
        #expect(status == 0, "\(output)")
        let pairs = output.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), Int($0[1]) ?? -1) })
    }

    @Test(
        "a failed flush is reported by the store it concerns, and no store is damaged",
        arguments: ["fsync", "fdatasync"], ["EIO", "ENOSPC"])
    func failingFlushes(_ call: String, _ error: String) throws {
        #expect(try store(1).allSatisfy { $0.hasPrefix("stored") })
        var calls = 0
        for number in 1..<100 {
            let lines = try store(number + 1, "inject=\(call):error=\(error):when=\(number)")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            guard trace.contains("INJECTED") else { break }
            calls += 1
            let refused = lines.filter { $0.hasPrefix("refused") }.count
            #expect(refused == 1, "\(call) \(number): \(lines)")
            let found = try stored()
            for line in lines where line.hasPrefix("stored") {
                let store = String(line.dropFirst("stored ".count))
                if store != "key" { #expect(found[store] == number + 1, "call \(number)") }
            }
            for (store, value) in found {
                #expect(value == number || value == number + 1, "call \(number), \(store)")
            }
            // The refused value is written again, so that the next round starts with equal numbers.
            _ = try self.store(number + 1)
        }
        #expect(calls >= (call == "fsync" ? 6 : 3))
    }

    @Test(
        "a file system without flushing of folders is tolerated, but other errors are reported",
        arguments: [
            ("EINVAL", true), ("EOPNOTSUPP", true), ("ENOSYS", true), ("EROFS", false),
            ("EPERM", false), ("ENOENT", false), ("EXDEV", false), ("EIO", false),
        ])
    func flushesOfFolders(_ error: String, isTolerated: Bool) throws {
        let file = folder("file")
        let (status, output) = try Program.run(
            Program.traced(["inject=fsync:error=\(error)"], on: folder.path, to: folder("trace"))
                + [Program.url("StorePeer").path, "replace", file])
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(trace.contains("INJECTED"))
        #expect(FileManager.default.fileExists(atPath: file))
        #expect((status == 0) == isTolerated, "\(output)")
        #expect(output.contains("could not be flushed") == !isTolerated, "\(output)")
    }

    @Test(
        "a repeated write flushes the folder whose flush failed the first time"
    )
    func flushesAfterFailures() throws {
        let peer = Program.url("StorePeer").path
        var folders: Set<String> = []
        for number in 1..<60 {
            for name in folder.names { try FileManager.default.removeItem(atPath: folder(name)) }
            let (_, output) = try Program.run(
                Program.traced(
                    ["decode-fds=path", "trace=fsync", "inject=fsync:error=EIO:when=\(number)"],
                    to: folder("trace"))
                    + [peer, "store-twice", folder.path, "1"])
            let lines = output.split(separator: "\n")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
                .split(separator: "\n")
            guard let failure = trace.firstIndex(where: { $0.contains("INJECTED") }) else { break }
            // strace counts calls per thread, so the failing call may belong to the second write.
            guard lines.suffix(5).allSatisfy({ $0.hasPrefix("stored") }) else { continue }
            let path = trace[failure].split(separator: "<").last?.split(separator: ">").first ?? ""
            // Only a folder must be flushed again. A file is written anew.
            guard FileManager.default.subpaths(atPath: String(path)) != nil else { continue }
            folders.insert(URL(filePath: String(path)).lastPathComponent)
            let isFlushed = trace[failure...].contains {
                $0.contains("<\(path)>") && $0.hasSuffix("= 0")
            }
            #expect(isFlushed, "call \(number): \(path) of \(lines)")
        }
        #expect(folders.isSuperset(of: ["objects", "within", "preferences"]), "\(folders)")
    }

    @Test(
        "removing an object again flushes the folder whose flush failed the first time",
        arguments: ["a", String(repeating: "long ", count: 200)])
    func flushesOfRemovals(_ key: String) throws {
        var refusals = 0
        for number in 1..<20 {
            try ObjectStore(folder: folder("objects")).set(1, forKey: key)
            let (_, output) = try Program.run(
                Program.traced(
                    ["decode-fds=path", "trace=fsync", "inject=fsync:error=EIO:when=\(number)"],
                    to: folder("trace"))
                    + [Program.url("StorePeer").path, "remove-twice", folder("objects"), key])
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
                .split(separator: "\n")
            guard let failure = trace.firstIndex(where: { $0.contains("INJECTED") }) else { break }
            let lines = output.split(separator: "\n")
            guard lines.first?.hasPrefix("refused") == true else { continue }
            refusals += 1
            #expect(lines.last == "removed: false", "\(output)")
            let path = trace[failure].split(separator: "<").last?.split(separator: ">").first ?? ""
            #expect(!path.isEmpty)
            let isFlushed = trace[failure...].contains {
                $0.contains("<\(path)>") && $0.hasSuffix("= 0")
            }
            #expect(isFlushed, "call \(number): \(path) of \(lines)")
        }
        #expect(refusals == 1)
    }

    @Test(
        "a folder that may be written but not read is flushed with its file system, and errors are reported",
        .enabled(
            if: Program.canChangeUser,
            "only the superuser can act for another user"))
    func flushesOfUnreadableFolders() throws {
        let place = folder("unreadable")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try #require(
            unsafe chmod(folder.path, 0o711) == 0 && chmod(place, 0o300) == 0
                && chown(place, 65534, 65534) == 0)
        for (injection, isReported) in [
            ("trace=syncfs", false), ("inject=syncfs:error=EIO", true),
        ] {
            let (_, output) = try Program.run(
                Program.traced([injection], to: folder("trace"))
                    + Program.asOtherUser
                    + [Program.url("StorePeer").path, "replace", place + "/file"])
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            #expect(trace.contains("syncfs("))
            #expect(output.contains("could not be flushed") == isReported, "\(output)")
            #expect(output.contains("replaced") == !isReported, "\(output)")
        }
    }

    @Test(
        "the entry of an existing folder is flushed too, because another program may have created it"
    )
    func flushesOfExistingFolders() throws {
        try FileManager.default.createDirectory(
            atPath: folder("objects"), withIntermediateDirectories: false)
        _ = try Program.run(
            Program.traced(["decode-fds=path", "trace=fsync"], to: folder("trace"))
                + [Program.url("StorePeer").path, "folder", folder("objects")])
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(trace.contains("<\(folder.path)>"), "\(trace)")
    }

    @Test(
        "an existing folder that the user cannot have created is not flushed",
        .enabled(
            if: Program.canChangeUser,
            "only the superuser can act for another user"))
    func flushesOfFoldersOfOthers() throws {
        let place = folder("objects")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        // The other user cannot read the parent folder.
        try #require(
            unsafe chmod(folder.path, 0o711) == 0 && chmod(place, 0o700) == 0
                && chown(place, 65534, 65534) == 0)
        let trace = FileManager.default.temporaryDirectory
            .appending(path: "trace-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: trace) }
        let (_, output) = try Program.run(
            Program.traced(["trace=fsync,sync,syncfs"], to: trace) + Program.asOtherUser
                + [Program.url("StorePeer").path, "folder", place])
        #expect(output == "ok\n")
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(!calls.contains("sync("), "\(calls)")
        #expect(!calls.contains("syncfs("), "\(calls)")
    }

    @Test(
        "if a flush fails, a rotation either throws and keeps the old key, or installs the new key",
        arguments: ["fdatasync", "fsync"])
    func failingRotations(_ call: String) throws {
        let peer = Program.url("StorePeer").path
        var (calls, rotations) = (0, 0)
        for number in 1..<40 {
            let (_, output) = try Program.run(
                Program.traced(["inject=\(call):error=EIO:when=\(number)"], to: folder("trace"))
                    + [peer, "rotate", folder.path, "2"])
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            guard trace.contains("INJECTED") else { break }
            calls += 1
            // The call may have failed before the store had all its items.
            guard output.contains("began") else { continue }
            rotations += 1
            let line = try #require(
                output.split(separator: "\n").first { $0.hasPrefix("ended with") }, "\(output)")
            let (_, found) = try Program.run("StorePeer", ["check-rotated", folder.path])
            #expect(
                found == "ok, \(line.dropFirst("ended ".count))\n", "call \(number): \(output)")
        }
        #expect(calls >= 6 && rotations >= 3)
    }

    @Test(
        "without `O_TMPFILE`, a program never publishes the unfinished file of another program as its own"
    )
    func takenOverFiles() throws {
        let key = folder("key")
        let sizes = Guarded<Set<Int>>([])
        let outputs = Guarded<[String]>([])
        let isDone = Guarded(false)
        let observer = Thread {
            while !isDone.withLock({ $0 }) {
                let size = try? FileManager.default.attributesOfItem(atPath: key)[.size] as? Int
                if let size { sizes.withLock { _ = $0.insert(size) } }
                usleep(1000)
            }
        }
        observer.start()
        // The first program is slow to name its file, the second one to fill its own.
        let delays = ["linkat:delay_enter=1500000", "write:delay_enter=2500000"]
        DispatchQueue.concurrentPerform(iterations: 2) { task in
            usleep(UInt32(task) * 500_000)
            let result = try? Program.run(
                Program.traced(["inject=\(delays[task])"], to: folder("trace.\(task)"))
                    + [Program.url("StorePeer").path, "named", "create-key", key])
            outputs.withLock { $0.append(result?.output ?? "") }
        }
        isDone.withLock { $0 = true }
        #expect(outputs.withLock { $0 } == ["ok\n", "ok\n"])
        #expect(sizes.withLock { $0 } == [32])
        for task in 0..<2 {
            let trace = try String(contentsOfFile: folder("trace.\(task)"), encoding: .utf8)
            #expect(!trace.contains("O_TMPFILE") && trace.contains("DELAYED"))
        }
        #expect(folder.names == ["key", "trace.0", "trace.1"])
    }

    @Test("stores work without `O_TMPFILE`, and killed programs damage no store")
    func namedTemporaries() throws {
        let peer = Program.url("StorePeer").path
        func store(_ number: Int, _ options: String...) throws -> String {
            try Program.run(
                Program.traced(options, to: folder("trace"))
                    + [peer, "named", "store", folder.path, "\(number)"]
            ).output
        }
        #expect(try !store(1).contains("refused"))
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(!trace.contains("O_TMPFILE"))
        var last = 1
        for call in ["renameat", "linkat", "fsync", "/^unlink"] {
            for round in 1..<12 {
                // Every second round creates a file, too.
                if round.isMultiple(of: 2) {
                    try? FileManager.default.removeItem(atPath: folder("file"))
                }
                _ = try store(last + 1, "inject=\(call):signal=KILL:when=\(round)")
                let killed = try String(contentsOfFile: folder("trace"), encoding: .utf8)
                for (name, number) in try stored() where name != "file" {
                    #expect(number == last || number == last + 1, "\(call) \(round) \(name)")
                }
                last += 1
                #expect(try !store(last).contains("refused"), "\(call) \(round)")
                guard killed.contains("killed by SIGKILL") else { break }
            }
        }
    }

    @Test("creating a folder flushes its parent folder")
    func foldersAreFlushed() throws {
        _ = try store(1, "trace=/^mkdir,fsync,openat", "decode-fds=path")
        try expectFlushes(["objects", "objects/within", "preferences"])
    }

    @Test(
        "creating folders from a path with extra slashes flushes their parent folders",
        arguments: ["a/b/", "a/b///", "a//b/", "a/./b/"])
    func foldersOfPathsWithSlashes(_ name: String) throws {
        let (status, output) = try Program.run(
            Program.traced(["trace=/^mkdir,fsync,openat", "decode-fds=path"], to: folder("trace"))
                + [Program.url("StorePeer").path, "folder", folder(name)])
        #expect(status == 0 && output == "ok\n", "\(output)")
        try expectFlushes(["a", "a/b"])
    }

    /// Expects that the trace shows a flush of the parent of each folder after its creation.
    private func expectFlushes(_ names: [String]) throws {
        let lines = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            .split(separator: "\n")
        for name in names {
            let path = folder(name)
            let made = try #require(
                lines.firstIndex { line in
                    guard line.contains("mkdir"), line.hasSuffix("= 0") else { return false }
                    let quoted = line.split(separator: "\"")
                    let parts = quoted.dropFirst().first?.split(separator: "/") ?? []
                    return "/" + parts.filter { $0 != "." }.joined(separator: "/") == path
                }, "\(name) of \(lines)")
            let parent = URL(filePath: path).deletingLastPathComponent().path
            let flushed = lines[made...].contains {
                $0.contains("fsync(") && ($0.contains("<\(parent)>") || $0.contains("<\(parent)/>"))
            }
            #expect(flushed, "\(name)")
        }
    }

    @Test("if the file system has no record locks, the error says so and blames no other program")
    func noRecordLocks() throws {
        _ = try store(1)
        let (_, output) = try Program.run(
            Program.traced(["inject=fcntl:error=ENOLCK"], to: folder("trace"))
                + [Program.url("StorePeer").path, "items", folder.path, "0.1"])
        #expect(output.contains("No locks available"), "\(output)")
        #expect(!output.contains("another program"), "\(output)")
        #expect(folder.names == ["file", "items", "key", "objects", "preferences", "trace"])
        #expect(try Program.run("StorePeer", ["items", folder.path, "0.1"]).output == "1\n")
    }

    @Test(
        "if the file system has no locks, the error says so without waiting for the timeout",
        arguments: [("ENOLCK", "No locks available"), ("EOPNOTSUPP", "not supported")])
    func noLocks(_ error: String, _ words: String) throws {
        let clock = ContinuousClock()
        let time = try clock.measure {
            let lines = try store(1, "inject=flock:error=\(error)")
            let refused = lines.filter { $0.hasPrefix("refused") }
            #expect(refused.count == 1, "\(lines)")
            #expect(refused.first?.contains(words) == true, "\(lines)")
            #expect(refused.first?.contains("preferences") == true, "\(lines)")
        }
        #expect(time < .seconds(20), "\(time)")
    }

    @Test("no call changes the process's umask")
    func umask() throws {
        let lines = try store(1, "trace=umask")
        #expect(lines.allSatisfy { $0.hasPrefix("stored") })
        #expect(!(try String(contentsOfFile: folder("trace"), encoding: .utf8)).contains("umask("))
    }

    /// The occurrences of a call at which a program is killed.
    private static let rounds = [1] + Exhaustive.sample(2..<40, oneIn: 6)

    @Test(
        "temporary files of a killed program are removed by the next program",
        arguments: ["linkat", "renameat", "fsync", "fchmod", "write", "openat"])
    func kills(_ call: String) throws {
        let start = try callsWhileStarting(call)
        var kills = 0
        // The files exist, so each round replaces them.
        for round in Self.rounds {
            _ = try store(round, "inject=\(call):signal=KILL:when=\(start + round)")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            _ = try stored()
            #expect(try store(50 + round).allSatisfy { $0.hasPrefix("stored") })
            try expectNothingIsLeft("\(call) \(round)")
            guard trace.contains("killed by SIGKILL") else { break }
            kills += 1
        }
        #expect(kills > 0)
    }

    @Test(
        "temporary files of a program that is killed while it creates stores are removed later",
        arguments: ["linkat", "fsync", "write", "pwrite64", "fchmod", "openat", "/^unlink"])
    func killsOfCreators(_ call: String) throws {
        let start = try callsWhileStarting(call)
        var kills = 0
        for round in Self.rounds {
            for name in folder.names { try FileManager.default.removeItem(atPath: folder(name)) }
            _ = try store(1, "inject=\(call):signal=KILL:when=\(start + round)")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            #expect(try store(2).allSatisfy { $0.hasPrefix("stored") })
            try expectNothingIsLeft("\(call) \(round)")
            guard trace.contains("killed by SIGKILL") else { break }
            kills += 1
        }
        #expect(kills > 0)
    }

    /// Writes to all stores, and returns how often the program makes a system call before it opens
    /// the first store. Only `openat` calls are counted, because a program opens many files while
    /// it starts. Returns 0 for other calls.
    private func callsWhileStarting(_ call: String) throws -> Int {
        #expect(try store(1, "trace=openat").allSatisfy { $0.hasPrefix("stored") })
        guard call == "openat" else { return 0 }
        let calls = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            .split(separator: "\n")
        return try #require(calls.firstIndex { $0.contains(folder.url.lastPathComponent) })
    }

    /// Expects that neither a temporary file nor a second name of the key is left.
    private func expectNothingIsLeft(_ comment: Comment) throws {
        let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
        let names = files.compactMap { ($0 as? String).map { URL(filePath: $0).lastPathComponent } }
        #expect(!names.contains { $0.hasPrefix(".keyed") || $0.hasSuffix("-journal") }, comment)
        var key = stat()
        #expect(unsafe stat(folder("key"), &key) == 0 && key.st_nlink == 1, comment)
    }
}

#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import ArchiveStore
import Foundation
import PropertyList
import Testing

@testable import SystemFiles

/// Files that are replaced in one step: their modes, their temporary files, what is refused.
@Suite("Replacing files")
struct ReplacementTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func status(_ name: String) throws -> stat {
        var status = stat()
        try #require(unsafe stat(folder(name), &status) == 0)
        return status
    }

    private func mode(_ name: String) throws -> mode_t { try status(name).st_mode & 0o7777 }

    private func write(_ name: String, mode: mode_t) throws {
        try Data("old".utf8).write(to: URL(filePath: folder(name)))
        try #require(unsafe chmod(folder(name), mode) == 0)
    }

    private func contents(_ name: String) throws -> String {
        try String(contentsOfFile: folder(name), encoding: .utf8)
    }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? SystemError)?.message ?? "\(error)" }
        return nil
    }

    // MARK: Modes

    @Test("new files get the mode that the system gives them, while files are made elsewhere too")
    func umaskIsLeftAlone() throws {
        // Flushing takes no time there, so that there is more of a race.
        let place =
            FileManager.default.isWritableFile(atPath: "/dev/shm")
            ? "/dev/shm/stores-\(UUID().uuidString)" : folder("race")
        try createFolders(place)
        defer { try? FileManager.default.removeItem(atPath: place) }
        let expected = try modeOfNewFile("\(place)/probe")
        let wrong = Guarded<[mode_t]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { task in
            let path = "\(place)/\(task)"
            for _ in 0..<10_000 {
                if task < 2 { _ = try? FileAccess.replace(path, with: [1]) }
                let mode = task < 2 ? try? FileMode(of: path).mode : try? modeOfNewFile(path)
                _ = try? removeFile(path)
                if mode != expected { wrong.withLock { $0.append(mode ?? 0) } }
            }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect(try modeOfNewFile("\(place)/after") == expected)
    }

    /// The mode that the system gives a new file.
    private func modeOfNewFile(_ path: String) throws -> mode_t {
        let file = unsafe open(path, O_CREAT | O_WRONLY, 0o666)
        defer { close(file) }
        return try FileMode(of: FileDescriptor(rawValue: file)).mode
    }

    @Test("a file that is made and removed meanwhile is no symbolic link to nothing")
    func existing() throws {
        let path = folder("file")
        let isDone = Guarded(false)
        let maker = Thread {
            while !isDone.withLock({ $0 }) {
                close(unsafe open(path, O_CREAT | O_WRONLY, 0o600))
                unsafe unlink(path)
            }
        }
        maker.start()
        defer { isDone.withLock { $0 = true } }
        for _ in 0..<20_000 {
            let message = message { _ = try FileMode.existing(at: path) }
            #expect(message == nil)
            if message != nil { break }
        }
    }

    @Test("bits that let a program act for the owner are dropped, and that is said")
    func identityBits() throws {
        try write("program", mode: 0o6755)
        let notes = try FileAccess.replace(folder("program"), with: [1])
        #expect(try mode("program") == 0o755)
        #expect(notes == ["the set-user-id or set-group-id bit was dropped"])
        #expect(try FileAccess.replace(folder("program"), with: [2]) == [])
    }

    @Test("further names of a file keep the old contents, and that is said")
    func hardLinks() throws {
        try write("one", mode: 0o644)
        #expect(unsafe link(folder("one"), folder("other")) == 0)
        let notes = try FileAccess.replace(folder("one"), with: Array("new".utf8))
        #expect(notes == ["the old contents stay under 1 further name of the file (hard links)"])
        #expect(try contents("one") == "new" && contents("other") == "old")
    }

    @Test("a read-only file is refused and stays")
    func readOnly() throws {
        try write("file", mode: 0o444)
        let message = message {
            try FileAccess.replace(folder("file"), with: [1])
        }
        #expect(message == "is read-only (mode 0444); make it writable first: chmod u+w")
        #expect(try contents("file") == "old" && folder.names == ["file"])
    }

    #if Stores
    @Test(
        "a file whose group cannot be kept gives the new one no more than everybody",
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
            "for the superuser, who can act for another user with setpriv"))
    func group() throws {
        try write("file", mode: 0o664)
        #expect(unsafe chown(folder("file"), 1234, 2345) == 0)
        try FileAccess.replace(folder("file"), with: [1])
        var status = try status("file")
        #expect(status.st_uid == 1234 && status.st_gid == 2345)
        #expect(status.st_mode & 0o7777 == 0o664)
        // Another user, who may write the file through its group's bits and the folder.
        try #require(unsafe chmod(folder("file"), 0o666) == 0)
        try #require(unsafe chmod(folder.path, 0o777) == 0)
        let peer = Program.url("StorePeer").path
        let (_, output) = try Program.run(
            URL(filePath: "/usr/bin/setpriv"),
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", peer, "replace", folder("file"),
            ], in: [:])
        #expect(output == "replaced\n")
        status = try self.status("file")
        #expect(status.st_uid == 65534 && status.st_gid == 65534)
        #expect(status.st_mode & 0o7777 == 0o666)
        try #require(unsafe chown(folder("file"), 65534, 2345) == 0)
        try #require(unsafe chmod(folder("file"), 0o660) == 0)
        _ = try Program.run(
            URL(filePath: "/usr/bin/setpriv"),
            [
                "--reuid=65534", "--regid=65534", "--clear-groups", peer, "replace", folder("file"),
            ], in: [:])
        status = try self.status("file")
        #expect(status.st_gid == 65534 && status.st_mode & 0o7777 == 0o600)
    }
    #endif

    // MARK: Pipes

    @Test(
        "a pipe without anybody at its other end is an error at once, which says that it is a pipe")
    func pipes() throws {
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let path = folder("pipe")
        let read = message {
            _ = try FileAccess.read(path, limit: 10)
        }
        #expect(read == "is a pipe that no program writes to")
        let written = message {
            try FileAccess.replace(path, with: [1])
        }
        #expect(written == "is a pipe or a device that no program reads from")
        let refused = message {
            try FileAccess.replace(path, with: [1], specialFiles: .refused)
        }
        #expect(refused == "is no regular file, but a pipe")
        #expect(folder.names == ["pipe"])
    }

    @Test("a pipe with a program at its other end is read and written whole")
    func livePipes() throws {
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let path = folder("pipe")
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        // Holds both ends open until the others have opened theirs.
        let holder = unsafe open(path, O_RDWR)
        let writer = Thread { _ = try? FileAccess.replace(path, with: bytes) }
        writer.start()
        var read: [UInt8] = []
        let file = try FileDescriptor.open(path)
        while read.count < bytes.count {
            read += try file.readAll(limit: 0, atOnce: 65_536)
        }
        #expect(read == bytes)
        close(holder)
        #expect(try file.readAll(limit: 10) == [])
        file.close()
    }

    // MARK: Names

    @Test("a slash before a combining mark is a slash")
    func combiningMarks() throws {
        #expect(FilePlace("a/\u{301}b").folder.path == "a/")
        #expect(FilePlace("\u{301}b").folder.path == ".")
        let path = folder("x/\u{301}y/\u{301}z")
        try createFolders(path)
        try FileAccess.replace("\(path)/\u{301}file", with: [1])
        try FileAccess.replace("\(path)/\u{301}file", with: [2])
        #expect(try FileAccess.read("\(path)/\u{301}file", limit: 10) == [2])
        let place = FilePlace("\(path)/\u{301}file")
        var file = try TemporaryFile(namedFor: place, mode: 0o600)
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        #expect(names.filter { $0.hasPrefix(".keyed.") }.count == 1)
        file.finish()
    }

    // MARK: Temporary files

    private func named(_ target: String) throws -> TemporaryFile {
        try TemporaryFile(namedFor: FilePlace(folder(target)), mode: 0o600)
    }

    @Test("named temporary files of dead processes are removed, living ones stay")
    func deadTemporaries() throws {
        try write("a", mode: 0o600)
        var living = try named("a")
        let name = try #require(folder.names.first { $0.hasPrefix(".keyed.") })
        let dead = TemporaryName.name(17)
        let changed = dead.dropLast() + (dead.hasSuffix("a") ? "b" : "a")
        let foreign = [
            ".keyed.short", ".keyed-abcdefgh", ".keyed.abcdefghi", String(changed),
            dead.uppercased(), dead + "a",
        ]
        for foreign in foreign { try write(foreign, mode: 0o600) }
        try write(dead, mode: 0o600)
        let link = TemporaryName.name(18)
        try FileManager.default.createSymbolicLink(
            atPath: folder(link), withDestinationPath: folder("a"))
        FileAccess.removeDeadTemporaries(inFolder: folder.path)
        #expect(Set(folder.names) == Set(foreign + ["a", name, link]))
        // The same target again: the living one is in the way, and stays.
        var second = try named("a")
        #expect(folder.names.contains(name))
        second.finish()
        try living.replaceTarget()
        living.finish()
        #expect(Set(folder.names) == Set(foreign + ["a", link]))
        // A file that was killed in between is found by the next one for the same target.
        try write(name, mode: 0o600)
        var third = try named("a")
        third.finish()
        #expect(Set(folder.names) == Set(foreign + ["a", link]))
    }

    @Test("a further name that a killed process left is removed, and the file stays")
    func publishedTemporaries() throws {
        try write("a", mode: 0o600)
        let name = TemporaryName.name(19)
        try FileManager.default.linkItem(atPath: folder("a"), toPath: folder(name))
        FileAccess.removeDeadTemporaries(inFolder: folder.path)
        #expect(try folder.names == ["a"] && contents("a") == "old")
    }

    @Test("numbers of temporary files are all different, and end in their check")
    func temporaryNames() {
        let numbers =
            [0, 1, .max, .max - 1] + (0..<1000).map { _ in UInt64.random(in: 0...(.max)) }
        let names = Set(numbers.map(TemporaryName.name))
        #expect(names.count == Set(numbers).count)
        #expect(names.allSatisfy { $0.utf8.count == 33 })
    }

    @Test("files are replaced and created by name where none can be without a name")
    func namedFiles() throws {
        try write("a", mode: 0o640)
        for target in ["a", "new"] {
            var file = try named(target)
            try file.file.write([1, 2])
            if target == "a" { try file.replaceTarget() } else { try file.publish() }
            file.finish()
            #expect(try Data(contentsOf: URL(filePath: folder(target))) == Data([1, 2]))
        }
        var again = try named("new")
        #expect(throws: SystemError.self) { try again.publish() }
        again.finish()
        #expect(folder.names == ["a", "new"])
    }

    @Test("creators of one file by name never give it the contents of another that is not done")
    func takenOverNames() throws {
        let path = folder("file")
        let wrong = Guarded<[String]>([])
        let created = Guarded(0)
        DispatchQueue.concurrentPerform(iterations: 6) { task in
            let bytes = [UInt8](repeating: UInt8(task + 1), count: 50_000)
            for _ in 0..<300 {
                do {
                    var file = try named("file")
                    defer { file.finish() }
                    try file.file.write(bytes)
                    try file.publish()
                } catch { continue }
                let found = try? Array(Data(contentsOf: URL(filePath: path)))
                created.withLock { $0 += 1 }
                if found != bytes {
                    wrong.withLock {
                        $0.append("\(found?.count ?? -1) bytes of \(found?.first ?? 0)")
                    }
                }
                unsafe unlink(path)
            }
        }
        #expect(wrong.withLock { $0 } == [])
        #expect(created.withLock { $0 } > 100)
        #expect(folder.names == [])
    }

    @Test("a temporary file of that name that is another's is neither given the name nor removed")
    func foreignFileOfTheName() throws {
        try write("a", mode: 0o600)
        for isNew in [true, false] {
            var file = try named(isNew ? "new" : "a")
            let name = try #require(folder.names.first { $0.hasPrefix(".keyed.") })
            try FileManager.default.removeItem(atPath: folder(name))
            try write(name, mode: 0o600)
            #expect(throws: SystemError.self) {
                if isNew { try file.publish() } else { try file.replaceTarget() }
            }
            file.finish()
            #expect(folder.names.contains(name) && !folder.names.contains("new"))
            #expect(try contents("a") == "old")
            try FileManager.default.removeItem(atPath: folder(name))
        }
    }

    #if os(Linux)
    @Test(
        "creating a file releases no lock that SQLite has on it by then", arguments: [true, false])
    func locksOfNewFiles(isUnnamed: Bool) throws {
        let place = FilePlace(folder("file"))
        let unnamed = try isUnnamed ? TemporaryFile(unnamedFor: place, mode: 0o600) : nil
        try #require(isUnnamed == (unnamed != nil))
        var file = try unnamed ?? TemporaryFile(namedFor: place, mode: 0o600)
        try file.publish()
        // What another thread does before this one is done.
        let descriptor = unsafe open(folder("file"), O_RDWR)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        try #require(unsafe fcntl(descriptor, F_SETLK, &lock) == 0)
        file.finish()
        var probe = flock()
        probe.l_type = Int16(F_WRLCK)
        // Locks of open file descriptions conflict with those of the process itself.
        let getLock: Int32 = 36
        let other = unsafe open(folder("file"), O_RDWR)
        try #require(unsafe fcntl(other, getLock, &probe) == 0)
        #expect(probe.l_type != Int16(F_UNLCK))
        close(other)
    }
    #endif
}

#if os(Linux) && Stores
/// Stores whose system calls fail, or that are killed there.
@Suite(
    "Stores whose system calls fail",
    .enabled(
        if: FileManager.default.isExecutableFile(atPath: "/usr/bin/strace"),
        "strace is not installed"))
struct StoreFaultTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `StorePeer store` with a call that is changed, and returns what it printed.
    private func store(_ number: Int, _ injection: String...) throws -> [String] {
        let peer = Program.url("StorePeer").path
        let options = injection.flatMap { ["-e", $0] }
        let (_, output) = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            ["-f", "-q", "-o", folder("trace")] + options + [
                peer, "store", folder.path, "\(number)",
            ],
            in: [:])
        return output.split(separator: "\n").map(String.init)
    }

    private func stored() throws -> [String: Int] {
        let (status, output) = try Program.run("StorePeer", ["stored", folder.path])
        #expect(status == 0, "\(output)")
        let pairs = output.split(separator: "\n").map { $0.split(separator: " ") }
        return Dictionary(uniqueKeysWithValues: pairs.map { (String($0[0]), Int($0[1]) ?? -1) })
    }

    @Test(
        "an error of any flush is told by the store that it is of, and no store is damaged",
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
            // What was refused is written again, so that the next round starts from one number.
            _ = try self.store(number + 1)
        }
        #expect(calls >= (call == "fsync" ? 6 : 3))
    }

    @Test(
        "a folder need not be flushed where the file system cannot do that, but an error is told",
        arguments: [
            ("EINVAL", true), ("EOPNOTSUPP", true), ("ENOSYS", true), ("EROFS", false),
            ("EPERM", false), ("ENOENT", false), ("EXDEV", false), ("EIO", false),
        ])
    func flushesOfFolders(_ error: String, isTolerated: Bool) throws {
        let file = folder("file")
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-q", "-o", folder("trace"), "-P", folder.path, "-e",
                "inject=fsync:error=\(error)", Program.url("StorePeer").path, "replace", file,
            ],
            in: [:])
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(trace.contains("INJECTED"))
        #expect(FileManager.default.fileExists(atPath: file))
        #expect((status == 0) == isTolerated, "\(output)")
        #expect(output.contains("could not be flushed") == !isTolerated, "\(output)")
    }

    @Test(
        "what is stored in vain and then again is on the disk, whichever folder could not be flushed"
    )
    func flushesAfterFailures() throws {
        let peer = Program.url("StorePeer").path
        var folders: Set<String> = []
        for number in 1..<60 {
            for name in folder.names { try FileManager.default.removeItem(atPath: folder(name)) }
            let (_, output) = try Program.run(
                URL(filePath: "/usr/bin/strace"),
                [
                    "-f", "-q", "-o", folder("trace"), "-e", "decode-fds=path", "-e",
                    "trace=fsync", "-e", "inject=fsync:error=EIO:when=\(number)", peer,
                    "store-twice", folder.path, "1",
                ],
                in: [:])
            let lines = output.split(separator: "\n")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
                .split(separator: "\n")
            guard let failure = trace.firstIndex(where: { $0.contains("INJECTED") }) else { break }
            // strace counts the calls of each thread, so the call may be one of the second time.
            guard lines.suffix(5).allSatisfy({ $0.hasPrefix("stored") }) else { continue }
            let path = trace[failure].split(separator: "<").last?.split(separator: ">").first ?? ""
            // Files without a name are filled again.
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
        "an object that was removed, but not on the disk, is so when it is removed again",
        arguments: ["a", String(repeating: "long ", count: 200)])
    func flushesOfRemovals(_ key: String) throws {
        var refusals = 0
        for number in 1..<20 {
            try ObjectStore(folder: folder("objects")).set(1, forKey: key)
            let (_, output) = try Program.run(
                URL(filePath: "/usr/bin/strace"),
                [
                    "-f", "-q", "-o", folder("trace"), "-e", "decode-fds=path", "-e",
                    "trace=fsync", "-e", "inject=fsync:error=EIO:when=\(number)",
                    Program.url("StorePeer").path, "remove-twice", folder("objects"), key,
                ],
                in: [:])
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
        "a folder that may be written but not read is flushed with its file system, and errors are told",
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
            "only the superuser can act for another user"))
    func flushesOfUnreadableFolders() throws {
        let place = folder("unreadable")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try #require(
            unsafe chmod(folder.path, 0o711) == 0 && chmod(place, 0o300) == 0
                && chown(place, 65534, 65534) == 0)
        for (injection, isTold) in [("trace=syncfs", false), ("inject=syncfs:error=EIO", true)] {
            let (_, output) = try Program.run(
                URL(filePath: "/usr/bin/strace"),
                [
                    "-f", "-q", "-o", folder("trace"), "-e", injection, "/usr/bin/setpriv",
                    "--reuid=65534", "--regid=65534", "--clear-groups",
                    Program.url("StorePeer").path, "replace", place + "/file",
                ],
                in: [:])
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            #expect(trace.contains("syncfs("))
            #expect(output.contains("could not be flushed") == isTold, "\(output)")
            #expect(output.contains("replaced") == !isTold, "\(output)")
        }
    }

    @Test("a folder that is there is flushed with its name, whoever created it")
    func flushesOfExistingFolders() throws {
        try FileManager.default.createDirectory(
            atPath: folder("objects"), withIntermediateDirectories: false)
        _ = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-q", "-o", folder("trace"), "-e", "decode-fds=path", "-e", "trace=fsync",
                Program.url("StorePeer").path, "folder", folder("objects"),
            ],
            in: [:])
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(trace.contains("<\(folder.path)>"), "\(trace)")
    }

    @Test(
        "a folder that is there is not flushed by whoever may not have created it",
        .enabled(
            if: geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
            "only the superuser can act for another user"))
    func flushesOfFoldersOfOthers() throws {
        let place = folder("objects")
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        // The folder around it may not be read either.
        try #require(
            unsafe chmod(folder.path, 0o711) == 0 && chmod(place, 0o700) == 0
                && chown(place, 65534, 65534) == 0)
        let trace = FileManager.default.temporaryDirectory
            .appending(path: "trace-\(UInt64.random(in: 0 ... .max))").path
        defer { try? FileManager.default.removeItem(atPath: trace) }
        let (_, output) = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-q", "-o", trace, "-e", "trace=fsync,sync,syncfs", "/usr/bin/setpriv",
                "--reuid=65534", "--regid=65534", "--clear-groups",
                Program.url("StorePeer").path, "folder", place,
            ],
            in: [:])
        #expect(output == "ok\n")
        let calls = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(!calls.contains("sync("), "\(calls)")
        #expect(!calls.contains("syncfs("), "\(calls)")
    }

    @Test(
        "a rotation that throws leaves the old key, one that returns the new, whichever flush fails",
        arguments: ["fdatasync", "fsync"])
    func failingRotations(_ call: String) throws {
        let peer = Program.url("StorePeer").path
        var calls = 0
        for number in 1..<40 {
            let (_, output) = try Program.run(
                URL(filePath: "/usr/bin/strace"),
                [
                    "-f", "-q", "-o", folder("trace"), "-e",
                    "inject=\(call):error=EIO:when=\(number)", peer, "rotate", folder.path, "2",
                ],
                in: [:])
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            guard trace.contains("INJECTED") else { break }
            calls += 1
            guard let line = output.split(separator: "\n").last, line.hasPrefix("ended with")
            else { continue }
            let (_, found) = try Program.run("StorePeer", ["check-rotated", folder.path])
            #expect(found.hasSuffix(line.dropFirst("ended ".count) + "\n"), "call \(number)")
        }
        #expect(calls >= 6)
    }

    @Test(
        "where there are no files without a name, a file never gets the contents of one that is not done"
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
        // The first one is slow to name its file, which is closed by then; the other, to fill its own.
        let delays = ["linkat:delay_enter=1500000", "write:delay_enter=2500000"]
        DispatchQueue.concurrentPerform(iterations: 2) { task in
            usleep(UInt32(task) * 500_000)
            let result = try? Program.run(
                URL(filePath: "/usr/bin/strace"),
                [
                    "-f", "-q", "-o", folder("trace.\(task)"), "-e", "inject=\(delays[task])",
                    Program.url("StorePeer").path, "named", "create-key", key,
                ],
                in: [:])
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

    @Test("stores work where there are no files without a name, and killed programs damage none")
    func namedTemporaries() throws {
        let peer = Program.url("StorePeer").path
        func store(_ number: Int, _ options: String...) throws -> String {
            try Program.run(
                URL(filePath: "/usr/bin/strace"),
                ["-f", "-q", "-o", folder("trace")] + options + [
                    peer, "named", "store", folder.path, "\(number)",
                ],
                in: [:]
            ).output
        }
        #expect(try !store(1).contains("refused"))
        let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
        #expect(!trace.contains("O_TMPFILE"))
        var last = 1
        for call in ["renameat", "linkat", "fsync", "/^unlink"] {
            for round in 1..<12 {
                // So that a file is created, too.
                if round.isMultiple(of: 2) {
                    try? FileManager.default.removeItem(atPath: folder("file"))
                }
                _ = try store(last + 1, "-e", "inject=\(call):signal=KILL:when=\(round)")
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

    @Test("new folders are flushed in the folder around them")
    func foldersAreFlushed() throws {
        _ = try store(1, "trace=/^mkdir,fsync,openat", "decode-fds=path")
        try expectFlushes(["objects", "objects/within", "preferences"])
    }

    @Test(
        "new folders of a path with slashes at its end are flushed in the folder around them",
        arguments: ["a/b/", "a/b///", "a//b/", "a/./b/"])
    func foldersOfPathsWithSlashes(_ name: String) throws {
        let (status, output) = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-q", "-o", folder("trace"), "-e", "trace=/^mkdir,fsync,openat", "-e",
                "decode-fds=path", Program.url("StorePeer").path, "folder", folder(name),
            ],
            in: [:])
        #expect(status == 0 && output == "ok\n", "\(output)")
        try expectFlushes(["a", "a/b"])
    }

    /// Expects in the trace that the folder around each folder is flushed after it was made.
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

    @Test("a file system without the locks of SQLite is named as the reason, not another program")
    func noRecordLocks() throws {
        _ = try store(1)
        let (_, output) = try Program.run(
            URL(filePath: "/usr/bin/strace"),
            [
                "-f", "-q", "-o", folder("trace"), "-e", "inject=fcntl:error=ENOLCK",
                Program.url("StorePeer").path, "items", folder.path, "0.1",
            ],
            in: [:])
        #expect(output.contains("No locks available"), "\(output)")
        #expect(!output.contains("another program"), "\(output)")
        #expect(folder.names == ["file", "items", "key", "objects", "preferences", "trace"])
        #expect(try Program.run("StorePeer", ["items", folder.path, "0.1"]).output == "1\n")
    }

    @Test(
        "a file system without locks is named as the reason, at once",
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

    @Test(
        "a program that is killed at a call leaves no file that the next one does not remove",
        arguments: ["linkat", "renameat", "fsync", "fchmod", "write", "openat"])
    func kills(_ call: String) throws {
        var kills = 0
        // First the files are new, then they are replaced.
        for start in [0, 100] {
            for round in 1..<40 {
                _ = try store(start + round, "inject=\(call):signal=KILL:when=\(round)")
                let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
                _ = try stored()
                #expect(try store(start + 50 + round).allSatisfy { $0.hasPrefix("stored") })
                try expectNothingIsLeft("\(call) \(round)")
                guard trace.contains("killed by SIGKILL") else { break }
                kills += 1
            }
        }
        #expect(kills > 0)
    }

    @Test(
        "a program that is killed while it creates stores leaves nothing beside them",
        arguments: ["linkat", "fsync", "write", "pwrite64", "fchmod", "openat", "/^unlink"])
    func killsOfCreators(_ call: String) throws {
        for round in 1..<25 {
            for name in folder.names { try FileManager.default.removeItem(atPath: folder(name)) }
            // Past the calls that are made while the program starts.
            let number = call == "openat" ? 55 + 3 * round : round
            _ = try store(1, "inject=\(call):signal=KILL:when=\(number)")
            let trace = try String(contentsOfFile: folder("trace"), encoding: .utf8)
            #expect(try store(2).allSatisfy { $0.hasPrefix("stored") })
            try expectNothingIsLeft("\(call) \(number)")
            guard trace.contains("killed by SIGKILL") else { break }
        }
    }

    /// No temporary file, and no second name of the key.
    private func expectNothingIsLeft(_ comment: Comment) throws {
        let files = FileManager.default.enumerator(atPath: folder.path)?.allObjects ?? []
        let names = files.compactMap { ($0 as? String).map { URL(filePath: $0).lastPathComponent } }
        #expect(!names.contains { $0.hasPrefix(".keyed") || $0.hasSuffix("-journal") }, comment)
        var key = stat()
        #expect(unsafe stat(folder("key"), &key) == 0 && key.st_nlink == 1, comment)
    }
}
#endif

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import TestSupport
import Testing

@testable import SystemFiles

/// Atomic replacement of files: modes, temporary files and refusals.
@Suite("Replacing files")
struct ReplacementTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func contents(_ name: String) throws -> String {
        try String(contentsOfFile: folder(name), encoding: .utf8)
    }

    private func message(_ body: () throws -> Void) -> String? {
        do { try body() } catch { return (error as? SystemError)?.message ?? "\(error)" }
        return nil
    }

    // MARK: Modes

    @Test("new files get the mode that the umask gives, even during concurrent writes")
    func umaskIsLeftAlone() throws {
        // Flushing takes no time in shared memory, which makes races more likely.
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

    /// Returns the mode that the system gives a new file.
    private func modeOfNewFile(_ path: String) throws -> mode_t {
        let file = unsafe open(path, O_CREAT | O_WRONLY, 0o666)
        defer { close(file) }
        return try FileMode(of: FileDescriptor(rawValue: file)).mode
    }

    @Test("a file that is created and removed concurrently is not mistaken for a dangling link")
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

    @Test("set-user-ID and set-group-ID bits are dropped, and that is reported")
    func identityBits() throws {
        try folder.write("program", mode: 0o6755)
        let notes = try FileAccess.replace(folder("program"), with: [1])
        #expect(try folder.mode(of: "program") == 0o755)
        #expect(notes == ["the set-user-id or set-group-id bit was dropped"])
        #expect(try FileAccess.replace(folder("program"), with: [2]) == [])
    }

    @Test("other hard links of a file keep the old contents, and that is reported")
    func hardLinks() throws {
        try folder.write("one", mode: 0o644)
        #expect(unsafe link(folder("one"), folder("other")) == 0)
        let notes = try FileAccess.replace(folder("one"), with: Array("new".utf8))
        #expect(notes == ["1 other hard link of the file keeps the old contents"])
        #expect(try contents("one") == "new" && contents("other") == "old")
    }

    @Test("a read-only file is refused and kept")
    func readOnly() throws {
        try folder.write("file", mode: 0o444)
        let error = #expect(throws: SystemError.self) {
            try FileAccess.replace(folder("file"), with: [1])
        }
        #expect(error?.message == "the file has the read-only mode 0444")
        #expect(error?.recovery == "make it writable first with `chmod u+w`")
        #expect(try contents("file") == "old" && folder.names == ["file"])
    }

    // MARK: Pipes

    @Test(
        "a pipe with nobody at the other end is an immediate error that mentions the pipe")
    func pipes() throws {
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let path = folder("pipe")
        let read = message {
            _ = try FileAccess.read(path, limit: 10)
        }
        #expect(read == "the file is a pipe that no program writes to")
        let written = message {
            try FileAccess.replace(path, with: [1])
        }
        #expect(written == "the file is a pipe or a device that no program reads from")
        let refused = message {
            try FileAccess.replace(path, with: [1], specialFiles: .refused)
        }
        #expect(refused == "expected a regular file, found a pipe")
        #expect(folder.names == ["pipe"])
    }

    @Test("a pipe with a program at the other end is read and written completely")
    func livePipes() throws {
        #expect(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let path = folder("pipe")
        let bytes = [UInt8](repeating: 7, count: 1_000_000)
        // Keeps both ends open until the writer and the reader have opened theirs.
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

    @Test("named temporary files of dead processes are removed, and those of living ones are kept")
    func deadTemporaries() throws {
        try folder.write("a", mode: 0o600)
        var living = try named("a")
        let name = try #require(folder.names.first { $0.hasPrefix(".keyed.") })
        let dead = TemporaryName.name(17)
        let changed = dead.dropLast() + (dead.hasSuffix("a") ? "b" : "a")
        let foreign = [
            ".keyed.short", ".keyed-abcdefgh", ".keyed.abcdefghi", String(changed),
            dead.uppercased(), dead + "a",
        ]
        for foreign in foreign { try folder.write(foreign, mode: 0o600) }
        try folder.write(dead, mode: 0o600)
        let link = TemporaryName.name(18)
        try FileManager.default.createSymbolicLink(
            atPath: folder(link), withDestinationPath: folder("a"))
        FileAccess.removeDeadTemporaries(inFolder: folder.path)
        #expect(Set(folder.names) == Set(foreign + ["a", name, link]))
        // A second file for the same target gets another name. The first file is kept, because its
        // process is alive.
        var second = try named("a")
        #expect(folder.names.contains(name))
        second.finish()
        try living.replaceTarget()
        living.finish()
        #expect(Set(folder.names) == Set(foreign + ["a", link]))
        // A temporary file of a killed process is removed by the next replacement of the same
        // target.
        try folder.write(name, mode: 0o600)
        var third = try named("a")
        third.finish()
        #expect(Set(folder.names) == Set(foreign + ["a", link]))
    }

    @Test("a second hard link left by a killed process is removed, and the file is kept")
    func publishedTemporaries() throws {
        try folder.write("a", mode: 0o600)
        let name = TemporaryName.name(19)
        try FileManager.default.linkItem(atPath: folder("a"), toPath: folder(name))
        FileAccess.removeDeadTemporaries(inFolder: folder.path)
        #expect(try folder.names == ["a"] && contents("a") == "old")
    }

    @Test("different numbers give different names of temporary files, which end in a checksum")
    func temporaryNames() {
        let numbers =
            [0, 1, .max, .max - 1] + (0..<1000).map { _ in UInt64.random(in: 0...(.max)) }
        let names = Set(numbers.map(TemporaryName.name))
        #expect(names.count == Set(numbers).count)
        #expect(names.allSatisfy { $0.utf8.count == 33 })
        for number in numbers {
            // The checksum is written like the number, after it.
            var generator = SplitMix64(seed: number)
            let checksum = TemporaryName.name(generator.next()).dropLast(13).suffix(13)
            #expect(TemporaryName.name(number).suffix(13) == checksum)
        }
    }

    @Test(
        "files are replaced and created through named temporary files as well"
    )
    func namedFiles() throws {
        try folder.write("a", mode: 0o640)
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

    @Test("concurrent creators of one file never publish the contents of an unfinished file")
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

    @Test("a foreign file with the name of a temporary file is neither published nor removed")
    func foreignFileOfTheName() throws {
        try folder.write("a", mode: 0o600)
        for isNew in [true, false] {
            var file = try named(isNew ? "new" : "a")
            let name = try #require(folder.names.first { $0.hasPrefix(".keyed.") })
            try FileManager.default.removeItem(atPath: folder(name))
            try folder.write(name, mode: 0o600)
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
        "creating a file does not release locks that SQLite takes on it in the meantime",
        arguments: [true, false])
    func locksOfNewFiles(isUnnamed: Bool) throws {
        let place = FilePlace(folder("file"))
        let unnamed = try isUnnamed ? TemporaryFile(unnamedFor: place, mode: 0o600) : nil
        try #require(isUnnamed == (unnamed != nil))
        var file = try unnamed ?? TemporaryFile(namedFor: place, mode: 0o600)
        try file.publish()
        // Simulates SQLite in another thread, which takes a lock before this thread has finished.
        let descriptor = unsafe open(folder("file"), O_RDWR)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        try #require(unsafe fcntl(descriptor, F_SETLK, &lock) == 0)
        file.finish()
        var probe = flock()
        probe.l_type = Int16(F_WRLCK)
        // `F_OFD_GETLK`: a lock of an open file description conflicts even with locks of the same
        // process.
        let getLock: Int32 = 36
        let other = unsafe open(folder("file"), O_RDWR)
        try #require(unsafe fcntl(other, getLock, &probe) == 0)
        #expect(probe.l_type != Int16(F_UNLCK))
        close(other)
    }
    #endif
}

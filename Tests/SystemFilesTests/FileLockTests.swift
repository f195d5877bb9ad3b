// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PropertyList
import SystemFiles
import TestSupport
import Testing

@Suite("Locks")
struct FileLockTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lock(_ name: String = "lock", within seconds: Double = 30) throws -> FileLock {
        try FileLock(
            creating: folder(name), mode: 0o600, for: folder("file"),
            deadline: Environment.deadline(after: seconds))
    }

    @Test("only one thread at a time has the lock")
    func oneAtATime() throws {
        let inside = Guarded(0)
        let (most, failures) = (Guarded(0), Guarded(0))
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<50 {
                guard let lock = try? lock() else {
                    failures.withLock { $0 += 1 }
                    return
                }
                let count = inside.withLock { count in
                    count += 1
                    return count
                }
                most.withLock { $0 = max($0, count) }
                inside.withLock { $0 -= 1 }
                lock.release()
            }
        }
        #expect(most.withLock { $0 } == 1 && failures.withLock { $0 } == 0)
    }

    @Test("waiting for a held lock ends at the deadline, and a released lock is free")
    func timeout() throws {
        let held = try lock()
        let start = ContinuousClock.now
        let error = #expect(throws: SystemError.self) { try lock(within: 0.2) }
        #expect(error?.isTimeout == true)
        #expect(ContinuousClock.now - start >= .milliseconds(200))
        held.release()
        try lock(within: 0).release()
    }

    @Test("a lock on a removed file does not count as a lock on a new file of that name")
    func removedFile() throws {
        let held = try lock()
        try FileManager.default.removeItem(atPath: folder("lock"))
        // Nobody can open the old file, so the new one is free.
        let second = try lock(within: 0)
        #expect(throws: SystemError.self) { try lock(within: 0) }
        held.release()
        #expect(throws: SystemError.self) { try lock(within: 0) }
        second.release()
        try lock(within: 0).release()
    }

    @Test("a link, folder or pipe in place of the lock file is an error, and is not removed")
    func otherKinds() throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder("link"), withDestinationPath: "target")
        try createFolders(folder("folder"))
        try #require(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        for name in ["link", "folder", "pipe"] {
            #expect(throws: SystemError.self, "\(name)") { try lock(name, within: 0) }
        }
        #expect(folder.names == ["folder", "link", "pipe"])
    }

    @Test("waiting for a lock on an existing file times out; a new file has a separate lock")
    func contents() throws {
        let path = folder("file")
        func contents(patience: Double) throws -> FileLock {
            try FileLock(
                existingFile: path, patience: patience, deadline: Environment.deadline(after: 30))
        }
        let missing = #expect(throws: SystemError.self) { try contents(patience: 0) }
        #expect(missing?.isMissing == true)
        try FileAccess.replace(path, with: [1])
        let held = try contents(patience: 0)
        let error = #expect(throws: SystemError.self) { try contents(patience: 0.1) }
        #expect(error?.isTimeout == true)
        // A new file with that name has a separate lock.
        try FileAccess.replace(path, with: [2])
        try contents(patience: 0).release()
        held.release()
    }

    @Test("the deadline for a zero, negative or NaN timeout has already passed")
    func deadlines() {
        let now = Environment.uptime
        for timeout in [-1, -.infinity, .nan, 0] as [Double] {
            #expect(Environment.deadline(after: timeout) <= Environment.uptime)
        }
        #expect(Environment.deadline(after: 10) >= now + 10)
        #expect(Environment.deadline(after: .infinity) == .infinity)
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import PlatformC

/// A lock that one process, and one user of it in that process, has at a time. It ends with the process.
package struct FileLock {
    private let file: FileDescriptor

    /// Waits for the lock on a file, which is created where there is none.
    ///
    /// The file is opened for writing only: a program that may not write it cannot hold the lock. Symbolic links are
    /// not followed.
    ///
    /// A lock that the superuser makes belongs to the owner of the file that it is for, who could not use it
    /// otherwise.
    ///
    /// - Parameters:
    ///   - path: The file of the lock.
    ///   - mode: The mode of a new file, before the process's umask is applied to it.
    ///   - subject: The file that the lock is for. Where there is none, its folder has the owner.
    ///   - deadline: The time to stop waiting, on the clock of `Environment.uptime`.
    /// - Throws: an error that `isTimeout` after the deadline, and names who owns the lock's file; where the file
    ///   system has no locks.
    package init(
        creating path: String, mode: mode_t, for subject: String, deadline: Double
    ) throws(SystemError) {
        do throws(SystemError) {
            file = try Self.wait(for: path, until: deadline) { () throws(SystemError) in
                try Self.open(path, mode, subject)
            }
        } catch {
            throw error.isTimeout ? Self.timeout(path) : error
        }
    }

    /// The error for a lock that was not free in time. The file of a lock is empty. Everybody who may write
    /// the folder can have made it before.
    private static func timeout(_ path: String) -> SystemError {
        guard let found = try? FileMode.existing(at: FilePlace(path, followingLinks: false))
        else { return .timeout("") }
        var details = ""
        if !found.isOwn { details += "; the lock's file belongs to user \(found.owner)" }
        if found.size > 0 {
            details +=
                "; the lock's file has \(found.size) bytes, so it was made for something else"
        }
        return .timeout(details)
    }

    /// Waits for the lock on a file with contents, which the owner of the lock may replace by another.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - patience: The number of seconds to wait for one and the same file. Where the file is replaced, somebody
    ///     else has the lock now, and the wait starts anew.
    ///   - deadline: The time to stop waiting, on the clock of `Environment.uptime`.
    /// - Throws: an error that `isTimeout` after the wait, or that `isMissing`.
    package init(
        contents path: String, patience: Double, deadline: Double
    ) throws(SystemError) {
        file = try Self.wait(for: path, until: deadline, patience: patience) {
            () throws(SystemError) in
            try FileDescriptor.open(path)
        }
    }

    /// Waits for a lock on the file that has the name `path`. One that is removed or replaced meanwhile
    /// is opened again.
    private static func wait(
        for path: String, until deadline: Double, patience: Double = .infinity,
        open: () throws(SystemError) -> FileDescriptor
    ) throws(SystemError) -> FileDescriptor {
        var awaited: FileMode?
        var end = deadline
        // In microseconds.
        var pause: UInt32 = 500
        while true {
            let file = try open()
            let isLocked: Bool
            do throws(SystemError) { isLocked = try file.lockIfFree() } catch {
                file.close()
                throw error
            }
            if isLocked, isCurrent(file, path) { return file }
            let found = try? FileMode(of: file)
            if isLocked { file.unlock() }
            file.close()
            let now = Environment.uptime
            if let found, awaited?.isSameFile(as: found) != true {
                awaited = found
                end = min(deadline, now + patience)
            }
            if now >= end { throw .timeout("") }
            if isLocked { continue }
            Environment.sleep(microseconds: pause)
            pause = min(2 * pause, 20_000)
        }
    }

    private static func open(
        _ path: String, _ mode: mode_t, _ subject: String
    ) throws(SystemError) -> FileDescriptor {
        let (file, isNew) = try FileDescriptor.openOrCreateItself(path, mode: mode)
        if isNew, geteuid() == 0,
            let owned = (try? FileMode(of: subject))
                ?? (try? FileMode(of: parentFolder(of: path) ?? "."))
        {
            _ = fchown(file.rawValue, owned.owner, owned.group)
        }
        do throws(SystemError) {
            let found = try FileMode(of: file)
            guard found.isRegular else { throw SystemError.notRegular(found) }
            // A file of an earlier version: every program that can read it could hold the lock for ever.
            // A further name may be that of a file that is no lock.
            if found.isOwn, found.linkCount == 1, found.mode & 0o044 != 0 {
                try file.setMode(found.mode & ~0o044)
            }
        } catch {
            file.close()
            throw error
        }
        return file
    }

    private static func isCurrent(_ file: FileDescriptor, _ path: String) -> Bool {
        guard let open = try? FileMode(of: file), let named = try? FileMode(of: path) else {
            return false
        }
        return named.isSameFile(as: open)
    }

    /// The reason why SQLite cannot lock files in the folder of `path`, tried on a file that nobody else has;
    /// nil where it can, or where no file can be made.
    package static func failureOfRecordLocks(beside path: String) -> SystemError? {
        guard let place = try? FilePlace(path).resolvingLinks() else { return nil }
        let unnamed = try? TemporaryFile(unnamedFor: place, mode: 0o600)
        guard var file = unnamed ?? (try? TemporaryFile(namedFor: place, mode: 0o600)) else {
            return nil
        }
        defer { file.finish() }
        do throws(SystemError) { try file.file.tryRecordLock() } catch { return error }
        return nil
    }

    /// Lets the next one in.
    package func release() {
        file.unlock()
        file.close()
    }
}

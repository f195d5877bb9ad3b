// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import PlatformC

/// A file lock that has one holder at a time, in this process or in another. It is not recursive.
/// The system releases it when the process exits.
package struct FileLock {
    private let file: FileDescriptor

    /// Waits for the lock on a file, which is created if it is missing.
    ///
    /// The file is opened only for writing, so `mode` need not let other users read it. A user who
    /// may neither read nor write the file cannot hold the lock. Symbolic links are not followed.
    ///
    /// A lock file created by the superuser is given to the owner of `subject`, who could not use
    /// it otherwise.
    ///
    /// - Parameters:
    ///   - path: The path of the lock file.
    ///   - mode: The mode of a new lock file, before the process's umask is applied.
    ///   - subject: The file that the lock protects. If it does not exist, the owner of the lock
    ///     file's folder is used instead.
    ///   - deadline: The time to stop waiting, on the clock of `Environment.uptime`.
    /// - Throws: After the deadline, an `isTimeout` error. The error names the owner of the lock
    ///   file if that is another user. An error if the file system has no locks.
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

    /// Returns the error for a lock that was not released in time. A lock file is empty. A file
    /// with contents was created by something else; anyone who may write to the folder can do that.
    private static func timeout(_ path: String) -> SystemError {
        guard let found = try? FileMode.existing(at: FilePlace(path, followingLinks: false))
        else { return .timeout("") }
        var details = ""
        if !found.isOwn { details += "; the lock file belongs to user \(found.owner)" }
        if found.size > 0 {
            details +=
                "; expected an empty lock file, found \(found.size) bytes"
        }
        return .timeout(details)
    }

    /// Waits for the lock on an existing file with contents, as opposed to an empty lock file. The
    /// holder of the lock may replace the file with another one.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - patience: The number of seconds to wait for the same file. If the file is replaced,
    ///     another process holds the lock now, and the wait starts again.
    ///   - deadline: The time to stop waiting, on the clock of `Environment.uptime`.
    /// - Throws: An `isTimeout` error after the wait, or an `isMissing` error.
    package init(
        existingFile path: String, patience: Double, deadline: Double
    ) throws(SystemError) {
        file = try Self.wait(for: path, until: deadline, patience: patience) {
            () throws(SystemError) in
            try FileDescriptor.open(path)
        }
    }

    /// Waits for a lock on the file at `path`. Opens the file again if it is removed or replaced in
    /// the meantime.
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
            // Others who may read a lock file could hold the lock forever. A file with other hard
            // links is perhaps not a lock file, so its mode stays.
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

    /// Returns the reason why SQLite cannot lock files in the folder of `path`, or nil if it can.
    /// The check locks a temporary file. The result is also nil if no such file can be created.
    package static func failureOfRecordLocks(beside path: String) -> SystemError? {
        guard let place = try? FilePlace(path).resolvingLinks() else { return nil }
        let unnamed = try? TemporaryFile(unnamedFor: place, mode: 0o600)
        guard var file = unnamed ?? (try? TemporaryFile(namedFor: place, mode: 0o600)) else {
            return nil
        }
        defer { file.finish() }
        do throws(SystemError) { try file.file.acquireRecordLock() } catch { return error }
        return nil
    }

    /// Releases the lock.
    package func release() {
        file.unlock()
        file.close()
    }
}

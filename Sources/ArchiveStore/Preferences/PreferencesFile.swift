// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The file of a domain, which several programs may read and write at the same time.
struct PreferencesFile: Sendable {
    let path: String
    let options: FileOptions
    let limits: ParsingLimits

    /// Writes the merged values. Waits until `deadline` for other programs that are replacing the
    /// file.
    ///
    /// - Returns: false if another program has created the file, or has changed it since `mode` was
    ///   read.
    func write(
        _ merge: PreferencesMerge, over mode: FileMode?, until deadline: Double
    ) throws(StoreError) -> Bool {
        guard let bytes = merge.bytes else {
            // The file already has the values. An earlier call may have failed to flush it.
            if mode != nil, !merge.keys.isEmpty {
                do { try FileAccess.synchronize(path) } catch {
                    throw StoreError(error, file: path)
                }
            }
            return true
        }
        let isReplaced = try WholeFile.replace(
            path, ifStill: mode, with: bytes, isPrivate: options.isPrivate
        ) { lockContents(until: deadline) }
        if !isReplaced { try refuseDanglingLink() }
        return isReplaced
    }

    /// Returns the contents of the file and its mode when they were read, or nil if there is no
    /// file.
    func contents() throws(StoreError) -> (mode: FileMode, contents: PreferencesContents)? {
        do throws(StoreError) {
            let mode: FileMode
            do throws(SystemError) { mode = try FileMode(of: path) } catch {
                throw StoreError(error, file: path)
            }
            let (value, format) = try PlainFile.document(path, limits)
            guard let values = value.dictionary else {
                throw PlainFile.wrongRoot(value, "a dictionary", path)
            }
            return (mode, PreferencesContents(values: values, format: format))
        } catch  where error.code == .fileMissing {
            try refuseDanglingLink()
            return nil
        }
    }

    /// Throws an error for a dangling symbolic link. It is neither a missing file nor one that
    /// another program created: its target may be on a disk that is not mounted.
    private func refuseDanglingLink() throws(StoreError) {
        do { _ = try FileMode.existing(at: path) } catch { throw StoreError(error, file: path) }
    }

    /// Acquires the lock of the domain, and waits until `deadline` for other programs that are in
    /// ``Preferences/synchronize()``. The lock is on a file beside that of the domain. The mode of
    /// the lock file gives other users at most write access. A umask that removes write access to
    /// the preferences also removes it from the lock file. So a program that can only read the
    /// preferences cannot hold the lock.
    func acquireLock(until deadline: Double) throws(StoreError) -> FileLock {
        let name = path + ".lock"
        do {
            return try FileLock(
                creating: name, mode: options.isPrivate ? FileMode.ownerOnly : 0o622, for: path,
                deadline: deadline)
        } catch {
            throw StoreError(error, file: name)
        }
    }

    /// Locks the domain's own file as well. If somebody has removed the lock file, another program
    /// may hold the lock on a new lock file at the same time. This second lock excludes that
    /// program while the file is checked and replaced.
    ///
    /// Every program that can read the preferences can hold this lock. So the wait is limited to
    /// one second, and starts again whenever a program replaces the file. Programs that use this
    /// library hold the lock for much less time, because they write and flush the new file
    /// beforehand. The wait is at least a tenth of a second, because waiting for the lock file may
    /// have taken until `deadline`.
    ///
    /// - Returns: The lock, or nil if there is no file, if the lock is not released in time, or if
    ///   the file system cannot lock the file. NFS locks only files that are open for writing.
    private func lockContents(until deadline: Double) -> FileLock? {
        let end = max(deadline, Environment.deadline(after: 0.1))
        return try? FileLock(existingFile: path, patience: 1, deadline: end)
    }
}

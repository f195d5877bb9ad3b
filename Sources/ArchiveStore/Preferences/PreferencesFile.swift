// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PropertyList
internal import SystemFiles

/// The file of a domain, which several programs may be reading and writing.
struct PreferencesFile: Sendable {
    let path: String
    let options: FileOptions
    let limits: ParsingLimits

    /// - Returns: false where another program has changed the file since it had `mode`, or made it.
    func write(_ merge: PreferencesMerge, over mode: FileMode?) throws(StoreError) -> Bool {
        guard let bytes = merge.bytes else {
            // The file has the values already, perhaps since it could not be flushed.
            if mode != nil, !merge.keys.isEmpty {
                do { try FileAccess.synchronize(path) } catch {
                    throw StoreError(error, file: path)
                }
            }
            return true
        }
        if try WholeFile.replace(path, ifStill: mode, with: bytes, isPrivate: options.isPrivate) {
            return true
        }
        // A symbolic link that leads to no file is an error, not a file that another program made.
        do { _ = try FileMode.existing(at: path) } catch { throw StoreError(error, file: path) }
        return false
    }

    /// The contents of the file, and the mode it had when they were read; nil where there is none.
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
            return nil
        }
    }

    /// Waits for other programs that are in ``Preferences/synchronize()``, until `deadline`. The lock is on a file
    /// beside the domain's, which others may only write, and only where the umask lets them. A program that
    /// can only read the preferences cannot hold the lock.
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

    /// Locks the domain's own file, too. Where somebody has removed the lock's file, another program may
    /// have a lock on a new one at the same time. This lock keeps both apart.
    ///
    /// Every program that can read the preferences can hold this lock. So this waits for a second only, anew
    /// after each program that replaces the file.
    ///
    /// - Returns: nil where there is no file, where the lock is not free in time, and where the file system cannot
    ///   lock it. NFS locks only files that are open for writing.
    func lockContents(until deadline: Double) -> FileLock? {
        try? FileLock(contents: path, patience: 1, deadline: deadline)
    }
}

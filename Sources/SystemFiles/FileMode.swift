// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Who may do what with a file, whose it is, and how long.
package struct FileMode {
    package let mode: mode_t
    package let owner: uid_t
    package let group: gid_t
    /// In bytes.
    package let size: Int
    package let isDirectory: Bool
    package let isRegular: Bool

    package init(of path: String) throws(SystemError) {
        var status = stat()
        // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
        if unsafe stat(path, &status) != 0 { throw SystemError.last }
        self.init(status)
    }

    package init(of file: FileDescriptor) throws(SystemError) {
        var status = stat()
        // SAFETY: the structure is ours for the call.
        if unsafe fstat(file.rawValue, &status) != 0 { throw SystemError.last }
        self.init(status)
    }

    private init(_ status: stat) {
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        size = Int(status.st_size)
        isDirectory = status.st_mode & S_IFMT == S_IFDIR
        isRegular = status.st_mode & S_IFMT == S_IFREG
    }

    /// The mode of a file that is to be replaced; nil where there is none. A symbolic link to nothing
    /// is an error, for what is to be replaced then is not known.
    package static func existing(at path: String) throws(SystemError) -> FileMode? {
        do { return try FileMode(of: path) } catch {
            var status = stat()
            // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
            if unsafe lstat(path, &status) == 0 {
                throw SystemError(message: "is a symbolic link that leads to no file")
            }
            return nil
        }
    }

    /// Gives an open file the same mode and, where the process may, the same owner.
    package func apply(to file: FileDescriptor) throws(SystemError) {
        // Changing the owner is the superuser's right; without it the file is the caller's.
        _ = fchown(file.rawValue, owner, group)
        if fchmod(file.rawValue, mode) != 0 { throw SystemError.last }
    }
}

/// The mode that a new file gets from the process.
package func defaultMode() -> mode_t {
    let mask = umask(0)
    _ = umask(mask)
    return 0o666 & ~mask
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import PlatformC

/// The permissions, the owner, the kind and the size of a file.
package struct FileMode {
    package private(set) var mode: mode_t
    package let owner: uid_t
    package let group: gid_t
    /// The size in bytes.
    package let size: Int
    /// The number of bytes that the file's blocks occupy on disk, which is less than ``size`` if
    /// the file has holes or is compressed.
    package let allocatedSize: Int
    /// The number of hard links.
    package let linkCount: Int
    package let kind: Kind
    private let device: dev_t
    private let inode: ino_t
    /// The time of the last change of contents or mode: seconds, and nanoseconds after them.
    private let changeTime: (seconds: Int, nanoseconds: Int)

    /// The kinds of files.
    package enum Kind {
        case regular, directory, symbolicLink, pipe, socket, device
    }

    /// The permission bits of a file that only its owner may read and write.
    package static let ownerOnly: mode_t = 0o600

    package var isDirectory: Bool { kind == .directory }
    package var isRegular: Bool { kind == .regular }

    /// A Boolean value indicating whether the file belongs to the process's effective user.
    package var isOwn: Bool { owner == geteuid() }

    package init(of path: String) throws(SystemError) { try self.init(of: FilePlace(path)) }

    package init(of file: FileDescriptor) throws(SystemError) {
        var status = stat()
        // SAFETY: the structure is ours for the call.
        if unsafe fstat(file.rawValue, &status) != 0 { throw SystemError.last }
        self.init(status)
    }

    /// Reads the mode of a file, or of a symbolic link itself if `place` does not follow links.
    package init(of place: FilePlace) throws(SystemError) {
        try self.init(of: place, followingLinks: place.followsLinks)
    }

    /// Reads the mode of a file. For a symbolic link, reads that of the link, not of its target.
    init(ofItself place: FilePlace) throws(SystemError) {
        try self.init(of: place, followingLinks: false)
    }

    private init(of place: FilePlace, followingLinks: Bool) throws(SystemError) {
        let path = try place.checkedPath
        let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
        var status = stat()
        // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
        if unsafe fstatat(place.start, path, &status, flags) != 0 { throw SystemError.last }
        self.init(status)
    }

    private init(_ status: stat) {
        mode = status.st_mode & 0o7777
        owner = status.st_uid
        group = status.st_gid
        size = Int(clamping: status.st_size)
        // The unit is 512 bytes, regardless of the file system's block size.
        allocatedSize = Int(
            clamping: Int64(clamping: status.st_blocks).multipliedReportingOverflow(by: 512).0)
        linkCount = Int(clamping: status.st_nlink)
        device = status.st_dev
        inode = status.st_ino
        #if canImport(Darwin)
        let time = status.st_ctimespec
        #else
        let time = status.st_ctim
        #endif
        changeTime = (Int(time.tv_sec), Int(time.tv_nsec))
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            case S_IFIFO: .pipe
            case S_IFSOCK: .socket
            default: .device
            }
    }

    package func isSameFile(as other: FileMode) -> Bool {
        device == other.device && inode == other.inode
    }

    /// Returns whether this is the same file and nothing has changed it since.
    func isUnchanged(since other: FileMode) -> Bool {
        isSameFile(as: other) && size == other.size && changeTime == other.changeTime
    }

    /// Returns the mode of a file to be replaced, or nil if there is none. A dangling symbolic link
    /// is an error, because the file to replace is unknown.
    package static func existing(at path: String) throws(SystemError) -> FileMode? {
        try existing(at: FilePlace(path))
    }

    /// Returns the mode of a file to be replaced, or nil if there is none. A dangling symbolic link
    /// is an error. If links are not followed, every symbolic link is an error.
    package static func existing(at place: FilePlace) throws(SystemError) -> FileMode? {
        // Retry if other programs create and remove the file in the meantime.
        for _ in 0..<100 {
            do throws(SystemError) {
                let found = try FileMode(of: place)
                if found.kind == .symbolicLink { throw SystemError.notFollowed }
                return found
            } catch {
                guard error.isMissing else { throw error }
            }
            do throws(SystemError) {
                if try FileMode(ofItself: place).kind == .symbolicLink {
                    throw SystemError(message: "the file is a dangling symbolic link")
                }
            } catch {
                guard error.isMissing else { throw error }
                return nil
            }
        }
        throw SystemError(message: "other programs keep creating and removing the file")
    }

    /// Returns the mode with the rights of the file's own group in the group bits. For a file with
    /// an access control list, the group bits of the original mode are the list's mask.
    ///
    /// - Parameters:
    ///   - path: The path of the file. It is not opened.
    ///   - followsLinks: A Boolean value indicating whether the path may be that of a symbolic link
    ///     to the file. Otherwise a link counts as a file without a list.
    /// - Returns: The adjusted mode.
    /// - Throws: An error if the access control list cannot be read.
    package func withoutMask(
        at path: String, followingLinks followsLinks: Bool = true
    ) throws(SystemError) -> FileMode {
        guard
            let rights = try AccessList.rightsOfGroup(at: path, followingLinks: followsLinks)
        else { return self }
        var result = self
        result.mode = mode & ~0o070 | mode & mode_t(rights) << 3
        return result
    }

    /// Checks that a file may be replaced. The system requires only write access to the folder, but
    /// a read-only file is not meant to be replaced.
    func requireWritable(_ place: FilePlace) throws(SystemError) {
        if mode & 0o222 == 0 {
            let digits = String(mode & 0o777, radix: 8)
            throw SystemError(
                message: "the file has the read-only mode 0\(digits)",
                recovery: "make it writable first with `chmod u+w`")
        }
        try place.requireWriteAccess()
    }

    /// The set-user-id and set-group-id bits, which let a program act for the file's owner or
    /// group.
    var identityBits: mode_t { mode & 0o6000 }

    /// Copies the permissions, the access control list and, if allowed, the owner and group to an
    /// open new file. Nobody but the owner of the new file gets rights that they lacked on the old
    /// file.
    ///
    /// The new file never gets ``identityBits``. If the group cannot be kept, the new group and
    /// others get only the rights that the old group and others had in common. If the list cannot
    /// be kept, only the owner may use the file, because the group bits were the list's mask and
    /// the list may have denied users what others may do.
    ///
    /// - Returns: The rights of the old file that the new one has too.
    func apply(to file: FileDescriptor, _ list: AccessList?) throws(SystemError) -> KeptRights {
        // Only the superuser can change the owner. Otherwise the file keeps the caller as its
        // owner.
        let keepsBoth = fchown(file.rawValue, owner, group) == 0
        let keepsGroup = keepsBoth || fchown(file.rawValue, .max, group) == 0
        var permissions = mode & 0o777
        let keepsList = list.map { keepsGroup && $0.apply(to: file) }
        if keepsList != true { try AccessList.remove(from: file) }
        if keepsList == false {
            permissions &= 0o700
        } else if !keepsGroup {
            let everybody = permissions & 0o007 & permissions >> 3
            permissions = permissions & 0o700 | everybody << 3 | everybody
        }
        try file.setMode(permissions)
        return KeptRights(
            owner: keepsBoth || isOwn, group: keepsGroup, accessList: keepsList != false)
    }
}

/// The rights of a replaced file that its new version has too.
struct KeptRights {
    let owner: Bool
    let group: Bool
    /// A Boolean value indicating whether the access control list was kept. It is true if there was
    /// none.
    let accessList: Bool
}

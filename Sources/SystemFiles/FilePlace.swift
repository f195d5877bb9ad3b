// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// The path of a file, with the folder where the path begins and the rule for following symbolic
/// links.
package struct FilePlace: Sendable {
    /// The descriptor of the folder where the path begins.
    let start: Int32
    let path: String
    /// A Boolean value indicating whether the path names the target of a symbolic link rather than
    /// the link. The rule applies only to the last name of the path. Links in the folders before
    /// that name are always followed.
    let followsLinks: Bool

    private init(_ path: String, start: Int32, followsLinks: Bool) {
        self.path = path
        self.start = start
        self.followsLinks = followsLinks
    }

    /// Creates a place from a path that begins in the working folder or at the root.
    package init(_ path: String, followingLinks followsLinks: Bool = true) {
        self.init(path, start: AT_FDCWD, followsLinks: followsLinks)
    }

    /// Creates the place of a file in an open folder. A symbolic link with that name is not
    /// followed.
    package init(_ name: String, in folder: OpenFolder) {
        self.init(name, start: folder.file.rawValue, followsLinks: false)
    }

    /// The path, checked for use in system calls.
    ///
    /// - Throws: An `isInvalidName` error for a path that contains a NUL, where the system would
    ///   truncate it.
    var checkedPath: String {
        get throws(SystemError) {
            if path.utf8.contains(0) { throw SystemError.nulInName }
            return path
        }
    }

    /// Returns the place of another name in the same folder.
    func sibling(_ name: String) -> FilePlace {
        FilePlace(folderPrefix(of: path) + name, start: start, followsLinks: false)
    }

    /// The folder that contains the file.
    var folder: FilePlace {
        let prefix = folderPrefix(of: path)
        return FilePlace(prefix.isEmpty ? "." : prefix, start: start, followsLinks: true)
    }

    /// The last name of the path.
    var name: String { lastName(of: path) }

    /// Checks that the process may write the file or, for a folder, create files in it.
    func requireWriteAccess() throws(SystemError) {
        #if canImport(Android)
        // Android's C library refuses flags here. On Android, the effective user is always the real
        // one.
        let flags: Int32 = 0
        #else
        let flags = AT_EACCESS
        #endif
        // SAFETY: the path is a NUL-terminated string for the length of the call.
        if unsafe faccessat(start, try checkedPath, W_OK, flags) != 0 { throw SystemError.last }
    }

    /// Returns the same file after resolving all symbolic links, if links are followed.
    func resolvingLinks() throws(SystemError) -> FilePlace {
        followsLinks ? FilePlace(try resolved(path)) : self
    }
}

/// An open folder. Names are looked up in the open folder itself, even if another program replaces
/// the folder's path with a symbolic link.
package struct OpenFolder {
    let file: FileDescriptor

    /// Opens a folder.
    ///
    /// - Throws: A system error, for example for a file or for a symbolic link that must not be
    ///   followed.
    package init(_ place: FilePlace) throws(SystemError) {
        file = try FileDescriptor.open(place, O_RDONLY)
        do throws(SystemError) {
            if try FileMode(of: file).isDirectory { return }
        } catch {
            file.close()
            throw error
        }
        file.close()
        throw SystemError.notFolder
    }

    package func close() { file.close() }

    /// Creates a folder in this one, unless the name is taken, and flushes its name to disk.
    package func createFolder(_ name: String) throws(SystemError) {
        let place = FilePlace(name, in: self)
        // SAFETY: the path is a NUL-terminated string for the length of the call.
        if unsafe mkdirat(place.start, try place.checkedPath, 0o777) == 0 {
            do throws(SystemError) { return try file.synchronizeFolder() } catch {
                // Remove the folder, so that the next attempt creates and flushes it again.
                _ = removeEmptyFolder(name)
                throw error
            }
        }
        let error = SystemError.last
        guard error.isExisting else { throw error }
        // Another program may have created the folder just now, or an earlier call may have failed
        // to flush its name.
        try file.synchronizeFolder()
    }

    /// Removes a folder in this one if it exists and is empty. Returns whether it was removed.
    package func removeEmptyFolder(_ name: String) -> Bool {
        SystemFiles.removeEmptyFolder(FilePlace(name, in: self))
    }

    /// Waits until the names in the folder are on disk.
    package func synchronize() throws(SystemError) { try file.synchronizeFolder() }

    /// Returns the names in the folder, sorted, without those that begin with a dot.
    package func names() throws(SystemError) -> [String] {
        try SystemFiles.names(in: FilePlace(".", in: self)) { $0.utf8.first != UInt8(ascii: ".") }
            .sorted()
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

#if os(Linux)
internal import CSystemFiles
#endif

/// Returns the path of a file after resolving all symbolic links.
package func resolved(_ path: String) throws(SystemError) -> String {
    // SAFETY: `realpath` returns newly allocated memory or NULL. It is copied, and freed once.
    guard let result = unsafe realpath(try FilePlace(path).checkedPath, nil) else {
        throw SystemError.last
    }
    defer { unsafe free(result) }
    guard let path = unsafe String(validatingCString: result) else {
        throw SystemError(message: "the path resolves to one that is not UTF-8")
    }
    return path
}

/// Returns the absolute form of a path. It names the same file even if the process changes its
/// working folder later.
///
/// A path is returned unchanged if it is empty, or if the path of the working folder is unknown or
/// not UTF-8.
package func absolutePath(_ path: String) -> String {
    if path.isEmpty || path.utf8.first == UInt8(ascii: "/") { return path }
    // SAFETY: `getcwd` returns newly allocated memory or NULL. It is copied, and freed once.
    guard let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    guard let start = unsafe String(validatingCString: folder) else { return path }
    return (start == "/" ? "" : start) + "/" + path
}

/// Renames `source` to `target` atomically, replacing an existing file.
func moveFile(_ source: FilePlace, to target: FilePlace) throws(SystemError) {
    let (old, new) = (try source.checkedPath, try target.checkedPath)
    // SAFETY: both paths are NUL-terminated strings for the length of the call.
    if unsafe renameat(source.start, old, target.start, new) != 0 { throw SystemError.last }
}

/// Removes a file. Returns false if there is none.
@discardableResult
package func removeFile(_ path: String) throws(SystemError) -> Bool {
    try removeFile(FilePlace(path))
}

/// Removes a file. Returns false if there is none. For a symbolic link, the link itself is removed.
@discardableResult
package func removeFile(_ place: FilePlace) throws(SystemError) -> Bool {
    // SAFETY: the path is a NUL-terminated string for the length of the call.
    if unsafe unlinkat(place.start, try place.checkedPath, 0) == 0 { return true }
    if SystemError.last.isMissing { return false }
    throw SystemError.last
}

/// Creates a hard link: an additional name for the file `source`. Throws an `isExisting` error if
/// that name is taken.
func linkFile(_ source: FilePlace, as target: FilePlace) throws(SystemError) {
    let (old, new) = (try source.checkedPath, try target.checkedPath)
    // SAFETY: both paths are NUL-terminated strings for the length of the call.
    if unsafe linkat(source.start, old, target.start, new, 0) != 0 { throw SystemError.last }
}

// The functions below work on UTF-8 bytes, as the system does. A slash followed by a combining mark
// would be a single `Character`.

/// Returns the part of a path before its last component. The result is empty or ends in a slash.
func folderPrefix(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path.utf8[...$0]) ?? "" } ?? ""
}

/// Returns a path without its last component and the slash before it, or nil if the path has no
/// slash.
package func parentFolder(of path: String) -> String? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { String(path.utf8[..<$0]) }
}

/// Returns a path without its trailing slashes. The root keeps one.
private func withoutTrailingSlashes(_ path: String) -> String {
    let end = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }
    guard let end else { return String(path.utf8.prefix(1)) ?? "" }
    return String(path.utf8[...end]) ?? path
}

/// Returns the last component of a path, without the folders before it.
package func lastName(of path: String) -> String {
    String(decoding: path.utf8.dropFirst(folderPrefix(of: path).utf8.count), as: UTF8.self)
}

/// Returns a path without its extension, which is the last dot of the last name and everything
/// after it.
package func withoutExtension(_ path: String) -> String {
    let name = path.utf8.dropFirst(folderPrefix(of: path).utf8.count)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex else {
        return path
    }
    return String(decoding: path.utf8[..<dot], as: UTF8.self)
}

/// Waits until the names in the folder of a file are on disk.
///
/// - Throws: An error if flushing fails. The file exists now, but may be lost in a power failure.
package func synchronizeFolder(of place: FilePlace) throws(SystemError) {
    let file: FileDescriptor
    do { file = try FileDescriptor.open(place.folder, O_RDONLY) } catch {
        if error.isDenied {
            // Without write access to the folder, the process has changed nothing in it.
            do { try place.folder.requireWriteAccess() } catch  where error.isDenied { return }
            return try synchronizeFileSystem(of: place.folder)
        }
        throw error.explained(FileDescriptor.changedFolder)
    }
    defer { file.close() }
    try file.synchronizeFolder()
}

/// Waits until everything on the file system of a folder is on disk. Used for a folder that the
/// process may write but not read.
private func synchronizeFileSystem(of folder: FilePlace) throws(SystemError) {
    #if os(Linux)
    if let file = try FileDescriptor.createUnnamed(in: folder, mode: FileMode.ownerOnly) {
        defer { file.close() }
        if syncfs(file.rawValue) == 0 { return }
        throw SystemError.last.explained(
            "the folder was changed, but its file system could not be flushed to the disk")
    }
    #endif
    // `sync` reports no errors.
    sync()
}

/// Creates a folder and its missing parents, and flushes their names to disk.
///
/// - Throws: A system error, or an error if one of the names belongs to a file.
package func createFolders(_ path: String) throws(SystemError) {
    // The parent of `a/b/` is `a`, not `a/b`.
    let path = withoutTrailingSlashes(path)
    do { try createFolder(path) } catch  where error.isMissing {
        guard let parent = parentFolder(of: path), !parent.isEmpty else { throw error }
        try createFolders(parent)
        try createFolder(path)
    }
}

private func createFolder(_ path: String) throws(SystemError) {
    let place = FilePlace(path)
    // SAFETY: the path is a NUL-terminated string for the length of the call.
    if unsafe mkdirat(place.start, try place.checkedPath, 0o777) == 0 {
        do throws(SystemError) { return try synchronizeFolder(of: place) } catch {
            // Remove the folder, so that the next attempt creates and flushes it again.
            removeEmptyFolder(place)
            throw error
        }
    }
    let error = SystemError.last
    guard error.isExisting else { throw error }
    if try !FileMode(of: path).isDirectory { throw SystemError.notFolder }
    // An earlier call may have created the folder and failed to flush its name. Without write
    // access to the parent, the process has created nothing there.
    do { try place.folder.requireWriteAccess() } catch  where error.isDenied || error.isReadOnly {
        return
    }
    try synchronizeFolder(of: place)
}

/// Removes a folder if it exists and is empty. Returns whether it was removed.
@discardableResult
func removeEmptyFolder(_ place: FilePlace) -> Bool {
    guard let path = try? place.checkedPath else { return false }
    // SAFETY: the path is a NUL-terminated string for the length of the call.
    return unsafe unlinkat(place.start, path, AT_REMOVEDIR) == 0
}

/// Returns the names in a folder for which `isIncluded` returns true.
func names(
    in folder: FilePlace, where isIncluded: (String) -> Bool
) throws(SystemError) -> [String] {
    let file = try FileDescriptor.open(folder, O_RDONLY)
    // SAFETY: `fdopendir` returns NULL, or a handle that takes over the descriptor. `closedir`
    // closes both once. An entry is valid until the next call of `readdir`. Its name is
    // NUL-terminated, and is copied before that call.
    guard let handle = unsafe fdopendir(file.rawValue) else {
        let error = SystemError.last
        file.close()
        throw error
    }
    defer { unsafe _ = closedir(handle) }
    var names: [String] = []
    while true {
        errno = 0
        guard let entry = unsafe readdir(handle) else { break }
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if isIncluded(name) { names.append(name) }
    }
    // `errno` is still 0 at the end of the folder.
    if errno != 0 { throw SystemError.last }
    return names
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// A file's place after all symbolic links.
package func resolved(_ path: String) throws(SystemError) -> String {
    // SAFETY: `realpath` returns memory of its own or NULL; it is copied and freed once.
    guard let result = unsafe realpath(path, nil) else { throw SystemError.last }
    defer { unsafe free(result) }
    return unsafe String(cString: result)
}

/// Puts the file `source` in the place of `target` in one step.
package func moveFile(_ source: String, to target: String) throws(SystemError) {
    // SAFETY: both paths are NUL-terminated texts for the length of the call.
    if unsafe rename(source, target) != 0 { throw SystemError.last }
}

/// Removes a file; false if it is not there.
@discardableResult
package func removeFile(_ path: String) throws(SystemError) -> Bool {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    if unsafe unlink(path) == 0 { return true }
    if SystemError.last.isMissing { return false }
    throw SystemError.last
}

/// Gives the file `source` a further name, unless there is a file of that name.
package func linkFile(_ source: String, as target: String) throws(SystemError) {
    // SAFETY: both paths are NUL-terminated texts for the length of the call.
    if unsafe link(source, target) != 0 { throw SystemError.last }
}

/// Makes a folder and those around it, where they are missing.
///
/// - Throws: among others where a file has the name of one of them.
package func createFolders(_ path: String) throws(SystemError) {
    do { try createFolder(path) } catch  where error.isMissing {
        guard let end = path.lastIndex(of: "/"), end > path.startIndex else { throw error }
        try createFolders(String(path[..<end]))
        try createFolder(path)
    }
}

private func createFolder(_ path: String) throws(SystemError) {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    if unsafe mkdir(path, 0o777) == 0 { return }
    let error = SystemError.last
    guard error.isExisting else { throw error }
    if try !FileMode(of: path).isDirectory {
        throw SystemError(message: "is a file, not a folder")
    }
}

/// Removes a folder, if it is there and empty.
package func removeEmptyFolder(_ path: String) -> Bool {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    unsafe rmdir(path) == 0
}

/// Whether there is a folder of that name itself, not a link to one.
package func isFolder(_ path: String) -> Bool {
    var status = stat()
    // SAFETY: the path is NUL-terminated and the structure is ours, both for the call.
    return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
}

/// The names of what is in a folder, without those that begin with a dot, sorted.
package func names(inFolder path: String) throws(SystemError) -> [String] {
    // SAFETY: `opendir` returns a handle of ours or NULL; it is closed once. An entry is valid until
    // the next call, its name NUL-terminated, and it is copied at once.
    guard let folder = unsafe opendir(path) else { throw SystemError.last }
    defer { unsafe _ = closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
}

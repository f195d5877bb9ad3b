// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
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
package func createFolders(_ path: String, mode: mode_t = 0o777) throws(SystemError) {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    if unsafe mkdir(path, mode) == 0 { return }
    let error = SystemError.last
    if error.isExisting { return }
    guard error.isMissing, let end = path.lastIndex(of: "/"), end > path.startIndex else {
        throw error
    }
    try createFolders(String(path[..<end]), mode: mode)
    // SAFETY: as above.
    if unsafe mkdir(path, mode) != 0, errno != EEXIST { throw SystemError.last }
}

/// Removes a folder, if it is there and empty.
package func removeEmptyFolder(_ path: String) -> Bool {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    unsafe rmdir(path) == 0
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

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

// A path is bytes. A slash before a combining mark is a slash, and not a `Character` of its own.

/// The beginning of a path up to the name in its folder: empty, or it ends in a slash.
func folderPrefix(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path.utf8[...$0]) ?? "" } ?? ""
}

/// A path without its last name and the slash before that; nil for one of a single name.
package func parentFolder(of path: String) -> String? {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).flatMap { String(path.utf8[..<$0]) }
}

/// The last name of a path, without the folders before it.
package func lastName(of path: String) -> String {
    String(decoding: path.utf8.dropFirst(folderPrefix(of: path).utf8.count), as: UTF8.self)
}

/// A path without the extension of its last name: without the last dot of that name and what follows.
package func withoutExtension(_ path: String) -> String {
    let name = path.utf8.dropFirst(folderPrefix(of: path).utf8.count)
    guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return path }
    return String(decoding: path.utf8[..<dot], as: UTF8.self)
}

/// The folder that a file is in.
func folder(of path: String) -> String {
    let prefix = folderPrefix(of: path)
    return prefix.isEmpty ? "." : prefix
}

/// Waits until the names in the folder of a file are on the disk.
///
/// - Throws: where the system cannot do that. The file may be there, but not after a power cut.
package func synchronizeFolder(of path: String) throws(SystemError) {
    let file: FileDescriptor
    do { file = try FileDescriptor.open(folder(of: path)) } catch  where error.isDenied {
        // A folder that may be written but not read.
        return sync()
    }
    defer { file.close() }
    do { try file.synchronize() } catch  where !error.isMissingFeature {
        throw error.explained("the folder was changed, but could not be flushed to the disk")
    }
}

/// Creates a folder and those around it, where they are missing. New ones are on the disk.
///
/// - Throws: among others where a file has the name of one of them.
package func createFolders(_ path: String) throws(SystemError) {
    do { try createFolder(path) } catch  where error.isMissing {
        guard let parent = parentFolder(of: path), !parent.isEmpty else { throw error }
        try createFolders(parent)
        try createFolder(path)
    }
}

private func createFolder(_ path: String) throws(SystemError) {
    // SAFETY: the path is a NUL-terminated text for the length of the call.
    if unsafe mkdir(path, 0o777) == 0 { return try synchronizeFolder(of: path) }
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

/// Whether a path is a folder itself, not a link to one.
package func isFolder(_ path: String) -> Bool {
    (try? FileMode(ofItself: path))?.isDirectory == true
}

/// The names in a folder, sorted, without those that begin with a dot.
package func names(inFolder path: String) throws(SystemError) -> [String] {
    try names(inFolder: path) { $0.utf8.first != UInt8(ascii: ".") }.sorted()
}

/// The names in a folder that begin with `prefix`.
func names(inFolder path: String, startingWith prefix: String) throws(SystemError) -> [String] {
    try names(inFolder: path) { $0.hasPrefix(prefix) }
}

private func names(
    inFolder path: String, where isIncluded: (String) -> Bool
) throws(SystemError) -> [String] {
    // SAFETY: `opendir` returns a handle of ours or NULL; it is closed once. An entry is valid until
    // the next call, its name NUL-terminated, and it is copied at once.
    guard let folder = unsafe opendir(path) else { throw SystemError.last }
    defer { unsafe _ = closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        if isIncluded(name) { names.append(name) }
    }
    return names
}

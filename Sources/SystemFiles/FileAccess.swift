// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// Reading and replacing whole files.
package enum FileAccess {
    package static let standardInput = "-"

    /// Everything in a file, or in standard input for `-`; of more than `limit` bytes, at least one
    /// more than that.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if path == standardInput {
            return try FileDescriptor.standardInput.readAll(limit: limit)
        }
        if try FileMode(of: path).isDirectory { throw SystemError(message: "is a directory") }
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        return try file.readAll(limit: limit)
    }

    /// Everything in a regular file, as ``read(_:limit:)``, and whose it is. Anything else is refused:
    /// whoever opens a pipe waits, and a device may have no end.
    package static func readRegularFile(
        _ path: String, limit: Int
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        let file = try FileDescriptor.openAtOnce(path)
        defer { file.close() }
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError(message: "is a directory") }
        guard mode.isRegular else { throw SystemError.notRegular }
        let chunkSize = min(mode.size, FileDescriptor.largestChunk - 1) + 1
        return (try file.readAll(limit: limit, atOnce: chunkSize), mode)
    }

    /// What becomes of what is to be replaced, and is no regular file but a device or a pipe.
    package enum SpecialFiles {
        case writtenThrough, refused
    }

    /// Replaces a file in one step: whoever opens it sees the old contents or the new, and a failure
    /// leaves the old. Mode, owner and symbolic links stay; a new file gets `newFileMode`, or the
    /// usual mode.
    package static func replace(
        _ path: String, with bytes: [UInt8], newFileMode: mode_t? = nil,
        specialFiles: SpecialFiles = .writtenThrough
    ) throws(SystemError) {
        let existing = try FileMode.existing(at: path)
        if let existing, existing.isDirectory { throw SystemError(message: "is a directory") }
        if let existing, !existing.isRegular {
            guard specialFiles == .writtenThrough else { throw SystemError.notRegular }
            return try writeThrough(path, bytes)
        }
        let target = existing == nil ? path : try resolved(path)
        let temporary = try fillTemporary(for: target, bytes, existing, newFileMode)
        do {
            try moveFile(temporary, to: target)
        } catch {
            _ = try? removeFile(temporary)
            throw error
        }
        synchronizeFolder(of: target)
    }

    /// Makes a file that is not there yet, whole or not at all.
    ///
    /// - Throws: an error that `isExisting` where there is one of that name.
    package static func create(
        _ path: String, with bytes: [UInt8], mode: mode_t
    ) throws(SystemError) {
        let temporary = try fillTemporary(for: path, bytes, nil, mode)
        defer { _ = try? removeFile(temporary) }
        try linkFile(temporary, as: path)
        synchronizeFolder(of: path)
    }

    /// Gives a file that is complete the name it is to have, unless there is one of that name.
    ///
    /// - Throws: an error that `isExisting` where there is one.
    package static func publish(_ temporary: String, as path: String) throws(SystemError) {
        try linkFile(temporary, as: path)
        synchronizeFolder(of: path)
    }

    /// The beginning of the names of temporary files for `path`: in the same folder, so that moving
    /// one is one step.
    package static func temporaryPrefix(for path: String) -> String {
        (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + ".keyed-"
    }

    /// A temporary file with `bytes`, on the disk.
    private static func fillTemporary(
        for path: String, _ bytes: [UInt8], _ existing: FileMode?, _ newFileMode: mode_t?
    ) throws(SystemError) -> String {
        let (file, temporary) = try FileDescriptor.createTemporary(temporaryPrefix(for: path))
        defer { file.close() }
        do {
            try file.write(bytes)
            if let existing {
                try existing.apply(to: file)
            } else {
                try file.setMode(newFileMode ?? defaultMode())
            }
            try file.synchronize()
        } catch {
            _ = try? removeFile(temporary)
            throw error
        }
        return temporary
    }

    /// A device or a pipe has nothing to replace.
    private static func writeThrough(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
        let file = try FileDescriptor.openForWriting(path)
        defer { file.close() }
        try file.write(bytes)
    }

    /// Makes the new name durable; without it the file is whole all the same.
    private static func synchronizeFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let descriptor = try? FileDescriptor.open(folder) else { return }
        try? descriptor.synchronize()
        descriptor.close()
    }
}

// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import PlatformC

/// Functions that read and replace whole files.
package enum FileAccess {
    package static let standardInput = "-"

    /// A Boolean value indicating whether unnamed temporary files are used on systems that support
    /// them. Tests turn it off to exercise named files.
    @TaskLocal package static var usesUnnamedFiles = true

    /// Reads a whole file, or standard input for `-`.
    ///
    /// - Returns: The contents. For a pipe or a device with more than `limit` bytes, the result has
    ///   more than `limit` bytes but may be incomplete.
    /// - Throws: A system error, an error for a pipe without a writer, or `isTooLarge` for a regular
    ///   file of more than `limit` bytes, which is not read.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if path == standardInput {
            return try FileDescriptor.standardInput.readAll(limit: limit)
        }
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError.isDirectory }
        if mode.isRegular { try requireSize(mode, atMost: limit) }
        let bytes = try file.readAll(limit: limit)
        if bytes.isEmpty, mode.kind == .pipe {
            throw SystemError(message: "the file is a pipe that no program writes to")
        }
        return bytes
    }

    /// Reads a whole regular file and its mode, as ``read(_:limit:)`` does. Other kinds of files
    /// are refused, because a pipe or a device may never end.
    package static func readRegularFile(
        _ path: String, limit: Int
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        try readRegularFile(FilePlace(path), limit: limit)
    }

    /// Reads a whole regular file and its mode, like the function that takes a path.
    package static func readRegularFile(
        _ place: FilePlace, limit: Int
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        let file = try FileDescriptor.open(place, O_RDONLY)
        defer { file.close() }
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError.isDirectory }
        guard mode.isRegular else { throw SystemError.notRegular(mode) }
        try requireSize(mode, atMost: limit)
        let chunkSize = min(mode.size, FileDescriptor.largestChunk - 1) + 1
        return (try file.readAll(limit: limit, atOnce: chunkSize), mode)
    }

    private static func requireSize(
        _ mode: FileMode, atMost limit: Int
    ) throws(SystemError) {
        if mode.size > limit { throw SystemError.tooLarge(mode, limit: limit) }
    }

    /// The handling of a device or a pipe in place of the file to replace.
    package enum SpecialFiles {
        case writtenThrough, refused
    }

    /// Replaces a file atomically. A program that opens the file sees either the old contents or
    /// the new, and a failure leaves the old contents.
    ///
    /// Permissions, owner and symbolic links are preserved. A new file gets `newFileMode`, or the
    /// default mode if that is nil.
    ///
    /// - Returns: Notes for the user about properties of the old file that were lost: set-user-id
    ///   bits, other hard links, the access control list, extended attributes.
    /// - Throws: An error for a read-only file, for a pipe without a reader, or if the folder could
    ///   not be flushed. In the last case the new contents are in place.
    @discardableResult
    package static func replace(
        _ path: String, with bytes: [UInt8], newFileMode: mode_t? = nil,
        specialFiles: SpecialFiles = .writtenThrough
    ) throws(SystemError) -> [String] {
        try replace(
            FilePlace(path), with: bytes, newFileMode: newFileMode, specialFiles: specialFiles)
    }

    /// Replaces a file atomically, like the function that takes a path. A symbolic link that must
    /// not be followed is refused.
    @discardableResult
    package static func replace(
        _ place: FilePlace, with bytes: [UInt8], newFileMode: mode_t? = nil,
        specialFiles: SpecialFiles = .writtenThrough
    ) throws(SystemError) -> [String] {
        // Retry if other programs create and remove the file in the meantime.
        for _ in 0..<100 {
            guard let existing = try FileMode.existing(at: place) else {
                do { try create(place, with: bytes, mode: newFileMode) } catch
                    where error.isExisting
                { continue }
                return []
            }
            if existing.isDirectory { throw SystemError.isDirectory }
            if !existing.isRegular {
                guard specialFiles == .writtenThrough else {
                    throw SystemError.notRegular(existing)
                }
                try writeThrough(place, bytes)
                return []
            }
            do {
                return try replace(place, existing, bytes) { file throws(SystemError) in
                    try file.replaceTarget()
                }
            } catch  where error.isMissing { continue }
        }
        throw SystemError(message: "other programs keep creating and removing the file")
    }

    /// Replaces a regular file atomically, unless it has changed since `known` was read.
    ///
    /// Another program could replace the file between the last check and the replacement. `lock`
    /// excludes the programs that take the same lock. The lock is held only for that moment, not
    /// while the new contents are written and flushed, which may take seconds.
    ///
    /// - Parameters:
    ///   - place: The file.
    ///   - known: The mode of the file when it was read.
    ///   - bytes: The new contents.
    ///   - lock: Waits for a lock and returns it, or returns nil to go on without one.
    /// - Returns: The notes of ``replace(_:with:newFileMode:specialFiles:)``.
    /// - Throws: An `isExisting` error if the file has changed or is gone, and the errors of
    ///   ``replace(_:with:newFileMode:specialFiles:)``.
    @discardableResult
    package static func replace(
        _ place: FilePlace, ifUnchangedSince known: FileMode, with bytes: [UInt8],
        lock: () -> FileLock?
    ) throws(SystemError) -> [String] {
        guard known.isRegular else { throw SystemError.notRegular(known) }
        do throws(SystemError) {
            return try replace(place, known, bytes) { file throws(SystemError) in
                let held = lock()
                defer { held?.release() }
                try file.replaceTarget(ifUnchangedSince: known)
            }
        } catch {
            throw error.isMissing ? SystemError.existing : error
        }
    }

    /// Writes a file with the attributes of `existing`. `publish` then gives it the name of its
    /// target.
    ///
    /// - Returns: The notes of ``replace(_:with:newFileMode:specialFiles:)``.
    private static func replace(
        _ place: FilePlace, _ existing: FileMode, _ bytes: [UInt8],
        publish: (inout TemporaryFile) throws(SystemError) -> Void
    ) throws(SystemError) -> [String] {
        try existing.requireWritable(place)
        let target = try place.resolvingLinks()
        let list = try AccessList(of: target)
        let attributes = try UserAttributes(of: target)
        var kept = KeptRights(owner: true, group: true, accessList: true)
        var keepsAttributes = true
        func prepare(_ file: TemporaryFile) throws(SystemError) {
            // Copy the attributes while the file still belongs to the process's user.
            keepsAttributes = attributes.apply(to: file.file)
            kept = try existing.apply(to: file.file, list)
        }
        try withTemporary(for: target, bytes, mode: 0o600, prepare: prepare, place: publish)
        try synchronizeFolder(of: target)
        return notes(about: existing, kept, keepsAttributes)
    }

    private static func notes(
        about old: FileMode, _ kept: KeptRights, _ keepsAttributes: Bool
    ) -> [String] {
        var notes: [String] = []
        if !keepsAttributes { notes.append("some extended attributes could not be kept") }
        if !kept.owner { notes.append("the owner could not be kept; the new file is yours") }
        if !kept.group {
            notes.append(
                "the group could not be kept; the new group has only rights that all users had")
        }
        if !kept.accessList {
            notes.append(
                "the access control list could not be kept; only the owner may use the new file")
        }
        if old.identityBits != 0 {
            notes.append("the set-user-id or set-group-id bit was dropped")
        }
        if old.linkCount > 1 {
            let others = old.linkCount - 1
            notes.append(
                "\(others) other hard link\(others == 1 ? "" : "s") of the file "
                    + "keep\(others == 1 ? "s" : "") the old contents")
        }
        return notes
    }

    /// Creates a new file, either completely or not at all.
    ///
    /// This process closes its descriptors of the file before the file gets its name. From then on,
    /// SQLite may lock the file, and closing a descriptor would release these locks.
    ///
    /// The file gets `mode`. If `mode` is nil, it gets the default mode, which depends on the
    /// process's umask.
    ///
    /// - Throws: An `isExisting` error if there already is a file with that name.
    package static func create(
        _ path: String, with bytes: [UInt8], mode: mode_t?
    ) throws(SystemError) {
        try create(FilePlace(path), with: bytes, mode: mode)
    }

    private static func create(
        _ place: FilePlace, with bytes: [UInt8], mode: mode_t?
    ) throws(SystemError) {
        // Without `mode`, the system applies the umask to `0666`. Reading the umask would require
        // changing it for all threads.
        try withTemporary(for: place, bytes, mode: mode.map { $0 & 0o600 } ?? 0o666) {
            file throws(SystemError) in
            if let mode { try file.file.setMode(mode) }
        } place: { file throws(SystemError) in
            try file.publish()
        }
        try synchronizeFolder(of: place)
    }

    /// Waits until an existing file and its name are on disk. Another program may have created the
    /// file, or this process may have created it and failed to flush it.
    package static func synchronize(_ path: String) throws(SystemError) {
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        do throws(SystemError) { try file.synchronize() } catch {
            throw error.explained("the file is there, but could not be flushed to the disk")
        }
        try synchronizeName(of: path)
    }

    /// Waits until the name of a file is on disk, after resolving symbolic links.
    package static func synchronizeName(of path: String) throws(SystemError) {
        try synchronizeFolder(of: FilePlace(path).resolvingLinks())
    }

    /// Removes the temporary files that dead processes of this user left in a folder.
    ///
    /// - Complexity: Linear in the number of the folder's entries.
    package static func removeDeadTemporaries(inFolder folder: String) {
        TemporaryName.removeDead(in: FilePlace("\(folder)/"))
    }

    /// Removes the temporary files that dead processes of this user left for a file, without
    /// reading its folder. Files with random names are not found; a process leaves such a file if
    /// it dies between closing and naming it.
    package static func removeDeadTemporaries(for place: FilePlace) {
        TemporaryName.removeDead(for: place)
    }

    /// Removes the temporary files that dead processes of this user left in the folder of a file,
    /// as ``removeDeadTemporaries(inFolder:)`` does.
    package static func removeDeadTemporaries(beside path: String) {
        TemporaryName.removeDead(in: FilePlace(path).folder)
    }

    /// Fills a temporary file, flushes it to disk, and gives it its final name.
    private static func withTemporary(
        for target: FilePlace, _ bytes: [UInt8], mode: mode_t,
        prepare: (TemporaryFile) throws(SystemError) -> Void,
        place: (inout TemporaryFile) throws(SystemError) -> Void
    ) throws(SystemError) {
        func use(_ file: TemporaryFile) throws(SystemError) {
            var file = file
            defer { file.finish() }
            try file.file.write(bytes)
            try prepare(file)
            try file.file.synchronize()
            try place(&file)
        }
        if let file = try TemporaryFile(unnamedFor: target, mode: mode) {
            do { return try use(file) } catch {
                guard error.isMissingFeature else { throw error }
            }
        }
        // Retry if the closed file looked like one of a dead process, and another process removed
        // it before it got its name.
        for _ in 0..<8 {
            do { return try use(TemporaryFile(namedFor: target, mode: mode)) } catch
                where error.isMissing
            { continue }
        }
        try use(TemporaryFile(namedFor: target, mode: mode))
    }

    /// Writes to a device or a pipe, whose contents cannot be replaced.
    private static func writeThrough(_ place: FilePlace, _ bytes: [UInt8]) throws(SystemError) {
        let file: FileDescriptor
        do { file = try FileDescriptor.openForWriting(place) } catch  where error.hasNoReader {
            throw SystemError(message: "the file is a pipe or a device that no program reads from")
        }
        defer { file.close() }
        try file.write(bytes)
    }
}

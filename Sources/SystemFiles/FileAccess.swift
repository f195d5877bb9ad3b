// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

package import PlatformC

/// Reading and replacing whole files.
package enum FileAccess {
    package static let standardInput = "-"

    /// A Boolean value that says whether files without a name are used where the system has them.
    /// Tests do as if it had none.
    @TaskLocal package static var usesUnnamedFiles = true

    /// Everything in a file, or in standard input for `-`. Where that is more than `limit` bytes, more
    /// than `limit` are returned.
    ///
    /// - Throws: among others for a pipe that no program writes to. Opening it would wait for one.
    package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
        if path == standardInput {
            return try FileDescriptor.standardInput.readAll(limit: limit)
        }
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError.isDirectory }
        let bytes = try file.readAll(limit: limit)
        if bytes.isEmpty, mode.kind == .pipe {
            throw SystemError(message: "is a pipe that no program writes to")
        }
        return bytes
    }

    /// Everything in a regular file, as ``read(_:limit:)``, and its mode. Anything else is refused: a
    /// pipe may never end, nor a device.
    package static func readRegularFile(
        _ path: String, limit: Int
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        try readRegularFile(FilePlace(path), limit: limit)
    }

    /// Everything in a regular file, and its mode, as for a path.
    package static func readRegularFile(
        _ place: FilePlace, limit: Int
    ) throws(SystemError) -> (bytes: [UInt8], mode: FileMode) {
        let file = try FileDescriptor.open(place, O_RDONLY)
        defer { file.close() }
        let mode = try FileMode(of: file)
        if mode.isDirectory { throw SystemError.isDirectory }
        guard mode.isRegular else { throw SystemError.notRegular(mode) }
        let chunkSize = min(mode.size, FileDescriptor.largestChunk - 1) + 1
        return (try file.readAll(limit: limit, atOnce: chunkSize), mode)
    }

    /// The way to replace a device or a pipe.
    package enum SpecialFiles {
        case writtenThrough, refused
    }

    /// Replaces a file in one step: whoever opens it sees the old contents or the new, and a failure
    /// leaves the old. Permissions, owner and symbolic links stay. A new file gets `newFileMode`, or the
    /// usual mode.
    ///
    /// - Returns: what of the old file was not kept, for the user: set-user-id bits, further names, the
    ///   list of further users, extended attributes.
    /// - Throws: among others for a file that is read-only; for a pipe that no program reads from; where
    ///   the folder could not be flushed, although the new contents are in place.
    @discardableResult
    package static func replace(
        _ path: String, with bytes: [UInt8], newFileMode: mode_t? = nil,
        specialFiles: SpecialFiles = .writtenThrough
    ) throws(SystemError) -> [String] {
        try replace(
            FilePlace(path), with: bytes, newFileMode: newFileMode, specialFiles: specialFiles)
    }

    /// Replaces a file in one step, as for a path. A symbolic link that is not to be followed is refused.
    @discardableResult
    package static func replace(
        _ place: FilePlace, with bytes: [UInt8], newFileMode: mode_t? = nil,
        specialFiles: SpecialFiles = .writtenThrough
    ) throws(SystemError) -> [String] {
        // Again where others create and remove the file meanwhile.
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
                return try replace(place, existing, bytes)
            } catch  where error.isMissing { continue }
        }
        throw SystemError(message: "is created and removed again and again")
    }

    /// Replaces a regular file in one step, unless it has changed since its mode was asked for.
    ///
    /// - Throws: an error that `isExisting` where it has changed, and as
    ///   ``replace(_:with:newFileMode:specialFiles:)``.
    package static func replace(
        _ place: FilePlace, ifUnchangedSince known: FileMode, with bytes: [UInt8]
    ) throws(SystemError) {
        guard known.isRegular else { throw SystemError.notRegular(known) }
        do { _ = try replace(place, known, bytes, ifUnchanged: true) } catch  where error.isMissing
        {
            throw SystemError.existing
        }
    }

    /// - Returns: what was not kept, as ``replace(_:with:newFileMode:specialFiles:)``.
    private static func replace(
        _ place: FilePlace, _ existing: FileMode, _ bytes: [UInt8], ifUnchanged: Bool = false
    ) throws(SystemError) -> [String] {
        try existing.requireWritable(place)
        let target = try place.resolvingLinks()
        let list = try AccessList(of: target)
        let attributes = try UserAttributes(of: target)
        var keepsList = true
        var keepsAttributes = true
        try withTemporary(for: target, bytes, mode: 0o600) { file throws(SystemError) in
            // While the file still belongs to the process's user.
            keepsAttributes = attributes.apply(to: file.file)
            keepsList = try existing.apply(to: file.file, list)
        } place: { file throws(SystemError) in
            try file.replaceTarget(ifUnchangedSince: ifUnchanged ? existing : nil)
        }
        try synchronizeFolder(of: target)
        return notes(about: existing, keepsList, keepsAttributes)
    }

    private static func notes(
        about old: FileMode, _ keepsList: Bool, _ keepsAttributes: Bool
    ) -> [String] {
        var notes: [String] = []
        if !keepsAttributes { notes.append("some extended attributes could not be kept") }
        if !keepsList {
            notes.append(
                "the access control list could not be kept; only the owner may use the new file")
        }
        if old.identityBits != 0 {
            notes.append("the set-user-id or set-group-id bit was dropped")
        }
        if old.linkCount > 1 {
            let others = old.linkCount - 1
            notes.append(
                "the old contents stay under \(others) further name\(others == 1 ? "" : "s") "
                    + "of the file (hard links)")
        }
        return notes
    }

    /// Creates a file that is not there yet, whole or not at all.
    ///
    /// No descriptor of it is open in this process when it gets its name: closing one would release the
    /// locks that SQLite has on the file by then.
    ///
    /// `mode` is the mode; nil for the usual one, which depends on the process's umask.
    ///
    /// - Throws: an error that `isExisting` where there is one of that name.
    package static func create(
        _ path: String, with bytes: [UInt8], mode: mode_t?
    ) throws(SystemError) {
        try create(FilePlace(path), with: bytes, mode: mode)
    }

    private static func create(
        _ place: FilePlace, with bytes: [UInt8], mode: mode_t?
    ) throws(SystemError) {
        // The system applies the umask. Reading it would mean to change it, for all threads.
        try withTemporary(for: place, bytes, mode: mode.map { $0 & 0o600 } ?? 0o666) {
            file throws(SystemError) in
            if let mode { try file.file.setMode(mode) }
        } place: { file throws(SystemError) in
            try file.publish()
        }
        try synchronizeFolder(of: place)
    }

    /// Waits until a file that is there already is on the disk, with its name: another program may have put it
    /// there, or this one in vain.
    package static func synchronize(_ path: String) throws(SystemError) {
        let file = try FileDescriptor.open(path)
        defer { file.close() }
        do throws(SystemError) { try file.synchronize() } catch {
            throw error.explained("the file is there, but could not be flushed to the disk")
        }
        try synchronizeName(of: path)
    }

    /// Waits until the name of a file is on the disk, where symbolic links lead to.
    package static func synchronizeName(of path: String) throws(SystemError) {
        try synchronizeFolder(of: FilePlace(path).resolvingLinks())
    }

    /// Removes the temporary files that dead processes of this user left in a folder. Linear in the
    /// number of its entries.
    package static func removeDeadTemporaries(inFolder folder: String) {
        TemporaryName.removeDead(in: FilePlace("\(folder)/"))
    }

    /// Removes the temporary files that dead processes of this user left for a file, without reading its
    /// folder. Not found are those that a process closed in order to name them, and did not name.
    package static func removeDeadTemporaries(for place: FilePlace) {
        TemporaryName.removeDead(for: place)
    }

    /// Removes the temporary files that dead processes of this user left in the folder of a file, as
    /// ``removeDeadTemporaries(inFolder:)``.
    package static func removeDeadTemporaries(beside path: String) {
        TemporaryName.removeDead(in: FilePlace(path).folder)
    }

    /// Fills a temporary file, flushes it to the disk, and gives it its name.
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
        // Again where another process took the file for one of a dead process, in the moment between
        // closing and naming it.
        for _ in 0..<8 {
            do { return try use(TemporaryFile(namedFor: target, mode: mode)) } catch
                where error.isMissing
            { continue }
        }
        try use(TemporaryFile(namedFor: target, mode: mode))
    }

    /// Writes to a device or a pipe, which has nothing to replace.
    private static func writeThrough(_ place: FilePlace, _ bytes: [UInt8]) throws(SystemError) {
        let file: FileDescriptor
        do { file = try FileDescriptor.openForWriting(place) } catch  where error.hasNoReader {
            throw SystemError(message: "is a pipe or a device that no program reads from")
        }
        defer { file.close() }
        try file.write(bytes)
    }
}

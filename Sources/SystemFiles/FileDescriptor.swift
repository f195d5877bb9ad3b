// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// An open file.
package struct FileDescriptor {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let standardInput = FileDescriptor(rawValue: 0)

    /// The maximum number of bytes that one call reads.
    static let largestChunk = 1 << 18

    // Opening never blocks, not even for a pipe whose other end is closed. Reading and writing may
    // block.

    /// Opens a file for reading. A pipe that no program writes to is empty.
    package static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(FilePlace(path), O_RDONLY)
    }

    /// Opens an existing file for writing, without truncating it.
    ///
    /// - Throws: A `hasNoReader` error for a pipe that no program reads from.
    static func openForWriting(_ place: FilePlace) throws(SystemError) -> FileDescriptor {
        try open(place, O_WRONLY)
    }

    /// Opens a file for writing, or creates it if it is missing. Does not follow a symbolic link.
    static func openOrCreateItself(
        _ path: String, mode: mode_t
    ) throws(SystemError) -> (file: FileDescriptor, isNew: Bool) {
        let place = FilePlace(path, followingLinks: false)
        while true {
            do throws(SystemError) { return (try openForWriting(place), false) } catch {
                guard error.isMissing else { throw error }
            }
            do throws(SystemError) {
                return (try open(place, O_WRONLY | O_CREAT | O_EXCL, mode), true)
            } catch {
                // Another program has created the file in the meantime.
                guard error.isExisting else { throw error }
            }
        }
    }

    /// Creates a file that does not exist yet.
    static func create(_ place: FilePlace, mode: mode_t) throws(SystemError) -> FileDescriptor {
        try open(place, O_RDWR | O_CREAT | O_EXCL, mode)
    }

    static func open(
        _ place: FilePlace, _ flags: Int32, _ mode: mode_t = 0
    ) throws(SystemError) -> FileDescriptor {
        let path = try place.checkedPath
        let link = place.followsLinks ? 0 : O_NOFOLLOW
        while true {
            let descriptor = openDescriptor(
                place.start, path, flags | link | O_CLOEXEC | O_NONBLOCK, mode)
            if descriptor >= 0 {
                return try FileDescriptor(rawValue: descriptor).aboveStandardOnes()
            }
            let error = SystemError.last
            if error.isInterruption { continue }
            throw place.followsLinks ? error : error.aboutLink
        }
    }

    /// Moves the file to a descriptor above 2 if it got the descriptor of a standard stream. This
    /// happens if another thread closes a standard stream at the same time, or if there is no null
    /// device.
    private func aboveStandardOnes() throws(SystemError) -> FileDescriptor {
        if rawValue > 2 { return self }
        let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 3)
        let error = SystemError.last
        close()
        if copy < 0 { throw error }
        return FileDescriptor(rawValue: copy)
    }

    /// Waits until a failed call can be repeated. The call failed because the file was not ready or
    /// a signal arrived.
    ///
    /// - Throws: The error of the call, if repeating it cannot help.
    private func waitToRepeat(for events: Int32) throws(SystemError) {
        let error = SystemError.last
        if error.isInterruption { return }
        guard error.isNotReady else { throw error }
        var request = pollfd(fd: rawValue, events: Int16(events), revents: 0)
        // SAFETY: the structure is ours for the call, and the count passed is that of one
        // structure.
        if unsafe poll(&request, 1, -1) < 0, errno != EINTR { throw SystemError.last }
    }

    /// A Boolean value indicating whether the file accepts a write now. It is false for a pipe
    /// without a reader.
    var isWritable: Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the structure is ours for the call, and the count passed is that of one
        // structure.
        return unsafe poll(&request, 1, 0) == 1 && Int32(request.revents) == POLLOUT
    }

    package func close() { _ = closeDescriptor(rawValue) }

    /// Reads to the end of the file in chunks. Stops as soon as there are more than `limit` bytes.
    package func readAll(
        limit: Int, atOnce chunkSize: Int = largestChunk
    ) throws(SystemError) -> [UInt8] {
        var result: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: chunkSize)
        while result.count <= limit {
            // SAFETY: the buffer belongs to the array and has the size passed.
            let count = unsafe chunk.withUnsafeMutableBytes { buffer in
                unsafe read(rawValue, buffer.baseAddress, buffer.count)
            }
            if count == 0 { break }
            if count < 0 {
                try waitToRepeat(for: POLLIN)
                continue
            }
            result.append(contentsOf: chunk[..<count])
        }
        return result
    }

    /// Writes all of `bytes`.
    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var start = 0
        while start < bytes.count {
            // SAFETY: the buffer belongs to the array; the part passed lies within it.
            let count = unsafe bytes.withUnsafeBytes { buffer in
                let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
                return unsafe writeDescriptor(rawValue, rest)
            }
            if count < 0 {
                try waitToRepeat(for: POLLOUT)
                continue
            }
            // A device may never accept another byte.
            if count == 0 { throw SystemError(message: "the device accepts no more bytes") }
            start += count
        }
    }
}

// Wrappers of system functions that methods of the same name would hide.

private func openDescriptor(
    _ start: Int32, _ path: String, _ flags: Int32, _ mode: mode_t
) -> Int32 {
    occupyStandardNumbers()
    // SAFETY: Swift passes the path as a NUL-terminated string for the length of the call.
    return unsafe openat(start, path, flags, mode)
}

/// Opens the null device on each closed descriptor among standard input, output and error.
/// Otherwise the next file would get that descriptor, and another thread's output would be written
/// to it.
///
/// Standard input is opened only for writing, and the others only for reading. Using them therefore
/// fails, as if they were closed. They are closed in programs that this process starts.
private func occupyStandardNumbers() {
    for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
        // SAFETY: Swift passes the path as a NUL-terminated string for the length of the call.
        let descriptor = unsafe openat(
            AT_FDCWD, "/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        if descriptor > 2 { _ = closeDescriptor(descriptor) }
    }
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe private func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

// MARK: - New files and flushing

extension FileDescriptor {
    #if os(Linux)
    // `O_TMPFILE` and `O_PATH`, which Swift does not import. `O_TMPFILE` includes the bit of
    // `O_DIRECTORY`.
    private static let temporaryFileFlag = 0o20_000_000 | O_DIRECTORY
    private static let pathOnlyFlag: Int32 = 0o10_000_000

    /// Creates a file without a name, or returns nil if the system cannot create one.
    static func createUnnamed(
        in folder: FilePlace, mode: mode_t
    ) throws(SystemError) -> FileDescriptor? {
        let path = try folder.checkedPath
        let descriptor = openDescriptor(
            folder.start, path, O_RDWR | temporaryFileFlag | O_CLOEXEC, mode)
        return descriptor < 0
            ? nil : try FileDescriptor(rawValue: descriptor).aboveStandardOnes()
    }

    /// Opens the file again with `O_PATH`, only to give it a name. Closing such a descriptor
    /// releases no locks.
    func openHandle() throws(SystemError) -> FileDescriptor {
        let descriptor = openDescriptor(
            AT_FDCWD, procPath, Self.pathOnlyFlag | O_CLOEXEC, 0)
        if descriptor < 0 { throw SystemError.last }
        return try FileDescriptor(rawValue: descriptor).aboveStandardOnes()
    }
    #endif

    /// The path that Linux provides for the descriptor.
    private var procPath: String { "/proc/self/fd/\(rawValue)" }

    /// Gives a file that was created without a name its first name.
    ///
    /// - Throws: An `isExisting` error if there already is a file with that name.
    func linkUnnamed(as place: FilePlace) throws(SystemError) {
        // SAFETY: both paths are NUL-terminated strings for the length of the call.
        let result = unsafe linkat(
            AT_FDCWD, procPath, place.start, try place.checkedPath, AT_SYMLINK_FOLLOW)
        if result != 0 { throw SystemError.last }
    }

    /// Waits until the file is on disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // On Darwin, `fsync` leaves the bytes in the cache of the drive.
        while fcntl(rawValue, F_FULLFSYNC) != 0 {
            let error = SystemError.last
            if error.isInterruption { continue }
            // Some file systems support only `fsync`. After a device failure, `fsync` may report
            // success.
            if error.isDeviceFailure { throw error }
            return try synchronizeWithoutDrive()
        }
        #else
        try synchronizeWithoutDrive()
        #endif
    }

    private func synchronizeWithoutDrive() throws(SystemError) {
        while fsync(rawValue) != 0 {
            let error = SystemError.last
            guard error.isInterruption else { throw error }
        }
    }

    /// The start of the message for a folder that was changed but not flushed.
    static let changedFolder = "the folder was changed, but could not be flushed to the disk"

    /// Waits until the names in a folder are on disk, if the file system supports that.
    ///
    /// - Throws: An error if flushing fails. The names exist now, but may be lost in a power
    ///   failure.
    func synchronizeFolder() throws(SystemError) {
        do { try synchronize() } catch {
            // All other errors come from file systems that support flushing folders.
            if error.isUnsupported { return }
            throw error.explained(Self.changedFolder)
        }
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        if fchmod(rawValue, mode) != 0 { throw SystemError.last }
    }

    /// Locks the file, unless another process or another part of this process holds the lock.
    /// ``unlock()`` releases it.
    ///
    /// - Returns: A Boolean value indicating whether the file is now locked.
    /// - Throws: An error if the system cannot lock the file. Some file systems have no locks.
    func lockIfFree() throws(SystemError) -> Bool {
        while flock(rawValue, LOCK_EX | LOCK_NB) != 0 {
            let error = SystemError.last
            if error.isNotReady { return false }
            guard error.isInterruption else {
                throw error.explained("the file could not be locked")
            }
        }
        return true
    }

    /// Releases the lock on the file.
    ///
    /// Closing the file may not release the lock at once. If another thread is starting a program,
    /// the new process has a copy of the descriptor until it calls `exec`, and the lock belongs to
    /// all copies.
    func unlock() { _ = flock(rawValue, LOCK_UN) }

    /// Locks the first byte of a file that nobody else has open. The lock is a record lock, which
    /// belongs to the process.
    ///
    /// - Throws: An error if the file system has no such locks.
    func acquireRecordLock() throws(SystemError) {
        var lock = flock()
        lock.l_type = Int16(truncatingIfNeeded: F_WRLCK)
        lock.l_len = 1
        // SAFETY: the structure is ours for the call.
        if unsafe fcntl(rawValue, F_SETLK, &lock) != 0 {
            throw SystemError.last.explained("files in this folder could not be locked")
        }
    }

    /// Locks the file as ``lockIfFree()`` does. Also returns false if the file system has no locks.
    func tryLock() -> Bool { (try? lockIfFree()) == true }
}

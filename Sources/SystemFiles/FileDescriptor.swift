// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

internal import PlatformC

/// An open file.
package struct FileDescriptor {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let standardInput = FileDescriptor(rawValue: 0)

    /// The most bytes that are read at a time.
    static let largestChunk = 1 << 18

    // Opening waits for nobody, as opening a pipe would. Reading and writing wait.

    /// Opens a file for reading. A pipe that no program writes to is empty.
    package static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(FilePlace(path), O_RDONLY)
    }

    /// Opens a file for writing, as it is.
    ///
    /// - Throws: an error that `hasNoReader` for a pipe that no program reads from.
    static func openForWriting(_ place: FilePlace) throws(SystemError) -> FileDescriptor {
        try open(place, O_WRONLY)
    }

    /// Opens a file for writing, and creates it where there is none; not through a symbolic link.
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
                // Another program has created it meanwhile.
                guard error.isExisting else { throw error }
            }
        }
    }

    /// Creates a file that is not there yet.
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

    /// The file under a number that is no standard one, where another thread closed one meanwhile, or there is no
    /// null device.
    private func aboveStandardOnes() throws(SystemError) -> FileDescriptor {
        if rawValue > 2 { return self }
        let copy = fcntl(rawValue, F_DUPFD_CLOEXEC, 3)
        let error = SystemError.last
        close()
        if copy < 0 { throw error }
        return FileDescriptor(rawValue: copy)
    }

    /// Waits until a call that has failed can be repeated: the file was not ready, or a signal came.
    ///
    /// - Throws: the call's own error, where repeating it is of no use.
    private func waitToRepeat(for events: Int32) throws(SystemError) {
        let error = SystemError.last
        if error.isInterruption { return }
        guard error.isNotReady else { throw error }
        var request = pollfd(fd: rawValue, events: Int16(events), revents: 0)
        // SAFETY: the structure is ours for the call, and the call is told that it is one.
        if unsafe poll(&request, 1, -1) < 0, errno != EINTR { throw SystemError.last }
    }

    /// Whether something takes what is written now. A pipe that nobody reads from does not.
    var isWritable: Bool {
        var request = pollfd(fd: rawValue, events: Int16(POLLOUT), revents: 0)
        // SAFETY: the structure is ours for the call, and the call is told that it is one.
        return unsafe poll(&request, 1, 0) == 1 && Int32(request.revents) == POLLOUT
    }

    package func close() { _ = closeDescriptor(rawValue) }

    /// Reads up to the end, in chunks, until there are more than `limit` bytes.
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
            // A device may take nothing for ever.
            if count == 0 { throw SystemError(message: "takes no more bytes") }
            start += count
        }
    }
}

// The system's functions under names that a method of the same name does not hide.

private func openDescriptor(
    _ start: Int32, _ path: String, _ flags: Int32, _ mode: mode_t
) -> Int32 {
    occupyStandardNumbers()
    // SAFETY: Swift passes the path as a NUL-terminated text for the length of the call.
    return unsafe openat(start, path, flags, mode)
}

/// Opens the null device under the numbers of standard input, output and error, where they are closed. Otherwise a
/// file would get such a number, and what another thread prints would be written to it.
///
/// Reading such a standard input fails, as does writing such a standard output, just as if it was closed. New
/// programs find it closed.
private func occupyStandardNumbers() {
    for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
        // SAFETY: Swift passes the path as a NUL-terminated text for the length of the call.
        let descriptor = unsafe openat(
            AT_FDCWD, "/dev/null", (number == 0 ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
        if descriptor > 2 { _ = closeDescriptor(descriptor) }
    }
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe private func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

// MARK: - New files, and the disk

extension FileDescriptor {
    #if os(Linux)
    // `O_TMPFILE` and `O_PATH`, which Swift does not import. The first has the bit of `O_DIRECTORY` too.
    private static let withoutName = 0o20_000_000 | O_DIRECTORY
    private static let withoutContents: Int32 = 0o10_000_000

    /// Creates a file without a name; nil where the file system has none.
    static func createUnnamed(
        in folder: FilePlace, mode: mode_t
    ) throws(SystemError) -> FileDescriptor? {
        let path = try folder.checkedPath
        let descriptor = openDescriptor(
            folder.start, path, O_RDWR | withoutName | O_CLOEXEC, mode)
        return descriptor < 0
            ? nil : try FileDescriptor(rawValue: descriptor).aboveStandardOnes()
    }

    /// Opens the file once more, only to give it a name. Closing that descriptor releases no locks.
    func openHandle() throws(SystemError) -> FileDescriptor {
        let descriptor = openDescriptor(
            AT_FDCWD, procPath, Self.withoutContents | O_CLOEXEC, 0)
        if descriptor < 0 { throw SystemError.last }
        return try FileDescriptor(rawValue: descriptor).aboveStandardOnes()
    }
    #endif

    /// The file under a name that Linux has for each descriptor.
    private var procPath: String { "/proc/self/fd/\(rawValue)" }

    /// Gives a file that was created without a name its first one.
    ///
    /// - Throws: an error that `isExisting` where there is a file of that name.
    func linkUnnamed(as place: FilePlace) throws(SystemError) {
        // SAFETY: both paths are NUL-terminated texts for the length of the call.
        let result = unsafe linkat(
            AT_FDCWD, procPath, place.start, try place.checkedPath, AT_SYMLINK_FOLLOW)
        if result != 0 { throw SystemError.last }
    }

    /// Waits until the file is on the disk.
    package func synchronize() throws(SystemError) {
        #if canImport(Darwin)
        // There `fsync` leaves the bytes in the cache of the drive.
        while fcntl(rawValue, F_FULLFSYNC) != 0 {
            let error = SystemError.last
            if error.isInterruption { continue }
            // Some file systems support only `fsync`, which may not report a failure of the device again.
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

    /// The beginning of an error about a folder. The change has been made.
    static let changedFolder = "the folder was changed, but could not be flushed to the disk"

    /// Waits until the names in a folder are on the disk, where the file system can do that.
    ///
    /// - Throws: where it fails. The names may be there, but not after a power cut.
    func synchronizeFolder() throws(SystemError) {
        do { try synchronize() } catch {
            // The other errors are of folders that could be flushed.
            if error.isUnsupported { return }
            throw error.explained(Self.changedFolder)
        }
    }

    func setMode(_ mode: mode_t) throws(SystemError) {
        if fchmod(rawValue, mode) != 0 { throw SystemError.last }
    }

    /// Locks the file, unless another process, or somebody else in this one, has it locked. ``unlock()``
    /// ends the lock.
    ///
    /// - Returns: whether the file is locked now.
    /// - Throws: where the system cannot lock it. A file system may have no locks.
    func lockIfFree() throws(SystemError) -> Bool {
        while flock(rawValue, LOCK_EX | LOCK_NB) != 0 {
            let error = SystemError.last
            if error.isNotReady { return false }
            guard error.isInterruption else { throw error.explained("it could not be locked") }
        }
        return true
    }

    /// Ends the lock on the file.
    ///
    /// Closing the file ends it later where another thread starts a program at that moment: the new process
    /// has a copy of the descriptor until its program runs, and the lock belongs to all copies.
    func unlock() { _ = flock(rawValue, LOCK_UN) }

    /// Locks a part of a file that nobody else has open, by the kind of lock that belongs to a process.
    ///
    /// - Throws: where the file system has no such locks.
    func tryRecordLock() throws(SystemError) {
        var lock = flock()
        lock.l_type = Int16(truncatingIfNeeded: F_WRLCK)
        lock.l_len = 1
        // SAFETY: the structure is ours for the call.
        if unsafe fcntl(rawValue, F_SETLK, &lock) != 0 {
            throw SystemError.last.explained("files in this folder could not be locked")
        }
    }

    /// Locks the file as ``lockIfFree()``; false also where the file system has no locks.
    func tryLock() -> Bool { (try? lockIfFree()) == true }
}

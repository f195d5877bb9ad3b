// This source file is part of swift-keyed-archive
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import Darwin
#elseif canImport(Musl)
package import Musl
#else
package import Glibc
#endif

/// An open file.
package struct FileDescriptor {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let standardInput = FileDescriptor(rawValue: 0)

    /// How many bytes are read at a time at most.
    package static let largestChunk = 1 << 18

    /// Opens a file for reading.
    package static func open(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_RDONLY)
    }

    /// Opens a file for reading without waiting for anybody, as a pipe would.
    package static func openAtOnce(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_RDONLY | O_NONBLOCK)
    }

    /// Opens a file for writing, as it is.
    package static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
        try open(path, O_WRONLY)
    }

    private static func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
        let descriptor = openDescriptor(path, flags | O_CLOEXEC)
        if descriptor < 0 { throw SystemError.last }
        return FileDescriptor(rawValue: descriptor)
    }

    package func close() { _ = closeDescriptor(rawValue) }

    /// Everything up to the end, at most `limit` bytes and one more, some of it at a time.
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
                if errno == EINTR { continue }
                throw SystemError.last
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
                if errno == EINTR { continue }
                throw SystemError.last
            }
            start += count
        }
    }
}

// The system's functions under names that a method of the same name does not hide.

private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    // SAFETY: Swift passes the path as a NUL-terminated text for the length of the call.
    unsafe open(path, flags)
}

private func createDescriptor(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 {
    // SAFETY: Swift passes the path as a NUL-terminated text for the length of the call.
    unsafe open(path, flags, mode)
}

private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

@unsafe private func writeDescriptor(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

// MARK: - New files, and the disk

extension FileDescriptor {
    // As often as `mkstemp` tries; one is enough unless somebody guesses names.
    private static let attempts = 100

    /// Creates a file with an unused name that begins with `prefix`, which its owner alone may read and
    /// write. As `mkstemp` does; programs that are started in between do not inherit it.
    package static func createTemporary(_ prefix: String) throws(SystemError) -> (
        FileDescriptor, String
    ) {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        for _ in 0..<attempts {
            let name = String((0..<8).compactMap { _ in letters.randomElement() })
            let descriptor = createDescriptor(
                prefix + name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return (FileDescriptor(rawValue: descriptor), prefix + name) }
            if errno != EEXIST, errno != EINTR { break }
        }
        throw SystemError.last
    }

    /// Waits until the file is on the disk.
    package func synchronize() throws(SystemError) {
        if fsync(rawValue) != 0 { throw SystemError.last }
    }

    package func setMode(_ mode: mode_t) throws(SystemError) {
        if fchmod(rawValue, mode) != 0 { throw SystemError.last }
    }

    /// Opens a file that is there to be locked, and makes it where there is none; waits until no other
    /// process, and nobody in this one, has it open in this way. Closing it lets the next one in.
    package static func openLocked(
        _ path: String, mode: mode_t
    ) throws(SystemError) -> FileDescriptor {
        let descriptor = createDescriptor(path, O_RDWR | O_CREAT | O_CLOEXEC, mode)
        if descriptor < 0 { throw SystemError.last }
        let file = FileDescriptor(rawValue: descriptor)
        while flock(descriptor, LOCK_EX) != 0 {
            let error = SystemError.last
            if error.isInterruption { continue }
            file.close()
            throw error
        }
        return file
    }
}
